# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# enable-event for many programs and many events: bench.sh's row 9.

. bench/common.sh
programs
start_utd
ulimit -n "$(ulimit -H -n)" 2>/dev/null
counts="0 1 100 1000"
[ -z "$QUICK" ] || counts="0 1 100"

# crowd PROGRAM N: so many of it, until dismiss.
crowd() {
	rm -f "$T/to" "$T"/ready.*
	mkfifo "$T/to" || fail "mkfifo"
	sleepers= i=0
	while [ $i -lt "$2" ]; do
		"$T/$1" sleep <"$T/to" >"$T/ready.$i" &
		sleepers="$sleepers $!"
		i=$((i + 1))
	done
	[ "$2" -eq 0 ] || exec 5>"$T/to"
	CHILDREN="$CHILDREN $sleepers"
	i=0
	while [ $i -lt "$2" ]; do
		until_ok test -s "$T/ready.$i" || fail "$1 $i does not start"
		i=$((i + 1))
	done
}

dismiss() {
	exec 5>&-
	for p in $sleepers; do
		wait "$p"
	done
	CHILDREN=
}

# Each time a session that nobody knows; the event is on when it returns.
ut_enable() {
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		ut_begin not_there
		measure "ut.$1" "$T/timed" utctl enable-event -c c "$2"
		ut_end
		r=$((r + 1))
	done
}

for n in $counts; do
	crowd load.ut "$n"
	ut_enable "$n" load:one
	dismiss
	l=$LTTNG_ABSENT
	if have_lttng; then
		crowd load.lt "$n"
		r=0
		while [ $r -lt "$ROUNDS" ]; do
			lt_begin not_there
			measure "lt.$n" "$T/timed" lttng --no-sessiond \
			    enable-event -u -s s -c c load:one
			lt_end
			r=$((r + 1))
		done
		dismiss
		l=$(median "lt.$n")
	fi
	u=$(median "ut.$n")
	if [ "$n" -eq 0 ]; then
		none=$u
		row "enable-event, programs: $n" ms "$u" "$l" ""
	else
		row "enable-event, programs: $n" ms "$u" "$l" "" \
		    "<= 1 ms for each" "u - $none <= $n"
	fi
done

# Events that one program has.
mkfifo "$T/many.to" || fail "mkfifo"
./prog/many many 0 10000 <"$T/many.to" >"$T/many.out" &
many=$!
exec 5>"$T/many.to"
CHILDREN="$CHILDREN $many"
until_ok test -s "$T/many.out" || fail "many does not start"
ut_enable many 'many:*'
exec 5>&-
wait $many
row "enable-event, 10000 events" ms "$(median ut.many)" "not measured" ""
