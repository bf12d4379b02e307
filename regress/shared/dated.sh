# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The dates of events: by the line of the metadata, or by the points of the
# trace, which tell what the clocks said now and then.  prog/dated.c makes up
# clocks, and each event says its true date.

. ./common.sh

BOOT=5000000000000 DATE=1700000000000000000
END=1700005000000000000		# the date of BOOT

# trace NAME CLOCK FREQ LINE [FINAL [HOST]]: a trace by the lines of the standard
# input; the metadata's line is LINE at 0.  The counter begins with 2^40.
trace() {
	mkdir -p "$T/$1" || exit 1
	{
		echo "env ${6:-h} s 20260101-000000"
		echo "clock $2 $3 $4"
		echo "start $BOOT $BOOT 1099511627776 2100000000 $DATE" \
		    "${5:-$DATE}"
		cat
	} | ./prog/dated "$T/$1" || fail "$1: dated"
}

# The date at 0 of a counter that is 2^40 at BOOT, with 2.1 GHz.
LINE=1700004476423034392
SLEWED=1700004476475386854	# of 2.10021 GHz

# dated WITHIN EVENTS DIR...: the dates are true, but for so many ns, and the
# events come in their true order.  Prints how far off the worst one is.
dated() {
	within=$1 events=$2
	shift 2
	(cd "$T" && utctl view -j "$@") >"$T/view" 2>"$T/err" ||
	    fail "$*: $(cat "$T/err")"
	! grep 'time runs backwards' "$T/err" || fail "$*: backwards"
	awk -F'"' -v within="$within" -v events="$events" '
	function apart(a, b) {
		return (substr(a, 1, 8) - substr(b, 1, 8)) * 1e11 + \
		    substr(a, 9) - substr(b, 9)
	}
	{
		d = apart($4, $(NF - 1))
		if (d < 0) d = -d
		if (d > most) most = d
		if (was != "" && apart($(NF - 1), was) < -2 * within) {
			print "order: line " NR
			exit 1
		}
		was = $(NF - 1)
	}
	END {
		printf "%.0f ns off, %d events\n", most, NR
		exit !(most <= within && NR == events)
	}' "$T/view" >"$T/off" || fail "$*: $(cat "$T/off")"
}

# told NAME: by how many ns it may be off, as stat says, rounded up.
told() {
	utctl stat -j "$T/$1" 2>/dev/null |
	    sed -n 's/.*"error_ns":\([0-9]*\)}.*/\1 + 2/p'
}

minutes() {
	i=0
	while [ $((i += 1)) -le "$1" ]; do
		echo "run 60000000000 7"
		echo point
	done
}

# slewed: the trace of that name.  The metadata know the frequency badly, by 100
# ppm: the counter is slewed by 500 ppm, up and down, at the points.
slewed() {
	{
		echo point
		for hz in 2101050000 2098950000 2100000000 2101050000 \
		    2098950000; do
			echo "hz $hz"
			minutes 12
		done
	} | trace slewed cycles 2100210000 $SLEWED
}
