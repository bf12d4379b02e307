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
 * A copy of what a region holds, which is ours alone, for a snapshot.
 *
 * Nobody waits: no sub-buffer is taken or pinned.  So, in overwrite mode, a
 * sub-buffer may be dropped while it is copied.  Its `round' tells: see
 * libut/overwrite.c.  A copy counts if the round is the same before and after,
 * and, unless the sub-buffer is shared, if the claim is the same, too.
 *
 * A sub-buffer that was claimed after we began is left out.  With it, the trace
 * would have gaps where sub-buffers were dropped that we had not reached yet.
 */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "consumer.h"
#include "region.h"

#define TRIES	4		/* to copy one that changes meanwhile */

/* The labels of a sub-buffer; what is committed was loaded before. */
static void
copy_labels(struct ut_subbuf *to, const struct ut_subbuf *from)
{
	size_t i;

	store(&to->first, load(&from->first));
	store(&to->last, load(&from->last));
	store(&to->owner, load(&from->owner));
	store(&to->seq, load(&from->seq));
	store(&to->lost, load(&from->lost));
	store(&to->gone_last, load(&from->gone_last));
	store(&to->tid, load(&from->tid));
	for (i = 0; i < UT_THREAD_NAME / 8; i++)
		store(&to->thread[i], load(&from->thread[i]));
}

/* Is it still of the round and, unless it is shared, of the claim of then? */
static bool
sub_is_same(const struct ut_subbuf *sub, uint32_t round, uint64_t word)
{
	atomic_thread_fence(memory_order_acquire);
	return load(&sub->round) == round && ((word & UT_SHARED) != 0 ||
	    UT_STATE_GEN(load(&sub->state)) == UT_STATE_GEN(word));
}

/* False if it changed meanwhile. */
static bool
copy_sub(const struct region *r, struct region *c, uint32_t i, uint64_t now)
{
	const struct ut_subbuf *from = &r->subs[i];
	struct ut_subbuf *to = &c->subs[i];
	const uint32_t round = load_acquire(&from->round);
	const uint64_t word = load_acquire(&from->state);
	const uint64_t commit = load_acquire(&from->commit);
	const uint64_t had = r->round[i] == round ? r->consumed[i] : 0;

	if (UT_STATE(word) == UT_FREE || UT_STATE(word) == UT_TAKEN ||
	    commit == had)
		return sub_is_same(from, round, word);
	if (!commit_valid(r, commit, had) || (!(word & UT_SHARED) &&
	    UT_STATE_SLOT(word) >= r->nslots))
		return false;
	copy_labels(to, from);
	memcpy(c->data + (size_t)i * c->subsize + UT_COMMIT_LEN(had),
	    region_data(r, i, UT_COMMIT_LEN(had)),
	    UT_COMMIT_LEN(commit) - UT_COMMIT_LEN(had));
	if (c->keeps)
		c->graves[i] = r->graves[i];
	if (!sub_is_same(from, round, word))
		return false;
	if (had == 0 && load(&to->first) > now)
		return true;
	if (c->keeps)
		c->graves[i].name[PROGRAM_NAME - 1] = '\0';
	c->consumed[i] = had;
	c->until[i] = r->until[i];
	store(&to->consumed, had);
	store(&to->commit, commit);
	store(&to->state, UT_STATE_WORD(UT_STATE_GEN(word),
	    UT_STATE_SLOT(word), UT_FULL | (word & UT_SHARED)));
	return true;
}

/*
 * Events before a slot's first sub-buffer are no gap, and were not lost here:
 * only what was lost since is told.
 */
static void
copy_slots(struct region *r, struct region *c)
{
	const uint32_t n = region_slots_used(r);
	uint64_t lost;
	uint32_t i;

	store(&c->header->slots_used, n);
	c->nlooked = n;
	for (i = 0; i < n; i++) {
		lost = region_count(r, &r->losses[i].lost,
		    load(&r->slots[i].lost));
		store(&c->slots[i].lost, lost);
		c->losses[i].lost = c->losses[i].telling = lost;
		c->done_seq[i] = UINT64_MAX;
	}
}

static void
copy_begins(struct region *c)
{
	const struct ut_subbuf *sub;
	uint32_t i, slot;

	for (i = 0; i < c->nsubs; i++) {
		sub = &c->subs[i];
		slot = UT_STATE_SLOT(load(&sub->state));
		if (UT_STATE(load(&sub->state)) != UT_FULL ||
		    (load(&sub->state) & UT_SHARED) != 0 ||
		    load(&sub->seq) - 1 >= c->done_seq[slot])
			continue;
		c->done_seq[slot] = load(&sub->seq) - 1;
		if (load(&sub->lost) <= load(&c->slots[slot].lost))
			c->losses[slot].telling = load(&sub->lost);
	}
}

/* When the first of what was copied was; UINT64_MAX: there is none. */
static uint64_t
copy_first(const struct region *c)
{
	uint64_t first = UINT64_MAX, t;
	uint32_t i;

	for (i = 0; i < c->nsubs; i++) {
		if (UT_STATE(load(&c->subs[i].state)) != UT_FULL)
			continue;
		t = c->until[i] != 0 ? c->until[i] : load(&c->subs[i].first);
		first = t < first ? t : first;
	}
	return first;
}

/*
 * A sub-buffer and its age: the deliveries since its own.  0 if it is not
 * delivered yet, negative if it was delivered while we look.
 */
struct age {
	uint32_t	 sub;
	int32_t		 age;
};

static int
age_cmp(const void *a, const void *b)
{
	const struct age *x = a, *y = b;

	return x->age < y->age ? -1 : x->age > y->age;
}

/*
 * The newest first: what programs overwrite meanwhile is the oldest then, and
 * what they have left has no gaps.
 */
static struct age *
newest_first(const struct region *r)
{
	const uint32_t delivered = load(&r->header->delivered);
	struct age *ages = calloc(r->nsubs, sizeof(*ages));
	const struct ut_subbuf *sub;
	uint32_t i;

	for (i = 0; ages != NULL && i < r->nsubs; i++) {
		sub = &r->subs[i];
		ages[i].sub = i;
		ages[i].age = UT_STATE(load(&sub->state)) == UT_OWNED ? 0 :
		    (int32_t)(delivered - load(&sub->order));
	}
	if (ages != NULL)
		qsort(ages, r->nsubs, sizeof(*ages), age_cmp);
	return ages;
}

struct region *
region_copy(struct region *r)
{
	const uint64_t now = region_now(r);
	struct age *ages = newest_first(r);
	struct region *c = ages != NULL ? region_private(r) : NULL;
	uint64_t first;
	uint32_t i;
	int tries;

	if (c == NULL) {
		free(ages);
		return NULL;
	}
	region_names(r, true);
	memcpy(c->name, r->name, sizeof(c->name));
	c->stream = r->stream;
	c->attrs.v[ATTR_FILESIZE] = c->attrs.v[ATTR_FILES] = 0;
	copy_slots(r, c);
	for (i = 0; i < r->nsubs; i++)
		for (tries = 0; tries < TRIES; tries++)
			if (copy_sub(r, c, ages[i].sub, now))
				break;
	free(ages);
	copy_begins(c);
	first = c->begun = copy_first(c);
	loss_copy(r, c, first);
	gone_copy(r, c, first);
	pause_copy(r, c, first);
	return c;
}

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
