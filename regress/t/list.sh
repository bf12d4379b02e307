# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl list and events: as text and as JSON, with the right numbers.

. ./common.sh

json() {
	expect 0 '^{' "$@"
	command -v python3 >/dev/null 2>&1 || return 0
	python3 -m json.tool <"$T/out" >"$T/json" 2>"$T/json.err" ||
	    fail "$*: $(cat "$T/json.err")"
}

has() {
	grep -q -e "$1" "$T/out" || fail "no '$1' in: $(cat "$T/out")"
}

start_utd
json utctl list -j
[ "$(cat "$T/out")" = '{"sessions":[]}' ] || fail "$(cat "$T/out")"
json utctl events -j
[ "$(cat "$T/out")" = '{"programs":[]}' ] || fail "$(cat "$T/out")"
expect 0 '^no programs know of the utd in ' utctl events

dir="$T/a \"b\\ c"
expect 0 '' utctl create -o "$dir" s
expect 0 '' utctl enable-channel -b 8k -n 16 c
expect 0 '' utctl enable-event -c c -l info 'pulse:*'
expect 0 '' utctl enable-event -c c 'x:["\y]'
expect 0 '' utctl start
pulse_start
pulse hit 25
pulse pid
pid=$answer

expect 0 '' utctl list
has "^session s (active): $T/a \"b\\\\ c$"
has '^    50 events, 0 lost, [1-9][0-9]* bytes, 1 program$'
has '^    channel c: discard, 16 sub-buffers of 8k$'
has '^        enabled: pulse:\* (level <= info)$'
expect 0 '' utctl list s
has "^    program pulse (pid $pid, uid $(id -u), [36][24]-bit)$"
has "^        uid $(id -u), [36][24]-bit: 50 events, 0 lost, [0-9]* bytes, [0-9]* packets*; 1 of 16 sub-buffers in use\$"
has '^            pulse:a (id [12], info)$'
has '^            pulse:c (id [12], err)$'
grep -q pulse:b "$T/out" && fail "pulse:b is listed"

json utctl list -j
has '"name":"s","dir":"'
has '"state":"active"'
has '"written":50,"lost":0,'
has '"subbuf_size":8192,"subbufs":16'
has '{"glob":"pulse:\*","level":"<= info","filter":"",.*"exclusions":\[\]}'
has '{"glob":"x:\[\\"\\\\y\]","level":"all","filter":"",.*"exclusions":\[\]}'
has '"name":"pulse:c","id":[12],"level":3'
has "\"name\":\"pulse\",\"pid\":$pid,\"vpid\":$pid,\"uid\":$(id -u),\"bits\":"
has '"warnings":\[\]'
if command -v python3 >/dev/null 2>&1; then
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))["sessions"][0]
assert s["dir"] == sys.argv[2], s["dir"]
c = s["channels"][0]
assert [r["glob"] for r in c["rules"]] == ["pulse:*", "x:[\"\\y]"]
r, = c["registries"]
assert r["written"] == 50 and r["packets"] > 0 and r["bytes"] == s["bytes"]
assert r["used"] == 1
assert sorted(e["name"] for e in r["events"]) == ["pulse:a", "pulse:c"]
assert len(s["programs"]) == 1' "$T/out" "$dir" 2>"$T/json.err" ||
	    fail "$(tail -n 1 "$T/json.err")"
fi
cp "$T/out" "$T/one"
json utctl list -j s
cmp "$T/out" "$T/one" || fail "list -j and list -j s differ"
# The bytes are those on the disk.
counts s
n=$(cat "$dir"/ust/uid/*/*/c_* | wc -c)
[ "$bytes" -eq "$n" ] || fail "$bytes bytes listed, $n there"

# Events, also of programs that nobody traces.
expect 0 '' utctl events
has "^pulse (pid $pid, uid $(id -u), [36][24]-bit)$"
has '^    pulse:b (debug)$'
has '^    other:a (warning)$'
has '^        n: uint64$'
has '^        text: string$'
[ "$(grep -c '^    [^ ]*:[^ ]* (' "$T/out")" -eq \
    "$(sort -u "$T/out" | grep -c '^    [^ ]*:[^ ]* (')" ] ||
    fail "an event twice: $(cat "$T/out")"
# ut:log, an event at each of 15 levels, is one line, the last.
hold ./prog/chatty
until_ok sh -c "utctl events | grep -q '^chatty (pid $HOLDER'" ||
    fail "no chatty"
for opts in '' -v; do
	expect 0 '' utctl events $opts
	sed -n '/^chatty/,/^pulse/{ /^    [^ ]/p; }' "$T/out" >"$T/events"
	sed 3q "$T/events" | tr '\n' ' ' | grep -q "^    chatty:b[eforhind]* (\
[inforer]*)     chatty:b[eforhind]* ([inforer]*)     ut:log (" ||
	    fail "events $opts: $(cat "$T/out")"
	n=3
	[ -z "$opts" ] || n=17
	[ "$(wc -l <"$T/events")" -eq $n ] ||
	    fail "events $opts: $(cat "$T/out")"
done
has '^    ut:log (warning)$'
has '^        msg: string$'
expect 0 '' utctl events
has '^    ut:log (15 levels)$'
has '^        text: string$'
grep -q '  msg: string' "$T/out" && fail "fields of ut:log: $(cat "$T/out")"
json utctl events -j
has '{"name":"pulse:c","level":3,"fields":\[{"name":"n","type":"int32"},{"name":"text","type":"string"}\]}'
[ "$(grep -o '"ut:log"' "$T/out" | wc -l)" -eq 15 ] || fail "not 15 in JSON"
# Only those that match, of the programs that have such.
expect 0 '' utctl events '*:b' 'other:*'
[ "$(grep -c '^[^ ]' "$T/out")" -eq 1 ] && [ "$(grep -c '^    [^ ]' "$T/out")" \
    -eq 2 ] || fail "events of a pattern: $(cat "$T/out")"
has '^    pulse:b (debug)$'
has '^    other:a (warning)$'
json utctl events -j ut:log
[ "$(grep -o '"ut:log"' "$T/out" | wc -l)" -eq 15 ] || fail "not 15 in JSON"
grep -q 'pulse' "$T/out" && fail "pulse has no ut:log: $(cat "$T/out")"
complains 'no program that runs has an event x:y$' utctl events x:y
complains 'no program .* x:y, nor any of the others$' utctl events x:y 'z:*'
# So it is in a list.
expect 0 '' utctl enable-event -c c -l info ut:log
expect 0 '' utctl list s
has '^            ut:log (7 levels)$'
expect 0 '' utctl list -v s
[ "$(grep -c '^            ut:log (id [0-9]*, [a-z]*)$' "$T/out")" -eq 7 ] ||
    fail "list -v: $(cat "$T/out")"
has '^            pulse:c (id [12], err)$'
expect 0 '' utctl enable-channel one
expect 0 '' utctl enable-event -c one -L info ut:log
expect 0 '^            ut:log (id [0-9]*, info)$' utctl list s
release
expect 0 '' utctl destroy
expect 0 '' utctl events
has '^    pulse:b (debug)$'

# A consumer that cannot tell the numbers now.
utctl create -o "$T/halted" halted >/dev/null &&
    utctl enable-event 'pulse:*' >/dev/null && utctl start >/dev/null || fail
pulse hit 1
expect 0 '    3 events, 0 lost, ' utctl list halted
grep 'numbers are old' "$T/out" && fail "old: $(cat "$T/out")"
halt $(consumers)
pulse hit 1
expect 0 '    error: a consumer does not answer: the numbers are old$' \
    utctl list halted
expect 0 '    error: a consumer does not answer: the numbers are old$' \
    utctl status
kill -CONT $(consumers)
expect 0 '    6 events, 0 lost, ' utctl list halted
grep 'numbers are old' "$T/out" && fail "old: $(cat "$T/out")"
expect 0 '' utctl destroy halted

# Of a session that was rotated: events of all chunks, but bytes and packets of
# this one.
utctl create -o "$T/chunks" chunks >/dev/null &&
    utctl enable-event 'pulse:*' >/dev/null && utctl start >/dev/null || fail
this='(bytes and packets of the current chunk)'
pulse hit 10
expect 0 '' utctl list chunks
grep "$this" "$T/out" && fail "not rotated"
expect 0 '' utctl rotate chunks
pulse hit 20
expect 0 "-bit: 90 events, 0 lost, .* packets* $this; " utctl list chunks
n=$(stream_bytes "$T/chunks/chunk-1")
member_is "$n" chunks channels channel0 registries "$(id -u)" bytes ||
    fail "not $n bytes in this chunk: $(cat "$T/out")"
n=$(stream_bytes "$T/chunks")
member_is "$n" chunks bytes || fail "not $n bytes: $(cat "$T/out")"
expect 0 '' utctl destroy chunks

# A program that cannot tell a new utd its events: that is said.
stop_utd || fail "utd: status $?"
start_utd
until_ok sh -c "utctl status | grep -q '^1 program\$'" || fail "no pulse"
halt $PULSE
expect 0 '^utctl: 1 program does not answer$' utctl events
has '^pulse (pid '
expect 1 '^utctl: 1 program does not answer$' utctl events 'pulse:*'
kill -CONT $PULSE
expect 0 '^    pulse:a' utctl events 'pulse:*'
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"

# Nothing on stderr, and a full disk is told.
expect 0 '' utctl events
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
if [ -c /dev/full ]; then
	utctl events >/dev/full 2>"$T/err" && fail "/dev/full: status 0"
	grep -q stdout "$T/err" || fail "/dev/full: $(cat "$T/err")"
fi
stop_utd || fail "utd: status $?"
