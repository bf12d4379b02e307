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

# turn KEY [option of enable-channel ...]: $lost_KEY is not 0 if any was.
turn() {
	key=$1
	shift
	ut_begin one "$@"
	measure "ut.$key" "$T/load.ut" $burst
	ut_end
	[ "$ut_lost" -eq 0 ] || eval "lost_$key=\$ut_lost"
}

lost_discard=0 lost_overwrite=0 lost_block=0 lost_lttng=0
r=0
while [ $r -lt "$ROUNDS" ]; do
	turn discard
	turn overwrite -m overwrite
	turn block -m block -t forever
	if have_lttng; then
		lt_begin one $LT_POOL --overwrite
		measure lt.overwrite "$T/load.lt" $burst
		lt_end
		[ "$lt_lost" -eq 0 ] || lost_lttng=$lt_lost
	fi
	r=$((r + 1))
done
discard=$(median ut.discard)
row "one int, discard" ns "$(unless_lost "$discard" "$lost_discard")" "" ""
row "one int, overwrite, with room" ns \
    "$(unless_lost "$(median ut.overwrite)" "$lost_overwrite")" \
    "$(lttng_or_why "$(unless_lost "$(median lt.overwrite)" "$lost_lttng")")" \
    "" "<= discard + 5%" "u <= 1.05 * $discard"
row "one int, block, with room" ns \
    "$(unless_lost "$(median ut.block)" "$lost_block")" "" "" \
    "<= discard + 5%" "u <= 1.05 * $discard"

# Nobody drains: each event takes the place of the oldest.  LTTng does so in a
# session for snapshots.
ut_begin one -m overwrite
"$T/load.ut" -e one -n 10 count >"$T/out" || fail "load: $?"
halt $(consumers)
if have_lttng; then
	lt create --snapshot -o "$T/lttng" s &&
	    lt enable-channel -u -s s $LT_POOL --overwrite c &&
	    lt enable-event -u -s s -c c load:one && lt start s ||
	    fail "lttng: $(head -3 "$T/lt.out")"
fi
# All there is, several times.
n=$((POOL / 12)) r=0
while [ $r -lt "$ROUNDS" ]; do
	measure ut.oldest "$T/load.ut" -b 5 -e one -n $n burst
	! have_lttng || measure lt.oldest "$T/load.lt" -b 5 -e one -n $n burst
	r=$((r + 1))
done
kill -CONT $(consumers)
ut_end
! have_lttng || lt destroy s
grep -q ' [1-9][0-9]* overwritten' "$T/out" || fail "nothing was overwritten"
row "one int, over the oldest" ns \
    "$(unless_lost "$(median ut.oldest)" "$ut_lost")" \
    "$(lttng_or_why "$(median lt.oldest)")" ""

# A filter lets nothing pass; beside it, one that lets all pass, and none.
filtered() {
	f_key=$1 f_filter=$2
	utctl create -o "$T/ut" s >/dev/null && utctl enable-channel c &&
	    utctl enable-event -c c -f "$f_filter" load:one >/dev/null &&
	    utctl start || fail "cannot start a session"
	ut_dir=$T/ut
	measure "ut.$f_key" "$T/load.ut" $burst
	ut_end
	! have_lttng || {
		lt create -o "$T/lttng" s &&
		    lt enable-channel -u -s s $LT_POOL c &&
		    lt enable-event -u -s s -c c load:one \
		    --filter "$f_filter" && lt start s ||
		    fail "lttng: $(head -3 "$T/lt.out")"
		measure "lt.$f_key" "$T/load.lt" $burst
		lt stop s && lt destroy s
		rm -rf "$T/lttng"
	}
}
r=0
while [ $r -lt "$ROUNDS" ]; do
	turn none
	filtered rejected 'n == -1'
	filtered passed 'n != -1'
	r=$((r + 1))
done
none=$(median ut.none)
row "one int, rejected by a filter" ns "$(median ut.rejected)" \
    "$(lttng_or_why "$(median lt.rejected)")" "" \
    "<= one recorded" "u <= $none"
row "one int, passed by a filter" ns "$(median ut.passed)" \
    "$(lttng_or_why "$(median lt.passed)")" "" ""
