# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# trigger -w: a snapshot comes so long after the first match, once for all
# matches until then, and has what came meanwhile; at once if the session is
# stopped or destroyed; also if utd is killed meanwhile; saved and loaded.

. ./common.sh

shows() {
	utctl list ring >"$T/shows" && grep -q "^    trigger $1: $2" "$T/shows"
}
say_so() {
	until_ok shows "$@" || fail "trigger $1, not '$2': $(cat "$T/shows")"
}
taken() {
	shot=$(ls -d "$T/ring/snapshots"/*-"$1" 2>/dev/null)
}
# The snapshot has the last event of pulse:b before its end.
has_last() {
	until_ok taken "$1" || fail "no snapshot $1: $(utctl list ring)"
	readers_agree "$shot"
	grep -q "pulse:b.* n = $answer }\$" "$T/view.out" ||
	    fail "$answer is not in $shot: $(tail -n 2 "$T/view.out")"
}
ring() {
	utctl create -S -o "$T/ring" ring >/dev/null &&
	    utctl enable-event 'pulse:b' >/dev/null && utctl start >/dev/null ||
	    fail "ring"
}

start_utd
for t in -1 x '' 25h 0.0001 1t; do
	complains "time '$t': not 0 to 24h" \
	    utctl trigger -e a:b -w "$t" -a snapshot
done
ring
utctl trigger -e pulse:c -n 1 -w 1.5 -a snapshot >/dev/null || fail "trigger"
utctl save >"$T/saved" && grep -q ' -n 1 -w 1500ms -a snapshot' "$T/saved" ||
    fail "$(cat "$T/saved")"
expect 0 '' utctl load -n "$T/saved"
pulse_start
until_ok pulse_on -bc- || fail "$answer"

# What comes after the first match is there, too; other matches change nothing.
pulse hit 1
say_so 1 'each 1 pulse:c: after 1500ms: snapshot; waits, 1 match, acted 0'
value=$(member ring triggers 1 later_ms)
[ "$value" = 1500 ] || fail "later_ms $value"
pulse hit 3
! taken 1 || fail "too early"
has_last 1
say_so 1 '.*; armed, 4 matches, acted 1 time$'

# utd is killed: the next one waits for the rest of the time.
pulse hit 1
say_so 1 '.*; waits,'
kill_utd 0
start_utd
say_so 1 '.*; waits,'
pulse hit 2
has_last 2
say_so 1 '.*; armed, 7 matches, acted 2 times$'

# The session is stopped: at once, for no more comes.
utctl trigger -r 1 && utctl trigger -e pulse:c -w 1h -a snapshot >/dev/null ||
    fail "trigger"
until_ok pulse_on -bc- || fail "$answer"
pulse hit 1
say_so 2 'first pulse:c: after 3600000ms: snapshot; waits,'
utctl stop >/dev/null || fail "stop"
has_last 3
say_so 2 '.*; over, 1 match, acted 1 time$'

# Destroyed: before the end.
utctl start >/dev/null && until_ok pulse_on -bc- || fail "start: $answer"
pulse hit 1
say_so 2 '.*; waits,'
expect 0 'session ring destroyed: .*, 4 snapshots' utctl destroy
has_last 4
exec 3>&- 4<&-
wait $PULSE
stop_utd || fail "utd: status $?"
