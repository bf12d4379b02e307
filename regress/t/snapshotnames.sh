# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# snapshot: names, several at once, commands, a consumer that does not answer;
# and what readers do with several.

. ./shared/snapshot.sh

start_utd
# Names of all lengths, and one that several want at once.  Nothing else stays.
utctl create -S -o "$T/y" y >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 20 || fail "y"
mkdir "$T/names" || exit 1
for n in 1 239 240 255; do
	name=$(printf "%0${n}d" 1)
	expect 0 'snapshot of 20 events: ' utctl snapshot -o "$T/names/$name"
	rm -r "$T/names/$name" || fail "$n bytes"
done
complains 'File name too long' \
    utctl snapshot -o "$T/names/$(printf %0256d 1)"
pids=
for i in 1 2 3 4 5 6 7 8; do
	utctl snapshot -o "$T/names/same" >"$T/out.$i" 2>&1 &
	pids="$pids $!"
done
good=0
for p in $pids; do
	! wait $p || good=$((good + 1))
done
[ $good -eq 1 ] || fail "$good are called the same: $(cat "$T"/out.?)"
[ "$(grep -c 'same: there is one of that name' "$T"/out.? |
    grep -c ':1$')" -eq 7 ] || fail "$(cat "$T"/out.?)"
[ "$(ls -A "$T/names")" = same ] || fail "left: $(ls -A "$T/names")"
has_same() {
	readers_agree "$T/names/same"
	[ "$(wc -l <"$T/view.out")" -eq 20 ] || fail "not 20 events"
}
has_same

# Commands of a session run one after the other.
for i in 1 2 3 4; do
	utctl snapshot -c "echo b >>'$T/order'; sleep 0.8; echo e >>'$T/order'" \
	    >/dev/null || fail "snapshot -c"
done
until_ok sh -c "[ \"\$(grep -c e '$T/order')\" -eq 4 ]" || fail "4 commands"
[ "$(tr -d '\n' <"$T/order")" = bebebebe ] || fail "$(cat "$T/order")"

# A consumer that does not answer delays the command for ten seconds, and what
# it writes when it goes on is removed.
halt $(consumers)
expect 1 'snapshot: the consumer of uid [0-9]* does not answer' \
    timeout 30 utctl snapshot -o "$T/names/hung" y
kill -CONT $(consumers)
until_ok utctl snapshot -o "$T/names/then" y || fail "it goes on"
until_ok sh -c "[ \"\$(ls -A '$T/names' | tr '\n' ' ')\" = 'same then ' ]" ||
    fail "left: $(ls -A "$T/names")"
# Nor does a directory stay in which nothing can be made.
if strace -o "$T/calls" true 2>/dev/null; then
	strace -qq -o "$T/calls" -e trace=mkdir,mkdirat \
	    -e inject=mkdir,mkdirat:error=ENOSPC:when=2 -p "$(consumers)" \
	    2>"$T/strace" &
	CHILDREN="$CHILDREN $!"
	sleep 0.5
	complains 'No space left' utctl snapshot -o "$T/names/full" y
	grep -q INJECTED "$T/calls" || fail "not full: $(cat "$T/strace")"
	kill $!
	[ "$(ls -A "$T/names" | tr '\n' ' ')" = 'same then ' ] ||
	    fail "left: $(ls -A "$T/names")"
fi
utctl destroy y >/dev/null || fail "destroy"
has_same

# With snapshots beside it a trace is read once; without one, the newest is
# read.
utctl create -o "$T/w" w >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 20 || fail "w"
utctl snapshot w >/dev/null && utctl snapshot -n two w >/dev/null || fail "w"
utctl destroy w >/dev/null || fail "destroy"
expect 0 '^20 events, ' utctl view -q "$T/w"
expect 0 "^utctl: $T/w/snapshots: snapshots are left out" utctl view -q "$T/w"
utctl create -S -o "$T/v" v >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null || fail "v"
for i in 1 2 3; do
	./prog/seq $i 1 10 && utctl snapshot -n "v$i" v >/dev/null || fail "v"
done
touch -t 203801010000 "$T/v/snapshots/v2"
expect 0 '^20 events, ' utctl view -q "$T/v"
expect 0 "^utctl: $T/v/snapshots/v2 is the newest of 3" utctl view -q "$T/v"
expect 0 '^30 events, ' utctl view -q "$T/v/snapshots/v3"
expect 0 '^50 events, ' utctl view -q "$T/w" "$T/v/snapshots/v3"
stop_utd || fail "utd: status $?"
