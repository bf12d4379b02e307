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
 * Events of threads that hardly trace.
 *
 * If each of thousands of threads kept a sub-buffer for an event now and then,
 * there would be none left.  So they share some, which have one writer at a
 * time, too, but a time is one event:
 *
 *	claim	FREE or PARKED becomes OWNED, by exchange;
 *	write	who the thread is, and the event, behind what is committed;
 *	park	OWNED becomes PARKED, by a release store.
 *
 * What is true of a sub-buffer with one writer is true of these.  Nobody but
 * the owner stores to one that is OWNED.  Who claims it with acquire order
 * sees all that the owners before have stored, as each of them stored PARKED
 * with release order, so `last' and `commit' go on as if all were one thread;
 * and the consumer, which loads commit with acquire order, sees the bytes of
 * all who have ever raised it.  Only the consumer frees it.
 *
 * A thread that is stopped or killed in mid-event keeps the sub-buffer from
 * nobody: others take another one, and what it has committed before is read as
 * from any sub-buffer that is OWNED.  When the program is dead, the slot in the
 * word tells whose it was.  REVOKED is never set here, since a thread that
 * owns one is in an event, which is what busy says.
 *
 * Slots are shared in the same way: the thread gives its slot back after the
 * event.  Everything here is async-signal-safe.
 */

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ut_priv.h"

#define IDS	8		/* bytes, of process and thread */

/*
 * Set what each event says before its fields: process, thread, and the name
 * that utd was told, which is that of packets, whatever the program calls
 * itself by now.
 */
void
ut_shared_name(struct region *rg, const char *name)
{
	snprintf(rg->name, sizeof(rg->name), "%s", name);
	rg->wholen = IDS + (uint32_t)strlen(rg->name) + 1;
}

bool
ut_shared_fits(const struct region *rg, size_t len)
{
	return len <= rg->subsize - rg->wholen;
}

/* The sub-buffer that the writer's data is in. */
static struct ut_subbuf *
sub_of(const struct writer *w, const struct region *rg)
{
	return &rg->subs[(size_t)(w->data - rg->data) / rg->subsize];
}

/* Store what the consumer sees with the first commit, and no owner. */
static void
sub_label(struct ut_subbuf *sub, uint64_t time)
{
	/* A reader of any store below sees the round: see overwrite.c. */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&sub->first, time, memory_order_relaxed);
	atomic_store_explicit(&sub->last, time, memory_order_relaxed);
	atomic_store_explicit(&sub->owner, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->tid, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->lost, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->seq, 0, memory_order_relaxed);
}

/* OWNED -> PARKED or FULL: what the owner has stored goes before it. */
static void
sub_leave(struct region *rg, struct ut_subbuf *sub, uint64_t mine,
    uint64_t state)
{
	ut_drop_later(rg, sub);
	atomic_store_explicit(&sub->state, UT_STATE_WORD(UT_STATE_GEN(mine),
	    0, state | UT_SHARED), memory_order_release);
	if (rg->overwrites)
		ut_now_free(rg);		/* this one can be dropped */
	/* A few may be all that nobody has for itself. */
	if (state == UT_FULL)
		ut_bell_maybe(rg, ut_subs_reserved(rg->nsubs) / 4);
}

/*
 * The event goes behind those that are there.  It is to have a time of its own,
 * which is not before that of the last one, whoever's that was, unless the
 * counter jumped back, nor too far behind it to be told in 32 bits.  What the
 * region says is looked at once, and may be nonsense.
 */
static bool
has_room(struct writer *w, struct region *rg, struct ut_subbuf *sub,
    size_t len)
{
	const uint32_t had = UT_COMMIT_LEN(atomic_load_explicit(&sub->commit,
	    memory_order_relaxed));
	uint64_t last;

	w->when = ut_read_clock(rg->clock);
	if (had == 0) {
		sub_label(sub, w->when);
		return true;
	}
	last = atomic_load_explicit(&sub->last, memory_order_relaxed);
	if (w->when < last && last - w->when < UT_TIME_HAIR)
		w->when = last;
	if (had > rg->subsize || len + rg->wholen > rg->subsize - had ||
	    w->when - last >= UT_TIME_GAP)
		return false;
	w->data += had;
	return true;
}

/*
 * Take the sub-buffer i, if its state still is the word.  The writer knows of
 * it before it is its own, as that may be all it ever gets to do:
 * ut_shared_park.
 */
static bool
sub_take(struct writer *w, struct region *rg, uint32_t i, uint64_t word,
    size_t len)
{
	struct ut_subbuf *sub = &rg->subs[i];
	struct ut_slot *slot = w->slot;
	uint64_t mine;

	if (slot == NULL)
		return false;			/* wiped: ut_writer_next */
	mine = UT_STATE_WORD(UT_STATE_GEN(word) + 1,
	    (uint32_t)(slot - rg->slots), UT_OWNED | UT_SHARED);
	w->data = rg->data + (size_t)i * rg->subsize;
	w->mine = mine;
	w->sub = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_compare_exchange_strong_explicit(&sub->state, &word, mine,
	    memory_order_acquire, memory_order_relaxed)) {
		if (w->slot != slot)
			return false;		/* wiped: ut_writer_next */
		if (has_room(w, rg, sub, len))
			return true;
		sub_leave(rg, sub, mine, UT_FULL);
	}
	ut_writer_let_go(w);
	return false;
}

/*
 * From the last one down, a parked one, else the first that is free: packets
 * that are fuller are fewer.  How many may be parked soon?
 */
static bool
subs_scan(struct writer *w, struct region *rg, size_t len, uint32_t *owned)
{
	const uint32_t first = rg->nsubs - ut_subs_shared(rg->nsubs);
	uint64_t word, free_word = 0;
	uint32_t i, free_one = rg->nsubs;

	*owned = 0;
	for (i = rg->nsubs; i-- > first;) {
		word = atomic_load_explicit(&rg->subs[i].state,
		    memory_order_relaxed);
		if (UT_STATE(word) == UT_PARKED) {
			if (sub_take(w, rg, i, word, len))
				return true;
			++*owned;
		} else if (UT_STATE(word) == UT_OWNED) {
			*owned += (word & UT_SHARED) != 0;
		} else if (UT_STATE(word) == UT_FREE &&
		    free_one == rg->nsubs) {
			free_one = i;
			free_word = word;
		}
	}
	if (free_one == rg->nsubs)
		return false;
	++*owned;
	return sub_take(w, rg, free_one, free_word, len);
}

/*
 * In overwrite mode, what comes next in the pool: one that is parked or free,
 * or that can be dropped, in the first round only an old one.
 */
static bool
drop_one(struct writer *w, struct region *rg, size_t len)
{
	const uint32_t n = rg->nsubs;
	uint64_t word;
	uint32_t i, k;

	i = atomic_load_explicit(&rg->header->hint, memory_order_relaxed);
	for (k = 0; k < 2 * n; k++, i++) {
		if (i >= n)
			i = 0;
		(void)ut_drop(w, rg, i, k < n ? n / 2 : 0);
		word = atomic_load_explicit(&rg->subs[i].state,
		    memory_order_relaxed);
		if ((UT_STATE(word) != UT_FREE && UT_STATE(word) !=
		    UT_PARKED) || !sub_take(w, rg, i, word, len))
			continue;
		atomic_store_explicit(&rg->header->hint, i + 1,
		    memory_order_relaxed);
		return true;
	}
	return false;
}

/*
 * The bound and busy writer gets a shared sub-buffer for an event of that
 * length.  The one that was parked last is warm.
 */
bool
ut_shared_claim(struct writer *w, struct region *rg, size_t len)
{
	uint64_t word;
	uint32_t i, owned;
	int n;

	i = atomic_load_explicit(&rg->header->parked, memory_order_relaxed);
	if (i < rg->nsubs) {
		word = atomic_load_explicit(&rg->subs[i].state,
		    memory_order_relaxed);
		if (UT_STATE(word) == UT_PARKED &&
		    sub_take(w, rg, i, word, len))
			return true;
	}
	for (n = 0; n < YIELDS; n++) {
		if (subs_scan(w, rg, len, &owned) ||
		    (rg->overwrites && drop_one(w, rg, len)))
			return true;
		if (owned == 0)
			break;
		(void)sched_yield();
	}
	return false;
}

/*
 * The head of the event, so far behind where the writer's data begins, and
 * whose it is; its fields go behind that.
 */
unsigned char *
ut_shared_head(const struct writer *w, const struct region *rg, uint16_t id,
    uint32_t offset)
{
	const uint32_t ids[2] = { (uint32_t)rg->pid,
	    atomic_load_explicit(&w->slot->tid, memory_order_relaxed) };
	unsigned char *p = w->data + offset;

	ut_event_head(p, id, w->when);
	p += UT_EVENT_HEAD;
	memcpy(p, ids, sizeof(ids));
	memcpy(p + IDS, rg->name, rg->wholen - IDS);
	return p + rg->wholen;
}

/* The offset of the writer's event; 0 until it is known to have room. */
static uint32_t
event_at(const struct writer *w, const struct region *rg)
{
	return (uint32_t)((size_t)(w->data - rg->data) % rg->subsize);
}

/*
 * The event is over.  If it was not committed, the next one in the sub-buffer
 * is written over it.
 */
void
ut_shared_end(struct writer *w, struct region *rg)
{
	const uint64_t when = w->when;

	ut_shared_park(w, rg);
	ut_writer_unbind(w, rg);
	w->when = when;
}

/* Store in the same order as ut_commit, and for the same reasons. */
void
ut_shared_commit(struct writer *w, struct region *rg, size_t len)
{
	struct ut_subbuf *sub = sub_of(w, rg);
	const uint32_t had = event_at(w, rg);
	const uint32_t count = UT_COMMIT_COUNT(atomic_load_explicit(
	    &sub->commit, memory_order_relaxed));

	atomic_store_explicit(&sub->last, w->when, memory_order_release);
	atomic_store_explicit(&sub->commit, UT_COMMIT_WORD(count + 1, had +
	    (uint32_t)len + rg->wholen), memory_order_release);
	ut_shared_end(w, rg);
}

/*
 * May the event have been left between the two stores of its commit?  Then
 * `last' is its time already.  The next event may lie too far behind the one
 * that was committed before, and nobody knows when that was: so the sub-buffer
 * gets no more.
 */
static bool
is_half(const struct writer *w, const struct region *rg,
    const struct ut_subbuf *sub)
{
	const uint32_t had = event_at(w, rg);

	return had != 0 && had == UT_COMMIT_LEN(atomic_load_explicit(
	    &sub->commit, memory_order_relaxed)) && w->when ==
	    atomic_load_explicit(&sub->last, memory_order_relaxed);
}

/*
 * Make the sub-buffer nobody's again, if it is ours: an event that was left by
 * siglongjmp may not have got so far as to claim it, or may have parked it
 * already.  It is ours if it has our word, since no other thread has the slot
 * that is in there.
 */
void
ut_shared_park(struct writer *w, struct region *rg)
{
	struct ut_subbuf *sub = sub_of(w, rg);
	const uint32_t i = (uint32_t)(sub - rg->subs);
	bool half;

	if (atomic_load_explicit(&sub->state, memory_order_relaxed) ==
	    w->mine) {
		half = is_half(w, rg, sub);
		sub_leave(rg, sub, w->mine, half ? UT_FULL : UT_PARKED);
		if (!half && atomic_load_explicit(&rg->header->parked,
		    memory_order_relaxed) != i)
			atomic_store_explicit(&rg->header->parked, i,
			    memory_order_relaxed);
	}
	ut_writer_let_go(w);
}
