# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program puts a socket of its own in the place of the library's, at the
# worst time: the library's thread does not sleep on it for ever, and goes on
# to be told of sessions.

. ./common.sh
not_sanitized

start_utd
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-event -s "$1" 'taken:*' >/dev/null &&
	    utctl start "$1" >/dev/null || fail "set-up of $1"
}
background ./prog/taken >"$T/prog.out" 2>"$T/prog.err"
until_ok grep ready "$T/prog.out" ||
    skip "the library has no socket among the program's descriptors"
sleep 0.6
session one
tries=0
until grep -q closed "$T/prog.out"; do
	[ ! -s "$T/prog.err" ] || fail "$(cat "$T/prog.out" "$T/prog.err")"
	tries=$((tries + 1))
	[ $tries -lt 250 ] || fail "it does nothing: $(cat "$T/prog.out")"
	sleep 0.1
done
cat "$T/prog.out"
session two
counted() {
	counts two
	[ "$events" -gt 10 ]
}
until_ok counted || fail "not found again"
