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
 * Regions of a session that keeps what it records: utctl create -S.  They are
 * in overwrite mode, and no pass takes anything out of them until they are
 * closed.  So no writer rings, but one that wakes a region which dozes.
 *
 * What is OWNED cannot be dropped.  If its thread is dead or idle, it becomes
 * FULL here, and stays until its turn comes.  It is as old as when it was
 * claimed: `order' is left alone.
 *
 * Programs that are dead are forgotten, but their names are wanted as long as
 * anything of theirs is there, even by another consumer.  So they are written
 * behind the sub-buffers, where no program looks.  They are as little to be
 * trusted as all the rest, and used only in a copy.
 */

#include <stdatomic.h>
#include <string.h>

#include "consumer.h"
#include "region.h"

/* How many events it holds. */
uint64_t
region_kept(const struct region *r)
{
	uint64_t word, commit, consumed, sum = 0;
	uint32_t i;

	for (i = 0; r->keeps && i < r->nsubs; i++) {
		word = load_acquire(&r->subs[i].state);
		commit = load(&r->subs[i].commit);
		consumed = load(&r->subs[i].consumed);
		if (UT_STATE(word) != UT_FREE && UT_STATE(word) != UT_TAKEN &&
		    commit_valid(r, commit, consumed))
			sum += UT_COMMIT_COUNT(commit) -
			    UT_COMMIT_COUNT(consumed);
	}
	return sum;
}

/*
 * Deliver what is OWNED, by that word, in the place of its thread, which is
 * dead or idle: see revoke.c.  False if it has no event, or another word by
 * now.
 */
bool
region_keep(struct region *r, uint32_t i, uint64_t word)
{
	if (load(&r->subs[i].commit) == 0 ||
	    !atomic_compare_exchange_strong_explicit(&r->subs[i].state, &word,
	    UT_STATE_WORD(UT_STATE_GEN(word), UT_STATE_SLOT(word),
	    UT_FULL | (word & UT_SHARED)), memory_order_acq_rel,
	    memory_order_relaxed))
		return false;
	atomic_fetch_add_explicit(&r->header->delivered, 1,
	    memory_order_release);
	return true;
}

/* Note the names of the dead with what they have recorded. */
void
region_name_dead(struct region *r)
{
	const struct program *p;
	struct grave *g;
	uint32_t i;

	for (i = 0; r->keeps && i < r->nsubs; i++) {
		p = program_find(load(&r->subs[i].owner));
		g = &r->graves[i];
		if (p == NULL || !p->dead || g->number == p->number)
			continue;
		g->number = 0;
		g->pid = p->pid;
		memcpy(g->name, p->name, sizeof(g->name));
		g->number = p->number;
	}
}

/* In a copy: the dead program that has written that sub-buffer, or NULL. */
const struct grave *
region_grave(const struct region *r, uint32_t i)
{
	const uint64_t owner = load(&r->subs[i].owner);

	return r->copy && r->keeps && owner != 0 &&
	    r->graves[i].number == owner ? &r->graves[i] : NULL;
}
