# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# enable-channel -m block: a writer without room waits, as long as it may and
# somebody is there to make room, and nothing is lost; and it misses nothing of
# what ends the wait.  EACH is how many events each of eight threads has, which
# have four small sub-buffers.

. ./common.sh
EACH=${EACH:-250000}

# session NAME GLOB OPTION...
session() {
	name=$1 glob=$2
	shift 2
	utctl create -o "$T/$name" "$name" >/dev/null &&
	    utctl enable-channel -s "$name" -b 4k "$@" c &&
	    { [ "$glob" != 'blocked:*' ] ||
	    utctl add-context -s "$name" -c c app_hold; } &&
	    utctl enable-event -s "$name" -c c "$glob" >/dev/null &&
	    utctl start "$name" >/dev/null || fail "$name: set-up"
}

# value NAME MEMBER: what list -j says of the session's channel.
value() {
	member "$1" channels c "$2"
}
waits() {
	[ "$(value "$1" waits)" -eq "$2" ]
}

# ends NAME EVENTS LOST: the session.
ends() {
	expect 0 " $2 events, $3 lost" utctl stop "$1"
	utctl destroy "$1" >/dev/null || fail "destroy $1"
	readers_agree "$T/$1"
	[ "$(wc -l <"$T/view.out")" -eq "$2" ] ||
	    fail "$1: $(wc -l <"$T/view.out") events, not $2"
}

# all_there NAME PROGRESS: all that returned is, with utctl's count of it.
all_there() {
	counts "$1"
	[ "$lost" -eq 0 ] || fail "$1: $lost lost"
	utctl view "$T/$1" 2>"$T/view.err" | ./prog/seqcheck "$2" >"$T/got" ||
	    fail "$1: $(cat "$T/got" "$T/view.err")"
	read -r n writers missing <"$T/got"
	[ "$missing" -eq 0 ] && [ "$n" -eq "$events" ] ||
	    fail "$1: $n events, not $events; gaps of $missing"
}

blocked() {
	pulse_start ./prog/blocked
	until_ok pulse_on 1 || fail "blocked: $answer"
}
end_blocked() {
	exec 3>&- 4<&-
	wait $PULSE || fail "blocked: status $?"
	CHILDREN=
}
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

# What there is to say, and to see.
utctl create -o "$T/bad" bad >/dev/null || fail "create"
only='time-out: only in mode block (-m block)$'
complains "$only" utctl enable-channel -t 1s c
complains "$only" utctl enable-channel -t 0 -m discard c
complains "$only" utctl record -t 1s true
complains "mode wait: neither discard nor overwrite nor block$" \
    utctl enable-channel -m wait c
for t in 61m 2h 3600001ms 4294967294ms 4294967295ms; do
	complains "time-out '$t': neither 0 nor forever nor from 1ms to 60m$" \
	    utctl enable-channel -m block -t $t c
done
for t in x -1 1x Forever ''; do
	complains "time-out '$t': not a number, perhaps with ms, s, m or h$" \
	    utctl enable-channel -m block -t "$t" c
done
utctl enable-channel -m block c || fail "-m block"
[ "$(value bad timeout_ms)" = 1000 ] || fail "$(utctl list -j)"
for t in 0 1ms 2s 60m forever; do
	utctl enable-channel -m block -t $t c$t || fail "-t $t"
done
utctl list bad >"$T/listed" || fail "list"
for t in 'for 1s' 'for 0' 'for 1ms' 'for 2s' 'for 60m' forever; do
	grep -q ": block $t, 512 sub-buffers of 16k\$" "$T/listed" ||
	    fail "no 'block $t': $(cat "$T/listed")"
done
utctl save bad | sed 's/\<bad\>/worse/g' >"$T/saved"
utctl load "$T/saved" >/dev/null && utctl save worse >"$T/again" &&
    diff "$T/saved" "$T/again" || fail "save: $(cat "$T/saved")"
utctl destroy bad >/dev/null && utctl destroy worse >/dev/null ||
    fail "destroy"

# As many threads as usual, in a few small sub-buffers.
session few 'seq:*' -n 4 -m block -t forever
./prog/seq 1 8 25000 || fail "seq"
ends few 200000 0
session big 'seq:*' -n 4 -m block -t forever
./prog/seq 1 8 $EACH "$T/big.p" || fail "seq"
expect 0 " $((EACH * 8)) events, 0 lost" utctl stop big
all_there big 1:"$T/big.p"
echo "big: $(value big waits) waits, $(value big longest_us) us at most"
waits big 0 && fail "nobody has waited"
utctl destroy big >/dev/null || fail "destroy"
rm -rf "$T/big"

# While consumers are killed: each had written something.
session killed 'seq:*' -n 4 -m block -t forever
background ./prog/seq 1 8 100000000 "$T/killed.p"
SEQ=$LAST
before=0
further() {
	at=$(returned "$T/killed.p" 2>/dev/null) &&
	    [ "$at" -ge $((before + 100000)) ]
}
kills=0
while [ $kills -lt 20 ] || [ "$at" -lt $((EACH * 8)) ]; do
	until_ok further || fail "killed: at $at after $kills kills"
	before=$at
	[ $kills -ge 20 ] || kill_consumers
	kills=$((kills + 1))
done
kill -9 $SEQ
wait $SEQ 2>/dev/null
CHILDREN=
expect 0 ' 0 lost' utctl stop killed
all_there killed 1:"$T/killed.p"
[ "$events" -ge "$(returned "$T/killed.p")" ] || fail "killed: $events events"
survived 20 "consumers killed" "$(returned "$T/killed.p")" "$events"
utctl destroy killed >/dev/null || fail "destroy"
rm -rf "$T/killed"

# Threads that hardly trace, beside some that do.
session both 'seq:*' -n 4 -m block -t forever
background ./prog/seq -p 20000 2 60 30
./prog/seq 3 2 300000 || fail "seq"
wait $LAST || fail "seq"
CHILDREN=
ends both 601800 0

# What idle threads hold is soon taken from them: three times in a row, which a
# slow machine may need more than three for; within ticks it is mere luck.
idlers() {
	session idle$1 'blocked:*' -n 2 -m block -t forever
	blocked
	pulse idle 2
	pulse fill 1000
	took=$answer
	pulse go
	end_blocked
	ends idle$1 3000 0
	echo "idle: $took ms"
}
try=0 soon=0
while [ $soon -lt 3 ]; do
	try=$((try + 1))
	[ $try -le 15 ] || fail "idle: $took ms"
	idlers $try
	soon=$((soon + 1))
	[ "$took" -lt 500 ] || soon=0
done

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
