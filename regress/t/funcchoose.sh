# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Of -finstrument-functions, the calls that are chosen by -c, -D and -M: the
# program counts for itself who calls whom, and stat -g caller says the same,
# from entries, exits, whole calls and stacks.

. ./common.sh
not_sanitized
not_cross
case "$CFLAGS" in
*-DUT_POSIX*)	skip "no names without the events of modules" ;;
esac

cat >"$T/prog.cc" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define QUIET __attribute__((no_instrument_function, noinline))
#define LOUD __attribute__((noinline))
extern "C" int leaf(int);
static jmp_buf out;
static long counts[4];
static long long QUIET ns(void) {
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}
static void QUIET spin(long long n) {
	for (long long end = ns() + n; ns() < end;)
		continue;
}
namespace a { struct b { LOUD int c(int n) { return leaf(n) + 1; } }; }
LOUD int leaf(int n) { volatile int v = n; return v; }
LOUD static int work(int n) { counts[0] += 2; return leaf(n) + leaf(n + 1); }
LOUD static int deep(int n) {
	counts[1]++;
	if (n == 0)
		longjmp(out, 1);
	return n == 1 ? leaf(1) : deep(n - 1) + 1;
}
LOUD static int lost(int n) { return deep(n == 1 ? 0 : n) + leaf(n); }
LOUD static int slow(int n) { spin(3000000); return work(n); }
LOUD static int outer(int n) {
	volatile char *p = (char *)__builtin_alloca(n + 10);
	p[n] = 1;
	return slow(n) + p[n];
}
static void handler(int sig) { leaf(sig); spin(2000000); }
int main() {
	static char stacks[2][65536];
	volatile int i, n = 0;
	struct sigaction sa;
	a::b b;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &sa, NULL);
	char *above = (char *)malloc(1);
	(void)above;
	stack_t ss;
	memset(&ss, 0, sizeof(ss));
	ss.ss_sp = stacks[0];
	ss.ss_size = sizeof(stacks[0]);
	sigaltstack(&ss, NULL);
	for (i = 0; i < 5; i++) {
		n += work(i) + b.c(i);
		if (setjmp(out) == 0)
			n += lost(i % 3);
	}
	n += outer(3) + outer(90);
	raise(SIGUSR1);
	return n == 0;
}
END
c=${CC%% *}
case $c in
*clang)	cxx=clang++ ;;
*)	cxx=g++ ;;
esac
need $cxx
chosen() {
	recorded -w func "$@" -- "$T/prog"
	[ "$lost" -eq 0 ] || fail "$*: $lost lost"
	utctl view -o event,fields "$T/trace" | sed -n \
	    's/^func:\(entry\|call\) { addr = \([^ (]*\).*/\2/p' |
	    sed 's/([^)]*)$//' | sort | uniq -c | awk '{ print $2 ":" $1 }' >"$T/got"
	utctl stat -g caller "$T/trace" >"$T/stat" || fail "stat"
	sed '/^the slowest/,$d' "$T/stat" >"$T/callers"
}
is() {
	echo $(cat "$T/got") >"$T/line"
	[ "$(cat "$T/line")" = "$2" ] || fail "$1: $(cat "$T/line"), not $2"
}
edge() {
	awk -v f="$1" -v by="$2" 'index($0, "func " f) && index($0, "  " by) {
	    n += $1 } END { print n + 0 }' "$T/callers" >"$T/n"
	[ "$(cat "$T/n")" -eq "$3" ] ||
	    fail "$1 by $2: not $3: $(cat "$T/callers")"
}

for how in "-O0" "-O2" "-O2 -static-pie" "-O1 -no-pie" \
    "-O1 -Wl,-z,max-page-size=0x200000"; do
	case $how in
	*static*)	continue ;;
	esac
	$cxx $how -finstrument-functions -o "$T/prog" "$T/prog.cc" \
	    2>"$T/cxx.err" || skip "no C++: $(head -n 3 "$T/cxx.err")"
	chosen -c work
	is "$how: work" work:7
	edge work main 5
	edge work slow 2
	chosen -c work -D 2
	is "$how: work, 2 levels" "leaf:14 work:7"
	edge leaf work 14
	chosen -c 'a::b::c'
	[ "$(wc -l <"$T/got")" -eq 1 ] || fail "$how: a::b::c: $(cat "$T/got")"
	chosen -c 'sl?w' -c outer
	is "$how: two globs" "outer:2 slow:2"
	chosen -D 1
	is "$how: 1 level" "main:1"
	chosen -D 2
	edge work main 5
	grep -q 'leaf' "$T/callers" && fail "$how: -D 2: $(cat "$T/callers")"
	chosen -M 1500us
	is "$how: -M" "handler:1 main:1 outer:2 slow:2"
	edge slow outer 2
	chosen -M 1500us -c outer -D 2
	is "$how: -M -c -D" "outer:2 slow:2"
	chosen -c leaf -M 1ns
	is "$how: leaf" "leaf:22"
done
# Calls of a known duration, and its own time.
chosen -M 1500us
utctl export -F chrome "$T/trace" >"$T/chrome" || fail "chrome"
[ "$(grep -c '"ph":"X"' "$T/chrome")" -eq 6 ] || fail "not 6 slices"
utctl stat -dj -e func:call "$T/trace" | tr '{' '\n' | grep -A1 '"func slow' |
    sed -n 's/.*"total_ns":"\([0-9]*\)","self_ns":"\([0-9]*\)".*/\1 \2/p' |
    awk '{ exit !($1 >= 6000000 && $1 == $2) }' || fail "slow: its time"
if command -v python3 >/dev/null 2>&1; then
	chosen -M 1ns
	utctl export -F chrome "$T/trace" >"$T/chrome" &&
	    utctl export -F perfetto "$T/trace" >"$T/perfetto" || fail "export"
	utctl stat -dj "$T/trace" >"$T/out" || fail "stat"
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=shared python3 - "$T" \
	    2>"$T/err" <<-'END' || fail "time lines: $(tail -n 1 "$T/err")"
	import json, sys, timeline
	a, b = (getattr(timeline, f)(open(sys.argv[1] + "/" + f, "rb").read(),
	    False) for f in ("chrome", "perfetto"))
	timeline.agree(a, b)
	for p in json.load(open(sys.argv[1] + "/out"))["pairs"]:
	    took = [x[1] - x[0] for x in b.bars if "func " + x[4] ==
	        p["by"]["pair"]]
	    assert len(took) == p["calls"], p
	    assert abs(sum(took) - p["mean"] * len(took)) < 1, p
	END
fi
# From stacks.
recorded -g -w func -e func:entry -- "$T/prog"
utctl stat -g caller "$T/trace" >"$T/callers" || fail "stat of stacks"
grep -q '  work([^)]*) (prog)  main (prog)$' "$T/callers" ||
    grep -q '  work.* (prog)  main (prog)$' "$T/callers" ||
    fail "stacks: $(cat "$T/callers")"
# The edges and counts of gprof.
cat >"$T/graph.c" <<'END'
static int c(int n) { return n * 3; }
static int b(int n) { int i, s = 0; for (i = 0; i < n % 5; i++) s += c(i);
    return s; }
static int a(int n) { return n < 2 ? b(n) : a(n - 1) + b(n) + c(n); }
int main(void) { int i, s = 0; for (i = 0; i < 20; i++) s += a(i);
    return s == 1; }
END
if command -v gprof >/dev/null && (cd "$T" && $CC -O0 -pg -o prof graph.c &&
    ./prof && gprof -b -q prof gmon.out >gprof) 2>/dev/null; then
	$CC -O0 -finstrument-functions -o "$T/graph" "$T/graph.c" $LIBS
	recorded -w func -- "$T/graph"
	utctl stat -g caller "$T/trace" | sed '/^the slowest/,$d' >"$T/callers"
	# Parents stand above the line of a function.
	awk '/^ .*[0-9]\/[0-9]/ { split($3, n, "/"); if (!below)
	    by[++k] = $(NF - 1) " " n[1] } /^\[/ { below = 1; for (i = 1; i <= k;
	    i++) print $(NF - 1), by[i] } /^---/ { k = below = 0 }' \
	    "$T/gprof" >"$T/edges"
	[ "$(wc -l <"$T/edges")" -ge 3 ] || fail "gprof: $(cat "$T/gprof")"
	while read -r f by n; do
		edge "$f (" "$by (" "$n"
	done <"$T/edges"
fi
# What is not there, or damaged.
utctl record -w func -c nothing_such -o "$T/none" "$T/prog" 2>"$T/err"
grep -q 'no function is called nothing_such' "$T/err" ||
    fail "nothing_such: $(cat "$T/err")"
for arg in "-c a,b" "-D 0" "-D x" "-M 0" "-M fast"; do
	utctl record -w func $arg -o "$T/none" true 2>"$T/err" &&
	    fail "$arg: accepted"
done
utctl record -c work -o "$T/none" true 2>"$T/err" && fail "-c without -w func"
exit 0
