# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A process ID comes again, as another fork of the same parent: where each
# process has buffers of its own, heap knows that these are two, also when the
# session was rotated meanwhile.

if [ -z "${SAMEPID_INSIDE-}" ]; then
	for how in "unshare -p -f --mount-proc" "unshare -Ur -p -f --mount-proc"
	do
		$how sh -c 'n=$(cat /proc/sys/kernel/ns_last_pid) &&
		    echo $n >/proc/sys/kernel/ns_last_pid' 2>/dev/null ||
		    continue
		SAMEPID_INSIDE=1 exec $how sh "$0"
	done
	echo "SKIP: no process ID can be chosen"
	exit 77
fi
. ./common.sh
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

cat >"$T/same.c" <<'END'
#include <sys/wait.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <ut.h>

UT_EVENT(libc, malloc, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr),
    UT_PTR(caller))
UT_EVENT(libc, free, UT_DEBUG_FUNCTION, UT_PTR(ptr), UT_PTR(caller))

static char block, code;

/* The next process has this ID, unless another one comes first. */
static void
next_is(pid_t pid)
{
	const int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);

	if (fd == -1 || dprintf(fd, "%d", (int)pid - 1) <= 0)
		err(1, "ns_last_pid");
	close(fd);
}

/* What the children keep is at the same address.  The second frees it later. */
static void
child(int n)
{
	char c;

	UT(libc, malloc, 100, &block, &code);
	if (n == 0)
		_exit(0);
	if (write(1, "\n", 1) != 1 || read(0, &c, 1) != 1)
		_exit(1);
	UT(libc, free, &block, &code);
	_exit(0);
}

int
main(void)
{
	pid_t pid, first;
	int status, n, tries = 0;

	for (n = 0; n < 2; n++) {
		do {
			if (n > 0)
				next_is(first);
			if ((pid = fork()) == -1)
				err(1, "fork");
			if (pid == 0 && (n == 0 || getpid() == first))
				child(n);
			if (pid == 0)
				_exit(0);
			if (waitpid(pid, &status, 0) != pid || status != 0)
				errx(1, "child: %d", status);
		} while (n > 0 && pid != first && tries++ < 1000);
		if (n == 0)
			first = pid;
		else if (pid != first)
			errx(1, "not the same ID");
	}
	return 0;
}
END
build "$T/same" "$T/same.c"

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-channel -p c &&
    utctl enable-event -c c 'libc:*' >/dev/null && utctl start >/dev/null ||
    fail "set-up"
pulse_start "$T/same"
read -r answer <&4 || fail "no second child"
utctl rotate >/dev/null || fail "rotate"
echo >&3
wait $PULSE || fail "same: $?"
expect 0 ' 3 events, 0 lost' utctl destroy
utctl heap "$T/trace" >"$T/out" 2>&1 || fail "heap: $(cat "$T/out")"
! grep -q 'freed unseen' "$T/out" || fail "taken for one: $(cat "$T/out")"
[ "$(grep -c '^same\[[0-9]*\]: 100 bytes in 1 ' "$T/out")" -eq 1 ] &&
    [ "$(grep -c '^same\[[0-9]*\]: 0 bytes in 0 ' "$T/out")" -eq 1 ] ||
    fail "not two: $(cat "$T/out")"
stop_utd || fail "utd: status $?"
