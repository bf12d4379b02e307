# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -p and -T: programs that run are recorded, by a utd that is
# started for it; they go on, and nothing but the trace stays.

. ./shared/attach.sh

# Two that run, without a utd, until a signal comes: all that they did in
# between is there.
for sig in INT TERM HUP; do
	start_record $sig -p $ONE -p $TWO -p $ONE
	recording $sig
	[ "$(member "$(record_name)" tracked | grep -c pid)" -eq 2 ] ||
	    fail "$(utctl list)"
	until_ok sh -c "utctl view '$T/$sig' | grep -q 'writer = 2048,'" ||
	    fail "the second is not there"
	cp "$T/progress1" "$T/before1" && cp "$T/progress2" "$T/before2"
	sleep 0.2
	cp "$T/progress1" "$T/after1" && cp "$T/progress2" "$T/after2"
	kill -$sig $RECORD
	end_record 0 "^utctl: [1-9][0-9]* events, 0 lost, [0-9]* bytes in .*"
	said 2
	grep -q "^utctl: recording 2 processes into $T/$sig until they end or" \
	    "$T/err" || fail "not what it records: $(cat "$T/err")"
	nothing_left $sig
	runs
	readers_agree "$T/$sig"
	./prog/seqcheck -s "1:$T/after1:$T/before1" "2:$T/after2:$T/before2" \
	    <"$T/view.out" >"$T/got" || fail "$sig: $(cat "$T/got")"
done

# The time is over; one of two that run is recorded, or all.
fresh
begun=$(date +%s)
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' utctl record -T 2s -p $ONE \
    -o "$T/time"
[ $(($(date +%s) - begun)) -ge 1 ] || fail "-T 2s was too short"
grep -q "^utctl: recording process $ONE\( (seq)\)\{0,1\} into $T/time for 2s or" \
    "$T/err" || fail "not what it records: $(cat "$T/err")"
utctl view "$T/time" >"$T/view.out" || fail "view time"
grep -q 'writer = 1024,' "$T/view.out" && ! grep -q "\[$TWO:" "$T/view.out" ||
    fail "not one: $(head -n 3 "$T/view.out")"
expect 0 '^utctl: 0 events' utctl record -T 10ms -p $ONE -e 'x:*' -o "$T/x"
grep -q 'no program came that has an event x:\*' "$T/err" ||
    fail "why: $(cat "$T/err")"
start_record all -T 60m
recording all
until_ok sh -c "utctl view '$T/all' | grep -q 'writer = 2048,'" &&
    until_ok sh -c "utctl view '$T/all' | grep -q 'writer = 1024,'" ||
    fail "not all: $(utctl list)"
kill -TERM $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
nothing_left -T

# It ends with the last of the processes.
background ./prog/seq -p 1000 3 1 9000000 "$T/progress3"
THREE=$LAST
until_ok test -s "$T/progress3" || fail "seq does not begin"
background ./prog/seq -p 1000 4 1 9000000 "$T/progress4"
FOUR=$LAST
until_ok test -s "$T/progress4" || fail "seq does not begin"
start_record ends -p $THREE -p $FOUR
recording ends
kill -9 $THREE
wait $THREE 2>/dev/null
sleep 0.3
gone $RECORD && fail "ended with the first: $(cat "$T/err")"
kill -9 $FOUR
wait $FOUR 2>/dev/null
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
nothing_left "processes that end"
readers_agree "$T/ends"

# Printed meanwhile; kept in memory; a trace that is replaced.
fresh
start_record F -F -p $ONE
until_ok grep -q 'seq:tick { writer = 1024' "$T/err" || fail "-F"
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
expect 0 '^utctl: snapshot of [1-9][0-9]* events: .*/S$' \
    utctl record -S -T 500ms -p $ONE -o "$T/S"
readers_agree "$T/S"
fresh
expect 0 '^utctl: [1-9]' utctl record -r -T 500ms -p $ONE -o "$T/time"
[ -d "$T/time.old/ust" ] || fail "-r: $(ls "$T")"
name=$(sh -c "cd '$T/cwd' && '$TOP/utctl/utctl' record -T 500ms -p $ONE 2>&1" |
    sed -n "s,.* bytes in $T/cwd/,,p")
case $name in
ut-trace-seq-2*|ut-trace-$ONE-2*)	;;
*)	fail "default name '$name'" ;;
esac
nothing_left options
