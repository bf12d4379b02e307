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
 * The slow path, once per sub-buffer: claim, deliver, give back, count.
 * Async-signal-safe.
 */

#include <errno.h>
#include <stddef.h>

#include "ut_priv.h"

/*
 * Between two events of a busy thread less time passes, in units of the clock:
 * 34 ms, or 10 ms of a cycle counter.
 */
#define SLOW		(UINT64_C(1) << 25)

/* Bytes that Linux maps by one fault, and that a claim may wait for. */
#define MAP_AROUND	65536u
#define MAP_MAX		(1u << 20)

/* With freed: there was none to drop either. */
#define DROPPING	(UINT64_C(1) << 33)

union name {
	char	 text[UT_THREAD_NAME];
	uint64_t words[UT_THREAD_NAME / 8];
};
#define WORDS	(UT_THREAD_NAME / 8)

/*
 * Read the thread's name that the consumer has found.  Acquire pairs with the
 * consumer's release of named, and the fence orders the second look at named
 * behind the name: if named is unchanged, so is the name.  False if the
 * consumer has found none, or that of another thread.
 */
static bool
name_found(struct ut_slot *slot, union name *name)
{
	const uint64_t named = atomic_load_explicit(&slot->named,
	    memory_order_acquire);
	size_t i;

	if ((uint32_t)named == 0 || (uint32_t)named != atomic_load_explicit(
	    &slot->tid, memory_order_relaxed))
		return false;
	for (i = 0; i < WORDS; i++)
		name->words[i] = atomic_load_explicit(&slot->name[i],
		    memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&slot->named, memory_order_relaxed) ==
	    named;
}

/* Store the thread's name of now, or nothing until the consumer knows it. */
static void
thread_label(struct ut_subbuf *sub, struct ut_slot *slot)
{
	union name name;
	size_t i;

	if (!name_found(slot, &name))
		ut_own_name(name.text, sizeof(name.text));
	for (i = 0; i < WORDS; i++)
		atomic_store_explicit(&sub->thread[i], name.words[i],
		    memory_order_relaxed);
}

/* Store what the consumer sees with the first commit, or with FULL. */
static void
subbuf_label(struct writer *w, struct ut_slot *slot, struct region *rg)
{
	struct ut_subbuf *sub = w->sub;
	uint64_t now = ut_read_clock(rg->clock);

	/* A reader of any store below sees the round: see overwrite.c. */
	atomic_thread_fence(memory_order_release);
	ut_drop_later(rg, sub);
	thread_label(sub, slot);
	atomic_store_explicit(&sub->first, now, memory_order_relaxed);
	atomic_store_explicit(&sub->last, now, memory_order_relaxed);
	atomic_store_explicit(&sub->owner, rg->owner, memory_order_relaxed);
	atomic_store_explicit(&sub->tid, atomic_load_explicit(&slot->tid,
	    memory_order_relaxed), memory_order_relaxed);
	atomic_store_explicit(&sub->lost, atomic_load_explicit(&slot->lost,
	    memory_order_relaxed), memory_order_relaxed);
	atomic_store_explicit(&sub->seq, w->seq + 1, memory_order_relaxed);
	/* Release goes after seq: whoever counts the claim sees it. */
	atomic_store_explicit(&slot->seq, w->seq + 1, memory_order_release);
}

/*
 * Map the pages of the sub-buffer that have their memory already.  To read one
 * is enough, and better than to write: Linux then maps those around it, too,
 * up to 64k, which the next sub-buffers are in.  Only mapped pages are written
 * without a fault for each.  Where there may be no memory yet, nothing is read,
 * so that none is taken for what is never written.  Never SIGBUS: all of the
 * region is reserved.
 */
static void
subbuf_map(const struct region *rg, const unsigned char *data)
{
	const size_t len = rg->subsize < MAP_MAX ? rg->subsize : MAP_MAX;
	size_t i;

	if ((uint64_t)(data - rg->data) + len > atomic_load_explicit(
	    &rg->header->warm, memory_order_relaxed))
		return;
	for (i = 0; i < len; i += MAP_AROUND)
		(void)*(const volatile unsigned char *)(data + i);
	(void)*(const volatile unsigned char *)(data + len - 1);
}

/*
 * FREE -> OWNED.  Acquire pairs with the release of who freed it: the
 * consumer has read the old bytes, commit is 0.
 *
 * The writer knows the sub-buffer before it is its own, so that it can be
 * given back by ut_writer_leave even if a signal handler jumps out of here;
 * `room' is last and makes it usable.
 */
static bool
subbuf_take(struct writer *w, struct region *rg, uint32_t i)
{
	struct ut_slot *slot = w->slot;
	unsigned char *data = rg->data + (size_t)i * rg->subsize;
	uint64_t word, mine;

	word = atomic_load_explicit(&rg->subs[i].state, memory_order_relaxed);
	if (UT_STATE(word) != UT_FREE || slot == NULL)
		return false;		/* wiped, perhaps: ut_writer_next */
	mine = UT_STATE_WORD(UT_STATE_GEN(word) + 1,
	    (uint32_t)(slot - rg->slots), UT_OWNED);
	w->sub = &rg->subs[i];
	w->data = data;
	w->mine = mine;
	atomic_signal_fence(memory_order_seq_cst);
	if (!atomic_compare_exchange_strong_explicit(&rg->subs[i].state,
	    &word, mine, memory_order_acquire, memory_order_relaxed))
		return false;
	if (w->slot != slot)
		return false;			/* wiped: ut_writer_next */
	subbuf_map(rg, data);
	subbuf_label(w, slot, rg);
	atomic_signal_fence(memory_order_seq_cst);
	w->room = rg->subsize;
	return true;
}

/*
 * One of those that such a writer may have; without one, it has none.  If a
 * thread has looked for one in vain, the program does not look again until some
 * are freed.  when is in the place of seq: it is put back.
 *
 * One that drops takes what it meets, in the first round of what is full only
 * what was delivered longer ago than half of the others.
 */
static bool
subbuf_claim(struct writer *w, struct region *rg, bool slow, bool drops)
{
	const uint32_t n = slow ? ut_subs_slow(rg->nsubs) :
	    rg->nsubs - ut_subs_reserved(rg->nsubs);
	ut_a64 *taken = slow ? &rg->slow_taken : &rg->subs_taken;
	const uint64_t when = w->when;
	uint64_t freed, vain;
	uint32_t i, k;

	/* Acquire: a scan that follows sees what was freed before. */
	freed = atomic_load_explicit(&rg->header->freed,
	    memory_order_acquire) + UINT64_C(1);
	vain = atomic_load_explicit(taken, memory_order_relaxed);
	if (vain == (freed | DROPPING) || (vain == freed && !drops))
		return false;
	w->seq = atomic_load_explicit(&w->slot->seq, memory_order_relaxed);
	i = slow ? 0 : atomic_load_explicit(&rg->header->hint,
	    memory_order_relaxed);
	for (k = 0; k < (drops ? 2 * n : n); k++, i++) {
		if (i >= n)
			i = 0;
		if (!subbuf_take(w, rg, i) && (!drops ||
		    !ut_drop(w, rg, i, k < n ? n / 2 : 0) ||
		    !subbuf_take(w, rg, i)))
			continue;
		atomic_store_explicit(&rg->header->hint, i + 1,
		    memory_order_relaxed);
		return true;
	}
	ut_writer_let_go(w);
	w->when = when;
	atomic_store_explicit(taken, freed | (drops ? DROPPING : 0),
	    memory_order_relaxed);
	return false;
}

/*
 * OWNED -> FULL, by a release store: busy is 1 and the state was still ours
 * after that, so nobody but us may end the ownership, and a REVOKED bit set
 * meanwhile is overtaken.  One without events goes straight to FREE; its
 * commit is still 0, also if a handler jumped out of the first commit, where
 * the writer's own word is another already.  One that is TAKEN is emptied.
 */
static void
subbuf_deliver(struct writer *w, struct region *rg)
{
	uint32_t gen = UT_STATE_GEN(w->mine), slot = UT_STATE_SLOT(w->mine);

	if (UT_STATE(w->mine) == UT_TAKEN) {
		ut_drop_end(rg, w->slot, w->sub, w->mine);
	} else if (atomic_load_explicit(&w->sub->commit,
	    memory_order_relaxed) == 0) {
		atomic_store_explicit(&w->slot->seq, w->seq,
		    memory_order_relaxed);
		atomic_store_explicit(&w->sub->seq, 0, memory_order_relaxed);
		atomic_store_explicit(&w->sub->state,
		    UT_STATE_WORD(gen, 0, UT_FREE), memory_order_release);
		ut_now_free(rg);
	} else {
		ut_drop_later(rg, w->sub);
		atomic_store_explicit(&w->sub->state,
		    UT_STATE_WORD(gen, slot, UT_FULL), memory_order_release);
		if (rg->overwrites)
			ut_now_free(rg);	/* FULL can be dropped, too */
		ut_bell_maybe(rg, atomic_load_explicit(&rg->header->bell,
		    memory_order_relaxed));
	}
}

static bool
still_mine(const struct writer *w)
{
	return atomic_load_explicit(&w->sub->state,
	    memory_order_relaxed) == w->mine;
}

/*
 * Busy first, then a look at `active', which is the result.  The consumer may
 * doze: what comes now is for it.
 */
static uint32_t
busy_begin(struct writer *w, struct region *rg)
{
	uint32_t active;

	atomic_store_explicit(&w->slot->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	active = atomic_load_explicit(&rg->header->active,
	    memory_order_relaxed);
	if (active == UT_DOZING)
		ut_bell_wake(rg);
	return active;
}

static void
busy_end(struct writer *w)
{
	atomic_store_explicit(&w->slot->busy, 0, memory_order_release);
}

/*
 * The event fits no sub-buffer.  The slot does not count the event: the
 * sub-buffer that is claimed next tells where in the trace the slot's events
 * were lost, and this thread keeps the sub-buffer it has.
 */
static void
note_toobig(struct region *rg, size_t len)
{
	uint32_t n = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
	uint32_t old;

	old = atomic_load_explicit(&rg->header->toobig, memory_order_relaxed);
	while (old < n && !atomic_compare_exchange_weak_explicit(
	    &rg->header->toobig, &old, n, memory_order_relaxed,
	    memory_order_relaxed))
		continue;
	atomic_fetch_add_explicit(&rg->header->lost, 1, memory_order_relaxed);
}

/* No locked instruction: the slot has one owner. */
static void
count_lost(struct writer *w)
{
	atomic_store_explicit(&w->slot->lost, atomic_load_explicit(
	    &w->slot->lost, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* Busy, and allowed to be: a session that is stopped waits for no more. */
static bool
writer_begin(struct writer *w, struct region *rg)
{
	if (busy_begin(w, rg) != 0)
		return true;
	busy_end(w);
	return false;
}

/*
 * Has the consumer more to do than it can?  Then events are to be lost at once:
 * to share what is left would only take longer.
 */
static bool
overloaded(const struct region *rg)
{
	const struct ut_header *h = rg->header;

	return atomic_load_explicit(&h->delivered, memory_order_relaxed) -
	    atomic_load_explicit(&h->drained, memory_order_relaxed) >=
	    (rg->nsubs + 1) / 2;
}

/*
 * A sub-buffer for the busy writer, or one for this event.  Threads that hardly
 * trace share first of all; others only if the consumer keeps up.  As long as
 * it does, what has yet to be written is dropped only if there is nothing to
 * share.
 */
static enum room
room_claim(struct writer *w, struct region *rg, size_t len, bool slow)
{
	const bool drops = rg->overwrites && !slow;
	const bool first = drops && overloaded(rg);

	if (subbuf_claim(w, rg, slow, first))
		return ROOM_OWN;
	if (ut_shared_fits(rg, len) &&
	    (slow || rg->overwrites || !overloaded(rg)) &&
	    ut_shared_claim(w, rg, len))
		return ROOM_SHARED;
	if (drops && !first && w->slot != NULL &&
	    subbuf_claim(w, rg, slow, true))
		return ROOM_OWN;
	return ROOM_NONE;
}

/* Claim for a writer that waits, and so has no slot and no sub-buffer. */
static enum room
room_claim_again(struct writer *w, struct region *rg, size_t len, bool slow)
{
	enum room room;

	if (!ut_writer_find(w, rg))
		return ROOM_NONE;
	if (!writer_begin(w, rg)) {
		ut_writer_unbind(w, rg);
		return ROOM_NONE;
	}
	room = room_claim(w, rg, len, slow);
	if (room == ROOM_NONE && w->slot != NULL)
		ut_writer_unbind(w, rg);
	return room;
}

/*
 * In block mode, the busy writer waits for space.  If the session ends
 * meanwhile, the event is not recorded, as if it came after that.
 */
static enum room
wait_claim(struct writer *w, struct region *rg, size_t len, bool slow)
{
	enum room room = ROOM_NONE;
	struct space s;

	ut_writer_unbind(w, rg);
	ut_wait_begin(&s, rg);
	do {
		if (!ut_writer_ours(w, rg))
			return ROOM_NONE;	/* a child has come back */
		ut_wait_say(&s, rg);
		room = room_claim_again(w, rg, len, slow);
	} while (room == ROOM_NONE && ut_wait(&s, rg));
	ut_wait_end(&s, rg);
	if (room == ROOM_NONE) {
		w->when = ut_read_clock(rg->clock);
		if (atomic_load_explicit(&rg->header->active,
		    memory_order_relaxed) != 0)
			atomic_fetch_add_explicit(&rg->header->lost, 1,
			    memory_order_relaxed);
	}
	return room;
}

/*
 * The busy writer goes on to a fresh sub-buffer: now is the time, more or less,
 * of the event that needs room.  A thread whose last event is long ago, or that
 * finds none of its own though the consumer keeps up, shares one for this
 * event.  Without any, the event is counted as lost.
 *
 * In a child that a signal handler made by _Fork(3) the writer is wiped, and
 * the event goes on from anywhere: it gets nothing.  Above all it must not
 * claim in the name of a slot that is none, for nobody would free that.  What
 * it finds claimed may be its parent's, or its own in the name of its parent:
 * that stays as it is until the parent ends.
 */
enum room
ut_writer_next(struct writer *w, struct region *rg, size_t len, uint64_t now)
{
	const int error = errno;
	enum room room;
	uint64_t last;
	bool slow;

	if (w->slot == NULL)
		return ROOM_NONE;		/* wiped */
	last = w->room == 0 ? w->when : 0;
	if (still_mine(w)) {
		/* Without room it was claimed by an event that was left. */
		if (w->room != 0)
			last = atomic_load_explicit(&w->sub->last,
			    memory_order_relaxed);
		subbuf_deliver(w, rg);
	}
	slow = ut_shared_fits(rg, len) && now - last >= SLOW;
	ut_writer_let_go(w);
	w->when = now;
	room = room_claim(w, rg, len, slow);
	if (w->slot == NULL) {
		room = ROOM_NONE;		/* wiped */
	} else if (room == ROOM_NONE && ut_wait_may(w, rg)) {
		room = wait_claim(w, rg, len, slow);
	} else if (room == ROOM_NONE) {
		count_lost(w);
		if (slow)
			ut_writer_unbind(w, rg);
		else
			busy_end(w);
	}
	if (room != ROOM_NONE && rg->patience != 0)
		ut_wait_room(rg);
	errno = error;
	return room;
}

/*
 * Room for an event of that length: with busy set, or ROOM_NONE with the event
 * counted as lost, unless the session is stopped or not ours.
 */
enum room __attribute__((noinline))
ut_writer_room(struct writer *w, struct region *rg, size_t len, uint64_t now)
{
	if (!w->bound && (!atomic_load_explicit(&rg->header->active,
	    memory_order_relaxed) || !ut_writer_bind(w, rg)))
		return ROOM_NONE;
	if (w->slot == NULL)
		return ROOM_NONE;		/* wiped: ut_writer_next */
	if (w->sub == NULL)
		ut_shared_park(w, rg);		/* an event that was left */
	if (!writer_begin(w, rg))
		return ROOM_NONE;
	if (len > rg->subsize) {
		note_toobig(rg, len);
		busy_end(w);
		return ROOM_NONE;
	}
	if (w->room != 0 && still_mine(w) &&
	    len <= w->room - UT_COMMIT_LEN(w->commit))
		return ROOM_OWN;
	return ut_writer_next(w, rg, len, now);
}

/*
 * The writer's event was left.  If that was in the middle of its commit, the
 * writer counts an event that the sub-buffer does not.  The next event must not
 * go there.  If it came behind the one that was left, both would be committed
 * at once, with the time of the second in `last' before that: a packet that
 * ends in between would end after the first.  If it were written over it, last
 * might be that of the one that was left, and not tell how far the next one is
 * from the one before.  So the writer has no room any more, and the next event
 * delivers the sub-buffer as it is and claims another.
 */
void
ut_writer_undo(struct writer *w)
{
	if (w->room != 0 && UT_COMMIT_LEN(atomic_load_explicit(&w->sub->commit,
	    memory_order_relaxed)) < UT_COMMIT_LEN(w->commit))
		w->room = 0;
	atomic_signal_fence(memory_order_seq_cst);
	if (w->room == 0)
		w->commit = 0;
}

/*
 * The writer ends, because its thread or the region does.  It may be bound, or
 * have left an event as that took a slot or gave it back.
 */
void
ut_writer_leave(struct writer *w, struct region *rg)
{
	if (w->bound) {
		(void)busy_begin(w, rg);
		if (w->sub == NULL)
			ut_shared_park(w, rg);
		else if (still_mine(w))
			subbuf_deliver(w, rg);
		ut_writer_unbind(w, rg);
	} else {
		ut_slot_leave(w, rg);
	}
}
