# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user takes all descriptors from the consumer that works for that user:
# root's session is rotated and cleared all the same, by hand and by the clock,
# and nothing is lost, neither then nor when another consumer or another utd
# takes over, nor when root's consumer is slow or cannot make a directory.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
need prlimit
need timeout
chmod 755 "$T" "$UT_RUNDIR"

start_utd
for s in s p; do
	utctl create -o "$T/$s" $s >/dev/null || fail "create $s"
done
utctl enable-channel -s p -p c &&
    utctl enable-event -s p -c c 'seq:tick' pulse:a >/dev/null &&
    utctl enable-event -s s 'seq:tick' pulse:a && utctl start s >/dev/null &&
    utctl start p >/dev/null || fail "set-up"
pulse_start ./prog/asuser 65534 ./prog/pulse
pulse_on a--- || fail "$answer"
theirs=0 n=1
hit() {
	pulse hit 10
	theirs=$((theirs + 10))
	n=$((n + 1))
	./prog/asuser 65533 ./prog/seq $n 1 10 || fail "seq"
}

# starve: both sessions have events of that user then.
starve() {
	hit
	for s in s p; do
		utctl list $s >/dev/null || fail "list"
	done
	starved=$(consumer_of 65534)
	./prog/asuser 65534 prlimit --pid "$starved" --nofile=3:3 ||
	    skip "users cannot lower limits here"
}

takes_over() {
	p=$(consumer_of 65534)
	[ -n "$p" ] && [ "$p" != "$starved" ]
}

whole() {
	for s in s p; do
		utctl rotate $s >"$T/out" 2>&1 &&
		    ! grep -q 'goes with the next' "$T/out" || return 1
	done
}

# kept WHAT: nothing of that user is missing, but what was recorded last.
kept() {
	until_ok whole || fail "$1: still: $(cat "$T/out" "$T/utd.log")"
	hit
	for s in s p; do
		[ "$(count_events "$T/$s" pulse:a)" -ge $((theirs - 10)) ] ||
		    fail "$1: $s: of $theirs: $(count_events "$T/$s" pulse:a)"
	done
	echo "$1: fine"
}

rotated_lacking() {
	for s in s p; do
		expect 0 "session $s rotated: /.*$PART" timeout 20 \
		    utctl rotate $s
	done
}

PART='; the part of uid 65534 goes with the next chunk: it cannot be opened'

# Another consumer takes over while the owner's is asked for the directory.
starve
rotated_lacking
halt $(consumer_of 0)
sleep 2
kill -9 "$starved"
until_ok takes_over || fail "nobody takes over"
hit
kill -CONT $(consumer_of 0)
kept "another takes over, and the owner's consumer is slow"

starve
for i in 1 2 3; do
	rotated_lacking
	hit
done
for s in s p; do
	utctl list $s | grep -q 'warning: the part of uid 65534 cannot be op' ||
	    fail "$s: not named: $(utctl list $s)"
done
echo "by hand: fine"

# By the clock, with a command for each chunk.
for s in s p; do
	utctl rotate -t 100ms -c "echo x >>'$T/chunks.$s'" $s || fail "rotate"
done
chunks() {
	hit
	[ "$(wc -l <"$T/chunks.s")" -ge "$1" ] &&
	    [ "$(wc -l <"$T/chunks.p")" -ge "$1" ]
}
until_ok chunks 4 || fail "no chunks: $(utctl list)"
for s in s p; do
	utctl rotate -t 0 -c '' $s || fail "rotate -t 0"
done
echo "by the clock: fine"

# Another consumer takes over.
hit
kill -9 "$starved"
until_ok takes_over || fail "nobody takes over"
hit
kept "another takes over"

# So does another utd, of whose consumers none is starved.
starve
rotated_lacking
hit
kill_utd 0
start_utd
hit
kept "another utd"

# The killed utd has saved what it knew of that part since: a new event, in this
# chunk or after another one.
enable() {
	utctl enable-event -s s "$1" && utctl enable-event -s p -c c "$1" &&
	    until_ok pulse_on "$2" || fail "$1: $answer"
}
killed_since() {
	hit
	kill_utd 0
	start_utd
	hit
	kept "$1"
}
starve
rotated_lacking
enable pulse:b ab--
killed_since "another utd, after an event"
starve
rotated_lacking
rotated_lacking
enable pulse:c abc-
killed_since "another utd, after an event and a chunk"

# The owner's consumer cannot make the directory for that user, either.
starve
rotated_lacking
for s in s p; do
	ls -d "$T/$s"/chunk-*/ust/?id >"$T/above" || fail "$s: no directories"
	while read -r dir; do
		mv "$dir" "$dir.away" && : >"$dir" || fail "mv $dir"
	done <"$T/above"
done
refused() {
	utctl list $1 | grep -q 'cannot be opened: .*ust/.id'
}
for s in s p; do
	until_ok refused $s || fail "$s: it could: $(utctl list $s)"
done
for dir in "$T"/[sp]/chunk-*/ust/?id; do
	rm "$dir" && mv "$dir.away" "$dir" || fail "mv $dir"
done
hit
for s in s p; do
	expect 0 "stopped: [0-9]* events, 0 lost, $BYTES" utctl stop $s
	[ "$(count_events "$T/$s" pulse:a)" -eq $theirs ] ||
	    fail "$s: of $theirs: $(count_events "$T/$s" pulse:a)"
	expect 0 '' utctl start $s
done
hit
kill -9 "$starved"
kept "not by the owner's"

# A part that cannot go on in the next chunk is named.
hit
utctl list s >/dev/null || fail "list"
next=$(ls "$T/s" | sed -n 's/^chunk-//p' | sort -n | tail -n 1)
next=$T/s/chunk-$((next + 1))
: >"$next"
timeout 20 utctl rotate s >"$T/rotate.out" 2>&1 &
rotating=$!
named() {
	utctl list s | grep -q \
	    'the part of uid 65534 cannot go on in the next chunk: .*chunk-'
}
until_ok named || fail "not named: $(utctl list s)"
rm "$next" && wait $rotating || fail "not rotated: $(cat "$T/rotate.out")"
echo "in the way: fine"

# So it is cleared, and what was carried goes when that is complete.
starve
for s in s p; do
	expect 0 "session $s cleared$PART" timeout 20 utctl clear $s
done
hit
for s in s p; do
	expect 0 "session $s destroyed: [0-9]* events, 0 lost" timeout 20 \
	    utctl destroy $s
	[ -z "$(ls -d "$T/$s"/chunk-* 2>/dev/null)" ] ||
	    fail "not archived: $(find "$T/$s" ! -path '*/archives/*')"
	utctl view "$T/$s" >"$T/view.out" || fail "view"
	[ "$(grep -c pulse:a "$T/view.out")" -eq $theirs ] ||
	    fail "$s: not $theirs: $(grep -c pulse:a "$T/view.out")"
done
stop_utd || fail "utd: status $?"
