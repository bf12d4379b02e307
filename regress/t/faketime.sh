# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A preloaded library that tells programs another time, and one that goes back,
# as faketime(1) does: events have the system's time, whether it is the
# program alone that has the library, or utctl and utd as well.

. ./common.sh

not_sanitized
case $(uname)$CFLAGS in
*-DUT_POSIX*)	skip "plain POSIX has one way to the clock" ;;
Linux*)	;;
*)	skip "no other way to the clock is known here" ;;
esac

cat >"$T/fake.c" <<'END'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

time_t
time(time_t *t)
{
	if (t != NULL)
		*t = 1000000000;
	return 1000000000;
}

int
clock_gettime(clockid_t clock, struct timespec *ts)
{
	static long n;

	(void)clock;
	ts->tv_sec = 1000000000 - n++;
	ts->tv_nsec = 0;
	return 0;
}
END
$CC $CFLAGS -fPIC -shared -o "$T/fake.so" "$T/fake.c" || fail "cannot build fake.so"
LD_PRELOAD=$T/fake.so ./prog/clocks -p 1 || fail "the program alone"

# Time is whole seconds, so that a part of one counts.
check() {
	after=$(($(date +%s) + 1))
	[ "$events" -eq 4 ] || fail "$1: $(cat "$T/record.err")"
	utctl view -o epoch "$T/trace" >"$T/view.out" 2>"$T/err" ||
	    fail "$1: $(cat "$T/err")"
	awk -v a="$before" -v b="$after" '$1 < a || $1 > b { bad++; print }
	    END { exit bad > 0 || NR != 4 }' "$T/view.out" >"$T/got" ||
	    fail "$1: not from $before to $after: $(cat "$T/got")"
	readers_agree "$T/trace"
}
before=$(date +%s)
recorded -- env LD_PRELOAD="$T/fake.so" ./prog/clocks -p 1 1 1
check "the program"
env LD_PRELOAD="$T/fake.so" utctl record -r -o "$T/trace" -- ./prog/clocks -p 1 1 1 \
    2>"$T/record.err" || fail "all: $(cat "$T/record.err")"
events=$(sed -n 's/^utctl: \([0-9]*\) events.*/\1/p' "$T/record.err")
check "all of them"

# So it is with the thing itself.
command -v faketime >/dev/null 2>&1 || exit 0
recorded -- faketime '2001-01-01 00:00:00' ./prog/clocks -p 1 1 1
check "faketime"
exit 0
