# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Consumers are killed, alone or with utd, while a session is destroyed and
# while utd ends: what was recorded is read back, by another consumer or by
# utctl recover, and nothing stays in memory.  KILLS is how many of each.

. ./common.sh
KILLS=${KILLS:-3}

in_memory() {
	ls /dev/shm 2>/dev/null | grep '^ut-'
}
in_memory >"$T/before"

# A session with some MB in its buffers, which nobody has written.
HITS=300000
begin() {
	rm -rf "$T/s"
	start_utd
	utctl create -o "$T/s" s >/dev/null &&
	    utctl enable-channel -n 1024 uid &&
	    utctl enable-channel -p -n 1024 pid &&
	    utctl enable-event -c uid 'pulse:a' >/dev/null &&
	    utctl enable-event -c pid 'pulse:a' >/dev/null &&
	    utctl start >/dev/null || fail "set-up"
	pulse_start
	until_ok pulse_on a--- || fail "$answer"
	halt $(consumers)
	pulse hit $HITS
}

# All is there twice, as there are two channels.
end() {
	exec 3>&- 4<&-
	wait $PULSE
	stop_utd
	[ ! -e "$T/run/state" ] || utctl recover >"$T/out" 2>"$T/err" ||
	    fail "$1: recover: $(cat "$T/out" "$T/err")"
	utctl view -q "$T/s" >"$T/out" 2>"$T/err" ||
	    fail "$1: view: $(head -3 "$T/err")"
	[ ! -s "$T/err" ] || fail "$1: view: $(head -3 "$T/err")"
	read -r got rest <"$T/out"
	[ "$got" -eq $((2 * HITS)) ] || fail "$1: $got events of $HITS twice"
	in_memory >"$T/after"
	cmp -s "$T/before" "$T/after" ||
	    fail "$1: left in memory: $(diff "$T/before" "$T/after")"
	all=$((all + got)) kills=$((kills + 1))
	echo "$1: fine"
}

destroy() {
	utctl destroy s >"$T/destroyed" 2>&1 &
	destroy=$!
}

destroyed() {
	wait $destroy && grep -q ', 0 lost' "$T/destroyed" ||
	    fail "destroy: $(cat "$T/destroyed")"
}

all=0 kills=0 i=0
while [ $i -lt $KILLS ]; do
	begin
	destroy
	sleep 0.1
	kill_consumers
	destroyed
	end "consumer, destroy"

	begin
	kill -CONT $(consumers)
	destroy
	nap 60
	kill_consumers
	destroyed
	end "consumer, some time of destroy"

	begin
	destroy
	sleep 0.1
	kill_utd 1
	wait $destroy
	end "both, destroy"

	begin
	kill -CONT $(consumers)
	destroy
	nap 60
	kill_utd $((i % 3))
	wait $destroy
	end "both, some time of destroy"

	# It finds out that it is to end when it has no consumer.
	begin
	halt $UTD_PID
	kill $UTD_PID
	kill_consumers
	kill -CONT $UTD_PID
	end "consumer, end of utd"

	# Or has one, for some time.
	begin
	kill -CONT $(consumers)
	kill $UTD_PID
	nap 40
	kill_consumers
	end "consumer, some time of the end of utd"
	i=$((i + 1))
done
survived $kills "utds and consumers killed at the end" $all $all
