# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl heap: figures that are known from calls which nobody makes, and those
# that python3 computes from the events of view.

. ./shared/heap.sh

# 1 to 4 are threads; 0xa is who allocates, and 0xf who frees.
planted <<'END'
1 malloc 100 0x1000 0xa1
1 malloc 200 0x2000 0xa1
2 free 0x2000 0xf1
1 calloc 10 30 0x3000 0xa2
1 malloc 5000 0x11000 0xa1
3 free 0x11000 0xf1
1 malloc 50 0 0xa1
1 realloc 0x3000 600 0x3000 0xa3
1 realloc 0x1000 400 0x1400 0xa3
2 realloc 0 64 0x5000 0xa4
2 realloc 0x5000 1000 0 0xa4
2 realloc 0x5000 0 0 0xa4
1 reallocarray 0 4 25 0x6000 0xa5
1 posix_memalign 64 128 0x7000 0 0xa6
1 posix_memalign 64 128 0x7100 12 0xa6
1 aligned_alloc 64 32 0x7200 0xa7
1 memalign 64 16 0x7300 0xa7
1 valloc 8 0x8000
1 free 0 0xf1
4 free 0x2000 0xf2
2 free 0x9990 0xf3
1 malloc 8 0x2000 0xa1
1 free 0x2000 0xf1
1 calloc 0xffffffff 0xffffffff 0 0xa2
1 malloc 500 0xb000 0xa8
2 malloc 40 0xb000 0xa9
1 realloc 0xb000 700 0xc000 0xa8
1 malloc 10 0xd000 0xa8
2 malloc 20 0xd000 0xa9
2 free 0xd000 0xf4
1 realloc 0xd000 30 0xe000 0xa8
1 malloc 5 0xf000 0xaa
1 malloc 6 0xf000 0xaa
1 realloc 0xf000 9 0xf100 0xaa
1 malloc 11 0x15000 0xac
2 malloc 12 0x15000 0xac
1 free 0 0xf1
1 realloc 0x15000 13 0x15100 0xac
END
utctl heap -a "$T/trace" >"$T/heap" 2>"$T/err" || fail "heap: $(cat "$T/err")"
[ ! -s "$T/err" ] || fail "heap: $(cat "$T/err")"
sed 1,2d "$T/heap" | sed 's/(+[0-9.]* s)/(+ s)/; s/^  *//; s/   */  /g' \
    >"$T/text"
named "$T/text" >"$T/got"
expected heap <<'END'

calls[]: 2076 bytes in 12 blocks live at the end
8312 bytes in 25 blocks allocated, 11 blocks freed
5400 bytes live at most, from #5 on (+ s)
4 calls returned no memory
1 freed twice
1 freed, but not allocated here
2 freed unseen: the memory was allocated again
bytes  blocks  largest  calls  allocated  not here  caller
1000  2  600  2  1000  0  0xa3
730  2  700  4  1240  0  0xa8
128  1  128  1  128  0  0xa6
100  1  100  1  100  0  0xa5
48  2  32  2  48  0  0xa7
40  1  40  2  60  0  0xa9
13  1  13  3  36  0  0xac
9  1  9  3  20  0  0xaa
8  1  8  1  8  0  libc:valloc
0  0  0  4  5308  0  0xa1
0  0  0  1  300  0  0xa2
0  0  0  1  64  0  0xa4
0  0  0  0  0  1  0xf3

the largest blocks that are live:
bytes  allocated  calls[pid:tid]  caller
700  #27  [1]  0xa8
600  #8  [1]  0xa3
400  #9  [1]  0xa3
128  #14  [1]  0xa6
100  #13  [1]  0xa5
40  #26  [2]  0xa9
32  #16  [1]  0xa7
30  #31  [1]  0xa8
16  #17  [1]  0xa7
13  #38  [1]  0xac

the largest blocks of all:
bytes  allocated  calls[pid:tid]  caller
5000  #5  [1]  0xa1
700  #27  [1]  0xa8
600  #8  [1]  0xa3
500  #25  [1]  0xa8
400  #9  [1]  0xa3
300  #4  [1]  0xa2
200  #2  [1]  0xa1
128  #14  [1]  0xa6
100  #1  [1]  0xa1
100  #13  [1]  0xa5

freed twice:
block  freed  calls[pid:tid]  caller
0x0000000000002000  #3  [2]  0xf1
again  #20  [4]  0xf2
END
# Without -a, callers of which nothing is left are not there.
utctl heap "$T/trace" >"$T/out" || fail "heap"
[ "$(caller_rows "$T/out" | wc -l)" -eq 9 ] || fail "$(cat "$T/out")"

# What is selected is all there is: of the first thread's, frees are missing.
expect 0 '^calls\[[0-9]*\]: 0 bytes in 0 blocks live' \
    utctl heap -e 'libc:free' "$T/trace"
grep -q '^  6 freed, but not allocated here$' "$T/out" ||
    fail "$(cat "$T/out")"
expect 0 'no calls of malloc(3)' utctl heap -e calls:thread "$T/trace"

# Where calls are left out, that is said; not where all of a process are there.
tid=$(sed -n 's/.*:\([0-9]*\)\] libc:malloc .*/\1/p' "$T/view.out" | sed 1q)
for option in '-x libc:free' '-e libc:malloc' '-f size>0' "-t $tid"; do
	expect 0 '-t may leave out calls' utctl heap $option "$T/trace"
done
for option in "-p $PID" '-x calls:thread' '-e libc:*' '-b +0s'; do
	expect 0 'blocks allocated' utctl heap $option "$T/trace"
	grep 'leave out' "$T/err" && fail "$option: $(cat "$T/err")"
done

# Processes of two hosts that have the same ID are two.
mkdir "$T/both" && cp -R "$T/trace" "$T/both/a" &&
    cp -R "$T/trace" "$T/both/b" || fail "cp"
find "$T/both/b" -name metadata | while read -r f; do
	sed 's/hostname = ".*"/hostname = "another"/' "$f" >"$T/meta" &&
	    cp "$T/meta" "$f" || fail "hostname"
done || exit 1
utctl heap "$T/both" >"$T/out" || fail "heap of two"
[ "$(grep -c '^[^ :]*:calls\[[0-9]*\]: ' "$T/out")" -eq 2 ] ||
    fail "two hosts: $(cat "$T/out")"
expect 1 'no/such: No such file or directory' utctl heap no/such
[ ! -s "$T/out" ] || fail "$(cat "$T/out")"

# After exec, the process has nothing of what it had.
ln prog/calls "$T/other" 2>/dev/null || cp prog/calls "$T/other" || exit 1
planted <<END
1 malloc 100 0x1000 0xa1
1 exec $T/other
1 free 0x1000 0xf1
1 malloc 30 0x2000 0xa1
1 exec $T/other
1 free 0x2000 0xf1
1 malloc 7 0x3000 0xa1
END
utctl heap "$T/trace" >"$T/out" || fail "heap"
sed -n 's/^\(.*\)\[.*\]: \(.* bytes in\) .*/\1 \2/p' "$T/out" >"$T/got"
# A program that lies where it lay before cannot be told from itself.
if [ "$(grep -c "ut:module .* path = \"$T/other\"" "$T/view.out")" -eq 2 ] &&
    [ "$(grep "ut:module .* path = \"$T/other\"" "$T/view.out" |
    sed 's/.*base = \([^,]*\),.*/\1/' | sort -u | wc -l)" -eq 2 ]; then
	[ "$(cat "$T/got")" = "calls 100 bytes in
other 30 bytes in
other 7 bytes in" ] || fail "exec: $(cat "$T/out")"
	[ "$(grep -c '^  1 freed, but not allocated here$' "$T/out")" \
	    -eq 2 ] || fail "exec: $(cat "$T/out")"
else
	grep -q '^calls 100 bytes' "$T/got" || fail "exec: $(cat "$T/out")"
fi

# Of blocks that were freed, the last few thousand are known; what is live stays
# known, however many come and go.
awk 'BEGIN {
	for (i = 1; i <= 9000; i++) {
		print 1, "malloc", i, 65536 + 32 * i, "0xa1"
		if (i % 90 != 0)
			print 1, "free", 65536 + 32 * i, "0xf1"
		if (i == 2500)
			print 2, "free", 65536 + 32, "0xf2"
	}
	print 3, "free", 65536 + 64, "0xf3"
}' >"$T/calls"
rm -rf "$T/trace"
utctl record -b 256k -n 16 -o "$T/trace" -e 'libc:*' -- ./prog/calls \
    <"$T/calls" 2>"$T/err" || fail "record: $(cat "$T/err")"
utctl heap -a "$T/trace" >"$T/out" || fail "heap of many"
awk '/: 454500 bytes in 100 blocks live at the end$/ ||
    /^  1 freed twice$/ || /^  1 freed, but not allocated here$/ ||
    /^ *454500 *100 *9000 *9000 *40504500 *0  0xa1$/ ||
    /^ *again .*  0xf2$/ || /^ *0 *0 *0 *0 *0 *1  0xf3$/ { n++ }
    END { exit n != 6 }' "$T/out" || fail "many: $(cat "$T/out")"

# The oldest files are gone, which is no loss.
rm -rf "$T/trace"
utctl record -b 4k -C 8k -W 1 -m block -o "$T/trace" -e 'libc:*' -- \
    ./prog/calls <"$T/calls" 2>"$T/err" || fail "record: $(cat "$T/err")"
expect 0 '^utctl: the oldest events were removed (-W, -M) or overwritten: what' \
    utctl heap "$T/trace"
grep -E 'events were lost|[^0-9]0 (of|more)' "$T/err" && fail "lost"

# A session that is rotated has one process in several traces.
start_utd
utctl create -o "$T/parts" s >/dev/null && utctl enable-event 'libc:*' \
    >/dev/null && utctl start >/dev/null || fail "create"
pulse_start ./prog/calls
echo "1 malloc 100 0x1000 0xa1" >&3
echo "1 malloc 20 0x2000 0xa2" >&3
pulse 1 say ok
utctl rotate s >/dev/null || fail "rotate"
echo "1 free 0x1000 0xf1" >&3
pulse 1 say ok
exec 3>&- 4<&-
wait $PULSE || fail "calls: $?"
utctl destroy >/dev/null || fail "destroy"
stop_utd || fail "utd: $?"
utctl heap "$T/parts" >"$T/out" || fail "heap of parts"
[ "$(find "$T/parts" -name metadata | wc -l)" -gt 1 ] || fail "not rotated"
grep -q '^calls\[[0-9]*\]: 20 bytes in 1 block live' "$T/out" &&
    ! grep -q 'not allocated here' "$T/out" ||
    fail "parts: $(cat "$T/out")"
two=$(ls -d "$T/parts/archives/"*-2)
mkdir "${two%2}3" || fail "mkdir"
utctl heap "$T/parts" 2>&1 | grep 'no chunk between' && fail "an empty chunk"
mv "$two" "${two%2}5" || fail "mv"
expect 0 'parts: there is no chunk between number 1 and number 3$' \
    utctl heap "$T/parts"
rmdir "${two%2}3" && mv "${two%2}5" "$two" || fail "mv"
rm -r "$T/parts/archives/"*-1 || fail "rm"
expect 0 '^utctl: the oldest events were removed (-W, -M) or overwritten: what' \
    utctl heap "$T/parts"
expect 0 'parts: chunks before number 2, which begins at ' utctl heap "$T/parts"

# Many calls, twice computed.
if command -v python3 >/dev/null 2>&1; then
	python3 - >"$T/calls" <<'END'
import random
r = random.Random(1)
live, places = {}, [0x10000 + 16 * i for i in range(1500)]
for i in range(12000):
    what, t, who = r.random(), r.randint(1, 4), 0xa00 + r.randrange(20)
    p, q = r.choice(places), r.choice(places)
    size = r.choice([0, r.randrange(100), r.randrange(1 << 20)])
    if what < 0.45:
        if p not in live:
            print(t, "malloc", size, p, who)
            live[p] = t
    elif what < 0.5:
        if p not in live:
            print(t, "calloc", size, 3, p, who)
            live[p] = t
    elif what < 0.6:
        if q == p or q not in live:
            print(t, "realloc", p, size + 1, q, who)
            live.pop(p, None)
            live[q] = t
    elif what < 0.62:
        print(t, "realloc", p, 0, 0, who)
        live.pop(p, None)
    elif what < 0.64:
        print(t, "malloc", size, 0, who)
    else:
        print(t, "free", p, 0xf00 + who)
        live.pop(p, None)
END
	planted <"$T/calls"
	utctl view -j "$T/trace" >"$T/json" && utctl heap -j "$T/trace" \
	    >"$T/heap.json" || fail "-j"
	python3 "$TOP/regress/shared/heap.py" "$T/json" "$T/heap.json" \
	    >"$T/got" 2>"$T/err" || fail "$(tail -1 "$T/err" | cut -c1-2000)"
	awk '$1 < 100 || $2 < 100 || $3 < 100 || $4 < 100 { exit 1 }' \
	    "$T/got" || fail "too little happened: $(cat "$T/got")"
fi
