# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Somebody removes the run directory while there is no utd, or under one that
# runs: the programs that were there before are found by the next one, those
# of root and of users without a home too.

. ./common.sh

chmod 711 "$T" || exit 1
clean() {
	[ "$(id -u)" -ne 0 ] || rm -f "$(./prog/intruder fifo 65534 "$T/sys")" \
	    "$(./prog/intruder fifo 0 "$T/sys")"
	finish
}
trap clean EXIT

known() {
	for p in $PROGRAMS; do
		utctl events 2>/dev/null | grep -q "pid $p," || return 1
	done
}

one_thread() {
	[ -r /proc/self/task ] || return 0
	for p in $PROGRAMS; do
		[ "$(ls /proc/$p/task | wc -l)" -eq 2 ] ||
		    fail "$1: $(ls /proc/$p/task | wc -l) threads"
	done
}

end_utd() {
	case $1 in
	TERM)	stop_utd || fail "utd: status $?" ;;
	KILL)	kill_utd 0 ;;
	esac
}

removed() {
	rm -rf "$UT_RUNDIR" || fail "rm"
	start_utd
	until_ok known || fail "$1: not found: $(utctl events | grep pid)"
	one_thread "$1"
}

# Of a directory that was there before any utd was, of one that a utd leaves,
# at once and when programs sleep there, and of one in which a utd still is.
everything() {
	sleep 0.3
	removed "$1, no utd yet"
	for how in TERM KILL; do
		end_utd $how
		removed "$1, $how"
		end_utd $how
		sleep 0.5
		removed "$1, $how and sleep"
		rm -rf "$UT_RUNDIR"
		end_utd $how
		sleep 0.5
		removed "$1, $how without it"
	done
	# Another one meanwhile, made by a program that is younger.
	end_utd TERM
	rm -rf "$UT_RUNDIR"
	"$PROGRAM" </dev/null >/dev/null || fail "$PROGRAM: $?"
	sleep 0.5
	removed "$1, made anew"
	end_utd TERM
	# What is in it is removed, not itself.
	rm -rf "$UT_RUNDIR"/*
	sleep 0.5
	start_utd
	until_ok known || fail "$1, emptied: not found"
	stop_utd || fail "utd: status $?"
	ls -A "${UT_RUNDIR%/*}" | grep "^${UT_RUNDIR##*/}\." >"$T/names"
	[ "$(cat "$T/names")" = "${UT_RUNDIR##*/}.wake" ] ||
	    fail "$1: left: $(cat "$T/names")"
}

# The user's own.
UT_RUNDIR=$T/run
PROGRAM=./prog/pulse
pulse_start
PROGRAMS=$PULSE
pulse hit 1
everything "own"
exec 3>&- 4<&-
wait $PULSE

# Nobody else can put the FIFO there: not in place of one's own, and where
# somebody could there is none.
UT_RUNDIR=$T/none
: >"$T/none.wake"
./prog/pulse </dev/null >/dev/null
start_utd
stop_utd || fail "a file beside the directory: status $?"
[ -p "$T/none/wake" ] && [ -f "$T/none.wake" ] || fail "a file is used"
mkdir "$T/open" && chmod 1777 "$T/open" && mkdir -m 700 "$T/open/run" || exit 1
UT_RUNDIR=$T/open/run
./prog/pulse </dev/null >/dev/null
start_utd
stop_utd || fail "status $?"
[ -p "$T/open/run/wake" ] && [ "$(ls -A "$T/open")" = run ] ||
    fail "where everybody can put something: $(ls -A "$T/open")"

# The system's: root's programs, and those of a user without a home.
[ "$(id -u)" -eq 0 ] || exit 0
UT_RUNDIR=$T/sys
system_at "$UT_RUNDIR"
build "$T/pulse" prog/pulse.c
PROGRAM=$T/pulse
mkdir -m 755 "$UT_RUNDIR" || exit 1
unset XDG_RUNTIME_DIR
HOME=/nonexistent
export HOME
pulse_start "$T/pulse"
pulse hit 1
PROGRAMS=$PULSE
mkfifo "$T/to2" || exit 1
env UT_RUNDIR= ./prog/asuser 65534 "$T/pulse" <"$T/to2" >/dev/null &
CHILDREN="$CHILDREN $!"
PROGRAMS="$PROGRAMS $!"
exec 6>"$T/to2"
everything "the system's"
exec 3>&- 4<&- 6>&-
