# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd without -d: back when it is ready, and then on its own.

. ./common.sh

mkdir "$T/cwd"
# cat ends when nothing of ours is held open any more.
{
	cd "$T/cwd"
	utd -r "$T/run" 2>&1
	echo "status $?"
} | cat >"$T/said" &
until_ok gone $! || fail "utd holds its output open: $(cat "$T/said")"
[ "$(cat "$T/said")" = "status 0" ] || fail "utd: $(cat "$T/said")"
utctl list >/dev/null || fail "not ready"
pid=$(cat "$T/run/utd.pid")
CHILDREN="$CHILDREN $pid"
gone "$pid" && fail "utd.pid names no process"
rmdir "$T/cwd" || fail "utd stays in $T/cwd"
set -- $(ps -o pid= -o ppid= -o pgid= -p "$pid")
[ "$2" -ne $$ ] || fail "still our child"
[ "$3" -eq "$1" ] || fail "still in our process group"
if [ -e "/proc/$pid/fd/0" ]; then
	for fd in 0 1 2; do
		[ "$(readlink "/proc/$pid/fd/$fd")" = /dev/null ] ||
		    fail "descriptor $fd is $(readlink "/proc/$pid/fd/$fd")"
	done
fi

# With a session it has a consumer; SIGHUP is no reason to end.
UTD_PID=$pid
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
./prog/seq 0 1 10
kids=$(consumers)
[ -n "$kids" ] || fail "no consumer"
kill -HUP "$pid"
sleep 0.2
expect 0 'session s (active)' utctl list
UTD_PID=

kill "$pid"
until_ok gone "$pid" || fail "utd stays"
for p in $kids; do
	gone "$p" || fail "consumer $p stays"
done
[ ! -e "$T/run/sock" ] || fail "the socket stays"
[ ! -e "$T/run/utd.pid" ] || fail "the pid file stays"
[ "$(count_events "$T/trace" seq:tick)" -eq 10 ] || fail "the trace"

# What goes wrong is told to the terminal, and by the status.
: >"$T/file"
complains 'Not a directory' utd -r "$T/file"

# In the foreground it ends as well on SIGINT, and a relative directory is
# found again by then.
asuser=$PWD/prog/asuser
(cd "$T" && exec "$asuser" - utd -d -r run) &
pid=$!
CHILDREN="$CHILDREN $pid"
until_ok utctl list || fail "not ready"
kill -INT $pid
wait $pid || fail "SIGINT: status $?"
[ ! -e "$T/run/sock" ] || fail "the socket stays"
