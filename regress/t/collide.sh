# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Many events whose names somebody has chosen so that they fall together: utd
# takes no longer to know them than others, and has time for everybody.

. ./common.sh

# In a session of its own: $ms.
known() {
	start_utd
	utctl create -o "$T/$1" s >/dev/null && utctl enable-event '*' &&
	    utctl start || fail "set-up"
	ms=$(./prog/collide "$UT_RUNDIR" "$1") || fail "$1"
	utctl list s | grep -q 'id 40000,' || fail "$1: not all are known"
	stop_utd || fail "utd: status $?"
	rm -rf "$T/$1"
}

known different
limit=$((3000 + 5 * ms))
known alike
echo "$ms ms, of $limit"
[ "$ms" -lt "$limit" ] || fail "$ms ms, more than $limit"
