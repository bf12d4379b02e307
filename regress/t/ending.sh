# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Consumers are killed, alone or with utd, while a session is destroyed and
# while utd ends: what was recorded is read back, by another consumer or by
# utctl recover, and nothing stays in memory.  KILLS is how many of each.

. ./inside.sh
. ./common.sh
KILLS=${KILLS:-3}

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
	[ -z "${UT_TEST_INSIDE-}" ] || [ -z "$(ls /dev/shm)" ] ||
	    fail "$1: left in memory: $(ls /dev/shm)"
	[ ! -e "$T/run/state" ] || fail "$1: left: $(ls "$T/run")"
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

	# The consumer of the next utd has yet to take its turn.
	begin
	was=$(consumers)
	kill_utd 0
	start_utd
	stop_utd && fail "utd says that all is written"
	kill -9 $was
	end "end of the next utd"

	# Nobody is killed, whatever it is in the middle of.
	begin
	kill -CONT $(consumers)
	nap 20
	stop_utd || fail "end of utd: status $?: $(cat "$T/utd.log")"
	end "end of utd"

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

# The consumer is killed just before a name in shared memory is gone, and just
# behind that.
for when in enter exit; do
	begin
	if command -v strace >/dev/null 2>&1; then
		was=$(consumers)
		strace -qq -e trace=unlink,unlinkat \
		    -e "inject=unlink,unlinkat:delay_$when=4000000" \
		    -o "$T/strace" -p "$was" 2>"$T/strace.err" &
		CHILDREN="$CHILDREN $!"
		sleep 0.3
		kill -CONT "$was"
		destroy
		sleep 1
		kill -9 "$was"
		destroyed
	fi
	end "consumer, $when of unlink"
done

# utd is slow to hear what the next consumer finds in its files, and is killed
# before it can tell what they lack: without metadata there is no data.
slow() {
	command -v strace >/dev/null 2>&1 || return 1
	strace -qq -e trace=recvmsg -e "inject=recvmsg:delay_enter=$1" \
	    -o "$T/strace" -p "$UTD_PID" 2>"$T/strace.err" &
	tracer=$!
	CHILDREN="$CHILDREN $tracer"
	sleep 0.3
	! gone $tracer
}
begin
if slow 2000000; then
	was=$(consumers)
	kill -9 $was
	until_ok sh -c "ps -A -o pid= -o ppid= | grep ' $UTD_PID\$' |
	    grep -v '^ *$was '" || fail "no other consumer"
	sleep 1.5
	kill_utd 1
	for d in "$T"/s/ust/uid/*/* "$T"/s/ust/pid/*; do
		[ -s "$d/metadata" ] || [ -z "$(find "$d" -name '*_[0-9]*' \
		    -size +0 2>/dev/null)" ] ||
		    fail "data without metadata: $(ls -l "$d")"
	done
else
	echo "cannot slow utd down: $(cat "$T/strace.err")"
fi
end "slow utd"

# And what it is asked meanwhile waits for that.
begin
if slow 100000; then
	destroy
	sleep 0.5
	kill_consumers
	destroyed
	kill $tracer
fi
end "slow utd, destroy"

recorded_of_65534() {
	[ "$(member s channels channel0 registries 65534 written)" -gt 0 ]
}

# A directory that nobody has been asked for yet is the next utd's to make.
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
	rm -rf "$T/s"
	start_utd
	utctl create -o "$T/s" s >/dev/null &&
	    utctl enable-event 'seq:*' >/dev/null && utctl start ||
	    fail "set-up"
	./prog/seq 1 1 10 || fail "seq"
	halt $(consumers)
	background ./prog/asuser 65534 ./prog/seq -p 1000 2 1 1000000
	until_ok sh -c 'utctl events | grep -q "^seq.*uid 65534"' ||
	    fail "no program"
	sleep 0.2
	kill_utd 1
	start_utd
	until_ok recorded_of_65534 ||
	    fail "nothing is recorded: $(utctl list s)"
	kill -9 $LAST
	expect 0 'destroyed: .*, 0 lost' utctl destroy s
	stop_utd || fail "utd: status $?"
	readers_agree "$T/s"
fi
survived $kills "utds and consumers killed at the end" $all $all
