# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Too little shared memory: the command that needed it fails and says why, a
# program is told of nothing and runs on, nobody gets SIGBUS; and once there
# is memory the next command, or the next program, has it.

. ./inside.sh
. ./common.sh

# As NetBSD says that no tmpfs is mounted.  A sanitizer wants to be first.
case $CFLAGS in
*-fsanitize*)	;;
*)	cat >"$T/none.c" <<'END'
#include <sys/types.h>
#include <sys/mman.h>
#include <errno.h>

int
shm_open(const char *name, int flags, mode_t mode)
{
	(void)name;
	(void)flags;
	(void)mode;
	errno = ERROR;
	return -1;
}
END
	$CC $CFLAGS -DERROR=ENOTSUP -shared -fPIC -o "$T/none.so" \
	    "$T/none.c" && $CC $CFLAGS -DERROR=EEXIST -shared -fPIC \
	    -o "$T/taken.so" "$T/none.c" || fail "cannot build none"
	# What is preloaded into utctl is not in its utd, which is beside it.
	mkdir "$T/utctl" "$T/utd" && cp "$TOP/utctl/utctl" "$T/utctl" &&
	    cat >"$T/utd/utd" <<-END && chmod 755 "$T/utd/utd" ||
		#!/bin/sh
		LD_PRELOAD=\$NONE exec "$TOP/utd/utd" "\$@"
	END
	    fail "cannot make utd"
	expect 1 'channel0 for uid .* kB of .*upported: mount a tmpfs of' \
	    env NONE="$T/none.so" "$T/utctl/utctl" record -o "$T/unmounted" \
	    -- ./prog/seq 1 1 10
	# Somebody has taken all names.
	expect 1 'channel0 for uid .* kB of .*others have taken the names' \
	    env NONE="$T/taken.so" "$T/utctl/utctl" record -o "$T/taken" -- \
	    ./prog/seq 1 1 10
	expect 0 ': 10 events, 0 lost' env LD_PRELOAD="$T/none.so" \
	    utctl record -o "$T/preloaded" -- ./prog/seq 1 1 10 ;;
esac

# The limit of files is one of shared memory where that is a file.
cat >"$T/limited.c" <<'END'
#include <sys/mman.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main(void)
{
	char name[16];
	int s, limited;

	signal(SIGXFSZ, SIG_IGN);
	snprintf(name, sizeof(name), "/ut-%lx", (long)getpid());
	s = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	limited = ftruncate(s, 4 << 20) == -1;
	shm_unlink(name);
	return s != -1 && limited ? 0 : 1;
}
END
$CC $CFLAGS -o "$T/limited" "$T/limited.c" $LIBS || fail "cannot build limited"
(ulimit -f 4096 && exec "$T/limited") ||
    skip "shared memory has no limit for a process here"

uid=$(id -u)
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" -b 4k -n 8 small &&
	    utctl enable-channel -s "$1" -b 16k -n 256 big || fail "set-up $1"
}

# Files must not grow beyond 2 MB: one channel is larger, the other is not.
(ulimit -f 4096 && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
pulse_start
session l
expect 0 '' utctl enable-event -c big 'pulse:*'
expect 0 '' utctl enable-event -c small 'other:*'
mem="4[0-9]* kB of shared memory\( in /dev/shm\)\?"
complains "session l is started, but channel big for uid $uid: $mem: \
File too large: raise the limit .* (-n, -b)\$" utctl start
pulse_on ---o || fail "big and small: $answer"
pulse hit 10
expect 0 'session l (active)' utctl list l
grep -q "error: channel big for uid $uid: $mem: File too large" "$T/out" ||
    fail "list does not say it: $(cat "$T/out")"
# What a program cannot have does not fail the command that takes it away.
expect 0 '' utctl disable-event -c big 'pulse:*'
expect 0 'l stopped: 10 events, 0 lost.*File too large' utctl stop l
readers_agree "$T/l"
expect 0 'l destroyed' utctl destroy l
# Nor is destroy silent, without a stop before it.
session d
expect 0 '' utctl enable-event -c big 'pulse:*'
complains "session d is started, but channel big" utctl start
expect 0 'd destroyed: 0 events, 0 lost.*File too large' utctl destroy d
# The next utd tries again, in a trace that has the metadata of the channel.
session k
expect 0 '' utctl enable-event -c big pulse:a
complains "session k is started, but channel big" utctl start
pulse_on ---- || fail "big: $answer"
kill_utd 1
start_utd
until_ok pulse_on a--- || fail "big, without a limit: $answer"
pulse hit 10
expect 0 'k stopped: 10 events, 0 lost' utctl stop k
readers_agree "$T/k"
expect 0 'k destroyed' utctl destroy k
kill -9 $PULSE
stop_utd || fail "utd: status $?"
expect 1 'channel channel0 for uid .*: 9[0-9]* kB .*: File too large' \
    sh -c "ulimit -f 4096 && utctl record -o $T/rec1 -- ./prog/seq 1 1 10"

[ -n "${UT_TEST_INSIDE-}" ] || exit 0
mount -t tmpfs -o size=16m tmpfs /dev/shm || skip "only with a limit of files"
all_room() {
	rm -f /dev/shm/ballast
}
no_room() {
	dd if=/dev/zero bs=1k 2>/dev/null >>/dev/shm/ballast
	[ -s /dev/shm/ballast ] || fail "it was full before"
}

# Not even a page: a session can be made, but has no buffers.
no_room
start_utd
pulse_start
session a
expect 0 '' utctl enable-event -c big 'pulse:*'
none="channel big for uid $uid: $mem: No space left on device"
help=": make room there, or have fewer or smaller sub-buffers (-n, -b)"
complains "session a is started, but $none$help\$" utctl start
pulse_on ---- || fail "without memory: $answer"
expect 0 '' ./prog/seq 1 1 10
pulse hit 10
complains "pulse:a is enabled, but $none" utctl enable-event -c big 'pulse:a'
# Again is another try, not a complaint that it is there.
complains "pulse:a is enabled, but $none" utctl enable-event -c big 'pulse:a'
complains "session a is started, but $none" utctl start

# A little: enough for the small channel.
all_room
dd if=/dev/zero of=/dev/shm/ballast bs=1k count=15360 2>/dev/null
expect 0 'other:a: 1 event of 1 program' utctl enable-event -c small \
    'other:a'
pulse_on ---o || fail "small: $answer"
complains "pulse:b is enabled, but $none" utctl enable-event -c big 'pulse:b'
expect 0 'enabled: pulse:\* (level all)' utctl list a
grep -q 'enabled: pulse:b (level all)' "$T/out" || fail "the rule is gone"
pulse hit 10

# Enough: the command that failed does not fail, nor does another.
all_room
expect 0 'pulse:b: 1 event of 1 program' utctl enable-event -c big 'pulse:b'
pulse_on abco || fail "big: $answer"
complains 'pulse:b is enabled already' utctl enable-event -c big 'pulse:b'
complains 'session a is started already' utctl start
# What worked in the end is no error any more.
expect 0 '' utctl list a
grep -q 'error:' "$T/out" && fail "an error of before: $(cat "$T/out")"
expect 0 '"error":""' utctl list -j a

# What is there stays there, whoever takes the rest: all of it is written.
no_room
pulse hit 40000
expect 0 'session a stopped: ' utctl stop
counts a
[ $((events + lost)) -eq $((10 + 4 * 40000)) ] ||
    fail "$events + $lost are not $((10 + 4 * 40000))"
readers_agree "$T/a"
expect 0 'session a destroyed' utctl destroy

# The next program tries as well, and has it before its first event.
until_ok sh -c 'df -Pk /dev/shm | awk "NR == 2 { exit \$4 < 4096 }"' ||
    fail "the buffers of a stay: $(df /dev/shm)"
no_room
session b
expect 0 '' utctl enable-event -c big 'seq:*'
expect 0 '' utctl start
expect 0 '' ./prog/seq 1 1 10
expect 0 "error: $none" utctl list b
all_room
expect 0 '' ./prog/seq 2 1 20
expect 0 "b stopped: 20 events, 0 lost, $BYTES" utctl stop b
expect 0 '' utctl list
grep -q 'error:' "$T/out" && fail "an error of before: $(cat "$T/out")"
readers_agree "$T/b"
[ "$(grep -c '^	event.header' "$T"/b/ust/uid/*/*/metadata)" -eq 2 ] ||
    fail "a stream is described twice"
expect 0 "b destroyed: 20 events, 0 lost, $BYTES" utctl destroy b

# As long as there is something that could not be had, that is said, also of a
# program that is gone, and no longer.
no_room
session c
expect 0 '' utctl enable-channel -p -b 16k -n 256 own
expect 0 '' utctl enable-event -c own 'seq:*'
expect 0 '' utctl enable-event -c big 'pulse:*'
none2="channel own for uid $uid: $mem: No space left on device"
expect 1 "$none" utctl start
expect 0 '' ./prog/seq 1 1 10
expect 0 "warning: $none2" utctl list c
expect 0 "error: $none2\|error: $none" utctl list c
expect 0 '' utctl disable-channel big
all_room
expect 0 '' ./prog/seq 2 1 20
expect 0 '' utctl enable-channel big
expect 0 "c destroyed: 20 events, 0 lost, $BYTES" utctl destroy c
kill -9 $PULSE
stop_utd || fail "utd: status $?"

# Where nobody can write.
if mount -o remount,ro /dev/shm 2>/dev/null; then
	expect 1 'channel0 for uid .*: 9[0-9]* kB .*: Read-only file system$' \
	    utctl record -o "$T/rec0" -- ./prog/seq 1 1 10
	mount -o remount,rw /dev/shm || fail "remount"
fi

# And record.
no_room
expect 1 'channel channel0 for uid .*: No space left on device' \
    utctl record -o "$T/rec2" -- ./prog/seq 1 1 10
[ "$(wc -l <"$T/err")" -eq 2 ] || fail "record says more: $(cat "$T/err")"
all_room
expect 0 '^utctl: 10 events, 0 lost' utctl record -o "$T/rec3" -- \
    ./prog/seq 1 1 10
expect 1 '^utctl: 20 events, 0 lost' utctl record -o "$T/rec4" -- \
    sh -c "dd if=/dev/zero of=/dev/shm/ballast bs=1k 2>/dev/null
        ./prog/seq 1 1 10; rm /dev/shm/ballast; ./prog/seq 2 1 20"
