# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs killed at every instruction of what they do in libut, or at some
# of them where that is long: every event whose call returned is in the trace,
# once; nothing stays taken; and another program of the user loses nothing.
# The same when they are stopped there, until all that they may be deprived of
# is another's.  STEP_ALL=1 is the long form, of 20 minutes; with FEWER, a fifth
# of them are taken.

. ./common.sh
seeded

not_sanitized
export T
# What they call is found before: fewer instructions.
LD_BIND_NOW=1
export LD_BIND_NOW
total=0 all_read=0 all_returned=0 FILTER= CONTEXTS= EXTRA=0 FIRST=0 MODE=

# session NAME [sub-buffers]
session() {
	subs=${2:-32}
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" -b 4k -n $subs $MODE channel0 &&
	    { [ -z "$CONTEXTS" ] || utctl add-context -s "$1" $CONTEXTS; } &&
	    utctl enable-event -s "$1" ${FILTER:+-f "$FILTER"} seq:tick &&
	    utctl enable-event -s "$1" pulse:a &&
	    utctl start "$1" || fail "$1: set-up"
}

# attack NAME HOW [option of step ...]: into the session of that name, where
# another program traces.
attack() {
	name=$1 how=$2
	shift 2
	./prog/seq -p 1000 511 2 100000000 "$T/$name.p.511" &
	OTHER=$!
	CHILDREN="$CHILDREN $OTHER"
	# A thread of this program that shares a sub-buffer has no slot.
	until_ok regions '[12] slots 1 programs .*' || fail "$name: not traced"
	./prog/step "$@" ./prog/victim "$how" "$T/$name.p" \
	    >"$T/step.out" 2>"$T/step.err"
	case $? in
	0)	;;
	77)	skip "$(cat "$T/step.err")" ;;
	*)	fail "$name: $(cat "$T/step.err")" ;;
	esac
	read -r kills last <"$T/step.out"
	echo "$name: $kills, at 1 to $last instructions"
	total=$((total + kills))
	until_ok regions '[0-2] slots 1 programs [0-2] owned [0-9]* full' ||
	    fail "$name: taken for ever: $(cat "$T/regions")"
	kill -9 $OTHER
	wait $OTHER 2>/dev/null
	CHILDREN=		# the number may soon be another's
	until_ok regions '0 slots 0 programs 0 owned 0 full' ||
	    fail "$name: taken for ever: $(cat "$T/regions")"
}

# fill NAME [LOST]: all is free: while nobody drains, so many events of 10
# bytes fit, and contexts, behind a first definition.
fill() {
	pulse_start
	until_ok pulse_on a--- || fail "$1: pulse: $answer"
	counts "$1"
	had=$events missed=$lost
	[ "$lost" -eq "${2:-0}" ] || fail "$1: $lost lost"
	halt $(consumers)
	hits=$((subs * 420))
	pulse hit $hits
	kill -CONT $(consumers)
	utctl stop "$1" >"$T/stop" || fail "stop"
	counts "$1"
	[ $((events - had)) -eq $(((subs - $(reserved $subs)) * ((4096 - FIRST) / (10 + EXTRA)))) ] ||
	    fail "$1: $((events - had)) events fit"
	[ $((events - had + lost - missed)) -eq $hits ] ||
	    fail "$1: $((lost - missed)) lost"
	kill -9 $PULSE
	wait $PULSE 2>/dev/null
	CHILDREN=
}

# The files of progress that seqcheck is to look at.
progress() {
	for f in "$T/$1".p.*; do
		echo "${f##*.}:$f"
	done
}

# check DIRECTORY SESSION: all that returned is there, and no more.
check() {
	readers_agree "$T/$1"
	./prog/seqcheck $(progress "$2") <"$T/view.out" >"$T/got" ||
	    fail "$1: $(cat "$T/got")"
	read -r events writers missing <"$T/got"
	echo "$1: $events events of $writers writers, gaps of $missing"
	[ "$missing" -eq 0 ] || fail "$1: gaps of $missing"
	all_read=$((all_read + events))
	all_returned=$((all_returned + $(returned "$T/$2".p.*)))
}

# On NetBSD the first thread can be stepped, without a signal: see step.c.
can() {
	[ "$(uname)" != NetBSD ] || case $1 in -i | -l) return 1 ;; esac
}

# One set: NAME HOW option...
set_of() {
	can "${3:-}" || return 0
	session "$1"
	attack "$@"
	fill "$1"
	utctl destroy "$1" >/dev/null || fail "destroy"
	check "$1" "$1"
}

# few N: the option for no more, but in the long form.
of=1
[ -z "${FEWER:-}" ] || of=5
few() {
	[ -n "${STEP_ALL:-}" ] || echo "-k $(($1 / of))"
}

start_utd
set_of one one
set_of next next
set_of end end -l $(few 80)
set_of endnest endnest -l -i 900 $(few 40)
set_of endfork endfork -l -i 900 $(few 20)
set_of first first $(few 80)
set_of nest nest -i 160 $(few 80)
set_of jump jump -i 160 $(few 80)
set_of share share $(few 65)
set_of sharenest sharenest -i 160 $(few 50)
set_of sharejump sharejump -i 160 $(few 50)
set_of fork fork $(few 30)

# With a filter that every event passes.
FILTER='n >= 0'
set_of filtone one $(few 40)
set_of filtnext next $(few 40)
set_of filtfirst first $(few 25)
set_of filtnest nest -i 160 $(few 25)
set_of filtjump jump -i 160 $(few 40)
set_of filtshare share $(few 40)
set_of filtsharejump sharejump -i 160 $(few 25)

# With contexts, and with both.
CONTEXTS='caller app_more nest uid errno cpu' EXTRA=29
VICTIM_CONTEXTS=$EXTRA
export VICTIM_CONTEXTS
FILTER=
set_of ctxone one $(few 50)
set_of ctxnext next $(few 40)
set_of ctxfirst first $(few 25)
set_of ctxnest nest -i 160 $(few 40)
set_of ctxjump jump -i 160 $(few 40)
set_of ctxshare share $(few 40)
FILTER='$app_more >= 0 && n >= 0'
set_of bothone one $(few 25)
set_of bothjump jump -i 160 $(few 25)
set_of bothshare share $(few 25)
unset VICTIM_CONTEXTS
CONTEXTS= EXTRA=0 FILTER=

# With stacks: the first event of a sub-buffer defines one.
CONTEXTS=stack/1 EXTRA=8 FIRST=28
set_of stackone one $(few 60)
set_of stackfirst first $(few 40)
set_of stacknest nest -i 160 $(few 40)
set_of stackjump jump -i 160 $(few 60)
set_of stackshare share $(few 40)
set_of stacksharejump sharejump -i 160 $(few 25)
set_of stackfork fork $(few 25)
FILTER='n >= 0'
set_of stackfilter jump -i 160 $(few 25)
FILTER=
CONTEXTS= EXTRA=0 FIRST=0

# none_of NAME HOW option...: the same with a filter that no event passes.
none_of() {
	can "${3:-}" || return 0
	session "$1"
	attack "$@"
	fill "$1"
	utctl destroy "$1" >/dev/null || fail "destroy"
	readers_agree "$T/$1"
	grep seq:tick "$T/view.out" | head -3 >"$T/got"
	[ ! -s "$T/got" ] || fail "$1: not filtered: $(cat "$T/got")"
}
FILTER='n < 0 && pad != "x"'
none_of noneone one $(few 25)
none_of nonenext next $(few 25)
none_of nonejump jump -i 160 $(few 40)
none_of noneshare share $(few 25)
none_of nonesharejump sharejump -i 160 $(few 25)
FILTER=

# all_counted SESSION N: what returned is there or lost, and of what did not
# return no more than N are.
all_counted() {
	counts "$1"
	sum=$(returned "$T/$1".p.*)
	echo "$1: $sum returned, $events events and $lost lost"
	more=$((events + lost - sum))
	[ $more -ge 0 ] && [ $more -le $2 ] || fail "$1: $more too many"
}

# Stopped, and then so few sub-buffers are free that all those of idle threads
# are taken, and used by others.
for how in 'one 340' 'next 340' 'share 120'; do
	session hold 470
	attack hold ${how% *} -k ${how#* } -w "sleep 1
	    ./prog/seq -p 900000 510 60 4 $T/hold.p.510"
	all_counted hold 2
	want=$events
	utctl destroy hold >/dev/null || fail "destroy"
	readers_agree "$T/hold"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "hold: $(cat "$T/got")"
	read -r events writers missing <"$T/got"
	[ "$events" -eq "$want" ] || fail "hold: $events events, not $want"
	rm -rf "$T/hold" "$T"/hold.p.*
done

# Too few for all.
session full 2
attack full first $(few 65)
all_counted full $((kills + 2))
fill full $lost
utctl destroy full >/dev/null || fail "destroy"

# The same where they wait for space, and are killed, or a handler jumps, there.
MODE='-m block -t 20ms'
session wait 2
attack wait first $(few 100)
all_counted wait $((kills + 2))
fill wait $lost
utctl destroy wait >/dev/null || fail "destroy"
for how in nest jump; do
	session wait$how 2
	attack wait$how $how -i 400 $(few 40)
	# One that is left in its other event does that twice.
	[ $how = jump ] || all_counted wait$how $((2 * kills + 2))
	fill wait$how $(counts wait$how; echo $lost)
	utctl destroy wait$how >/dev/null || fail "destroy"
	readers_agree "$T/wait$how"
done
MODE=

# As it starts, also with buffers of its own, of which nothing is left.
session start
utctl enable-channel -s start -p -n 8 own &&
    utctl enable-event -s start -c own seq:tick >/dev/null ||
    fail "channel own"
./prog/seq 510 1 1 || fail "seq"
until_ok regions '0 slots .*' || fail "start: $(cat "$T/regions")"
# But for the files, of which there are as many as threads at a time.
is_open() {
	[ ! -r /proc/self/fd/0 ] || ls -l /proc/$UTD_PID/fd \
	    /proc/$(consumers)/fd | grep -c -v "$T/start/ust/uid"
}
before=$(is_open)
VICTIM_EARLY=yes
export VICTIM_EARLY
attack start start $(few 30)
unset VICTIM_EARLY
until_ok eval '[ "$(is_open)" = "$before" ]' ||
    fail "start: $before, then open: $(ls -l /proc/$UTD_PID/fd)"
fill start
utctl destroy start >/dev/null || fail "destroy"
check start/ust/uid start
check start/ust/pid start

# In two sessions at once.
for how in first next; do
	session both
	session two
	attack both $how $(few 65)
	fill both
	utctl stop two >/dev/null || fail "stop"
	utctl destroy both >/dev/null && utctl destroy two >/dev/null ||
	    fail "destroy"
	check both both
	check two both
	rm -rf "$T/both" "$T/two" "$T"/both.p.*
done

# libut's thread, as it attaches to the region of another session, or leaves it.
of_listener() {
	session enable
	session x
	attack enable trace -l $(few 30) \
	    -b 'utctl disable-event -s x seq:tick >/dev/null' \
	    -c 'utctl enable-event -s x seq:tick >/dev/null'
	fill enable
	utctl destroy x >/dev/null && utctl destroy enable >/dev/null ||
	    fail "destroy"
	check enable enable
	readers_agree "$T/x"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "x: $(cat "$T/got")"

	session leave
	attack leave wait -l $(few 30) -b 'exec >/dev/null
	    utctl create -o "$T/x.$1" x &&
	    utctl enable-channel -s x -b 4k -n 16 ch &&
	    utctl enable-event -s x -c ch seq:tick && utctl start x' \
	    -c 'utctl destroy x >/dev/null; sleep 0.1'
	fill leave
	utctl destroy leave >/dev/null || fail "destroy"
	check leave leave
	rm "$T/leave.p.511"
	for d in "$T"/x.*; do
		utctl view "$d" || fail "view"
	done | grep ' victim\[' | ./prog/seqcheck $(progress leave) >"$T/got" ||
	    fail "x.*: $(cat "$T/got")"
}
! can -l || of_listener

survived "$total" "kills and stops, at each instruction" \
    "$all_returned" "$all_read"
stop_utd || fail "utd: status $?"
