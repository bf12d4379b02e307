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
 * Which sub-buffers a pass takes in overwrite mode.
 *
 * A sub-buffer that is being read cannot be dropped, so a pass takes some of
 * those that are full, the oldest, and leaves the rest to writers.
 *
 * What it takes must be in order: no sub-buffer of a slot before one that the
 * slot claimed earlier, for there is no way to tell those that were dropped,
 * and never come, from those that come yet.  `order' is a count of deliveries
 * that its writer knew of when it delivered the sub-buffer, or, of one that is
 * OWNED, claimed it.  A pass takes those up to a number that it has itself seen
 * before it looks at the first.  The slot had delivered all earlier ones by
 * then: each of these deliveries has raised the count, with release order,
 * before the writer loaded it.  So the pass finds them FULL, or they are gone.
 */

#include <stdatomic.h>
#include <stdlib.h>

#include "region.h"

/* How long ago, in deliveries; negative if that was after we looked. */
static int32_t
age_of(const struct region *r, uint32_t i)
{
	return (int32_t)(r->taken - load(&r->subs[i].order));
}

static int
by_age(const void *va, const void *vb)
{
	const uint32_t *a = va, *b = vb;

	return *a < *b ? 1 : *a > *b ? -1 : 0;
}

static bool
takes(uint64_t word, int how)
{
	return UT_STATE(word) == UT_FULL ||
	    (UT_STATE(word) == UT_PARKED && how == DRAIN_ALL);
}

/*
 * Find out up to which number this pass takes what is full: all if the region
 * is not in overwrite mode, or is stopped, or a program is dead, which is known
 * by its name only until it is buried.  True if the pass leaves some.
 */
bool
oldest_find(struct region *r, int how)
{
	static uint32_t *ages;
	static uint32_t max;
	uint32_t i, n = 0, some = r->nsubs / 4;

	r->upto = how == DRAIN_LAST ? INT32_MIN : 0;
	if (!r->overwrites || how == DRAIN_LAST || how == DRAIN_DEAD)
		return false;
	if (max < r->nsubs)
		ages = xrealloc(ages, (max = r->nsubs) * sizeof(*ages));
	for (i = 0; i < r->nsubs; i++)
		if (takes(load_acquire(&r->subs[i].state), how) &&
		    age_of(r, i) >= 0)
			ages[n++] = (uint32_t)age_of(r, i);
	if (some == 0)
		some = 1;
	if (n <= some)
		return false;
	qsort(ages, n, sizeof(*ages), by_age);
	r->upto = (int32_t)ages[some - 1];
	return true;
}

/*
 * Is that order nonsense?  Who saw the sub-buffer FULL or PARKED by an acquire
 * load sees every delivery that its writer knew of.  Whatever has another order
 * would wait for deliveries that may never come.
 */
static bool
never_was(const struct region *r, uint32_t i)
{
	const uint32_t order = load(&r->subs[i].order);

	return (int32_t)(load(&r->header->delivered) - order) < 0;
}

/* Is it so old that this pass takes what it has? */
bool
oldest_enough(const struct region *r, uint32_t i)
{
	return !r->overwrites || age_of(r, i) >= r->upto;
}

/* Is the sub-buffer, which was seen FULL or PARKED, so old that we take it? */
bool
oldest_full(const struct region *r, uint32_t i)
{
	return oldest_enough(r, i) || never_was(r, i);
}
