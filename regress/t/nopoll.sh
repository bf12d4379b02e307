# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that may not call poll(2), as one that knows epoll(7) alone: each
# event is there, and libut's thread takes no processor.

. ./common.sh

[ "$(uname)" = Linux ] || skip "no seccomp(2) here"
not_sanitized
./prog/noapart -p /bin/sh -c : || skip "no system call can be forbidden here"

# $used: seconds of a processor that ended processes had, in 1/100.
used() {
	times >"$T/times"
	used=$(tail -n 1 "$T/times" | tr 'ms' '  ' |
	    awk '{ printf "%d\n", ($1 + $3) * 6000 + ($2 + $4) * 100 }')
}

# quiet command...: two seconds of events, and little else.
quiet() {
	used
	before=$used
	"$@" ./prog/noapart -p ./prog/seq -p 1000 1 1 2000 2>"$T/err" ||
	    fail "$*: $(cat "$T/err")"
	used
	n=$((used - before))
	echo "$n ticks"
	[ $n -lt 100 ] || fail "$*: $n/100 s of a processor"
}
quiet env
start_utd
quiet env
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start || fail "set-up"
quiet env
expect 0 '2000 events, 0 lost' utctl destroy
stop_utd || fail "utd: status $?"
quiet utctl record -o "$T/other" --
[ "$(utctl view "$T/other" | wc -l)" -eq 2000 ] || fail "not 2000 events"
