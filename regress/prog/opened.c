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
 * A program that knows nothing of libut: opened library.  It starts threads,
 * opens the library, which has events (-DLIBRARY), and all threads have some,
 * also those that were there before.
 */

#ifdef LIBRARY

#include "ut.h"

UT_EVENT(opened, call, UT_INFO, UT_INT(thread), UT_INT(n));

void	call(int, int);

void
call(int thread, int n)
{
	UT(opened, call, thread, n);
}

#else

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define THREADS	4
#define EVENTS	100

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void (*call)(int, int);

static void *
thread(void *arg)
{
	int n;

	pthread_mutex_lock(&mutex);		/* until it is opened */
	pthread_mutex_unlock(&mutex);
	for (n = 0; n < EVENTS; n++)
		call((int)(intptr_t)arg, n);
	return NULL;
}

int
main(int argc, char *argv[])
{
	pthread_t t[THREADS];
	void *library;
	intptr_t i;

	if (argc != 2)
		errx(1, "usage: opened library");
	pthread_mutex_lock(&mutex);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)i) != 0)
			errx(1, "no thread");
	if ((library = dlopen(argv[1], RTLD_NOW)) == NULL)
		errx(1, "%s", dlerror());
	*(void **)&call = dlsym(library, "call");
	if (call == NULL)
		errx(1, "%s", dlerror());
	pthread_mutex_unlock(&mutex);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

#endif
