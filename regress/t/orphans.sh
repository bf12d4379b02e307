# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Whatever utctl starts it waits for: nothing is left to process 1, which may
# wait for nobody.

. ./common.sh

./prog/orphans true >"$T/out" 2>"$T/err"
[ $? -ne 77 ] || skip "$(cat "$T/err")"
# It sees what it is to see.
expect 0 '^1 orphans$' ./prog/orphans sh -c 'sleep 0.1 & :'

none() {
	status=$1
	shift
	expect "$status" '^0 orphans$' ./prog/orphans "$@"
}

none 0 utctl record -o "$T/t" -- ./prog/seq 1 1 10
none 3 utctl record -o "$T/t2" -- sh -c 'exit 3'
none 127 utctl record -o "$T/t3" -- "$T/none"
# The directory is not empty, so there is no session.
none 1 utctl record -o "$T/t" -- ./prog/seq 1 1 10
# utd is killed, and another takes up.  What the first one had started, its
# consumer, nobody else can wait for.
expect 0 '^1 orphans$' ./prog/orphans utctl record -o "$T/t4" -- sh -c \
    './prog/seq 1 1 10; kill -9 $(cat "$UT_RUNDIR/utd.pid"); sleep 0.2'

# recover starts one, too.
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null || fail "set-up"
./prog/seq 1 1 10 || fail "seq"
halt $(consumers)
./prog/seq 2 1 10 || fail "seq"
kill_utd 1
none 0 utctl recover
[ "$(count_events "$T/s" seq:tick)" -eq 20 ] || fail "not recovered"
