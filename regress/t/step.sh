# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs killed at every instruction of what they do in libut, or at some
# of them where that is long: every event whose call returned is in the trace,
# once; nothing stays taken; and another program of the user loses nothing.
# STEP_ALL=1 is the long form, of many minutes.

. ./common.sh

not_sanitized
export T
# What they call is found before: fewer instructions.
LD_BIND_NOW=1
export LD_BIND_NOW
total=0

session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" -b 4k -n 32 channel0 &&
	    utctl enable-event -s "$1" 'seq:tick' 'pulse:a' &&
	    utctl start "$1" || fail "$1: set-up"
}

# What all regions say of themselves is that.
regions() {
	./prog/region /proc/$(consumers)/fd/* >"$T/regions" || return 1
	[ -s "$T/regions" ] && ! grep -q -v -x -e "$1" "$T/regions"
}

# attack NAME HOW [option of step ...]: into the session of that name, where
# another program traces.
attack() {
	name=$1 how=$2
	shift 2
	./prog/seq -p 1000 511 2 100000000 "$T/$name.p.511" &
	OTHER=$!
	CHILDREN="$CHILDREN $OTHER"
	until_ok regions '2 slots 1 programs .*' || fail "$name: not traced"
	./prog/step "$@" ./prog/victim "$how" "$T/$name.p" \
	    >"$T/step.out" 2>"$T/step.err"
	case $? in
	0)	;;
	77)	skip "$(cat "$T/step.err")" ;;
	*)	fail "$name: $(cat "$T/step.err")" ;;
	esac
	read -r kills last <"$T/step.out"
	echo "$name: $kills killed, at 1 to $last instructions"
	total=$((total + kills))
	until_ok regions '2 slots 1 programs [0-2] owned [0-9]* full' ||
	    fail "$name: taken for ever: $(cat "$T/regions")"
	kill -9 $OTHER
	wait $OTHER 2>/dev/null
	until_ok regions '0 slots 0 programs 0 owned 0 full' ||
	    fail "$name: taken for ever: $(cat "$T/regions")"
}

# All is free: while nobody drains, so many events of 10 bytes fit.
fill() {
	pulse_start
	until_ok pulse_on a--- || fail "$1: pulse: $answer"
	counts "$1"
	had=$events
	kill -STOP $(consumers)
	pulse hit 14000
	kill -CONT $(consumers)
	utctl stop "$1" >"$T/stop" || fail "stop"
	counts "$1"
	[ $((events - had)) -eq $((32 * (4096 / 10))) ] ||
	    fail "$1: $((events - had)) events fit"
	[ $((events + lost - had)) -eq 14000 ] ||
	    fail "$1: $((events - had)) events, $lost lost of 14000"
	kill -9 $PULSE
	wait $PULSE 2>/dev/null
}

# check SESSION PROGRESS: all that returned is there, and no more.
check() {
	readers_agree "$T/$1"
	args=
	for f in "$T/$2".p.*; do
		args="$args ${f##*.}:$f"
	done
	./prog/seqcheck $args <"$T/view.out" >"$T/got" ||
	    fail "$1: $(cat "$T/got")"
	read -r events writers missing <"$T/got"
	echo "$1: $events events of $writers writers, gaps of $missing"
	[ "$missing" -eq 0 ] || fail "$1: gaps of $missing"
}

# One set: SESSION HOW option...
set_of() {
	session "$1"
	attack "$@"
	fill "$1"
	utctl destroy "$1" >/dev/null || fail "destroy"
	check "$1" "$1"
}

# few N: the option for no more, but in the long form.
few() {
	[ -n "${STEP_ALL:-}" ] || echo "-k $1"
}

start_utd
set_of one one
set_of next next
set_of end end $(few 300)
set_of first first $(few 300)
set_of nest nest -i 160 $(few 300)
set_of jump jump -i 160 $(few 300)
set_of fork fork $(few 100)
set_of start start $(few 50)

# In two sessions at once.
for how in first next; do
	session both
	session two
	attack both $how $(few 200)
	fill both
	utctl stop two >/dev/null || fail "stop"
	utctl destroy both >/dev/null && utctl destroy two >/dev/null ||
	    fail "destroy"
	check both both
	check two both
	rm -rf "$T/both" "$T/two" "$T"/both.p.*
done

# libut's thread, as it attaches to the region of another session, or leaves it.
session enable
session x
attack enable trace -l $(few 50) \
    -b 'utctl disable-event -s x seq:tick >/dev/null' \
    -c 'utctl enable-event -s x seq:tick >/dev/null'
fill enable
utctl destroy x >/dev/null && utctl destroy enable >/dev/null ||
    fail "destroy"
check enable enable
readers_agree "$T/x"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "x: $(cat "$T/got")"

session leave
attack leave wait -l $(few 50) -b 'exec >/dev/null
    utctl create -o "$T/x.$1" x && utctl enable-channel -s x -b 4k -n 16 ch &&
    utctl enable-event -s x -c ch seq:tick && utctl start x' \
    -c 'utctl destroy x >/dev/null; sleep 0.1'
fill leave
utctl destroy leave >/dev/null || fail "destroy"
check leave leave
rm "$T/leave.p.511"
for d in "$T"/x.*; do
	utctl view "$d" || fail "view"
done | grep ' victim\[' | ./prog/seqcheck $(for f in "$T"/leave.p.*; do
	echo "${f##*.}:$f"
done) >"$T/got" || fail "x.*: $(cat "$T/got")"
echo "$total killed"
stop_utd || fail "utd: status $?"
