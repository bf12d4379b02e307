# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs say nothing that nobody asks for: without a session they describe
# no event, with one only what its rules match, and nothing that another of
# the same events has told before.

. ./common.sh

need strace
strace -qq -o /dev/null true 2>/dev/null || skip "strace may not"
start_utd
pulse_start

# The types of messages that a command sends to utd, in order.
said() {
	strace -qq -f -e trace=sendmsg,sendto -e signal=none -xx -s 8 \
	    -o "$T/strace" "$@" >/dev/null 2>"$T/err" </dev/null
	sed -n 's/.*iov_base="\(\\x..\)\{4\}\\x\(..\).*/\2/p' "$T/strace" |
	    tr '\n' ' '
}
cp prog/kind "$T/kind" 2>/dev/null || build "$T/kind" prog/kind.c
HELLO=01 ACK=04 NAMES=06 EVENTS=07

is() {
	what=$1 want=$2
	shift 2
	got=$(said "$@")
	[ "$got" = "$want" ] || fail "$what: $got, not $want"
}
is "no session" "$HELLO " "$T/kind" 3
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'kind:*' ||
    fail "set-up"
is "not started" "$HELLO " "$T/kind" 3
utctl start
is "unknown" "$HELLO $NAMES $EVENTS $ACK " "$T/kind" 3
is "known" "$HELLO $ACK " "$T/kind" 3
is "known, 2" "$HELLO $ACK " "$T/kind" 3
is "another one" "$HELLO $NAMES " ./prog/seq 1 1 1
is "another one, known" "$HELLO " ./prog/seq 1 1 1
# Another rule: of what it matches only the fields are not known.
utctl enable-event 'seq:tick' >/dev/null || fail "enable-event"
is "asked for" "$HELLO $EVENTS $ACK " ./prog/seq 1 1 1
is "asked for, known" "$HELLO $ACK " ./prog/seq 1 1 1
# Another channel and another session know it, too.
utctl enable-channel -p own && utctl enable-event -c own 'seq:t*' >/dev/null &&
    utctl create -o "$T/two" two >/dev/null && utctl enable-event 'seq:*' &&
    utctl start || fail "set-up"
is "three times" "$HELLO $ACK $ACK $ACK " ./prog/seq 1 1 1
# The same name with other fields is not what is known, and is recorded, too.
build "$T/fields" '-DFIELDS=UT_U64(n)' -DVALUES='(uint64_t)i' prog/kind.c
is "other fields" "$HELLO $NAMES $EVENTS $ACK " "$T/fields" 3
utctl destroy s >/dev/null && utctl destroy two >/dev/null || fail "destroy"
is "no session again" "$HELLO " ./prog/seq 1 1 1

# One that runs, of which the names are known, is asked when a rule wants it.
utctl create -o "$T/three" s >/dev/null && utctl start || fail "set-up"
strace -qq -f -e trace=sendmsg,sendto -e signal=none -xx -s 8 \
    -o "$T/strace" -p $PULSE 2>/dev/null &
tracer=$!
CHILDREN="$CHILDREN $tracer"
sleep 0.5
expect 0 '3 events of 1 program' utctl enable-event 'pulse:*'
expect 0 '' utctl disable-event 'pulse:*'
expect 0 '1 event of 1 program' utctl enable-event 'pulse:a'
expect 0 '1 event of 1 program' utctl enable-event 'other:a'
kill $tracer
wait $tracer 2>/dev/null
got=$(sed -n 's/.*iov_base="\(\\x..\)\{4\}\\x\(..\).*/\2/p' "$T/strace" |
    tr '\n' ' ')
[ "$got" = "$EVENTS $ACK $ACK $ACK $EVENTS $ACK " ] ||
    fail "while it runs: $got"
utctl destroy >/dev/null
stop_utd || fail "utd: status $?"
