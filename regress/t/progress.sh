# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A stop that takes long shows on a terminal how much is left, and cleans up
# behind itself; elsewhere it is silent.

. ./common.sh

terminal() {
	if command -v python3 >/dev/null 2>&1; then
		python3 -c 'import os, pty, sys
sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@"
	else
		script -q -e -c "$*" /dev/null
	fi
}
[ "$(terminal tty 2>/dev/null </dev/null | grep -c /dev/)" -eq 1 ] ||
    skip "no python3 here, and no script(1) that we know"

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event seq:tick && utctl start || fail "set-up"
./prog/seq 0 1 1

stopped() {
	utctl list | grep -q 'session s (stopped)'
}

# Long, because the consumer is held up until its buffers are full, and for a
# second after utd was told.
slow_stop() {
	kids=$(consumers)
	halt $kids
	./prog/seq "$1" 1 100000 || fail "seq"
	shift
	"$@" utctl stop >"$T/out" 2>"$T/err" </dev/null &
	stop=$!
	until_ok stopped || fail "not stopped"
	sleep 1
	kill -CONT $kids
	wait $stop || fail "stop: $? $(cat "$T/out" "$T/err")"
	grep -q "s stopped: $((n += 100000)) events, 0 lost" "$T/out" ||
	    fail "stop: $(cat "$T/out")"
}

n=1
slow_stop 1 env
[ ! -s "$T/err" ] || fail "not on a terminal, but: $(cat "$T/err")"
[ "$(wc -l <"$T/out")" -eq 1 ] || fail "more than a line"
utctl start || fail "start"
slow_stop 2 terminal
tr '\r' '\n' <"$T/out" >"$T/lines"
grep -q '^utctl: [1-9][0-9]* kB left to write' "$T/lines" ||
    fail "no progress: $(cat "$T/lines")"
# Each is overwritten, the last with blanks.
tr '\r' '\n' <"$T/out" | sed -n '/left to write/,$p' | grep -q '^   *$' ||
    fail "not erased: $(cat "$T/lines")"
stop_utd || fail "utd: status $?"
