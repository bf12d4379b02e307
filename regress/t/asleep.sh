# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Sessions that are started, and whose programs record nothing, wake nobody:
# neither utd, nor its consumer, nor the programs.  The next event does, and is
# in the file as soon as ever; so is the end of a utd that is killed.  Programs
# that cannot ring are heard all the same.  UT_ASLEEP_SECONDS=50 is the long
# form: once a minute a consumer looks at the clocks.

. ./common.sh

[ -r /proc/self/status ] || skip "no /proc/PID/status"
case $CFLAGS in
*-DUT_POSIX*)	skip "the consumer has to look each second" ;;
esac
seconds=${UT_ASLEEP_SECONDS:-6}

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
    utctl create -o "$T/modes" modes >/dev/null &&
    utctl enable-channel -m overwrite newest &&
    utctl enable-channel -m block -t forever all &&
    utctl enable-event -c newest 'pulse:*' &&
    utctl enable-event -c all 'pulse:*' && utctl start modes &&
    utctl create -S -o "$T/kept" kept >/dev/null &&
    utctl enable-event 'pulse:*' && utctl start kept &&
    utctl trigger -e 'pulse:*' -n 1000000 -a snapshot >/dev/null &&
    utctl create -N none >/dev/null && utctl enable-event 'other:a' &&
    utctl start s && utctl start late && utctl start none &&
    utctl rotate -z 64m s || fail "set-up"
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

# A thread ends: nothing is to be written, but the consumer may have a look.
pulse thread
comes $((n + 9)) "another thread"
asleep "another thread"
pulse join
asleep "a thread ended"

# Nothing is left to be done a second after a list, for which the consumer wrote.
listed() {
	utctl list s >/dev/null || fail "list"
	sleep 0.5
	switches >"$T/before"
	sleep 1.5
	switches >"$T/after"
	cmp -s "$T/before" "$T/after"
}
until_ok listed || fail "a list: $(diff "$T/before" "$T/after")"

# A program without a bell comes to a region that sleeps.  It is not to wait for
# another program to ring.
utctl enable-event -s s 'peer:number' >/dev/null || fail "enable-event"
asleep "more to come"
mkfifo "$T/hold"
./prog/peer -m -h 2 <"$T/hold" >"$T/peer" 2>&1 &
peer=$!
CHILDREN="$CHILDREN $peer"
exec 5>"$T/hold"
heard() {
	tries=0
	until [ "$(count_events "$T/trace" 'peer:number')" -eq $1 ]; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || fail "no bell, no event: $(cat "$T/peer")"
		sleep 0.1
	done
}
heard 1
grep -q '^no bell' "$T/peer" || fail "a bell: $(cat "$T/peer")"
exec 5>&-
wait $peer || fail "peer: $?"
heard 2

readers_agree "$T/trace"
theirs=$(consumers)
kill_utd 0
sleep 2
for p in $theirs; do
	gone "$p" || fail "the consumer is still there"
done
expect 0 "$((n + 11)) events, 0 lost" utctl recover
exec 3>&- 4<&-
wait $PULSE

# The bell is removed behind utd's back, as some systems do when a user logs
# out.  The next consumer makes another, which the program does not know.
start_utd
utctl create -o "$T/bell" bell >/dev/null && utctl enable-event 'pulse:a' &&
    utctl start || fail "set-up of bell"
pulse_start
until_ok pulse_on a--- || fail "not on: $answer"
bells=
for f in $(ls -l /proc/$(consumers)/fd |
    sed -n 's|.*-> \(/dev/shm/ut-[0-9a-z-]*\)$|\1|p'); do
	[ "$(wc -c <"$f")" -ne 4 ] || bells="$bells $f"
done
[ -n "$bells" ] || fail "no bell"
rm -f $bells
kill_consumers
until_ok sh -c "utctl list bell | grep -q 'took over'" ||
    fail "no other consumer"
sleep 8
pulse hit 1
tries=0
until [ "$(count_events "$T/bell" 'pulse:a')" -eq 1 ]; do
	tries=$((tries + 1))
	[ $tries -lt 50 ] || fail "nobody hears that bell"
	sleep 0.1
done
stop_utd || fail "utd: status $?"
