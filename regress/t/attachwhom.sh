# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -p and -T: which programs cannot be recorded, and why.

. ./shared/attach.sh

# What cannot be recorded: one line, and no trace.
none() {
	complains "$@"
	[ ! -e "$T/none" ] || fail "$*: left $(ls "$T/none")"
	nothing_left "$*"
}
sh -c 'exit 0' &
dead=$!
wait $dead
none "^utctl: process $dead: there is no such process\$" \
    utctl record -p $dead -o "$T/none"
none "^utctl: process ID '0': not a number from 1" utctl record -p 0 \
    -o "$T/none"
none "^utctl: time '0': not 1ms to [0-9]*m" utctl record -T 0 -p $ONE \
    -o "$T/none"
none "time '1x': not" utctl record -T 1x -p $ONE -o "$T/none"
none '^utctl: -p and a command' utctl record -p $ONE -o "$T/none" -- true
none '^utctl: -w: only a command' utctl record -p $ONE -w malloc -o "$T/none"
none '^utctl: -S and -T:' utctl record -S -T 1 -o "$T/none" -- true
background sleep 1000
none "^utctl: process $LAST\( (sleep)\)\{0,1\}: d.* ut(3)" \
    utctl record -p $LAST -p $ONE -o "$T/none"
if [ "$(id -u)" -eq 0 ]; then
	none "^utctl: process $ONE\( (seq)\)\{0,1\}: another user's: only" \
	    as_user utctl record -p $ONE -o "$T/none"
fi
complains "$T/plain: Not a dir" sh -c ": >'$T/plain'; exec utctl record \
    -p $ONE -o '$T/plain'"
nothing_left "no directory"

# Nobody knows where utd could be, unless the system's runs.
if [ ! -e /var/run/utd/sock ]; then
	set -- env -u UT_RUNDIR -u XDG_RUNTIME_DIR -u HOME utctl record -T 1 \
	    -o "$T/none"
	[ "$(id -u)" -ne 0 ] || set -- as_user "$@"
	none '^utctl: no run directory: UT_RUNDIR, XDG_RUNTIME_DIR and HOME' \
	    "$@"
fi

# A command goes on when the time is over; the trace is whole then.
mkfifo "$T/hold" || exit 1
start_record limited -T 500ms -- sh -c "./prog/seq 1 1 10; read x <'$T/hold'
    ./prog/seq 1 1 10; exit 3"
until_ok grep -q '^utctl: 10 events, 0 lost' "$T/err" ||
    fail "-T with a command: $(cat "$T/err")"
readers_agree "$T/limited"
until_ok grep -q ' of -T is over: record waits for the end of sh$' "$T/err" ||
    fail "-T waits without a word: $(cat "$T/err")"
gone $RECORD && fail "-T ended it"
echo >"$T/hold"
end_record 3 '^utctl: 10 events, 0 lost'
said 2
[ "$(count_events "$T/limited" seq:tick)" -eq 10 ] || fail "more recorded"

# A utd is killed while it is asked about a process that utctl does not see.
if [ "$(id -u)" -eq 0 ] && unshare -p -f true 2>/dev/null; then
	fresh
	start_utd
	until_ok sh -c "utctl events | grep -q '(pid $ONE,'" || fail "no seq"
	unshare -p -f utctl record -p $ONE -o "$T/unseen" 2>"$T/err" &
	RECORD=$!
	CHILDREN="$CHILDREN $RECORD"
	recording unseen
	halt $UTD_PID
	sleep 0.5
	kill_utd 0
	start_utd
	kill -9 $ONE
	ONE=$TWO
	until_ok gone $RECORD || fail "the next utd: $(cat "$T/err")"
	: >"$T/said"
	end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
	stop_utd || fail "utd: status $?"
	nothing_left "a process that is not seen"
fi

# The rest is seen in /proc.
kill $ONE $TWO
[ -r /proc/self/environ ] || exit 0
case $CFLAGS in
*-DUT_POSIX*)	exit 0 ;;
esac
looks() {
	pattern=$1
	shift
	none "^utctl: process $LAST (seq): $pattern" utctl record \
	    -p $LAST -o "$T/none" "$@"
}
seq_runs() {
	rm -f "$T/progress5"
	background "$@" ./prog/seq -p 1000 5 1 9000000 "$T/progress5"
	until_ok test -s "$T/progress5" || fail "seq does not begin"
}
seq_runs env UT_DISABLE=1
looks 'runs with UT_DISABLE:'
seq_runs env UT_THREADS=0
looks 'runs with UT_THREADS=0:'
mkdir -m 700 "$T/other" || exit 1
seq_runs env "UT_RUNDIR=$T/other"
looks "looks for utd in $T/other, not in $UT_RUNDIR\$"
OTHER=$LAST
mkdir -m 700 "$T/third" || exit 1
seq_runs env "UT_RUNDIR=$T/third"
none "^utctl: processes $OTHER and $LAST look for utd in different dir" \
    env -u UT_RUNDIR utctl record -p $OTHER -p $LAST -o "$T/none"
LAST=$OTHER
# Without one of its own, utctl goes to that of the process, or its user's; root
# does not.
if [ "$(id -u)" -eq 0 ]; then
	none "^utctl: process $LAST (seq): .* in $T/other, where root starts no" \
	    env -u UT_RUNDIR utctl record -T 1 -p $LAST -o "$T/none"
	[ ! -e "$T/other/utd.pid" ] || fail "started in other"
else
	expect 0 '^utctl: [1-9][0-9]* events, 0 lost' env -u UT_RUNDIR \
	    utctl record -T 1 -p $LAST -o "$T/o1"
	[ ! -e "$T/other/sock" ] || fail "left in other"
	# The same directory has many names.
	seq_runs env "UT_RUNDIR=$T/other/"
	expect 0 '^utctl: [1-9][0-9]* events, 0 lost' env -u UT_RUNDIR \
	    utctl record -T 1 -p $OTHER -p $LAST -o "$T/o4"
	mkdir -m 700 "$T/deep" || exit 1
	seq_runs env "UT_RUNDIR=$T/deep/run"
	rm -r "$T/deep"
	none "^utctl: process $LAST (seq): .*, and there is no $T/deep: st" \
	    env -u UT_RUNDIR utctl record -p $LAST -o "$T/none"
fi
seq_runs env
halt $LAST
looks 'stopped: it cannot be recorded'
kill -CONT $LAST
# One that has no descriptor for a socket never comes.
seq_runs env
if prlimit --pid $LAST --nofile=0:0 2>/dev/null; then
	looks "did not come to utd in $UT_RUNDIR: does it use ut(3)? See ut(7)"
	start_record none -p $LAST
	until_ok test -e "$UT_RUNDIR/sock" || fail "no utd: $(cat "$T/err")"
	kill -9 $LAST
	end_record 1 "^utctl: process $LAST.*: has ended\$"
	[ ! -e "$T/none" ] || fail "left $(ls "$T/none")"
	nothing_left "has ended"
fi
# Users have directories, unless the environment has none.
user_seq() {
	background ./prog/asuser "$who" env "$@" TEST="$T" ./prog/seq \
	    -p 1000 1 1 9000000
	until_ok as_user grep -q "TEST=$T" "/proc/$LAST/environ" ||
	    fail "no seq with $*"
}
if [ ! -e /var/run/utd/sock ]; then
	who=-
	[ "$(id -u)" -ne 0 ] || who=65534
	user_seq -i XDG_RUNTIME_DIR="$T/none"
	XDG=$LAST
	user_seq -i HOME="$T/none"
	none "^utctl: processes $XDG and $LAST look for utd in different dir" \
	    as_user env -u UT_RUNDIR utctl record -p $XDG -p $LAST \
	    -o "$T/none"
	user_seq -i
	none '^utctl: no run directory: UT_RUNDIR, XDG_RUNTIME_DIR and HOME' \
	    as_user env -u UT_RUNDIR HOME="$T/none" utctl record -p $LAST \
	    -o "$T/none"
fi
if [ "$(id -u)" -ne 0 ]; then
	mkdir -m 700 "$T/home" "$T/xdg" || exit 1
	seq_runs env -u UT_RUNDIR "HOME=$T/home"
	expect 0 '^utctl: [1-9][0-9]* events, 0 lost' env -u UT_RUNDIR HOME=/x \
	    utctl record -T 500ms -p $LAST -o "$T/o2"
	seq_runs env -u UT_RUNDIR "XDG_RUNTIME_DIR=$T/xdg"
	expect 0 '^utctl: [1-9][0-9]* events, 0 lost' env -u UT_RUNDIR \
	    utctl record -T 500ms -p $LAST -o "$T/o3"
	[ ! -e "$T/xdg/utd/sock" ] && [ ! -e "$T/home/.utd/sock" ] ||
	    fail "left in a directory of the user"
fi
