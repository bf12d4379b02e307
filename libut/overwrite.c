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
 * Overwrite mode: a writer that finds no sub-buffer free drops one of the
 * oldest that are FULL or PARKED, whoever wrote it, and claims it as any that
 * is free.  Async-signal-safe.
 *
 * FULL becomes TAKEN by exchange, with the slot of who does so, is emptied, and
 * becomes FREE by a release store.  Whoever dies in between leaves a sub-buffer
 * that nobody reads: what is old never looks like the first events of another.
 * The consumer frees it when it buries the dead; one whose event was left by
 * siglongjmp finds it as its own, by its word, at the next event.  Both do what
 * is left to be done, and may do again what was done: what the slot's count is
 * to be is noted before it is stored, and `writing' says that it is noted.
 *
 * The consumer may be reading.  Of what is FULL, it has made READING first, and
 * an exchange that expects FULL fails.  What is OWNED, it pins, and looks at
 * the state again before it reads, with a fence in between.  If it has seen
 * OWNED, then before we saw the FULL that comes after that; and with our fence
 * between the looks at state and at pin, we see the pin.  The same is true of
 * one that was OWNED for an event, and that we saw PARKED: when it is OWNED
 * again, the word is another, and the exchange fails.
 *
 * A copy, for a snapshot, is made without any word from us.  It begins and ends
 * with a look at round, and counts if that is the same.  Whatever a writer
 * stores in the sub-buffer after round has grown, it stores after a release
 * fence; so a copy with any of that sees the new round behind its acquire
 * fence.  The store to round itself is release, too: a consumer that takes over
 * and sees the new round sees TAKEN or what comes later, and not the FULL of
 * the old one.
 *
 * Which is the oldest?  Claims go round the pool, so what comes next is what
 * was claimed longest ago, but a slow writer may have delivered that just now.
 * So one is passed over if fewer than so many were delivered since.
 *
 * Readers know by the seq of a slot which of its sub-buffers are missing.  One
 * that was shared has none, so whoever drops it leaves in it how many these
 * were: the consumer tells of them.  Whoever drops any leaves the time of its
 * last event, for what comes later may depend on that.
 *
 * regress/spin/overwrite.pml is this, for a model checker.
 */

#include "ut_priv.h"

/* The sub-buffer is about to be FULL or PARKED, or was claimed. */
void
ut_drop_later(const struct region *rg, struct ut_subbuf *sub)
{
	atomic_store_explicit(&sub->order, atomic_load_explicit(
	    &rg->header->delivered, memory_order_relaxed),
	    memory_order_relaxed);
}

/* Were so many delivered since? */
static bool
as_old(const struct region *rg, const struct ut_subbuf *sub, uint32_t age)
{
	return atomic_load_explicit(&rg->header->delivered,
	    memory_order_relaxed) - atomic_load_explicit(&sub->order,
	    memory_order_relaxed) >= age;
}

/*
 * Note what the slot's count is to be, with what nobody has read, and when that
 * was, and, of a shared sub-buffer, how often.  Who sees the new `gone' sees
 * its time or a later one.  A thread that dies in here may have it counted
 * twice.
 */
static void
drop_note(const struct ut_slot *slot, struct ut_subbuf *sub, bool shared)
{
	const uint32_t n = UT_COMMIT_COUNT(atomic_load_explicit(&sub->commit,
	    memory_order_relaxed)) - UT_COMMIT_COUNT(atomic_load_explicit(
	    &sub->consumed, memory_order_relaxed));

	if (n > 0)
		atomic_store_explicit(&sub->gone_last, atomic_load_explicit(
		    &sub->last, memory_order_relaxed), memory_order_relaxed);
	if (shared && n > 0)
		atomic_store_explicit(&sub->gone, atomic_load_explicit(
		    &sub->gone, memory_order_relaxed) + 1,
		    memory_order_release);
	atomic_store_explicit(&sub->until, atomic_load_explicit(
	    &slot->overwritten, memory_order_relaxed) + n,
	    memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&sub->writing, UT_NOTED, memory_order_relaxed);
}

/* The sub-buffer is ours, and TAKEN: count what it has, empty and free it. */
void
ut_drop_end(struct region *rg, struct ut_slot *slot, struct ut_subbuf *sub,
    uint64_t mine)
{
	if (atomic_load_explicit(&sub->writing, memory_order_relaxed) !=
	    UT_NOTED)
		drop_note(slot, sub, (mine & UT_SHARED) != 0);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&slot->overwritten, atomic_load_explicit(
	    &sub->until, memory_order_relaxed), memory_order_relaxed);
	atomic_store_explicit(&sub->round, atomic_load_explicit(&sub->round,
	    memory_order_relaxed) + 1, memory_order_release);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&sub->commit, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->consumed, 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&sub->writing, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->seq, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->state, UT_STATE_WORD(UT_STATE_GEN(mine),
	    0, UT_FREE), memory_order_release);
	ut_now_free(rg);
}

/*
 * Drop that one, if so many were delivered since it was, and nobody reads it.
 * The busy writer has no sub-buffer, and then again none.
 */
bool
ut_drop(struct writer *w, struct region *rg, uint32_t i, uint32_t age)
{
	struct ut_subbuf *sub = &rg->subs[i];
	struct ut_slot *slot = w->slot;
	uint64_t word, mine;

	word = atomic_load_explicit(&sub->state, memory_order_acquire);
	if ((UT_STATE(word) != UT_FULL && UT_STATE(word) != UT_PARKED) ||
	    !as_old(rg, sub, age) || slot == NULL)
		return false;		/* wiped, perhaps: ut_writer_next */
	atomic_thread_fence(memory_order_seq_cst);
	/* Acquire: what the consumer has read and noted before it is 0. */
	if (atomic_load_explicit(&sub->pin, memory_order_acquire) != 0)
		return false;
	mine = UT_STATE_WORD(UT_STATE_GEN(word) + 1,
	    (uint32_t)(slot - rg->slots), UT_TAKEN | (word & UT_SHARED));
	w->sub = sub;
	w->mine = mine;
	atomic_signal_fence(memory_order_seq_cst);
	if (!atomic_compare_exchange_strong_explicit(&sub->state, &word,
	    mine, memory_order_acquire, memory_order_relaxed)) {
		ut_writer_let_go(w);
		return false;
	}
	if (w->slot != slot)
		return false;			/* wiped: ut_writer_next */
	ut_drop_end(rg, slot, sub, mine);
	ut_writer_let_go(w);
	return true;
}
