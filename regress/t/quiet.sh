# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that does nothing makes no system call: without a utd, with one,
# and while it is traced.  For UT_IDLE_SECONDS, 3 if not set.

. ./common.sh

need strace
seconds=${UT_IDLE_SECONDS:-3}

# What strace writes after the first second, in which it interrupts the calls
# that the threads are in.
quiet() {
	strace -f -p $PULSE -o "$T/strace" 2>"$T/strace.err" &
	tracer=$!
	CHILDREN="$CHILDREN $tracer"
	until_ok grep attached "$T/strace.err" ||
	    skip "strace: $(cat "$T/strace.err")"
	sleep 1
	cp "$T/strace" "$T/before"
	sleep "$seconds"
	# Before strace ends, for it writes where it lets go.
	cp "$T/strace" "$T/after"
	kill $tracer
	wait $tracer 2>/dev/null
	cmp -s "$T/before" "$T/after" ||
	    fail "$1: $(diff "$T/before" "$T/after")"
}

pulse_start
pulse hit 1
threads 2 "no utd"
sleep 0.5
quiet "no utd"
start_utd
until_ok sh -c "utctl events | grep -q 'pid $PULSE,'" || fail "not found"
sleep 0.5
quiet "an idle utd"
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'pulse:a' &&
    utctl start || fail "set-up"
pulse hit 10
sleep 1.5
quiet "traced"

# The same for one that was there from the start.
exec 3>&- 4<&-
wait $PULSE
pulse_start
pulse hit 10
sleep 1.5
quiet "traced from the start"
