# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A utd that is stopped delays a program by UT_REGISTER_TIMEOUT at most, once,
# with all its children and the libraries that it loads; and when it goes on,
# the program is traced.

. ./common.sh

# within LEAST MOST what: of $took, milliseconds; the machine may be busy.
within() {
	[ "$took" -ge "$1" ] && [ "$took" -le "$2" ] ||
	    fail "$3: $took ms"
}

# Another program may have left word that utd does not answer.
mark=$(./prog/intruder fifo "$(id -u)" "$UT_RUNDIR").late
took() {
	rm -f "$mark"
	took=$(./prog/ms "$@") || fail "$*"
}

stop() {
	halt $UTD_PID
}

# Whatever happens: a utd that is stopped does not end.
trap 'kill -CONT ${UTD_PID:-} 2>/dev/null; rm -f "$mark"; finish' EXIT

go_on() {
	kill -CONT $UTD_PID
}

# An answer of late, within.
late() {
	pulse "$3"
	took=$answer
	within "$1" "$2" "$4"
}

listened() {
	pulse on
	[ "$answer" = y ]
}

traced() {
	utctl stop >/dev/null || fail "stop"
	utctl view "$T/trace" 2>/dev/null | grep -c "$1"
	utctl start >/dev/null || fail "start"
}

$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$T/lib.so" prog/firstlib.c \
    $LINK || fail "cannot build lib.so"
$CC $CFLAGS -I"$TOP/libut" -o "$T/late" prog/late.c $LINK $LIBS $DL ||
    fail "cannot build late"

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
took ./prog/seq 0 1 1
within 0 2000 "utd runs"
stop
took ./prog/seq 0 1 1
within 3000 5500 "by default"
took env UT_REGISTER_TIMEOUT=nonsense ./prog/seq 0 1 1
within 3000 5500 "nonsense"
for ms in 0 200 700; do
	took env UT_REGISTER_TIMEOUT=$ms ./prog/seq 0 1 1
	within $ms $((ms + 1800)) "$ms"
done

# Once for the start and all that follows.
UT_REGISTER_TIMEOUT=2000
export UT_REGISTER_TIMEOUT
rm -f "$mark"
pulse_start "$T/late"
took=$(./prog/ms sh -c 'echo on >&3 && read -r answer <&4') ||
    fail "late is gone"
within 1000 5000 "the start"
for i in 1 2 3; do
	late 0 1500 fork "fork $i"
done
cp "$T/lib.so" "$T/lib2.so"
late 0 1500 "load $T/lib.so" "dlopen"
late 0 1500 "load $T/lib2.so" "dlopen again"
late 0 1500 fork "fork after dlopen"
go_on
until_ok listened || fail "not traced afterwards"
late 0 1500 hit "an event"
until_ok sh -c "utctl list s | grep -q 'first:library (id'" ||
    fail "the library's event is not known: $(utctl list s)"
late 0 1500 fork "fork with a utd that runs"
[ "$(traced late:hit)" -ge 1 ] || fail "the event is not there"
[ "$(traced late:child)" -ge 1 ] || fail "the child is not traced"

# The same for a program that has been registered in time: what one child has
# waited for its parent and the next need not wait for.
until_ok listened || fail "not traced any more"
stop
late 2000 4500 fork "the first fork"
for i in 2 3 4; do
	late 0 1500 fork "fork $i of the second time"
done
cp "$T/lib.so" "$T/lib3.so"
late 0 1500 "load $T/lib3.so" "dlopen after fork"
go_on
until_ok sh -c "utctl list s" || fail "utd is gone"
late 0 1500 fork "fork"
before=$(traced late:child)
until_ok listened || fail "not traced the third time"
late 0 1500 fork "fork"
[ "$(traced late:child)" -eq $((before + 1)) ] ||
    fail "a child is not traced from its beginning: $(utctl list s)"
exec 3>&- 4<&-
wait $PULSE

# No room for another connection.
stop
background ./prog/fillq "$T/run/sock" >"$T/fillq.out"
filler=$LAST
until_ok grep . "$T/fillq.out" || fail "fillq"
if grep -q full "$T/fillq.out"; then
	for ms in 0 700; do
		took env UT_REGISTER_TIMEOUT=$ms ./prog/seq 0 1 1
		within $ms $((ms + 1800)) "$ms, no room"
	done
	pulse_start "$T/late"
	late 0 1500 fork "fork, no room"
	late 0 1500 fork "fork again, no room"
	kill -9 $filler
	go_on
	until_ok listened || fail "not traced when there is room"
	exec 3>&- 4<&-
	wait $PULSE
	stop
else
	kill -9 $filler
fi

# For ever, but not against the user's will, and not without utd.
UT_REGISTER_TIMEOUT=-1
background ./prog/about
sleep 1
gone $LAST && fail "does not wait"
kill $LAST
until_ok gone $LAST || fail "SIGTERM does not end it"
background ./prog/about >"$T/about.out"
sleep 4
[ ! -s "$T/about.out" ] || fail "did not wait: $(cat "$T/about.out")"
kill -9 $UTD_PID
wait $UTD_PID 2>/dev/null
UTD_PID=
until_ok grep . "$T/about.out" || fail "waits for a dead utd"
grep -q '^off' "$T/about.out" || fail "-1: $(cat "$T/about.out")"
