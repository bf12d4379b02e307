# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd cannot make a process for a while: the commands of snapshots and triggers
# are run later, each once and in turn, also if utd is killed meanwhile.

. ./common.sh
need strace
strace -o "$T/calls" true 2>/dev/null || skip "strace cannot trace here"

# no_fork: from now on utd cannot make a process, until may_fork.
no_fork() {
	strace -qq -e trace=clone,clone3,fork,vfork \
	    -e inject=clone,clone3,fork,vfork:error=EAGAIN -o "$T/strace" \
	    -p "$UTD_PID" 2>"$T/strace.err" &
	TRACER=$!
	CHILDREN="$CHILDREN $TRACER"
	sleep 0.5
	! gone $TRACER || fail "strace: $(cat "$T/strace.err")"
}

may_fork() {
	kill $TRACER
	wait $TRACER 2>/dev/null
}

ran() {
	[ -f "$T/ran" ] && [ "$(wc -l <"$T/ran")" -ge "$1" ]
}

shows() {
	utctl list s >"$T/shows" && grep -q "$1" "$T/shows"
}

start_utd
utctl create -S -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 5 || fail "set-up"
no_fork
for i in 1 2 3; do
	utctl snapshot -n shot$i -c 'echo "${1##*/}" >>'"'$T/ran'" s \
	    >/dev/null || fail "snapshot"
done
until_ok shows 'warning: command for a snapshot: .*; it is run later' ||
    fail "$(cat "$T/shows")"
! ran 1 || fail "a process was made"
may_fork
until_ok ran 3 || fail "not run: $(cat "$T/ran" "$T/utd.log")"
printf 'shot1\nshot2\nshot3\n' >"$T/want"
cmp -s "$T/want" "$T/ran" || fail "run: $(cat "$T/ran")"
echo "snapshots: fine"

# A trigger has not acted when its command could not be run.
rm "$T/ran"
expect 0 '' utctl trigger -e seq:tick -n 10 -a "exec echo x >>'$T/ran'" s
background ./prog/seq -p 1000 2 1 10
no_fork
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
stop_utd || fail "utd: status $?"
