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
 * Many programs at once, each with an event or two and an end right behind:
 *
 *	crowd [-g] first count at-once
 *
 * runs as many of itself, that many at a time, numbered from the first.  They
 * return, or _exit(2), or are killed the moment the call has returned.  With
 * -g they stand at a gate in main, all of them, and then go through it
 * together.  Prints how many events there must be, and the milliseconds that
 * it took the slowest from its birth to main.
 */

#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(crowd, event, UT_INFO, UT_INT(number), UT_INT(n))

#define READY	3		/* where a child says that it is in main */
#define GATE	4

extern char **environ;

static int gated;
static unsigned int slowest;

static int64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
child(int number, int64_t born)
{
	uint32_t ms = (uint32_t)(now() - born);
	char c;

	if (write(READY, &ms, sizeof(ms)) != sizeof(ms))
		err(1, "write");
	if (read(GATE, &c, 1) != 0)
		err(1, "gate");
	UT(crowd, event, number, 1);
	if (number % 2 != 0)
		UT(crowd, event, number, 2);
	if (number % 3 == 1)
		_exit(0);
	if (number % 3 == 2)
		kill(getpid(), SIGKILL);
	return 0;
}

/* False when there can be no more processes for now. */
static int
spawn(char *name, int number)
{
	char arg[2][32];
	char *argv[] = { name, arg[0], arg[1], NULL };
	pid_t pid;
	int error;

	snprintf(arg[0], sizeof(arg[0]), "%d", number);
	snprintf(arg[1], sizeof(arg[1]), "%lld", (long long)now());
	if ((error = posix_spawn(&pid, name, NULL, NULL, argv,
	    environ)) == 0)
		return 1;
	if (error != EAGAIN && error != ENOMEM)
		errx(1, "%s: %s", name, strerror(error));
	return 0;
}

static void
reap(void)
{
	int status;

	while (wait(&status) == -1)
		if (errno != EINTR)
			err(1, "wait");
	if (status != 0 && !(WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGKILL))
		errx(1, "a child's status is %#x", (unsigned int)status);
}

/* So many more are in main. */
static void
await(int ready, int n)
{
	struct pollfd pfd = { ready, POLLIN, 0 };
	uint32_t ms;

	while (n-- > 0) {
		if (poll(&pfd, 1, 60000) != 1 ||
		    read(ready, &ms, sizeof(ms)) != sizeof(ms))
			errx(1, "%d are not in main", n + 1);
		if (ms > slowest)
			slowest = ms;
	}
}

/* Out of the way, and not for children. */
static int
high(int fd)
{
	int h;

	if ((h = fcntl(fd, F_DUPFD, 20)) == -1 ||
	    fcntl(h, F_SETFD, FD_CLOEXEC) == -1)
		err(1, "fcntl");
	close(fd);
	return h;
}

/* One after the other as each ends, or all behind one gate. */
static int
run(char *name, int first, int count, int at_once)
{
	int ready[2], gate[2], n, awaited = 0, running = 0;

	if (pipe(ready) == -1 || pipe(gate) == -1)
		err(1, "pipe");
	for (n = 0; n < 2; n++) {
		ready[n] = high(ready[n]);
		gate[n] = high(gate[n]);
	}
	if (dup2(ready[1], READY) == -1 || dup2(gate[0], GATE) == -1)
		err(1, "dup2");
	close(ready[1]);
	close(gate[0]);
	if (!gated)
		close(gate[1]);
	for (n = 0; n < count; n++) {
		if (running == at_once) {
			if (gated)
				break;
			reap();
			running--;
		}
		if (!spawn(name, first + n)) {
			if (gated || running == 0)
				break;
			reap();
			running--;
			n--;
			continue;
		}
		running++;
		if (!gated && n - awaited >= 1000) {
			await(ready[0], 500);
			awaited += 500;
		}
	}
	await(ready[0], n - awaited);
	close(READY);
	close(GATE);
	close(ready[0]);
	if (gated)
		close(gate[1]);
	while (running-- > 0)
		reap();
	return n;
}

int
main(int argc, char *argv[])
{
	int first, count, at_once, n, i, events = 0;

	if (argc == 3)
		return child(atoi(argv[1]), strtoll(argv[2], NULL, 10));
	if (argc == 5 && strcmp(argv[1], "-g") == 0) {
		gated = 1;
		argv[1] = argv[0];
		argc--;
		argv++;
	}
	if (argc != 4)
		errx(1, "crowd [-g] first count at-once");
	first = atoi(argv[1]);
	count = atoi(argv[2]);
	at_once = atoi(argv[3]);
	for (i = 0; i < count; i += n) {
		n = run(argv[0], first + i, count - i, at_once);
		if (n == 0)
			errx(1, "no process");
	}
	for (i = first; i < first + count; i++)
		events += 1 + i % 2;
	printf("%d %u\n", events, slowest);
	return 0;
}
