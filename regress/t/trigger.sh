# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# trigger: on the first match of an event or each so many, in one session or in
# several, stop, rotate or run a command as the session's owner; one at a time;
# listed, removed, saved and loaded; what is tracked; bad input.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/got" || exit 1
GOT=$T/got
ME=$(id -u)
[ "$ME" -ne 0 ] || ME=65534

user() {
	as_user env UT_RUNDIR="$UT_RUNDIR" "$@"
}

# What list says of a trigger: field TRIGGER PATTERN [SESSION].
shows() {
	utctl list ${3-} >"$T/shows" && grep -q "^    trigger $1: $2" "$T/shows"
}

say_so() {
	until_ok shows "$@" || fail "trigger $1, not '$2': $(cat "$T/shows")"
}

# Lines in a file of $GOT.
lines() {
	[ -f "$GOT/$1" ] && [ "$(wc -l <"$GOT/$1")" -eq "$2" ]
}

start_utd -v
# Nothing of this needs a session.
for args in '' '-e a:b' '-a stop' '-e a:b -a' '-r 1 -e a:b -a stop' '-r 1 -n 2' \
    '-e a:b -a stop s t' '-x'; do
	expect 1 'usage: utctl trigger' utctl trigger $args
done
complains "^utctl: action 'snap': none of snapshot, stop, rotate and 'exec command'\$" \
    utctl trigger -e a:b -a snap
for a in '' sto stopp 'stop now' 'rotate x' ' stop' Stop execute; do
	complains "^utctl: action '$a': none of snapshot, stop, rotate" \
	    utctl trigger -e a:b -a "$a"
done
complains "action 'exec': a command must follow in the same argument" utctl trigger -e a:b -a exec
complains "action 'exec  ': a command must follow" \
    utctl trigger -e a:b -a 'exec  '
complains 'command: longer than 4095 bytes' utctl trigger -e a:b \
    -a "exec $(printf %4096s x | tr ' ' x)"
for n in 0 -1 x 1k 4294967296 99999999999999999999 ' 1'; do
	complains "count '$n': not a number from 1 to 4294967295" \
	    utctl trigger -e a:b -n "$n" -a stop
	complains "trigger '$n': not a number from 1 to" utctl trigger -r "$n"
done
complains '-e is given twice' utctl trigger -e a:b -e c:d -a stop
complains '-f is given twice' utctl trigger -e a:b -f n -f n -a stop
complains '-a is given twice' utctl trigger -e a:b -a stop -a stop
complains "filter 'n +': " utctl trigger -e a:b -f 'n +' -a stop
expect 1 'a' utctl trigger -e 'a:[' -a stop
complains 'there is no session of yours' utctl trigger -e a:b -a stop
complains 'session s does not exist' utctl trigger -e a:b -a stop s
complains 'session s does not exist' utctl trigger -r 1 s

# With the session; what is refused leaves nothing.
utctl create -N none >/dev/null && utctl create -o "$T/trace" s >/dev/null ||
    fail "create"
complains 'session none has no output' utctl trigger -e a:b -a rotate none
complains 'session none has no directory for snapshots' \
    utctl trigger -e a:b -a snapshot none
complains 'session s has no trigger 1' utctl trigger -r 1 s
complains 'session none has no trigger 4294967295' utctl trigger -r 4294967295 none
! utctl list | grep trigger || fail "there is one"
i=0
while [ $i -lt 16 ]; do
	i=$((i + 1))
	expect 0 "^trigger $i: a:b: enabled; session none is not started\$" \
	    utctl trigger -e a:b -a stop none
done
complains 'session none has 16 triggers already' \
    utctl trigger -e a:b -a stop none
expect 0 '' utctl trigger -r 3 none
complains 'session none has no trigger 3' utctl trigger -r 3 none
expect 0 '^trigger 17: ' utctl trigger -e a:b -a stop none
[ "$(utctl list none | grep -c '^    trigger [0-9]*: first a:b: stop; armed, 0 matches, acted 0 times$')" -eq 16 ] ||
    fail "$(utctl list none)"
# Nobody sees what watches.
has_sessions 2 || fail "$(utctl list)"
[ "$(utctl status -j | pick sessions | wc -l)" -eq 2 ] || fail "$(utctl status)"
expect 0 'session none destroyed: 0 events' utctl destroy none

# The first of an event, before the session is started and while it is; the
# delay is printed.  Arguments are what they should be, whatever is in them.
utctl enable-event -c c 'pulse:*' 2>/dev/null && fail "channel c is not there"
utctl enable-event 'pulse:a' >/dev/null || fail "enable-event"
one='exec printf "<%s>" "$@" >'"$GOT/one.new && mv $GOT/one.new $GOT/one"
expect 0 '^trigger 1: pulse:a: enabled; session s is not started$' \
    utctl trigger -e pulse:a -a "$one"
utctl start >/dev/null || fail "start"
pulse_start
until_ok pulse_on a--- || fail "$answer"
expect 0 '^trigger 2: other:\*: 1 event of 1 program$' \
    utctl trigger -e 'other:*' -f 'n > 2 && n % 2 == 1' -n 3 \
    -a "exec echo \$4 >>$GOT/three"
say_so 2 'each 3 other:\* (if n > 2 && n % 2 == 1): exec echo $4 .*; armed, 0'
pulse on
[ "$answer" = a--o ] || fail "on: $answer"
sleep 0.1
echo "DELAY: $(./prog/ms sh -c 'echo "hit 1" >&3
	until [ -e '"$GOT/one"' ]; do sleep 0.002; done' 2>&1) ms"
read -r answer <&4
[ "$(cat "$GOT/one")" = "<$T/trace><s><pulse:a><1>" ] ||
    fail "arguments: $(cat "$GOT/one")"
say_so 1 'first pulse:a: exec .*; over, 1 match, acted 1 time$'

# The program is not asked for it any more; the session goes on.
rm "$GOT/one"
pulse hit 1
say_so 1 '.*; over, 1 match, acted 1 time$'
expect 0 '^ *2 events, 0 lost' utctl list s

# Each third of the odd ones: 3 5 7 | 9 11 13 | 15.
pulse hit 2
sleep 0.2
[ ! -e "$GOT/three" ] || fail "too early: $(cat "$GOT/three")"
pulse hit 5
until_ok lines three 1 || fail "not each third"
pulse hit 2
say_so 2 '.*; armed, 5 matches, acted 1 time$'
pulse hit 4
until_ok lines three 2 || fail "not each third: $(cat "$GOT/three")"
say_so 2 '.*; armed, 7 matches, acted 2 times$'
# says TRIGGER NAME VALUE: in JSON, as a shell pattern.
says() {
	value=$(member s triggers "$1" "$2")
	case $value in
	$3)	;;
	*)	fail "list -j: trigger $1: $2 is '$value', not '$3'" ;;
	esac
}
says 1 glob pulse:a
says 1 filter ''
says 1 count 0
says 1 action exec
says 1 command 'printf *'
says 1 state over
says 1 matches 1
says 1 acted 1
says 2 glob 'other:\*'
says 2 filter 'n > 2 *'
says 2 count 3
says 2 action exec
says 2 matches 7
says 2 acted 2

# Stopped and started, all count anew, also what was over.
expect 0 'session s stopped: 15 events, 0 lost' utctl stop
pulse hit 3
utctl start >/dev/null || fail "start again"
say_so 1 '.*; armed, 0 matches, acted 1 time$'
say_so 2 '.*; armed, 0 matches, acted 2 times$'
until_ok pulse_on a--o || fail "$answer"
pulse hit 1
until_ok test -e "$GOT/one" || fail "not armed again"
[ "$(cat "$GOT/one")" = "<$T/trace><s><pulse:a><1>" ] ||
    fail "$(cat "$GOT/one")"
# A match just before the session is stopped.
pulse hit 5
expect 0 'stopped' utctl stop
until_ok lines three 3 || fail "not before the end: $(cat "$GOT/three")"
utctl start >/dev/null && until_ok pulse_on a--o || fail "start: $answer"

# Removed.
expect 0 '' utctl trigger -r 1
expect 0 '' utctl trigger -r 2 s
until_ok pulse_on a--- || fail "on: $answer"

# What fails is told, by number.
expect 0 '^trigger 3: ' utctl trigger -e pulse:b -n 1 -a 'exec exit 7'
expect 0 '^trigger 4: ' utctl trigger -e pulse:b -n 1 -a 'exec kill -9 $$'
pulse hit 1
until_ok sh -c "utctl list s | grep 'warning: trigger 3: command: exit status 7'" ||
    fail "$(utctl list s)"
until_ok sh -c "utctl list s | grep 'warning: trigger 4: command: killed by signal 9'" ||
    fail "$(utctl list s)"
utctl trigger -r 3 && utctl trigger -r 4 || fail "trigger -r"
# So is an unknown field, and what a filter needs is there by itself.
expect 0 'nosuch' utctl trigger -e pulse:b -f 'nosuch == 1' -a stop
expect 0 '^trigger 6: pulse:b: 1 event ' utctl trigger -e pulse:b \
    -f '$uid == '"$(id -u)" -a "exec echo x >>$GOT/context"
expect 0 '^trigger 7: pulse:b: 1 event ' utctl trigger -e pulse:b \
    -f '$uid != '"$(id -u)" -a "exec echo y >>$GOT/context"
pulse hit 1
until_ok lines context 1 || fail "contexts"
say_so 7 '.*; armed, 0 matches'
[ "$(cat "$GOT/context")" = x ] || fail "contexts: $(cat "$GOT/context")"
for i in 5 6 7; do
	utctl trigger -r $i || fail "trigger -r $i"
done

# One at a time, and what comes meanwhile is once more.
expect 0 '^trigger 8: ' utctl trigger -e pulse:c -n 1 -a "exec
    mkdir $GOT/lock || echo two >>$GOT/two
    sleep 0.3; echo \$4 >>$GOT/slow; rmdir $GOT/lock"
i=0
while [ $i -lt 10 ]; do
	pulse hit 10
	sleep 0.06
	i=$((i + 1))
done
until_ok grep -q '^100$' "$GOT/slow" || fail "slow: $(cat "$GOT/slow")"
[ ! -e "$GOT/two" ] || fail "two at once"
n=$(wc -l <"$GOT/slow")
[ "$n" -le 10 ] || fail "$n times"
say_so 8 '.*; armed, 100 matches, acted'
utctl trigger -r 8 || fail "trigger -r 8"

# Rotation; while one is on its way, too.
expect 0 '^trigger 9: ' utctl trigger -e pulse:c -n 1 -a rotate
pulse hit 1
until_ok sh -c "ls $T/trace/archives | grep -e '-1\$'" || fail "not rotated"
i=0
while [ $i -lt 20 ]; do
	pulse hit 1
	sleep 0.02
	i=$((i + 1))
done
say_so 9 'each 1 pulse:c: rotate; armed, 21 matches, acted [1-9][0-9]* times$'
utctl trigger -r 9 || fail "trigger -r 9"

# Stop, and nothing is recorded then.
expect 0 '^trigger 10: ' utctl trigger -e pulse:b -a stop
expect 0 '^trigger 11: ' utctl trigger -e pulse:b -n 1 -a stop
counts s
pulse hit 1
until_ok member_is stopped s state || fail "runs on"
pulse hit 10
was=$events
counts s
[ $events -eq $((was + 1)) ] || fail "$events events, not $((was + 1))"
grep -q 'session s: trigger 1[01] stops it' "$T/utd.log" ||
    fail "$(cat "$T/utd.log")"

# In several sessions, of which one ends in the middle of a command.
utctl create -N two >/dev/null && utctl start two >/dev/null || fail "two"
expect 0 '' utctl trigger -e pulse:a -n 1 -a "exec sleep 0.5; echo \$2 >>$GOT/ended" two
utctl start s >/dev/null || fail "start"
pulse hit 1
say_so 1 'each 1 pulse:a: exec .*; due,' two
expect 0 'session two destroyed: 0 events' utctl destroy two
until_ok lines ended 1 || fail "the command went with its session"
until_ok member_is stopped s state || fail "runs on"
until_ok sh -c "! ps -o stat= --ppid $UTD_PID 2>/dev/null | grep Z" ||
    fail "a zombie"

# A match just before the end.
utctl create -N two >/dev/null && utctl start two >/dev/null || fail "two"
expect 0 '' utctl trigger -e pulse:a -a "exec echo last >>$GOT/last" two
pulse hit 1
expect 0 'session two destroyed: 0 events' utctl destroy two
until_ok lines last 1 || fail "not the last one"

# What is not tracked is not seen.
utctl create -N two >/dev/null && utctl track -n nosuch >/dev/null &&
    utctl start two >/dev/null || fail "two"
expect 0 '^trigger 1: pulse:a: 0 events of 0 programs' \
    utctl trigger -e pulse:a -n 1 -a "exec echo x >>$GOT/tracked" two
pulse hit 5
say_so 1 'each 1 pulse:a: exec .*; armed, 0 matches' two
utctl track -n pulse >/dev/null || fail "track"
until_ok pulse_on a--- || fail "$answer"
pulse hit 1
until_ok lines tracked 1 || fail "not tracked"
utctl untrack -n pulse >/dev/null || fail "untrack"
until_ok pulse_on ---- || fail "$answer"
utctl untrack -a >/dev/null || fail "untrack -a"
until_ok pulse_on a--- || fail "$answer"
say_so 1 '.*; armed, 1 match, acted 1 time$' two
utctl destroy two >/dev/null || fail "destroy"

# A snapshot of what is kept: the match and what led to it.
utctl create -S -o "$T/ring" ring >/dev/null &&
    utctl enable-event 'pulse:a' >/dev/null &&
    utctl enable-event 'pulse:b' >/dev/null && utctl start >/dev/null ||
    fail "ring"
complains 'session ring keeps what it records' \
    utctl trigger -e a:b -a rotate ring
expect 0 '^trigger 1: pulse:c: 1 event of 1 program' \
    utctl trigger -e pulse:c -n 2 -a snapshot ring
until_ok pulse_on abc- || fail "$answer"
pulse hit 2
taken() {
	shot=$(ls -d "$T/ring/snapshots"/*-"$1" 2>/dev/null)
}
until_ok taken 1 || fail "no snapshot: $(utctl list ring)"
readers_agree "$shot"
tail -n 2 "$T/view.out" | grep -q "pulse:b.* n = $answer }\$" ||
    fail "$answer is not there: $(tail -n 2 "$T/view.out")"
[ "$(wc -l <"$T/view.out")" -eq 4 ] || fail "not 4 events"
pulse hit 3
until_ok taken 2 || fail "no snapshot: $(utctl list ring)"
readers_agree "$shot"
[ "$(wc -l <"$T/view.out")" -ge 8 ] || fail "not 8 events"
say_so 1 'each 2 pulse:c: snapshot; armed, 5 matches, acted 2 times$' ring
! utctl list ring | grep warning || fail "$(utctl list ring)"
# What fails is told.
rm -rf "$T/ring/snapshots" && : >"$T/ring/snapshots" || fail "rm"
pulse hit 2
until_ok sh -c "utctl list ring | grep 'warning: trigger 1: snapshot: '" ||
    fail "$(utctl list ring)"
utctl destroy ring >/dev/null || fail "destroy"
exec 3>&- 4<&-
wait $PULSE

# Saved and loaded, it is the same.
utctl trigger -r 10 s && utctl trigger -r 11 s || fail "trigger -r"
for a in stop snapshot rotate "exec echo \$1 'a b' \"c\"	# d"; do
	utctl trigger -e 'pulse:*' -f 'text == "a b"' -n 12 -a "$a" s >/dev/null ||
	    fail "$a"
	utctl trigger -e pulse:a -a "$a" s >/dev/null || fail "$a"
done
utctl list s | sed -n 's/^    trigger [0-9]*: //p' >"$T/before"
utctl save s >"$T/saved" || fail "save"
expect 0 'session s destroyed' utctl destroy s
sed -i.bak 's/ -o [^ ]*/ -N/; s/rotate\|snapshot/stop/' "$T/saved"
expect 0 '' utctl load -n "$T/saved"
expect 0 'session s: no output' utctl load "$T/saved"
utctl list s | sed -n 's/^    trigger [0-9]*: //p' >"$T/after"
sed 's/rotate\|snapshot/stop/' "$T/before" | diff - "$T/after" >"$T/diff" ||
    fail "loaded: $(cat "$T/diff")"
utctl save s | diff "$T/saved" - >"$T/diff" || fail "$(cat "$T/diff")"
utctl destroy s >/dev/null || fail "destroy"
readers_agree "$T/trace"
[ "$(ls -A "$T/trace/ust" | wc -l)" -le 1 ] || fail "$(ls -R "$T/trace/ust")"

# A user's is the user's, and is run as that; root may have one there, too.
user utctl create -o "$GOT/own" own >/dev/null &&
    user utctl enable-event 'seq:*' >/dev/null &&
    user utctl start >/dev/null || fail "own"
who='exec { id -u; pwd; env; } >>'"$GOT/who.new; mv $GOT/who.new $GOT/who"
user utctl trigger -e 'seq:*' -a "$who" >/dev/null || fail "trigger"
user ./prog/seq 1 1 3 || fail "seq: $?"
until_ok test -e "$GOT/who" || fail "nobody"
[ "$(sed -n 1,2p "$GOT/who" | tr '\n' ' ')" = "$ME / " ] ||
    fail "run as $(cat "$GOT/who")"
if [ "$(id -u)" -eq 0 ]; then
	! grep -v -e '^[0-9]*$' -e '^/$' -e '^HOME=' -e '^LOGNAME=' -e '^PATH=' \
	    -e '^SHELL=' -e '^USER=' -e '^PWD=' -e '^OLDPWD=' -e '^SHLVL=' \
	    -e '^_=' "$GOT/who" || fail "environment"
	rm "$GOT/who"
	expect 0 '^trigger 2: ' utctl trigger -e 'seq:*' -a "$who" own
	user ./prog/seq 2 1 3 || fail "seq: $?"
	until_ok test -e "$GOT/who" || fail "nobody"
	[ "$(sed -n 1p "$GOT/who")" = "$ME" ] || fail "run as $(cat "$GOT/who")"
	# Root's session sees everybody's events; nobody else can change it.
	rm "$GOT/who"
	utctl create -N all >/dev/null && utctl start >/dev/null &&
	    utctl trigger -e 'seq:*' -n 2 -a "$who" >/dev/null || fail "all"
	complains 'session all does not exist' \
	    user utctl trigger -e 'seq:*' -a stop all
	complains 'session 0/all does not exist' user utctl trigger -r 1 0/all
	user ./prog/seq 3 1 2 || fail "seq: $?"
	until_ok test -e "$GOT/who" || fail "nobody"
	[ "$(sed -n 1p "$GOT/who")" = 0 ] || fail "run as $(cat "$GOT/who")"
	utctl destroy all >/dev/null || fail "destroy all"
fi
user utctl destroy own >/dev/null || fail "destroy own"
stop_utd || fail "utd: status $?"

# An ordinary user's own utd.
mkdir -m 777 "$T/theirs" && user mkdir -m 700 "$T/theirs/run" || exit 1
their() {
	as_user env UT_RUNDIR="$T/theirs/run" "$@"
}
rm -f "$GOT/who"
background ./prog/asuser $([ "$(id -u)" -eq 0 ] && echo 65534 || echo -) \
    env ITS=mine utd -d -r "$T/theirs/run" 2>"$T/their.log"
until_ok their utctl list || fail "$(cat "$T/their.log")"
their utctl create -N mine >/dev/null && their utctl start >/dev/null &&
    their utctl trigger -e 'seq:*' -a "$who" >/dev/null || fail "mine"
their ./prog/seq 1 1 1 || fail "seq: $?"
until_ok test -e "$GOT/who" || fail "nobody"
[ "$(sed -n 1p "$GOT/who")" = "$ME" ] && grep -q '^ITS=mine$' "$GOT/who" ||
    fail "$(cat "$GOT/who")"
kill $LAST
wait $LAST || fail "utd: status $?: $(cat "$T/their.log")"
