# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A day that is not waited for, in which a consumer looks at the clocks once a
# second: the counter is slewed by up to 500 ppm, on and off, the machine sleeps
# for an hour, and its clock is set back and forward.  Each event is dated within
# 10 us, or is off by no more than what stat says; and only those that are within
# a few seconds of a change are.

. ./common.sh

BOOT=5000000000000 DATE=1700000000000000000
LINE=1700004476423034392	# of a counter that is 2^40 at BOOT, with 2.1 GHz
SET=-2000000000 AGAIN=750000000

awk -v seed="${DAY_SEED:-1}" '
BEGIN {
	srand(seed)
	print "watch"
	for (s = 0; s < 86400; s++) {
		if (s == next_slew) {
			ppm = rand() < 0.5 ? 0 : int(rand() * 1001) - 500
			printf "run %d 1\n", ns = int(rand() * 1000) * 1000000
			printf "hz %.0f\n", 2.1e9 * (1 + ppm / 1e6)
			printf "run %.0f 1\n", 1e9 - ns
			next_slew += 60 + int(rand() * 3000)
			changes++
			continue
		}
		if (s == 70000)
			print "sleep 3600000000000"
		if (s == 20000)
			print "set '$SET'"
		if (s == 50000)
			print "set '$AGAIN'"
		print "run 1000000000 1"
	}
	print changes >"/dev/stderr"
}' >"$T/lines" 2>"$T/changes" || fail "awk"
changes=$(cat "$T/changes")
[ "$changes" -gt 20 ] || fail "$changes changes"

# day CLOCK FREQ LINE
day() {
	mkdir "$T/$1" && {
		echo "env h day 20260101-000000"
		echo "clock $1 $2 $3"
		echo "start $BOOT $BOOT 1099511627776 2100000000 $DATE" \
		    $((DATE + SET + AGAIN))
		cat "$T/lines"
	} | ./prog/dated "$T/$1" || fail "$1: dated"
	told=$(utctl stat -j "$T/$1" 2>/dev/null |
	    sed -n 's/.*"error_ns":\([0-9]*\)}.*/\1/p')
	utctl view -j "$T/$1" >"$T/view" 2>"$T/err" || fail "$(cat "$T/err")"
	! grep 'time runs backwards' "$T/err" || fail "$1: $(cat "$T/err")"
	grep -q 'clock was set 2 times, by -1.250000 s' "$T/err" ||
	    fail "$1: $(cat "$T/err")"
	awk -F'"' -v changes="$changes" -v told="${told:-0}" '
	{
		d = (substr($4, 1, 8) - substr($(NF - 1), 1, 8)) * 1e11 + \
		    substr($4, 9) - substr($(NF - 1), 9)
		if (d < 0) d = -d
		if (d > most) most = d
		if (d > 10000) far++
	}
	END {
		printf "%d events, %d off by more than 10 us, %.0f ns at most; " \
		    "stat says %.0f\n", NR, far, most, told
		exit !(NR == 86400 + changes && most <= told + 2 &&
		    far <= 3 * changes)
	}' "$T/view" >"$T/off" || fail "$1: $(cat "$T/off")"
	echo "$1: $(cat "$T/off"), $(($(wc -c <"$T/$1/clock") / 132)) points"
}

day cycles 2100000000 $LINE
day monotonic 1000000000 $DATE
