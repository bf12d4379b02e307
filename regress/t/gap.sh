# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# An event has 32 bits of its time.  Those of a thread that pauses for longer
# are right all the same, whether anyone empties its sub-buffer meanwhile or
# not, with each clock.

. ./common.sh

# Each event twice, or three times with a cycle counter; the first after ms 0.
# The field of an event is the time just before it, on a busy machine up to 2 s
# before; a time whose upper 32 bits are wrong is 4 s away or more.
try() {
	start_utd
	utctl create -o "$T/$1" "$1" >/dev/null || fail "create"
	clocks=monotonic
	utctl enable-channel -k cycles cycles 2>/dev/null &&
	    clocks="monotonic cycles"
	utctl enable-channel monotonic || fail "channel"
	for c in $clocks; do
		utctl enable-event -c $c 'clocks:*' >/dev/null || fail "$c"
	done
	utctl start || fail "start"
	background ./prog/clocks -p 300 2200 1000 4500
	pid=$LAST
	sleep 0.2
	until_ok has_programs "$1" clocks || fail "no program"
	stopped=
	[ "$1" = drained ] || stopped=$(consumers)
	[ -z "$stopped" ] || halt $stopped
	until_ok gone "$pid"
	[ -z "$stopped" ] || kill -CONT $stopped
	utctl stop >/dev/null || fail "stop"
	readers="utctl view"
	command -v babeltrace2 >/dev/null 2>&1 &&
	    readers="$readers,babeltrace2"
	echo "$readers" | tr , '\n' | while read -r reader; do
		TZ=UTC0 $reader "$T/$1" 2>&1 | sed \
		    's/.*\(..\):\(..\):\(..\)\.\(.........\).* n = \([0-9]*\), ns = \([0-9]*\)\(.........\) .*/\1 \2 \3 \4 \5 \6 \7/' |
		    awk -v want=$((5 * $(echo $clocks | wc -w))) '
		NF != 7 { print; bad++; next }
		{
			d = ($1 * 60 + $2) * 60 + $3 - $6 % 86400 + \
			    ($4 - $7) / 1e9
			if (d < -0.001 || d > 2) { print d ": " $0; bad++ }
		}
		END { if (NR != want || bad) print NR " events, not " want }'
	done >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$1: $(cat "$T/wrong")"
	utctl destroy >/dev/null || fail "destroy"
	stop_utd || fail "utd: status $?"
}

try drained
try alone
