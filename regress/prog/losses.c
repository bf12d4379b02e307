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
 * Threads that record an event now and then, each with its number, so that what
 * is missing can be told: losses [-b] threads microseconds.  At SIGTERM, each
 * says how many there were.  With -b, one of 50 fits into no small sub-buffer.
 * Another thread records pairs meanwhile.
 */

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(lossy, e, UT_INFO, UT_U32(w), UT_U64(n), UT_STR(pad))
UT_EVENT(whole, begin, UT_INFO)
UT_EVENT(whole, end, UT_INFO)

#define MAXTHREADS	256

static char big[6000];
static int bigs;
static long us;
static unsigned long calls[MAXTHREADS];
static _Atomic int over;

static void
nap(long t)
{
	const struct timespec ts = { t / 1000000, t % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static void *
lossy(void *arg)
{
	unsigned long *n = arg;

	while (!over) {
		++*n;
		UT(lossy, e, (uint32_t)(n - calls), *n,
		    bigs && *n % 50 == 0 ? big : "0123456789");
		nap(us);
	}
	return NULL;
}

static void *
whole(void *arg)
{
	while (!over) {
		UT(whole, begin);
		nap(5000);
		UT(whole, end);
		nap(5000);
	}
	return arg;
}

int
main(int argc, char *argv[])
{
	pthread_t threads[MAXTHREADS], pairs;
	sigset_t set;
	int i, n;

	bigs = argc > 3 && strcmp(argv[1], "-b") == 0;
	argv += bigs;
	if (argc - bigs != 3 || (n = atoi(argv[1])) > MAXTHREADS)
		errx(1, "usage: losses [-b] threads us");
	us = atol(argv[2]);
	memset(big, 'b', sizeof(big) - 1);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
		errx(1, "pthread_sigmask");
	if (pthread_create(&pairs, NULL, whole, NULL) != 0)
		errx(1, "pthread_create");
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, lossy, &calls[i]) != 0)
			errx(1, "pthread_create");
	(void)sigwait(&set, &i);
	over = 1;
	for (i = 0; i < n; i++) {
		(void)pthread_join(threads[i], NULL);
		printf("calls %d %lu\n", i, calls[i]);
	}
	(void)pthread_join(pairs, NULL);
	return 0;
}
