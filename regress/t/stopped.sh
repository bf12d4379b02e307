# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs that are stopped in the midst of events, for times shorter and
# longer than it takes to revoke a sub-buffer, while there are fewer of these
# than programs.  Every event is in the trace, once and whole, or is counted as
# lost.  STOPPED_SECONDS=600 is a long form.

. ./common.sh
seeded

procs=100
start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 64 c >/dev/null &&
    utctl enable-event -c c 'seq:tick' && utctl start || fail "set-up"
./prog/stopped $procs "${STOPPED_SECONDS:-15}" >"$T/calls" ||
    fail "stopped: status $?"
read -r calls stops <"$T/calls"
expect 0 "" utctl stop
utctl list s >"$T/list"
expect 0 "" utctl destroy
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "$(cat "$T/got" "$T/view.err" "$T/list")"
read -r events writers missing <"$T/got"
lost=$(awk '/events* discarded/ { n += $2 } END { print n + 0 }' "$T/view.err")
echo "$stops stops; of $calls events $events in the trace, $lost lost"
[ "$stops" -ge $procs ] || fail "only $stops stops"
[ "$writers" -ge $((procs / 2)) ] || fail "$writers programs have traced"
[ $((events + lost)) -eq "$calls" ] ||
    fail "$events + $lost are not $calls: $(cat "$T/list")"
[ "$missing" -le "$lost" ] || fail "gaps of $missing"
survived "$stops" "stops" "$calls" "$events and $lost lost"
stop_utd || fail "utd: status $?"
