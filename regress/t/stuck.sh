# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer that nobody can kill, as if it slept in a file system that does
# not answer: commands about its sessions are answered in time, nobody else
# waits, utd ends and says what is not written, and nothing is lost.

. ./inside.sh
. ./common.sh

# Whatever hangs is killed, and is a failure: no command takes that long.
SOON="timeout 30"
need timeout

# Root's utd has users: one whose consumer it is, and others.
me= uid=$(id -u) home=$T
if [ "$uid" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	uid=65534 me="./prog/asuser 65534" home=$T/home
	chmod 711 "$T" && mkdir "$home" && chown $uid "$home" || exit 1
fi

begin() {
	rm -rf "$home/s"
	start_utd
	[ -z "$me" ] || chmod 755 "$UT_RUNDIR" || exit 1
	expect 0 '' $me utctl create -o "$home/s" s
	expect 0 '' $me utctl enable-event 'seq:*'
	expect 0 '' $me utctl start
	seq 1
	expect 0 ' 1000 events, 0 lost' $me utctl list s
	consumer=$(consumers)
}

seq() {
	$me ./prog/seq "$1" 1 1000 || fail "seq: $?"
}

# The sessions of other users, for whom there is nothing to wait for.
others=0
others_go_on() {
	[ -n "$me" ] || return 0
	others=$((others + 1))
	for other in 65533 -; do
		d=$T/$other$others
		mkdir "$d" || exit 1
		[ $other = - ] || chown $other "$d" || exit 1
		set -- timeout 5 ./prog/asuser $other
		for c in "create -o $d/o o" 'enable-event -s o other:*' \
		    'start o' 'list o' 'stop o' 'start o'; do
			expect 0 '' "$@" utctl $c
		done
		UT_REGISTER_TIMEOUT=-1 "$@" ./prog/seq 2 1 100 ||
		    fail "another's program: $?"
		expect 0 'destroyed' "$@" utctl destroy o
	done
	expect 0 '' $SOON utctl list
}

# unkillable [-e]: the consumer.
unkillable() {
	hold ./prog/unreaped "$@" "$consumer" 2>"$T/unreaped"
	[ "$said" = seized ] || fail "unreaped: $(cat "$T/unreaped")"
	kill -9 "$consumer" || fail "kill"
}

# What is left when utd has ended without the consumer.
ends_without() {	# what uid
	kill "$UTD_PID"
	n=0
	until gone "$UTD_PID"; do
		n=$((n + 1))
		[ $n -lt 300 ] || fail "$1: utd does not end"
		sleep 0.1
	done
	wait "$UTD_PID"
	[ $? -eq 1 ] || fail "$1: utd says that all is written"
	UTD_PID=
	grep -q "session s: the buffers of uid $2 are not all written: see utctl recover" \
	    "$T/utd.log" || fail "$1: $(cat "$T/utd.log")"
}

./prog/unreaped $$ </dev/null >"$T/out" 2>"$T/err" ||
    skip "$(cat "$T/err")"

# One that has ended, but that utd cannot wait for.
begin
unkillable
until_ok grep -q "consumer $consumer of uid $uid ended" "$T/utd.log" ||
    fail "utd does not know: $(cat "$T/utd.log")"
expect 0 '' $SOON $me utctl list s
others_go_on
! grep -q "takes over" "$T/utd.log" || fail "two consumers at once"
release
until_ok grep -q "takes over" "$T/utd.log" ||
    fail "nobody takes over: $(cat "$T/utd.log")"
seq 2
expect 0 ' 2000 events, 0 lost' $SOON $me utctl stop
expect 0 ' 2000 events, 0 lost' $SOON $me utctl destroy
stop_utd || fail "utd: $? $(cat "$T/utd.log")"
echo "ended: fine"

# One that does not even close its descriptors.  Nobody is there to write.
begin
unkillable -e
seq 2
expect 1 "stopped: the consumer of uid $uid does not answer" $SOON \
    utctl stop s
grep -q "consumer $consumer of uid $uid does not answer" "$T/utd.log" ||
    fail "no word of it: $(cat "$T/utd.log")"
# From now on nobody waits.
expect 1 "not destroyed: the consumer of uid $uid does not answer" \
    timeout 5 $me utctl destroy s
expect 1 "$home/t: the consumer of uid $uid does not answer" \
    timeout 5 $me utctl create -o "$home/t" t
expect 0 "warning: the consumer of uid $uid does not answer" timeout 5 \
    utctl list s
expect 0 'error: a consumer does not answer: the numbers are old' timeout 5 \
    utctl list s
others_go_on
ends_without "does not answer" "$uid"

# The next utd has a consumer that waits for its turn.
start_utd
until_ok sh -c "utctl list s | grep -q 'uid $uid'" || fail "no session"
release
expect 0 ' 2000 events, 0 lost' $SOON $me utctl destroy s
stop_utd || fail "the next utd: $? $(cat "$T/utd.log")"
readers_agree "$home/s"
[ "$(count_events "$home/s" seq:tick)" -eq 2000 ] || fail "not 2000 events"
echo "does not answer: fine"

# One that ends when utd ends, but not in time.
begin
halt "$consumer"
seq 2
hold ./prog/unreaped -e "$consumer"
kill -9 "$consumer"
kill -CONT "$consumer"
ends_without "end" "$uid"
release
expect 0 ' 2000 events, 0 lost' $SOON utctl recover
readers_agree "$home/s"
[ -z "${UT_TEST_INSIDE-}" ] || [ -z "$(ls /dev/shm)" ] ||
    fail "left in memory: $(ls /dev/shm)"
echo "end: fine"
