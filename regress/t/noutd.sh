# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Without a utd every command that needs one says so; the others work.

. ./common.sh

all() {
	complains "$1" utctl create -o "$T/trace" s
	complains "$1" utctl start
	complains "$1" utctl start s
	complains "$1" utctl stop
	complains "$1" utctl destroy
	complains "$1" utctl enable-channel c
	complains "$1" utctl enable-event 'a:b'
	complains "$1" utctl disable-event 'a:b'
	complains "$1" utctl list
	complains "$1" utctl list -j
	complains "$1" utctl events
	[ ! -e "$T/trace" ] || fail "a directory was made"
}

all "no utd is running in $T/run: No such file"
UT_RUNDIR=$T/nowhere/run
all "no utd is running in $T/nowhere/run: No such file"
UT_RUNDIR=$T/$(printf '%0120d' 0)
all "no utd is running in $UT_RUNDIR: .*longer"

# A socket that nobody listens at.
UT_RUNDIR=$T/run
start_utd
kill -9 $UTD_PID
wait $UTD_PID 2>/dev/null
UTD_PID=
[ -S "$T/run/sock" ] || fail "no stale socket"
all "no utd is running in $T/run: Connection refused"

# Those that need none, and a program.
expect 0 '10 events' utctl record -o "$T/rec" -- ./prog/seq 0 1 10
[ "$(count_events "$T/rec" seq:tick)" -eq 10 ] || fail "view"
expect 0 '' ./prog/seq 0 1 10
