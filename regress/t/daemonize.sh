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

# A utd that continues a session after a crash has its consumers at once: they
# hold nothing of the caller either.
crash() {
	pid=$(cat "$T/run/utd.pid")
	UTD_PID=$pid
	kids=$(consumers)
	UTD_PID=
	kill -9 "$pid"
	for p in "$pid" $kids; do
		until_ok gone "$p" || fail "$p stays"
	done
}
utd -r "$T/run" </dev/null >/dev/null 2>&1 || fail "utd: status $?"
rm -rf "$T/trace"
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
./prog/seq 0 1 10 || fail "seq: $?"
for how in "" -f; do
	crash
	CHILDREN="$CHILDREN $pid"
	rm -f "$T/in" "$T/more"
	mkfifo "$T/in" "$T/more" || fail "mkfifo"
	mkdir "$T/cwd" || fail "mkdir"
	cat "$T/more" >"$T/more.out" &
	more=$!
	# The writer of a FIFO whose reader is gone gets SIGPIPE.
	(trap - PIPE
	    while echo; do
		sleep 0.1
	    done) >"$T/in" 2>/dev/null &
	writer=$!
	CHILDREN="$CHILDREN $more $writer"
	{
		cd "$T/cwd"
		if [ -z "$how" ]; then
			utd -r "$T/run" 2>&1 5>"$T/more" <"$T/in"
			echo "status $?"
		else
			utd $how -r "$T/run" 2>&1 5>"$T/more" <"$T/in" &
		fi
	} | cat >"$T/said" &
	cat=$!
	CHILDREN="$CHILDREN $cat"
	until_ok gone $cat || fail "utd $how: its output: $(cat "$T/said")"
	until_ok gone $more || fail "utd $how: a descriptor of the caller"
	until_ok gone $writer || fail "utd $how: its input"
	until_ok utctl list || fail "utd $how: not ready"
	pid=$(cat "$T/run/utd.pid")
	CHILDREN="$CHILDREN $pid"
	rmdir "$T/cwd" || fail "utd $how stays in $T/cwd"
	UTD_PID=$pid
	until_ok sh -c "ps -A -o ppid= | grep -q '^ *$pid\$'" ||
	    fail "utd $how: no consumer"
	UTD_PID=
	expect 0 's (active)' utctl list
done
expect 0 's destroyed: 10 events, 0 lost' utctl destroy s
kill "$pid"
until_ok gone "$pid" || fail "utd stays"

# The caller may have closed its own.
utd -r "$T/run" <&- >&- 2>&- || fail "closed descriptors: status $?"
pid=$(cat "$T/run/utd.pid")
CHILDREN="$CHILDREN $pid"
expect 1 'none does not exist' utctl list none
kill "$pid"
until_ok gone "$pid" || fail "utd stays"

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
