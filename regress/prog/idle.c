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
 * Threads that trace twice in a row and then sleep hold every sub-buffer that
 * threads can have for themselves; a few seconds later the first thread has
 * much to tell.
 */

#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(idle, once, UT_INFO, UT_INT(n))
UT_EVENT(idle, busy, UT_INFO, UT_INT(n))

#define THREADS	40
#define EVENTS	5000		/* for half of the sub-buffers */

static void *
once(void *arg)
{
	UT(idle, once, (int)(intptr_t)arg);
	UT(idle, once, (int)(intptr_t)arg);
	while (pause() == -1)
		continue;
	return arg;
}

int
main(void)
{
	const struct timespec nap = { 0, 1000000 }, seconds = { 5, 0 };
	pthread_t t;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t, NULL, once, (void *)(intptr_t)i) != 0)
			errx(1, "pthread_create");
	nanosleep(&seconds, NULL);
	for (i = 0; i < EVENTS; i++) {
		UT(idle, busy, i);
		if (i % 100 == 0)
			nanosleep(&nap, NULL);
	}
	return 0;
}
