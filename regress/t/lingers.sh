# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Descriptors that take long to be closed, in messages of strangers: root's
# utctl, and utd, do not wait for that.  Nor does root's utctl record -p wait
# for a stranger's utd that stops to answer before the end: 30 seconds, and one
# line.

. ./common.sh
need timeout

[ "$(id -u)" -eq 0 ] || skip "only root talks to the utd of strangers"
chmod 711 "$T" && mkdir "$T/user" && chown 65534 "$T/user" || exit 1
cp prog/seq prog/asuser prog/lingers "$T" || exit 1
user() {
	"$T/asuser" 65534 "$@"
}

# In less than half of the time that the descriptors take.
promptly() {
	timeout 15 "$@" >"$T/out" 2>"$T/err"
	status=$?
	[ $status -ne 124 ] || fail "$*: waits"
}

# Something in the place of a stranger's utd.
background "$T/asuser" 65534 "$T/lingers" utd "$T/user" >"$T/said" 2>&1
until_ok grep -q ready "$T/said" || fail "lingers: $(cat "$T/said")"
promptly env UT_RUNDIR="$T/user" utctl list
[ $status -eq 1 ] && grep -q "^utctl: utd in $T/user sent a malformed message" \
    "$T/err" || skip "no TCP here: $(cat "$T/said" "$T/err")"
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "not one line: $(cat "$T/err")"
kill $LAST

# Strangers in the place of utctl.
chmod 755 "$UT_RUNDIR" || fail "chmod"
start_utd
halt $UTD_PID			# until they keep none themselves
hold "$T/asuser" 65534 "$T/lingers" peer "$UT_RUNDIR" 5
echo "descriptors are $said"
kill -CONT $UTD_PID
promptly utctl list
[ $status -eq 0 ] || fail "list: $(cat "$T/err")"
release
stop_utd || fail "utd: status $?"

# A stranger's utd that stops while root records.
rm -rf "$T/user"/*
unset UT_RUNDIR
mkdir "$T/user/run" && chown 65534 "$T/user/run" || exit 1
UT_RUNDIR=$T/user/run
export UT_RUNDIR
user utd || fail "no utd of the user"
pid=$(cat "$T/user/run/utd.pid")
CHILDREN="$CHILDREN $pid"
background "$T/asuser" 65534 "$T/seq" -p 1000 1 1 9000000 "$T/user/progress"
until_ok test -s "$T/user/progress" || fail "seq does not begin"
unset UT_RUNDIR
utctl record -p $LAST -o "$T/user/trace" 2>"$T/err" &
recording=$!
CHILDREN="$CHILDREN $recording"
until_ok grep -q '^utctl: recording' "$T/err" || fail "record: $(cat "$T/err")"
halt $pid
kill $recording
until_ok gone $recording || fail "record waits: $(cat "$T/err")"
wait $recording && fail "record: status 0"
grep -q "^utctl: utd in $T/user/run does not answer\$" "$T/err" ||
    fail "record: $(cat "$T/err")"
kill -CONT $pid
kill $pid
until_ok gone $pid || fail "the user's utd stays"
