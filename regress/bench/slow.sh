# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What happens seldom: bench.sh's row 13.

. bench/common.sh
programs
start_utd

# A change of sub-buffer: events of 256 bytes in sub-buffers of 4k, where
# every 15th has one, beyond the same in large ones; as much memory in both.
n=$(burst_of 264) r=0
while [ $r -lt "$ROUNDS" ]; do
	for size in 4 256; do
		ut_begin bytes -b ${size}k -n $((8192 / size))
		measure ut.$size "$T/load.ut" -b "$BURSTS" -e bytes -n "$n" \
		    burst
		ut_ends ut.$size
		have_lttng || continue
		if [ $size -eq 4 ]; then
			lt_begin bytes --subbuf-size=4096 \
			    --num-subbuf=$((LT_SIZE * LT_NUM / 4096))
		else
			lt_begin bytes
		fi
		measure lt.$size "$T/load.lt" -b "$BURSTS" -e bytes -n "$n" \
		    burst
		lt_ends lt.$size
	done
	r=$((r + 1))
done
# beyond TRACER KEY OTHER TIMES: what the first takes beyond the other, if all
# events of both are recorded.
beyond() {
	beyond_ns=$(calc "($(median "$1.$2") - $(median "$1.$3")) * $4")
	case $beyond_ns in
	-*)	beyond_ns="below noise" ;;
	esac
	cat "$T/m.$1.$3.not" >>"$T/m.$1.$2.not" 2>/dev/null
	cat "$T/m.$1.$3.lost" >>"$T/m.$1.$2.lost" 2>/dev/null
	unless "$1.$2" "$beyond_ns"
}
row "change of sub-buffer" ns "$(beyond ut 4 256 15)" \
    "$(beyond lt 4 256 15)" ""

# The first burst of a new session, and the hundredth.
r=0
while [ $r -lt "$ROUNDS" ]; do
	for b in 1 100; do
		ut_begin one
		measure ut.burst$b "$T/load.ut" -b $b -n 1000 fresh
		ut_ends ut.burst$b
		! have_lttng || {
			lt_begin one
			measure lt.burst$b "$T/load.lt" -b $b -n 1000 fresh
			lt_ends lt.burst$b
		}
	done
	r=$((r + 1))
done
row "1000 events of a new session" ns "$(value ut.burst1)" \
    "$(value lt.burst1)" "" \
    "<= 1.3 x the 100th" "u <= 1.3 * $(median ut.burst100)"
row "the hundredth 1000 of them" ns "$(value ut.burst100)" \
    "$(value lt.burst100)" ""

# The first event of a thread, and the end of a thread that had one.
ut_begin one
! have_lttng || lt_begin one
r=0
while [ $r -lt "$ROUNDS" ]; do
	for p in ut lt fl; do
		[ $p != lt ] || have_lttng || continue
		measure $p.first "$T/load.$p" -b $((100 * BURSTS)) \
		    -e one thread
	done
	r=$((r + 1))
done
ut_ends ut.first "$(sum ut.first 2)"
! have_lttng || lt_ends lt.first "$(sum lt.first 2)"
row "a thread's first event, and end" ns "$(value ut.first)" \
    "$(value lt.first)" "" "<= LTTng" "u <= l"
row "a thread without an event" ns "$(value ut.first 3)" \
    "$(value lt.first 3)" "$(median fl.first 3)"

# One event now and then, when nothing of it is in the caches any more.
ut_begin one
! have_lttng || lt_begin one
r=0
while [ $r -lt "$ROUNDS" ]; do
	measure ut.cold "$T/load.ut" -b 200 cold
	! have_lttng || measure lt.cold "$T/load.lt" -b 200 cold
	r=$((r + 1))
done
ut_ends ut.cold "$(sum ut.cold 2)"
! have_lttng || lt_ends lt.cold "$(sum lt.cold 2)"
row "one int, caches cold" ns "$(value ut.cold)" "$(value lt.cold)" ""

# attach PROGRAM command ...: ms from there till the event is on in a program
# that runs.
attach() {
	a_key=$1 a_prog=$2
	shift 2
	"$T/$a_prog" on >"$T/on" &
	on=$!
	until_ok test -s "$T/on" || fail "$a_prog does not start"
	"$T/timed" -n "$@" >"$T/out" 2>&1 || fail "$*"
	if ! wait $on; then
		echo "nothing" >>"$T/m.$a_key.not"
		return
	fi
	calc "$(tail -1 "$T/on") - $(head -1 "$T/out")" >>"$T/m.$a_key"
}

# Sessions with an event that no program has.
r=0
while [ $r -lt "$ROUNDS" ]; do
	ut_begin not_there
	attach ut.attach load.ut utctl enable-event -c c load:one
	ut_end
	if have_lttng; then
		lt_begin not_there
		attach lt.attach load.lt lttng --no-sessiond enable-event \
		    -u -s s -c c load:one
		lt_end
	fi
	r=$((r + 1))
done
row "enable-event, to a program" ms "$(value ut.attach)" \
    "$(value lt.attach)" ""
