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
 * A realloc frees its block only if it does not fail; when it is done, another
 * thread may have a block of that address, which is a sample of another turn.
 *
 * No lock, and no memory but what is here.  What siglongjmp(3) leaves undone
 * costs one place in the table.
 */

#include <errno.h>
#include <pthread.h>
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

#define EVERY_MOST	(1u << 30)	/* bytes */
#define SLOTS		16		/* blocks in a bucket */
#define TURN		((uintptr_t)7)	/* the bits of an aligned address */

/* Marks: an address, and which of eight turns it had that; 0: free. */
static uintptr_t buckets[SAMPLE_CELLS * SAMPLE_BUCKETS][SLOTS];

uint32_t sample_every;
uint8_t sample_cells[SAMPLE_CELLS];

static PER_THREAD uint64_t seed;	/* 0: the thread has no gap yet */

/* A child of fork(2) has gaps of its own. */
static void
forked(void)
{
	seed = 0;
	alloc_call.left = 0;
}

void
sample_begin(void)
{
	sample_every = (uint32_t)wrap_number("UT_MALLOC_BYTES", EVERY_MOST);
	if (sample_every != 0)
		(void)pthread_atfork(NULL, NULL, forked);
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
 * time keeps threads, and children of fork(2), from having the same numbers.
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

/* The place of the block; NULL: it is no sample. */
static uintptr_t *
place_of(const void *ptr, uintptr_t *mark)
{
	uintptr_t *const place = buckets[sample_hash(ptr)];
	size_t i;

	for (i = 0; i < SLOTS; i++) {
		*mark = __atomic_load_n(&place[i], __ATOMIC_RELAXED);
		if (*mark != 0 && (*mark & ~TURN) == (uintptr_t)ptr)
			return &place[i];
	}
	return NULL;
}

static bool
change(uintptr_t *place, uintptr_t from, uintptr_t to)
{
	return __atomic_compare_exchange_n(place, &from, to, false,
	    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void
count_in_cell(const void *ptr, int n)
{
	__atomic_fetch_add(&sample_cells[sample_hash(ptr) / SAMPLE_BUCKETS],
	    n, __ATOMIC_RELAXED);
}

/* A block that was freed unseen has its place still. */
static bool
put(const void *ptr)
{
	static uintptr_t turns;
	const uintptr_t to = (uintptr_t)ptr |
	    (__atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED) & TURN);
	uintptr_t *place, mark;
	size_t i;

	if (((uintptr_t)ptr & TURN) != 0)
		return false;
	if ((place = place_of(ptr, &mark)) != NULL && change(place, mark, to))
		return true;
	for (i = 0; i < SLOTS; i++)
		if (change(&buckets[sample_hash(ptr)][i], 0, to)) {
			count_in_cell(ptr, 1);
			return true;
		}
	return false;
}

uintptr_t
sample_mark(const void *ptr)
{
	uintptr_t mark;

	return ptr != NULL && place_of(ptr, &mark) != NULL ? mark : 0;
}

static void
take_sample(const void *ptr, size_t size, const void *caller)
{
	if (!UT_ON(libc, malloc_sample))
		return;
	if (!put(ptr)) {
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

void
sample_free(const void *ptr, uintptr_t mark, const void *caller)
{
	const int saved = errno;
	uintptr_t *place, now;

	if (ptr == NULL || (place = place_of(ptr, &now)) == NULL ||
	    (mark != 0 && mark != now) || !change(place, now, 0))
		return;
	count_in_cell(ptr, -1);
	if (UT_ON(libc, free_sample)) {
		ut_code(caller);
		UT(libc, free_sample, ptr, caller);
	}
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

/* The bytes of a call that fails are counted, and none of them is taken. */
void
sample_call(const struct call *c)
{
	size_t size = c->size;

	if (c->function == FREE) {
		sample_free(c->ptr, 0, c->caller);
		return;
	}
	if (c->function == CALLOC || c->function == REALLOCARRAY)
		size *= c->count;
	if (counted(size))
		return;
	if (seed == 0) {
		alloc_call.left = gap();
		if (counted(size))
			return;
	}
	alloc_call.left = gap();
	if (c->ptr != NULL)
		take_sample(c->ptr, size, c->caller);
}
