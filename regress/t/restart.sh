# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd ends and comes again, or is killed with all it has, while a program
# lives: the program is never harmed, is found again and traced.  A session
# that did not end goes on.

. ./common.sh

session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-event 'pulse:a' &&
	    utctl start || fail "set-up of $1"
}

listed() {
	member "$1" programs pulse pid | grep -q -x $PULSE
}

start_utd
pulse_start
session one
pulse_on a--- || fail "one: $answer"
pulse hit 10
stop_utd || fail "utd: status $?"
pulse hit 10		# into buffers that nobody empties any more
until_ok pulse_on ---- || fail "on without a utd: $answer"
[ "$(count_events "$T/one" pulse:a)" -eq 10 ] || fail "one: not 10 events"

start_utd
session two
until_ok listed two || fail "not found again"
until_ok pulse_on a--- || fail "two: $answer"
pulse hit 20
expect 0 'two stopped: 20 events, 0 lost' utctl stop
expect 0 '' utctl start
pulse hit 5

# Killed, with its consumers.
for p in $UTD_PID $(consumers); do
	kill -9 "$p"
done
wait $UTD_PID 2>/dev/null
UTD_PID=
pulse hit 7			# into buffers that are emptied later
pulse_on a--- || fail "off with a dead utd: $answer"
gone $PULSE && fail "the program is gone"

start_utd
until_ok listed two || fail "not found by the next utd"
expect 0 'warning: utd was killed, and another took over' utctl list two
pulse hit 3
expect 0 'two stopped: [0-9]* events, 0 lost' utctl stop
[ "$(count_events "$T/two" pulse:a)" -eq 35 ] ||
    fail "two: $(count_events "$T/two" pulse:a) events, not 35"
readers_agree "$T/two"
until_ok pulse_on ---- || fail "on in a stopped session: $answer"
session three
until_ok listed three || fail "not found a third time"
until_ok pulse_on a--- || fail "three: $answer"
pulse hit 30
expect 0 'three destroyed: 30 events, 0 lost' utctl destroy
readers_agree "$T/three"
expect 0 'two destroyed' utctl destroy two

# Many times in a row: what the program has open stays the same.
fds() {
	ls "/proc/$PULSE/fd" 2>/dev/null | wc -l
}
before=$(fds)
for i in 4 5 6; do
	session "n$i"
	until_ok pulse_on a--- || fail "n$i: $answer"
	stop_utd || fail "utd: status $?"
	until_ok pulse_on ---- || fail "n$i: $answer"
	start_utd
	until_ok sh -c "utctl events | grep -q pid.$PULSE" || fail "n$i: lost"
done
[ "$(fds)" -le $((before + 1)) ] || fail "$before descriptors, then $(fds)"
stop_utd || fail "utd: status $?"

# What the next utd's consumer needs is there only later: buffers and the bell
# stay until then, with the events that are in them.
case "$(uname -s) $CFLAGS" in
*-fsanitize*|*-DUT_POSIX*)	exit 0 ;;
Linux*)	;;
*)	exit 0 ;;
esac
command -v prlimit >/dev/null 2>&1 || exit 0
start_utd
utctl create -o "$T/large" large >/dev/null &&
    utctl enable-channel -s large -b 512k -n 128 c &&
    utctl enable-event -s large -c c 'pulse:a' >/dev/null &&
    utctl start large || fail "set-up of large"
until_ok pulse_on a--- || fail "large: $answer"
pulse hit 10
expect 0 ' 10 events' utctl list large
kill_utd 1
pulse hit 7
(ulimit -S -v 50000 && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
UTD_PID=$!
until_ok sh -c 'utctl list large | grep -q "Cannot allocate memory"' ||
    fail "mapped with less memory than it has: $(utctl list large)"
for p in $UTD_PID $(consumers); do
	prlimit --pid $p --as=unlimited || fail "prlimit"
done
until_ok listed large || fail "not found with more memory"
until_ok pulse_on a--- || fail "large: $answer"
pulse hit 5
until_ok member_is 22 large written ||
    fail "not 22 events: $(utctl list large)"
expect 0 'large stopped: 22 events, 0 lost' utctl stop large
[ "$(count_events "$T/large" pulse:a)" -eq 22 ] || fail "large: not 22 events"
expect 0 'large destroyed' utctl destroy large

stop_utd || fail "utd: status $?"
strace -o "$T/calls" true 2>/dev/null || exit 0
start_utd
session rung
until_ok pulse_on a--- || fail "rung: $answer"
bell=$(find $SHM -name "ut-$(printf %x $UTD_PID)-*" -size -2 -printf '%f %i\n')
[ "$(echo "$bell" | wc -l)" -eq 1 ] || fail "several bells: $bell"
kill_utd 1
pulse hit 3
strace -f -D -qq -o "$T/calls" -P "$SHM/${bell% *}" -e trace=openat \
    -e inject=openat:error=EMFILE:when=1 utd -d -r "$UT_RUNDIR" \
    2>"$T/utd.log" &
UTD_PID=$!
until_ok listed rung || fail "not found when the bell could not be opened"
until_ok pulse_on a--- || fail "rung: $answer"
pulse hit 4
until_ok member_is 7 rung written || fail "not 7 events: $(utctl list rung)"
expect 0 'rung stopped: 7 events, 0 lost' utctl stop rung
grep -q EMFILE "$T/calls" || fail "the bell could be opened"
[ "$(ls -i "$SHM/${bell% *}")" = "${bell#* } $SHM/${bell% *}" ] ||
    fail "another bell: $(ls -i $SHM), not $bell"
expect 0 'rung destroyed' utctl destroy rung
stop_utd || fail "utd: status $?"
