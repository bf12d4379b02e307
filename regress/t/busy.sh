# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs of a user say that all their threads are in the middle of an event,
# each in buffers of its own: a consumer waits for such events, but not for
# those of each program, and the session is stopped and destroyed in time.

. ./common.sh

need timeout
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-channel -p -n 2 -b 4k c &&
    utctl enable-event -c c 'hostile:*' 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
n=40
mkfifo "$T/end" || fail "mkfifo"
exec 5<>"$T/end"
i=0
while [ $i -lt $n ]; do
	i=$((i + 1))
	as_user ./prog/scribble "$UT_RUNDIR" busy 1 <"$T/end" >>"$T/done" &
	CHILDREN="$CHILDREN $!"
done
all_done() {
	[ "$(wc -l <"$T/done")" -eq $n ]
}
until_ok all_done || fail "of $n: $(wc -l <"$T/done")"
./prog/seq 1 1 10 || fail "seq"
for what in stop start destroy; do
	expect 0 'session s ' \
	    timeout 12 utctl $what s
done
[ "$(count_events "$T/s" seq:tick)" -eq 10 ] || fail "not 10 events"
exec 5>&-
