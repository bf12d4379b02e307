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
 * What is recorded for sums.sh, by record -w:
 *
 *	calls malloc N	N allocations; a thousand blocks are live
 *	calls pthread N	N times one of a hundred mutexes, in two threads
 */

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LIVE	1000
#define MUTEXES	100

static pthread_mutex_t mutexes[MUTEXES];
static long rounds;

static unsigned int
next(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(*x >> 40);
}

static void
allocate(void)
{
	static void *volatile live[LIVE];
	uint64_t x = 1;
	long i;
	unsigned int k;

	for (i = 0; i < rounds; i++) {
		k = next(&x) % LIVE;
		free(live[k]);
		live[k] = malloc(next(&x) % 4000);
	}
}

static void *
take(void *arg)
{
	uint64_t x = arg == NULL ? 1 : 2;
	long i;
	unsigned int k;

	for (i = 0; i < rounds / 2; i++) {
		k = next(&x) % MUTEXES;
		pthread_mutex_lock(&mutexes[k]);
		pthread_mutex_unlock(&mutexes[k]);
	}
	return NULL;
}

int
main(int argc, char *argv[])
{
	pthread_t t;
	int i;

	if (argc != 3 || (rounds = atol(argv[2])) <= 0)
		errx(1, "calls malloc | pthread number");
	if (strcmp(argv[1], "malloc") == 0) {
		allocate();
		return 0;
	}
	for (i = 0; i < MUTEXES; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	if ((errno = pthread_create(&t, NULL, take, mutexes)) != 0)
		err(1, "pthread_create");
	take(NULL);
	pthread_join(t, NULL);
	return 0;
}
