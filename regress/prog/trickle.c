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
 * Many threads that hardly trace:
 *
 *	trickle writer threads events ms
 *
 * starts them all at once; each traces as often as that, every ms
 * milliseconds.
 *
 *	trickle -r at-a-time writer threads
 *
 * starts one after the other, each for one event.
 *
 *	trickle -i writer programs
 *
 * forks as many, each for one event, and ends them when all have traced and
 * standard input is at its end.  Events look like seq's; with -DBENCH, load:one
 * of bench/load.h.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef BENCH
#include "load.h"
#define TICK(writer, n)	EV_ONE((int)n)
#define ON()		1
#else
#include <ut.h>

UT_EVENT(trickle, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))
#define TICK(writer, n)	UT(trickle, tick, writer, n, "",		\
	    (n * UINT64_C(0x9e3779b97f4a7c15)) ^ writer)
#define ON()		UT_ON(trickle, tick)
#endif

#define STACK	65536

static pthread_barrier_t begin;
static sem_t places;
static unsigned long first, nthreads, nevents, pause_ms;

static void
tick(unsigned long t, uint64_t n)
{
	const uint32_t writer = (uint32_t)(first * 1024 + t);

	(void)writer;
	TICK(writer, n);
}

/* What is before the session is known here is not asked about. */
static void
await(void)
{
	const struct timespec nap = { 0, 10000000 };
	int i;

	for (i = 0; i < 3000 && !ON(); i++)
		nanosleep(&nap, NULL);
}

static void *
run(void *arg)
{
	const unsigned long t = (unsigned long)(uintptr_t)arg;
	struct timespec ts;
	uint64_t n;

	ts.tv_sec = (time_t)(pause_ms / 1000);
	ts.tv_nsec = (long)(pause_ms % 1000) * 1000000;
	pthread_barrier_wait(&begin);
	for (n = 1; n <= nevents; n++) {
		tick(t, n);
		nanosleep(&ts, NULL);
	}
	return NULL;
}

static void *
once(void *arg)
{
	tick((unsigned long)(uintptr_t)arg, 1);
	sem_post(&places);
	return NULL;
}

static void
make(pthread_t *thread, void *(*fn)(void *), unsigned long t)
{
	pthread_attr_t attr;
	int error;

	if (pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstacksize(&attr, STACK) != 0)
		errx(1, "pthread_attr");
	error = pthread_create(thread, &attr, fn, (void *)(uintptr_t)t);
	if (error != 0)
		errx(1, "thread %lu: %s", t, strerror(error));
	pthread_attr_destroy(&attr);
}

static void
in_a_row(unsigned int at_a_time)
{
	unsigned long t;
	pthread_t thread;

	sem_init(&places, 0, at_a_time);
	for (t = 0; t < nthreads; t++) {
		while (sem_wait(&places) == -1)
			continue;
		make(&thread, once, t);
		pthread_detach(thread);
	}
	while (at_a_time-- > 0)
		while (sem_wait(&places) == -1)
			continue;
}

static void
programs(void)
{
	unsigned long t;
	char c;

	setpgid(0, 0);
	for (t = 0; t < nthreads; t++) {
		switch (fork()) {
		case -1:
			warn("fork");
			kill(0, SIGKILL);
			break;
		case 0:
			await();
			tick(t, 1);
			close(1);
			for (;;)
				pause();
		}
	}
	printf("%lu\n", nthreads);
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		continue;
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	while (wait(NULL) != -1)
		continue;
}

static void
threads(void)
{
	pthread_t *ids;
	unsigned long t;

	if ((ids = calloc(nthreads, sizeof(*ids))) == NULL)
		err(1, NULL);
	pthread_barrier_init(&begin, NULL, (unsigned int)nthreads);
	for (t = 0; t < nthreads; t++)
		make(&ids[t], run, t);
	for (t = 0; t < nthreads; t++)
		pthread_join(ids[t], NULL);
}

int
main(int argc, char *argv[])
{
	unsigned int at_a_time = 0;
	int c, idle = 0;

	while ((c = getopt(argc, argv, "r:i")) != -1) {
		if (c == 'r')
			at_a_time = (unsigned int)atoi(optarg);
		else if (c == 'i')
			idle = 1;
		else
			return 1;
	}
	argc -= optind;
	argv += optind;
	if (argc != (at_a_time > 0 || idle ? 2 : 4))
		errx(1, "trickle writer threads events ms");
	first = strtoul(argv[0], NULL, 10);
	nthreads = strtoul(argv[1], NULL, 10);
	if (argc == 4) {
		nevents = strtoul(argv[2], NULL, 10);
		pause_ms = strtoul(argv[3], NULL, 10);
	}
	await();
	if (at_a_time > 0)
		in_a_row(at_a_time);
	else if (idle)
		programs();
	else
		threads();
	return 0;
}
