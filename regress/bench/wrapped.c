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
 * What the wrappers are measured with, by wrapped.sh:
 *
 *	wrapped malloc|pthread BURSTS N
 *
 * N times malloc(3) and free(3), or the lock and unlock of a mutex, in each
 * burst.  Prints the median of the bursts, in ns a time.
 */

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURSTS_MAX	1000

static void *volatile piece;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void
allocate(long n)
{
	while (n-- > 0) {
		piece = malloc(100);
		free(piece);
	}
}

static void
take(long n)
{
	while (n-- > 0) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static double
burst(void (*f)(long), long n)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	f(n);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 +
	    (double)(to.tv_nsec - from.tv_nsec)) / (double)n;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char *argv[])
{
	const struct timespec pause = { 0, 50000000 };
	static double ns[BURSTS_MAX];
	void (*f)(long);
	long n;
	int i, bursts;

	if (argc != 4 || (bursts = atoi(argv[2])) < 1 ||
	    bursts > BURSTS_MAX || (n = atol(argv[3])) < 1)
		errx(1, "usage: wrapped malloc|pthread bursts n");
	f = strcmp(argv[1], "malloc") == 0 ? allocate : take;
	for (i = 0; i < bursts; i++) {
		(void)nanosleep(&pause, NULL);	/* the buffers are emptied */
		ns[i] = burst(f, n);
	}
	qsort(ns, (size_t)bursts, sizeof(ns[0]), compare);
	printf("%.2f\n", ns[bursts / 2]);
	return 0;
}
