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
	lt create --snapshot -o "$T/lttng" s &&
	    lt enable-channel -u -s s $LT_POOL --overwrite c &&
	    lt enable-event -u -s s -c c load:one && lt start s ||
	    fail "lttng: $(head -3 "$T/lt.out")"
}
ut_drop() {
	utctl destroy s >/dev/null || fail "destroy"
	rm -rf "$T/ut"
}
lt_drop() {
	lt destroy s || fail "lttng: $(head -3 "$T/lt.out")"
	rm -rf "$T/lttng"
}
ut_shot="utctl snapshot s"
lt_shot="lttng --no-sessiond snapshot record -s s"

# shots KEY command...: time a snapshot each 100 ms, beside the load.
shots() {
	shots_key=$1
	shift
	while :; do
		sleep 0.1
		measure "$shots_key" "$T/timed" "$@"
	done
}

# writes TRACER SNAPSHOT: the rate of a thread without snapshots and with them.
writes() {
	measure "$1.alone" "$T/load.$1" -e one -s $ms -r 1e9 rate
	shots "$1.busy" $2 &
	shooter=$!
	measure "$1.beside" "$T/load.$1" -e one -s $ms -r 1e9 rate
	kill $shooter
	wait $shooter 2>/dev/null
	# The one that it was in the middle of.
	sleep 0.5
}

# quiet TRACER SNAPSHOT: of buffers that eight threads have filled.
quiet() {
	"$T/load.$1" -e one -t 8 -s 300 -r 1e9 rate >"$T/out" ||
	    fail "load: $?"
	measure "$1.quiet" "$T/timed" $2
}

ms=1000
[ -z "$QUICK" ] || ms=300
r=0
while [ $r -lt "$ROUNDS" ]; do
	ut_keep
	quiet ut "$ut_shot"
	writes ut "$ut_shot"
	ut_drop
	if have_lttng; then
		lt_keep
		quiet lt "$lt_shot"
		writes lt "$lt_shot"
		lt_drop
	fi
	r=$((r + 1))
done
lost() {
	calc "100 * (1 - $(median "$1.beside") / $(median "$1.alone"))"
}
row "snapshot of 8 MB" ms "$(median ut.quiet)" \
    "$(lttng_or_why "$(median lt.quiet)")" ""
row "the same, a thread at full speed" ms "$(median ut.busy)" \
    "$(lttng_or_why "$(median lt.busy)")" ""
row "  events less, one each 100 ms" % "$(lost ut)" \
    "$(lttng_or_why "$(have_lttng && lost lt)")" ""

# rotate beside a million events a second.
r=0
while [ $r -lt "$ROUNDS" ]; do
	ut_begin one
	"$T/load.ut" -e one -s $ms -r 1e6 rate >"$T/out.load" &
	sleep 0.2
	measure ut.rotate "$T/timed" utctl rotate s
	wait $! || fail "load: $?"
	ut_end
	if have_lttng; then
		lt_begin one
		"$T/load.lt" -e one -s $ms -r 1e6 rate >"$T/out.load" &
		sleep 0.2
		measure lt.rotate "$T/timed" lttng --no-sessiond rotate s
		wait $! || fail "load: $?"
		lt_end
	fi
	r=$((r + 1))
done
row "rotate, 1 M events/s" ms "$(median ut.rotate)" \
    "$(lttng_or_why "$(median lt.rotate)")" ""
