# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that is sampled does what it does without: one that uses SIGPROF
# keeps it, and is said not to be sampled any more; no call is interrupted; what
# it starts is not ended, in whatever way it does so.

. ./common.sh
not_sanitized
[ "$(uname)" = Linux ] || skip "-w cpu is of Linux"
$CC $CFLAGS -D_GNU_SOURCE -pthread -o "$T/cpus" prog/cpus.c $LIBS ||
    fail "cannot build cpus"

# sampled WANTED WHETHER MODE N: its status; whether a program is said to be
# unsampled, or - where chance decides: one that begins with SIGPROF blocked is,
# if a tick comes.
sampled() {
	want=$1 said=$2
	shift 2
	"$T/cpus" "$@" >"$T/alone" 2>/dev/null
	[ $? -eq "$want" ] || fail "$* alone: $(cat "$T/alone")"
	rm -rf "$T/trace"
	utctl record -o "$T/trace" -w cpu=10000 -- "$T/cpus" "$@" \
	    >"$T/out" 2>"$T/err"
	got=$?
	[ $got -eq "$want" ] ||
	    fail "$*: status $got, not $want: $(cat "$T/out" "$T/err")"
	cmp "$T/alone" "$T/out" || fail "$* prints something else"
	n=$(grep -c '^utctl: a program.* was not sampled' "$T/err")
	[ "$said" = - ] || [ "$n" -eq "$said" ] ||
	    fail "$*: $(cat "$T/err")"
	[ "$n" -eq 0 ] || utctl view -e cpu:unsampled "$T/trace" |
	    grep -q "\\] cpu:unsampled {.* why = \"$why\", thread = " ||
	    fail "$*: not said why"
}

why='the program uses SIGPROF'
sampled 0 1 handler 100
sampled 0 0 query 50
sampled 0 1 waits 0
sampled 0 1 waits 1
sampled 0 1 waits 2
why='a thread has SIGPROF blocked at its end'
sampled 0 1 blocks 100
# One that lives is told of by the thread that ends the program; stat leaves its
# time out, and says so.  What the telling takes itself may have been sampled.
why="a thread has SIGPROF blocked at the program's end"
sampled 0 1 deaf 500
utctl view -e cpu:unsampled "$T/trace" >"$T/out"
sed -n 's/.*:\([0-9]*\)\] .* thread = \([0-9]*\), time = \([0-9]*\) }$/\1 \2 \3/p' "$T/out" |
    awk '$1 != $2 && $3 > 4e8 { n++ } END { exit !(n == 1 && NR == 1) }' ||
    fail "of a living one: $(cat "$T/out")"
for g in function stack; do
	utctl stat -g $g "$T/trace" >"$T/out" 2>"$T/err" || fail "-g $g"
	grep -q '^utctl: CPU time was not sampled, 0\.[4-9]' "$T/err" &&
	    ! awk '/say_living/ && $5 + $6 >= 400000' "$T/out" | grep -q . ||
	    fail "-g $g: $(cat "$T/err" "$T/out")"
done
# So is the time of a thread whose timer never ticks.
cat >"$T/late.c" <<'END'
int timer_settime(void);
int __timer_settime64(void);		/* with 32 bits */
int
timer_settime(void)
{
	return 0;
}
int
__timer_settime64(void)
{
	return 0;
}
END
$CC $CFLAGS -D_GNU_SOURCE -fPIC -shared -o "$T/late.so" "$T/late.c" \
    2>"$T/err" || fail "late: $(cat "$T/err")"
rm -rf "$T/trace"
LD_PRELOAD=$T/late.so utctl record -o "$T/trace" -w cpu -- "$T/cpus" work 500 \
    >"$T/out" 2>"$T/err" || fail "work: $(cat "$T/err")"
grep -q '^utctl: a program.* was not sampled' "$T/err" ||
    fail "not told: $(cat "$T/err")"
utctl view -e cpu:unsampled "$T/trace" >"$T/out"
why="the ticks for a thread's last time did not come"
sed -n "s/.* why = \"$why\", .*time = \([0-9]*\) }\$/\1/p" "$T/out" |
    awk '$1 > 4e8 && $1 < 7e8 { n++ } END { exit !(n == 1 && NR == 1) }' ||
    fail "of one without ticks: $(cat "$T/out")"
# Of the signal, as without us.
sampled 155 0 die 0
sampled 155 0 die 1
sampled 0 0 interrupted 1000
why='a thread has SIGPROF blocked at .*'
sampled 0 - execs "${EXECS:-50}"
sampled 0 - chain 100
sampled 0 0 births 2000

# One that is ignored from the start stays so.
(trap '' PROF; LD_PRELOAD=$TOP/libut/libut-cpu.so exec "$T/cpus" work 50) \
    >/dev/null || fail "ignored, without a session"
(trap '' PROF; exec utctl record -o "$T/ignored" -w cpu -- \
    "$T/cpus" query 50) >"$T/out" 2>"$T/err"
grep -q 'was not sampled' "$T/err" || fail "ignored: $(cat "$T/err")"

# gprof has the signal, and no more ticks than its own.
if $CC $CFLAGS -pg -D_GNU_SOURCE -o "$T/profiled" prog/cpus.c $LIBS 2>/dev/null
then
	mkdir "$T/gprof"
	(cd "$T/gprof" && exec utctl record -o "$T/pg" -w cpu=10000 -- \
	    "$T/profiled" work 200) >"$T/out" 2>"$T/err" ||
	    fail "gprof: $(cat "$T/out" "$T/err")"
	grep -q 'was not sampled' "$T/err" || fail "gprof: $(cat "$T/err")"
	[ -s "$T/gprof/gmon.out" ] || fail "no gmon.out"
fi
exit 0
