# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# In overwrite mode nothing is overwritten as long as there is room: threads
# that find no sub-buffer for themselves share those that are not full, as in
# discard mode.  And then no packet is missing: sub-buffers that the consumer
# takes back from idle threads are no gaps.

. ./common.sh

UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

set_up() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -m overwrite -b 4k -n 32 c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $1"
}

# Nobody drains.  Three are shared, and one of them not full, when threads want
# more for themselves than there are.
start_utd
set_up many
./prog/sparing 1 1 || fail "sparing: $?"
halt $(consumers)
background ./prog/sparing 200 1
wait $LAST || fail "sparing: $?"
background ./prog/sparing 31 10
wait $LAST || fail "sparing: $?"
kill -CONT $(consumers)
expect 0 "stopped: [0-9]* events" utctl stop
counts many
counts="$events $(member many overwritten) $lost"
[ "$counts" = "511 0 0" ] ||
    fail "written, overwritten and lost: $counts, not 511 0 0"
utctl destroy >/dev/null || fail "destroy"
# Threads go on while what they held is taken back.  Where the machine stood
# still for so long that events were overwritten, packets are missing.
set_up revoked
./prog/sparing 28 10 300 || fail "sparing: $?"
expect 0 "stopped: [0-9]* events" utctl stop
over=$(member revoked overwritten)
utctl view "$T/revoked" >"$T/view.out" 2>"$T/view.err" || fail "view"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
echo "revoked: $(cat "$T/got"), $over overwritten"
[ "$over" -ne 0 ] || ! grep 'lost before' "$T/view.err" >&2 ||
    fail "packets are missing, and nothing was overwritten"
utctl destroy >/dev/null || fail "destroy"
stop_utd || fail "utd: status $?"
