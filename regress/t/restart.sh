# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd ends and comes again, or is killed with all it has, while a program
# lives: the program is never harmed, is found again and traced.  A session
# that did not end goes on.

. ./common.sh

session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-event 'pulse:a' &&
	    utctl start || fail "set-up of $1"
}

listed() {
	member "$1" programs pulse pid | grep -q -x $PULSE
}

start_utd
pulse_start
session one
pulse_on a--- || fail "one: $answer"
pulse hit 10
stop_utd || fail "utd: status $?"
pulse hit 10		# into buffers that nobody empties any more
until_ok pulse_on ---- || fail "on without a utd: $answer"
[ "$(count_events "$T/one" pulse:a)" -eq 10 ] || fail "one: not 10 events"

start_utd
session two
until_ok listed two || fail "not found again"
until_ok pulse_on a--- || fail "two: $answer"
pulse hit 20
expect 0 'two stopped: 20 events, 0 lost' utctl stop
expect 0 '' utctl start
pulse hit 5

# Killed, with its consumers.
for p in $UTD_PID $(consumers); do
	kill -9 "$p"
done
wait $UTD_PID 2>/dev/null
UTD_PID=
pulse hit 7			# into buffers that are emptied later
pulse_on a--- || fail "off with a dead utd: $answer"
gone $PULSE && fail "the program is gone"

start_utd
until_ok listed two || fail "not found by the next utd"
expect 0 'warning: utd was killed, and another took over' utctl list two
pulse hit 3
expect 0 'two stopped: [0-9]* events, 0 lost' utctl stop
[ "$(count_events "$T/two" pulse:a)" -eq 35 ] ||
    fail "two: $(count_events "$T/two" pulse:a) events, not 35"
readers_agree "$T/two"
until_ok pulse_on ---- || fail "on in a stopped session: $answer"
session three
until_ok listed three || fail "not found a third time"
until_ok pulse_on a--- || fail "three: $answer"
pulse hit 30
expect 0 'three destroyed: 30 events, 0 lost' utctl destroy
readers_agree "$T/three"
expect 0 'two destroyed' utctl destroy two

# Many times in a row: what the program has open stays the same.
fds() {
	ls "/proc/$PULSE/fd" 2>/dev/null | wc -l
}
before=$(fds)
for i in 4 5 6; do
	session "n$i"
	until_ok pulse_on a--- || fail "n$i: $answer"
	stop_utd || fail "utd: status $?"
	until_ok pulse_on ---- || fail "n$i: $answer"
	start_utd
	until_ok sh -c "utctl events | grep -q pid.$PULSE" || fail "n$i: lost"
done
[ "$(fds)" -le $((before + 1)) ] || fail "$before descriptors, then $(fds)"
stop_utd || fail "utd: status $?"
