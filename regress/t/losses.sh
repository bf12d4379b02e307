# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Losses are told where they are, in traces and snapshots, while a consumer is
# stopped, or events fit into no sub-buffer: see shared/losses.sh.

. ./shared/losses.sh

start_utd

# The consumer is stopped for a while.
setup stopped '-n 8'
losses 3 300
stopped 1.2
kill -CONT $at
sleep 0.4
finished
oracle 0
durations

# It is stopped until the program has ended.
setup ended '-n 8'
losses 3 300
stopped 1
kill $PROGRAM
until_ok grep -q 'calls 2' "$T/calls" || fail "$name: the program"
kill -CONT $at
sleep 0.4
finished
oracle 0

# Many threads, most of which share sub-buffers, or get none.
setup shared '-n 4'
losses 60 40000
stopped 1.2
kill -CONT $at
sleep 0.4
finished
oracle 1.5
durations 1.5

# Writers wait, in vain, and are without a slot then.
setup block '-n 4 -m block -t 2ms'
losses 3 1000
stopped 1.2
kill -CONT $at
sleep 0.4
finished
oracle 1.5

# Some events fit into no sub-buffer: the others are not lost for that.
setup toobig '-n 64'
losses -b 2 2000
sleep 1.5
finished
oracle 1.5

# A snapshot tells of those, too, as far as it goes back.
name=shot
utctl create -S -o "$T/shot" shot >/dev/null &&
    utctl enable-channel -b 4k -n 16 small &&
    utctl enable-event -c small 'lossy:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up of shot"
./prog/losses -b 2 2000 >"$T/calls" &
PROGRAM=$!
CHILDREN="$CHILDREN $PROGRAM"
sleep 1.2
until_ok eval '[ "$(member shot lost)" -gt 0 ]' ||
    fail "shot: none is lost"
expect 0 'snapshot of' utctl snapshot shot
kill $PROGRAM
shot=$(echo "$T"/shot/snapshots/*)
readers_agree "$shot"
[ "$(discarded)" -gt 0 ] || fail "shot: none was lost"
expect 0 '' utctl destroy shot
stop_utd || fail "utd: status $?"
