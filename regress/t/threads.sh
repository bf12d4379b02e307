# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A thousand short threads, with destructors that trace: all of it is there,
# and what they held is free again: a later program gets every sub-buffer.

. ./common.sh

recorded -b 4k -n 4096 -- ./prog/threads 1000
[ "$events $lost" = "11000 0" ] || fail "$events events, $lost lost"
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "$(cat "$T/view.err")"
[ "$(cat "$T/got")" = "11000 1000 0" ] || fail "$(cat "$T/got")"

# They end while sessions do; ThreadSanitizer, where it is, finds no race.
# Fewer of them with FEWER.
n=4000
[ -z "${FEWER:-}" ] || n=1000
start_utd
background ./prog/threads $n 500 2>"$T/threads.err"
i=0
while ! gone $LAST && [ $((i += 1)) -le 60 ]; do
	utctl create -N s$i >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
	    utctl start >/dev/null && nap 20 &&
	    utctl destroy s$i >/dev/null || fail "session $i"
done
wait $LAST || fail "threads: $?: $(cat "$T/threads.err")"
stop_utd || fail "utd: status $?"

# 8 sub-buffers of 4096 bytes, 512 slots.
start_utd
utctl create -o "$T/small" small >/dev/null &&
    utctl enable-channel -b 4k -n 8 channel0 &&
    utctl enable-event 'seq:tick' 'pulse:a' && utctl start || fail "set-up"
./prog/threads 1000 || fail "threads"
pulse_start
until_ok pulse_on a--- || fail "pulse: $answer"
until_ok has_programs small '.*' 1 ||
    fail "the threads' program has not ended: $(utctl list small)"
sleep 2.5			# what is parked is idle, then
counts small
[ $((events + lost)) -eq 11000 ] || fail "$events + $lost are not 11000"
had=$events missed=$lost
# While nobody drains, as many events as fit: of 10 bytes each, in all but what
# is for many threads to share.
halt $(consumers)
pulse hit 4000
kill -CONT $(consumers)
utctl stop >"$T/stop" || fail "stop"
counts small
fit=$(((8 - $(reserved 8)) * (4096 / 10)))
[ $((events - had)) -eq $fit ] || fail "$((events - had)) events fit, not $fit"
[ $((events - had + lost - missed)) -eq 4000 ] || fail "$lost lost"
