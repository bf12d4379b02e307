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
 * The states of a sub-buffer in ut_abi(5): who may change them from which word
 * to which.
 */

#include "turns.h"

#define OF(w, s)	(UT_STATE(w) == (s))

/* The owner's, whatever the consumer has marked. */
static bool
is_of(uint64_t old, uint64_t v)
{
	return UT_STATE_GEN(old) == UT_STATE_GEN(v) && (OF(v, UT_FREE) ||
	    OF(v, UT_PARKED) || (v & UT_SHARED) != 0 ||
	    UT_STATE_SLOT(old) == UT_STATE_SLOT(v));
}

/* Is it the slot of the actor's program? */
static bool
is_ours(uint64_t w)
{
	const struct actor *a = &T->actors[T->current];

	return UT_STATE_SLOT(w) < NSLOTS &&
	    atomic_load(&T->memory->slots[UT_STATE_SLOT(w)].owner) ==
	    a->program + 1;
}

static bool
writer_swaps(uint64_t old, uint64_t v)
{
	const bool next = UT_STATE_GEN(v) == UT_STATE_GEN(old) + 1 &&
	    is_ours(v);

	if (OF(v, UT_TAKEN))
		return next && (OF(old, UT_FULL) || OF(old, UT_PARKED)) &&
		    T->mode != DISCARD && T->mode != BLOCK &&
		    ((old ^ v) & UT_SHARED) == 0;
	return next && OF(v, UT_OWNED) && (OF(old, UT_FREE) ||
	    (OF(old, UT_PARKED) && (v & UT_SHARED) != 0));
}

static bool
writer_stores(uint64_t old, uint64_t v)
{
	if (!is_ours(old) || !is_of(old, v))
		return false;
	if (OF(old, UT_TAKEN))
		return OF(v, UT_FREE);
	if (!OF(old, UT_OWNED) || ((old ^ v) & UT_SHARED &&
	    !OF(v, UT_FREE)))
		return false;
	return OF(v, UT_FULL) || (OF(v, UT_PARKED) && (v & UT_SHARED) != 0) ||
	    (OF(v, UT_FREE) && (old & UT_SHARED) == 0);
}

static bool
consumer_swaps(uint64_t old, uint64_t v)
{
	if (!is_of(old, v))
		return false;
	if (OF(v, UT_OWNED))
		return OF(old, UT_OWNED) && v == (old | UT_REVOKED);
	if (OF(v, UT_FULL))
		return OF(old, UT_OWNED) && T->mode == KEEP;
	return OF(v, UT_READING) && !OF(old, UT_FREE) && !OF(old, UT_TAKEN) &&
	    (!OF(old, UT_OWNED) || (old & UT_REVOKED) != 0);
}

/* The slot of a program that is dead. */
static bool
is_left(uint64_t old)
{
	const uint32_t slot = UT_STATE_SLOT(old);
	const uint64_t owner = slot < NSLOTS ?
	    atomic_load(&T->memory->slots[slot].owner) : 0;

	return owner >= 1 && owner <= NPROGRAMS && T->known[owner - 1];
}

static bool
consumer_stores(uint64_t old, uint64_t v)
{
	if (!is_of(old, v))
		return false;
	if (OF(old, UT_READING))
		return OF(v, UT_FREE) || OF(v, UT_FULL);
	return OF(v, UT_FREE) && (OF(old, UT_OWNED) || OF(old, UT_TAKEN)) &&
	    is_left(old);
}

/* Called before each change. */
void
rule_state(struct ut_subbuf *sub, uint64_t old, uint64_t v, bool swapped)
{
	const bool writer = T->current != CONSUMER;

	if (!(swapped ? writer ? writer_swaps(old, v) :
	    consumer_swaps(old, v) : writer ? writer_stores(old, v) :
	    consumer_stores(old, v)))
		wrong("states: sub-buffer %d goes from %llx to %llx",
		    (int)(sub - T->memory->subs), (unsigned long long)old,
		    (unsigned long long)v);
	T->dropped |= OF(v, UT_TAKEN);
	if (OF(v, UT_FREE) && (atomic_load(&sub->commit) != 0 ||
	    atomic_load(&sub->consumed) != 0 ||
	    atomic_load(&sub->writing) != 0 || atomic_load(&sub->seq) != 0))
		wrong("free is empty: sub-buffer %d",
		    (int)(sub - T->memory->subs));
}
