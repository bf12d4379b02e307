# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer that means harm floods utd with messages: utd goes on, says little
# of it, another consumer takes over, and whoever asked for something gets an
# answer.

. ./common.sh
not_sanitized
not_cross
need timeout
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -I"$TOP/libut" -fPIC -shared \
    -o "$T/rant.so" prog/rant.c $DL 2>"$T/err" ||
    skip "no shared objects: $(head -1 "$T/err")"

RANT=$T/rant
export RANT
LD_PRELOAD=$T/rant.so utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 10 || fail "set-up"

# lines N PATTERN: the log has so many lines like that.
lines() {
	n=$(grep -c "$2" "$T/utd.log")
	[ "$n" -eq "$1" ] ||
	    fail "$n lines '$2', not $1: $(tail -3 "$T/utd.log")"
}

# Nothing is heard of a consumer after its first bad message.
: >"$RANT.type"
expect 0 's stopped: 10 events, 0 lost' timeout 59 utctl stop
[ ! -e "$RANT.type" ] || fail "nothing was said"
lines 1 'message 999'
lines 1 'takes over'

# Of one that cannot be told anything, as much is heard as a socket holds, even
# if it has children that live on.
utctl start s >/dev/null && ./prog/seq 1 1 10 || fail "start"
: >"$RANT.deaf"
expect 0 's stopped: 20 events, 0 lost' timeout 59 sh -c '
	utctl stop s & stop=$!
	while [ -e "$RANT.deaf" ]; do
		sleep 0.1
	done
	utctl create -o "$0" t >/dev/null && wait $stop' "$T/t"
lines 2 'takes over'

# A wrong name is said so often, and no more.
utctl create -o "$T/m" m >/dev/null && utctl enable-channel -p own &&
    utctl enable-event -c own 'seq:*' >/dev/null && utctl start >/dev/null &&
    background ./prog/seq -p 1000 2 1 9000000 || fail "set-up of m"
own_recorded() {
	[ "$(member m channels own written)" -gt 0 ]
}
until_ok own_recorded || fail "nothing is recorded: $(utctl list m)"
: >"$RANT.made"
expect 0 'm stopped: [0-9]* events, 0 lost' timeout 59 utctl stop m
kill -9 $LAST
n=$(grep -c 'directory .*: not the name that it was told to make: ignored' \
    "$T/utd.log")
[ "$n" -gt 0 ] && [ "$n" -le 20 ] || fail "$n lines: $(tail -3 "$T/utd.log")"

# Who does not read how much is left gets the answer.
utctl start s >/dev/null && ./prog/seq 1 1 10 || fail "start"
: >"$RANT.progress"
began=$(date +%s)
hold ./prog/hostile "$UT_RUNDIR" unread 2>"$T/progress"
until_ok [ -e "$RANT.said" ] || fail "not said"
release || fail "no answer: $(cat "$T/progress")"
allowed=$((5 * ($(date +%s) - began + 2)))
n=$(cat "$T/progress")
echo "$n times progress, $allowed allowed"
[ "$n" -le $allowed ] || fail "$n times progress, not $allowed"
stop_utd || fail "utd: status $?"

# A user who kills the consumer again and again does not fill the log.
start_utd
utctl create -o "$T/k" k >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 10 || fail "set-up"
killed=
another() {
	victim=$(consumers | head -n 1)
	[ -n "$victim" ] && [ "$victim" != "$killed" ]
}
i=0
while [ $i -lt 15 ]; do
	until_ok another || fail "nobody takes over: $(cat "$T/utd.log")"
	kill -9 $victim && killed=$victim
	i=$((i + 1))
done
expect 0 'stopped: 10 events, 0 lost' utctl stop
n=$(grep -c 'consumer [0-9]* of' "$T/utd.log")
[ "$n" -le 20 ] || fail "$n lines: $(tail -3 "$T/utd.log")"
stop_utd || fail "utd: status $?"
