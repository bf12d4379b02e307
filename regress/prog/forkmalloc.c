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
 * forkmalloc children: so many, one after the other, each of which traces,
 * while other threads of the parent do nothing but get and free memory.
 */

#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(forkmalloc, child, UT_INFO, UT_INT(n))

#define THREADS	3
#define PIECES	50

static atomic_int begun;

static void
some(void)
{
	void *p[PIECES];
	size_t i;

	for (i = 0; i < PIECES; i++)
		p[i] = malloc(100 + i * 37);
	for (i = 0; i < PIECES; i++)
		free(p[i]);
}

static void *
loop(void *arg)
{
	some();
	begun++;
	for (;;)
		some();
	return arg;
}

int
main(int argc, char *argv[])
{
	pthread_t thread;
	int i, children, status;
	pid_t pid;

	children = argc > 1 ? atoi(argv[1]) : 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, loop, NULL) != 0)
			errx(1, "pthread_create");
	/* The first piece of a thread takes a lock more, which stays taken. */
	while (begun < THREADS)
		sched_yield();
	for (i = 0; i < children; i++) {
		alarm(60);
		if ((pid = fork()) == -1)
			err(1, "fork");
		if (pid == 0) {
			alarm(30);
			UT(forkmalloc, child, i);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			errx(1, "child %d: status %#x", i,
			    (unsigned int)status);
	}
	return 0;
}
