# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl locks: figures that are known from calls which nobody makes, and those
# that python3 computes from the events of view.

. ./shared/locks.sh

# 1 to 4 are threads.  0xc, 0xd and 0xe are callers; 0xc9 releases.
calls >"$T/calls" <<'END'
1 mutex 0x100 0xc1
2 mutex_request 0x100 0xc2
3 mutex_request 0x100 0xc3
1 mutex_release 0x100 0xc9
2 mutex_acquired 0x100 0xc2
2 mutex_release 0x100 0xc9
3 mutex_acquired 0x100 0xc3
3 mutex 0x100 0xc4
3 mutex_release 0x100 0xc9
3 mutex_release 0x100 0xc9
4 mutex_request 0x100 0xc5
1 mutex 0x100 0xc1
1 mutex_release 0x100 0xc9
4 mutex_acquired 0x100 0xc5
4 mutex_release 0x100 0xc9
1 mutex 0x200 0xc1
2 mutex_request 0x200 0xc6
2 mutex_failed 0x200 16 0xc6
1 rdlock 0x300 0xd1
2 rdlock 0x300 0xd2
3 wrlock_request 0x300 0xd3
1 rwlock_release 0x300 0xd9
2 rwlock_release 0x300 0xd9
3 wrlock_acquired 0x300 0xd3
4 rdlock_request 0x300 0xd4
3 rwlock_release 0x300 0xd9
4 rdlock_acquired 0x300 0xd4
4 rwlock_release 0x300 0xd9
1 mutex 0x400 0xe1
1 mutex 0x400 0xe1
1 cond_wait 0x500 0x400 0xe2
2 mutex 0x400 0xe3
2 cond_signal 0x500 0xe4
2 mutex_release 0x400 0xe9
1 cond_woken 0x500 0x400 0 0xe2
1 mutex_release 0x400 0xe9
1 mutex_release 0x400 0xe9
2 mutex 0x400 0xe3
2 cond_wait 0x500 0x400 0xe5
1 cond_broadcast 0x500 0xe4
2 cond_woken 0x500 0x400 110 0xe5
2 mutex_release 0x400 0xe9
4 mutex_release 0x600 0xc9
1 mutex 0x700 0xc1
2 mutex_release 0x700 0xc9
1 mutex 0x800 0xc7
2 mutex 0x800 0xc8
2 mutex_release 0x800 0xc9
4 mutex_request 0x900 0xc1
4 mutex 0xa00 0xc1
4 mutex_release 0xa00 0xc9
1 mutex 0xb00 0xc1
2 mutex_release 0xb00 0xc9
3 mutex_request 0xb00 0xc2
2 mutex_kept 0xb00 1 0xc9
2 mutex_request 0xb00 0xc3
1 mutex_release 0xb00 0xc9
3 mutex_acquired 0xb00 0xc2
1 mutex_release 0xb00 0xc9
1 mutex_kept 0xb00 1 0xc9
3 cond_wait 0x580 0xb00 0xe2
3 mutex_kept 0xb00 22 0xe2
3 cond_failed 0x580 0xb00 22 0xe2
3 mutex_release 0xb00 0xc9
2 mutex_acquired 0xb00 0xc3
2 mutex_release 0xb00 0xc9
1 mutex 0xd00 0xc1
1 mutex 0xd00 0xc1
1 cond_wait 0x590 0xd00 0xe6
2 mutex_request 0xd00 0xc3
3 mutex_request 0xd00 0xc5
3 mutex_failed 0xd00 16 0xc5
1 cond_woken 0x590 0xd00 110 0xe6
1 mutex_release 0xd00 0xc9
1 mutex_release 0xd00 0xc9
2 mutex_acquired 0xd00 0xc3
2 mutex_release 0xd00 0xc9
4 mutex_release 0xb00 0xc9
4 mutex_kept 0xb00 1 0xc9
END

recorded -e 'pthread:*' -e calls:thread -- ./prog/calls <"$T/calls"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl locks "$T/trace" >"$T/out" 2>"$T/err" || fail "locks: $(cat "$T/err")"
narrow "$T/out" acquired 11
narrow "$T/out" waits 8
[ ! -s "$T/err" ] || fail "locks: $(cat "$T/err")"
lock_rows | sort -k 6 >"$T/got"
expected "by lock" <<'END'
6 3 0 1 1 0x100 0xc1
1 1 1 1 0 0x200 0xc1
4 2 0 1 1 0x300 0xd1
4 0 0 1 1 0x400 0xe1
0 0 0 0 0 0x600 0xc9
1 0 0 1 1 0x700 0xc1
2 1 0 1 1 0x800 0xc7
0 0 0 0 0 0x900 0xc1
1 0 0 1 1 0xa00 0xc1
3 2 0 1 1 0xb00 0xc1
3 2 1 1 1 0xd00 0xc1
END
awk '/ caller$/ && !on { on = 1; next } / condition, / { exit }
    on { print $1, $2, $3, $12 }' "$T/out" | sort -k 4 >"$T/got"
expected "by caller" <<'END'
8 0 0 0xc1
2 2 0 0xc2
3 3 0 0xc3
1 0 0 0xc4
1 2 1 0xc5
0 1 1 0xc6
1 0 0 0xc7
1 1 0 0xc8
1 0 0 0xd1
1 0 0 0xd2
1 1 0 0xd3
1 1 0 0xd4
2 0 0 0xe1
0 0 0 0xe2
2 0 0 0xe3
0 0 0 0xe5
END
awk '$9 == "0x500" { print $1, $2, $3, $4, $9, $NF }' "$T/out" >"$T/got"
[ "$(cat "$T/got")" = "2 1 1 1 0x500 0xe2" ] || fail "$(cat "$T/out")"
for want in '1 released, but not acquired here' \
    '1 released unseen: another thread acquired the lock' \
    '1 requested, neither acquired nor failed' \
    '0x200 not released by thread [0-9]*, which acquired it at .* from 0xc1'
do
	grep -q "^  $want\$" "$T/out" || fail "no '$want': $(cat "$T/out")"
done
[ "$(grep -c ' not released by ' "$T/out")" -eq 1 ] || fail "$(cat "$T/out")"
# Whatever is selected: those of one lock, of which one failed.
expect 0 '-t may leave out calls' utctl locks -f 'lock == 0x200' "$T/trace"
grep -q '  0x200  0xc6 (failed)  held by [0-9]* 0xc1$' "$T/out" ||
    fail "the wait that failed: $(cat "$T/out")"
grep -q '^calls\[[0-9]*\]: 1 lock, 0 conditions$' "$T/out" ||
    fail "-f: $(cat "$T/out")"
expect 0 'conditions$' utctl locks -e 'pthread:*' "$T/trace"
grep 'leave out' "$T/err" && fail "-e: $(cat "$T/err")"
expect 0 'no events of locks' utctl locks -e calls:thread "$T/trace"
# No wrapper can be preloaded that wants a sanitizer to be first; with UT_POSIX
# alone, such a trace has no events of modules either, and is empty.
case $CFLAGS in
*-fsanitize*|*-DUT_POSIX*)	;;
*)	echo 'int main(void) { return 0; }' >"$T/none.c"
	$CC $CFLAGS -o "$T/lockless" "$T/none.c" || fail "none.c"
	utctl record -w pthread -o "$T/none" -- "$T/lockless" 2>"$T/err" ||
	    fail "record: $(cat "$T/err")"
	expect 0 'no events of locks in .*: it could have had some' \
	    utctl locks "$T/none" ;;
esac
utctl record -o "$T/without" -- ./prog/seq 1 1 9 2>"$T/err" ||
    fail "record: $(cat "$T/err")"
expect 0 'no events of locks in .*: was it recorded' utctl locks "$T/without"
# Two threads that wait for each other.
calls >"$T/dead" <<'END'
1 mutex 0x100 0xa1
2 mutex 0x200 0xa2
1 mutex_request 0x200 0xa3
2 mutex_request 0x100 0xa4
END
mv "$T/trace" "$T/first"
recorded -e 'pthread:*' -e calls:thread -- ./prog/calls <"$T/dead"
utctl locks "$T/trace" >"$T/out" || fail "deadlock"
awk '$2 == "not" { sub(/,/, "", $6); print $6, $3, $1, $NF }' "$T/out" |
    sort >"$T/got"
set -- $(cut -d ' ' -f 1 "$T/got" | sort -u)
[ $# -eq 2 ] || fail "not two threads: $(cat "$T/out")"
first=$(sed -n 's/ released 0x100 0xa1$//p' "$T/got")
second=$(sed -n 's/ released 0x200 0xa2$//p' "$T/got")
printf '%s\n' "$first acquired 0x200 0xa3" "$first released 0x100 0xa1" \
    "$second acquired 0x100 0xa4" "$second released 0x200 0xa2" | sort |
    expected deadlock
utctl locks -j "$T/trace" >"$T/out" || fail "deadlock -j"
n=$(grep -o '"waiting":\[{"vtid":[0-9]*' "$T/out" | sort -u | wc -l)
[ "$n" -eq 2 ] || fail "deadlock: $(cat "$T/out")"
rm -rf "$T/trace" && mv "$T/first" "$T/trace"
expect 1 'no/such: No such file or directory' utctl locks no/such
[ ! -s "$T/out" ] || fail "$(cat "$T/out")"

# The same, and many calls, and real ones, by another program.
if command -v python3 >/dev/null 2>&1; then
	compared
	[ "$(cut -d ' ' -f 1,2 "$T/got")" = "27 11" ] || fail "$(cat "$T/got")"
	python3 - >"$T/calls" <<'END'
import random
r = random.Random(2)
waits, has = {}, {l: {} for l in range(0x100, 0x110)}
for i in range(12000):
    t = r.randint(1, 4)
    who = 0xa00 + r.randrange(12)
    if t in waits:
        l, mode, who = waits[t]
        others = [m for o, (m, n) in has[l].items() if o != t]
        what = "mutex_" if mode == "mutex" else mode + "lock_"
        if not others or (mode == "rd" and set(others) == {"rd"}):
            print(t, what + "acquired", l, who)
            m, n = has[l].get(t, (mode, 0))
            has[l][t] = m, n + 1
            del waits[t]
        elif r.random() < 0.1:
            print(t, what + "failed", l, 16, who)
            del waits[t]
        continue
    mine = [l for l in has if t in has[l]]
    theirs = [l for l in range(0x100, 0x108) if has[l] and t not in has[l]]
    if theirs and r.random() < 0.1:
        l = r.choice(theirs)
        print(t, "mutex_release", l, who)
        print(t, "mutex_kept", l, 1, who)
        continue
    if mine and r.random() < 0.55:
        l = r.choice(mine)
        m, n = has[l][t]
        print(t, ("mutex" if m == "mutex" else "rwlock") + "_release", l, who)
        has[l][t] = m, n - 1
        if n == 1:
            del has[l][t]
    else:
        l = r.choice(list(has))
        mode = "mutex" if l < 0x108 else r.choice(["rd", "rd", "wr"])
        if mode == "wr" and t in has[l]:
            continue
        print(t, ("mutex" if mode == "mutex" else mode + "lock") + "_request",
            l, who)
        waits[t] = l, mode, who
END
	recorded -b 64k -n 64 -e 'pthread:*' -- ./prog/calls <"$T/calls"
	[ "$lost" -eq 0 ] || fail "$lost lost"
	compared
	awk '$1 < 1000 || $2 < 300 { exit 1 }' "$T/got" ||
	    fail "too little happened: $(cat "$T/got")"
fi

# Each object of a program may have a lock: twenty thousand in 32 megabytes.
awk 'BEGIN { for (i = 1; i <= 20000; i++) {
	print 1, "mutex", 64 * i, 7 * i
	print 1, "mutex_release", 64 * i, 7 * i
} }' | calls >"$T/calls"
recorded -b 64k -n 64 -m block -e 'pthread:*' -- ./prog/calls <"$T/calls"
[ "$lost" -eq 0 ] || fail "$lost lost"
case $CFLAGS in
*-fsanitize*)	;;
*)	(ulimit -d 32768 2>/dev/null; utctl locks "$T/trace") >"$T/out" \
	    2>"$T/err" || fail "many locks: $(cat "$T/err")"
	grep -q '^calls\[[0-9]*\]: 20000 locks, ' "$T/out" ||
	    fail "many locks: $(head -n 5 "$T/out")" ;;
esac
