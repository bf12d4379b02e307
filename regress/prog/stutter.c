/*
 * Copyright (c) 2026 The libut authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * stutter pid ms us: stop the process for so many milliseconds, let it run
 * until it has had so many microseconds of the processor, and again, until it
 * is gone.  At SIGTERM it goes on.
 */

#include <sys/types.h>

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pid_t pid;

static void
end(int sig)
{
	(void)sig;
	kill(pid, SIGCONT);
	_exit(0);
}

static void
pass(long us)
{
	struct timespec ts;

	ts.tv_sec = us / 1000000;
	ts.tv_nsec = us % 1000000 * 1000;
	nanosleep(&ts, NULL);
}

/* Microseconds that the process has run; -1 where that cannot be seen. */
static long long
ran(void)
{
#if defined(__linux__) || defined(__FreeBSD__)
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0 &&
	    clock_gettime(clock, &ts) == 0)
		return ts.tv_sec * 1000000LL + ts.tv_nsec / 1000;
#endif
	return -1;
}

int
main(int argc, char *argv[])
{
	long long until;
	long us;

	if (argc != 4)
		return 1;
	pid = (pid_t)atoi(argv[1]);
	us = atol(argv[3]);
	signal(SIGTERM, end);
	while (kill(pid, SIGSTOP) == 0) {
		pass(atol(argv[2]) * 1000);
		until = ran() + us;
		kill(pid, SIGCONT);
		do
			pass(50);
		while (kill(pid, 0) == 0 && ran() != -1 && ran() < until);
	}
	return 0;
}
