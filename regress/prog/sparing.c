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
 * Threads that trace some events in a row, one thread after the other, and
 * when all have, at times that differ, some more, one in 4 ms:
 *
 *	sparing threads events [more events]
 *
 * Events are like seq's.
 */

#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define MAXTHREADS	256
#define LATER		1500		/* ms, for the first */
#define STEP		60		/* and so much more for each other */

static int events, more;
static sem_t done, all_done;

static void
tick(uint32_t writer, uint64_t n)
{
	UT(seq, tick, writer, n, "", (n * UINT64_C(0x9e3779b97f4a7c15)) ^
	    writer);
}

static void
nap(int ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static void *
run(void *arg)
{
	const int writer = (int)(intptr_t)arg;
	int n;

	for (n = 1; n <= events; n++)
		tick((uint32_t)writer, (uint64_t)n);
	sem_post(&done);
	while (sem_wait(&all_done) == -1)
		continue;
	if (more > 0)
		nap(LATER + STEP * writer);
	for (; n <= events + more; n++) {
		tick((uint32_t)writer, (uint64_t)n);
		nap(4);
	}
	return arg;
}

int
main(int argc, char *argv[])
{
	pthread_t t[MAXTHREADS];
	int i, threads;

	if (argc < 3 || (threads = atoi(argv[1])) > MAXTHREADS)
		errx(1, "sparing threads events [more events]");
	events = atoi(argv[2]);
	more = argc > 3 ? atoi(argv[3]) : 0;
	sem_init(&done, 0, 0);
	sem_init(&all_done, 0, 0);
	for (i = 0; i < threads; i++) {
		if (pthread_create(&t[i], NULL, run, (void *)(intptr_t)i) != 0)
			errx(1, "pthread_create");
		while (sem_wait(&done) == -1)
			continue;
	}
	for (i = 0; i < threads; i++)
		sem_post(&all_done);
	for (i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
