# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs write into the counts of their buffers what no program counts: what
# was lost, there or by programs of another user, is told all the same, once and
# exactly, by list, stop, record and stat.

. ./common.sh

ONE=65534 OTHER=65533
NONSENSE='channel channel0: the buffers are damaged'

# For root, of that user.
scribble() {	# uid, what, ms
	if [ "$(id -u)" -eq 0 ]; then
		hold ./prog/asuser "$1" \
		    ./prog/scribble "$UT_RUNDIR" "$2" "${3:-0}"
	else
		hold ./prog/scribble "$UT_RUNDIR" "$2" "${3:-0}"
	fi
	release || fail "scribble $2: $?"
}

begin() {	# session, options of its channel
	rm -rf "$T/$1"
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel ${2-} channel0 &&
	    utctl enable-event 'hostile:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $1"
}

# What list -j says is lost, of users, channel and session, sorted.
lost() {	# how many, ...
	utctl list -j s >"$T/list" || fail "list -j"
	got=$(echo $(grep -o '"lost":[0-9]*' "$T/list" | sed 's/.*://' |
	    sort -n))
	[ "$got" = "$*" ] || fail "lost: $got, not $*: $(cat "$T/list")"
}

damaged() {
	utctl list "$1" | grep -q "warning: $NONSENSE"
}

# Nothing is undone by who has lost it.
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || fail "chmod"
start_utd
begin s
scribble $ONE lose
lost 1000 1000 1000
! damaged s || fail "damaged: $(utctl list s)"
scribble $ONE unlose
lost 1000 1000 1000
damaged s || fail "not said: $(utctl list s)"
scribble $ONE unlose
scribble $ONE unlose
lost 1000 1000 1000
expect 0 ' 0 events, 1000 lost, ' utctl stop s
expect 0 '"events":0,"discarded":1000,' utctl stat -j "$T/s"
expect 0 '' utctl destroy s

# What grows without end is not counted, either.
begin s
scribble $ONE lose
lost 1000 1000 1000
scribble $ONE leap 100
lost 1000 1000 1000
utctl list s >"$T/list"
! grep -q 'overwritten\|waited' "$T/list" || fail "counted: $(cat "$T/list")"
expect 0 ' 0 events, 1000 lost, ' utctl stop s
expect 0 '"events":0,"discarded":1000,' utctl stat -j "$T/s"
expect 0 '' utctl destroy s

# Bytes without an event are no packet: there is no directory for them.
begin s -p
scribble $ONE bare
damaged s || fail "bare: $(utctl list s)"
! utctl list s | grep -v "$NONSENSE" | grep warning: || fail "bare: warned"
expect 0 '' utctl destroy s

# What cannot be is not told.
begin s
scribble $ONE absurd
damaged s || fail "absurd: $(utctl list s)"
! utctl list s | grep 'does not fit\|cannot connect' || fail "absurd: told"
expect 0 '' utctl destroy s

# The events of another user are lost all the same.
if [ "$(id -u)" -eq 0 ]; then
	begin s
	scribble $OTHER lose
	lost 1000 1000 1000
	scribble $ONE unlose
	lost 0 1000 1000 1000
	scribble $ONE leap 100
	lost 0 1000 1000 1000
	expect 1 '' sh -c "utctl list s | grep -q 'overwritten\|waited'"
	# So they are for the next utd, and the next consumers.
	kill_utd 0
	start_utd
	lost 0 1000 1000 1000
	kill_consumers
	until_ok member_is 1000 s channels channel0 registries 65533 lost ||
	    fail "consumers: $(utctl list s)"
	lost 0 1000 1000 1000
	expect 0 ' 0 events, 1000 lost, ' utctl stop s
	expect 0 '"events":0,"discarded":1000,' utctl stat -j "$T/s"
	expect 0 ' 0 events, 1000 lost, ' utctl destroy s
fi
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
! grep -q 'descriptor' "$T/utd.log" || fail "log: $(cat "$T/utd.log")"

# A command's own utd.
expect 1 ' 0 events, 0 lost, ' utctl record -o "$T/trace" -- \
    sh -c './prog/scribble "$UT_RUNDIR" unlose 0 </dev/null'
grep -q "$NONSENSE" "$T/err" || fail "record: $(cat "$T/err")"

# A trace in which a count leaps, to the end of the numbers and again: that is
# told, and not added.
recorded -- ./prog/seq 1 1 10000
stream=$(find "$T/trace" -name channel0_0)
./prog/packets "$stream" >"$T/packets" && [ "$(wc -l <"$T/packets")" -ge 4 ] ||
    fail "packets: $(cat "$T/packets")"
leaps() {	# which, where its count is
	cp "$stream" "$T/whole" || exit 1
	for n in 2 4; do
		at=$(sed -n "${n}s/ .*//p" "$T/packets")
		printf '\177\377\377\377\377\377\377\177' | dd of="$stream" \
		    bs=1 seek=$((at + $2)) conv=notrunc 2>/dev/null
	done
	for c in "stat -j" "view -jq"; do
		expect 1 "$1 leaps from 0 to 9223372036854775679" utctl $c \
		    "$T/trace"
		[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$c: $(cat "$T/err")"
		grep -q '"events":10000,"discarded":0,"lost_packets":0' \
		    "$T/out" || fail "$c: $(cat "$T/out")"
	done
	cp "$T/whole" "$stream" || exit 1
}
leaps events_discarded 72
leaps packet_seq_num 64
