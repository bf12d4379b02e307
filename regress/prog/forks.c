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
 * Every way to have a child: forks events.  Each process and thread is a
 * writer of seq:tick, for seqcheck, and says on stdout which pid it has.
 * With -c, a child that another program became: forks -c writer events.
 */

#include <sys/wait.h>

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

extern char **environ;

static uint64_t nevents;
static char *self;
static int out = STDOUT_FILENO;

/* The next events of a writer of this process. */
static void
tick(uint32_t writer, uint64_t *n, uint64_t times)
{
	while (times-- > 0) {
		++*n;
		UT(seq, tick, writer, *n, "", (*n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	}
}

static void
say(uint32_t writer)
{
	char line[64];
	int n;

	n = snprintf(line, sizeof(line), "%" PRIu32 " %ld\n", writer,
	    (long)getpid());
	if (write(out, line, (size_t)n) != n)
		err(1, "stdout");
}

static void
child(uint32_t writer)
{
	uint64_t n = 0;

	tick(writer, &n, nevents);
	say(writer);
}

static void
join(pid_t pid)
{
	int status;

	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		err(1, "child");
	if (status != 0)
		errx(1, "child: status %#x", (unsigned int)status);
}

static void
fork_one(uint32_t writer)
{
	pid_t pid = fork();

	if (pid == 0) {
		child(writer);
		_exit(0);
	}
	join(pid);
}

/* daemon(3) as it is written by hand. */
static void
fork_twice(uint32_t writer)
{
	int end[2];
	pid_t pid;
	char c;

	if (pipe(end) == -1 || (pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		setsid();
		if (fork() == 0) {
			child(writer);
			_exit(write(end[1], "", 1) != 1);
		}
		_exit(0);
	}
	join(pid);
	if (read(end[0], &c, 1) != 1)
		errx(1, "the daemon died");
}

/* daemon(3) itself, which is fork, setsid, and other descriptors 0 to 2. */
static void
fork_daemon(uint32_t writer)
{
	int end[2];
	pid_t pid;
	char c;

	if ((out = dup(STDOUT_FILENO)) == -1 || pipe(end) == -1 ||
	    (pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		if (daemon(0, 0) == -1)
			err(1, "daemon");
		child(writer);
		_exit(write(end[1], "", 1) != 1);
	}
	join(pid);
	if (read(end[0], &c, 1) != 1)
		errx(1, "the daemon died");
}

/* This process becomes another program. */
static void
exec_self(uint32_t writer)
{
	char w[16], n[24];
	char *argv[] = { self, "-c", w, n, NULL };

	snprintf(w, sizeof(w), "%" PRIu32, writer);
	snprintf(n, sizeof(n), "%" PRIu64, nevents);
	execv(self, argv);
	_exit(127);
}

static void
exec_one(uint32_t writer, int spawn)
{
	char w[16], n[24];
	char *argv[] = { self, "-c", w, n, NULL };
	pid_t pid;

	snprintf(w, sizeof(w), "%" PRIu32, writer);
	snprintf(n, sizeof(n), "%" PRIu64, nevents);
	if (spawn) {
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
			errx(1, "posix_spawn");
	} else if ((pid = vfork()) == 0) {
		execv(self, argv);
		_exit(127);
	}
	join(pid);
}

static volatile int forked;

/* Traces while others fork. */
static void *
beside(void *arg)
{
	const struct timespec nap = { 0, 10000 };
	uint64_t n = 0;

	while (!forked) {
		tick(1, &n, 10);
		nanosleep(&nap, NULL);
	}
	say(1);
	return arg;
}

static void *
in_thread(void *arg)
{
	uint64_t n = 0;

	tick(2, &n, 10);
	fork_one(3);
	tick(2, &n, 10);
	say(2);
	return arg;
}

int
main(int argc, char *argv[])
{
	pthread_t thread, other;
	uint64_t n = 0;

	if (argc == 4) {
		nevents = strtoull(argv[3], NULL, 10);
		child((uint32_t)atoi(argv[2]));
		return 0;
	}
	if (argc != 2)
		errx(1, "forks events");
	self = argv[0];
	nevents = strtoull(argv[1], NULL, 10);
	tick(0, &n, 100);
	if (pthread_create(&other, NULL, beside, NULL) != 0 ||
	    pthread_create(&thread, NULL, in_thread, NULL) != 0)
		errx(1, "pthread_create");
	pthread_join(thread, NULL);
	fork_one(4);
	tick(0, &n, 100);
	fork_twice(5);
	tick(0, &n, 100);
	exec_one(6, 0);
	tick(0, &n, 100);
	exec_one(7, 1);
	fork_daemon(8);
	tick(0, &n, 100);
	forked = 1;
	pthread_join(other, NULL);
	say(0);
	exec_self(9);
}
