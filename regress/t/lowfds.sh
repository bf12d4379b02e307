# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that has no utd has the lowest descriptors for itself: it may put
# one of its own at any number, and what it opens first after it has closed all,
# as daemons of old do, is 0, 1 and 2.  The utd that comes later finds it.

. ./common.sh

timed() {
	./prog/lowfds "$@" >"$T/got" 2>&1 &
	CHILDREN="$CHILDREN $!"
	until_ok gone $! || fail "$*: it hangs"
	wait $! || fail "$*: $(cat "$T/got")"
	cat "$T/got"
}

[ "$(timed taken)" = "3 4" ] || fail "$(cat "$T/got")"
for ms in 0 30 130; do
	[ "$(timed close $ms 60)" = "0 of 60 are wrong" ] ||
	    fail "after $ms ms: $(cat "$T/got")"
done

background ./prog/seq -p 1000 1 1 100000000
start_utd
until_ok sh -c "utctl events | grep -q seq:tick" || fail "not found"
[ "$(timed taken)" = "3 4" ] || fail "with utd: $(cat "$T/got")"
stop_utd || fail "utd: status $?"
