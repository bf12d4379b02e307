# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl top -b: what it counts while a session records is what stat counts in
# the end, through rotations, losses and a utd that is killed; if it reads only
# a part, it says so and is not far off.

. ./common.sh

start_utd

# top OPTION ...: of session s, until that is destroyed.
top() {
	rm -f "$T/top.status" "$T/top.out"
	(
		status=0
		utctl top "$@" s >"$T/top.out" 2>"$T/top.err" || status=$?
		echo $status >"$T/top.status"
	) &
	TOP_PID=$!
	CHILDREN="$CHILDREN $!"
	until_ok [ -s "$T/top.out" ] || fail "top $*: $(cat "$T/top.err")"
}
ended() {
	wait $TOP_PID
	[ "$(cat "$T/top.status")" -eq 0 ] ||
	    fail "status $(cat "$T/top.status"): $(cat "$T/top.err")"
	[ "$(cat "$T/top.err")" = 'utctl: session s was destroyed' ] ||
	    fail "$(cat "$T/top.err")"
}
printed() {
	grep -q "$1" "$T/top.out"
}
# sum MEMBERS...: of the objects, behind those of the session, and of arrays.
sums() {
	sed 's/.*"session":{[^}]*},"events":\([0-9]*\),"bytes":\([0-9]*\),"discarded":\([0-9]*\),.*/\1 \2 \3/' \
	    "$T/top.out" | awk '{ e += $1; b += $2; d += $3 }
	    END { printf "%.0f %.0f %.0f\n", e, b, d }'
}
of_stat() {
	utctl stat -j s | sed 's/{"events":\([0-9]*\),"discarded":\([0-9]*\),"lost_packets":0,"bytes":\([0-9]*\),.*/\1 \3 \2/'
}
# sum_of ARRAY MEMBER: over all rows and intervals.
sum_of() {
	sed -e 's/.*"'"$1"'":\[//' -e 's/\],".*//' "$T/top.out" | tr '}' '\n' |
	    sed -n 's/.*"'"$2"'":\([0-9]*\).*/\1/p' |
	    awk '{ n += $1 } END { printf "%.0f\n", n }'
}
# all_read: all events were counted, and the tables agree.
all_read() {
	set -- $(of_stat)
	utctl destroy s >/dev/null || fail "destroy"
	ended
	[ "$(sums)" = "$*" ] || fail "counted $(sums), not $*"
	! grep -v '"sampled":1,' "$T/top.out" || fail "sampled"
	for t in by_event by_program by_thread; do
		[ "$(sum_of $t events)" = "$1" ] ||
		    fail "$t: $(sum_of $t events) events, not $1"
		[ "$(sum_of $t bytes)" = "$2" ] || fail "$t: bytes"
		[ $t = by_event ] || [ "$(sum_of $t discarded)" = "$3" ] ||
		    fail "$t: $(sum_of $t discarded) discarded, not $3"
	done
}

# From before the start on, with losses, and chunks that are renamed.
utctl create -o "$T/s" s >/dev/null && utctl enable-channel -b 4k -n 8 c &&
    utctl enable-event -c c 'seq:*' >/dev/null || fail "s"
top -j -r 0 -i 200ms
printed '"state":"not started"' || fail "not started"
utctl start >/dev/null || fail "start"
for i in 1 2 3 4; do
	./prog/seq $i 2 20000 || fail "seq"
	utctl rotate >/dev/null || fail "rotate"
	sleep 0.4
done
cp ./prog/seq "$T/$(printf 'a\033[7mb')" &&
    "$T/$(printf 'a\033[7mb')" 5 1 100 || fail "seq"
sleep 1.2
utctl stop >/dev/null || fail "stop"
all_read
[ "$(sum_of by_program discarded)" -gt 0 ] || fail "nothing was lost"
printed '"program":"a\\u001b\[7mb"' || fail "no hostile name"

# Pairs, those of functions and threads and those with keys, in text as well.
utctl create -o "$T/p" s >/dev/null && utctl enable-event 'work:*' 'req:*' \
    'call:*' >/dev/null && utctl start >/dev/null || fail "p"
top -j -d -D req:start,req:done,id
./prog/pairs || fail "pairs"
sleep 2.5
utctl stop >/dev/null || fail "stop"
utctl top -dj -n 1 -i 100ms s >"$T/first" 2>/dev/null &&
    grep -q '"sampled":1,"pairs_sampled":false,' "$T/first" ||
    fail "what was there before: $(cut -c 1-300 "$T/first")"
utctl stat -dj -D req:start,req:done,id s >"$T/stat" 2>/dev/null ||
    fail "stat -d"
all_read
calls=$(sed 's/.*"pairs":\[\(.*\)\],"slowest.*/\1/' "$T/stat" | tr '}' '\n' |
    sed -n 's/.*"calls":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')
[ "$calls" -gt 5 ] && [ "$(sum_of pairs calls)" = "$calls" ] ||
    fail "$(sum_of pairs calls) calls, not $calls"

# A part, whose numbers are near; utd is killed, and another one comes.
utctl create -o "$T/h" s >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "h"
top -j -r 100k
background utctl top -b -r 100k s >"$T/text"
until_ok [ -s "$T/text" ] || fail "no text"
cp ./prog/seq "$T/$(printf 'a\033[7mb')"
"$T/$(printf 'a\033[7mb')" 6 2 100000 || fail "seq"
until_ok printed '"sampled":0.*"by_event":.{"event":"seq:tick"' ||
    fail "not sampled"
until_ok grep -q ' ~.* events/s, .*, sampled [0-9.]* %' "$T/text" &&
    until_ok grep -q '^ *~[0-9]* *~[0-9]*  seq:tick$' "$T/text" ||
    fail "$(cat "$T/text")"
kill -9 "$UTD_PID"
wait "$UTD_PID"
until_ok printed '"trouble":"no utd runs' &&
    until_ok grep -q 's: no utd runs: waiting for it' "$T/text" ||
    fail "utd was killed"
start_utd
until_ok sh -c "sed -n '/no utd runs/,\$p' '$T/text' | grep -q 's: active'" ||
    fail "utd is back: $(tail -n 3 "$T/text")"
./prog/seq 7 1 100
utctl stop >/dev/null && utctl destroy s >/dev/null || fail "destroy"
wait $TOP_PID "$LAST"
tr -d '\n -~' <"$T/text" | grep -q . && fail "raw: $(cat -v "$T/text")"
set -- $(sums)
[ "$1" -gt 190000 ] && [ "$1" -lt 210000 ] || fail "$1 of 200100"

# A recording that has a utd of its own, which ends; it needs no name.
background utctl record -o "$T/r" -- \
    sh -c './prog/pairs; sleep 4; ./prog/pairs; sleep 1' >"$T/record" 2>&1
until_ok [ -d "$T/r/ust" ] ||
    fail "no recording: $(cat "$T/record")"
utctl top -bd >"$T/text" 2>"$T/err" || fail "top: $(cat "$T/err")"
grep -q "^utctl: what is recorded now is $T/r\$" "$T/err" &&
    grep -q "^utctl: $T/r: the recording has ended\$" "$T/err" ||
    fail "recording: $(cat "$T/err")"
grep -q ', record: active, ' "$T/text" &&
    grep -q '^no pair has ended: pairs are ' "$T/text" ||
    fail "recording: $(cat "$T/text")"
complains 'nothing is recorded now' utctl top
complains "$T/none: neither a session nor a trace" utctl top "$T/none"
complains 'nobody: neither a session nor a trace' utctl top nobody
complains 'no trace is there' utctl top -b prog
find "$T/r" -type f -exec touch -t 202001010000 {} +
complains 'no session is known .* nothing came' utctl top -b "$T/r"
complains '-g x: none of event' utctl top -g x s
complains 'not a time from' utctl top -i 10ms .
exit 0
