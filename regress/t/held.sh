# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer ends while programs are held back until it has been sent their
# metadata: they go on, and so does who waits for them.

. ./common.sh

UT_REGISTER_TIMEOUT=-1
export UT_REGISTER_TIMEOUT
start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event 'many:*' 'seq:*' && utctl start || fail "set-up"
./prog/seq 0 1 1 || fail "seq"

CONSUMER=$(consumers)
halt $CONSUMER
background ./prog/many -w a 0 20000 </dev/null >"$T/many"
many=$LAST
until_ok sh -c 'utctl list s | grep -q many:a_19999' || fail "not described"
sleep 0.5
gone $many && fail "it was not held back"
kill -9 $CONSUMER
until_ok gone $many || fail "it waits for one who is dead"

# What else is asked for is done.
expect 0 's stopped' utctl stop
expect 0 's destroyed' utctl destroy
stop_utd || fail "utd: status $?"
