# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# One utd in a run directory, and only in one that is safe; what a dead one
# left is taken over.

. ./common.sh

# One that was not refused must not stay.
end_all() {
	for f in "$T"/*/utd.pid; do
		[ -f "$f" ] || continue
		p=$(cat "$f")
		[ "$p" = $$ ] || kill "$p"
	done 2>/dev/null
	finish
}
trap end_all EXIT

mkdir -m 700 "$T/d"
start_utd
utctl create -o "$T/trace" s >/dev/null || fail "create"

refused() {
	complains "$@"
	voice
}
voice() {
	grep -q '^utd: ' "$T/err" || fail "not utd's voice: $(cat "$T/err")"
}

pid=$(cat "$T/run/utd.pid")
[ "$pid" = "$UTD_PID" ] || fail "utd.pid has $pid, not $UTD_PID"
for opts in "-r $T/run" "-d -r $T/run" -d; do
	expect 2 "$T/run: another utd runs there" utd $opts
	voice
done
expect 0 'session s (stopped)' utctl list
[ "$(cat "$T/run/utd.pid")" = "$UTD_PID" ] || fail "utd.pid was changed"

# No good directories.
chmod 770 "$T/d"
refused "$T/d: writable by others" utd -r "$T/d"
chmod 707 "$T/d"
refused "$T/d: writable by others" utd -d -r "$T/d"
[ -z "$(ls -A "$T/d")" ] || fail "files in a directory that was refused"
chmod 700 "$T/d"
: >"$T/file"
refused "$T/file: Not a directory" utd -r "$T/file"
refused "$T/no/where: No such file" utd -r "$T/no/where"
long=$T/$(printf '%0100d' 0)
refused 'too long' utd -r "$long"
[ ! -e "$long" ] || fail "$long was made"
# Just too long for a socket, though not for utd's own files.
long=$T/$(printf "%0$((105 - ${#T}))d" 0)
refused 'longer than the [0-9]* bytes' utd -r "$long"
: >"$T/d/wake"
refused "$T/d/wake: not a FIFO" utd -r "$T/d"
rm -f "$T"/d/*
ln -s "$T/run/utd.pid" "$T/d/utd.pid"
refused "$T/d/utd.pid: " utd -r "$T/d"
rm -f "$T"/d/*
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$T/d"
	refused "$T/d: owned by uid 65534, not by 0" utd -r "$T/d"
	chown 0 "$T/d"
fi

# A directory that is not there is made, for us alone.
UT_RUNDIR=$T/new
utd || fail "new: $?"
pid=$(cat "$T/new/utd.pid")
CHILDREN="$CHILDREN $pid"
case $(ls -ld "$T/new") in
drwx?-??-?*)	;;
*)	fail "$(ls -ld "$T/new")" ;;
esac
kill "$pid"
until_ok gone "$pid" || fail "utd stays"

# The first has noticed nothing.
UT_RUNDIR=$T/run
expect 0 'session s destroyed' utctl destroy

# Killed: its socket and pid file are there, and are taken over, though the
# number in the file be that of a process that lives.
kill -9 $UTD_PID
wait $UTD_PID 2>/dev/null
UTD_PID=
[ -S "$T/run/sock" ] && [ -f "$T/run/utd.pid" ] || fail "nothing is stale"
echo $$ >"$T/run/utd.pid"
start_utd
[ "$(cat "$T/run/utd.pid")" = "$UTD_PID" ] || fail "utd.pid is stale"
expect 0 '^no sessions$' utctl list
stop_utd || fail "utd: status $?"
# One that was killed just now, and may not have ended yet, is none.
UT_RUNDIR=$T/new
i=0
while [ $i -lt 40 ]; do
	i=$((i + 1))
	utd || fail "killed just now: $?"
	kill -9 "$(cat "$T/new/utd.pid")" || fail "kill"
done
rm "$T/new/utd.pid"
UT_RUNDIR=$T/run
[ ! -e "$T/run/sock" ] || fail "the socket stays"
[ ! -e "$T/run/utd.pid" ] || fail "the pid file stays"
