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
 * Low descriptors are the program's, whether a utd runs or not:
 *
 *	lowfds taken		opens a file and puts it at the next number
 *	lowfds close ms n	n children close all descriptors, one by one,
 *				and open their own, which must be 0, 1, 2, at
 *				once or after so many milliseconds
 */

#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(lowfds, number, UT_INFO, UT_INT(fd))

#define MOST	64		/* descriptors of a daemon of old */

static void
pause_for(long ms)
{
	struct timespec nap;

	nap.tv_sec = ms / 1000;
	nap.tv_nsec = ms % 1000 * 1000000;
	nanosleep(&nap, NULL);
}

static void
taken(void)
{
	int fd, first, second;

	for (fd = 3; fd < MOST; fd++)
		close(fd);
	pause_for(300);
	if ((first = open("/dev/null", O_RDONLY)) == -1)
		err(1, "/dev/null");
	second = dup2(first, first + 1);
	UT(lowfds, number, first);
	printf("%d %d\n", first, second);
}

static int
child(long ms)
{
	int fd, n;

	setsid();
	UT(lowfds, number, -1);
	for (fd = 0; fd < MOST; fd++)
		close(fd);
	if (ms > 0)
		pause_for(ms);
	for (n = 0; n < 3; n++)
		if ((n == 0 ? open("/dev/null", O_RDWR) : dup(0)) != n)
			return 1;
	return 0;
}

static void
close_all(long ms, int n)
{
	int i, status, wrong = 0;
	pid_t pid;

	for (i = 0; i < n; i++) {
		if ((pid = fork()) == -1)
			err(1, "fork");
		if (pid == 0)
			_exit(child(ms));
		if (waitpid(pid, &status, 0) == -1)
			err(1, "waitpid");
		wrong += status != 0;
	}
	printf("%d of %d are wrong\n", wrong, n);
}

int
main(int argc, char *argv[])
{
	if (argc == 2 && strcmp(argv[1], "taken") == 0)
		taken();
	else if (argc == 4 && strcmp(argv[1], "close") == 0)
		close_all(strtol(argv[2], NULL, 10), atoi(argv[3]));
	else
		errx(1, "lowfds taken | close ms n");
	return 0;
}
