# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# enable-channel -i: how soon a quiet thread's event is in the file.

. ./common.sh

n() {
	utctl view "$T/$1" 2>/dev/null | grep -c 'pulse:'
}
has() {
	[ "$(n "$1")" -eq "$2" ]
}

# Times that are none, and some that are.
start_utd
utctl create -o "$T/bad" bad >/dev/null || fail "create"
for t in x 1x 1.5ms 1. .5 -1 5us 1ms1 ms '' ' 1' 0x1; do
	complains "flush interval '$t': not a number, perhaps with ms, s, m or h$" \
	    utctl enable-channel -i "$t" c
done
for t in 61m 1.1h 3601 3600001ms 4294967295ms 4294968ms000; do
	complains "flush interval '$t': n" utctl enable-channel -i "$t" c
done
complains "flush interval '18446744073709551615s': not" \
    utctl enable-channel -i 18446744073709551615s c
i=0
for t in 0=0 0ms=0 1ms=1 999ms=999 1=1000 1.5=1500 2s=2000 0.5m=30000 \
    60m=3600000 1h=3600000 3600=3600000; do
	i=$((i + 1))
	utctl enable-channel -i ${t%=*} c$i || fail "-i ${t%=*}"
	member_is ${t#*=} bad channels c$i flush_ms || fail "$t: $(utctl list -j bad)"
done
utctl list bad >"$T/out" || fail "list"
for t in 'when full' 'each 1ms' 'each 999ms' 'each 2s' 'each 60m'; do
	grep -q "flushed $t$" "$T/out" || fail "no '$t': $(cat "$T/out")"
done
utctl destroy bad >/dev/null || fail "destroy"

# A session for each.
for t in 100ms 60m 0; do
	utctl create -o "$T/$t" s$t >/dev/null &&
	    utctl enable-channel -s s$t -i $t -b 4k -n 64 c &&
	    utctl enable-event -s s$t -c c 'pulse:a' && utctl start s$t ||
	    fail "set-up of $t"
done
pulse_start
until_ok pulse_on a--- || fail "$answer"
pulse hit 1
tries=0
until has 100ms 1; do
	tries=$((tries + 1))
	[ $tries -lt 20 ] || fail "100ms: $(n 100ms) events"
	sleep 0.1
done

sleep 2
has 60m 0 || fail "60m: $(n 60m) events"
has 0 0 || fail "0: $(n 0) events"

# Nor later, whatever ticks; and times stay right, whatever passes.
for i in 2 3; do
	sleep 3
	pulse hit 1
	sleep 2
	# Another event, 2^31 ns later, delivers those before it.
	[ "$(n 60m)" -lt $i ] || fail "60m: $(n 60m) events"
	[ "$(n 0)" -lt $i ] || fail "0: $(n 0) events"
	has 100ms $i || fail "100ms: $(n 100ms) events, not $i"
done

# Full sub-buffers come at once, though they are too few for a ring.
pulse hit 1500
total=1503
tries=0
until [ "$(n 60m)" -gt 1000 ] && [ "$(n 0)" -gt 1000 ]; do
	tries=$((tries + 1))
	[ $tries -lt 30 ] || fail "full: $(n 60m) and $(n 0) events"
	sleep 0.1
done
has 60m $total && fail "60m: all events"
has 0 $total && fail "0: all events"

# So comes that of a thread that ends, though nobody traces meanwhile.
pulse thread
total=$((total + 1))
sleep 8
[ "$(n 60m)" -lt $total ] || fail "60m: all events, of a thread that lives"
[ "$(n 0)" -lt $total ] || fail "0: all events, of a thread that lives"
pulse join
for t in 60m 0; do
	tries=0
	until utctl view "$T/$t" 2>/dev/null | grep -q "n = $total "; do
		tries=$((tries + 1))
		[ $tries -lt 40 ] || fail "$t: the thread's end: $(n $t)"
		sleep 0.1
	done
done

# Another utd, and its consumer, keep to it.
kill_utd 1
start_utd
until_ok pulse_on a--- || fail "$answer"
until_ok has 100ms $total || fail "100ms: $(n 100ms) events, taken up"
pulse hit 1
total=$((total + 1))
until_ok has 100ms $total || fail "100ms: $(n 100ms) events, of another utd"
sleep 2
has 60m $total && fail "60m: all events, of another utd"
has 0 $total && fail "0: all events, of another utd"

# The end of a program is a flush, and so is stop.
for t in 100ms 60m 0; do
	expect 0 "$total events, 0 lost" utctl stop s$t
	has $t $total || fail "$t: $(n $t) events, stopped"
	readers_agree "$T/$t"
	utctl start s$t || fail "start"
done
until_ok pulse_on a--- || fail "$answer"
pulse hit 1
exec 3>&- 4<&-
wait $PULSE
for t in 100ms 60m 0; do
	until_ok has $t $((total + 1)) || fail "$t: $(n $t) events, dead"
done
stop_utd || fail "utd: status $?"
