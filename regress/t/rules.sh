# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Which events are traced, and from when to when: enable-event and
# disable-event beside a program that runs.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null || fail "create"

# Rules before the program, and before the session starts.
expect 0 '' utctl enable-event 'pulse:*'
complains 'pulse:\* is enabled already in channel channel0' \
    utctl enable-event 'pulse:*'
expect 0 '^more:\*: enabled; session s is not started$' \
    utctl enable-event 'more:*'
# One that cannot be enabled keeps no other from it.
expect 1 'more:\* is enabled already' utctl enable-event 'more:*' 'most:*'
expect 1 'more:\* is not enabled' utctl disable-event 'more:*' 'more:*' 'most:*'
complains 'most:\* is not enabled' utctl disable-event 'most:*'
pulse_start
pulse_on ---- || fail "on before start: $answer"
expect 0 '^session s started: 3 events of 1 program$' utctl start
pulse_on abc- || fail "after start: $answer"
expect 0 '' utctl disable-event 'pulse:*'
pulse_on ---- || fail "disable came back before it was done: $answer"
complains 'not enabled' utctl disable-event 'pulse:*'

# What enable-event says, and that it has happened when it says so.
expect 0 '^pulse:?: 3 events of 1 program$' utctl enable-event 'pulse:?'
pulse_on abc- || fail "enable came back before it was done: $answer"
expect 0 '' utctl disable-event 'pulse:?'
expect 0 '^none:\*: 0 events of 0 programs$' utctl enable-event 'none:*'
expect 0 '' utctl disable-event 'none:*'
pulse_on ---- || fail "none:*: $answer"
expect 0 '^\*:a: 2 events of 1 program$' utctl enable-event '*:a'
pulse_on a--o || fail "*:a: $answer"
expect 0 '' utctl disable-event '*:a'
expect 0 '^pulse:\[bc\]: 2 events' utctl enable-event 'pulse:[bc]'
pulse_on -bc- || fail "pulse:[bc]: $answer"
expect 0 '' utctl disable-event 'pulse:[bc]'

# Levels: that one and more severe, or exactly that.
level() {
	expect 0 '' utctl enable-event -l "$1" '*'
	pulse_on "$2" || fail "-l $1: $answer, not $2"
	expect 0 '' utctl disable-event '*'
	pulse_on ---- || fail "after -l $1: $answer"
}
exact() {
	expect 0 '' utctl enable-event -L "$1" '*'
	pulse_on "$2" || fail "-L $1: $answer, not $2"
	expect 0 '' utctl disable-event '*'
	pulse_on ---- || fail "after -L $1: $answer"
}
level debug abco
level info a-co
level notice --co
level WARNING --co
level UT_ERR --c-
level 3 --c-
level crit ----
exact debug -b--
exact info a---
exact TRACE_ERR --c-
exact 4 ---o
exact 13 ----

# Two rules are one or the other; the same glob may come in two levels, and
# disable-event takes both.
# Exclusions, all, several rules; each taken back by what it was added with.
with() {
	letters=$1
	shift
	expect 0 '' utctl enable-event "$@"
	pulse_on "$letters" || fail "enable-event $*: $answer, not $letters"
	expect 0 '' utctl disable-event "$@"
	pulse_on ---- || fail "disable-event $*: $answer"
}
with -bco -x pulse:a '*'
with ---o -x 'pulse:*' -a
with --c- -x '*:a' -x '*b' -a
with abco -a
with abco -x 'none:*' 'pulse:*' 'other:*'
with --co -x 'pulse:a' -l warning '*:?'
with a--- -x 'pulse:b' -L info '*:*'
with abc- '*ul*:*'
with a--o '*:*a'
expect 0 '' utctl enable-event -x pulse:a 'pulse:*'
expect 0 '^pulse:\*: 1 event of 1 program$' \
    utctl enable-event -L info 'pulse:*'
expect 0 '^pulse:\*: 1 event of 1 program$' \
    utctl enable-event -l err -x 'nothing:a' 'pulse:*'
pulse_on abc- || fail "three rules: $answer"
expect 0 'enabled: pulse:\* (level all; not pulse:a)$' utctl list
expect 0 'enabled: pulse:\* (level <= err; not nothing:a)$' utctl list
expect 0 '"exclusions":\[{"glob":"pulse:a"}\]' utctl list -j
complains 'already' utctl enable-event -x pulse:a 'pulse:*'
complains 'not enabled' utctl disable-event -x pulse:b 'pulse:*'
expect 0 '' utctl disable-event -x pulse:a 'pulse:*'
pulse_on a-c- || fail "two rules: $answer"
expect 0 '' utctl disable-event -L info 'pulse:*'
pulse_on --c- || fail "one rule: $answer"
expect 0 '' utctl disable-event 'pulse:*'
pulse_on ---- || fail "no rule: $answer"

expect 0 '' utctl enable-event -L info 'pulse:*'
expect 0 '' utctl enable-event -L err 'pulse:*'
complains 'already' utctl enable-event -L err 'pulse:*'
expect 0 '' utctl enable-event 'other:a' 'pulse:b'
pulse_on abco || fail "four rules: $answer"
expect 0 'enabled: pulse:\* (level == err)' utctl list s
expect 0 '' utctl disable-event 'pulse:*'
pulse_on -b-o || fail "two rules left: $answer"

# A program that comes later, and one that has nothing of it.
./prog/seq 1 1 5
./prog/kind 3 </dev/null >/dev/null 2>&1
pulse hit 7
expect 0 '' utctl stop
until_ok pulse_on ---- || fail "on after stop: $answer"
pulse hit 1000
[ "$(count_events "$T/trace" 'pulse:b')" -eq 7 ] || fail "pulse:b"
[ "$(count_events "$T/trace" 'other:a')" -eq 7 ] || fail "other:a"
[ "$(count_events "$T/trace" '')" -eq 14 ] || fail "more than that"

# Rules that change while it is stopped hold when it starts again.
expect 0 '' utctl disable-event 'pulse:b'
expect 0 '' utctl enable-event 'pulse:c'
pulse_on ---- || fail "on while stopped: $answer"
expect 0 '^session s started: 2 events of 1 program$' utctl start
pulse_on --co || fail "started again: $answer"
pulse hit 1
expect 0 'session s destroyed: 16 events, 0 lost' utctl destroy
until_ok pulse_on ---- || fail "on after destroy: $answer"

# What start counts: not the stacks that a channel has by itself, nor events of
# rules and programs that are gone.
utctl create -o "$T/now" now >/dev/null && utctl enable-channel one &&
    utctl add-context -c one stack || fail "set-up of now"
expect 0 '' utctl enable-event -c one pulse:a
expect 0 '^session now started: 1 event of 1 program$' utctl start
expect 0 '^seq:\*: 0 events of 0 programs$' utctl enable-event -c one 'seq:*'
./prog/seq 1 1 1 || fail "seq"
expect 0 '' utctl enable-event -c one pulse:b
expect 0 '' utctl disable-event -c one pulse:a
expect 0 'stopped' utctl stop
expect 0 '^session now started: 1 event of 1 program$' utctl start
expect 0 '' utctl destroy

# More rules than fit a message, of the longest kind: none is in the way of
# the last one.
utctl create -o "$T/many" many >/dev/null || fail "create"
i=0 globs=
while [ $i -lt 300 ]; do
	i=$((i + 1))
	globs="$globs $(printf 'x%03d:_%0249d' $i 0)"
done
expect 0 '' utctl enable-event $globs 'pulse:a'
expect 0 '' utctl start
pulse_on a--- || fail "one of 301 rules: $answer"
t0=$(date +%s)
./prog/seq 1 1 1
[ $(($(date +%s) - t0)) -lt 3 ] || fail "301 rules hold up a program"
expect 0 '^seq:\*: 0 events of 0 programs$' \
    utctl enable-event 'seq:*'
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?"
