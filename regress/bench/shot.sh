# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Snapshots of the whole pool, while nobody writes and while a thread writes as
# fast as it can, and what that costs the thread; and the end of a chunk.  The
# tracers take turns.

. bench/common.sh
programs
start_utd

# Sessions "s" that keep what load:one records.
ut_keep() {
	utctl create -S -o "$T/ut" s >/dev/null && utctl enable-channel c &&
	    utctl enable-event -c c load:one >/dev/null && utctl start ||
	    fail "cannot start a session"
}
lt_keep() {
	LT_CREATE=--snapshot
	lt_begin one $LT_POOL --overwrite
	LT_CREATE=
}
ut_drop() {
	utctl destroy s >/dev/null || fail "destroy"
	rm -rf "$T/ut"
}
lt_drop() {
	lt_end
}
ut_shot="utctl snapshot s"
lt_shot="lttng --no-sessiond snapshot record -s s"

# written KEY DIR: the MB of a snapshot, the mean of those in the directory.
# They may be fewer than the pool has: with each snapshot LTTng gives up a
# sub-buffer of each processor.  One without events is not a measurement.
written() {
	for w_dir in "$2"/*; do
		sizes "$w_dir"
	done | awk '{ n += $1 } END { print n / NR / 1e6 }' >>"$T/m.$1.mb"
	tail -n 1 "$T/m.$1.mb" | awk '{ exit !($1 < 0.1) }' &&
		echo "nothing" >>"$T/m.$1.not"
	rm -rf "$2"/*
}

# shots KEY command...: time a snapshot each 100 ms, beside the load.
shots() {
	shots_key=$1
	shift
	while :; do
		sleep 0.1
		measure "$shots_key" "$T/timed" "$@"
	done
}

# writes TRACER SNAPSHOT DIR: the rate of a thread without snapshots and with
# them.
writes() {
	measure "$1.alone" "$T/load.$1" -e one -s $ms -r 1e9 rate
	shots "$1.busy" $2 &
	shooter=$!
	measure "$1.beside" "$T/load.$1" -e one -s $ms -r 1e9 rate
	kill $shooter
	wait $shooter 2>/dev/null
	# The one that it was in the middle of.
	sleep 0.5
	written "$1.busy" "$3"
}

# quiet TRACER SNAPSHOT DIR: of buffers that eight threads have filled.
quiet() {
	"$T/load.$1" -e one -t 8 -s 300 -r 1e9 rate >"$T/out" ||
	    fail "load: $?"
	measure "$1.quiet" "$T/timed" $2
	written "$1.quiet" "$3"
}

ms=1000
[ -z "$QUICK" ] || ms=300
r=0
while [ $r -lt "$ROUNDS" ]; do
	ut_keep
	quiet ut "$ut_shot" "$T/ut/snapshots"
	writes ut "$ut_shot" "$T/ut/snapshots"
	ut_drop
	if have_lttng; then
		lt_keep
		quiet lt "$lt_shot" "$T/lttng"
		writes lt "$lt_shot" "$T/lttng"
		lt_drop
	fi
	r=$((r + 1))
done
less() {
	unless "$1.busy" "$(calc \
	    "100 * (1 - $(median "$1.beside") / $(median "$1.alone"))")"
}
has() {
	unless "$1" "$(median "$1.mb")"
}
row "snapshot of 8 MB" ms "$(value ut.quiet)" "$(value lt.quiet)" ""
row "  it has" MB "$(has ut.quiet)" "$(has lt.quiet)" ""
row "the same, a thread at full speed" ms "$(value ut.busy)" \
    "$(value lt.busy)" ""
row "  it has" MB "$(has ut.busy)" "$(has lt.busy)" ""
row "  events less, one each 100 ms" % "$(less ut)" "$(less lt)" ""

# rotate beside a million events a second.
r=0
while [ $r -lt "$ROUNDS" ]; do
	ut_begin one
	"$T/load.ut" -e one -s $ms -r 1e6 rate >"$T/out.load" &
	sleep 0.2
	measure ut.rotate "$T/timed" utctl rotate s
	wait $! || fail "load: $?"
	ut_ends ut.rotate "$(awk '{ print $2 }' "$T/out.load")"
	if have_lttng; then
		lt_begin one
		"$T/load.lt" -e one -s $ms -r 1e6 rate >"$T/out.load" &
		sleep 0.2
		measure lt.rotate "$T/timed" lttng --no-sessiond rotate s
		wait $! || fail "load: $?"
		lt_ends lt.rotate "$(awk '{ print $2 }' "$T/out.load")"
	fi
	r=$((r + 1))
done
row "rotate, 1 M events/s" ms "$(value ut.rotate)" "$(value lt.rotate)" ""
