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
 * Events of the allocator and of locks as libut-malloc.so and libut-pthread.so
 * record them, of calls that nobody makes.  Each line of the input is a thread,
 * 1 to 4, an event, and its fields in order:
 *
 *	1 malloc 100 0x1000 0xa1
 *
 * or "1 exec PROGRAM", which goes on with the input, or "1 say WORD".
 */

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

#define THREADS	4
#define FIELDS	5

UT_EVENT(calls, thread, UT_DEBUG_FUNCTION, UT_INT(n))
UT_EVENT(libc, malloc, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr),
    UT_PTR(caller))
UT_EVENT(libc, calloc, UT_DEBUG_FUNCTION, UT_SIZE(count), UT_SIZE(size),
    UT_PTR(ptr), UT_PTR(caller))
UT_EVENT(libc, realloc, UT_DEBUG_FUNCTION, UT_PTR(old), UT_SIZE(size),
    UT_PTR(ptr), UT_PTR(caller))
UT_EVENT(libc, reallocarray, UT_DEBUG_FUNCTION, UT_PTR(old), UT_SIZE(count),
    UT_SIZE(size), UT_PTR(ptr), UT_PTR(caller))
UT_EVENT(libc, free, UT_DEBUG_FUNCTION, UT_PTR(ptr), UT_PTR(caller))
UT_EVENT(libc, posix_memalign, UT_DEBUG_FUNCTION, UT_SIZE(alignment),
    UT_SIZE(size), UT_PTR(ptr), UT_INT(result), UT_PTR(caller))
UT_EVENT(libc, aligned_alloc, UT_DEBUG_FUNCTION, UT_SIZE(alignment),
    UT_SIZE(size), UT_PTR(ptr), UT_PTR(caller))
UT_EVENT(libc, memalign, UT_DEBUG_FUNCTION, UT_SIZE(alignment),
    UT_SIZE(size), UT_PTR(ptr), UT_PTR(caller))
/* As it was recorded before callers were. */
UT_EVENT(libc, valloc, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr))
#define LOCK_EVENT(name)						\
	UT_EVENT(pthread, name, UT_DEBUG_FUNCTION, UT_PTR(lock),	\
	    UT_PTR(caller))
#define LOCK_FAILED(name)						\
	UT_EVENT(pthread, name, UT_DEBUG_FUNCTION, UT_PTR(lock),	\
	    UT_INT(result), UT_PTR(caller))
LOCK_EVENT(mutex_request)
LOCK_EVENT(mutex_acquired)
LOCK_FAILED(mutex_failed)
LOCK_EVENT(mutex_release)
LOCK_EVENT(rdlock_request)
LOCK_EVENT(rdlock_acquired)
LOCK_FAILED(rdlock_failed)
LOCK_EVENT(wrlock_request)
LOCK_EVENT(wrlock_acquired)
LOCK_FAILED(wrlock_failed)
LOCK_EVENT(rwlock_release)
LOCK_FAILED(mutex_kept)
LOCK_FAILED(rwlock_kept)
UT_EVENT(pthread, cond_wait, UT_DEBUG_FUNCTION, UT_PTR(cond), UT_PTR(lock),
    UT_PTR(caller))
UT_EVENT(pthread, cond_woken, UT_DEBUG_FUNCTION, UT_PTR(cond), UT_PTR(lock),
    UT_INT(result), UT_PTR(caller))
UT_EVENT(pthread, cond_failed, UT_DEBUG_FUNCTION, UT_PTR(cond), UT_PTR(lock),
    UT_INT(result), UT_PTR(caller))
UT_EVENT(pthread, cond_signal, UT_DEBUG_FUNCTION, UT_PTR(cond),
    UT_PTR(caller))
UT_EVENT(pthread, cond_broadcast, UT_DEBUG_FUNCTION, UT_PTR(cond),
    UT_PTR(caller))

#define P(i)	((void *)(uintptr_t)v[i])
#define N(i)	((size_t)v[i])

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;		/* 0: main's; -1: all end */
static char line[256];

/* If the event has that name; else go on. */
#define CALL(provider, event, ...)					\
	if (strcmp(name, #event) == 0)					\
		UT(provider, event, __VA_ARGS__);			\
	else

static void
call(const char *name, const unsigned long *v)
{
	CALL(libc, malloc, N(0), P(1), P(2))
	CALL(libc, calloc, N(0), N(1), P(2), P(3))
	CALL(libc, realloc, P(0), N(1), P(2), P(3))
	CALL(libc, reallocarray, P(0), N(1), N(2), P(3), P(4))
	CALL(libc, free, P(0), P(1))
	CALL(libc, posix_memalign, N(0), N(1), P(2), (int)v[3], P(4))
	CALL(libc, aligned_alloc, N(0), N(1), P(2), P(3))
	CALL(libc, memalign, N(0), N(1), P(2), P(3))
	CALL(libc, valloc, N(0), P(1))
	CALL(pthread, mutex_request, P(0), P(1))
	CALL(pthread, mutex_acquired, P(0), P(1))
	CALL(pthread, mutex_failed, P(0), (int)v[1], P(2))
	CALL(pthread, mutex_release, P(0), P(1))
	CALL(pthread, rdlock_request, P(0), P(1))
	CALL(pthread, rdlock_acquired, P(0), P(1))
	CALL(pthread, rdlock_failed, P(0), (int)v[1], P(2))
	CALL(pthread, wrlock_request, P(0), P(1))
	CALL(pthread, wrlock_acquired, P(0), P(1))
	CALL(pthread, wrlock_failed, P(0), (int)v[1], P(2))
	CALL(pthread, rwlock_release, P(0), P(1))
	CALL(pthread, mutex_kept, P(0), (int)v[1], P(2))
	CALL(pthread, rwlock_kept, P(0), (int)v[1], P(2))
	CALL(pthread, cond_wait, P(0), P(1), P(2))
	CALL(pthread, cond_woken, P(0), P(1), (int)v[2], P(3))
	CALL(pthread, cond_failed, P(0), P(1), (int)v[2], P(3))
	CALL(pthread, cond_signal, P(0), P(1))
	CALL(pthread, cond_broadcast, P(0), P(1))
	errx(1, "%s: no such event", name);
}

static void
do_line(void)
{
	unsigned long v[FIELDS] = { 0 };
	char *name, *p;
	int i;

	(void)strtok(line, " ");		/* the thread */
	if ((name = strtok(NULL, " ")) == NULL)
		errx(1, "a line without an event");
	if (strcmp(name, "exec") == 0) {
		p = strtok(NULL, " ");
		execl(p, p, (char *)NULL);
		err(1, "%s", p);
	}
	if (strcmp(name, "say") == 0) {
		puts(strtok(NULL, " "));
		fflush(stdout);
		return;
	}
	for (i = 0; i < FIELDS && (p = strtok(NULL, " ")) != NULL; i++)
		v[i] = strtoul(p, NULL, 0);
	call(name, v);
}

static void
turn_to(int n)
{
	turn = n;
	pthread_cond_broadcast(&cond);
}

static void *
thread(void *arg)
{
	const int me = *(int *)arg;

	UT(calls, thread, me);
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (turn != me && turn != -1)
			pthread_cond_wait(&cond, &mutex);
		if (turn == -1)
			break;
		do_line();
		turn_to(0);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* A byte at a time: what comes after exec is the other program's. */
static int
next_line(void)
{
	size_t n = 0;
	ssize_t got;

	while ((got = read(0, line + n, 1)) == 1 && line[n] != '\n')
		if (++n == sizeof(line))
			errx(1, "a line is too long");
	line[n] = '\0';
	return got == 1;
}

int
main(void)
{
	static int ids[THREADS];
	pthread_t t[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		ids[i] = i + 1;
		errno = pthread_create(&t[i], NULL, thread, &ids[i]);
		if (errno != 0)
			err(1, "pthread_create");
	}
	while (next_line()) {
		i = atoi(line);
		if (i < 1 || i > THREADS)
			errx(1, "no thread: %s", line);
		pthread_mutex_lock(&mutex);
		turn_to(i);
		while (turn != 0)
			pthread_cond_wait(&cond, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	turn_to(-1);
	pthread_mutex_unlock(&mutex);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
