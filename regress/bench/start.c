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
 * What it takes to start a program and to wait for its end:
 *
 *	start [-j n] [-t ms] count command [argument ...]
 *
 * runs the command as many times, n at once, or until the time is over, and
 * prints the microseconds for each and how many there were.
 */

#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static void
begin(char *argv[])
{
	pid_t pid;
	int error;

	if ((error = posix_spawn(&pid, argv[0], NULL, NULL, argv,
	    environ)) != 0)
		errx(1, "%s: %s", argv[0], strerror(error));
}

static void
end(const char *name)
{
	int status;

	while (wait(&status) == -1)
		if (errno != EINTR)
			err(1, "wait");
	if (status != 0)
		errx(1, "%s: status %#x", name, (unsigned int)status);
}

int
main(int argc, char *argv[])
{
	double t, most = 1e12;
	long count, n = 0, running = 0, at_once = 1;
	int c;

	while ((c = getopt(argc, argv, "+j:t:")) != -1) {
		switch (c) {
		case 'j':
			at_once = atol(optarg);
			break;
		case 't':
			most = atof(optarg) * 1e3;
			break;
		default:
			return 1;
		}
	}
	if (argc - optind < 2 || (count = atol(argv[optind])) < 1)
		errx(1, "start [-j n] [-t ms] count command [argument ...]");
	argv += optind + 1;
	t = now();
	while (n < count && (n == 0 || now() - t < most)) {
		if (running == at_once) {
			end(argv[0]);
			running--;
		}
		begin(argv);
		running++;
		n++;
	}
	while (running-- > 0)
		end(argv[0]);
	printf("%.1f %ld\n", (now() - t) / (double)n, n);
	return 0;
}
