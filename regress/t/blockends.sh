# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# enable-channel -m block: a writer waits as long as it may, and misses nothing
# of what ends the wait: time, the end of its program, of the session or of the
# channel, and that nobody is there to make room.

. ./shared/block.sh

done_is() {
	pulse done
	[ "$answer" -eq "$1" ]
}

# held NAME TIME: all that there is has a thread in mid-event, whose events are
# 2, and another thread waits.
held() {
	session "$1" 'blocked:*' -n 2 -m block -t "$2"
	blocked
	pulse hold 2
	[ "$answer" -eq 2 ] || fail "$1: $answer hold"
	pulse try
	until_ok waits "$1" 1 || fail "$1: $(value "$1" waits) waits"
}

start_utd

# The time is over, and counted.  After a second in which nothing is freed, as a
# busy machine may need for this, no event is worth a wait.
try=0
until
	try=$((try + 1)) short=short$try
	held $short 60ms
	pulse fill 2
	took=$answer
	[ "$took" -lt 5000 ] || fail "short: $took ms"
	until_ok done_is 1 || fail "short: not over"
	waits $short 3
do
	[ $try -lt 10 ] || fail "short: $(value $short waits) waits"
	pulse go
	end_blocked
	utctl destroy $short >/dev/null || fail "destroy"
done
[ "$took" -ge 60 ] || fail "short: $took ms"
most=$(value $short longest_us) all=$(value $short waited_us)
[ "$most" -ge 60000 ] && [ "$all" -ge 180000 ] && [ "$all" -ge "$most" ] ||
    fail "short: $all us, $most at most"
expect 0 '^        waited 3 times, [0-9.]* ms in all, [0-9.]* ms at most$' \
    utctl list $short
# Whoever frees nothing is not waited for time and again.
pulse fill 2000
[ "$(value $short waits)" -lt 100 ] || fail "$(value $short waits) waits"
# But again when it does.  Until there is room for both, those that hold are
# more, and those that have found none are lost.
more=0 less=0
while
	pulse go
	pulse hold 2
	[ "$answer" -ne 2 ]
do
	more=$((more + answer)) less=$((less + 2 - answer))
	[ $less -lt 40 ] || fail "short: no room again"
done
n=$(value $short waits)
pulse fill 1
until_ok waits $short $((n + 1)) ||
    fail "$(value $short waits) waits, not $n + 1"
pulse go
end_blocked
ends $short $((4 + more)) $((2004 + less))

session none 'blocked:*' -n 2 -m block -t 0
blocked
pulse hold 2
pulse fill 100
waits none 0 || fail "none: waits"
pulse go
end_blocked
ends none 2 100

# A handler that traces meanwhile does not wait; nor is it all over then.
held nested forever
pulse signal
done_is 0 || fail "nested: not blocked"
kill -TERM $PULSE
until_ok eval 'pulse told; [ "$answer" -eq 1 ]' || fail "not told"
done_is 0 || fail "nested: not blocked"
halt $PULSE
kill -CONT $PULSE
done_is 0 || fail "nested: not blocked"
pulse go
until_ok done_is 1 || fail "nested: not over"
end_blocked
ends nested 3 1

# A child, and a thread that is to end.
held child 300ms
pulse fork
[ "$answer" -eq 7 ] || fail "child: status $answer"
pulse try
pulse cancel
pulse join
[ "$answer" = cancelled ] || fail "cancel: $answer"
until_ok done_is 2 || fail "cancel: $answer are over"
pulse go
end_blocked
ends child 2 3

# The end of the program.
held exit forever
echo exit 3 >&3
wait $PULSE
got=$?
CHILDREN=
[ $got -eq 3 ] || fail "exit: status $got"
exec 3>&- 4<&-
counts exit
[ "$lost" -eq 0 ] && [ "$events" -eq 0 ] || fail "exit: $events, $lost lost"
utctl destroy exit >/dev/null || fail "destroy"
held killed9 forever
kill -9 $PULSE
wait $PULSE 2>/dev/null
CHILDREN=
exec 3>&- 4<&-
until_ok regions '0 slots 0 programs 0 owned 0 full' ||
    fail "killed: $(cat "$T/regions")"
utctl destroy killed9 >/dev/null || fail "destroy"

# The end of the session, or the channel.
for how in 'stop X' 'destroy X' 'disable-channel -s X c' 'remove-channel -s X c'
do
	name=${how%% *}
	held "$name" forever
	utctl ${how%%X*}"$name"${how##*X} >/dev/null || fail "$how"
	until_ok done_is 1 || fail "$how: not over"
	pulse go
	end_blocked
	[ "$name" = destroy ] || utctl destroy "$name" >/dev/null ||
	    fail "destroy"
done

# A consumer that is stopped: the time is over; without one, it is after ten
# seconds, once.
session hung 'blocked:*' -n 2 -m block -t forever
blocked
pulse fill 1
halt $(consumers)
pulse fill 5000
took=$answer
pulse fill 5000
kill -CONT $(consumers)
[ "$took" -ge 9900 ] && [ "$answer" -lt 5000 ] || fail "hung: $took, $answer ms"
counts hung
[ $((events + lost)) -eq 10001 ] || fail "hung: $events and $lost lost"
had=-1
until_ok eval 'pulse fill 500; counts hung; [ "$lost" -eq "$had" ] || {
    had=$lost; false; }' || fail "hung: for ever"
end_blocked
utctl destroy hung >/dev/null || fail "destroy"

# Also with threads that come and go, which find room for an event here and
# there: when the time is over, it is over until the consumer goes on.
session goers 'blocked:*' -n 4 -m block -t 1s
blocked
pulse fill 1
halt $(consumers)
pulse come 30
kill -CONT $(consumers)
[ "$answer" -ge 900 ] && [ "$answer" -lt 4000 ] ||
    fail "come: waited for $answer ms"
until_ok eval 'pulse come 1; counts goers; [ "$lost" -eq "$had" ] || {
    had=$lost; false; }' || fail "goers: for ever"
end_blocked
utctl destroy goers >/dev/null || fail "destroy"

# utd is dead, and nobody starts another.
session alone 'blocked:*' -n 4 -m block -t forever
blocked
pulse fill 1000
echo fill 10000000 >&3
sleep 0.3
kill_utd 0
read -r answer <&4 || fail "alone: gone"
echo "alone: $answer ms"
[ "$answer" -lt 3000 ] || fail "alone: $answer ms"
end_blocked
