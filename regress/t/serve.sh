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
utctl destroy s >/dev/null || fail "destroy"
expect 1 'no session of yours writes it now' utctl serve -p 0 s

# -l: only what comes after the viewer, also if there are many files.
utctl create -o "$T/l" l >/dev/null && utctl enable-channel -p -m block -b 4k \
    -C 8k c >/dev/null && utctl enable-event -c c 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "l"
for i in 1 2 3 4 5; do
	./prog/seq $((i * 8)) 1 1000 || fail "seq"
done
serve l -l
watch last
sleep 2.5
./prog/seq 80 1 1000 || fail "seq"
until_ok printed last seq:tick 1000 || fail "last: $(cat "$T/last.err")"
utctl stop >/dev/null || fail "stop"
wait $WATCH_last
n=$(grep -c seq:tick "$T/last.out")
[ "$n" -eq 1000 ] || fail "-l: $n"
served 0
expect 1 'session l is stopped' utctl serve -p 0 l
utctl destroy l >/dev/null || fail "destroy"

# All ends when utd ends.
utctl create -o "$T/e" e >/dev/null && utctl enable-event 'seq:*' \
    >/dev/null && utctl start >/dev/null || fail "e"
serve e
watch end
./prog/seq 1 1 100 || fail "seq"
until_ok printed end seq:tick 100 || fail "end: $(cat "$T/end.err")"
stop_utd || fail "utd: $?"
watched end "$T/e"
served 0
