# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What utd saves of its sessions: what a change costs is the size of the
# change, whatever else there is; the file does not grow for ever; a disk that
# is full harms nothing; and wherever utd is killed while it writes, the next
# one has all that was said to be so, and what was recorded.

. ./common.sh
state=$UT_RUNDIR/state

# Bytes that utd has written, until it writes no more.
written() {
	sed -n 's/^wchar: //p' "/proc/$UTD_PID/io"
}
quiet() {
	last=$(written)
	sleep 0.3
	[ "$(written)" = "$last" ] && [ ! -e "$state.new" ]
}

# As it was before utd was killed, but for the warning of that.
listed() {
	utctl list | sed -e 's/, 1 warning$//' -e '/warning: utd was killed/d'
}

session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" -b 4k -n 16 ${3-} c &&
	    utctl enable-event -s "$1" -c c "$2" >/dev/null &&
	    utctl start "$1" >/dev/null || fail "set-up of $1"
}

# A session with many descriptions, and another.
start_utd
session big 'many:*'
session small 'seq:*'
session alone 'seq:*' -p
N=20000
hold env UT_REGISTER_TIMEOUT=-1 ./prog/many -w much 0 $N
until_ok has_programs big many || fail "no program"
if [ -r "/proc/$UTD_PID/io" ]; then
	until_ok quiet || fail "utd does not come to rest"
	size=$(wc -c <"$state")
	[ "$size" -gt $((N * 100)) ] || fail "only $size bytes of $N events"
	i=0 before=$(written)
	while [ $i -lt 20 ]; do
		i=$((i + 1))
		./prog/seq $i 1 10 || fail "seq: $?"
		utctl enable-event -s small -c c "x:e$i" >/dev/null ||
		    fail "enable-event"
		utctl enable-event -s big -c c "x:e$i" >/dev/null ||
		    fail "enable-event"
	done
	until_ok quiet || fail "utd does not come to rest"
	cost=$((($(written) - before) / i))
	echo "$size bytes of state, $cost for a program and two rules"
	[ "$cost" -lt 20000 ] || fail "a change costs $cost of $size bytes"
else
	echo "no /proc/PID/io: nobody counts bytes"
fi

# Killed, and taken up as it was.
listed >"$T/before"
kill -9 "$UTD_PID" $(consumers)
wait "$UTD_PID" 2>/dev/null
start_utd
! grep damaged "$T/utd.log" || fail "damaged"
until_ok has_programs big many || fail "no program"
listed >"$T/after"
cmp -s "$T/before" "$T/after" || fail "$(diff "$T/before" "$T/after")"
release || fail "many: $?"
utctl destroy big >/dev/null || fail "destroy"
kill -9 "$UTD_PID" $(consumers)
wait "$UTD_PID" 2>/dev/null

# It is copied while programs come and go, and does not grow for ever.
start_utd
! grep damaged "$T/utd.log" || fail "damaged"
long=$(printf '%0200d' 0)
without=
i=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	without="$without -x y:e$long$i"
done
i=0 most=0
while [ $i -lt 70 ]; do
	i=$((i + 1))
	utctl enable-event -s small -c c $without y:y >/dev/null &&
	    utctl disable-event -s small -c c y:y || fail "rule $i"
	./prog/seq 1$i 1 10 || fail "seq: $?"
	size=$(wc -c <"$state")
	[ "$size" -le "$most" ] || most=$size
done
echo "at most $most bytes of state"
[ "$most" -gt 1000000 ] && [ "$most" -lt 2000000 ] || fail "$most bytes"
utctl enable-event -s small -c c $without y:y >/dev/null || fail "rule y"
listed >"$T/before"
kill -9 "$UTD_PID" $(consumers)
wait "$UTD_PID" 2>/dev/null
start_utd
! grep damaged "$T/utd.log" || fail "damaged"
listed >"$T/after"
cmp -s "$T/before" "$T/after" || fail "$(diff "$T/before" "$T/after")"
for s in small alone; do
	expect 0 "$s destroyed: [0-9]* events, 0 lost" utctl destroy $s
	readers_agree "$T/$s"
done
stop_utd || fail "utd: status $?"

# Killed at each write, and each rename.
not_sanitized
not_cross
[ -r /proc/self/fd ] || skip "no /proc"
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -fPIC -shared -o "$T/torn.so" \
    prog/torn.c $DL 2>"$T/err" ||
    skip "no shared objects: $(head -1 "$T/err")"
TORNPART=/run/state
export TORNPART

# No room for it: that is said once, and all goes on; when there is, the next
# utd has everything.
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -fPIC -shared -o "$T/badday.so" \
    prog/badday.c $DL 2>"$T/err" || fail "badday: $(cat "$T/err")"
echo good >"$T/day"
BADPART=/run/state BADFILE=$T/day LD_PRELOAD=$T/badday.so \
    utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
session full 'seq:*'
echo torn >"$T/day"
utctl enable-event -s full -c c 'other:*' >/dev/null &&
    utctl enable-event -s full -c c 'third:*' >/dev/null || fail "no room"
./prog/seq 1 1 100 || fail "seq"
sleep 1.5
[ "$(grep -c 'state.*: Input/output error' "$T/utd.log")" -eq 1 ] ||
    fail "said: $(cat "$T/utd.log")"
echo good >"$T/day"
until_ok sh -c "grep -q third: '$state' && [ ! -e '$state.new' ]" ||
    fail "not saved: $(cat "$T/utd.log")"
kill -9 "$UTD_PID"
wait "$UTD_PID" 2>/dev/null
start_utd
utctl list full | grep -q 'third:' || fail "no rule: $(utctl list full)"
expect 0 'full destroyed: 100 events, 0 lost' utctl destroy full
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# What is said to be so is in $T/so, a line each; the rest may or may not be.
so() {
	say=$1
	shift
	timeout 20 "$@" >/dev/null 2>&1 && echo "$say" >>"$T/so"
}
life() {
	so 'session k' utctl create -o "$T/k" k
	so 'channel uid' utctl enable-channel -s k -b 4k -n 16 uid
	so 'channel pid' utctl enable-channel -s k -b 4k -n 16 -p pid
	so 'seq:a' utctl enable-event -s k -c uid 'seq:*'
	so 'seq:b' utctl enable-event -s k -c pid 'seq:*'
	so started utctl start k
	./prog/seq 1 1 100
	so gone utctl disable-event -s k -c uid 'seq:*'
	./prog/seq 2 1 100
}
need timeout
at=0
while :; do
	at=$((at + 1))
	[ $at -lt 200 ] || fail "utd does not come to rest"
	rm -rf "$T/k" "$T/so"
	: >"$T/so"
	rm -f "$UT_RUNDIR/sock"
	TORN=$at LD_PRELOAD=$T/torn.so utd -d -r "$UT_RUNDIR" 2>"$T/torn.log" &
	UTD_PID=$!
	until [ -S "$UT_RUNDIR/sock" ] || gone $UTD_PID; do
		sleep 0.02
	done
	life
	gone $UTD_PID || break
	wait $UTD_PID 2>/dev/null
	start_utd
	! grep damaged "$T/utd.log" || fail "write $at: damaged"
	utctl list k >"$T/list" 2>&1
	grep -q 'session k' "$T/so" || [ ! -s "$T/so" ] || fail "write $at: so?"
	if grep -q 'session k' "$T/so"; then
		for c in uid pid; do
			! grep -q "channel $c" "$T/so" ||
			    grep -q "channel $c" "$T/list" ||
			    fail "write $at: no $c: $(cat "$T/list")"
		done
		! grep -q started "$T/so" || grep -q 'k (active)' "$T/list" ||
		    fail "write $at: not started: $(cat "$T/list")"
		expect 0 'k destroyed: [0-9]* events, 0 lost' utctl destroy k
		events=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")
		: >"$T/view.out"
		[ "$events" -eq 0 ] || readers_agree "$T/k"
		[ "$(wc -l <"$T/view.out")" -ge "$events" ] ||
		    fail "write $at: $(wc -l <"$T/view.out") of $events"
	else
		utctl destroy k >/dev/null 2>&1
	fi
	stop_utd || fail "write $at: utd: status $?: $(cat "$T/utd.log")"
	! grep 'given up' "$T/utd.log" || fail "write $at: no consumer"
done
# It may write once more as it ends, and be killed there.
stop_utd || [ "$utd_status" -eq 137 ] || fail "utd: status $utd_status"
[ $at -gt 10 ] || fail "only $at writes"
echo "SURVIVED: $((at - 1)) utds killed as they wrote"
