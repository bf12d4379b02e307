# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd cannot make a process for a while: the commands of snapshots and triggers
# are run later, each once and in turn, also if utd is killed meanwhile.  Or utd
# has no descriptor for a copy of a request: the request fails if the consumer
# is killed, and nothing else does.

. ./common.sh
need strace
strace -o "$T/calls" true 2>/dev/null || skip "strace cannot trace here"

# lacks CALLS ERROR: from now on they fail in utd, until has_all.
lacks() {
	strace -qq -e trace=$1 -e inject=$1:error=$2 -o "$T/strace" \
	    -p "$UTD_PID" 2>"$T/strace.err" &
	TRACER=$!
	CHILDREN="$CHILDREN $TRACER"
	sleep 0.5
	! gone $TRACER || fail "strace: $(cat "$T/strace.err")"
}

has_all() {
	kill $TRACER
	wait $TRACER 2>/dev/null
}

FORK=clone,clone3,fork,vfork
ran() {
	[ -f "$T/ran" ] && [ "$(wc -l <"$T/ran")" -ge "$1" ]
}

shows() {
	utctl list s >"$T/shows" && grep -q "$1" "$T/shows"
}

start_utd
utctl create -S -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 5 || fail "set-up"
lacks $FORK EAGAIN
for i in 1 2 3; do
	utctl snapshot -n shot$i -c 'echo "${1##*/}" >>'"'$T/ran'" s \
	    >/dev/null || fail "snapshot"
done
until_ok shows 'warning: command for a snapshot: .*; it is run later' ||
    fail "$(cat "$T/shows")"
! ran 1 || fail "a process was made"
has_all
until_ok ran 3 || fail "not run: $(cat "$T/ran" "$T/utd.log")"
printf 'shot1\nshot2\nshot3\n' >"$T/want"
cmp -s "$T/want" "$T/ran" || fail "run: $(cat "$T/ran")"
echo "snapshots: fine"

# A trigger has not acted when its command could not be run.
rm "$T/ran"
expect 0 '' utctl trigger -e seq:tick -n 10 -a "exec echo x >>'$T/ran'" s
background ./prog/seq -p 1000 2 1 10
lacks $FORK EAGAIN
until_ok shows 'warning: trigger 1: command: .*; it is run later' ||
    fail "$(cat "$T/shows")"
kill_utd 0
wait $TRACER 2>/dev/null
start_utd
until_ok ran 1 || fail "not run: $(utctl list s)"
until_ok shows 'acted 1 time' || fail "$(cat "$T/shows")"
sleep 1.2
[ "$(wc -l <"$T/ran")" -eq 1 ] || fail "run more than once"
echo "trigger: fine"
kill -9 $LAST 2>/dev/null

# The first chunk of a session without traces is to be moved.
utctl destroy s >/dev/null && background ./prog/seq -p 1000 3 1 9000000 &&
    utctl create -o "$T/k" k >/dev/null && utctl enable-event -s k 'seq:*' &&
    utctl start k >/dev/null && utctl create -o "$T/i" i >/dev/null &&
    utctl enable-event -s i 'none:*' && utctl start i >/dev/null ||
    fail "set-up of i"
recorded() {
	[ "$(member k written)" -gt 10 ]
}
until_ok recorded || fail "nothing is recorded: $(utctl list k)"
utctl rotate -t 1s i || fail "rotate -t"
taken=$(consumers)
halt $taken
lacks fcntl EMFILE
sleep 1.5
has_all
grep -q EMFILE "$T/strace" || fail "utd lacked nothing"
kill -9 $taken
answers() {
	utctl list i >"$T/list" && ! grep 'does not answer' "$T/list"
}
until_ok answers || fail "$(cat "$T/list" "$T/utd.log")"
until_ok utctl rotate i || fail "$(cat "$T/list" "$T/utd.log")"
[ "$(grep -c 'takes over' "$T/utd.log")" -eq 1 ] || fail "$(cat "$T/utd.log")"
expect 0 'destroyed: [0-9]* events, 0 lost' utctl destroy k
echo "descriptors: fine"
kill -9 $LAST
stop_utd || fail "utd: status $?"
