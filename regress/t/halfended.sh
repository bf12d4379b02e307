# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd is killed in the middle of the end of a session or of a program, or a
# consumer is slow to hear of it: the next utd goes on with that, blames no other
# session, and leaves nothing in memory.

. ./inside.sh
. ./common.sh
need strace
strace -o "$T/calls" true 2>/dev/null || skip "strace cannot trace here"

# begin OPTION...: a session with channels of these, and a program.
begin() {
	rm -rf "$T/s"
	start_utd
	utctl create -o "$T/s" s >/dev/null && utctl enable-channel "$@" one &&
	    utctl enable-channel "$@" two &&
	    utctl enable-event -c one 'seq:tick' >/dev/null &&
	    utctl enable-event -c two 'seq:tick' >/dev/null &&
	    utctl start >/dev/null || fail "set-up"
	program
}

recorded() {
	[ "$(member s written)" -gt 100 ]
}

program() {
	background ./prog/seq -p 1000 1 1 90000000
	until_ok recorded || fail "nothing is recorded: $(utctl list s)"
}

# inject WHAT...: that happens to utd; it is traced when this returns.
inject() {
	strace -qq -e "inject=$1" -o "$T/strace" -p "$UTD_PID" \
	    2>"$T/strace.err" &
	TRACER=$!
	CHILDREN="$CHILDREN $TRACER"
	sleep 0.5
	! gone $TRACER || fail "strace: $(cat "$T/strace.err")"
}

died() {
	gone "$UTD_PID"
}

# again: utd has been killed, as it was to be; so are its consumers.
again() {
	until_ok died || fail "utd goes on: $(cat "$T/strace")"
	kill_utd 1
	start_utd
}

end() {
	stop_utd || fail "$1: utd: status $?: $(cat "$T/utd.log")"
	! grep 'events are lost' "$T/utd.log" || fail "$1: others are blamed"
	[ -z "${UT_TEST_INSIDE-}" ] || [ -z "$(ls /dev/shm)" ] ||
	    fail "$1: left in memory: $(ls /dev/shm)"
	[ ! -e "$T/run/state" ] || fail "$1: left: $(ls "$T/run")"
	echo "$1: fine"
}

# Its first region is closed, the second is not: it cannot start any more.
begin
inject unlink:signal=KILL:when=1
utctl destroy s >"$T/out" 2>&1 && fail "destroyed: $(cat "$T/out")"
again
expect 1 'session s is half destroyed, and cannot start any more: utctl destroy s$' \
    utctl start s
counts s
[ "$(utctl view "$T/s" | wc -l)" -eq "$events" ] || fail "not $events events"
expect 0 'session s destroyed: .* 0 lost' utctl destroy s
readers_agree "$T/s"
kill -9 $LAST
end "destroy"

# It goes on until its command has run, and has triggers; another session is of
# the same user.
for when in 1 2 3; do
	begin
	utctl rotate -c "sleep 6" s >/dev/null || fail "rotate -c"
	for i in 1 2 3; do
		utctl trigger -e seq:tick -n 1000000 -a stop s >/dev/null ||
		    fail "trigger"
	done
	utctl create -o "$T/o" o >/dev/null &&
	    utctl enable-event -s o 'seq:tick' >/dev/null &&
	    utctl start o >/dev/null && utctl rotate s >/dev/null ||
	    fail "set-up of o"
	inject unlink:signal=KILL:when=$((when + 2))
	utctl destroy s >"$T/out" 2>&1
	again
	expect 0 ' 1 warning' utctl list o
	utctl destroy s >"$T/out" 2>&1
	expect 0 'session o destroyed: .* 0 lost' utctl destroy o
	rm -rf "$T/o"
	kill -9 $LAST
	end "destroy, a command runs, name $when"
done

# A session with triggers is destroyed, and utd is killed later: another session
# goes on.
begin
utctl trigger -e seq:tick -n 1000000 -a stop s >/dev/null &&
    utctl create -o "$T/o" o >/dev/null &&
    utctl enable-event -s o 'seq:tick' >/dev/null &&
    utctl start o >/dev/null || fail "set-up of o"
expect 0 'session s destroyed: .* 0 lost' utctl destroy s
kill_utd 1
start_utd
! grep damaged "$T/utd.log" || fail "the journal is damaged"
expect 0 'session o destroyed: .* 0 lost' utctl destroy o
rm -rf "$T/o"
kill -9 $LAST
end "destroyed before"

# A trigger goes before its region is made.
begin
halt $(consumers)
utctl trigger -e 'seq:tick' -n 1000000 -a stop s >/dev/null 2>&1 &
setter=$!
listed() {
	utctl list -j s | grep -q '"number": *1\b'
}
until_ok listed || fail "no trigger: $(utctl list -j s)"
utctl trigger -r 1 s || fail "trigger -r"
kill -CONT $(consumers)
wait $setter
expect 0 'session s destroyed: .* 0 lost' utctl destroy s
kill -9 $LAST
end "trigger"

# A program is new, and dies with utd: it is not listed for ever.
for calls in pwrite64:signal=KILL:when=1 pwrite64:signal=KILL:when=2 \
    sendmsg:signal=KILL:when=4; do
	begin -p
	inject $calls
	background ./prog/seq -p 1000 2 1 90000000
	until_ok died || fail "utd goes on: $(cat "$T/strace")"
	kill -9 $LAST
	again
	alone() {
		[ "$(utctl list s | grep -c '^ *seq (pid')" -eq 2 ]
	}
	until_ok alone || fail "$calls: $(utctl list s)"
	utctl destroy s >/dev/null || fail "$calls: destroy"
	kill -9 $CHILDREN 2>/dev/null
	CHILDREN=
	end "new program, $calls"
done

# So is one that died before the next utd, if that is killed, too.
begin -p
kill_utd 1
kill -9 $LAST
strace -qq -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=1 \
    -P "$T/run/programs.new" -o "$T/strace" \
    "$(command -v utd)" -d -r "$UT_RUNDIR" 2>"$T/utd.log"
start_utd
until_ok has_programs s seq 0 || fail "dead for ever: $(utctl list s)"
none() {
	! utctl list s | grep -q 'seq (pid'
}
until_ok none || fail "dead for ever: $(utctl list s)"
utctl destroy s >/dev/null || fail "destroy"
end "dead before, killed again"

# What cannot be removed is told.
begin -p
inject unlink:error=EACCES
kill -9 $LAST
until_ok none || fail "not closed: $(utctl list s)"
utctl destroy s >/dev/null || fail "destroy"
stop_utd || fail "utd: status $?"
grep -q 'shared memory /ut-[^ ]* is left, for you to remove: Perm' \
    "$T/utd.log" || fail "nothing is said of what is left: $(cat "$T/utd.log")"
