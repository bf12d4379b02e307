# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The run directory has no room left: utd has some to spare, so that the
# sessions that there are survive it; when that is used up, new sessions are
# refused, and others warned.  What the next utd could not know of is told, and
# does not stay in memory.

. ./common.sh

# strays PID: the names of its shared memory.
strays() {
	ls -A "$SHM" | grep -e "ut-$(printf %x $1)-"
}

# A program whose 700 events have returned; and then all are killed.
program() {
	pulse_start
	until_ok pulse_on a--- || fail "$answer"
	pulse hit 700
}

killed() {
	CHILDREN="$CHILDREN $UTD_PID"
	kill -9 $UTD_PID $(consumers) $PULSE 2>/dev/null
	until_ok gone $UTD_PID || fail "utd stays"
	wait $UTD_PID $PULSE 2>/dev/null
	was=$UTD_PID UTD_PID=
}

# A small file system that somebody fills.
if [ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] &&
    mount -t tmpfs -o size=40k,mode=755 tmpfs "$UT_RUNDIR" 2>/dev/null; then
	trap 'umount -l "$UT_RUNDIR" 2>/dev/null; finish' EXIT
	start_utd
	utctl create -o "$T/a" a >/dev/null &&
	    utctl enable-channel -i 0 c &&
	    utctl enable-event -c c 'pulse:a' >/dev/null &&
	    utctl start >/dev/null || fail "set-up"
	dd if=/dev/zero of="$UT_RUNDIR/fill" bs=1024 2>/dev/null
	: >"$T/told"
	utctl create -o "$T/b" b >"$T/told" 2>&1 &&
	    utctl enable-channel -s b -i 0 c &&
	    utctl enable-event -s b -c c 'pulse:a' >>"$T/told" 2>&1 &&
	    utctl start b >>"$T/told" 2>&1
	program
	killed
	rm "$UT_RUNDIR/fill"
	utctl recover >"$T/said" 2>&1 || fail "recover: $(cat "$T/said")"
	[ "$(count_events "$T/a" pulse:a)" -eq 700 ] ||
	    fail "a: $(cat "$T/said")"
	grep -q 'No space left' "$T/told" ||
	    [ "$(count_events "$T/b" pulse:a)" -eq 700 ] ||
	    fail "b: $(cat "$T/told" "$T/said")"
	! strays $was || fail "left in memory"
	umount "$UT_RUNDIR" || fail "umount"
else
	echo "no small file system"
fi

# Nothing at all can be written there.
not_sanitized
not_cross
[ -r /proc/self/fd ] || skip "no /proc"
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -fPIC -shared -o "$T/badday.so" \
    prog/badday.c $DL 2>"$T/err" || skip "no shared objects"

# utd is started on a good day, and then a bad one comes.
bad_day() {
	rm -rf "$T/a" "$T/b"
	echo good >"$T/day"
	BADPART=/run/state BADFILE=$T/day LD_PRELOAD=$T/badday.so \
	    utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
	UTD_PID=$!
	until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
	utctl create -o "$T/a" a >/dev/null &&
	    utctl enable-channel -i 0 c || fail "set-up"
	echo ENOSPC >"$T/day"
	expect 0 "$why" utctl enable-event -c c 'pulse:a'
	complains "session b: $why" utctl create -o "$T/b" b
	[ ! -e "$T/b" ] || fail "b is there"
}
why='if utd is killed, events can be lost: .*/state.*: No space left on device'

# When there is room again, all is well.
bad_day
echo good >"$T/day"
expect 0 '' utctl create -o "$T/b" b
! utctl list | grep "$why" || fail "it is not over"
expect 0 'a started$' utctl start a
program
killed
utctl recover >"$T/said" 2>&1 || fail "recover: $(cat "$T/said")"
[ "$(count_events "$T/a" pulse:a)" -eq 700 ] || fail "a: $(cat "$T/said")"
! strays $was || fail "left in memory"

# Not known to the next one: it says so, and has it removed, where names of
# shared memory can be listed.
case $CFLAGS in
*-DUT_POSIX*)	exit 0 ;;
esac
bad_day
expect 0 "a started.*$why" utctl start
expect 0 "error: $why" utctl list a
expect 0 "$why" utctl status
program
killed
strays $was >/dev/null || fail "no memory"
start_utd
lost='buffers of uid .*, [0-9]* bytes, that the last utd could not save: their'
grep -q "$lost events are lost" "$T/utd.log" || fail "$(cat "$T/utd.log")"
expect 0 "error: .*$lost" utctl list a
expect 0 "a destroyed: .*; .*$lost" utctl destroy a
stop_utd || fail "utd: status $?"
! strays $was || fail "left in memory"
