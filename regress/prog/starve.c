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
 * starve idle n: threads that trace once and then sleep, as many as there can
 * be up to n; prints how many.
 *
 * starve busy n: one thread with n events, a thousand in ten milliseconds.
 */

#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(starve, once, UT_INFO, UT_INT(n))
UT_EVENT(starve, busy, UT_INFO, UT_INT(n))

#define STACK	(256 * 1024)

static const struct timespec nap = { 0, 10000000 };
static _Atomic int traced;

static void *
once(void *arg)
{
	UT(starve, once, (int)(intptr_t)arg);
	traced++;
	while (pause() == -1)
		continue;
	return arg;
}

static void
idle(int n)
{
	pthread_attr_t attr;
	pthread_t t;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 0; i < n; i++)
		if (pthread_create(&t, &attr, once, (void *)(intptr_t)i) != 0)
			break;
	while (traced < i)
		nanosleep(&nap, NULL);
	printf("%d\n", i);
	fflush(stdout);
	for (;;)
		pause();
}

static void
busy(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		UT(starve, busy, i);
		if (i % 1000 == 0)
			nanosleep(&nap, NULL);
	}
}

int
main(int argc, char *argv[])
{
	if (argc == 3 && strcmp(argv[1], "idle") == 0)
		idle(atoi(argv[2]));
	else if (argc == 3 && strcmp(argv[1], "busy") == 0)
		busy(atoi(argv[2]));
	else
		errx(1, "starve idle|busy n");
	return 0;
}
