# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# trigger: on the first match of an event or each so many, while the session is
# started, a command is run with the arguments that it should have; listed, also
# in JSON, removed, saved and loaded; what fails; bad input.

. ./shared/trigger.sh

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

exec 3>&- 4<&-
wait $PULSE

# Saved and loaded, it is the same.
expect 0 'stopped' utctl stop
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
stop_utd || fail "utd: status $?"
