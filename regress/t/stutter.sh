# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user stops the consumer that works for that user, and continues it for a
# moment, again and again, so that it never says nothing for long: root's
# command ends in time and names the user, whose own commands wait on, and when
# that is over the consumer answers again and nothing is lost.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
need timeout
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-channel -p -n 2 -b 4k c &&
    utctl enable-event -c c 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
own() {
	./prog/asuser 65534 "$@"
}
mkdir "$T/d" && chown 65534 "$T/d" || exit 1
own utctl create -o "$T/d/own" own >/dev/null &&
    own utctl enable-event -s own 'seq:*' >/dev/null &&
    own utctl start own >/dev/null || fail "set-up of the user"

# Each has buffers of its own, for which the consumer naps once.
n=100
i=0
while [ $i -lt $n ]; do
	i=$((i + 1))
	background ./prog/asuser 65534 ./prog/seq -p 900000 $i 1 1000
done
until_ok has_programs s seq $n || fail "not $n: $(utctl list s)"
consumer=$(consumer_of 65534)
background ./prog/stutter "$consumer" 2000 200
stutter=$LAST
nap 50

# Whether it manages to say anything in ten seconds is up to the system.
own utctl stop own >"$T/own.out" 2>&1 &
own=$!
late='the consumer of uid 65534 .*, and its events are still in the buffers'
expect 1 "session s is stopped: $late" timeout 50 utctl stop s
grep -q "consumer $consumer of uid 65534 [dk]" "$T/utd.log" ||
    fail "$(cat "$T/utd.log")"
# Nobody else waits for it from then on, until all is answered.
expect 1 "session s is stopped, not destroyed: $late" timeout 12 \
    utctl destroy s
kill $stutter
until_ok grep -q "consumer $consumer of uid 65534 answers .*again" \
    "$T/utd.log" || fail "it does not answer again"
wait $own || grep -q 'does not answer' "$T/utd.log" ||
    fail "the user's own: $(cat "$T/own.out" "$T/utd.log")"
expect 0 "session s destroyed: [0-9]* events, 0 lost" timeout 30 utctl destroy s
told=$(sed "s/.*destroyed: \([0-9]*\) .*/\1/" "$T/out")
[ "$(count_events "$T/s" seq:tick)" -eq "$told" ] || fail "not $told events"

# utd ends: what everybody else has in memory is saved.
utctl create -S -o "$T/k" k >/dev/null &&
    utctl enable-channel -n 2048 -b 16k c &&
    utctl enable-event -c c 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
./prog/asuser 65534 ./prog/seq 201 1 800000 || fail "seq"
consumer=$(consumer_of 65534)
./prog/seq 200 1 10 || fail "seq"
background ./prog/stutter "$consumer" 7000 1000
nap 50
expect 1 'is saved: session k: snapshot without uid 65534 (the consumer ' \
    timeout 150 utctl shutdown
UTD_PID=
[ "$(count_events "$T/k" "writer = 20480[0-9],")" -eq 10 ] ||
    fail "not saved: $(cat "$T/view.err"; find "$T/k" -ls; cat "$T/utd.log")"
