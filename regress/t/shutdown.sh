# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd is ended by a command, which waits until it has ended; nobody but root and
# its user can do that.

. ./common.sh

# In the background, so that it is nobody's child here.
begin() {
	rm -rf "$T/s"
	utd -r "$UT_RUNDIR" || fail "utd: status $?"
	pid=$(cat "$UT_RUNDIR/utd.pid")
	CHILDREN="$CHILDREN $pid"
	utctl create "$@" -o "$T/s" s >/dev/null &&
	    utctl enable-channel -i 0 c && utctl enable-event -c c 'seq:*' \
	    >/dev/null && utctl start >/dev/null || fail "set-up"
	./prog/seq 1 1 100 || fail "seq: $?"
}

complains 'no utd is running' utctl shutdown
begin
complains 'usage: utctl shutdown' utctl shutdown now
expect 0 "utd (pid $pid) has ended" utctl shutdown
gone $pid || fail "it has not ended"
[ "$(ls "$UT_RUNDIR")" = wake ] || fail "left: $(ls "$UT_RUNDIR")"
readers_agree "$T/s"
[ "$(wc -l <"$T/view.out")" -eq 100 ] || fail "not 100 events"
complains 'no utd is running' utctl shutdown

# What is in memory is written, and a command at the same time is answered.
begin -S
expect 0 "utd (pid $pid) has ended" utctl shutdown
[ "$(count_events "$T/s/snapshots" seq:tick)" -eq 100 ] || fail "no snapshot"

# Not everything: the next utd waits for a consumer that somebody has stopped.
start_utd
rm -rf "$T/s"
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' \
    >/dev/null && utctl start >/dev/null || fail "set-up"
./prog/seq 1 1 100 || fail "seq: $?"
was=$(consumers)
CHILDREN="$CHILDREN $was"
halt $was
kill -9 $UTD_PID
wait $UTD_PID 2>/dev/null
start_utd
next=$(consumers)
background utctl shutdown >"$T/out" 2>"$T/err"
sleep 0.5
kill -9 $next 2>/dev/null		# or after ten seconds
wait $LAST && fail "shutdown says that all is written: $(cat "$T/out")"
grep -q 'has ended, but not all .* written: see utctl recover' "$T/err" ||
    fail "shutdown: $(cat "$T/out" "$T/err")"
wait $UTD_PID && fail "utd says that all is written"
UTD_PID=
kill -9 $was
expect 0 's destroyed: 100 events, 0 lost' utctl recover

# Somebody else's.
[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null || exit 0
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
expect 1 'not yours: only root and uid 0' ./prog/asuser 65534 utctl shutdown
expect 0 '' utctl list
# The user's own is theirs, and root's.
mkdir "$T/user" && chown 65534 "$T/user" || exit 1
for who in 65534 0; do
	UT_RUNDIR=$T/user ./prog/asuser 65534 utd -r "$T/user" ||
	    fail "utd of the user: $?"
	pid=$(cat "$T/user/utd.pid")
	CHILDREN="$CHILDREN $pid"
	UT_RUNDIR=$T/user expect 0 "(pid $pid) has ended" \
	    ./prog/asuser $who utctl shutdown
	gone $pid || fail "the user's has not ended"
done
stop_utd || fail "utd: status $?"
