# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# create -N: all is recorded, drained, counted and dropped; no file is made, and
# killed consumers and utds change nothing.

. ./common.sh

HOME=$T/home
export HOME
mkdir "$HOME" || fail "mkdir"
start_utd
expect 1 'usage: utctl create' utctl create -N -o "$T/x" s
expect 1 'usage: utctl create' utctl create -o "$T/x" -N s
expect 0 '^session s: no output$' utctl create -N s
complains 'session s exists' utctl create -N s
expect 0 '^session auto-[0-9]*-[0-9]*: no output$' utctl create -N
utctl destroy >/dev/null || fail "destroy of auto"
utctl create -o "$T/trace" f >/dev/null || fail "create f"
for s in s f; do
	utctl enable-channel -s $s -b 4k -n 64 c &&
	    utctl enable-channel -s $s -b 4k -n 8 -p each &&
	    utctl enable-event -s $s -c c 'pulse:*' &&
	    utctl enable-event -s $s -c each 'other:a' &&
	    utctl start $s >/dev/null || fail "set-up of $s"
done
pulse_start
until_ok pulse_on abco || fail "$answer"

# One and the other count the same, however they were recorded.
same() {
	counts f
	set -- $events $lost $bytes
	counts s
	[ $events -eq $1 ] && [ $lost -eq $2 ] ||
	    fail "$events events, $lost lost, not $1 and $2"
	[ $bytes -gt 0 ] || fail "$bytes bytes"
	off=$((bytes > $3 ? bytes - $3 : $3 - bytes))
	[ $((off * 10)) -le $3 ] || fail "$bytes bytes, not $3"
}
hits=0
hit() {
	pulse hit $1
	hits=$((hits + $1))
	# Elsewhere memory is not found by utd's number once another utd is
	# there.
	[ ! -r /proc/self/fd/0 ] || until_ok regions '.* 0 full' ||
	    fail "not drained"
	same
	[ $events -eq $((4 * hits)) ] || fail "$events events of $hits hits"
}
hit 100
hit 1000
expect 0 '^session s (active): (no output)$' utctl list s
expect 0 '"name":"s","dir":"",.*"output":0' utctl list -j s
expect 0 '"dir":"[^"]*/trace",.*"output":1' utctl list -j f

# The consumer, and then both.
was=$bytes
kill_consumers
until_ok sh -c "utctl list s | grep -q 'took over'" || fail "no other consumer"
until_ok pulse_on abco || fail "$answer"
hit 10
[ $bytes -gt $was ] || fail "$bytes bytes, after $was: consumer"
for how in 1 2 0; do
	was=$bytes
	kill_utd $how
	start_utd
	until_ok pulse_on abco || fail "$answer"
	until_ok has_programs s '.*' 1 || fail "alone"
	hit 100
	[ $bytes -gt $was ] || fail "$bytes bytes, after $was: utd $how"
	expect 0 '^session s (active): (no output)$' utctl list s
done

# Programs that come and go, started and stopped.
./prog/first >/dev/null 2>&1
expect 0 "stopped: $((4 * hits)) events, 0 lost, $BYTES" utctl stop s
pulse hit 5
utctl start s || fail "start again"
until_ok pulse_on abco || fail "$answer"
pulse hit 1
hits=$((hits + 1))
exec 3>&- 4<&-
wait $PULSE
expect 0 "stopped: $((4 * hits)) events, 0 lost, $BYTES" utctl stop s

# What an ended utd leaves, recover counts.
kill_utd 1
expect 0 '^(no output):$' utctl recover
grep -q "session s destroyed: $((4 * hits)) events, 0 lost" "$T/out" ||
    cat "$T/out" "$T/err" | grep -q "s destroyed: $((4 * hits)) events" ||
    fail "recover: $(cat "$T/out" "$T/err")"
readers_agree "$T/trace"

# Programs of another user in a session of root's.
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
utctl create -N all >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up of all"
as_user ./prog/seq 1 1 1000 >/dev/null || fail "seq"
expect 0 'all destroyed: [1-9][0-9]* events, 0 lost' utctl destroy
stop_utd || fail "utd: status $?"
[ -z "$(ls -A "$HOME")" ] && [ ! -e "$T/x" ] ||
    fail "files: $(ls -R "$HOME")"
