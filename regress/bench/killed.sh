# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs that are killed with SIGKILL, four at a time, each at a time of its
# own, with buffers that all share: how many events are not in the trace whose
# calls returned.  bench.sh's row 14.

. bench/common.sh
programs
compile killed.ut bench/killed.c "$LIBUT" || fail "cannot build"
! have_lttng || compile killed.lt -DLTTNG bench/killed.c $LTTNG_CC ||
    fail "cannot build"
N=100
[ -z "$QUICK" ] || N=20

# Events whose calls returned, of $N programs.
kill_them() {
	rm -f "$T"/returned.*
	k_i=0
	while [ $k_i -lt $N ]; do
		k_pids=
		for k in 1 2 3 4; do
			"$T/killed.$1" "$T/returned.$k_i" &
			k_pids="$k_pids $!"
			k_i=$((k_i + 1))
		done
		sleep 0.05
		for k in $k_pids; do
			nap 20
			kill -9 "$k"
		done
		wait $k_pids 2>/dev/null
	done
	cat "$T"/returned.* | od -An -v -tu8 -w8 |
	    awk '{ n += $1 } END { print n }' >"$T/returned"
}

# One run with each.  LTTng's daemons are new each time, as they may hang.
r=0 hung=0
while [ $r -lt "$ROUNDS" ]; do
	start_utd
	ut_begin one
	kill_them ut
	ut_end -k
	stop_utd || fail "utd"
	got=$(utctl view -q "$ut_dir" | sed 's/ .*//') || fail "view"
	[ "$ut_lost" -eq 0 ] || fail "ut: $ut_lost discarded"
	echo "$(cat "$T/returned") $got" >>"$T/m.ut"
	rm -rf "$ut_dir"
	if have_lttng; then
		lt_begin one
		kill_them lt
		timeout 20 lttng --no-sessiond -q destroy s \
		    >"$T/lt.out" 2>&1 || hung=$((hung + 1))
		for k in $(lt_consumerd) $SESSIOND_PID; do
			kill -9 "$k"
		done
		got=$(babeltrace2 "$lt_dir" -c sink.utils.counter \
		    2>/dev/null |
		    awk '/ Event messages/ { n = $1 } END { print n + 0 }')
		echo "$(cat "$T/returned") $got" >>"$T/m.lt"
		rm -rf "$lt_dir" "$LTTNG_HOME"
		lt_down
		lt_up
	fi
	r=$((r + 1))
done
percent() {
	calc "100 * ($(sum "$1") - $(sum "$1" 2)) / $(sum "$1")"
}
l=$LTTNG_ABSENT hangs=$LTTNG_ABSENT
! have_lttng || l=$(percent lt) hangs="$hung of $ROUNDS"
row "$N programs killed: events lost" "%" "$(percent ut)" "$l" "" \
    "none" "u == 0"
row "the same: destroy does not end" "" "0 of $ROUNDS" "$hangs" ""
