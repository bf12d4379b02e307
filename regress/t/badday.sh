# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Files that cannot be written, or only in part, and a clock that is set by an
# hour, to and fro, all the time.  What could not be written is counted, why is
# said once, what is there can be read, and other sessions are not touched;
# the clock has no part in any of it.

. ./common.sh
not_sanitized
not_cross
[ -r /proc/self/fd ] || skip "no /proc"
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -fPIC -shared -o "$T/badday.so" \
    prog/badday.c $DL 2>"$T/err" ||
    skip "no shared objects: $(head -1 "$T/err")"

BADFILE=$T/day
export BADFILE
day() {
	echo "$1" >"$T/today" && mv "$T/today" "$BADFILE"
}
preloaded() {
	env LD_PRELOAD="$T/badday.so" "$@"
}

start_badly() {
	LD_PRELOAD="$T/badday.so" utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
	UTD_PID=$!
	until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
}

# After the name of a session, options of its channel.
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" -b 4k -n 256 ${2-} c &&
	    utctl enable-event -s "$1" -c c 'seq:*' >/dev/null &&
	    utctl start "$1" || fail "set-up of $1"
}

# 1000 events each in good times, in bad ones, and in good ones again.
phases() {	# name, day, reason or ''
	day good
	session $1 "$3"
	./prog/seq 1 1 1000 || fail "seq: $?"
	utctl list $1 >/dev/null || fail "list"
	day $2
	./prog/seq 2 1 1000 || fail "seq: $?"
	utctl list $1 >/dev/null || fail "list"
	day good
	./prog/seq 3 1 1000 || fail "seq: $?"
	expect 0 "$1 stopped: [0-9]* events, $4" utctl stop $1
	counts $1
	echo "$1: $events events, $lost lost"
	[ $((events + lost)) -eq 3000 ] || fail "$1: $events and $lost"
	readers_agree "$T/$1"
	[ "$(wc -l <"$T/view.out")" -eq "$events" ] || fail "$1: not $events"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$1: torn"
	utctl destroy $1 >/dev/null || fail "destroy $1"
	log=$(grep -c "session $1: " "$T/utd.log")
}

unhurt() {
	[ "$lost" -eq 0 ] && [ "$log" -eq 0 ] ||
	    fail "$lost lost: $(cat "$T/utd.log")"
}

# All that came in bad times is lost, and nothing else; as many as were there
# are said to be discarded, where they were.
hurt() {
	[ "$lost" -eq 1000 ] || fail "$lost lost"
	[ "$log" -eq 1 ] && grep -q "session $1: .*$2" "$T/utd.log" ||
	    fail "utd says it $log times: $(cat "$T/utd.log")"
}

day good
start_badly
phases eintr EINTR '' '0 lost'
unhurt
phases short short '' '0 lost'
unhurt
phases eio EIO '' '1000 lost.*Input/output error'
hurt eio 'c: events are lost: Input/output error'
[ "$(discarded)" -eq 1000 ] || fail "$(discarded) discarded"
phases quota EDQUOT '' '1000 lost.*quota'
hurt quota 'c: events are lost: Disk quota exceeded'
phases torn torn '' '1000 lost'
hurt torn 'c: events are lost: Input/output error'
# Directories and metadata of their own, which wait for better times.
phases pid EIO -p '1*0* lost'
[ "$lost" -eq 0 ] || [ "$lost" -eq 1000 ] || fail "$lost lost"
stop_utd || fail "utd: status $?"
# Metadata alone: nothing is written that no reader takes without them.
BADPART=/metadata
export BADPART
start_badly
phases meta EIO -p '1*0* lost'
[ "$lost" -eq 0 ] || [ "$lost" -eq 1000 ] || fail "$lost lost"
stop_utd || fail "utd: status $?"

# The trouble of a session is not another's.
BADPART=/bad/
start_badly
day EIO
session bad
session well
./prog/seq 1 4 1000 || fail "seq: $?"
expect 0 'well stopped: 4000 events, 0 lost, [0-9]* bytes$' utctl stop well
expect 0 'bad stopped: 0 events, 4000 lost.*Input/output' utctl stop bad
readers_agree "$T/well"
stop_utd || fail "utd: status $?"

# The clock, of utd, utctl and programs.
day step
start_badly
session clock
session clockp -p
preloaded ./prog/seq -p 100 1 2 2000 &
a=$!
preloaded ./prog/seq -p 100 -f 2 2 2 2000 || fail "seq: $?"
wait $a || fail "seq: $?"
until_ok sh -c 'utctl events | grep -q "^no programs"' || fail "still there"
for p in $UTD_PID $(consumers); do
	kill -9 "$p"
done
wait $UTD_PID 2>/dev/null
start_badly
expect 0 'killed, and another took over' utctl list clock
preloaded ./prog/seq -p 100 3 2 1000 || fail "seq: $?"
sleep 1.2
for s in clock clockp; do
	expect 0 "$s stopped: [0-9]* events, 0 lost" utctl stop $s
	counts $s
	readers_agree "$T/$s"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$s: not in order"
	read -r got writers missing <"$T/got"
	# Which utd may not know, of programs that ended when it was killed.
	[ "$got" -ge "$events" ] && [ "$missing" -eq 0 ] ||
	    fail "$s: $(cat "$T/got")"
	# An offset there is one of, however late a program comes.
	[ "$(cat $(find "$T/$s" -name metadata) | grep -e '[^a-z_]offset' |
	    sort -u | wc -l)" -eq 2 ] || fail "$s: clocks differ"
	expect 0 '' utctl destroy $s
done
expect 0 '^utctl: 200 events, 0 lost' preloaded utctl record -o "$T/rec" -- \
    ./prog/seq 1 2 100
stop_utd || fail "utd: status $?"
