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
 * Many threads that trace rarely, so that they share sub-buffers:
 *
 *	dropped threads rounds length
 *
 * Each begins and ends something that often, with a number of its own and a
 * text of that length.  After a quarter, when all have begun something, it
 * prints how many events there are, and goes on when it gets a line.
 */

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ut.h>

UT_EVENT(dropped, work_begin, UT_INFO, UT_U32(n), UT_STR(text))
UT_EVENT(dropped, work_end, UT_INFO, UT_U32(n), UT_STR(text))

#define THREADS_MAX	1024
#define TEXT_MAX	4000

static int rounds;
static char text[TEXT_MAX + 1];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, opened;

static void
doze(void)
{
	const struct timespec ts = { 0, 40000000 };

	nanosleep(&ts, NULL);
}

static void
gate(void)
{
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_cond_broadcast(&changed);
	while (!opened)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *
thread(void *arg)
{
	const uint32_t base = (uint32_t)(uintptr_t)arg * 100000;
	int i;

	for (i = 0; i < rounds; i++) {
		doze();
		UT(dropped, work_begin, base + (uint32_t)i, text);
		if (i == rounds / 4)
			gate();
		/* One in eight lasts, so that others end within. */
		if (i % 8 == 0)
			doze();
		doze();
		UT(dropped, work_end, base + (uint32_t)i, text);
	}
	return NULL;
}

int
main(int argc, char *argv[])
{
	pthread_t t[THREADS_MAX];
	int i, n, len;

	if (argc != 4 || (n = atoi(argv[1])) < 1 || n > THREADS_MAX ||
	    (len = atoi(argv[3])) < 0 || len > TEXT_MAX)
		errx(1, "usage: dropped threads rounds length");
	rounds = atoi(argv[2]);
	memset(text, 'x', (size_t)len);
	for (i = 0; i < n; i++)
		if ((errno = pthread_create(&t[i], NULL, thread,
		    (void *)(uintptr_t)i)) != 0)
			err(1, "pthread_create");
	pthread_mutex_lock(&lock);
	while (waiting < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	printf("%d events\n", n * (rounds / 4 * 2 + 1));
	fflush(stdout);
	(void)getchar();
	pthread_mutex_lock(&lock);
	opened = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
