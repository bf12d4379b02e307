# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -p and -T: programs that run are recorded, by a utd that runs or
# one that is started for it; they go on, and nothing but the trace stays.

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
	[ "$(utctl status | grep -c ' session ')" -eq 1 ] &&
	    utctl status | grep -q '^[* ] session mine '
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

# Two that run, without a utd, until a signal comes: all that they did in
# between is there.
for sig in INT TERM HUP; do
	start_record $sig -p $ONE -p $TWO -p $ONE
	recording $sig
	[ "$(utctl list | grep -c "^ *tracked: pid")" -eq 2 ] ||
	    fail "$(utctl list)"
	until_ok sh -c "utctl view '$T/$sig' | grep -q 'writer = 2048,'" ||
	    fail "the second is not there"
	cp "$T/progress1" "$T/before1" && cp "$T/progress2" "$T/before2"
	sleep 0.2
	cp "$T/progress1" "$T/after1" && cp "$T/progress2" "$T/after2"
	kill -$sig $RECORD
	end_record 0 "^utctl: [1-9][0-9]* events, 0 lost, [0-9]* bytes in .*"
	said 2
	grep -q "^utctl: recording 2 processes into $T/$sig until they end or" \
	    "$T/err" || fail "not what it records: $(cat "$T/err")"
	nothing_left $sig
	runs
	readers_agree "$T/$sig"
	./prog/seqcheck -s "1:$T/after1:$T/before1" "2:$T/after2:$T/before2" \
	    <"$T/view.out" >"$T/got" || fail "$sig: $(cat "$T/got")"
done

# The time is over; one of two that run is recorded, or all.
fresh
begun=$(date +%s)
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' utctl record -T 2s -p $ONE \
    -o "$T/time"
[ $(($(date +%s) - begun)) -ge 1 ] || fail "-T 2s was too short"
grep -q "^utctl: recording process $ONE\( (seq)\)\{0,1\} into $T/time for 2s or" \
    "$T/err" || fail "not what it records: $(cat "$T/err")"
utctl view "$T/time" >"$T/view.out" || fail "view time"
grep -q 'writer = 1024,' "$T/view.out" && ! grep -q "\[$TWO:" "$T/view.out" ||
    fail "not one: $(head -n 3 "$T/view.out")"
expect 0 '^utctl: 0 events' utctl record -T 10ms -p $ONE -e 'x:*' -o "$T/x"
grep -q 'no program came that has an event x:\*' "$T/err" ||
    fail "why: $(cat "$T/err")"
start_record all -T 60m
recording all
until_ok sh -c "utctl view '$T/all' | grep -q 'writer = 2048,'" &&
    until_ok sh -c "utctl view '$T/all' | grep -q 'writer = 1024,'" ||
    fail "not all: $(utctl list)"
kill -TERM $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
nothing_left -T

# It ends with the last of the processes.
background ./prog/seq -p 1000 3 1 9000000 "$T/progress3"
THREE=$LAST
until_ok test -s "$T/progress3" || fail "seq does not begin"
background ./prog/seq -p 1000 4 1 9000000 "$T/progress4"
FOUR=$LAST
until_ok test -s "$T/progress4" || fail "seq does not begin"
start_record ends -p $THREE -p $FOUR
recording ends
kill -9 $THREE
wait $THREE 2>/dev/null
sleep 0.3
gone $RECORD && fail "ended with the first: $(cat "$T/err")"
kill -9 $FOUR
wait $FOUR 2>/dev/null
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
nothing_left "processes that end"
readers_agree "$T/ends"

# Printed meanwhile; kept in memory; a trace that is replaced.
fresh
start_record F -F -p $ONE
until_ok grep -q 'seq:tick { writer = 1024' "$T/err" || fail "-F"
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
expect 0 '^utctl: snapshot of [1-9][0-9]* events: .*/S$' \
    utctl record -S -T 500ms -p $ONE -o "$T/S"
readers_agree "$T/S"
fresh
expect 0 '^utctl: [1-9]' utctl record -r -T 500ms -p $ONE -o "$T/time"
[ -d "$T/time.old/ust" ] || fail "-r: $(ls "$T")"
name=$(sh -c "cd '$T/cwd' && '$TOP/utctl/utctl' record -T 500ms -p $ONE 2>&1" |
    sed -n "s,.* bytes in $T/cwd/,,p")
case $name in
ut-trace-seq-2*|ut-trace-$ONE-2*)	;;
*)	fail "default name '$name'" ;;
esac
nothing_left options

# utctl is killed: the utd ends, the trace is whole, programs go on.
fresh
start_record killed -p $ONE
recording killed
kill -9 $RECORD
wait $RECORD 2>/dev/null
nothing_left "kill -9"
readers_agree "$T/killed"
runs

# The same while the consumer is stopped, and nobody waits for it any more, or
# somebody else destroys the session and cannot: it ends when the consumer goes
# on.
seen() {
	utctl list | grep -q "^session record-.* (stopped)"
}
unseen() {
	utctl list >"$T/out" && ! grep -q "^session record-" "$T/out"
}
record_name() {
	utctl list | sed -n 's/^session \(record-[^ ]*\) .*/\1/p'
}
for how in late refused; do
	start_record $how -p $ONE
	recording $how
	CONSUMER=$(UTD_PID=$(cat "$UT_RUNDIR/utd.pid"); consumers)
	halt $CONSUMER
	if [ $how = refused ]; then
		name=$(record_name)
		utctl destroy "$name" >"$T/destroy" 2>&1 &
		CHILDREN="$CHILDREN $!"
		until_ok unseen || fail "not being destroyed: $(utctl list)"
	fi
	kill -9 $RECORD
	wait $RECORD 2>/dev/null
	until_ok unseen || fail "$how: goes on: $(utctl list)"
	until_ok seen || fail "$how: not refused: $(utctl list)"
	kill -CONT $CONSUMER || fail "$how: the consumer is gone"
	nothing_left "$how: kill -9"
	readers_agree "$T/$how"
done
[ "$(grep -c 'not destroyed: the consumer' "$T/destroy")" -eq 1 ] ||
    fail "the other: $(cat "$T/destroy")"
runs

# The command for chunks is run for all of them before the utd ends.
start_record chunks -p $ONE
recording chunks
name=$(record_name)
utctl rotate -c "until [ -e '$T/go' ]; do sleep 0.1; done; echo >>'$T/ran'" \
    "$name" || fail "rotate -c"
for i in 1 2 3; do
	utctl rotate "$name" >/dev/null || fail "rotate"
done
kill -9 $RECORD
wait $RECORD 2>/dev/null
until_ok unseen || fail "chunks: goes on: $(utctl list)"
sleep 1			# then the session is gone, and only chunks wait
: >"$T/go"
nothing_left "chunks"
n=$(ls "$T/chunks/archives" | wc -l)
[ "$n" -ge 3 ] && [ "$(wc -l <"$T/ran")" -eq "$n" ] ||
    fail "run for $(wc -l <"$T/ran") of $n chunks"
runs

# Its utd is killed: it starts another, which goes on.
start_record again -p $ONE
recording again
first=$(cat "$UT_RUNDIR/utd.pid")
kill -9 "$first"
other_utd() {
	[ -s "$UT_RUNDIR/utd.pid" ] &&
	    [ "$(cat "$UT_RUNDIR/utd.pid")" != "$first" ] && utctl list
}
until_ok other_utd || fail "no other utd: $(cat "$T/err")"
UTDS="$UTDS $(cat "$UT_RUNDIR/utd.pid")"
until_ok sh -c "utctl events | grep -q '(pid $ONE,'" || fail "not found again"
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
nothing_left "utd killed"
readers_agree "$T/again"

# It is told to end, and ends the session: nothing is recorded any more.
start_record ended -p $ONE
recording ended
kill -TERM "$(cat "$UT_RUNDIR/utd.pid")"
end_record 1 "utd has ended, and session record-.* is in $T/ended\$"
said 2
nothing_left "utd told to end"
readers_agree "$T/ended"
runs

# Two at once: the utd that the first one started stays for the second, and
# for a session of somebody else.
fresh
start_record first -p $ONE
FIRST=$RECORD
recording first
mv "$T/err" "$T/err1"
start_record second -p $TWO
recording second
utctl create -o "$T/mine" mine >/dev/null || fail "create"
kill -INT $FIRST
wait $FIRST || fail "the first: status $?"
until_ok sh -c "[ \$(utctl status | grep -c ' session ') -eq 2 ]" ||
    fail "$(utctl status)"
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
until_ok others_left || fail "$(utctl status)"
utctl destroy >/dev/null || fail "destroy"
nothing_left "two at once"
readers_agree "$T/first"
readers_agree "$T/second"
fresh
start_record first -r -p $ONE
until_ok utctl list || fail "no utd"
recording first
utctl create -o "$T/mine2" mine >/dev/null || fail "create"
kill -INT $RECORD
end_record 0 'utd in .* goes on as long as it has other sessions$'
utctl destroy >/dev/null || fail "destroy"
nothing_left "a session of somebody else"

# Another utd is there but has no socket, as one that begins or ends: its end is
# waited for.
fresh
start_utd
halt $UTD_PID
rm "$UT_RUNDIR/sock"
start_record waits -p $ONE
sleep 1
[ ! -s "$T/err" ] && ! gone $RECORD || fail "did not wait: $(cat "$T/err")"
stop_utd || fail "utd: status $?"
recording waits
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
said 2
nothing_left "another utd"

# What cannot begin leaves nothing, either.
complains 'are more than [0-9]* bytes$' utctl record -p $ONE -b 16m -n 1024 \
    -o "$T/large"
[ ! -e "$T/large" ] || fail "$(ls -d "$T/large"*)"
nothing_left "no beginning"

# A utd that runs: no session stays, and the user's last one is another.
fresh
start_utd
utctl create -o "$T/last" mine >/dev/null || fail "create"
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' utctl record -T 500ms -p $ONE \
    -o "$T/with"
others_left || fail "$(utctl status)"
readers_agree "$T/with"
start_record with2 -p $ONE -p $TWO
recording with2
expect 0 '^session mine started' utctl start
expect 0 '^session mine stopped' utctl stop
cp "$T/progress1" "$T/before1" && cp "$T/progress2" "$T/before2"
sleep 0.2
cp "$T/progress1" "$T/after1" && cp "$T/progress2" "$T/after2"
kill -9 $RECORD
wait $RECORD 2>/dev/null
until_ok others_left || fail "kill -9: $(utctl status)"
readers_agree "$T/with2"
./prog/seqcheck -s "1:$T/after1:$T/before1" "2:$T/after2:$T/before2" \
    <"$T/view.out" >"$T/got" || fail "kill -9: $(cat "$T/got")"
# Killed in the middle of a request, and before it has made one.
for i in 1 2 3 4 5 6 7 8; do
	start_record "mid$i" -p $ONE
	nap 90
	kill -9 $RECORD
	wait $RECORD 2>/dev/null
done
until_ok others_left || fail "killed early: $(utctl status)"
# That utd is killed, and the next one has the session.
start_record next -p $ONE
recording next
kill_utd 0
until_ok grep -q 'utd in .* has gone away: session record-' "$T/err" ||
    fail "nothing said: $(cat "$T/err")"
start_utd
until_ok sh -c "utctl events | grep -q '(pid $ONE,'" || fail "not found again"
sleep 0.3
kill -INT $RECORD
end_record 0 '^utctl: [1-9][0-9]* events, 0 lost'
until_ok others_left || fail "the next utd: $(utctl status)"
# That one is told to end, and ends the session: there is none to go on with.
start_record term -p $ONE
recording term
stop_utd || fail "utd: status $?"
until_ok gone $RECORD || fail "goes on without a session: $(cat "$T/err")"
end_record 1 "utd has ended, and session record-.* is in $T/term\$"
said 2
nothing_left "a utd that runs"
readers_agree "$T/term"
runs

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
gone $RECORD && fail "-T ended it"
echo >"$T/hold"
end_record 3 '^utctl: 10 events, 0 lost'
said 1
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
