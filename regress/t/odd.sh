# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Events that are odd: if one cannot be recorded, that is said, and only that
# one is missing.  What is recorded, both readers read.

. ./common.sh

start_utd
i=1
while [ $i -le 8 ]; do
	build "$T/odd$i" -DODD=$i prog/odd.c
	utctl create -o "$T/trace$i" s >/dev/null && utctl enable-event '*' &&
	    utctl start || fail "set-up"
	"$T/odd$i" || fail "odd$i: status $?"
	utctl list s >"$T/list"
	utctl stop >"$T/stop" || fail "stop"
	utctl destroy >/dev/null || fail "destroy"
	readers_agree "$T/trace$i"
	grep -q 'odd:even { n = 1 }' "$T/view.out" ||
	    fail "odd$i: the other event is missing: $(cat "$T/utd.log")"
	[ "$(wc -l <"$T/view.out")" -eq 2 ] || grep -q warning "$T/list" ||
	    fail "odd$i: missing without a word: $(cat "$T/list" "$T/view.out")"
	i=$((i + 1))
done
