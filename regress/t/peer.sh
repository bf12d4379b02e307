# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that is traced without libut, written from the manuals alone: see
# prog/peer.c.  Its events are all there and have the right values, wherever
# it dies, and it gets along with programs that have libut.

. ./common.sh

session() {
	rm -rf "$T/trace"
	utctl create -o "$T/trace" "$1" >/dev/null &&
	    utctl enable-channel -b 4k -n "$2" channel0 &&
	    utctl enable-event 'peer:*' && utctl start || fail "set-up of $1"
}

said() {
	sed -n "s/^$2 //p" "$1"
}

# Every peer's events are those of the rounds from the first on, and as many
# as the peer has said: values FILE...
values() {
	readers_agree "$T/trace"
	for f in "$@"; do
		echo "$(said "$f" pid) $(said "$f" recorded)"
	done >"$T/want"
	sed -n 's/^[^ ]* [^ ]* peer\[\([0-9]*\):\([0-9]*\)\] /\1 \2 /p' \
	    "$T/view.out" | awk -v want="$T/want" '
	BEGIN {
		while ((getline line <want) > 0) {
			split(line, w)
			left[w[1]] = w[2]
		}
	}
	{
		i = int(n[$1] / 3)
		if (n[$1] % 3 == 0)
			e = sprintf("peer:number { n = %d, big = 1844674407370%07d }",
			    i % 2 ? -i : i, i)
		else if (n[$1] % 3 == 1)
			e = sprintf("peer:text { string = \"the %dth text\", words = [%s] }",
			    i, substr("65535, 65534, 65533", 1,
			    i % 4 ? 7 * (i % 4) - 2 : 0))
		else
			e = sprintf("peer:choice { which = %s, quarter = %s }",
			    i % 3 == 0 ? "below" : i % 3 == 1 ? "0" : "one",
			    i / 4)
		line = $0
		sub("^[0-9]* [0-9]* ", "", line)
		if (line != e || $1 != $2) {
			print $1 " " $2 ": " line ", not " e
			exit
		}
		n[$1]++
		left[$1]--
	}
	END {
		for (p in left)
			if (left[p] != 0)
				print "of " p " there are " left[p] " too few"
	}' >"$T/wrong"
	[ ! -s "$T/wrong" ] || fail "$(head -3 "$T/wrong")"
	[ ! -s "$T/view.err" ] || fail "$(head -3 "$T/view.err")"
}

# Peers that wait after half of their rounds, until go_on: halfway ROUNDS
# FILE...
halfway() {
	rounds=$1
	shift
	rm -f "$T/hold" "$@"		# what the last ones said is not read
	mkfifo "$T/hold" || fail "mkfifo"
	for f in "$@"; do
		./prog/peer -h "$rounds" <"$T/hold" >"$f" &
		CHILDREN="$CHILDREN $!"
	done
	exec 5>"$T/hold"
	for f in "$@"; do
		until_ok grep -q half "$f" || fail "no half: $(cat "$f")"
	done
}

# The FIFO ends for all its readers.  NetBSD wakes one of them each time.
rung() {
	grep -q rung "$1" || { : <>"$T/hold"; return 1; }
}

go_on() {
	exec 5>&-
	for f in "$@"; do
		until_ok rung "$f" || fail "no end: $(cat "$f")"
	done
}

start_utd

# Many sub-buffers, twice; the second is not asked what the first has told.
session many 512
./prog/peer 10000 >"$T/first" || fail "first: $?"
./prog/peer 10000 >"$T/second" || fail "second: $?"
expect 0 'many destroyed: 60000 events, 0 lost' utctl destroy
grep -q '^LIST 0 3$' "$T/first" && grep -q '^DESCRIBE 3$' "$T/first" ||
    fail "first: $(cat "$T/first")"
[ "$(sed -n '2,/DONE/p' "$T/second" | grep -v bell | tr '\n' ' ')" = \
    "ATTACH MAP 3 DONE " ] || fail "second: $(cat "$T/second")"
[ "$(said "$T/second" delivered)" -gt 100 ] || fail "not many sub-buffers"
echo "$(grep bell "$T/second"), rung $(said "$T/second" rung) times"
values "$T/first" "$T/second"

# Dead anywhere.
session dead 128
for where in slot claim claimed fields last commit deliver full ring leave; do
	(./prog/peer -d $where 400; echo $? >"$T/status") >"$T/dead.$where" \
	    2>"$T/dead.err"
	[ "$(cat "$T/status")" -eq 137 ] || fail "$where: does not die"
	case $where in
	slot)	;;
	*)	[ "$(said "$T/dead.$where" recorded)" -gt 500 ] ||
		    fail "$where: died too early" ;;
	esac
done
expect 0 'dead destroyed: [0-9]* events, 0 lost' utctl destroy
values "$T"/dead.[a-z]*

# What they had is free: each keeps one of four sub-buffers.
session few 4
all_recorded() {
	./prog/peer 10 >"$T/after" && [ "$(said "$T/after" lost)" -eq 0 ] &&
	    [ "$(said "$T/after" recorded)" -eq 30 ]
}
for i in 1 2 3 4 5 6; do
	until_ok all_recorded || fail "after $i deaths: $(cat "$T/after")"
	(./prog/peer -d fields 10; :) >/dev/null 2>&1
done
expect 0 'few destroyed' utctl destroy

# Idle ones give way to another, and then go on.
session idle 2
halfway 20 "$T/idle.1" "$T/idle.2"
until_ok all_recorded || fail "idle ones stay: $(cat "$T/after")"
counts idle		# and with that, what it delivered is drained
go_on "$T/idle.1" "$T/idle.2"
expect 0 'idle destroyed' utctl destroy
[ "$(cat "$T/idle.1" "$T/idle.2" | grep -c '^lost 0$')" -eq 2 ] ||
    fail "idle ones lose events"
readers_agree "$T/trace"
for f in "$T/idle.1" "$T/idle.2"; do
	n=$(grep -c " peer\[$(said "$f" pid):" "$T/view.out")
	[ "$n" -eq 60 ] || fail "$n events of an idle one"
done

# Events that find no room, or fit nowhere, are counted.
session lossy 2
./prog/peer -l 10000 >"$T/lossy" || fail "lossy: $?"
n=$(said "$T/lossy" recorded) lost=$(said "$T/lossy" lost)
[ $((n + lost)) -eq 30001 ] && [ "$lost" -gt 0 ] || fail "$n and $lost lost"
expect 0 'warning: .*an event of 60027 bytes does not fit' utctl list lossy
expect 0 "lossy destroyed: $n events, $lost lost" utctl destroy
readers_agree "$T/trace"
[ "$(discarded)" -eq "$lost" ] || fail "view: $(discarded) of $lost discarded"

# Rules change and the session ends while it runs.
session rules 512
utctl enable-channel -b 4k -n 512 more &&
    utctl enable-event -c more 'peer:number' || fail "a second channel"
halfway 1000 "$T/half"
expect 0 '' utctl disable-event 'peer:*'
expect 0 '' utctl enable-event 'peer:choice'
go_on "$T/half"
halfway 1000 "$T/half"
expect 0 'stopped: 4000 events, 0 lost' utctl stop
expect 0 'destroyed: 4000 events, 0 lost' utctl destroy
go_on "$T/half"
[ "$(grep -c DETACH "$T/half")" -eq 2 ] || fail "no DETACH: $(cat "$T/half")"
readers_agree "$T/trace"
for e in number:2000 text:500 choice:1500; do
	n=$(grep -c "peer:${e%:*}" "$T/view.out")
	[ "$n" -eq "${e#*:}" ] || fail "$e: there are $n"
done

# It comes back under another number.
session again 512
./prog/peer -r 1000 >"$T/again" || fail "again: $?"
[ "$(grep -c ATTACH "$T/again")" -eq 2 ] || fail "again: $(cat "$T/again")"
expect 0 'again destroyed: 3000 events, 0 lost' utctl destroy
values "$T/again"

# Programs with libut: one with the same events, which may have the slots and
# the numbers by turns with peer, and one with another peer:number.
cat >"$T/with.c" <<'END'
#include <ut.h>

UT_ENUMERATION(peer_choice, UT_RANGE("below", -5, -1), UT_VALUE("one", 1));
UT_EVENT(peer, number, UT_INFO, UT_I32(n), TYPE(big))
UT_EVENT(peer, text, UT_INFO, UT_STR(string), UT_SEQ(uint16_t, words))
UT_EVENT(peer, choice, UT_INFO, UT_ENUM(peer_choice, which), UT_F64(quarter))

int
main(void)
{
	for (int i = 0; i < 1000; i++) {
		UT(peer, number, i, 1);
		UT(peer, text, "text", NULL, 0);
		UT(peer, choice, 1, 0.5);
	}
	return 0;
}
END
build "$T/same" -DTYPE=UT_U64 "$T/with.c"
build "$T/other" -DTYPE=UT_X64 "$T/with.c"
session both 512
./prog/peer 1000 >"$T/turn.1" || fail "peer: $?"
"$T/same" || fail "same: $?"
./prog/peer 1000 >"$T/turn.2" || fail "peer: $?"
"$T/same" || fail "same: $?"
./prog/peer 1000 >"$T/turn.3" || fail "peer: $?"
utctl list both >"$T/list" || fail "list"
grep warning "$T/list" && fail "a warning for the same events"
"$T/other" || fail "other: $?"
expect 0 'both destroyed: 18000 events, 0 lost, [^;]*$' utctl destroy
[ "$(described peer: "$T"/trace/ust/uid/*/*/metadata)" -eq 4 ] ||
    fail "not four events in the metadata"
values "$T/turn.1" "$T/turn.2" "$T/turn.3"
stop_utd || fail "utd: status $?"
