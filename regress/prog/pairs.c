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
 * Events that begin and end, in two threads and two processes: nested, within
 * themselves, left without an end, ended without a beginning, functions by
 * their addresses, and requests that one thread begins and another one ends.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(work, outer_begin, UT_INFO, UT_INT(n), UT_STR(kind))
UT_EVENT(work, outer_end, UT_INFO)
UT_EVENT(work, inner_entry, UT_INFO)
UT_EVENT(work, inner_exit, UT_INFO)
UT_EVENT(work, alone_begin, UT_INFO)
UT_EVENT(call, entry, UT_INFO, UT_PTR(addr))
UT_EVENT(call, exit, UT_INFO, UT_PTR(addr))
UT_EVENT(req, start, UT_INFO, UT_U32(id), UT_STR(key))
UT_EVENT(req, done, UT_INFO, UT_U32(id), UT_STR(key))

#define FUNCTION(n)	((void *)(uintptr_t)(0x1000 + 0x10 * (n)))

static const char *const keys[] = { "a", "b", "c", "d" };

static void
call(int depth)
{
	UT(call, entry, FUNCTION(depth % 2));
	if (depth > 0)
		call(depth - 1);
	/* The innermost one of every other function is left without an exit. */
	if (depth != 0)
		UT(call, exit, FUNCTION(depth % 2));
}

static void
work(int n)
{
	int i;

	UT(work, outer_begin, n, keys[n % 2]);
	for (i = 0; i < 3; i++) {
		UT(work, inner_entry);
		if (i == 2) {
			UT(work, outer_begin, n, "nested");
			UT(work, outer_end);
		}
		UT(work, inner_exit);
	}
	UT(work, alone_begin);
	UT(work, outer_end);
}

static void *
thread(void *arg)
{
	int i;

	(void)arg;
	UT(work, outer_end);
	for (i = 0; i < 20; i++) {
		work(i);
		call(5);
	}
	UT(work, outer_begin, -1, "never ended");
	for (i = 0; i < 4; i++)
		UT(req, done, (uint32_t)i, keys[i]);
	UT(req, done, 99, "none");
	return NULL;
}

static void
all(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < 4; i++)
		UT(req, start, (uint32_t)i, keys[i]);
	UT(req, start, 50, "lost");
	if ((errno = pthread_create(&t, NULL, thread, NULL)) != 0)
		err(1, "pthread_create");
	for (i = 0; i < 20; i++)
		work(i);
	pthread_join(t, NULL);
}

/* pairs count: so often, as fast as it can. */
int
main(int argc, char *argv[])
{
	const int n = argc > 1 ? atoi(argv[1]) : 7;
	pid_t pid;
	int i;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		for (i = 0; i < n; i++)
			work(i);
		_exit(0);
	}
	all();
	if (waitpid(pid, NULL, 0) == -1)
		err(1, "waitpid");
	return 0;
}
