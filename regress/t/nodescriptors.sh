# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that cannot have the descriptors of its buffers, and a child that
# cannot have one for a connection, since its parent has lowered the limit: a
# warning names them, and says what to do.

. ./common.sh

cat >"$T/forks.c" <<'END'
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ut.h>

UT_EVENT(forks, one, UT_INFO, UT_INT(n))

int
main(void)
{
	const struct rlimit none = { 0, 0 };
	int status;
	pid_t pid;

	UT(forks, one, 1);
	if (setrlimit(RLIMIT_NOFILE, &none) == -1)
		return 1;
	if ((pid = fork()) == 0)
		UT(forks, one, 2);
	if (pid == 0)
		_exit(0);
	UT(forks, one, 3);
	return waitpid(pid, &status, 0) == pid ? status : 1;
}
END
build "$T/forks" "$T/forks.c"
recorded -- "$T/forks"
[ "$events" -eq 2 ] || fail "$(cat "$T/record.err")"
grep -q '^utctl: warning: a child of forks ([0-9]*) cannot connect: .*ulimit -n' \
    "$T/record.err" || fail "a child: $(cat "$T/record.err")"

# With so few it is started, connects, is attached.
case $CFLAGS in
*-fsanitize*|*-DUT_POSIX*)	exit 0 ;;
esac
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event -s s 'seq:*' &&
    utctl start s || fail "set-up"
for n in 4 5 6 7 8 9 10; do
	(ulimit -n $n && exec ./prog/seq 1 1 10) >/dev/null 2>&1
done
warned() {
	utctl list s | grep -q 'warning: seq ([0-9]*) cannot attach .*ulimit -n'
}
until_ok warned || fail "not told: $(utctl list s)"
counts s
[ "$events" -gt 0 ] || fail "with more they are not recorded either"

# A utd that has too few for its programs says so to whoever records them.
ulimit -n 64
recorded -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
do
	./prog/seq -p 200000 $i 1 5 &
	./prog/seq -p 200000 3$i 1 5 &
done
wait'
[ "$events" -eq 200 ] ||
    grep -q '^utctl: warning: utd has no descriptors for more programs' \
    "$T/record.err" || fail "$events events: $(cat "$T/record.err")"
echo "$events events"
[ "$events" -lt 200 ] || fail "there were enough"
exit 0
