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
 * Events for filters: filters [-p] count [threads [usleep]].  Each thread, and
 * with -p a signal handler that interrupts it, records so many events of every
 * kind, whose fields follow from a number that counts up.  The handler's begin
 * at a million.
 */

#include <arpa/inet.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

#define NESTED	1000000

UT_ENUMERATION(weather,
    UT_VALUE("sun", 0),
    UT_VALUE("rain", 1),
    UT_VALUE("snow", 2),
    UT_RANGE("storm", 3, 5),
    UT_VALUE("rainbow", 7));

UT_EVENT(filters, plain, UT_INFO, UT_INT(n))
UT_EVENT(filters, none, UT_INFO)
UT_EVENT(filters, mixed, UT_DEBUG, UT_INT(n), UT_STR(path), UT_U64(big),
    UT_BYTES(bytes), UT_NET16(port), UT_I8(small), UT_F64(real), UT_F32(half),
    UT_TEXT(text, 6), UT_ENUM(weather, sky), UT_BOOL(flag),
    UT_SEQ(uint32_t, row), UT_X32(last))

static long count;
static struct timespec pause_for;

static void
record(int n)
{
	static const unsigned char bytes[7] = { 1, 2, 3, 4, 5, 6, 7 };
	static const uint32_t row[5] = { 1, 2, 3, 4, 5 };
	char path[32], text[8];

	snprintf(path, sizeof(path), "/%s/%d", n % 2 ? "api" : "static", n);
	snprintf(text, sizeof(text), "t%d", n % 1000);
	UT(filters, plain, n);
	UT(filters, mixed, n, path, UINT64_MAX - (uint64_t)n, bytes,
	    (size_t)(n % 8), htons((uint16_t)n), (int8_t)(n % 256 - 128),
	    n / 4.0, (float)(n / 2.0), text, n % 6, n % 3 == 0, row,
	    (size_t)(n % 6), (uint32_t)n);
}

static void
handler(int sig)
{
	static atomic_int last;
	const int error = errno, n = atomic_fetch_add(&last, 1);

	(void)sig;
	if (n < count)
		record(NESTED + n);
	errno = error;
}

static void *
run(void *arg)
{
	long i;

	(void)arg;
	for (i = 0; i < count; i++) {
		record((int)i);
		if (pause_for.tv_nsec != 0 || pause_for.tv_sec != 0)
			nanosleep(&pause_for, NULL);
	}
	return NULL;
}

static void
prof(void)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } };
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_RESTART;
	if (sigaction(SIGALRM, &sa, NULL) == -1 ||
	    setitimer(ITIMER_REAL, &often, NULL) == -1)
		err(1, "timer");
}

int
main(int argc, char *argv[])
{
	pthread_t *threads;
	long i, n = 1, us = 0;
	int c, nested = 0;

	while ((c = getopt(argc, argv, "p")) != -1) {
		if (c != 'p')
			return 1;
		nested = 1;
	}
	argc -= optind, argv += optind;
	if (argc < 1 || argc > 3)
		errx(1, "filters [-p] count [threads [usleep]]");
	count = atol(argv[0]);
	n = argc > 1 ? atol(argv[1]) : 1;
	us = argc > 2 ? atol(argv[2]) : 0;
	pause_for.tv_sec = us / 1000000;
	pause_for.tv_nsec = us % 1000000 * 1000;
	if ((threads = calloc((size_t)n, sizeof(*threads))) == NULL)
		err(1, "calloc");
	if (nested)
		prof();
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			errx(1, "pthread_create");
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
