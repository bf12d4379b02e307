# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A cycle counter that fails: libut and utd are built with one that is made of
# CLOCK_MONOTONIC and does what it is told.  Where it parts from the clock, the
# session warns, and what follows is in a chunk with a line of its own.

. ./common.sh

case "$(uname) $CFLAGS" in
*-DUT_POSIX*)	skip "plain POSIX has no counter" ;;
Linux*)	;;
*)	skip "only Linux has a file for the clock" ;;
esac
not_cross
not_sanitized
mkdir "$T/src" && cp -rp "$TOP/Makefile" "$TOP/libut" "$TOP/utd" "$T/src" &&
    cp prog/counter.h "$T/src/libut" && (cd "$T/src" &&
    rm -f libut/libut.* utd/utd libut/common/compat.o $(objects_with \
    -e 'ut_cycles()' -e ut_read_clock -e UT_HAVE_CYCLES) && unset MAKEFLAGS MFLAGS MAKELEVEL &&
    ${MAKE:-make} CC="$CC" CFLAGS="$CFLAGS" \
    CPPFLAGS="-DUT_CYCLES_H='\"counter.h\"' -DCOUNTER='\"$T/counter\"' \
    -DUT_CLOCKSOURCE='\"$T/source\"'" libut/libut.a utd/utd) \
    >"$T/make.log" 2>&1 || fail "cannot build: $(tail -3 "$T/make.log")"
$CC $CFLAGS -I"$TOP/libut" -o "$T/clocks" prog/clocks.c \
    "$T/src/libut/libut.a" $LIBS || fail "cannot build clocks"
$CC -std=c11 -D_GNU_SOURCE $CFLAGS "-DCOUNTER=\"$T/counter\"" \
    -o "$T/counter-does" prog/counter.c || fail "cannot build counter"
echo tsc >"$T/source"
PATH=$T/src/utd:$PATH

# begin_session [option ...]: with a program that records an event each ms.
begin_session() {
	rm -rf "$T/trace"
	utctl create -o "$T/trace" "$@" s >/dev/null &&
	    utctl enable-channel -k cycles c &&
	    utctl enable-event -c c 'clocks:*' >/dev/null &&
	    utctl start >/dev/null || fail "no session"
	background "$T/clocks" 1000
	CLOCKS=$LAST
	record_more
}

# Some hundred events have come.
recorded_more() {
	counts s
	[ "$events" -ge $((was + 300)) ]
}

record_more() {
	counts s
	was=$events
	until_ok recorded_more || fail "$what: no events"
}

does() {
	"$T/counter-does" "$@" || fail "counter $*"
}

warned() {
	utctl list s | grep -q -e "warning: the cycle counter $1"
}

# Parted by so many ms, of which the counter's own error is little.
warned_of() {
	utctl list s | sed -n 's/.* parted from CLOCK_MONOTONIC by \([0-9.]*\)/\1/p' |
	    awk -v ms="${1#-}" '$1 > ms - 1 && $1 < ms + 1 { ok = 1 }
	    END { exit !ok }'
}

warnings() {
	[ "$(utctl list s | grep -c 'warning: the cycle counter parted')" -ge \
	    "$1" ]
}

chunks() {
	[ "$(ls "$T/trace/archives" 2>/dev/null | wc -l)" -ge "$1" ]
}

end_session() {
	record_more
	utctl list s | sed -n 's/.*warning: .* after \([0-9:.]*\).*/\1/p' |
	    head -n 1 >"$T/after"
	expect 0 "stopped: [0-9]* events, 0 lost, " utctl stop
	kill -9 "$CLOCKS"
	expect 0 '' utctl destroy
}

# Of all events below a directory: when they say they were, in ns after
# midnight, and how far off the time is that they have.
offs() {
	TZ=UTC0 utctl view "$1" 2>"$T/view.err" | awk '
	/clocks:now/ {
		split($2, t, /[:.]/)
		ns = ((t[1] * 60 + t[2]) * 60 + t[3]) * 1e9 + t[4]
		match($0, /ns = [0-9]+/)
		at = substr($0, RSTART + 5, RLENGTH - 5)
		at = substr(at, 1, length(at) - 9) % 86400 * 1e9 + \
		    substr(at, length(at) - 8)
		printf "%.0f %.0f\n", at, ns - at
	}'
	[ ! -s "$T/view.err" ] || fail "view $1: $(head -3 "$T/view.err")"
}

# dated DIRECTORY EARLY: how many events are dated right and wrong, and how many
# of the latter are from before the last comparison that fits.  An event may be
# held up between its two times, but few are.
dated() {
	offs "$1" | awk -v after="$(cat "$T/after")" '
	BEGIN {
		split(after, t, /[:.]/)
		from = ((t[1] * 60 + t[2]) * 60 + t[3]) * 1e9 + t[4] * 1000
	}
	$2 < -100000 || $2 > 1000000 { wrong++; if ($1 < from) before++; next }
	{ right++ }
	END { print right + 0, wrong + 0, before + 0 }'
}

# Of the chunks, the first is wrong at its end, the last is not.
parts() {
	set -- "$T"/trace/archives/*-1 "$T"/trace/archives/*-"$1"
	[ -d "$1" ] && [ -d "$2" ] || fail "no chunks: $(ls -R "$T/trace")"
	read -r right wrong before <<-END
	$(dated "$1")
	END
	[ "$right" -gt 50 ] && [ "$before" -le $((right / 10)) ] ||
	    fail "$what: the first: $right right, $wrong wrong, $before early"
	read -r right wrong before <<-END
	$(dated "$2")
	END
	[ "$right" -gt 50 ] && [ "$wrong" -le $((right / 10)) ] ||
	    fail "$what: the last: $right right, $wrong wrong"
	[ "$(cat $(find "$1" -name metadata) | grep -c 'precision')" -eq 1 ] ||
	    fail "no precision"
	if command -v babeltrace2 >/dev/null 2>&1; then
		babeltrace2 "$T/trace" >"$T/bt2.out" 2>"$T/bt2.err" &&
		    [ ! -s "$T/bt2.err" ] ||
		    fail "$what: babeltrace2: $(head -3 "$T/bt2.err")"
	fi
}

compared() {
	utctl list s | grep -q 'clock cycles (off by [0-9]* us at most)'
}

# What stays on its line is in one chunk, and nobody warns.
start_utd
what="nothing"
begin_session
until_ok compared || fail "no comparison: $(utctl list s)"
end_session
[ ! -d "$T/trace/archives" ] && [ ! -s "$T/after" ] ||
    fail "parted for nothing: $(cat "$T/utd.log")"
[ "$(dated "$T/trace" | awk '{ print ($1 > 50 && $2 <= $1 / 10) }')" = 1 ] ||
    fail "dated wrong for nothing: $(dated "$T/trace")"

# It jumps: the machine has slept, or is another one.
for ms in 3600000 -3600000 500 -500 20; do
	what="jump of $ms ms"
	begin_session
	does jump "$ms"
	until_ok warned_of "$ms" ||
	    fail "$what: $(utctl list s)"
	until_ok chunks 1 || fail "$what: no chunk"
	end_session
	parts 2
done

# It goes on at another rate.
what="another rate"
begin_session
does rate 2500
until_ok warned 'parted from CLOCK_MONOTONIC by .* ms after' ||
    fail "$what: $(utctl list s)"
until_ok chunks 1 || fail "$what: no chunk"
record_more		# until the new rate is known
record_more
record_more
record_more
end_session
parts 2

# It stands still: there is no line until it goes on.
what="standstill"
begin_session
does rate 0
until_ok warnings 2 || fail "$what: $(utctl list s)"
n=$(ls "$T/trace/archives" | wc -l)
[ "$n" -eq 1 ] || fail "$what: $n chunks"
does rate 3000
until_ok chunks 2 || fail "$what: no chunk"
end_session
parts 3

# It jumps before the session stops: a chunk begins with the next start.
what="jump and stop"
begin_session
record_more
does jump 700
expect 0 "stopped: " utctl stop
until_ok warned_of 700 ||
    fail "$what: $(utctl list s)"
chunks 1 && fail "$what: a chunk for nothing"
expect 0 '' utctl start
until_ok chunks 1 || fail "$what: no chunk"
end_session
parts 2

# It jumps while there is no utd.
what="jump without utd"
begin_session
kill_utd 1
does jump -700
start_utd
until_ok warned_of 700 ||
    fail "$what: $(utctl list s)"
until_ok chunks 1 || fail "$what: no chunk"
end_session
parts 2

# In a flight recorder, what is recorded later is right.
what="flight recorder"
rm -rf "$T/trace"
begin_session -S
does jump 900
until_ok warned 'parted .*: events before that are dated wrong' ||
    fail "$what: $(utctl list s)"
utctl list s | sed -n 's/.*warning: .* after \([0-9:.]*\).*/\1/p' >"$T/after"
record_more
expect 0 '' utctl snapshot
kill -9 "$CLOCKS"
expect 0 '' utctl destroy
offs "$T/trace" | tail -n 50 >"$T/got"
awk '$2 < -100000 || $2 > 1000000 { n++ } END { exit !(n < 10) }' "$T/got" ||
    fail "$what: $(cat "$T/got")"

# It differs between processors, and utd is on one or the other.
what="processors"
hop() {
	hops=$((${hops:-0} + 1))
	taskset -p -c $((hops % 2)) "$UTD_PID" >/dev/null
	warned 'is no clock here'
}
if command -v taskset >/dev/null 2>&1 && taskset -c 0 true 2>/dev/null &&
    taskset -c 1 true 2>/dev/null; then
	begin_session
	does skew 50
	until_ok hop || fail "$what: $(utctl list s)"
	n=$(ls "$T/trace/archives" | wc -l)
	[ "$n" -le 6 ] || fail "$what: $n chunks"
	end_session
fi
stop_utd || fail "utd: status $?"
