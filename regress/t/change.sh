# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Nothing is frozen at the first start: channels come, are disabled, enabled
# and removed while a program traces, and each event is where the channels of
# its moment say.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl start || fail "set-up"
pulse_start
pulse hit 1			# 1: nothing listens
expect 0 '' utctl enable-channel one
expect 0 'pulse:a: 1 event of 1 program' utctl enable-event -c one pulse:a
pulse hit 1			# 2: one
expect 0 '' utctl enable-channel -b 64k -n 4 two
expect 0 'pulse:\*: 3 events of 1 program' utctl enable-event -c two 'pulse:*'
pulse hit 1			# 3: one, two
expect 0 '' utctl disable-channel one
pulse_on abc- || fail "one disabled: $answer"
complains 'one is disabled already' utctl disable-channel one
expect 0 'channel one: .*, disabled$' utctl list
pulse hit 1			# 4: two
expect 0 '' utctl disable-event -c two 'pulse:*'
pulse_on ---- || fail "no rule: $answer"
pulse hit 1			# 5: nothing
expect 0 '' utctl enable-event -c one -L warning 'other:*'
pulse_on ---- || fail "a rule of a disabled channel: $answer"
complains 'channel one exists' utctl enable-channel -b 4k one
complains 'channel two exists' utctl enable-channel two
expect 0 '' utctl enable-channel one
pulse_on a--o || fail "one enabled: $answer"
pulse hit 1			# 6: one
expect 0 '' utctl remove-channel one
pulse_on ---- || fail "one removed: $answer"
complains 'one was removed' utctl remove-channel one
complains 'one was removed' utctl disable-channel one
complains 'one was removed' utctl enable-channel one
complains 'one was removed' utctl enable-event -c one pulse:a
expect 0 'channel one: .*, removed$' utctl list
pulse hit 1			# 7: nothing
expect 0 '' utctl enable-channel three
expect 0 '' utctl enable-event -c three -L debug -a
pulse_on -b-- || fail "three: $answer"
pulse hit 1			# 8: three
expect 0 '' utctl stop
until_ok pulse_on ---- || fail "stopped: $answer"
expect 0 '' utctl enable-event -c two pulse:c
expect 0 '' utctl disable-channel three
expect 0 '' utctl start
pulse_on --c- || fail "started again: $answer"
pulse hit 1			# 9: two
expect 0 '' utctl enable-channel three
pulse_on -bc- || fail "three enabled: $answer"
expect 0 's destroyed: 12 events, 0 lost' utctl destroy

seen() {
	utctl view "$T/trace" |
	    sed -n "s/.* $1 { n = \([0-9]*\).*/\1/p" | tr '\n' ' '
}
readers_agree "$T/trace"
[ "$(seen pulse:a)" = "2 3 3 4 6 " ] || fail "a: $(seen pulse:a)"
[ "$(seen pulse:b)" = "3 4 8 " ] || fail "b: $(seen pulse:b)"
[ "$(seen pulse:c)" = "3 4 9 " ] || fail "c: $(seen pulse:c)"
[ "$(seen other:a)" = "6 " ] || fail "other:a: $(seen other:a)"

# The same at full speed, with a channel beside that nothing happens to: it
# has every event, those of the others are whole.
utctl create -o "$T/fast" t >/dev/null && utctl enable-channel -n 4096 all &&
    utctl enable-event -c all seq:tick && utctl start || fail "set-up"
background ./prog/seq -p 20 1 4 100000000 "$T/progress"
seq=$LAST
until_ok test -s "$T/progress" || fail "seq does not run"
for i in 1 2 3 4 5 6 7 8; do
	expect 0 '' utctl enable-channel c$i
	expect 0 '1 event of 1 program' utctl enable-event -c c$i seq:tick
	expect 0 '' utctl disable-channel c$i
	expect 0 '' utctl enable-channel c$i
	[ $i -lt 4 ] || expect 0 '' utctl remove-channel c$i
done
kill -9 $seq
wait $seq 2>/dev/null
cp "$T/progress" "$T/snapshot"
expect 0 't destroyed: [0-9]* events, 0 lost' utctl destroy
readers_agree "$T/fast"
mkdir "$T/all" && cp "$T"/fast/ust/uid/*/*/all_* "$T/all" &&
    cp "$T"/fast/ust/uid/*/*/metadata "$T/all" || fail "cp"
utctl view "$T/all" >"$T/view.out" || fail "view"
./prog/seqcheck -s "1:$T/snapshot" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
read -r events writers missing <"$T/got"
[ "$writers $missing" = "4 0" ] || fail "$writers writers, gaps of $missing"
stop_utd || fail "utd: status $?"
