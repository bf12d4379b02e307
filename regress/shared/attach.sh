# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Of the tests of utctl record -p and -T: programs that run, $ONE and $TWO, what
# records them, and what nothing may stay of.

. ./common.sh

# The thread sanitizer puts off handlers of signals while a thread sleeps in a
# system call that the sanitizer does not know, as consumers do.
case $CFLAGS in
*-fsanitize=thread*)	skip "not with the thread sanitizer" ;;
esac

chmod 711 "$T" && mkdir "$T/cwd" || exit 1

# Shared memory of the utds that were seen here.
shm() {
	for p in $UTDS; do
		find $SHM -maxdepth 1 -name "*ut-$(printf %x "$p")-*"
	done
}

no_shm() {
	[ -z "$(shm)" ]
}

no_utd() {
	! ps -A -o args= | grep -v grep | grep -q "utd.*$T/"
}

nothing_left() {
	until_ok no_utd || fail "$1: a utd is left"
	[ -z "$(find "$UT_RUNDIR" ! -name wake -type p)" ] &&
	    [ ! -e "$UT_RUNDIR/sock" ] && [ ! -e "$UT_RUNDIR/state" ] ||
	    fail "$1: left $(ls "$UT_RUNDIR")"
	until_ok no_shm || fail "$1: in $SHM: $(shm)"
}

# The only session of the utd that runs is the one called mine.
others_left() {
	[ "$(utctl status -j | pick sessions)" = mine ]
}

record_name() {
	utctl list -j | pick sessions | grep '^record-'
}

# start_record DIR option...: in the background, until it records.
start_record() {
	dir=$1
	shift
	./prog/asuser - utctl record -o "$T/$dir" "$@" >"$T/said" 2>"$T/err" &
	RECORD=$!
	CHILDREN="$CHILDREN $RECORD"
}

recording() {
	until_ok grep -q '^utctl: recording ' "$T/err" &&
	    until_ok grep -rq seq:tick "$T/$1" ||
	    fail "$1: nothing is recorded: $(cat "$T/err")"
	UTDS="$UTDS $(cat "$UT_RUNDIR/utd.pid")"
}

# end_record STATUS PATTERN: when it has ended, by what it was told or itself.
end_record() {
	wait $RECORD
	got=$?
	[ $got -eq "$1" ] || fail "status $got, not $1: $(cat "$T/err")"
	grep -q -e "$2" "$T/err" || fail "no '$2' in $(cat "$T/err")"
	[ ! -s "$T/said" ] || fail "on stdout: $(cat "$T/said")"
}

# It has said so many lines.
said() {
	[ "$(wc -l <"$T/err")" -eq "$1" ] ||
	    fail "not $1 lines: $(cat "$T/err")"
}

# Others in their place: those that lost some utds look for the next one later.
fresh() {
	[ -z "$ONE" ] || kill -9 $ONE $TWO
	rm -f "$T/progress1" "$T/progress2"
	background ./prog/seq -p 1000 1 1 9000000 "$T/progress1"
	ONE=$LAST
	background ./prog/seq -p 1000 2 2 9000000 "$T/progress2"
	TWO=$LAST
	until_ok test -s "$T/progress1" && until_ok test -s "$T/progress2" ||
	    fail "seq does not begin"
}

ONE= TWO= UTDS=
fresh

runs() {
	! gone $ONE && ! gone $TWO || fail "a program has ended"
}
