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
 * A known number of calls of each function that allocates: mallocs [threads].
 * Does not know of libut.
 */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define N	100

static void * volatile pieces[N];	/* so that no call is left out */
static void * volatile none;
static volatile size_t huge = SIZE_MAX - 65536;
/* A compiler may take it that malloc leaves errno alone, whatever it finds. */
static void *(* volatile allocate)(size_t) = malloc;

/* What is small needs to be aligned for what fits. */
static int
fill(int i, size_t size)
{
	size_t align = 16;

	while (align > size)
		align /= 2;
	if (pieces[i] == NULL || (uintptr_t)pieces[i] % align != 0)
		return 1;
	memset(pieces[i], i, size);
	return 0;
}

static int
rounds(void)
{
	void *p = NULL;
	int i, bad = 0;

	for (i = 0; i < N; i++) {
		pieces[i] = malloc((size_t)i + 1);
		bad |= fill(i, (size_t)i + 1);
	}
	for (i = 0; i < N; i++) {
		pieces[i] = realloc(pieces[i], (size_t)i * 100 + 1);
		bad |= fill(i, (size_t)i * 100 + 1);
	}
	for (i = 0; i < N; i++)
		free(pieces[i]);
	for (i = 0; i < N / 2; i++) {
		pieces[i] = calloc(3, (size_t)i + 1);
		bad |= ((char *)pieces[i])[3 * i + 2] != 0 ||
		    fill(i, 3 * ((size_t)i + 1));
		free(pieces[i]);
	}
	for (i = 0; i < N / 4; i++) {
		bad |= posix_memalign(&p, 256, 100) != 0;
		pieces[i] = p;
		bad |= (uintptr_t)pieces[i] % 256 != 0;
		free(pieces[i]);
		pieces[i] = aligned_alloc(4096, 8192);
		bad |= fill(i, 8192) || (uintptr_t)pieces[i] % 4096 != 0;
		free(pieces[i]);
	}
	for (i = 0; i < 7; i++)
		free(none);
	/* What fails, says why. */
	errno = 0;
	bad |= (pieces[0] = allocate(huge)) != NULL || errno != ENOMEM;
	errno = 4711;
	pieces[0] = allocate(1);
	free(pieces[0]);
	return bad || errno != 4711;
}

/* Only that nothing breaks: pieces of its own. */
static void *
run(void *arg)
{
	void * volatile p, * volatile q;
	int i;

	for (i = 0; i < 1000; i++) {
		p = malloc((size_t)i);
		q = calloc(1, (size_t)i + 1);
		p = realloc(p, (size_t)i * 2 + 1);
		free(p);
		free(q);
	}
	return arg;
}

int
main(int argc, char *argv[])
{
	pthread_t threads[8];
	int i, n = argc > 1 ? atoi(argv[1]) : 0;

	for (i = 0; i < n && i < 8; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			return 1;
	for (i = 0; i < n && i < 8; i++)
		pthread_join(threads[i], NULL);
	return rounds();
}
