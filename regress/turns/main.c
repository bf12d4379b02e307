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
 * turns [-v] [-f first] [-n runs] [-p processes] [-s seconds]: runs of the
 * seeds from first on.  A run that breaks a rule is told of by its seed, and ends its
 * process.
 */

#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "turns.h"

static struct turns turns;
struct turns *T;

/* A step from now on, or none. */
static unsigned int
sometime(unsigned int chance, unsigned int most)
{
	return random_below(100) < chance ? 1 + random_below(most) : 0;
}

static void
memory_reset(void)
{
	struct ut_header *h = &T->memory->header;

	memset(T->memory, 0, sizeof(*T->memory));
	h->nslots = 3 + random_below(NSLOTS - 2);
	h->nsubs = 2 + random_below(NSUBS_MAX - 1);
	h->subsize = SUBSIZE;
	h->mode = T->mode == KEEP || T->mode == OVERWRITE ?
	    UT_MODE_OVERWRITE : T->mode == BLOCK ? UT_MODE_BLOCK :
	    UT_MODE_DISCARD;
	h->timeout = T->mode == BLOCK ? 100 : 0;
	atomic_store(&h->bell, T->mode == KEEP ? UINT32_MAX : 1);
}

static void
actors_reset(void)
{
	static const unsigned int lengths[] = { 1, 4, 16, 64, 256 };
	struct actor *a;
	unsigned int i;

	T->turn_max = lengths[random_below(5)];
	T->stale = random_below(4) * 4;
	T->leap = random_below(4) == 0 ? 20 : random_below(3);
	T->signals = random_below(2) == 0 ? 40 : 400;
	for (i = 0; i < NACTORS; i++) {
		actor_set(i, i == CONSUMER ? consumer : writer,
		    i == CONSUMER ? NPROGRAMS : i == 0 ? 0 : 1);
		a = &T->actors[i];
		a->todo = random_below(10);
		a->handler = sometime(50, T->signals);
		a->death = sometime(i == CONSUMER ? 40 : 15,
		    i == CONSUMER ? 1500 : 400);
	}
	if (random_below(2) == 0)
		T->actors[NWRITERS - 1].todo = 0;
}

static void
run(uint64_t seed)
{
	struct memory *m = T->memory;
	struct actor actors[NACTORS];
	char *threads = T->threads;
	const bool verbose = T->verbose;

	memcpy(actors, T->actors, sizeof(actors));
	memset(T, 0, sizeof(*T));
	memcpy(T->actors, actors, sizeof(actors));
	T->memory = m;
	T->threads = threads;
	T->verbose = verbose;
	T->current = NACTORS;
	T->seed = seed;
	T->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	T->now = UINT64_C(1) << 40;
	T->mode = (enum mode)random_below(NMODES);
	T->jumps = random_below(3) == 0;
	T->filtered = random_below(4) == 0;
	product_reset();
	system_reset();
	files_reset();
	memory_reset();
	programs_reset();
	actors_reset();
	weak_reset();
	actors_run();
	T->current = NACTORS;
	check_end();
}

/* Every so manyeth of these, until the time is over. */
static uint64_t
runs(uint64_t first, uint64_t n, unsigned int each, long seconds)
{
	const time_t end = time(NULL) + seconds;
	uint64_t i;

	for (i = 0; i < n; i += each) {
		if (seconds != 0 && i / each % 1024 == 0 && time(NULL) >= end)
			break;
		run(first + i);
	}
	return i / each;
}

int
main(int argc, char **argv)
{
	uint64_t first = 1, n = UINT64_MAX;
	long seconds = 0;
	unsigned int processes = 1, i;
	int c, status = 0, bad = 0;

	T = &turns;
	while ((c = getopt(argc, argv, "f:n:p:s:v")) != -1) {
		switch (c) {
		case 'f':
			first = strtoull(optarg, NULL, 10);
			break;
		case 'n':
			n = strtoull(optarg, NULL, 10);
			break;
		case 'p':
			processes = (unsigned int)atoi(optarg);
			break;
		case 's':
			seconds = atol(optarg);
			break;
		case 'v':
			T->verbose = true;
			break;
		default:
			return 2;
		}
	}
	T->memory = aligned_alloc(4096, (sizeof(*T->memory) + 4095) / 4096 *
	    4096);
	for (i = 0; i < processes; i++)
		if (fork() == 0) {
			printf("%llu runs\n", (unsigned long long)runs(first +
			    i, n, processes, seconds));
			return 0;
		}
	while (wait(&status) != -1)
		bad |= status;
	return bad != 0;
}
