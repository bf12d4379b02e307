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
 * The bell, by itself: who rings it gets no low descriptor, may close what it
 * has, also all of a sudden and in several threads, and still rings; exec
 * keeps nothing of it.  Linked with libut/common/bell.c; see t/bell.sh.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"

#define MAXFD		1024
#define THREADS		8
#define RINGS		200

static struct ut_bell rung;

static int
lowest(void)
{
	int fd = dup(0);

	if (fd == -1)
		err(1, "dup");
	close(fd);
	return fd;
}

static int
count(void)
{
	int fd, n = 0;

	for (fd = 0; fd < MAXFD; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

static void
close_all(void)
{
	int fd;

	for (fd = 3; fd < MAXFD; fd++)
		close(fd);
}

static void *
ring(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < RINGS; i++)
		ut_bell_ring(&rung);
	return NULL;
}

/* Lose it, and ring it in many threads at once; one of them opens it. */
static void
ring_together(void)
{
	pthread_t threads[THREADS];
	int before, i, n;

	before = count();
	for (n = 0; n < 20; n++) {
		close_all();
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, ring, NULL) != 0)
				errx(1, "pthread_create");
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	if (count() > before)
		errx(1, "%d descriptors, %d before", count(), before);
}

/* What a program does; go is where it is told to. */
static void
program(int bell, const char *name, int go)
{
	int free_fd, before, fd;
	char c;

	if (bell != -1 && (bell = fcntl(bell, F_DUPFD, 600)) == -1)
		err(1, "F_DUPFD");
	free_fd = lowest();
	before = count() - (bell != -1);
	ut_bell_open(&rung, bell, name);
	if (rung.at == NULL)
		errx(1, "no bell");
	if (lowest() != free_fd)
		errx(1, "the lowest is %d, not %d", lowest(), free_fd);
	for (fd = 3; fd < MAXFD; fd++)
		if (fd != go && fcntl(fd, F_GETFD) != -1 &&
		    !(fcntl(fd, F_GETFD) & FD_CLOEXEC) && fd >= 400)
			errx(1, "exec keeps %d", fd);
	if (read(go, &c, 1) != 1)
		err(1, "read");
	ut_bell_ring(&rung);
	if (read(go, &c, 1) != 1)
		err(1, "read");
	close_all();
	ut_bell_ring(&rung);
	ring_together();
	ut_bell_close(&rung);
	close_all();
	if (count() > before)
		errx(1, "%d descriptors are left, not %d", count(), before);
	_exit(0);
}

static void
await(struct ut_bell *b, const char *what)
{
	alarm(20);		/* ends us */
	if (ut_bell_wait(b) == -1)
		err(1, "%s", what);
	alarm(0);
	printf("%s\n", what);
	fflush(stdout);
}

#define NAMES	5000

static int
by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The first two digits after the process. */
static int
step(const char *name)
{
	const char *s = strrchr(name, '-') + 1;

	return (int)((strchr(UT_SHM_DIGITS, s[0]) - UT_SHM_DIGITS) * 32 +
	    (strchr(UT_SHM_DIGITS, s[1]) - UT_SHM_DIGITS));
}

/*
 * A process does not soon give a name twice, however fast it does that, nor
 * one that others can take before.
 */
static void
names_differ(void)
{
	static char names[NAMES][UT_SHM_NAME];
	int i, same = 0;

	for (i = 0; i < NAMES; i++)
		ut_shm_name(names[i]);
	for (i = 2; i < NAMES; i++)
		same += ((step(names[i]) - 2 * step(names[i - 1]) +
		    step(names[i - 2]) + 1) & 1023) <= 2;
	if (same > NAMES / 10)
		errx(1, "%d of %d names can be told from those before", same,
		    NAMES);
	qsort(names, NAMES, sizeof(names[0]), by_name);
	for (i = 1; i < NAMES; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			errx(1, "%s twice", names[i]);
}

int
main(int argc, char *argv[])
{
	struct ut_bell bell;
	int go[2], status;
	char name[UT_SHM_NAME];
	pid_t pid;

	(void)argc;
	(void)argv;
	names_differ();
	do
		ut_shm_name(name);
	while (ut_bell_create(&bell, name) == -1 && errno == EEXIST);
	if (bell.at == NULL)
		err(1, "%s", name);
	if (pipe(go) == -1 || (pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0)
		program(bell.fd, bell.name, go[0]);
	ut_bell_ring(&bell);
	await(&bell, "its own");
	if (write(go[1], "x", 1) != 1)
		err(1, "write");
	await(&bell, "rung");
	if (write(go[1], "x", 1) != 1)
		err(1, "write");
	await(&bell, "rung after all was closed");
	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(1, "status %d", status);
	ut_bell_remove(bell.name);
	ut_bell_close(&bell);
	printf("done\n");
	return 0;
}
