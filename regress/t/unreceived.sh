# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer may have no other descriptor, and does not get one that is sent with
# a message: buffers that have lost their name stay in use, and nothing of a
# snapshot that fails stays in memory.

. ./inside.sh
. ./common.sh
not_sanitized
not_cross
case "$(uname -s) $CFLAGS" in
*-DUT_POSIX*)	skip "names are needed there" ;;
Linux*)	;;
*)	skip "only with C libraries of Linux" ;;
esac
[ -n "${UT_TEST_INSIDE-}" ] || skip "no shared memory of its own"

# The messages whose number is in that file lose descriptors.
cat >"$T/without.c" <<'END'
#define _GNU_SOURCE
#include <sys/socket.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ut_msg.h"

static int
wanted(unsigned int type)
{
	FILE *f = fopen(getenv("UT_TEST_WITHOUT"), "r");
	unsigned int n = 0;

	if (f == NULL)
		return 0;
	if (fscanf(f, "%u", &n) != 1)
		n = 0;
	fclose(f);
	return n == type;
}

ssize_t
recvmsg(int s, struct msghdr *mh, int flags)
{
	ssize_t (*real)(int, struct msghdr *, int) =
	    (ssize_t (*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
	const ssize_t n = real(s, mh, flags);
	struct ut_msghdr h;
	struct cmsghdr *c;
	size_t i;
	int fd;

	if (n != sizeof(h) || (c = CMSG_FIRSTHDR(mh)) == NULL)
		return n;
	memcpy(&h, mh->msg_iov->iov_base, sizeof(h));
	if (!wanted(h.type))
		return n;
	for (i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(fd); i++) {
		memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
		close(fd);
	}
	mh->msg_controllen = 0;
	mh->msg_flags |= MSG_CTRUNC;
	return n;
}
END
$CC $CFLAGS -I"$TOP/libut" -fPIC -shared -o "$T/without.so" "$T/without.c" \
    $DL 2>"$T/err" || skip "no shared objects: $(head -1 "$T/err")"
number() {
	sed -n "s/^#define $1[ 	]*\([0-9]*\)[ 	].*/\1/p" ../utd/utd.h
}
region=$(number UT_C_REGION) shot=$(number UT_C_SHOT)
[ -n "$region" ] && [ -n "$shot" ] || fail "no numbers of messages"
UT_TEST_WITHOUT=$T/without
export UT_TEST_WITHOUT

LD_PRELOAD=$T/without.so utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd does not answer: $(cat "$T/utd.log")"
pulse_start
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'pulse:a' &&
    utctl start >/dev/null || fail "set-up"
until_ok pulse_on a--- || fail "$answer"
pulse hit 10
until_ok member_is 10 s written || fail "not 10 events: $(utctl list s)"

# The name is gone, and the next consumer does not get the descriptor.
echo "$region" >"$T/without"
find $SHM -name 'ut-*' -size +100 -exec rm {} + || fail "no buffers"
kill_consumers
until_ok sh -c "utctl list s | grep -q 'warning: channel.*Too many open files'" ||
    fail "not told: $(utctl list s)"
pulse hit 7
rm "$T/without"
# The next program has them tried again.
utctl enable-event 'seq:tick' >/dev/null && ./prog/seq 1 1 5 || fail "seq"
until_ok member_is 22 s written || fail "not 22 events: $(utctl list s)"
expect 0 's stopped: 22 events, 0 lost' utctl stop s
expect 0 's destroyed' utctl destroy s
readers_agree "$T/s"
[ "$(wc -l <"$T/view.out")" -eq 22 ] || fail "not 22 events in the trace"

# Kilobytes of memory that the consumer has.
memory() {
	sed -n 's/^VmData:[ 	]*\([0-9]*\) kB/\1/p' "/proc/$(consumers)/status"
}
shots() {
	i=0
	while [ $i -lt $1 ]; do
		utctl snapshot s >"$T/out" 2>&1 &&
		    fail "a snapshot without its directory"
		i=$((i + 1))
	done
}
utctl create -o "$T/k" -S s >/dev/null && utctl enable-event '*' >/dev/null &&
    utctl start >/dev/null && ./prog/types >/dev/null || fail "set-up"
expect 0 'snapshot of [1-9][0-9]* events' utctl snapshot s
echo "$shot" >"$T/without"
shots 20
before=$(memory)
shots 200
after=$(memory)
echo "$before kB, then $after kB"
[ $after -lt $((before + 400)) ] ||
    fail "more memory with each snapshot: $before kB, then $after kB"
rm "$T/without"
expect 0 'snapshot of [1-9][0-9]* events' utctl snapshot s
stop_utd || fail "utd: status $?"
