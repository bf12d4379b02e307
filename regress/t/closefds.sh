# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program closes all descriptors, one by one, by closefrom, or after
# daemon(3), and opens its own at their numbers: none of them is touched, its
# events go on to the trace, and a session that begins later finds it again.

. ./common.sh

session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-event -s "$1" 'seq:tick' && utctl start "$1" ||
	    fail "set-up of $1"
}

# Events in a session, so far.
some_events() {
	counts "$1"
	[ "$events" -gt "$2" ]
}

listed() {
	utctl events | grep -q "^closefds (pid $pid,"
}

# How many are the program's: none, some, that at the library's number; how.
try() {
	start_utd
	session one
	background ./prog/closefds $1 $2 >"$T/prog.out" 2>"$T/prog.err"
	until_ok grep ready "$T/prog.out" || fail "no program"
	pid=$(sed -n 's/ready //p' "$T/prog.out")
	CHILDREN="$CHILDREN $pid"
	listed || fail "$*: not listed: $(utctl events)"
	sleep 0.3
	kill -USR1 "$pid"
	until_ok grep closed "$T/prog.out" || fail "not closed"
	before=$(sed -n 's/closed //p' "$T/prog.out")
	sleep 0.3

	# Up to here nobody has spoken to it: nothing can be missing.
	utctl stop one >/dev/null || fail "stop one"
	utctl view "$T/one" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
	    fail "one: $(cat "$T/view.err")"
	read -r had writers missing <"$T/got"
	[ "$had" -gt "$before" ] && [ "$missing" -eq 0 ] ||
	    fail "one: $(cat "$T/got"), closed after $before"
	utctl start one >/dev/null || fail "start one"

	session two
	until_ok some_events two 50 ||
	    fail "$* descriptors: not found again: $(utctl list)"
	until_ok some_events one $((had + 50)) || fail "one: no more events"
	listed || fail "$*: not listed again: $(utctl events)"
	kill -USR2 "$pid"
	until_ok gone "$pid" || fail "$*: it does not end"
	cat "$T/prog.out"
	grep -q '^status 0$' "$T/prog.out" || fail "$*: $(cat "$T/prog.err")"
	for s in one two; do
		utctl stop $s >/dev/null || fail "stop $s"
		utctl view "$T/$s" 2>"$T/view.err" | ./prog/seqcheck \
		    >"$T/got" || fail "$s: $(cat "$T/view.err")"
		[ ! -s "$T/view.err" ] || fail "$s: $(cat "$T/view.err")"
	done
	# The last event is there.
	total=$(sed -n 's/ events//p' "$T/prog.out")
	utctl view "$T/two" | tail -n 1 | grep -q " n = $total," ||
	    fail "not the last"
	stop_utd || fail "utd: status $?"
	rm -rf "$T/one" "$T/two"
}

try 0 loop
try 100 closefrom
try 600 loop
try 600 daemon
