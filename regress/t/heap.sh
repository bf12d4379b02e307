# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl heap: figures that are known from calls which nobody makes, those that
# python3 computes from the events of view, and those of valgrind.

. ./common.sh

# planted: the calls of stdin in order; $T/trace, $PID.
planted() {
	rm -rf "$T/trace"
	utctl record -o "$T/trace" -e 'libc:*' -e calls:thread -e 'ut:*' -- \
	    ./prog/calls >"$T/record.out" 2>"$T/record.err" ||
	    fail "record: $(cat "$T/record.err")"
	utctl view "$T/trace" >"$T/view.out" || fail "view"
	PID=$(sed -n '1s/.* calls\[\([0-9]*\):.*/\1/p' "$T/view.out")
}

# The threads by their numbers, and times by those of the events they are of.
named() {
	awk -v pid="$PID" '
	FNR == NR {
		if (/ calls:thread /) {
			split($3, part, /[:\]]/)
			tid[part[2]] = $(NF - 1)
		} else if (/ libc:/)
			at[$1 " " $2] = ++n
		next
	}
	{
		gsub("\\[" pid ":", "[:")
		gsub("\\[" pid "\\]", "[]")
		for (t in tid)
			gsub("\\[:" t "\\]", "[" tid[t] "]")
		for (w in at)
			if ((i = index($0, w)) > 0)
				$0 = substr($0, 1, i - 1) "#" at[w] \
				    substr($0, i + length(w))
		print
	}' "$T/view.out" "$1"
}

# The rows of the table of callers.
caller_rows() {
	awk '/^ *bytes .* caller$/ { on = 1; next } on && NF == 0 { exit } on' \
	    "$1"
}

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
bytes  allocated  program[pid:tid]  caller
700  #27  calls[1]  0xa8
600  #8  calls[1]  0xa3
400  #9  calls[1]  0xa3
128  #14  calls[1]  0xa6
100  #13  calls[1]  0xa5
40  #26  calls[2]  0xa9
32  #16  calls[1]  0xa7
30  #31  calls[1]  0xa8
16  #17  calls[1]  0xa7
13  #38  calls[1]  0xac

the largest blocks of all:
bytes  allocated  program[pid:tid]  caller
5000  #5  calls[1]  0xa1
700  #27  calls[1]  0xa8
600  #8  calls[1]  0xa3
500  #25  calls[1]  0xa8
400  #9  calls[1]  0xa3
300  #4  calls[1]  0xa2
200  #2  calls[1]  0xa1
128  #14  calls[1]  0xa6
100  #1  calls[1]  0xa1
100  #13  calls[1]  0xa5

freed twice:
block  freed  program[pid:tid]  caller
0x0000000000002000  #3  calls[2]  0xf1
again  #20  calls[4]  0xf2
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

# Many calls, twice computed.
cat >"$T/model.py" <<'END'
# From the JSON of view: what each caller has left, and what went wrong.
import collections, json, sys

live, gone, uses = {}, set(), collections.defaultdict(lambda: [0] * 5)
now = peak = twice = unknown = failed = frees = 0

def forget(p):
    global now, twice, unknown, frees
    if p in live:
        size, who = live.pop(p)
        now -= size
        uses[who][0] -= size
        uses[who][1] -= 1
        frees += 1
        gone.add(p)
    elif p in gone:
        twice += 1
    else:
        unknown += 1
        uses[f["caller"]][4] += 1

for line in open(sys.argv[1]):
    e = json.loads(line)
    if not e.get("event", "").startswith("libc:"):
        continue
    f, name = e["fields"], e["event"][5:]
    f = {k: int(v) for k, v in f.items() if not k.endswith("_sym")}
    if name == "free":
        if f["ptr"]:
            forget(f["ptr"])
        continue
    size = f["size"] * f.get("count", 1)
    if not f["ptr"] and (size or not f.get("old")):
        failed += 1
        continue
    if f.get("old"):
        forget(f["old"])
    if f["ptr"]:
        assert f["ptr"] not in live
        live[f["ptr"]] = size, f["caller"]
        u = uses[f["caller"]]
        u[0] += size
        u[1] += 1
        u[2] += 1
        u[3] += size
        now += size
        peak = max(peak, now)
h, = json.load(open(sys.argv[2]))["processes"]
got = {c["caller"]: [c[k] for k in ("bytes", "blocks", "calls", "allocated",
    "unknown")] for c in h["callers"]}
for k in set(got) | set(uses):
    assert got.get(k, [0] * 5) == uses[k], (k, got.get(k), uses[k])
want = now, len(live), peak, twice, unknown, failed, frees, 0
names = "bytes blocks peak twice unknown failed frees unseen".split()
assert want == tuple(h[k] for k in names), (want, h)
for c in h["callers"]:
    assert c["largest"] == max([0] + [s for s, w in live.values()
        if w == c["caller"]])
print(len(live), twice, unknown, failed)
END
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
	python3 "$T/model.py" "$T/json" "$T/heap.json" >"$T/got" 2>"$T/err" ||
	    fail "$(tail -1 "$T/err" | cut -c1-2000)"
	awk '$1 < 100 || $2 < 100 || $3 < 100 || $4 < 100 { exit 1 }' \
	    "$T/got" || fail "too little happened: $(cat "$T/got")"
fi

# A real program, and valgrind's opinion of it.  With UT_POSIX, libut has
# semaphores with names, for which the C library allocates; and no modules.
not_sanitized
case "$CC $CFLAGS" in
*-m32*|*musl*|*UT_POSIX*)	exit 0 ;;
esac

# Plugins that are loaded in turn at one address are two callers, not many.
cat >"$T/plugin.c" <<'END'
#include <stdlib.h>
static void * volatile kept;
void plugin(void) { kept = malloc(LENGTH); }
END
cat >"$T/turns.c" <<'END'
#include <dlfcn.h>

int
main(int argc, char *argv[])
{
	void *h;
	int i;

	for (i = 0; i < 20; i++) {
		if ((h = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW)) == 0)
			return 1;
		((void (*)(void))dlsym(h, "plugin"))();
		dlclose(h);
	}
	return 0;
}
END
for n in 5555 6666; do
	$CC -O1 -fPIC -shared -o "$T/in$n.so" -DLENGTH=$n "$T/plugin.c" ||
	    fail "cannot build a plugin"
done
$CC -O1 -o "$T/turns" "$T/turns.c" $DL || fail "cannot build turns"
recorded -w malloc -- "$T/turns" "$T/in5555.so" "$T/in6666.so"
utctl heap "$T/trace" >"$T/out" || fail "heap of plugins"
caller_rows "$T/out" | sed -n 's/[()]//g
    s/^ *\([0-9]*\) *\([0-9]*\) .* plugin+.* \(in.*\)$/\1 \2 \3/p' |
    sort >"$T/got"
# Not every system puts the next one in the place of the last one.
[ "$(utctl view -e ut:module "$T/trace" |
    sed -n 's/.* base = \([^,]*\), .*\/in[56]*\.so.*/\1/p' |
    sort -u | wc -l)" -ne 1 ] || [ "$(cat "$T/got")" = "55550 10 in5555.so
66660 10 in6666.so" ] || fail "plugins: $(cat "$T/out")"

# Programs that are number 1 in their containers: two of one user that have
# names of their own call functions of their own.
new="unshare -p -f"
[ "$(id -u)" -eq 0 ] || new="unshare -Ur -p -f"
if $new true 2>/dev/null; then
	cat >"$T/inside.c" <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	static void * volatile kept;
	__attribute__((noinline, noclone)) void
	NAME(void)
	{
		kept = malloc(777);
	}
	int
	main(void)
	{
		char c;

		if (write(1, "\n", 1) == 1 && read(0, &c, 1) == 1)
			NAME();
		return 0;
	}
	END
	for name in one two; do
		$CC -O1 -o "$T/$name" -DNAME=only_$name "$T/inside.c" ||
		    fail "cannot build $name"
	done
	mkfifo "$T/go" "$T/ready" || fail "mkfifo"
	recorded -w malloc -- sh -c "exec 3<>$T/go 4<>$T/ready
	    $new $T/one <&3 >&4 & read line <&4
	    echo | $new $T/two >&4; echo >&3; wait"
	utctl heap "$T/trace" >"$T/out" || fail "heap of containers"
	for name in one two; do
		sed -n "/^$name\[1\]: /,/^\$/s/^ *777 .* \([a-z_][a-z_]*\)+.*/\1/p" \
		    "$T/out" >"$T/got"
		[ "$(cat "$T/got")" = only_$name ] ||
		    fail "not only_$name: $(cat "$T/out")"
	done
	# Those of one name are two if each is a trace, or their users differ.
	other=
	[ "$(id -u)" -ne 0 ] || other="./prog/asuser 65534"
	chmod 711 "$T" "$T/run"
	echo "1 malloc 100 0x1000 0xa1" >"$T/calls"
	start_utd
	for how in -p "$other"; do
		[ -n "$how" ] || continue
		rm -rf "$T/trace"
		utctl create -o "$T/trace" s >/dev/null &&
		    utctl enable-channel ${how%%./*} c &&
		    utctl enable-event -c c 'libc:*' >/dev/null &&
		    utctl start >/dev/null || fail "create"
		$new ./prog/calls <"$T/calls" || fail "calls"
		$new ${how#-p} ./prog/calls <"$T/calls" || fail "$how calls"
		utctl destroy >/dev/null || fail "destroy"
		utctl heap "$T/trace" >"$T/out" || fail "heap of $how"
		[ "$(grep -c '^calls\[1\]: 100 bytes in 1 ' "$T/out")" -eq 2 ] ||
		    fail "not two of $how: $(cat "$T/out")"
	done
	stop_utd || fail "utd: $?"
fi
need valgrind
cat >"$T/leaks.c" <<'END'
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

static void * volatile kept[1000];
static int n;

void * NOINLINE few(size_t size) { kept[n] = malloc(size); return kept[n++]; }
void * NOINLINE zeros(void) { kept[n] = calloc(3, 11); return kept[n++]; }
void NOINLINE grown(void) { kept[n] = realloc(kept[n], 999); n++; }

int
main(void)
{
	int i;

	for (i = 0; i < 40; i++) {
		few(100 + i);
		if (i % 4 != 0)
			free(kept[--n]);
		zeros();
		kept[n] = malloc(10);
		grown();
	}
	return 0;
}
END
$CC -O1 -g -o "$T/leaks" "$T/leaks.c" || fail "cannot build leaks"
valgrind --run-libc-freeres=no --leak-check=full --show-leak-kinds=all \
    "$T/leaks" >"$T/vg" 2>&1 || skip "valgrind does not run here"
recorded -b 64k -n 64 -w malloc -e "libc:*" -e "ut:*" -- "$T/leaks"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl heap -j "$T/trace" >"$T/json" || fail "heap"
in_use=$(sed -n 's/,//g; s/.*in use at exit: \([0-9]*\) bytes in \([0-9]*\) .*/\1 \2/p' "$T/vg")
[ -n "$in_use" ] || fail "$(cat "$T/vg")"
got=$(sed 's/.*"vpid":[0-9]*,"bytes":\([0-9]*\),"blocks":\([0-9]*\),.*/\1 \2/' \
    "$T/json")
[ "$got" = "$in_use" ] || fail "live: $got; valgrind: $in_use"
utctl heap "$T/trace" >"$T/heap" || fail "heap"
# The function below the one that allocates, of each loss record.
awk '/ bytes in .* blocks? are .* in loss record / {
	gsub(/,/, ""); bytes = $2; for (i = 3; $i != "in"; i++) ; blocks = $(i + 1) }
/ by 0x/ && bytes != "" { b[$4] += bytes; n[$4] += blocks; bytes = "" }
END { for (f in b) print b[f], n[f], f }' "$T/vg" | sort >"$T/want"
caller_rows "$T/heap" | awk '{ sub(/\+0x.*/, "", $6); b[$6] += $1; n[$6] += $2 }
END { for (f in b) print b[f], n[f], f }' | sort >"$T/got"
for f in few zeros grown; do
	grep -q " $f\$" "$T/want" || fail "not $f: $(cat "$T/vg")"
done
expected valgrind <"$T/want"
