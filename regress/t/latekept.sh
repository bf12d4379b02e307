# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd is killed while a consumer is stopped, and the next utd finds that nobody
# takes the buffers over: programs go on recording into what they have, until
# utd knows what becomes of it.  Every call is recorded once, or counted as
# lost; and nothing is kept that nobody will read.

. ./common.sh

# A utd that finds out after a second, not after ten.
hasty() {
	$CC -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	    $CFLAGS -pthread -I"$TOP/libut" -DLATE_MS=500 \
	    -c -o "$T/consumers.o" "$TOP/utd/parent/store/consumers.c" &&
	    $CC $CFLAGS -pthread -o "$T/utd" "$T/consumers.o" \
	    $(find "$TOP/utd" -name '*.o' ! -name consumers.o) \
	    "$TOP"/libut/common/*.o "$TOP"/libut/expr/*.o $DL $LIBS
}
hasty 2>"$T/hasty" || fail "utd: $(tail -n 1 "$T/hasty")"
PATH=$T:$PATH

# session NAME EVENT
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" -b 4k -n 4 c &&
	    utctl enable-event -s "$1" -c c "$2" &&
	    utctl start "$1" || fail "set-up of $1"
}

# begin NAME: a session that pulse records into.
begin() {
	start_utd
	session "$1" 'pulse:a'
	pulse_start
	until_ok pulse_on a--- || fail "not on: $answer"
	pulse hit 10
}

# The next utd has a consumer that waits for the one before, which is stopped.
next_utd() {
	before=$(consumers)
	halt $before
	kill_utd 0
	CHILDREN="$CHILDREN $before"
	pulse hit 20
	start_utd
	until_ok grep -q 'does not answer' "$T/utd.log" ||
	    fail "not late: $(cat "$T/utd.log")"
	# Many times, as nobody can see when the program has heard of it.
	for i in 1 2 3 4 5; do
		sleep 0.1
		pulse hit 4
	done
}

# exact SESSION: all calls of pulse are there, or are counted.
exact() {
	expect 0 'stopped' utctl stop "$1"
	counts "$1"
	echo "$1: $events events, $lost lost, $answer calls"
	[ $((events + lost)) -eq "$answer" ] ||
	    fail "$1: $events and $lost lost are not $answer"
	readers_agree "$T/$1"
	[ "$(grep -c pulse:a "$T/view.out")" -eq "$events" ] &&
	    [ "$(discarded)" -eq "$lost" ] || fail "$1: not in the trace"
}

finish_try() {
	exec 3>&- 4<&-
	wait $PULSE
	stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
}

# let_go SESSION: when it is destroyed, pulse has no buffers, as far as that can
# be seen.
let_go() {
	expect 0 'destroyed' utctl destroy "$1"
	until_ok pulse_on ---- || fail "$1: on: $answer"
	[ ! -r /proc/$PULSE/maps ] || until_ok not_mapped /ut- ||
	    fail "$1: $(cat "/proc/$PULSE/maps")"
}

not_mapped() {
	! grep -q -e "$1" "/proc/$PULSE/maps"
}

goes_on() {
	kill -CONT $before
	until_ok grep -q 'answers again' "$T/utd.log" ||
	    fail "still late: $(cat "$T/utd.log")"
}

# attached SESSION: to channel c, which no utd tells before it is so.
attached() {
	until_ok has_programs "$1" pulse || fail "not found again"
}

# Less than there is room for, and more: what is too much is counted.
for hits in 30 30000; do
	begin few$hits
	next_utd
	pulse hit $hits
	goes_on
	attached few$hits
	pulse hit 40
	exact few$hits
	[ "$hits" -ne 30 ] || [ "$lost" -eq 0 ] || fail "lost: $lost"
	let_go few$hits
	finish_try
done

# A session is stopped meanwhile: that is so at once, and not for the others.
begin other
session stopped 'pulse:c'
until_ok pulse_on a-c- || fail "not both: $answer"
next_utd
expect 1 'stopped: the consumer of uid .* does not answer' utctl stop stopped
until_ok pulse_on a--- || fail "on when stopped: $answer"
pulse hit 100
goes_on
attached other
pulse hit 5
exact other
counts stopped
[ "$events" -eq 40 ] && [ "$lost" -eq 0 ] ||
    fail "stopped: $events events, $lost lost, not 40"
expect 0 'destroyed' utctl destroy stopped
let_go other
finish_try

# Buffers that somebody has removed are not kept.
if [ -d "$SHM" ] && [ -r /proc/$$/maps ]; then
	begin gone
	next_utd
	find "$SHM" -maxdepth 1 -size +16k -name '*ut-*-*' -exec rm {} +
	goes_on
	attached gone
	until_ok not_mapped '/ut-.*(deleted)' ||
	    fail "gone: $(cat "/proc/$PULSE/maps")"
	let_go gone
	finish_try
fi

# The directory is not there when the next utd starts, and comes back later.
begin away
mv "$T/away" "$T/elsewhere" || exit 1
: >"$T/away"
kill_utd 1
pulse hit 20
start_utd
until_ok sh -c "utctl list away | grep -q 'warning: the directory'" ||
    fail "not missed: $(utctl list away)"
for i in 1 2 3 4 5; do
	sleep 0.1
	pulse hit 4
done
rm "$T/away" && mv "$T/elsewhere" "$T/away" || exit 1
until_ok grep -q 'the directory is there again' "$T/utd.log" ||
    fail "not there: $(cat "$T/utd.log")"
attached away
pulse hit 40
exact away
let_go away
finish_try
