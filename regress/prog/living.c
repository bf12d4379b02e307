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
 * What it takes to start a program among many that live:
 *
 *	living count of [pid ...]
 *
 * starts itself as many times, each when the one before has had an event.
 * Prints the median of so many first ones and that of so many last ones: of
 * the microseconds that it took, and of those of a processor that each of the
 * processes used meanwhile, where /proc tells that.  The programs live until
 * the input ends.
 */

#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

#define MAXPIDS		8

UT_EVENT(living, event, UT_INFO, UT_INT(pid))
UT_EVENT(living, none, UT_INFO)

extern char **environ;

static int
child(void)
{
	char c;

	UT(living, event, (int)getpid());
	if (write(STDOUT_FILENO, "", 1) != 1)
		return 1;
	while (read(STDIN_FILENO, &c, 1) > 0)
		UT(living, none);
	return 0;
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* Microseconds of a processor that the process has used. */
static double
used(const char *pid)
{
	unsigned long long ns;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/schedstat", pid);
	if ((f = fopen(path, "r")) == NULL || fscanf(f, "%llu", &ns) != 1)
		err(1, "%s", path);
	fclose(f);
	return (double)ns / 1e3;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double
median(double *us, size_t n)
{
	qsort(us, n, sizeof(*us), by_size);
	return (us[(n - 1) / 2] + us[n / 2]) / 2;
}

/* Until the program says that it had its event. */
static void
start(char *name, const posix_spawn_file_actions_t *fa, int ready)
{
	char *argv[] = { name, NULL }, c;
	pid_t pid;
	int error;

	if ((error = posix_spawn(&pid, name, fa, NULL, argv, environ)) != 0)
		errx(1, "%s: %s", name, strerror(error));
	if (read(ready, &c, 1) != 1)
		errx(1, "%s: no event", name);
}

/* What that was, of our time and that of the processes. */
static void
look(double *us, int n, char *pids[])
{
	int i;

	us[0] = now();
	for (i = 1; i < n; i++)
		us[i] = used(pids[i - 1]);
}

int
main(int argc, char *argv[])
{
	posix_spawn_file_actions_t fa;
	int in[2], out[2], status, failed = 0, k, n = argc - 2;
	double *us[MAXPIDS + 1], before[MAXPIDS + 1], after[MAXPIDS + 1];
	double first;
	long i, count, of;
	char c;

	if (argc == 1)
		return child();
	if (argc < 3 || n > MAXPIDS + 1 || (of = atol(argv[2])) < 1 ||
	    (count = atol(argv[1])) < of)
		errx(1, "living count of [pid ...]");
	for (k = 0; k < n; k++)
		if ((us[k] = calloc((size_t)count, sizeof(*us[k]))) == NULL)
			err(1, "calloc");
	if (pipe(in) == -1 || pipe(out) == -1 ||
	    fcntl(in[1], F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(out[0], F_SETFD, FD_CLOEXEC) == -1)
		err(1, "pipe");
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&fa, in[0]);
	posix_spawn_file_actions_addclose(&fa, out[1]);
	for (i = 0; i < count; i++) {
		look(before, n, argv + 3);
		start(argv[0], &fa, out[0]);
		look(after, n, argv + 3);
		for (k = 0; k < n; k++)
			us[k][i] = after[k] - before[k];
	}
	for (k = 0; k < n; k++) {
		first = median(us[k], (size_t)of);
		printf("%.1f %.1f\n", first,
		    median(us[k] + count - of, (size_t)of));
	}
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		continue;
	close(in[1]);
	while (wait(&status) != -1 || errno == EINTR)
		failed |= status;
	return failed != 0;
}
