# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A session that is rotated again and again while programs write, are killed,
# and come anew, and while consumers and utd are killed: each chunk can be read
# alone by both readers, and all of them together have every event once.  What a
# thread records while its consumer is in the middle of a rotation may be in
# either chunk, a later event in the earlier one, too.
# ROTATE_SECONDS=60 is the long form.

. ./common.sh

seconds=${ROTATE_SECONDS:-6}

# Two: one with buffers of each user, and one with those of each program.  There
# is room for what is written while nobody runs in a busy machine.
sessions="s p"
utctl_each() {
	for each in $sessions; do
		utctl "$@" $each || fail "utctl $* $each"
	done
}
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" ${2:-} -b 16k -n 256 c &&
	    utctl enable-event -s "$1" -c c 'seq:tick' || fail "set-up of $1"
}

# A writer of 3 threads, until it is killed, and now and then another user's.
i=0 args=
writer() {
	i=$((i + 1))
	who=
	[ "$(id -u)" -ne 0 ] || [ $((i % 3)) -ne 0 ] ||
	    who="./prog/asuser 65533"
	: >"$T/progress.$i" && chmod 666 "$T/progress.$i"
	$who ./prog/seq -p 500 $i 3 90000000 "$T/progress.$i" &
	CHILDREN="$CHILDREN $!"
	running="$running $!"
	args="$args $i:$T/progress.$i"
	# One that begins while no utd runs is not recorded from the first.
	until_ok has_begun "$T/progress.$i" || fail "writer $i does not begin"
}

has_begun() {
	[ "$(returned "$1")" -gt 0 ]
}

# Chunks alone, and their events together.
all_chunks() {
	: >"$T/all"
	chunks=0 events=0
	for d in $(ls "$T/$1/archives" | sed 's/.*-//' | sort -n); do
		d=$(echo "$T/$1"/archives/*-$d)
		chunks=$((chunks + 1))
		if [ -z "$(find "$d" -name metadata)" ]; then
			expect 0 'no events were recorded' utctl view "$d"
			continue
		fi
		readers_agree "$d"
		cat "$T/view.out" >>"$T/all"
		grep . "$T/view.err" && fail "$d: view complains"
	done
	ls -A "$T/$1/archives" | grep '^\.' && fail "a chunk is half there"
	return 0
}

chmod 755 "$T" "$UT_RUNDIR"
start_utd
session s
session p -p
complains 'never started' utctl rotate s
complains 'never started' utctl clear s
utctl start s >/dev/null || fail "start"
utctl list -j s >"$T/before"
complains 'less than 50 ms' utctl rotate -t 49ms s
complains "time '1x': not a number" utctl rotate -t 1x s
complains "size 'x': not a number" utctl rotate -z x s
complains 'session none does not exist' utctl rotate none
utctl list -j s | cmp -s - "$T/before" || fail "changed"

# By hand: what is written before is in the chunk, and the rest is not.
./prog/seq 4000 1 100 || fail "seq: $?"
expect 0 "session s rotated: $T/s/archives/[0-9T+-]*-1\$" utctl rotate s
first=$(sed 's/.* rotated: //' "$T/out")
readers_agree "$first"
[ "$(wc -l <"$T/view.out")" -eq 100 ] || fail "not 100 events in $first"
[ ! -d "$T/s/ust/uid" ] || fail "$(find "$T/s")"
./prog/seq 4001 1 10 || fail "seq: $?"
expect 0 '-2$' utctl rotate s
[ "$(count_events "$(sed 's/.* rotated: //' "$T/out")" seq:tick)" -eq 10 ] ||
    fail "not 10 events in the second chunk"
expect 0 '-3$' utctl rotate s
expect 0 'no events were recorded' \
    utctl view "$(sed 's/.* rotated: //' "$T/out")"
expect 0 ' 110 events, 0 lost' utctl list s

# As often as can be, with all that can happen.
utctl start p >/dev/null || fail "start p"
utctl_each rotate -t 50ms
end=$(($(date +%s) + seconds))
faults=0 turn=0 running=
writer
writer
writer
while [ "$(date +%s)" -lt $end ]; do
	writer
	nap 90
	turn=$((turn + 1))
	case $((turn % 9)) in
	1|5)	kill_consumers; faults=$((faults + 1)) ;;
	3)	kill_utd 0; start_utd; faults=$((faults + 1)) ;;
	7)	kill_utd $((turn / 9 % 2 + 1))
		start_utd
		faults=$((faults + 1)) ;;
	8)	utctl rotate s >/dev/null 2>&1 ;;
	esac
	set -- $running
	if [ $# -gt 5 ]; then
		kill -9 $1
		wait $1 2>/dev/null
		shift
		running=$*
		faults=$((faults + 1))
	fi
	nap 90
done
utctl_each rotate -t 0
kill -9 $running
wait $running 2>/dev/null
for each in $sessions; do
	until_ok utctl rotate $each || fail "$(utctl rotate $each 2>&1)"
	expect 0 'stopped: [0-9]* events, 0 lost' utctl stop $each
	told=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")
	bytes=$(sed -n 's/.* \([0-9]*\) bytes.*/\1/p' "$T/out")
	expect 0 'destroyed' utctl destroy $each
	[ -z "$(ls -d "$T/$each"/chunk-* 2>/dev/null)" ] ||
	    fail "$(find "$T/$each" ! -path "*/archives/*"; cat "$T/utd.log"; ls "$T/$each/archives")"
	all_chunks $each
	n=$(stream_bytes "$T/$each")
	LC_ALL=C sort -s -k 1,2 "$T/all" >"$T/sorted"
	./prog/seqcheck $args <"$T/sorted" >"$T/got" ||
	    fail "$each: $(cat "$T/got")"
	read -r events writers missing <"$T/got"
	echo "$each: $chunks chunks, $events events of $writers threads," \
	    "gaps of $missing"
	[ "$missing" -eq 0 ] || fail "gaps of $missing"
	[ "$events" -eq "$told" ] || fail "$events events, and utd told $told"
	[ "$bytes" -eq "$n" ] || fail "$n bytes, and utd told $bytes"
	[ "$chunks" -gt $((seconds * 2)) ] || fail "only $chunks chunks"
done
# A consumer is killed when it has written the last packets of a chunk, and not
# noted that yet: they are not written once more.
attached() {
	grep -q attached "$T/strace"
}
slowed() {
	rm -f "$T/strace"
	strace -o /dev/null -e trace=writev \
	    -e inject=writev:delay_exit=2000000:when=1 -p "$1" \
	    2>"$T/strace" &
	CHILDREN="$CHILDREN $!"
	until_ok attached
}
if command -v strace >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
	utctl create -o "$T/k" k >/dev/null && utctl enable-channel c &&
	    utctl enable-event -c c 'seq:tick' && utctl start k ||
	    fail "set-up of k"
	./prog/seq 1 1 1
	utctl list k >/dev/null || fail "list"
	for each in 2 3 4 5 6; do
		victim=$(consumers)
		slowed $victim || break
		./prog/seq $each 1 100 || fail "seq: $?"
		utctl rotate k >"$T/out" 2>&1 &
		rotating=$!
		sleep 0.5
		kill -9 $victim
		wait $rotating || fail "rotate: $(cat "$T/out")"
	done
	expect 0 'destroyed' utctl destroy k
	: >"$T/all"
	for d in "$T"/k/archives/*; do
		[ -z "$(find "$d" -name metadata)" ] ||
		    utctl view "$d" >>"$T/all" || fail "view $d"
	done
	./prog/seqcheck <"$T/all" >"$T/got" || fail "k: $(cat "$T/got")"
	[ "$(cat "$T/got")" = "$((each * 100 - 99)) $each 0" ] ||
	    [ "$each" -lt 6 ] || fail "k: $(cat "$T/got")"
fi

# A program is killed while its consumer has yet to go on in the next chunk, and
# then so is that: what it had written is counted by the next one.
utctl create -o "$T/q" q >/dev/null && utctl enable-channel -p c &&
    utctl enable-event -c c 'seq:tick' && utctl start q >/dev/null ||
    fail "set-up of q"
background ./prog/seq -p 1000 1 1 90000000
until_ok sh -c "ls -d $T/q/ust/pid/seq-*" || fail "nothing is written"
at=$(consumers)
halt $at
utctl rotate q >"$T/rotate.out" 2>&1 &
rotating=$!
until_ok sh -c 'utctl rotate q 2>&1 | grep "being rotated"' ||
    fail "not rotated"
kill -9 $LAST
until_ok has_programs q seq 0 || fail "it does not end"
kill -9 $at
# One of the two has begun it.
wait $rotating || grep -q 'being rotated' "$T/rotate.out" ||
    fail "rotate: $(cat "$T/rotate.out")"
until_ok sh -c "ls -d $T/q/archives/*" || fail "not rotated in the end"
expect 0 'destroyed' utctl destroy q
n=$(stream_bytes "$T/q")
grep -q " lost, $n bytes" "$T/out" || fail "not $n bytes: $(cat "$T/out")"

# Lost events are told of once, in whatever chunk, also by those who take over.
utctl create -o "$T/l" l >/dev/null && utctl enable-channel -b 4k -n 4 c &&
    utctl enable-event -c c 'seq:tick' && utctl rotate -t 50ms &&
    utctl start || fail "set-up of l"
background ./prog/seq 4002 3 900000000
for each in 1 2 3 4; do
	nap 99
	case $each in
	2)	kill_consumers ;;
	3)	kill_utd 0; start_utd ;;
	esac
	nap 99
done
kill -9 $LAST
utctl rotate -t 0 l || fail "rotate -t 0"
until_ok utctl rotate l || fail "$(utctl rotate l 2>&1)"
expect 0 'stopped' utctl stop l
told=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$T/out")
expect 0 'destroyed' utctl destroy l
sum=0
for d in "$T"/l/archives/*; do
	[ -n "$(find "$d" -name metadata)" ] || continue
	utctl view "$d" >/dev/null 2>"$T/view.err" || fail "view $d"
	sum=$((sum + $(discarded)))
done
echo "$sum discarded in all chunks, $told lost"
[ "$told" -gt 0 ] && [ "$sum" -eq "$told" ] || fail "$sum discarded of $told"

survived "$faults" "faults while sessions are rotated each 50 ms" \
    "$(returned "$T"/progress.*)" "$events"
stop_utd || fail "utd: status $?"
