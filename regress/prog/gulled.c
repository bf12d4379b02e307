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
 * A program that goes on whatever utd may be: gulled fds.  It traces, forks a
 * child that does, and fails if it keeps more descriptors than that; without
 * the argument it prints how many it has.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(gulled, event, UT_INFO, UT_INT(n), UT_STR(s))

static void
trace(int ms)
{
	struct timespec ts = { 0, 20000 };
	int i;

	/* Enough for some sub-buffers. */
	for (i = 0; i < 500; i++)
		UT(gulled, event, i,
		    "words that take some room, a line of them");
	for (i = 0; i < ms * 10; i++) {
		UT(gulled, event, i, "");
		nanosleep(&ts, NULL);
	}
}

static int
count(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

/* What the library opens and closes meanwhile is soon closed. */
static void
look(int most, const char *when)
{
	struct timespec ts = { 0, 10000000 };
	int i, n;

	for (i = 0; (n = count()) > most; i++) {
		if (i == 300)
			errx(1, "%d descriptors %s", n, when);
		nanosleep(&ts, NULL);
	}
}

int
main(int argc, char *argv[])
{
	pid_t pid;
	int status, most;

	if (argc == 1) {
		printf("%d\n", count());
		return 0;
	}
	most = atoi(argv[1]);
	alarm(60);
	look(most, "at first");
	trace(3);
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		look(most, "in the child");
		trace(3);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "the child: status %#x", (unsigned int)status);
	look(most, "at last");
	return 0;
}
