# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Sessions that are started, and whose programs record nothing, wake nobody:
# neither utd, nor its consumer, nor the programs.  The next event does, and is
# in the file as soon as ever; so is the end of a utd that is killed.

. ./common.sh

[ -r /proc/self/status ] || skip "no /proc/PID/status"
case $CFLAGS in
*-DUT_POSIX*)	skip "the consumer has to look each second" ;;
esac
seconds=${UT_ASLEEP_SECONDS:-20}

# How often all threads of them have gone to sleep so far.
switches() {
	for p in $UTD_PID $(consumers) $PULSE; do
		for s in /proc/$p/task/*/status; do
			sed -n "s/^[a-z]*voluntary_ctxt_switches:/$p/p" "$s"
		done
	done
}

# They do not wake for that many seconds, once that is so for two.
asleep() {
	tries=0
	until switches >"$T/before"; sleep 2; switches >"$T/after"
	    cmp -s "$T/before" "$T/after"; do
		tries=$((tries + 1))
		[ $tries -lt 15 ] ||
		    fail "$1: $(diff "$T/before" "$T/after")"
	done
	sleep "$seconds"
	switches >"$T/after"
	cmp -s "$T/before" "$T/after" ||
	    fail "$1: $(diff "$T/before" "$T/after")"
}

count() {
	count_events "$T/trace" 'pulse:a'
}
has() {
	[ "$(count)" -eq "$1" ]
}

# The file has n of these events no later than in 5 seconds, with 1 to wait.
comes() {
	tries=0
	until has "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || fail "$(count) events, not $1: $2"
		sleep 0.1
	done
}

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event -s s 'pulse:a' &&
    utctl create -o "$T/late" late >/dev/null &&
    utctl enable-channel -s late -i 0 never &&
    utctl enable-channel -s late -i 60m c &&
    utctl enable-event -s late -c never 'pulse:b' &&
    utctl enable-event -s late -c c 'pulse:c' &&
    utctl create -N none >/dev/null && utctl enable-event 'other:a' &&
    utctl start s && utctl start late && utctl start none || fail "set-up"
pulse_start
until_ok pulse_on abco || fail "not all on: $answer"
asleep "nothing recorded yet"

# First the one event of a thread, then many of one that has its own sub-buffer.
n=0
for hits in 1 1000 1; do
	pulse hit $hits
	n=$((n + hits))
	comes $n "after a sleep"
	asleep "$n events recorded"
done

# Stopped, and started again.
utctl stop s >/dev/null || fail "stop"
asleep "stopped"
utctl start s || fail "start"
pulse hit 7
comes $((n + 7)) "started again"
asleep "started again"

# The consumer is killed, and another sleeps as well.
kill_consumers
until_ok sh -c "utctl list s | grep -q 'took over'" || fail "no other consumer"
pulse hit 1
comes $((n + 8)) "another consumer"
asleep "another consumer"

readers_agree "$T/trace"
theirs=$(consumers)
kill_utd 0
sleep 2
for p in $theirs; do
	gone "$p" || fail "the consumer is still there"
done
expect 0 "$((n + 8)) events, 0 lost" utctl recover
