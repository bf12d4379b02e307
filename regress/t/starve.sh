# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Five thousand threads trace once, each, into 512 sub-buffers, and then sleep.
# A few seconds later one that has much to tell gets all that it needs.  Where
# a process cannot have so many threads, several have them.

. ./common.sh

threads=5000
many=400000
start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 512 c >/dev/null &&
    utctl enable-event -c c 'starve:*' && utctl start || fail "set-up"

idle=0 procs=0
while [ $idle -lt $threads ] && [ $procs -lt 16 ]; do
	procs=$((procs + 1))
	background ./prog/starve idle $((threads - idle)) >"$T/made.$procs"
	until_ok test -s "$T/made.$procs" || break
	idle=$((idle + $(cat "$T/made.$procs")))
done
[ $idle -ge 1000 ] || skip "no more than $idle threads here"

# Marked in the second second, and back in the third.
sleep 4
counts s
before=$lost
./prog/starve busy $many || fail "busy: status $?"
expect 0 "" utctl stop
counts s
expect 0 "" utctl destroy
busy=$(count_events "$T/trace" starve:busy)
once=$(count_events "$T/trace" starve:once)
echo "$idle threads in $procs processes: $once events in the trace," \
    "$before lost; then $busy of $many, $((lost - before)) lost"
[ "$busy" -eq $many ] || fail "$busy events of the busy thread"
[ "$lost" -eq "$before" ] || fail "$lost lost, not $before"
[ $((once + lost)) -eq $idle ] || fail "$once + $lost are not $idle"
[ "$once" -ge 512 ] || fail "only $once of the idle threads"
stop_utd || fail "utd: status $?"
