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
 * Samples of allocations, if UT_MALLOC_BYTES is in the environment: one for so
 * many bytes on average, instead of each call.  Each byte has the same chance,
 * whatever block it is in: between two bytes that are taken lie gaps of
 * exponential distribution (a Poisson process, as in tcmalloc and heapprofd),
 * and a block is recorded if one of its bytes is taken.  The probability is
 * 1 - exp(-size / every), by which a reader divides.  A realloc frees one block
 * and allocates another.
 *
 * Which blocks were recorded stands in a table, so that their free(3) is
 * recorded, and no other.  Whoever frees a block has got its address from the
 * thread that allocated it, and so sees what that thread has done here before.
 *
 * No lock, and no memory but what is here.  What siglongjmp(3) leaves undone
 * costs one place in the table.
 */

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "alloc.h"
#include "ut.h"
#include "ut_code.h"

#undef UT_SECTION
#define UT_SECTION	__attribute__((section("ut_samples"), unused))
extern struct ut_event __start_ut_samples[]
    __attribute__((visibility("hidden")));
extern struct ut_event __stop_ut_samples[]
    __attribute__((visibility("hidden")));

struct ut_module sample_events = {
	UT_VERSION, (uint32_t)sizeof(struct ut_event), __start_ut_samples,
	__stop_ut_samples, NULL, 0
};

#undef UT_FROM
#define UT_FROM()	((void *)(uintptr_t)caller)

UT_EVENT(libc, malloc_sample, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr),
    UT_U32(every), UT_PTR(caller));
/* A stack here would tell little: see malloc.c. */
#undef UT_STACKS
#define UT_STACKS	UT_STACKLESS
UT_EVENT(libc, free_sample, UT_DEBUG_FUNCTION, UT_PTR(ptr), UT_PTR(caller));

#define EVERY_MOST	(1L << 30)	/* bytes */
#define BUSY		1		/* no block has this address */
#define SLOTS		16		/* blocks in a bucket */

static struct bucket {
	struct slot {
		uintptr_t	 address;	/* 0: free */
		size_t		 size;
	}	slots[SLOTS];
} buckets[SAMPLE_CELLS * SAMPLE_BUCKETS];

uint32_t sample_every;
uint8_t sample_cells[SAMPLE_CELLS];

static PER_THREAD uint64_t seed;	/* 0: the thread has no gap yet */

void
sample_begin(void)
{
	const char *s = getenv("UT_MALLOC_BYTES");
	const long n = s != NULL ? strtol(s, NULL, 10) : 0;

	if (n > 0 && n <= EVERY_MOST)
		sample_every = (uint32_t)n;
}

/* S. Vigna's splitmix64, of which we use one half. */
static uint32_t
draw(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) >> 32);
}

/*
 * Bytes up to the next one that is taken: J. von Neumann's way, which needs no
 * logarithm (Knuth, The Art of Computer Programming, 3.4.1, exercise 19).  The
 * time keeps children of fork(2) from going on with the same numbers.
 */
static uint64_t
gap(void)
{
	struct timespec now = { 0, 0 };
	uint32_t first, last, next;
	uint64_t whole;
	unsigned int n;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	seed = (seed + (uint64_t)now.tv_sec * 1000000007 +
	    (uint64_t)now.tv_nsec * 4099 + (uintptr_t)&seed) | 1;
	for (whole = 0;; whole++) {
		last = first = draw();
		for (n = 1; (next = draw()) < last; n++)
			last = next;
		if (n % 2 != 0)
			break;
	}
	return whole * sample_every + ((uint64_t)first * sample_every >> 32);
}

/* The thread has used up its gap, or has none yet: does that make a sample? */
bool
sample_due(void)
{
	if (sample_every == 0)
		alloc_call.left = UINT64_MAX;
	return sample_every != 0;
}

static bool
put(const void *ptr, size_t size)
{
	const size_t hash = sample_hash(ptr);
	struct slot *s = buckets[hash].slots, *end = s + SLOTS;
	uintptr_t address;

	for (; s < end; s++) {
		address = __atomic_load_n(&s->address, __ATOMIC_RELAXED);
		if (address == (uintptr_t)ptr) {	/* freed unseen */
			s->size = size;
			return true;
		}
	}
	for (s = buckets[hash].slots; s < end; s++) {
		address = 0;
		if (!__atomic_compare_exchange_n(&s->address, &address, BUSY,
		    false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		s->size = size;
		__atomic_store_n(&s->address, (uintptr_t)ptr,
		    __ATOMIC_RELEASE);
		__atomic_fetch_add(&sample_cells[hash / SAMPLE_BUCKETS], 1,
		    __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

static bool
take(const void *ptr, size_t *size)
{
	const size_t hash = sample_hash(ptr);
	struct slot *s = buckets[hash].slots, *end = s + SLOTS;
	uintptr_t address;

	for (; s < end; s++) {
		address = __atomic_load_n(&s->address, __ATOMIC_RELAXED);
		if (address != (uintptr_t)ptr)
			continue;
		*size = s->size;
		if (!__atomic_compare_exchange_n(&s->address, &address, 0,
		    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_sub(&sample_cells[hash / SAMPLE_BUCKETS], 1,
		    __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

static void
take_sample(const void *ptr, size_t size, const void *caller)
{
	if (!UT_ON(libc, malloc_sample))
		return;
	if (!put(ptr, size)) {
		sample_missed(1);
		return;
	}
	ut_code(caller);
	UT(libc, malloc_sample, size, ptr, sample_every, caller);
}

void
sample_missed(size_t n)
{
	ut_missed(&ut__libc__malloc_sample, n);
}

bool
sample_free(const void *ptr, size_t *size, const void *caller)
{
	const int saved = errno;

	if (ptr == NULL || !take(ptr, size))
		return false;
	if (UT_ON(libc, free_sample)) {
		ut_code(caller);
		UT(libc, free_sample, ptr, caller);
	}
	errno = saved;
	return true;
}

void
sample_kept(const void *ptr, size_t size, const void *caller)
{
	const int saved = errno;

	take_sample(ptr, size, caller);
	errno = saved;
}

/* Bytes that were not counted yet. */
static bool
counted(size_t size)
{
	if (size > alloc_call.left)
		return false;
	alloc_call.left -= size;
	return true;
}

void
sample_call(const struct call *c)
{
	size_t size = c->size;

	if (c->function == FREE) {
		(void)sample_free(c->ptr, &size, c->caller);
		return;
	}
	if (c->function == CALLOC || c->function == REALLOCARRAY)
		size *= c->count;
	if (c->ptr == NULL || counted(size))
		return;
	if (seed == 0) {
		alloc_call.left = gap();
		if (counted(size))
			return;
	}
	alloc_call.left = gap();
	take_sample(c->ptr, size, c->caller);
}
