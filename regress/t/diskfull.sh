# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# No room for the trace: the session counts what it lost and says why; what
# was written can be read, and both together are what was traced.

. ./common.sh

total=320000
check() {	# directory, reason
	expect 0 "s stopped: [0-9]* events, [1-9][0-9]* lost, .*$2" \
	    utctl stop s
	counts s
	echo "$1: $events + $lost"
	[ $((events + lost)) -eq $total ] ||
	    fail "$events + $lost are not $total"
	[ "$events" -gt 100 ] || fail "only $events events in all that room"
	grep -q "\"error\":\"channel c: events are lost: $2" "$T/counts" ||
	    fail "list does not say why: $(cat "$T/counts")"
	expect 0 "\"error\":\"[^\"]*$2" utctl list -j s
	grep -q "$2" "$T/utd.log" || fail "not in utd's log"
	[ "$(grep -c "$2" "$T/utd.log")" -lt 5 ] || fail "said too often"
	expect 0 "s destroyed: $events events, $lost lost.*$2" utctl destroy s
	readers_agree "$1"
	[ "$(wc -l <"$T/view.out")" -eq "$events" ] ||
	    fail "view prints another number of events"
	grep -v 'events* discarded' "$T/view.err" && fail "view complains"
	n=$(discarded)
	[ "$n" -le "$lost" ] || fail "$n discarded of $lost lost"
	return 0
}

# In eight turns, each of less than the buffers hold: 4 events a hit.
trace() {
	turn=0
	while [ $turn -lt 8 ]; do
		pulse hit $(($1 / 32))
		utctl list >/dev/null || fail "list"
		turn=$((turn + 1))
	done
}

session() {
	utctl create -o "$1" s >/dev/null &&
	    utctl enable-channel -b 4k -n 256 c &&
	    utctl enable-event -c c '*' && utctl start || fail "set-up"
}

# A file, and that is also the buffers, must not grow beyond 2 MB.
(ulimit -f 4096 && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
session "$T/trace"
pulse_start
trace $total
check "$T/trace" 'File too large'
kill -9 $PULSE
stop_utd || fail "utd: status $?"

# As record says it.
(ulimit -f 4096 && exec utctl record -o "$T/rec" -b 4k -n 256 -- \
    sh -c 'for i in 1 2 3 4 5 6 7 8; do echo hit 10000; sleep 0.1; done |
        ./prog/pulse') >"$T/out" 2>"$T/err"
[ $? -eq 1 ] || fail "record: status is not 1: $(cat "$T/err")"
grep -q 'events are lost: File too large' "$T/err" ||
    fail "record: $(cat "$T/err")"

# A file system that is full, and later is not.
[ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] || exit 0
mkdir "$T/small"
mount -t tmpfs -o size=1m tmpfs "$T/small" 2>/dev/null || exit 0
trap 'umount "$T/small" 2>/dev/null || umount -l "$T/small"; finish' EXIT
start_utd
session "$T/small/trace"
pulse_start
dd if=/dev/zero of="$T/small/ballast" bs=1k count=400 2>/dev/null
trace $((total - 320))
counts s
[ "$lost" -gt 0 ] || fail "nothing lost: $events"
rm "$T/small/ballast"
./prog/seq 9 1 320 || fail "seq: $?"
check "$T/small/trace" 'No space left'
# There was room again, so the last packet tells how many.
[ "$n" -eq "$lost" ] || fail "$n discarded of $lost lost"
[ "$(grep -c 'writer = 9216' "$T/view.out")" -eq 320 ] ||
    fail "no events once there was room"

# Of a file with a gap, packets tell what is missing, though there may be room
# for no other file.
rm -rf "$T/small/trace"
for room in 12 16 20 24 28 40 100 300 900; do
	dd if=/dev/zero of="$T/small/ballast" bs=1k count=$((1024 - room)) \
	    2>/dev/null
	utctl record -o "$T/small/full" -b 4k -n 64 -- \
	    ./prog/seq 1 $((room % 3 + 1)) 200000 >"$T/out" 2>"$T/err"
	utctl view "$T/small/full" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
	    fail "full: $(cat "$T/got")"
	read -r got writers missing <"$T/got"
	n=$(discarded)
	[ "$missing" -le "$n" ] ||
	    fail "room $room: $missing missing, $n told"
	lost=$(sed -n 's/^utctl: .* events, \([0-9]*\) lost.*/\1/p' "$T/err")
	[ "$n" -eq "$lost" ] || grep -q 'may have been' "$T/view.err" ||
	    fail "room $room: $lost lost, $n told"
	rm -rf "$T/small/full"
done

# Not even room for the metadata: nothing is half there.
dd if=/dev/zero of="$T/small/ballast" bs=1k 2>/dev/null
utctl create -o "$T/small/full" s >/dev/null 2>&1 &&
    utctl enable-channel -b 4k -n 256 c &&
    utctl enable-event -c c '*' && utctl start || fail "set-up"
./prog/seq 1 1 100
counts s
[ "$events" -eq 0 ] || fail "$events events without metadata"
grep -q '"error":"channel c: events wait: No space left' "$T/counts" ||
    fail "list does not say why: $(cat "$T/counts")"
rm "$T/small/ballast"
# They have waited in the buffers: once they are written all is well.
written() {
	counts s
	[ "$events" -eq 100 ]
}
until_ok written || fail "not written: $(utctl list s)"
grep 'error:' "$T/counts" && fail "an error of before"
./prog/seq 2 1 100
expect 0 "s destroyed: 200 events, 0 lost, $BYTES" utctl destroy s
if [ -s "$(ls -d "$T"/small/full/ust/uid/*/*/metadata)" ]; then
	readers_agree "$T/small/full"
fi
stop_utd || fail "utd: status $?"
