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
 * Has a process run slowly, one instruction at a time, so that others do much
 * between any two of them:
 *
 *	slowly pid milliseconds
 *
 * Prints how many instructions that were.  Where it cannot be stepped the
 * status is 77.
 */

#include <stdio.h>

#if !defined(__linux__) || \
    !(defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))

int
main(void)
{
	fprintf(stderr, "slowly: not on this machine\n");
	return 77;
}

#else

#include <sys/types.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <err.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#define UT_GETTIME	clock_gettime
#include "../../libut/common/clock.h"

/* The signal that it is to get, of those that are not of our making. */
static int
stopped(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) == -1)
		err(1, "waitpid");
	if (!WIFSTOPPED(status))
		errx(1, "%d has ended", (int)pid);
	return status >> 16 != 0 || WSTOPSIG(status) == SIGTRAP ? 0 :
	    WSTOPSIG(status);
}

int
main(int argc, char *argv[])
{
	unsigned long n = 0;
	uint64_t end;
	pid_t pid;
	int sig;

	if (argc != 3)
		errx(1, "slowly pid milliseconds");
	pid = (pid_t)atoi(argv[1]);
	end = ut_nanoseconds() + (uint64_t)atoi(argv[2]) * 1000000;
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == -1) {
		warn("%d", (int)pid);
		return 77;
	}
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == -1)
		err(1, "interrupt");
	for (sig = stopped(pid); ut_nanoseconds() < end; sig = stopped(pid), n++)
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL,
		    (void *)(intptr_t)sig) == -1)
			err(1, "step");
	if (ptrace(PTRACE_DETACH, pid, NULL, (void *)(intptr_t)sig) == -1)
		err(1, "detach");
	printf("%lu instructions\n", n);
	return 0;
}

#endif
