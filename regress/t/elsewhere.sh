# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -p of root, and a process of a user that names a run directory:
# root starts no utd there, and connects only where the user can.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root can be several users"
[ -r /proc/self/environ ] || skip "no environment of others here"
case $CFLAGS in
*-DUT_POSIX*)	skip "no environment of others in this build" ;;
esac
chmod 711 "$T" && mkdir "$T/user" && chown 65534 "$T/user" || exit 1
cp prog/seq prog/asuser "$T" || exit 1
unset UT_RUNDIR

# A program of the user that looks there: $SEQ.
seq_at() {
	[ -z "${SEQ-}" ] || kill -9 $SEQ
	rm -f "$T/user/progress"
	background "$T/asuser" 65534 env UT_RUNDIR="$1" "$T/seq" -p 1000 1 1 \
	    9000000 "$T/user/progress"
	SEQ=$LAST
	until_ok test -s "$T/user/progress" || fail "seq does not begin"
}
refused() {
	seq_at "$1"
	complains "^utctl: process $SEQ (seq): looks for utd in $1, where root" \
	    utctl record -p $SEQ -T 1 -o "$T/none"
	[ ! -e "$T/none" ] || fail "$1: left $(ls "$T/none")"
}

# A directory of root's, one that nobody has yet, and one of the user's.
mkdir -m 700 "$T/root" && echo important >"$T/root/state" &&
    echo 4711 >"$T/root/utd.pid" || exit 1
ls -la "$T/root" >"$T/before"
for dir in "$T/root" "$T/new" "$T/user/new" "$T/user"; do
	refused "$dir"
	ls -la "$T/root" | cmp -s - "$T/before" ||
	    fail "$dir: written: $(ls -la "$T/root")"
	for f in "$T/new"* "$T/user/sock" "$T/user/utd.pid" \
	    "$T/user/new/sock" "$T/user/new/utd.pid"; do
		[ ! -e "$f" ] || fail "$dir: $f is made"
	done
done

# The user's utd, if there is one: it makes the trace.
UT_RUNDIR=$T/user/run
export UT_RUNDIR
"$T/asuser" 65534 utd || fail "no utd of the user"
pid=$(cat "$T/user/run/utd.pid")
CHILDREN="$CHILDREN $pid"
unset UT_RUNDIR
seq_at "$T/user/run"
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' utctl record -p $SEQ -T 1 \
    -o "$T/user/trace"
find "$T/user/trace" ! -user 65534 | grep . && fail "not the user's"
readers_agree "$T/user/trace"

# A utd of root's behind a link, which the user cannot get to, is not asked.
mkdir "$T/user/link" && chown 65534 "$T/user/link" || exit 1
UT_RUNDIR=$T/root/run
export UT_RUNDIR
start_utd
"$T/asuser" 65534 ln -s "$T/root/run/sock" "$T/user/link/sock" || exit 1
halt $UTD_PID
unset UT_RUNDIR
refused "$T/user/link"
kill -CONT $UTD_PID

# What root names itself is root's own choice.
UT_RUNDIR=$T/user/run
export UT_RUNDIR
seq_at "$T/user/run"
expect 0 '^utctl: [1-9][0-9]* events, 0 lost' utctl record -p $SEQ -T 1 \
    -o "$T/user/trace2"
kill $pid
until_ok gone $pid || fail "the user's utd stays"
stop_utd || fail "utd: status $?"
