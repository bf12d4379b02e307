# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that has to be alone in its process, as for a user namespace: with
# ut_threads(3) it is, when that returns, for as long as it wants, with a utd
# and without; with UT_THREADS=0, or called early, it always is.  What is
# enabled goes on meanwhile.

. ./common.sh

asks() {	# answer command...
	want=$1
	shift
	pulse "$*"
	[ "$answer" = "$want" ] || fail "$*: $answer, not $want"
}

# Alone, as the system sees it at once, and to be told of nothing.
is_alone() {
	asks 0 threads 0
	asks y alone
	[ ! -r "/proc/$PULSE/task" ] || asks 1 count
}

quit() {
	exec 3>&- 4<&-
	wait "$PULSE"
}

listened() {
	pulse on
	[ "$answer" = y ]
}

known() {
	utctl events | grep -q "pid $PULSE,"
}

# $3 events of the session, and none lost, as $1 ends it.
recorded_as() {	# session events
	expect 0 "$1 destroyed: $2 events, 0 lost" utctl destroy "$1"
}

session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-event -s "$1" '*' && utctl start "$1" ||
	    fail "set-up of $1"
}

# Without a utd, asleep, and one that comes then.
pulse_start ./prog/alone
pulse alone
single=$answer		# y where nobody asks
[ ! -r "/proc/$PULSE/task" ] || [ "$single" = n ] || fail "alone from the start"
is_alone
is_alone
asks y fork
start_utd
sleep 0.3
known && fail "found without a thread"
asks 0 threads 1
known || fail "not known when ut_threads returns"
asks "$single" alone
session s
asks y on
asks done hit 10
is_alone
asks y on
asks done hit 10
asks 0 threads 1
known || fail "not known again"
asks y on
asks done hit 10
recorded_as s 30
until_ok sh -c "echo on >&3 && read -r a <&4 && [ \$a = n ]" ||
    fail "recorded without a session"

# Alone while a session begins and ends; the child of a fork, too.
is_alone
session t
asks n on
asks y fork
asks 0 threads 1
asks y on
asks done hit 10
is_alone
asks y fork
expect 0 't stopped: 12 events, 0 lost' utctl stop t
asks done hit 10
recorded_as t 12
asks 0 threads 1
asks n on

# Again and again: at a connection that was there from the start or not,
# asleep, and between the two.
session u
asks 0 turns 50
quit
pulse_start ./prog/alone
pulse threads 0
pulse fds
had=$answer
pulse threads 1
asks 0 turns 50
asks done hit 1
pulse threads 0
asks "$had" fds
pulse threads 1
recorded_as u 1
stop_utd || fail "utd: status $?"
asks 0 turns 50
asks 0 threads 1
start_utd
until_ok known || fail "not found after many turns"
is_alone
pulse user
[ "$answer" != n ] || fail "no user namespace when alone"
quit

# By the environment, from the start; and by a call before it.
session v
UT_THREADS=0
export UT_THREADS
pulse_start ./prog/alone
unset UT_THREADS
asks y alone
asks y on
asks done hit 5
asks y fork
pulse user
[ "$answer" != n ] || fail "no user namespace with UT_THREADS"
# Nobody can trace more of it now, but it runs, and the session has its events.
known && fail "known without a connection"
expect 0 '^0 programs$' utctl status
has_programs v alone || fail "not listed: $(utctl list v)"
quit
recorded_as v 6
UT_THREADS=1 ./prog/alone </dev/null || fail "UT_THREADS=1"
$CC $CFLAGS -DEARLY -DLOAD -I"$TOP/libut" -o "$T/early" prog/alone.c \
    $LINK $LIBS $DL || fail "cannot build early"
$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$T/lib.so" prog/firstlib.c \
    $LINK || fail "cannot build lib.so"
pulse_start "$T/early"
asks y alone
session w
asks n on
# A library that is loaded has it ask.
asks y load "$T/lib.so"
asks y on
asks y alone
asks done hit 5
asks 0 threads 1
known || fail "early, then with threads: not known"
quit
expect 0 'w destroyed: [0-9]* events, 0 lost' utctl destroy w
[ "$(count_events "$T/w" alone:hit)" -eq 5 ] || fail "early: not 5 events"
stop_utd || fail "utd: status $?"

# A program that knows nothing of it.
wrap="env LD_PRELOAD=$TOP/libut/libut-malloc.so"
if unshare -U true 2>/dev/null &&
    said=$($wrap unshare -V 2>&1 >/dev/null) && [ -z "$said" ]; then
	$wrap unshare -U true 2>/dev/null &&
	    fail "unshare is alone without being told"
	UT_THREADS=0 $wrap unshare -U true ||
	    fail "UT_THREADS=0 unshare: status $?"
fi

# Who sleeps on a FIFO of root's cannot be woken, and says so.
[ "$(id -u)" -eq 0 ] || exit 0
chmod 711 "$T"
UT_RUNDIR=$T/sys
system_at "$UT_RUNDIR"
build "$T/alone" prog/alone.c
mkdir -m 755 "$UT_RUNDIR" && mkfifo -m 644 "$UT_RUNDIR/wake" || exit 1
pulse_start ./prog/asuser 65534 env UT_RUNDIR= XDG_RUNTIME_DIR= \
    HOME=/nonexistent "$T/alone"
sleep 0.3
asks EBUSY threads 0
asks 0 threads 1
start_utd
until_ok sh -c "utctl events | grep -q '^alone (pid'" || fail "not found"
is_alone
asks y alone
quit
UT_THREADS=0
export UT_THREADS
pulse_start ./prog/asuser 65534 env UT_RUNDIR= XDG_RUNTIME_DIR= \
    HOME=/nonexistent "$T/alone"
asks y alone
quit
