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
 * Blocks for samples of allocations.  sampled exact: calls of each function,
 * with blocks that a sample for each byte never leaves out.  sampled many:
 * THREADS threads allocate blocks of very different sizes, of which the main
 * thread frees two of three, and the child of a fork does so again; each prints
 * its process ID, the bytes and blocks that are live, and those that it has
 * allocated.  sampled none: the same, but nothing is left.  sampled fails: small
 * blocks between calls that get none, and a large one that is to grow.  sampled
 * forks: 200 children that all do the same.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS	4
#define BLOCKS	60000			/* of a thread */

static struct thread {
	pthread_t	 thread;
	uint64_t	 random;
	struct block {
		void	*at;
		size_t	 size;
	}		 blocks[BLOCKS];
} threads[THREADS];

static void *volatile sink;

/* Sizes from 16 to 128k, each magnitude as often as the next. */
static size_t
size_next(struct thread *t)
{
	t->random = t->random * UINT64_C(6364136223846793005) +
	    UINT64_C(1442695040888963407);
	return 16 + (size_t)(t->random >> 40 &
	    ((UINT64_C(1) << (t->random >> 33 & 15)) * 4 - 1));
}

static void *
allocate(void *arg)
{
	struct thread *t = arg;
	struct block *b;

	for (b = t->blocks; b < t->blocks + BLOCKS; b++) {
		b->size = size_next(t);
		if ((b->at = malloc(b->size)) == NULL)
			err(1, "malloc");
	}
	return NULL;
}

static void
many(unsigned int keep)
{
	unsigned long long bytes = 0, blocks = 0, allocated = 0;
	struct thread *t;
	size_t i;

	for (t = threads; t < threads + THREADS; t++)
		if (pthread_create(&t->thread, NULL, allocate, t) != 0)
			errx(1, "pthread_create");
	for (t = threads; t < threads + THREADS; t++) {
		pthread_join(t->thread, NULL);
		for (i = 0; i < BLOCKS; i++) {
			allocated += t->blocks[i].size;
			if (keep != 0 && i % keep == 0) {
				bytes += t->blocks[i].size;
				blocks++;
			} else
				free(t->blocks[i].at);
		}
	}
	printf("%ld %llu %llu %llu\n", (long)getpid(), bytes, blocks,
	    allocated);
	fflush(stdout);
}

static void
exact(void)
{
	volatile size_t none = SIZE_MAX - 65536;
	void *p[8];
	size_t i;

	if ((p[0] = malloc(100)) == NULL || (p[1] = calloc(10, 20)) == NULL ||
	    (p[2] = realloc(NULL, 300)) == NULL ||
	    (p[2] = realloc(p[2], 100000)) == NULL ||
	    (p[3] = realloc(malloc(5000), 200)) == NULL ||
	    posix_memalign(&p[4], 64, 640) != 0 ||
	    (p[5] = aligned_alloc(64, 128)) == NULL)
		err(1, "malloc");
	if ((sink = realloc(p[3], none)) != NULL ||
	    (sink = malloc(none)) != NULL)
		errx(1, "there is no such memory");
	free(p[1]);
	free(p[5]);
	for (i = 0; i < 1000; i++) {
		sink = malloc(64 + i);
		if (i % 10 != 0)
			free(sink);
	}
}

static void
fails(void)
{
	volatile size_t none = SIZE_MAX - 65536, odd = 3;
	unsigned long long bytes = 1 << 20;
	void *large, *p;
	size_t i;

	if ((large = malloc(bytes)) == NULL)
		err(1, "malloc");
	for (i = 0; i < 200000; i++) {
		if (posix_memalign(&p, odd, 4096) == 0 ||
		    (i < 1000 && realloc(large, none) != NULL))
			errx(1, "a call that does not fail");
		if ((sink = malloc(64)) == NULL)
			err(1, "malloc");
		bytes += 64;
	}
	printf("%ld %llu %zu %llu\n", (long)getpid(), bytes, i + 1, bytes);
}

static void
forks(void)
{
	pid_t pid;
	int i, k;

	sink = malloc(10);
	for (i = 0; i < 200; i++) {
		if ((pid = fork()) == -1)
			err(1, "fork");
		if (pid == 0) {
			for (k = 0; k < 100; k++)
				sink = malloc(1000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

int
main(int argc, char **argv)
{
	static char buffer[BUFSIZ];
	const unsigned int keep = argc == 2 && strcmp(argv[1], "many") == 0 ?
	    3 : 0;
	size_t i;
	pid_t pid;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (argc == 2 && strcmp(argv[1], "exact") == 0) {
		exact();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "fails") == 0) {
		fails();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "forks") == 0) {
		forks();
		return 0;
	}
	for (i = 0; i < THREADS; i++)
		threads[i].random = i;
	many(keep);
	if ((pid = fork()) == -1)
		err(1, "fork");
	many(keep);
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return 0;
}
