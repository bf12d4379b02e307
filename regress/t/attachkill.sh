# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -p: utctl is killed, or its utd.

. ./shared/attach.sh

# utctl is killed: the utd ends, the trace is whole, programs go on.
start_record killed -p $ONE
recording killed
kill -9 $RECORD
wait $RECORD 2>/dev/null
nothing_left "kill -9"
readers_agree "$T/killed"
runs

# The same while the consumer is stopped, and nobody waits for it any more, or
# somebody else destroys the session and cannot: it ends when the consumer goes
# on.
seen() {
	member_is stopped "$(record_name)" state
}
unseen() {
	utctl list -j >"$T/out" && ! pick sessions <"$T/out" | grep -q ^record-
}
for how in late refused; do
	start_record $how -p $ONE
	recording $how
	CONSUMER=$(UTD_PID=$(cat "$UT_RUNDIR/utd.pid"); consumers)
	halt $CONSUMER
	if [ $how = refused ]; then
		name=$(record_name)
		utctl destroy "$name" >"$T/destroy" 2>&1 &
		CHILDREN="$CHILDREN $!"
		until_ok unseen || fail "not being destroyed: $(utctl list)"
	fi
	kill -9 $RECORD
	wait $RECORD 2>/dev/null
	until_ok unseen || fail "$how: goes on: $(utctl list)"
	until_ok seen || fail "$how: not refused: $(utctl list)"
	kill -CONT $CONSUMER || fail "$how: the consumer is gone"
	nothing_left "$how: kill -9"
	readers_agree "$T/$how"
done
[ "$(grep -c 'not destroyed: the consumer' "$T/destroy")" -eq 1 ] ||
    fail "the other: $(cat "$T/destroy")"
runs

# The command for chunks is run for all of them before the utd ends.
start_record chunks -p $ONE
recording chunks
name=$(record_name)
utctl rotate -c "until [ -e '$T/go' ]; do sleep 0.1; done; echo >>'$T/ran'" \
    "$name" || fail "rotate -c"
for i in 1 2 3; do
	utctl rotate "$name" >/dev/null || fail "rotate"
done
kill -9 $RECORD
wait $RECORD 2>/dev/null
until_ok unseen || fail "chunks: goes on: $(utctl list)"
sleep 1			# then the session is gone, and only chunks wait
: >"$T/go"
nothing_left "chunks"
n=$(ls "$T/chunks/archives" | wc -l)
[ "$n" -ge 3 ] && [ "$(wc -l <"$T/ran")" -eq "$n" ] ||
    fail "run for $(wc -l <"$T/ran") of $n chunks"
runs

# Its utd is killed: it starts another, which goes on.
start_record again -p $ONE
recording again
first=$(cat "$UT_RUNDIR/utd.pid")
kill -9 "$first"
other_utd() {
	[ -s "$UT_RUNDIR/utd.pid" ] &&
	    [ "$(cat "$UT_RUNDIR/utd.pid")" != "$first" ] && utctl list
}
until_ok other_utd || fail "no other utd: $(cat "$T/err")"
UTDS="$UTDS $(cat "$UT_RUNDIR/utd.pid")"
until_ok sh -c "utctl events | grep -q '(pid $ONE,'" || fail "not found again"
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
nothing_left "utd killed"
readers_agree "$T/again"

# It is told to end, and ends the session: nothing is recorded any more.
start_record ended -p $ONE
recording ended
kill -TERM "$(cat "$UT_RUNDIR/utd.pid")"
end_record 1 "utd has ended, and session record-.* is in $T/ended\$"
said 2
nothing_left "utd told to end"
readers_agree "$T/ended"
runs
