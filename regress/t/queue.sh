# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# More programs start than the queue of utd's socket takes, while utd does not
# run for a moment: those whose turn has not come wait for it, and each is
# registered before its main begins.  Linux queues 1025 and tells the others to
# try again; NetBSD queues 193 and refuses the others, as if there was no utd.

. ./common.sh

count=1200
case $CC$CFLAGS-$(uname) in
*-fsanitize*|*-m32*|*UT_POSIX*|*-NetBSD)	count=400 ;;
esac
# utd has a descriptor for each, and we a process.
for most in $(ulimit -H -n) $(ulimit -u 2>/dev/null || ulimit -p); do
	[ "$most" = unlimited ] || [ "$most" -gt $((count + 100)) ] ||
	    count=$((most - 100))
done
echo "$count programs"

all_there() {
	[ "$(ps -A -o args= | grep -c '^[^ ]*prog/seq [0-9]* 1 1 *$')" -ge \
	    "$count" ]
}

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event 'seq:*' >/dev/null && utctl start >/dev/null ||
    fail "set-up"
halt "$UTD_PID"
i=0
while [ $i -lt "$count" ]; do
	UT_REGISTER_TIMEOUT=-1 ./prog/seq $i 1 1 &
	CHILDREN="$CHILDREN $!"
	i=$((i + 1))
done
until_ok all_there || fail "there are no $count processes"
sleep 0.5
if [ "$count" -gt 1050 ] || [ "$(uname)" != Linux ]; then
	complains 'its queue of connections is full' utctl list
fi
kill -CONT "$UTD_PID"
for p in $CHILDREN; do
	wait "$p" || fail "a program's status is $?"
done
CHILDREN=
expect 0 ": $count events, 0 lost" utctl stop
readers_agree "$T/trace"
[ "$(wc -l <"$T/view.out")" -eq "$count" ] || fail "not $count in the trace"
stop_utd || fail "utd: status $?"
