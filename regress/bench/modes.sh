# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the modes of a channel cost an event, with room and without, and what a
# filter costs that rejects.  As in event.sh there are bursts; the modes take
# turns, each in sessions of its own.

. bench/common.sh
programs
start_utd
n=$(burst_of 12)
burst="-b $BURSTS -e one -n $n burst"

# turn KEY [option of enable-channel ...]
turn() {
	key=$1
	shift
	ut_begin one "$@"
	measure "ut.$key" "$T/load.ut" $burst
	ut_ends "ut.$key"
}

r=0
while [ $r -lt "$ROUNDS" ]; do
	turn discard
	turn overwrite -m overwrite
	turn block -m block -t forever
	if have_lttng; then
		lt_begin one $LT_POOL --overwrite
		measure lt.overwrite "$T/load.lt" $burst
		lt_ends lt.overwrite
	fi
	r=$((r + 1))
done
discard=$(median ut.discard)
row "one int, discard" ns "$(value ut.discard)" "" ""
row "one int, overwrite, with room" ns "$(value ut.overwrite)" \
    "$(value lt.overwrite)" "" "<= discard + 5%" "u <= 1.05 * $discard"
row "one int, block, with room" ns "$(value ut.block)" "" "" \
    "<= discard + 5%" "u <= 1.05 * $discard"

# Nobody drains: each event takes the place of the oldest.  LTTng does so in a
# session for snapshots.
ut_begin one -m overwrite
"$T/load.ut" -e one -n 10 count >"$T/out" || fail "load: $?"
halt $(consumers)
LT_CREATE=--snapshot
! have_lttng || lt_begin one $LT_POOL --overwrite
LT_CREATE=
# All there is, several times.
n=$((POOL / 12)) r=0
while [ $r -lt "$ROUNDS" ]; do
	measure ut.oldest "$T/load.ut" -b 5 -e one -n $n burst
	! have_lttng || measure lt.oldest "$T/load.lt" -b 5 -e one -n $n burst
	r=$((r + 1))
done
kill -CONT $(consumers)
ut_end
grep -q ' [1-9][0-9]* overwritten' "$T/out" || fail "nothing was overwritten"
[ "$ut_lost" -eq 0 ] || echo "$ut_lost" >"$T/m.ut.oldest.lost"
# What LTTng has kept is in a snapshot.
if have_lttng; then
	lt snapshot record -s s
	lt_end ""
	[ "${lt_events:-1}" -gt 0 ] || echo none >"$T/m.lt.oldest.not"
fi
row "one int, over the oldest" ns "$(value ut.oldest)" "$(value lt.oldest)" ""

# A filter lets nothing pass; beside it, one that lets all pass, and none.
# filtered KEY FILTER [EVENTS that pass]
filtered() {
	f_key=$1 f_filter=$2 f_passed=${3:-}
	utctl create -o "$T/ut" s >/dev/null && utctl enable-channel c &&
	    utctl enable-event -c c -f "$f_filter" load:one >/dev/null &&
	    utctl start || fail "cannot start a session"
	ut_dir=$T/ut
	measure "ut.$f_key" "$T/load.ut" $burst
	ut_ends "ut.$f_key" "${f_passed:-$(calls "ut.$f_key")}"
	have_lttng || return 0
	LT_FILTER=$f_filter
	lt_begin one
	LT_FILTER=
	measure "lt.$f_key" "$T/load.lt" $burst
	lt_ends "lt.$f_key" "${f_passed:-$(calls "lt.$f_key")}"
}
r=0
while [ $r -lt "$ROUNDS" ]; do
	turn none
	filtered rejected 'n == -1' 0
	filtered passed 'n != -1'
	r=$((r + 1))
done
none=$(median ut.none)
# What records nothing at all does not pass for a filter that rejects.
for p in ut lt; do
	! [ -s "$T/m.$p.passed.not" ] ||
	    cp "$T/m.$p.passed.not" "$T/m.$p.rejected.not"
done
row "one int, rejected by a filter" ns "$(value ut.rejected)" \
    "$(value lt.rejected)" "" "<= one recorded" "u <= $none"
row "one int, passed by a filter" ns "$(value ut.passed)" \
    "$(value lt.passed)" "" ""
