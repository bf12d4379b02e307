# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that is older than the utd: it sleeps until utd comes, without
# waking up in between, and is then traced.

. ./common.sh

# How often the threads of a process went to sleep or were put aside.
switches() {
	cat /proc/$PULSE/task/*/status | awk '/ctxt_switches/ { n += $2 }
	    END { print n }'
}

start_utd
kill -9 $UTD_PID
wait $UTD_PID 2>/dev/null
UTD_PID=
[ -p "$UT_RUNDIR/wake" ] || fail "utd has left no FIFO"

pulse_start
pulse hit 1
sleep 0.5
# A thread that has its descriptors in the program looks after them.
if [ -r /proc/$PULSE/task ] && [ $waiting_fds -eq 0 ]; then
	before=$(switches)
	sleep 1.5
	[ "$(switches)" -eq "$before" ] ||
	    fail "woke up $(($(switches) - before)) times"
fi
start_utd
until_ok sh -c "utctl events | grep -q 'pid $PULSE,'" || fail "not found"
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'pulse:a' &&
    utctl start || fail "set-up"
until_ok pulse_on a--- || fail "on: $answer"
pulse hit 10
if [ -r /proc/$PULSE/task ] && [ $waiting_fds -eq 0 ]; then
	sleep 0.5
	before=$(switches)
	sleep 1.5
	[ "$(switches)" -eq "$before" ] ||
	    fail "traced: woke up $(($(switches) - before)) times"
fi
utctl stop >/dev/null || fail "stop"
counts s
[ "$events $lost" = "10 0" ] || fail "$events events, $lost lost"
