# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record: the command's own business is not touched, its events are in
# the trace, and nothing else stays, whatever way it ends.

. ./common.sh

# Root's has to be open to all, or another is taken.
chmod 711 "$T" && mkdir "$T/tmp" "$T/cwd" && chmod 755 "$T/tmp" || exit 1
TMPDIR=$T/tmp
export TMPDIR
unset UT_RUNDIR
PROG=$PWD/prog

# What a utd of this user has left that is no more: others are at work here.
shm() {
	find $SHM -maxdepth 1 -user "$(id -u)" 2>/dev/null |
	    sed -n 's,.*/\([^/]*ut-\([0-9a-f]*\)-.*\),\2 \1,p' |
	    while read -r hex name; do
		ps -p $((0x$hex)) >/dev/null || echo "$name"
	    done
}

# Of those that were not there before.
new_shm() {
	shm | grep -F -v -x -e "$shm0"
}

# No process that has our directory as an argument, nothing in there.
no_utd() {
	! ps -A -o args= | grep -v grep | grep -q "utd.*$T/tmp"
}

nothing_left() {
	[ -z "$(ls -A "$T/tmp")" ] || fail "$1: left $(ls -A "$T/tmp")"
	until_ok no_utd || fail "$1: a utd is left"
	[ -z "$(new_shm)" ] || { sleep 1; [ -z "$(new_shm)" ]; } ||
	    fail "$1: in $SHM: $(new_shm)"
}

shm0=$(shm)

# The exit status.
expect 0 "^utctl: 10 events, 0 lost, [1-9][0-9]* bytes in $T/t$" \
    utctl record -o "$T/t" -- ./prog/seq 1 1 10
[ "$(count_events "$T/t" seq:tick)" -eq 10 ] || fail "not 10 events"
[ ! -s "$T/out" ] || fail "on stdout: $(cat "$T/out")"
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "more said: $(cat "$T/err")"
nothing_left "a command"
expect 7 '0 events, 0 lost, 0 bytes in' utctl record -o "$T/7" -- \
    sh -c 'exit 7'
expect 137 ' in ' utctl record -o "$T/9" -- sh -c 'kill -9 $$'
expect 143 ' in ' utctl record -o "$T/15" -- sh -c 'kill -15 $$'
expect 130 ' in ' ./prog/asuser - utctl record -o "$T/2" -- \
    sh -c 'kill -2 $$'
expect 127 "$T/none: No such file" utctl record -o "$T/127" -- "$T/none"
expect 127 'ut-no-such-command: No such file' utctl record -o "$T/127" -- \
    ut-no-such-command
: >"$T/plain"
expect 126 "$T/plain: Permission denied" utctl record -o "$T/126" -- "$T/plain"
[ ! -e "$T/127" ] && [ ! -e "$T/126" ] || fail "a trace of no command"
mkdir "$T/kept"
expect 127 'No such file' utctl record -o "$T/kept" -- "$T/none"
[ -d "$T/kept" ] && [ -z "$(ls -A "$T/kept")" ] || fail "kept was not kept"
mkdir "$T/full" && : >"$T/full/file" || exit 1
complains "$T/full: not empty" utctl record -o "$T/full" -- touch "$T/ran"
for o in '' -S; do
	complains "$T/t: has a trace: replace it with -r, or name another" \
	    utctl record $o -o "$T/t" -- touch "$T/ran"
done
complains "$T/plain: Not a dir" utctl record -o "$T/plain" -- touch "$T/ran"
[ ! -e "$T/ran" ] || fail "the command ran without a trace"
nothing_left "statuses"

# Who ends utd ends the session: that is said once, and why.
expect 1 'utd has ended, and session record with it' \
    utctl record -o "$T/ended" -- sh -c \
    'p=$(cat "$UT_RUNDIR/utd.pid") && kill "$p" &&
    while [ "$(cat "$UT_RUNDIR/utd.pid" 2>/dev/null)" = "$p" ] ||
        [ ! -s "$UT_RUNDIR/utd.pid" ]; do sleep 0.1; done'
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "ended: $(cat "$T/err")"
nothing_left "ended"

# A trace of nothing is one, and no error; an empty directory is none.
expect 0 '^utctl: 0 events, 0 lost, 0 bytes' utctl record -o "$T/0" -- true
complains_not() {
	expect 0 "$T/0: an empty trace: no events were recorded" "$@"
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$*: $(cat "$T/err")"
}
complains_not utctl view "$T/0"
complains_not utctl view -j "$T/0"
[ ! -s "$T/out" ] || fail "view of nothing: $(cat "$T/out")"
complains_not utctl view -q "$T/0"
[ "$(cat "$T/out")" = "0 events, 0 discarded" ] || fail "$(cat "$T/out")"
expect 0 '^utctl: 0 events, 0 lost, 0 bytes' utctl record -o "$T/01" \
    -e 'none:*' -- ./prog/seq 1 1 10
expect 0 'an empty trace' utctl view "$T/01"
expect 1 'no trace here' utctl view "$T/kept"

# Globs.
expect 0 '^utctl: 10 events' utctl record -o "$T/g1" -e 'seq:tick' -- \
    ./prog/seq 1 1 10
expect 0 '^utctl: 0 events' utctl record -o "$T/g2" -e 'seq:idle' -e 'x:*' \
    -- ./prog/seq 1 1 10
expect 0 '^utctl: 10 events' utctl record -o "$T/g3" -e 'x:*' -e 'seq:t*' \
    -e '*:tick' -- ./prog/seq 1 1 10

# Its geometry: 2 x 4 kB are not enough for what nobody fetches in time.
expect 0 ' in ' utctl record -o "$T/g4" -b 4k -n 2 -- ./prog/seq 1 4 50000
set -- $(sed -n 's/^utctl: \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' \
    "$T/err")
[ $(($1 + $2)) -eq 200000 ] || fail "$1 + $2 are not 200000"
[ "$2" -gt 0 ] || fail "nothing was lost of 8 kB"
expect 0 '^utctl: 200000 events, 0 lost' utctl record -o "$T/g5" -b 1m \
    -n 64 -- ./prog/seq 1 4 50000

# Where it goes by default: a new directory each time.
for i in 1 2 3; do
	(cd "$T/cwd" && utctl record -- "$PROG/seq" 1 1 3) 2>"$T/err" ||
	    fail "default: $(cat "$T/err")"
	grep -q "3 events, 0 lost, .* in $T/cwd/ut-trace-seq-[-0-9]*$" \
	    "$T/err" || fail "default: $(cat "$T/err")"
done
n=$(ls -d "$T"/cwd/ut-trace-seq-* | wc -l)
[ "$n" -eq 3 ] || fail "$n directories of three"
# Nobody else can write there, whatever the umask is.
mkdir "$T/mode" || exit 1
(cd "$T/mode" && umask 0 && utctl record -- "$PROG/seq" 1 1 3 \
    2>/dev/null)
case $(id -u),$(ls -ld "$T"/mode/ut-trace-* | cut -c 1-10) in
0,drwxr-xr-x)	;;
0,*)	fail "mode: $(ls -ld "$T"/mode/*)" ;;
*,drwx------)	;;
*)	fail "mode: $(ls -ld "$T"/mode/*)" ;;
esac
(cd "$T/cwd" && utctl record -o here -- "$PROG/seq" 1 1 3) 2>"$T/err" &&
    [ -d "$T/cwd/here/ust" ] || fail "-o here: $(cat "$T/err")"

# stdin, stdout and stderr are the command's, as are its arguments.
echo 'to be read' | utctl record -o "$T/io" -- \
    sh -c 'cat; echo "$1" >&2; exit 3' sh '-x  y' >"$T/out" 2>"$T/err"
[ $? -eq 3 ] || fail "stdin: $(cat "$T/err")"
[ "$(cat "$T/out")" = 'to be read' ] || fail "stdin: $(cat "$T/out")"
grep -q '^-x  y$' "$T/err" || fail "arguments: $(cat "$T/err")"

# When nobody reads what it says, it does all the same what it has to, and the
# command is told of that as by the shell.
{
	utctl record -o "$T/unread" -- sh -c 'sleep 0.3; exit 3'
	echo $? >"$T/status"
} 2>&1 | true
until_ok test -s "$T/status" && [ "$(cat "$T/status")" -eq 3 ] ||
    fail "nobody reads: status $(cat "$T/status")"
nothing_left "nobody reads"
unread() {
	{
		"$@" sh -c 'while echo yes; do :; done'
		echo $? >"$T/status"
	} 2>/dev/null | head -n 1 >/dev/null
	until_ok test -s "$T/status" || fail "no status"
	cat "$T/status"
	rm -f "$T/status"
}
want=$(unread env)		# 0 if the signal is ignored here
got=$(unread utctl record -o "$T/yes" --)
[ "$got" -eq "$want" ] ||
    fail "nobody reads the command: status $got, not $want"

# The whole family is recorded, and what the command leaves behind does not
# hold up utctl.
expect 0 '^utctl: 30 events' utctl record -o "$T/family" -- \
    sh -c './prog/seq 1 1 10; ./prog/seq 2 1 10; ./prog/seq 3 1 10'
expect 0 ' in ' utctl record -o "$T/left" -- sh -c "
    ./prog/seq -p 1000 1 1 4000 '$T/n' >/dev/null 2>&1 </dev/null &
    until [ -s '$T/n' ]; do sleep 0.1; done"
grep -q '^utctl: seq ([0-9]*) still runs, unrecorded from now on' "$T/err" ||
    fail "in the background: $(cat "$T/err")"
left=$(sed -n 's/^utctl: seq (\([0-9]*\)) still runs.*/\1/p' "$T/err")
CHILDREN="$CHILDREN $left"
nothing_left "a command in the background"
# So it is if the command ends before its time, which ends the recording.
expect 0 ' in ' utctl record -T 60m -o "$T/early" -- sh -c "
    ./prog/seq -p 1000 1 1 4000 '$T/l' >/dev/null 2>&1 </dev/null &
    until [ -s '$T/l' ]; do sleep 0.1; done"
grep -q '^utctl: seq ([0-9]*) still runs, unrecorded' "$T/err" ||
    fail "in the background with -T: $(cat "$T/err")"
left=$(sed -n 's/^utctl: seq (\([0-9]*\)) still.*/\1/p' "$T/err")
CHILDREN="$CHILDREN $left"
# With -w, programs have no threads, and utd does not know that they run.
case $(uname),$CFLAGS in
*UT_POSIX*|*-fsanitize*)	;;
Linux,*)
	expect 0 ' in ' utctl record -w malloc -o "$T/unlisted" -- sh -c "
	    ./prog/seq -p 1000 1 1 4000 '$T/m' >/dev/null 2>&1 </dev/null &
	    until [ -s '$T/m' ]; do sleep 0.1; done"
	grep -q '^utctl: seq ([0-9]*) still runs, unrecorded' "$T/err" ||
	    fail "in the background with -w: $(cat "$T/err")"
	left=$(sed -n 's/^utctl: seq (\([0-9]*\)) still.*/\1/p' "$T/err")
	CHILDREN="$CHILDREN $left"
	# Nor of one that is not connected, here for UT_DISABLE, and has
	# written over its environment.
	expect 0 ' in ' utctl record -w malloc -o "$T/titled" -- \
	    env UT_DISABLE=1 sh -c "./prog/title '$T/title' >/dev/null 2>&1 </dev/null &
	    until [ -s '$T/title' ]; do sleep 0.1; done"
	grep -q '^utctl: title ([0-9]*) still runs, unrecorded' "$T/err" ||
	    fail "with a title: $(cat "$T/err")"
	left=$(sed -n 's/^utctl: title (\([0-9]*\)) still.*/\1/p' "$T/err")
	CHILDREN="$CHILDREN $left"
	;;
esac

# A program that has written over its arguments has its name still, as its
# children have.
recorded ./prog/title
[ "$(utctl view -o who "$T/trace" | sed 's/\[.*//' | sort | uniq -c |
    tr -d ' ')" = 2title ] || fail "titles: $(utctl view "$T/trace")"

# Keys of a terminal come to the whole group: the command ends, utctl says
# what was recorded.
./prog/asuser -g - utctl record -o "$T/int" -- ./prog/seq -p 100 1 1 9000000 \
    2>"$T/err" &
pid=$!
CHILDREN="$CHILDREN $pid"
until_ok grep -rq "seq:tick" "$T/int" || fail "not recording"
sleep 0.2
kill -INT -$pid
wait $pid
[ $? -eq 130 ] || fail "SIGINT: $(cat "$T/err")"
grep -q '^utctl: [1-9][0-9]* events, 0 lost' "$T/err" ||
    fail "SIGINT: $(cat "$T/err")"
readers_agree "$T/int"
nothing_left SIGINT

# SIGTERM and SIGHUP come to utctl alone, and are passed on.
for sig in TERM HUP; do
	./prog/asuser - utctl record -o "$T/$sig" -- \
	    ./prog/seq -p 100 1 1 9000000 2>"$T/err" &
	pid=$!
	CHILDREN="$CHILDREN $pid"
	until_ok grep -rq "seq:tick" "$T/$sig" || fail "not recording"
	kill -$sig $pid
	wait $pid
	status=$?
	[ $status -eq 143 ] || [ $status -eq 129 ] ||
	    fail "SIG$sig: status $status $(cat "$T/err")"
	grep -q '^utctl: [0-9]* events, 0 lost' "$T/err" ||
	    fail "SIG$sig: $(cat "$T/err")"
	readers_agree "$T/$sig"
	nothing_left SIG$sig
done

# Its utd killed, alone or with the consumer: another takes up.
utds() {
	ps -A -o pid= -o args= | awk -v d="$T/tmp/" '
	    $2 ~ /utd$/ && index($4, d) == 1 { print $1 }'
}

mkfifo "$T/hold"
utctl record -o "$T/again" -- sh -c "./prog/seq -p 100 1 2 9000000 \
    '$T/progress2' & read x <'$T/hold'; kill -9 \$!" 2>"$T/err" &
pid=$!
CHILDREN="$CHILDREN $pid"
exec 9>"$T/hold"
until_ok grep -rq "seq:tick" "$T/again" || fail "not recording"
for n in 1 2 3; do
	sleep 0.2
	old=$(utds)
	if [ $n -eq 2 ]; then
		kill -9 $old
	else
		kill -9 $(echo "$old" | head -1)
	fi
	another() {
		[ -n "$(utds)" ] && [ "$(utds | head -1)" != \
		    "$(echo "$old" | head -1)" ] &&
		    UT_RUNDIR=$(echo "$T"/tmp/ut-*/run) utctl list |
		    grep -q ' 1 program'
	}
	until_ok another || fail "no other utd: $(cat "$T/err")"
done
sleep 0.2
echo >&9
exec 9>&-
wait $pid || fail "utd killed: status $?: $(cat "$T/err")"
grep -q '^utctl: [1-9][0-9]* events, 0 lost' "$T/err" &&
    grep -q 'warning: utd was killed' "$T/err" || fail "$(cat "$T/err")"
readers_agree "$T/again"
./prog/seqcheck "1:$T/progress2" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got" "$T/err")"
nothing_left "utd killed"

# utctl killed: its utd ends, the command goes on, the trace can be read.
./prog/asuser - utctl record -o "$T/kill" -- \
    ./prog/seq -p 100 1 1 9000000 "$T/progress" 2>"$T/err" &
pid=$!
until_ok grep -rq "seq:tick" "$T/kill" || fail "not recording"
sleep 0.3
command=$(ps -A -o pid= -o ppid= -o args= |
    awk -v p=$pid '$2 == p && !/utd/ { print $1 }')
CHILDREN="$CHILDREN $command"
cp "$T/progress" "$T/snapshot"
kill -9 $pid
wait $pid 2>/dev/null
until_ok no_utd || fail "the utd of a killed utctl stays"
gone "$command" && fail "the command is gone"
kill -9 $command
readers_agree "$T/kill"
./prog/seqcheck -s "1:$T/snapshot" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
exit 0
