# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Without a utd a program runs as if it were not traced: one thread that waits
# for it at most, none where it cannot come, no waiting in any case.

. ./common.sh

# Twenty times, in less than the time that one would wait for a utd.
quick() {
	fds=0
	[ "$2" -eq 1 ] || fds=$waiting_fds
	t0=$(date +%s)
	i=0
	while [ $i -lt 20 ]; do
		out=$(./prog/about </dev/null) || fail "$1: status $?"
		case $out in
		"off, $fds descriptors, "[0$2]" threads")	;;
		*)	fail "$1: $out" ;;
		esac
		i=$((i + 1))
	done
	[ $(($(date +%s) - t0)) -lt 3 ] || fail "$1: slow"
}

quick "an empty run directory" 2
UT_RUNDIR=$T/new
quick "no run directory" 2
UT_RUNDIR=$T/nowhere/new
quick "nowhere to make one" 1
UT_RUNDIR=nowhere
quick "a relative name" 1
[ ! -e nowhere ] || fail "made it"
UT_RUNDIR=$T/$(printf '%0200d' 0)
quick "a name that is too long" 1
UT_RUNDIR=$T/utd.log
: >"$T/utd.log"
quick "a file" 1
mkdir "$T/open"
chmod 777 "$T/open"
UT_RUNDIR=$T/open
quick "a directory of everyone's" 1

# What a utd left: the library may wait for the next one, asleep.
UT_RUNDIR=$T/run
start_utd
kill -9 $UTD_PID
wait $UTD_PID 2>/dev/null
UTD_PID=
quick "a dead utd" 2
# Nobody looks at such a socket.
rm -f "$T/run/sock"
mkfifo "$T/run/sock"
quick "no socket" 2
# Nobody listens, although the name is taken.  Elsewhere that looks like a utd
# with a full queue.
[ $waiting_fds -eq 0 ] || exit 0
cat >"$T/bound.c" <<'END'
#include <sys/socket.h>
#include <sys/un.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	if (argc != 2 || strlen(argv[1]) >= sizeof(sun.sun_path))
		return 1;
	strcpy(sun.sun_path, argv[1]);
	if (bind(s, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		return 1;
	return pause();
}
END
build "$T/bound" "$T/bound.c"
rm -f "$T/run/sock"
background "$T/bound" "$T/run/sock"
until_ok test -S "$T/run/sock" || fail "no socket"
quick "a socket that nobody listens at" 2
