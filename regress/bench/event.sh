# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What an event costs its program: bench.sh's rows 1 to 5 and 7.  Bursts that
# fit into the sub-buffers, with pauses in which these are emptied; libut,
# LTTng-UST and the floor take turns.

. bench/common.sh
programs
compile load.so bench/load.c -L"$TOP/libut" -lut -Wl,-rpath,"$TOP/libut" &&
    compile floor bench/floor.c || fail "cannot build"
# Not every processor has one.
compile load.cy -DPLAIN -DCYCLES bench/load.c 2>/dev/null
start_utd

bytes_none=8 bytes_one=12 bytes_mix=41 bytes_bytes=264
name_none="no field" name_one="one int"
name_mix="u64, u32, string, double" name_bytes="256 bytes"

# turns KEY EVENT [option of load ...]: with sessions that are there.
turns() {
	t_key=$1 t_event=$2
	shift 2
	eval "t_n=\$bytes_$t_event"
	t_n=$(burst_of "$t_n")
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		measure "ut.$t_key" "$T/load.ut" -b "$BURSTS" -e "$t_event" \
		    -n "$t_n" "$@" burst
		! have_lttng ||
		    measure "lt.$t_key" "$T/load.lt" -b "$BURSTS" \
		    -e "$t_event" -n "$t_n" "$@" burst
		measure "fl.$t_key" "$T/load.fl" -b "$BURSTS" -e "$t_event" \
		    -n "$t_n" "$@" burst
		r=$((r + 1))
	done
}

# Sets $u and $l to the medians, if nothing was lost and all is recorded.
ends() {
	ut_ends "ut.$1" "$(sum "ut.$1" 2)"
	! have_lttng || lt_ends "lt.$1" "$(sum "lt.$1" 2)"
	u=$(value "ut.$1") l=$(value "lt.$1")
}

begins() {
	ut_begin "$1"
	! have_lttng || lt_begin "$1"
}

# What the machine takes for what no tracer can do without.
for what in clock cycles copy write; do
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		measure "floor.$what" "$T/floor" $what
		r=$((r + 1))
	done
done
row "clock_gettime(2)" ns "" "" "$(median floor.clock)"
cycles_floor=$(median floor.cycles)
row "the counter of cycles" ns "" "" "${cycles_floor:-not here}"
row "memcpy(3) of 256 bytes" ns "" "" "$(median floor.copy)"
row "write(2) of a byte to /dev/null" ns "" "" "$(median floor.write)"

# 1, 7: the events, and how large they are in the trace.
: >"$T/sizes"
for e in none one mix bytes; do
	eval "name=\$name_$e"
	begins $e
	turns $e $e
	ends $e
	row "event: $name" ns "$u" "$l" "$(median fl.$e)" \
	    ">= 5 x LTTng" "l >= 5 * u" "<= 1.5 x floor" "u <= 1.5 * f"
	u=$(calc "$ut_size / $ut_events") l=$LTTNG_ABSENT
	! have_lttng || l=$(unless lt.$e \
	    "$(calc "$lt_size / ($(sum lt.$e 2) - $lt_lost)")")
	row "trace: $name" B "$u" "$l" "" "<= LTTng" "u <= l" >>"$T/sizes"
	case $e in
	one)	one=$(median ut.one) ;;
	esac
done
# The same program with the shared library.
ut_begin one
n=$(burst_of 12) r=0
while [ $r -lt "$ROUNDS" ]; do
	measure ut.so "$T/load.so" -b "$BURSTS" -e one -n "$n" burst
	r=$((r + 1))
done
ut_ends ut.so "$(sum ut.so 2)"
row "event: one int, with libut.so" ns "$(value ut.so)" "$(value lt.one)" \
    "$(median fl.one)"

# 2: with the processor's counter as the clock of the channel.
for e in none one mix bytes; do
	eval "name=\$name_$e n=\$bytes_$e"
	if ! have_cycles; then
		row "cycles: $name" ns "not available" "$(value lt.$e)" "" \
		    ">= 9 x LTTng" "l >= 9 * u"
		continue
	fi
	ut_begin $e -k cycles
	n=$(burst_of "$n") r=0
	while [ $r -lt "$ROUNDS" ]; do
		measure "ut.k$e" "$T/load.ut" -b "$BURSTS" -e $e -n "$n" burst
		[ ! -x "$T/load.cy" ] ||
		    measure "fl.k$e" "$T/load.cy" -b "$BURSTS" -e $e \
		    -n "$n" burst
		r=$((r + 1))
	done
	ut_ends "ut.k$e" "$(sum "ut.k$e" 2)"
	row "cycles: $name" ns "$(value "ut.k$e")" "$(value lt.$e)" \
	    "$(median "fl.k$e")" ">= 9 x LTTng" "l >= 9 * u"
done

# 3: threads, and processes, as many as there are processors.
for n in 1 2 4 8 16; do
	[ $n -le "$NCPU" ] || continue
	begins one
	turns "t$n" one -t $n
	ends "t$n"
	[ $n -gt 1 ] || t1=$u
	row "one int, threads: $n" ns "$u" "$l" "$(median "fl.t$n")" \
	    "<= 1 thread + 10%" "u <= 1.1 * ${t1%% *}"
done
for n in 1 2 4 8 16; do
	[ $n -le "$NCPU" ] || continue
	begins one
	b=$(burst_of 12) r=0
	while [ $r -lt "$ROUNDS" ]; do
		for p in ut lt fl; do
			[ $p != lt ] || have_lttng || continue
			measure_many "$p.p$n" $n "$T/load.$p" -b "$BURSTS" \
			    -n "$b" burst
		done
		r=$((r + 1))
	done
	ends "p$n"
	[ $n -gt 1 ] || t1=$u
	row "one int, processes: $n" ns "$u" "$l" "$(median "fl.p$n")" \
	    "<= 1 process + 10%" "u <= 1.1 * ${t1%% *}"
done

# 4: the event that nobody wants.
r=0
while [ $r -lt "$ROUNDS" ]; do
	measure ut.off "$T/load.ut" -b "$BURSTS" off
	! have_lttng || measure lt.off "$T/load.lt" -b "$BURSTS" off
	r=$((r + 1))
done
row "disabled event, beyond the loop" ns "$(median ut.off)" \
    "$(value lt.off)" "" "<= 0.3" "u <= 0.3"

# 5: one event into two sessions.
begins one
utctl create -o "$T/ut2" s2 >/dev/null && utctl enable-channel -s s2 c &&
    utctl enable-event -s s2 -c c load:one >/dev/null && utctl start s2 ||
    fail "second session"
! have_lttng || lt_new s2 "$T/lttng2" one
turns two one
ut_done s2 "$T/ut2"
rm -rf "$T/ut2"
told ut.two "$(sum ut.two 2)"
if have_lttng; then
	lt stop s2
	lt_done s2 "$T/lttng2" "$(sum lt.two 2)"
	told lt.two "$(sum lt.two 2)"
fi
ends two
row "one int, in two sessions at once" ns "$u" "$l" "" \
    "<= 1.8 x in one" "u <= 1.8 * $one"

cat "$T/sizes"
