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
 * Runs a command with its output thrown away, and prints how many
 * milliseconds it took and how many kilobytes it had at most.  With -n the
 * command follows the time, in milliseconds of CLOCK_MONOTONIC, instead, and
 * its output is its own.
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int
main(int argc, char *argv[])
{
	struct rusage ru;
	double t;
	int status;
	pid_t pid;

	if (argc > 2 && strcmp(argv[1], "-n") == 0) {
		printf("%.3f\n", now());
		fflush(stdout);
		execvp(argv[2], argv + 2);
		err(1, "%s", argv[2]);
	}
	if (argc < 2)
		errx(1, "timed [-n] command [argument ...]");
	t = now();
	if ((pid = fork()) == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL)
			err(1, "/dev/null");
		execvp(argv[1], argv + 1);
		err(1, "%s", argv[1]);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		err(1, "%s", argv[1]);
	t = now() - t;
	if (status != 0)
		errx(1, "%s: status %#x", argv[1], (unsigned int)status);
	if (getrusage(RUSAGE_CHILDREN, &ru) == -1)
		err(1, "getrusage");
	printf("%.3f %ld\n", t, ru.ru_maxrss);
	return 0;
}
