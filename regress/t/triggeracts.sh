# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# trigger: a command is run one at a time, also if its session ends meanwhile;
# a match rotates, stops or takes a snapshot, of what is tracked, in one session
# or in several.

. ./shared/trigger.sh

start_utd -v
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event 'pulse:a' >/dev/null && utctl start >/dev/null ||
    fail "set-up"
pulse_start
until_ok pulse_on a--- || fail "$answer"

# One at a time, and what comes meanwhile is once more.
expect 0 '^trigger 1: ' utctl trigger -e pulse:c -n 1 -a "exec
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
say_so 1 '.*; armed, 100 matches, acted'
utctl trigger -r 1 || fail "trigger -r 1"

# Rotation; while one is on its way, too.
expect 0 '^trigger 2: ' utctl trigger -e pulse:c -n 1 -a rotate
pulse hit 1
until_ok sh -c "ls $T/trace/archives | grep -e '-1\$'" || fail "not rotated"
i=0
while [ $i -lt 20 ]; do
	pulse hit 1
	sleep 0.02
	i=$((i + 1))
done
say_so 2 'each 1 pulse:c: rotate; armed, 21 matches, acted [1-9][0-9]* times$'
utctl trigger -r 2 || fail "trigger -r 2"

# Stop, and nothing is recorded then.
expect 0 '^trigger 3: ' utctl trigger -e pulse:b -a stop
expect 0 '^trigger 4: ' utctl trigger -e pulse:b -n 1 -a stop
counts s
pulse hit 1
until_ok member_is stopped s state || fail "runs on"
pulse hit 10
was=$events
counts s
[ $events -eq $((was + 1)) ] || fail "$events events, not $((was + 1))"
grep -q 'session s: trigger [34] stops it' "$T/utd.log" ||
    fail "$(cat "$T/utd.log")"

# In several sessions, of which one ends in the middle of a command.
utctl create -N two >/dev/null && utctl start two >/dev/null || fail "two"
expect 0 '' utctl trigger -e pulse:a -n 1 \
    -a "exec sleep 0.5; echo \$2 >>$GOT/ended" two
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

utctl trigger -r 3 s && utctl trigger -r 4 s || fail "trigger -r"
expect 0 'session s destroyed' utctl destroy s
readers_agree "$T/trace"
[ "$(ls -A "$T/trace/ust" | wc -l)" -le 1 ] || fail "$(ls -R "$T/trace/ust")"
stop_utd || fail "utd: status $?"
