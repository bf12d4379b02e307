# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs killed at every instruction of an event for which the oldest is
# dropped, or at some of them: all sub-buffers are full then, and nobody drains.
# Each event is in the trace, or counted as overwritten, and once; what the dead
# had taken is free again.  STEP_ALL=1 is the long form; with FEWER, it is at half
# of them.

. ./common.sh
seeded

not_sanitized
export T
LD_BIND_NOW=1
export LD_BIND_NOW
# Who is late, as its utd has more to do, is waited for.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT
# A thread begins in one that is shared.
VICTIM_SHARED=1
export VICTIM_SHARED
subs=16 total=0 all_read=0 all_returned=0

# What comes before each victim: the last one is buried, and then no consumer
# drains what pulse fills the pool with.  The descriptors are pulse_start's.
cat >"$T/before.sh" <<'EOF'
. ./common.sh
trap - EXIT
rmdir "$T/run" "$T"
T=$1 UTD_PID=$2 UT_RUNDIR=$T/run
kill -CONT $(consumers) || exit 1
until_ok regions '[01] slots [01] programs [01] owned [0-9]* full' || exit 1
halt $(consumers)
echo "hit 8000" >&3 && read -r answer <&4
EOF

# attack NAME HOW option...: what the dead have taken is free again; what was
# recorded and what is counted are the same, but for the calls of the dead.
attack() {
	name=$1 how=$2
	shift 2
	utctl create -o "$T/$name" "$name" >/dev/null &&
	    utctl enable-channel -m overwrite -b 4k -n $subs c &&
	    utctl enable-event -c c seq:tick &&
	    utctl enable-event -c c pulse:a && utctl start ||
	    fail "$name: set-up"
	pulse_start
	until_ok pulse_on a--- || fail "$name: pulse: $answer"
	./prog/step -b "sh $T/before.sh $T $UTD_PID" "$@" ./prog/victim "$how" \
	    "$T/$name.p" >"$T/step.out" 2>"$T/step.err"
	case $? in
	0)	;;
	77)	skip "$(cat "$T/step.err")" ;;
	*)	fail "$name: $(cat "$T/step.err")" ;;
	esac
	read -r kills last <"$T/step.out"
	kill -CONT $(consumers)
	until_ok regions '[01] slots [01] programs [01] owned 0 full' ||
	    fail "$name: taken for ever: $(cat "$T/regions")"
	pulse hit 0
	hits=$answer
	kill -9 $PULSE
	wait $PULSE 2>/dev/null
	CHILDREN=
	until_ok regions '0 slots 0 programs 0 owned 0 full' ||
	    fail "$name: taken for ever: $(cat "$T/regions")"
	expect 0 "stopped" utctl stop
	written=$(member "$name" written) over=$(member "$name" overwritten)
	lost=$(member "$name" lost)
	utctl destroy >/dev/null || fail "destroy"
	readers_agree "$T/$name"
	./prog/seqcheck <"$T/view.out" >"$T/got" ||
	    fail "$name: $(cat "$T/got")"
	got=$(wc -l <"$T/view.out")
	calls=$(returned "$T/$name".p.*)
	more=$((got + over - calls - hits))
	echo "$name: $kills kills, at 1 to $last instructions, $calls calls of" \
	    "the dead, $hits others: $got events, $over overwritten, $more more"
	[ "$got" -eq "$written" ] || fail "$name: $got events, not $written"
	[ "$lost" -eq 0 ] || fail "$name: $lost lost"
	# Few die between the commit and the return.
	[ $more -ge 0 ] && [ $more -le $((kills / 2 + 10)) ] ||
	    fail "$name: $more more"
	total=$((total + kills))
	all_read=$((all_read + got + over))
	all_returned=$((all_returned + calls + hits))
}

# few N: the option for no more, but in the long form.
of=1
[ -z "${FEWER:-}" ] || of=2
few() {
	[ -n "${STEP_ALL:-}" ] || echo "-k $(($1 / of))"
}

# On NetBSD no signal comes with a step: see step.c.
can() {
	[ "$(uname)" != NetBSD ]
}

start_utd
attack next next $(few 150)
attack first first $(few 40)
attack share share $(few 40)
! can || attack nextnest nextnest -i 700 $(few 40)
! can || attack nextjump nextjump -i 700 $(few 200)
# Programs that are stopped there when the session is, and perhaps for good:
# what they are about to count is counted.
cat >"$T/fill.sh" <<'EOF'
echo "hit 8000" >&3 && read -r answer <&4
EOF
cat >"$T/hold.sh" <<'EOF'
kill -CONT $1 && utctl stop >/dev/null && utctl list -j >"$T/list" &&
    cat "$T"/held.p.* >"$T/progress"
EOF
utctl create -o "$T/held" held >/dev/null &&
    utctl enable-channel -m overwrite -b 4k -n 256 c &&
    utctl enable-event -c c seq:tick &&
    utctl enable-event -c c pulse:a && utctl start || fail "held: set-up"
pulse_start
until_ok pulse_on a--- || fail "held: pulse: $answer"
pulse hit 1
halt $(consumers)
pulse hit 120000
./prog/step -b "sh $T/fill.sh" -k 40 -w "sh $T/hold.sh $(consumers)" \
    ./prog/victim next "$T/held.p" >"$T/step.out" 2>"$T/step.err" ||
    fail "held: $(cat "$T/step.err")"
read -r held last <"$T/step.out"
pulse hit 0
counted() {
	pick "sessions held $1" <"$T/list"
}
more=$(($(counted written) + $(counted overwritten) - answer -
    $(returned "$T/progress")))
echo "held: $held stopped, at 1 to $last instructions, $more more"
[ "$(counted lost)" -eq 0 ] && [ $more -ge 0 ] && [ $more -le $held ] ||
    fail "held: $more more, $(counted lost) lost"

survived "$total" "kills, at each instruction" "$all_returned" "$all_read"
stop_utd || fail "utd: status $?"
