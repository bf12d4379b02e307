# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record, and its utd and consumers are killed when the trace is complete
# and the command still runs: that is said, nobody waits for utd, and nothing is
# left of it.

. ./common.sh
mkfifo "$T/go" || exit 1
mkdir -m 1777 "$T/tmp" && chmod 1777 "$T/tmp" && chmod 711 "$T" || exit 1

TMPDIR=$T/tmp utctl record -T 300ms -o "$T/t" -- sh -c "./prog/seq 1 1 10
    echo \"\$UT_RUNDIR\" >'$T/rundir'; read x <'$T/go'; exit 3" 2>"$T/err" &
RECORD=$!
CHILDREN="$CHILDREN $RECORD"
until_ok grep -q '^utctl: 10 events, 0 lost' "$T/err" ||
    fail "-T: $(cat "$T/err")"
UTD_PID=$(cat "$(cat "$T/rundir")/utd.pid")
pid=$UTD_PID
kill -9 $UTD_PID $(consumers)
UTD_PID=
until_ok gone $pid || fail "utd: not killed"
echo >"$T/go"
wait $RECORD
[ $? -eq 3 ] || fail "not the status of the command: $(cat "$T/err")"
grep -q "^utctl: utd in .* was killed by signal 9; the trace was com" "$T/err" ||
    fail "not said: $(cat "$T/err")"
grep -q "^utctl: the time of -T is over: " "$T/err" &&
    [ "$(wc -l <"$T/err")" -eq 3 ] || fail "more is said: $(cat "$T/err")"
readers_agree "$T/t"
[ -z "$(ls -A "$T/tmp")" ] || fail "left: $(ls -A "$T/tmp")"
left=$(find $SHM -maxdepth 1 -name "*ut-$(printf %x $pid)-*" 2>/dev/null)
[ -z "$left" ] || fail "left in memory: $left"
exit 0
