# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Threads that hardly trace, thousands of them, with the buffers that a session
# has by default: how many of their events are lost, and how many bytes those
# that are not take; LTTng's also with the process, the thread and the name of
# the program, which our events have where threads share a sub-buffer.
# bench.sh's row 15.

. bench/common.sh
programs
compile trickle.ut -DBENCH prog/trickle.c "$LIBUT" || fail "cannot build"
! have_lttng || compile trickle.lt -DBENCH -DLTTNG prog/trickle.c \
    $LTTNG_CC || fail "cannot build"
seconds=10 idle=5000 row=100000
[ -z "$QUICK" ] || seconds=2 idle=500 row=10000
UT_REGISTER_TIMEOUT=-1
LTTNG_UST_REGISTER_TIMEOUT=-1
export UT_REGISTER_TIMEOUT LTTNG_UST_REGISTER_TIMEOUT
ulimit -n $((idle + 1000)) 2>/dev/null
start_utd

# spread TRACER THREADS PROGRAMS: so many, ten times a second.
spread() {
	s_pids= s_i=0
	while [ $s_i -lt "$3" ]; do
		"$T/trickle.$1" 0 $(($2 / $3)) $((seconds * 10)) 100 &
		s_pids="$s_pids $!"
		s_i=$((s_i + 1))
	done
	wait $s_pids
}

in_a_row() {
	"$T/trickle.$1" -r 16 0 "$row"
}

# They stay for a second after the last of them has traced.
stay() {
	mkfifo "$T/end"
	"$T/trickle.$1" -i 0 "$idle" <"$T/end" >"$T/stay" &
	s_pid=$!
	exec 6>"$T/end"
	until [ -s "$T/stay" ]; do
		sleep 0.2
	done
	sleep 2
	exec 6>&-
	wait $s_pid
	rm -f "$T/end"
}

# lt_shape command...: $sh_lt is how many of its events LTTng loses, in percent,
# and $sh_lt_size how many bytes another one takes.
lt_shape() {
	sh_lt=$LTTNG_ABSENT sh_lt_size=$LTTNG_ABSENT
	have_lttng || return 0
	lt_begin one
	"$@"
	rm -f "$T/m.lt.shape".*
	lt_end "$sh_events"
	told lt.shape "$sh_events"
	rm -f "$T/m.lt.shape.lost"
	sh_lt=$(unless lt.shape "$(calc "100 * $lt_lost / $sh_events")")
	sh_lt_size=$(unless lt.shape \
	    "$(calc "$lt_size / ($sh_events - $lt_lost)")")
}

# shape NAME EVENTS command...: the command's next argument is the tracer.
shape() {
	sh_name=$1 sh_events=$2 sh_run=$3
	shift 3
	ut_begin one
	$sh_run ut "$@"
	ut_end
	[ $((ut_events + ut_lost)) -eq "$sh_events" ] ||
	    fail "$sh_name: $ut_events + $ut_lost are not $sh_events"
	lt_shape $sh_run lt "$@"
	row "$sh_name: lost" "%" "$(calc "100 * $ut_lost / $sh_events")" \
	    "$sh_lt" "" "none" "u == 0"
	row "  bytes for one, of 4" "" "$(calc "$ut_size / $ut_events")" \
	    "$sh_lt_size" "" "<= 44" "u <= 44"
	LT_CONTEXTS="-t vpid -t vtid -t procname" lt_shape $sh_run lt "$@"
	row "  LTTng with the same contexts" "" "" "$sh_lt_size" ""
}

for n in 1000 3000 10000; do
	for p in 1 50; do
		shape "$n threads, programs: $p" $((n * seconds * 10)) \
		    spread $n $p
	done
done
shape "$idle programs that trace once" "$idle" stay
shape "$row threads that do, 16 at a time" "$row" in_a_row
stop_utd
