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
 * Sub-buffers that idle threads hold, when others need them.
 *
 * When writers wait for space, in block mode, all of this is done each HURRY_MS
 * instead, which still is far longer than a store can stay invisible.
 *
 * Once a second, while the region is awake (tick.c), when few are free: a
 * sub-buffer that got no more than a few events in that second has REVOKED set.
 * A second later it is taken back if its slot is not busy and all that was
 * committed is in the file.  If the thread traces meanwhile, it lets go by
 * itself, and goes on in a shared one.
 *
 * Shared ones are nobody's but for an event.  One that is parked, and has got
 * none for a second, is free again.
 *
 * That is safe without a word from the writer.  It stores busy before it
 * loads the state, so after the second, which is far longer than a store can
 * stay invisible, one of two holds.  Either its event began before REVOKED
 * was visible: then we see busy, or, after the event, another commit, and
 * leave it for the next time.  Or it began after: then it saw REVOKED and let
 * go without a store to the sub-buffer.  If it delivers meanwhile, its FULL
 * overtakes the word that the exchange below expects.
 *
 * Where nothing is drained (copy.c), no event since the mark takes the place
 * of all being in the file, and what is taken back becomes FULL.
 *
 * regress/spin/revoke.pml is this, for a model checker.
 */

#include <stdatomic.h>
#include <stdlib.h>

#include "region.h"

#define FEW	30		/* events in a second */

/* Are few free? */
static bool
scarce(const struct region *r)
{
	uint32_t i, n = 0;

	for (i = 0; i < r->nsubs; i++)
		n += UT_STATE(load(&r->subs[i].state)) == UT_FREE;
	return n <= r->nsubs / 4;
}

static bool
revoked(uint64_t word)
{
	return UT_STATE(word) == UT_OWNED && (word & UT_REVOKED);
}

/*
 * May some be taken back?  Only if all that they have is in the file, which may
 * be long before the end of the channel's interval.
 */
bool
region_needy(const struct region *r)
{
	uint32_t i;

	for (i = 0; i < r->nsubs; i++)
		if (revoked(load(&r->subs[i].state)))
			return true;
	return scarce(r);
}

static bool
drained(const struct region *r, uint32_t i)
{
	return load_acquire(&r->subs[i].commit) == r->consumed[i];
}

/*
 * Take back a sub-buffer that was marked REVOKED a second ago, if its thread
 * was idle since.
 */
static void
take_back(struct region *r, uint32_t i, uint64_t word, bool idle)
{
	uint32_t slot = UT_STATE_SLOT(word);

	if (slot >= r->nslots || load_acquire(&r->slots[slot].busy) != 0 ||
	    !(r->keeps ? idle : drained(r, i)) ||
	    (r->keeps && region_keep(r, i, word)) ||
	    !region_sub_take(r, i, word))
		return;
	region_advance(r, slot, load(&r->subs[i].seq));
	region_passed(r, slot, r->done_seq[slot]);
	region_sub_free(r, i);
}

/*
 * Free a parked sub-buffer.  No event was added since it was parked, or its
 * state word would be another; and all that it has is in the file.
 */
static bool
unpark(struct region *r, uint32_t i, uint64_t word)
{
	if (!drained(r, i))
		return false;
	if (region_sub_take(r, i, word))
		region_sub_free(r, i);
	return true;
}

/*
 * True unless all is as it was, and will be so the next time if no thread
 * traces.
 */
bool
region_revoke(struct region *r)
{
	const bool few = scarce(r);
	bool more = false;
	uint64_t word, commit, was;
	uint32_t i;

	if (ut_msg_now() - r->revoked < (r->hungry ? HURRY_MS : GRACE_MS))
		return true;	/* we were late, the clock was not */
	for (i = 0; i < r->nsubs; i++) {
		word = load_acquire(&r->subs[i].state);
		commit = load_acquire(&r->subs[i].commit);
		region_round(r, i);
		was = r->seen[i];
		r->seen[i] = commit;
		more |= was != commit || (!r->keeps &&
		    (UT_STATE(word) == UT_FULL ||
		    UT_STATE(word) == UT_READING));
		if (UT_STATE(word) == UT_PARKED && was == commit && !r->keeps)
			more |= unpark(r, i, word);
		if (UT_STATE(word) != UT_OWNED || word & UT_SHARED)
			continue;
		if (word & UT_REVOKED) {
			more = true;
			take_back(r, i, word, was == commit);
		} else if (few && was != 0 && UT_COMMIT_COUNT(commit) -
		    UT_COMMIT_COUNT(was) <= FEW) {
			more = true;
			(void)atomic_compare_exchange_strong_explicit(
			    &r->subs[i].state, &word, word | UT_REVOKED,
			    memory_order_relaxed, memory_order_relaxed);
		}
	}
	/* Now: we may have been stopped before the last mark was made. */
	r->revoked = ut_msg_now();
	return more;
}

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

	r->min_age = how == DRAIN_LAST ? INT32_MIN : 0;
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
	r->min_age = (int32_t)ages[some - 1];
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
	return !r->overwrites || age_of(r, i) >= r->min_age;
}

/* Is the sub-buffer, which was seen FULL or PARKED, so old that we take it? */
bool
oldest_full(const struct region *r, uint32_t i)
{
	return oldest_enough(r, i) || never_was(r, i);
}
