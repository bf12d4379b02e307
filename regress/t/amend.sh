# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The disk is full until the session ends: the trace tells of all events that
# stop says are lost, for the last packet of a stream is rewritten in place;
# and the trace is whole wherever the consumer is killed meanwhile.

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

start_badly() {
	LD_PRELOAD=$T/badday.so utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
	UTD_PID=$!
	until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
}

died() {
	[ "$(cat "$BADFILE")" = full ] || fail "$1: nobody was killed"
}

# told HOW: what both readers say is discarded, and stop says is lost.
told() {
	[ "$lost" -gt 0 ] || fail "$1: nothing is lost"
	readers_agree "$T/trace"
	[ "$(wc -l <"$T/view.out")" -eq "$events" ] ||
	    fail "$1: view prints another number of events than $events"
	n=$(discarded)
	expect 0 "^$events events, $n discarded" utctl stat "$T/trace"
	[ ! -f "$T/bt2.err" ] || {
		bt2=$(sed -n 's/.*Tracer discarded \([0-9]*\) event.*/\1/p' \
		    "$T/bt2.err" | awk '{ n += $1 } END { print n + 0 }')
		[ "$bt2" -eq "$n" ] || fail "$1: babeltrace2 $bt2, view $n"
	}
	echo "$1: $events events, $lost lost, $n told"
}

all_told() {
	told "$1"
	[ "$n" -eq "$lost" ] || fail "$1: $lost lost, $n told"
	rm -rf "$T/trace"
}

# begin OPTIONS-OF-CHANNEL...: a session, and something in its trace.
begin() {
	day good
	utctl create -o "$T/trace" s >/dev/null &&
	    utctl enable-channel "$@" c &&
	    utctl enable-event -c c 'seq:*' >/dev/null && utctl start >/dev/null ||
	    fail "set-up"
	./prog/seq 1 1 100 && until_ok written 100 || fail "$(utctl list s)"
	[ "$THREADS" -eq 0 ] || ./prog/seq 2 "$THREADS" 200 &&
	    until_ok written $((100 + THREADS * 200)) || fail "$(utctl list s)"
}

written() {
	counts s
	[ $((events + lost)) -ge "$1" ] && [ "$events" -gt 0 ]
}

end() {
	utctl stop s >"$T/out" || fail "stop"
	counts s
	utctl destroy s >/dev/null || fail "destroy"
}

start_badly
THREADS=1
begin -b 4k -n 64
day full
./prog/seq 3 1 100000 || fail "seq"
end
all_told "one stream"

THREADS=20
begin -b 4k -n 64
day full
./prog/seq 3 20 10000 || fail "seq"
end
all_told "many streams"

begin -b 4k -n 4
day full
./prog/seq 3 20 10000 || fail "seq"
end
all_told "shared streams"

THREADS=4
begin -b 4k -n 64 -C 8k
day full
./prog/seq 3 8 10000 || fail "seq"
end
all_told "files that are cut"

# A chunk of a session that rotates, and the one before it.
begin -b 4k -n 64
utctl rotate s >/dev/null || fail "rotate"
./prog/seq 4 1 300 && ./prog/seq 5 1 300 || fail "seq"
until_ok written 1500 || fail "$(utctl list s)"
day full
./prog/seq 3 8 10000 || fail "seq"
end
all_told "rotated"

# One that is killed after each step.
for step in 1 2; do
	begin -b 4k -n 64
	day full
	./prog/seq 3 8 10000 || fail "seq"
	day "full $step"
	end
	died "step $step"
	all_told "killed after step $step"
done

# utd is killed, too, and what is left of the session is written by the next
# one, or by recover.
for step in 1 2; do
	begin -b 4k -n 64
	day full
	./prog/seq 3 8 10000 || fail "seq"
	counts s
	day "full $step all"
	utctl stop s >/dev/null 2>&1 && fail "stop: utd is alive"
	died "step $step of all"
	wait "$UTD_PID" 2>/dev/null
	UTD_PID=
	if [ $step -eq 1 ]; then
		start_badly
		utctl destroy s >/dev/null || fail "destroy"
	else
		utctl recover >/dev/null || fail "recover"
		start_badly
	fi
	all_told "taken over after step $step"
done

# Of a stream with one packet, readers know that something may be missing.
THREADS=0
begin -b 4k -n 64
day full
./prog/seq 3 8 10000 || fail "seq"
end
told "one packet"
[ "$n" -eq "$lost" ] || grep -q 'may have been discarded' "$T/view.err" ||
    fail "one packet: $n told of $lost: $(cat "$T/view.err")"
rm -rf "$T/trace"
THREADS=4

# Where nothing can be written in place, nothing is spoilt.
begin -b 4k -n 64
day ENOSPC
./prog/seq 3 8 10000 || fail "seq"
end
told "not in place"
[ "$n" -lt "$lost" ] || fail "not in place: $n told of $lost"
rm -rf "$T/trace"

# There is no packet that could tell: then there is no trace.
day good
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 64 c &&
    utctl enable-event -c c 'seq:*' >/dev/null || fail "set-up"
day full
utctl start >/dev/null || fail "start"
./prog/seq 3 8 10000 || fail "seq"
end
[ "$events" -eq 0 ] && [ "$lost" -eq 80000 ] || fail "$events, $lost"
stop_utd || fail "utd: status $?"
