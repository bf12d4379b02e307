# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Sessions: made, found, started, stopped, destroyed, each only as it may be.

. ./common.sh

HOME=$T/home
export HOME
start_utd
complains 'there is no session' utctl start
complains 'there is no session' utctl destroy
complains 'session a does not exist' utctl start a
complains 'session a does not exist' utctl stop a
complains 'session a does not exist' utctl destroy a
complains 'session a does not exist' utctl list a
expect 0 '^no sessions$' utctl list

expect 0 "^session a: $T/a$" utctl create -o "$T/a" a
[ -d "$T/a" ] || fail "no $T/a"
complains 'session a exists' utctl create -o "$T/a2" a
[ ! -e "$T/a2" ] || fail "a second a left its directory"
complains 'session a is not started' utctl stop a
expect 0 '' utctl start a
complains 'session a is started already' utctl start a
expect 0 'session a stopped: 0 events, 0 lost, 0 bytes' utctl stop a
complains 'session a is not started' utctl stop a
expect 0 '' utctl start a
complains 'session b does not exist' utctl stop b

# Without a name: the one that was created last; without a channel, channel0,
# which needs no making.
expect 0 'session a stopped' utctl stop
expect 0 "^session b: $T/home/ut-traces/b-" utctl create b
ls -d "$T"/home/ut-traces/b-* >/dev/null || fail "no directory of b"
expect 0 '' utctl enable-event 'x:y'
expect 0 'channel channel0: ' utctl list b
grep -q 'enabled: x:y (level all)' "$T/out" || fail "$(cat "$T/out")"
utctl list a | grep -q 'x:y' && fail "a has b's rule"
expect 0 '' utctl start
expect 0 'session b (active)' utctl list
expect 0 'session a (stopped)' utctl list

# One that failed to come is none; another utd knows it, too.
complains 'not empty' utctl create -o "$T/home" c
expect 0 'session b stopped' utctl stop
kill_utd 0
start_utd
expect 0 '' utctl start
expect 0 'session b (active)' utctl list

# When it is gone nothing takes its place, whoever has what is left.
gone='the session that you created last is gone: name one of a$'
expect 0 'session b destroyed' utctl destroy
utctl list -j >"$T/before" || fail "list"
for i in 1 2; do
	for c in start stop destroy "enable-event x:y" "disable-event x:y" \
	    "enable-channel c" "disable-channel channel0" \
	    "remove-channel channel0"; do
		complains "$gone" utctl $c
	done
	utctl list -j | cmp -s - "$T/before" || fail "changed: $(utctl list)"
	kill_utd $((i - 1))
	start_utd
	utctl list -j >"$T/before" || fail "list"
done
expect 0 '' utctl create -o "$T/d" d
expect 0 'session d destroyed' utctl destroy
complains "$gone" utctl destroy
expect 0 'session a destroyed' utctl destroy a
complains 'there is no session of yours$' utctl destroy

# Many: as many as fit are named.
n=0
while [ $n -lt 9 ]; do
	n=$((n + 1))
	expect 0 '' utctl create -o "$T/many$n" "$(printf '%062d' 0).$n"
done
expect 0 '' utctl destroy
complains 'is gone: name one of [0.]*8, 0[0.]*7, .*[0-9], \.\.\.$' utctl destroy
n=0
while [ $n -lt 8 ]; do
	n=$((n + 1))
	expect 0 '' utctl destroy "$(printf '%062d' 0).$n"
done

# The name is free again, the old trace is not touched.
complains 'not empty' utctl create -o "$T/home/ut-traces" a
expect 0 '' utctl create -o "$T/a3" a
expect 0 'session a destroyed' utctl destroy a

# One without a name.
expect 0 "^session auto-[0-9]*-[0-9]*: $T/home/ut-traces/auto-" utctl create
expect 0 'session auto-.*destroyed' utctl destroy

# Many in one second, some of them at once: each has a name, and a directory.
i=0
while [ $i -lt 12 ]; do
	utctl create >"$T/auto$i" 2>&1 || fail "create $i: $(cat "$T/auto$i")"
	i=$((i + 1))
done
pids=
while [ $i -lt 20 ]; do
	utctl create >"$T/auto$i" 2>&1 &
	pids="$pids $!"
	i=$((i + 1))
done
for p in $pids; do
	wait $p || fail "create: $(cat "$T"/auto*)"
done
for n in 2 3; do	# words of the line: the name, the directory
	[ "$(cut -d ' ' -f $n "$T"/auto* | sort -u | wc -l)" -eq 20 ] ||
	    fail "the same twice: $(cat "$T"/auto*)"
done
while IFS=' :' read -r word name d; do
	[ -d "$d" ] || fail "no directory $d"
	expect 0 'destroyed' utctl destroy "$name"
done <<END
$(cat "$T"/auto*)
END
# One of the same name again, with a trace there already.
for i in 1 2 3 4; do
	expect 0 "^session again: $T/home/ut-traces/again-" utctl create again
	expect 0 '' utctl enable-event 'seq:*'
	expect 0 '' utctl start
	./prog/seq 1 1 10
	expect 0 '10 events, 0 lost' utctl destroy again
done
[ "$(ls -d "$T"/home/ut-traces/again-*/ust/uid | wc -l)" -eq 4 ] ||
    fail "not four traces: $(ls "$T/home/ut-traces")"
# A name that was chosen gets no number.
expect 0 '' utctl create chosen
complains 'session chosen exists' utctl create chosen
expect 0 '' utctl destroy chosen

# Two at once: one of them gets the name.  The consumer, which makes the
# directories, is held up until both have asked.
halt $(consumers)
utctl create -o "$T/t1" twin >"$T/o1" 2>"$T/e1" &
p1=$!
utctl create -o "$T/t2" twin >"$T/o2" 2>"$T/e2" &
p2=$!
sleep 0.5
kill -CONT $(consumers)
wait $p1
s1=$?
wait $p2
s2=$?
[ $((s1 + s2)) -eq 1 ] || fail "two sessions twin: $s1, $s2:" \
    "$(cat "$T/e1" "$T/e2") $(utctl list)"
grep -q 'session twin exists' "$T/e1" "$T/e2" || fail "not said why"
stop_utd || fail "utd: status $?"
