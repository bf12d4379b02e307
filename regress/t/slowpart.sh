# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user stops and continues the consumer that works for that user, again and
# again, so that it is never silent for long: root's snapshot waits for the
# part of that user no longer than any command would, says so, and has what
# everybody else recorded.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
need timeout
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
utctl create -o "$T/s" s >/dev/null || fail "create"
for c in c d e f; do
	utctl enable-channel -p -n 2 -b 4k $c &&
	    utctl enable-event -c $c 'seq:*' pulse:a >/dev/null ||
	    fail "channel $c"
done
utctl start >/dev/null || fail "start"

# Each has buffers of its own, and so files of its own in the snapshot.
n=100
i=0
while [ $i -lt $n ]; do
	i=$((i + 1))
	background ./prog/asuser 65534 ./prog/seq -p 900000 $i 1 1000
done
until_ok has_programs s seq $n || fail "not $n: $(utctl list s)"
pulse_start
until_ok pulse_on a--- || fail "$answer"
pulse hit 10
consumer=$(ps -A -o pid= -o ppid= -o uid= |
    awk -v p="$UTD_PID" '$2 == p && $3 == 65534 { print $1 }')
background ./prog/stutter "$consumer" 1000 100
stutter=$LAST

# Whether it manages to say anything in ten seconds is up to the system.
expect 0 'snapshot of [0-9]* events without uid 65534 (the consumer ' \
    timeout 59 utctl snapshot -n x s
kill $stutter
[ "$(count_events "$T/s/snapshots/x" pulse:a)" -eq 40 ] ||
    fail "not the events of others: $(cat "$T/out" "$T/view.err")"
expect 0 'warning: snapshot without uid 65534 (the consumer ' utctl list s
# It has caught up: the next snapshot has all.
whole() {
	utctl snapshot s >"$T/out" 2>&1 && ! grep -q without "$T/out"
}
until_ok whole || fail "still: $(cat "$T/out" "$T/utd.log")"
