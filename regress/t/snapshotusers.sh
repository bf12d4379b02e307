# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# snapshot: of several users, without room, and of what is kept when utd ends;
# nothing is left of one that fails.

. ./shared/snapshot.sh

start_utd
# Another user's part is the user's; what another user may not do is refused.
if [ "$ME" -eq 0 ]; then
	utctl create -S -o "$T/all" all >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null || fail "all"
	./prog/seq 1 1 30 && as_user ./prog/seq 1025 1 40 || fail "seq"
	shoot all
	has_events 70 "of two users"
	[ -n "$(find "$shot" -user 65534 -name 'channel0*' -size +0)" ] &&
	    [ -n "$(find "$shot" -user 0 -name 'channel0*' -size +0)" ] ||
	    fail "whose files: $(ls -lR "$shot")"
	complains 'session all does not exist' as_user utctl snapshot all
	# Another utd waits until all consumers have taken over; so does the
	# first that asks it for anything.
	for i in 1 2 3; do
		kill_utd 1
		utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
		UTD_PID=$!
		until_ok [ -S "$UT_RUNDIR/sock" ]
		until_ok utctl snapshot -n taken$i all
		readers_agree "$T/all/snapshots/taken$i"
		[ "$(wc -l <"$T/view.out")" -eq 70 ] ||
		    fail "$(wc -l <"$T/view.out") after utd was killed"
		victims=$(consumers)
		kill_consumers
		for p in $victims; do
			until_ok gone "$p"
		done
		shoot all
		has_events 70 "of two users, after consumers were killed"
	done
	utctl destroy all >/dev/null || fail "destroy"
	mkdir -m 700 "$T/closed" || exit 1
	as_user utctl create -S -o "$T/open/u" u >/dev/null &&
	    as_user utctl enable-event 'seq:*' &&
	    as_user utctl start >/dev/null &&
	    as_user ./prog/seq 1 1 30 || fail "u"
	complains 'ermission denied' as_user utctl snapshot -o "$T/closed/x"
	complains 'ermission denied' as_user utctl snapshot -o "$T/x"
	[ ! -e "$T/x" ] && [ -z "$(ls -A "$T/closed")" ] || fail "written"
	expect 0 'snapshot of 30 events' as_user utctl snapshot
	# It is the owner who writes.
	complains "$T/root: Permission denied" \
	    utctl snapshot -o "$T/root" 65534/u
	expect 0 'snapshot of 30 events' utctl snapshot -o "$T/open/r" 65534/u
	as_user utctl destroy u >/dev/null || fail "destroy"
fi

# No room: nothing is left, and the next one is whole.
small=
if [ "$ME" -eq 0 ] && mkdir "$T/small" &&
    mount -t tmpfs -o size=256k,mode=755 tmpfs "$T/small" 2>/dev/null; then
	small=yes
	trap 'umount "$T/small" 2>/dev/null || umount -l "$T/small"; finish' \
	    EXIT
	utctl create -S -o "$T/small/f" f >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null || fail "f"
	./prog/seq 1 1 20000 || fail "seq: $?"
	complains 'session f: snapshot: .*No space left on device' \
	    utctl snapshot
	[ -z "$(ls -A "$T/small/f/snapshots")" ] ||
	    fail "left: $(find "$T/small")"
	shoot -o "$T/roomy" f
	has_events 20000 "where there is room"
	utctl destroy f >/dev/null || fail "destroy"
	umount "$T/small"
	trap finish EXIT
fi

# That of another user delays it once, and spoils nothing but that user's part:
# it comes without, also when utd has to wait for the part, and later ones, too.
# What the consumer has to do for it is not done when it goes on.
lacking='events without uid 65534 (the consumer does not answer): /'

lacks() {	# how many are there
	shot=$(sed 's/.* answer): //' "$T/out")
	readers_agree "$shot"
	[ "$(wc -l <"$T/view.out")" -eq "$1" ] ||
	    fail "not $1: $(wc -l <"$T/view.out")"
	! grep -q 'writer = 1025,' "$T/view.out" || fail "a part: $(cat "$T/view.out")"
}
if [ "$ME" -eq 0 ]; then
	utctl create -S -o "$T/z" z >/dev/null && utctl enable-event 'seq:*' &&
	    utctl start >/dev/null && as_user ./prog/seq 1025 1 40 &&
	    ./prog/asuser 65533 ./prog/seq 2 1 30 && ./prog/seq 1 1 20 ||
	    fail "z"
	shoot z
	has_events 90 "of three users"
	theirs=$(consumer_of 65534)
	halt $theirs
	for i in 1 2; do
		expect 0 "snapshot of 50 $lacking" timeout 30 \
		    utctl snapshot -c "echo \$1 >>'$T/lacks'" z
		lacks 50
		cp "$T/view.out" "$T/lacks$i"
	done
	until_ok sh -c "[ \"\$(wc -l <'$T/lacks')\" -eq 2 ]" || fail "commands"
	expect 0 'warning: snapshot without uid 65534' utctl list z
	kill -CONT $theirs
	until_ok sh -c "utctl snapshot z | grep -q ' of 90 events: '" ||
	    fail "it goes on"
	for i in 1 2; do
		readers_agree "$(sed -n ${i}p "$T/lacks")"
		cmp "$T/view.out" "$T/lacks$i" || fail "a part came later"
	done
	only_shots "$T/z" "it goes on"
	expect 0 ' 90 events, 0 lost' utctl stop z
	utctl destroy z >/dev/null || fail "destroy"
fi

# When utd ends, what is kept is written; what nothing was recorded into, not.
utctl create -S -o "$T/v" v >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 30 || fail "v"
utctl create -S -o "$T/last" last >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && utctl create -S -o "$T/none" none >/dev/null &&
    utctl enable-event 'none:*' && utctl start >/dev/null &&
    ./prog/seq 1 1 70 && utctl stop v >/dev/null || fail "last"
if [ "$ME" -eq 0 ]; then
	as_user ./prog/seq 1025 1 40 || fail "seq"
fi
stop_utd || fail "utd: status $?"
readers_agree "$T/v/snapshots"
[ "$(wc -l <"$T/view.out")" -eq 100 ] || fail "v: $(wc -l <"$T/view.out")"
readers_agree "$T/last/snapshots"
[ "$(wc -l <"$T/view.out")" -eq $((ME == 0 ? 110 : 70)) ] ||
    fail "last: $(wc -l <"$T/view.out")"
[ ! -e "$T/none/snapshots" ] || fail "$(find "$T/none")"

# Also if one consumer does not answer then.
if [ "$ME" -eq 0 ]; then
	start_utd
	utctl create -S -o "$T/end" end >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null &&
	    as_user ./prog/seq 1025 1 40 && ./prog/seq 1 1 20 || fail "end"
	halt $(consumer_of 65534)
	kill $UTD_PID
	until_ok gone $UTD_PID || fail "utd does not end"
	UTD_PID=
	grep -q "end: snapshot without uid 65534 (" "$T/utd.log" ||
	    fail "$(cat "$T/utd.log")"
	readers_agree "$T/end/snapshots"
	[ "$(wc -l <"$T/view.out")" -eq 20 ] || fail "end: not 20"
	only_shots "$T/end" "end"
fi
echo "disk full: ${small:-not tried}"
