# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl serve: babeltrace2, attached while a session records, prints the events
# that it prints of the files afterwards, in the order of time: of programs that
# come and are killed, of chunks, and while utd and consumers are killed.

. ./common.sh
. ./serve.sh

need babeltrace2
start_utd

# Two viewers: one that waits for the start, one that comes later.
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'clocks:*' \
    'seq:*' >/dev/null || fail "s"
serve s
watch early
sleep 1
utctl start >/dev/null || fail "start"
background ./prog/clocks 20
CLOCKS=$LAST
until_ok printed early clocks:now 10 || fail "nothing: $(cat "$T/early.err")"
./prog/seq 1 3 100 || fail "seq"
until_ok printed early seq:tick 300 || fail "nothing of another program"
watch later
until_ok printed later seq:tick 300 || fail "nothing of what was"
kill -9 "$CLOCKS"
utctl stop >/dev/null || fail "stop"
watched early "$T/s"
watched later "$T/s"
served 0
[ ! -s "$T/serve.err" ] || fail "$(cat "$T/serve.err")"
stop_utd || fail "utd: $?"
