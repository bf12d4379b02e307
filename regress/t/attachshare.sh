# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -p with a utd that has other sessions, or that ends.

. ./shared/attach.sh

# Two at once: the utd that the first one started stays for the second, and
# for a session of somebody else.
start_record first -p $ONE
FIRST=$RECORD
recording first
mv "$T/err" "$T/err1"
start_record second -p $TWO
recording second
utctl create -o "$T/mine" mine >/dev/null || fail "create"
kill -INT $FIRST
wait $FIRST || fail "the first: status $?"
until_ok has_sessions 2 || fail "$(utctl status)"
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
until_ok others_left || fail "$(utctl status)"
utctl destroy >/dev/null || fail "destroy"
nothing_left "two at once"
readers_agree "$T/first"
readers_agree "$T/second"
fresh
start_record first -r -p $ONE
until_ok utctl list || fail "no utd"
recording first
utctl create -o "$T/mine2" mine >/dev/null || fail "create"
kill -INT $RECORD
end_record 0 'utd in .* goes on as long as it has other sessions$'
utctl destroy >/dev/null || fail "destroy"
nothing_left "a session of somebody else"

# Another utd is there but has no socket, as one that begins or ends: its end is
# waited for.
fresh
start_utd
halt $UTD_PID
rm "$UT_RUNDIR/sock"
start_record waits -p $ONE
sleep 1
[ ! -s "$T/err" ] && ! gone $RECORD || fail "did not wait: $(cat "$T/err")"
stop_utd || fail "utd: status $?"
recording waits
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
said 2
nothing_left "another utd"

# What cannot begin leaves nothing, either.
complains 'are more than 4 GB: there can be 255$' \
    utctl record -p $ONE -b 16m -n 1024 -o "$T/large"
[ ! -e "$T/large" ] || fail "$(ls -d "$T/large"*)"
nothing_left "no beginning"

# A utd that runs: no session stays, and the user's last one is another.
fresh
start_utd
utctl create -o "$T/last" mine >/dev/null || fail "create"
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' utctl record -T 500ms -p $ONE \
    -o "$T/with"
others_left || fail "$(utctl status)"
readers_agree "$T/with"
start_record with2 -p $ONE -p $TWO
recording with2
expect 0 '^session mine started' utctl start
expect 0 '^session mine stopped' utctl stop
cp "$T/progress1" "$T/before1" && cp "$T/progress2" "$T/before2"
sleep 0.2
cp "$T/progress1" "$T/after1" && cp "$T/progress2" "$T/after2"
kill -9 $RECORD
wait $RECORD 2>/dev/null
until_ok others_left || fail "kill -9: $(utctl status)"
readers_agree "$T/with2"
./prog/seqcheck -s "1:$T/after1:$T/before1" "2:$T/after2:$T/before2" \
    <"$T/view.out" >"$T/got" || fail "kill -9: $(cat "$T/got")"
# Killed in the middle of a request, and before it has made one.
for i in 1 2 3 4 5 6 7 8; do
	start_record "mid$i" -p $ONE
	nap 90
	kill -9 $RECORD
	wait $RECORD 2>/dev/null
done
until_ok others_left || fail "killed early: $(utctl status)"
# That utd is killed, and the next one has the session.
start_record next -p $ONE
recording next
kill_utd 0
until_ok grep -q 'utd in .* has gone away: session record-' "$T/err" ||
    fail "nothing said: $(cat "$T/err")"
start_utd
until_ok sh -c "utctl events | grep -q '(pid $ONE,'" || fail "not found again"
sleep 0.3
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
until_ok others_left || fail "the next utd: $(utctl status)"
# That one is told to end, and ends the session: there is none to go on with.
start_record term -p $ONE
recording term
stop_utd || fail "utd: status $?"
until_ok gone $RECORD || fail "goes on without a session: $(cat "$T/err")"
end_record 1 "utd has ended, and session record-.* is in $T/term\$"
said 2
nothing_left "a utd that runs"
readers_agree "$T/term"
runs
