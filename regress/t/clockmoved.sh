# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the clocks do is in the file "clock" of a trace within a second or two:
# a counter that goes at another rate, a clock that is set, a machine that
# sleeps.  A consumer that sleeps wakes for it now and then, and only then.
# The counter is prog/counter.h, the clocks are prog/setclock.c.

. ./common.sh

case "$(uname) $CFLAGS" in
*-DUT_POSIX*)	skip "plain POSIX has no counter" ;;
Linux*)	;;
*)	skip "only Linux has a file for the clock" ;;
esac
need od
not_cross
not_sanitized
mkdir "$T/src" && cp -rp "$TOP/Makefile" "$TOP/libut" "$TOP/utd" "$T/src" &&
    cp prog/counter.h "$T/src/libut" || exit 1
$CC -std=c11 -D_GNU_SOURCE $CFLAGS "-DCLOCKS=\"$T/clocks\"" -c \
    -o "$T/setclock.o" prog/setclock.c || fail "cannot build setclock"
# build_utd SECONDS: one whose consumers write points that often.
build_utd() {
	(cd "$T/src" && rm -f libut/libut.* utd/utd libut/common/compat.o \
	    $(objects_with -e 'ut_cycles()' -e ut_read_clock \
	    -e UT_HAVE_CYCLES -e POINTS_EVERY) &&
	    unset MAKEFLAGS MFLAGS MAKELEVEL && ${MAKE:-make} CC="$CC" \
	    CFLAGS="$CFLAGS" \
	    LDFLAGS="-Wl,--wrap=ut_clock_gettime $T/setclock.o" \
	    CPPFLAGS="-DUT_CYCLES_H='\"counter.h\"' \
	    -DCOUNTER='\"$T/counter\"' -DUT_CLOCKSOURCE='\"$T/source\"' \
	    -DPOINTS_EVERY=${1}000000000" utd/utd) \
	    >"$T/make.log" 2>&1 || fail "cannot build: $(tail -3 "$T/make.log")"
}
$CC -std=c11 -D_GNU_SOURCE $CFLAGS "-DCOUNTER=\"$T/counter\"" \
    -o "$T/counter-does" prog/counter.c || fail "cannot build counter"
echo tsc >"$T/source"
PATH=$T/src/utd:$PATH

# The clocks are ahead by so many seconds: CLOCK_REALTIME, CLOCK_BOOTTIME.
set_clocks() {
	printf '%-31d %-31d' "$1" "$2" |
	    dd of="$T/clocks" conv=notrunc 2>/dev/null
}

# The n-th number of 64 bits in all packets, less what the column m has.
low=$(printf '\001\000' | od -An -t u2 | awk '{ print $1 == 1 ? 0 : 1 }')
column() {
	od -An -v -t u4 "$dir/clock" | awk -v low="$low" -v a="$1" -v b="$2" '
	{ for (i = 1; i <= NF; i++) v[n++] = $i }
	function u64(at) {
		return v[at + low] + v[at + 1 - low] * 4294967296
	}
	END {
		for (p = 0; p + 33 <= n; p += 33)
			printf "%.0f\n", u64(p + a) - u64(p + b)
	}'
}
TIME=8 CYCLES=18 BOOT=20 REAL=22

# Has the difference of two columns grown by so many seconds?
grown() {
	column "$1" "$2" | awk -v s="$3" '
	NR == 1 { first = $1 }
	END {
		d = ($1 - first) / 1e9 - s
		exit !(NR > 1 && d > -0.01 && d < 0.01)
	}'
}

has_points() {
	[ "$(wc -c <"$(echo "$T"/s/ust/uid/*/*-bit)/clock")" -ge $(($1 * 132)) ]
}

# A new consumer has no points yet: it writes the second one a second after the
# first, and then none is due for nine seconds.
begin_session() {
	start_utd
	rm -rf "$T/s"
	utctl create -o "$T/s" s >/dev/null && utctl enable-channel c &&
	    utctl enable-event -c c 'clocks:*' && utctl start || fail "set-up"
	until_ok has_points "$1" || fail "no points"
	dir=$(echo "$T"/s/ust/uid/*/*-bit)
}

end_session() {
	expect 0 '' utctl stop
	expect 0 '' utctl destroy
	stop_utd || fail "utd: status $?"
	if command -v babeltrace2 >/dev/null 2>&1; then
		babeltrace2 "$T/s" >/dev/null 2>"$T/bt2.err" ||
		    fail "babeltrace2: $(head -5 "$T/bt2.err")"
		[ ! -s "$T/bt2.err" ] || fail "bt2: $(head -5 "$T/bt2.err")"
	fi
}

# Was a point written before it was due?  It is due after ten times the time
# between the two points before it, and at most 60 seconds.
early() {
	column $TIME 0 | awk '
	NR > 2 {
		due = 10 * (last - before)
		if ($1 - last < 0.9 * (due > 60e9 ? 60e9 : due))
			early = 1
	}
	{ before = last; last = $1 }
	END { exit !early }'
}

# retry WHAT: only points that were due anyway tell of this change.  A consumer
# that others keep from running may be that late, but not three times.
retry() {
	! early || return 1
	echo "$1: no point but those that were due:" $(column $TIME 0)
	end_session
	[ "$try" -lt 3 ] || fail "$1: not noticed"
}

# moved A B SECONDS REAL BOOT: the difference of the columns A and B grows by so
# much when the clocks are set so.
real=0 boot=0
moved() {
	for try in 1 2 3; do
		set_clocks "$real" "$boot"
		begin_session 2
		set_clocks "$4" "$5"
		until_ok grown "$1" "$2" "$3" ||
		    fail "$*: $(column $TIME 0) $(column "$1" "$2")"
		retry "$*" || break
	done
	real=$4 boot=$5
	end_session
}

set_clocks 0 0 2>/dev/null || printf '%-31d %-31d' 0 0 >"$T/clocks"
[ "$(wc -c <"$T/clocks")" -eq 63 ] || fail "clocks"
printf ' ' >>"$T/clocks"
build_utd 60
background ./prog/clocks 10000
moved $REAL $BOOT 1000 1000 0
moved $REAL $BOOT -1500 -500 0
moved $BOOT $TIME 3600 -500 3600

# A slew: of all that comes, the last two points have the new rate.
rate() {
	column $CYCLES 0 | tail -n 2 >"$T/cycles"
	column $BOOT 0 | tail -n 2 | paste "$T/cycles" - | awk -v want="$1" '
	NR == 1 { cycles = $1; boot = $2 }
	END {
		ppm = (($1 - cycles) / ($2 - boot) / 3 - 1) * 1e6
		exit !(ppm > want - 3 && ppm < want + 3)
	}'
}
for try in 1 2 3; do
	"$T/counter-does" rate 3000 || fail "counter"
	begin_session 2
	rate 0 || fail "rate: $(column $CYCLES 0) $(column $BOOT 0)"
	n=$(column $TIME 0 | wc -l)
	"$T/counter-does" rate 3001 || fail "counter"
	began=$(date +%s)
	until_ok rate 333 ||
	    fail "slewed: $(column $CYCLES 0) $(column $BOOT 0)"
	retry slew || break
done
took=$(($(date +%s) - began))
n=$(($(column $TIME 0 | wc -l) - n))
echo "slew: $n points in $took s"
[ "$n" -le $((4 + took)) ] || fail "$n points"
end_session
kill -9 "$LAST"

# A consumer that has nothing to do wakes each 4 seconds, not 60, and writes.
[ -r /proc/self/status ] || exit 0
build_utd 4
start_utd
rm -rf "$T/s"
utctl create -o "$T/s" s >/dev/null && utctl enable-channel c &&
    utctl enable-event -c c 'pulse:a' && utctl start || fail "set-up"
pulse_start
until_ok pulse_on a--- || fail "not on"
pulse hit 1
until_ok has_points 5 || fail "idle: no points: $(ls -l "$T"/s/ust/uid/*/*)"
dir=$(echo "$T"/s/ust/uid/*/*-bit)
switches() {
	cat /proc/$(consumers)/status |
	    sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p'
}
n=$(switches)
points=$(column $TIME 0 | wc -l)
until_ok has_points $((points + 2)) || fail "no more points"
n=$(($(switches) - n))
echo "idle: 2 points, $n wakeups"
[ "$n" -le 6 ] || fail "$n wakeups for 2 points"
column $TIME 0 | tail -n 3 | awk '
NR > 1 && ($1 < time + 3.8e9) { bad++ }
{ time = $1 }
END { exit bad > 0 }' || fail "idle: $(column $TIME 0)"
kill -9 $PULSE
end_session
