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
 * What a writer has in a channel before it has a sub-buffer: a slot; and the
 * bell, for when there is enough to read.  Async-signal-safe.
 */

#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "ut_priv.h"

struct channel ut_channels[UT_CHANNELS];
struct writer *_Atomic *ut_users[UT_CHANNELS];

/* What a writer without a sub-buffer points to: its state is never `mine'. */
struct ut_subbuf ut_no_subbuf;
#define NOT_MINE	UINT64_MAX

void
ut_writer_let_go(struct writer *w)
{
	w->sub = &ut_no_subbuf;
	w->mine = NOT_MINE;
	w->commit = 0;
	w->room = 0;
}

static struct writer *_Atomic *
slot_user(const struct channel *ch, uint32_t i)
{
	return &ut_users[ch - ut_channels][i];
}

static void
slot_enter(struct writer *w, struct channel *ch, uint32_t i)
{
	atomic_store_explicit(&ch->slots[i].tid, ut_gettid(),
	    memory_order_relaxed);
	w->slot = &ch->slots[i];
}

/*
 * The program takes the slot that users says is the writer's.  slots_used is
 * raised first: whoever scans that far after we died in between finds the slot
 * free, or ours.  If another program was faster, users is given back; release,
 * so that the next thread of ours to be there sees that number, or a later one.
 */
static bool
slot_own(struct writer *w, struct channel *ch, uint32_t i)
{
	uint64_t none = 0;
	uint32_t used;

	used = atomic_load_explicit(&ch->header->slots_used,
	    memory_order_relaxed);
	while (used <= i && !atomic_compare_exchange_weak_explicit(
	    &ch->header->slots_used, &used, i + 1, memory_order_release,
	    memory_order_relaxed))
		continue;
	/* Acquire: what the last owner left is ours. */
	if (!atomic_compare_exchange_strong_explicit(&ch->slots[i].owner,
	    &none, ch->owner, memory_order_acquire, memory_order_relaxed)) {
		atomic_store_explicit(slot_user(ch, i), NULL,
		    memory_order_release);
		return false;
	}
	if (w->claim != i + 1)
		return false;			/* wiped: ut_writer_next */
	slot_enter(w, ch, i);
	return true;
}

/*
 * Take slot i.  A handler may jump out of here, or out of slot_free, at any
 * instruction.  The owner in the slot names only the program, so users names
 * the writer, from before owner is set until after it is cleared.  w->claim is
 * stored first, and tells where to look afterwards.
 *
 * Acquire pairs with slot_free: whoever is in users next sees that the program
 * has given the slot back, and does not take an old number for its own.
 */
static bool
slot_take(struct writer *w, struct channel *ch, uint32_t i)
{
	struct writer *nobody = NULL;

	if (atomic_load_explicit(&ch->slots[i].owner, memory_order_relaxed) !=
	    0)
		return false;
	w->claim = (uint16_t)(i + 1);
	atomic_signal_fence(memory_order_seq_cst);
	return atomic_compare_exchange_strong_explicit(slot_user(ch, i),
	    &nobody, w, memory_order_acquire, memory_order_relaxed) &&
	    slot_own(w, ch, i);
}

/*
 * Does users still name the writer for the slot that it tried last?  Then an
 * event was left while it took that slot, or gave it back.
 */
static bool
slot_left(const struct writer *w, const struct channel *ch)
{
	return w->claim != 0 && w->claim <= ch->nslots &&
	    atomic_load_explicit(slot_user(ch, w->claim - 1u),
	    memory_order_relaxed) == w;
}

/* While users names the writer, the program's number is there for it alone. */
static bool
slot_is_ours(const struct channel *ch, uint32_t i)
{
	return atomic_load_explicit(&ch->slots[i].owner,
	    memory_order_relaxed) == ch->owner;
}

/* Take up the slot of an event that was left, if there is one. */
static bool
slot_again(struct writer *w, struct channel *ch)
{
	const uint32_t i = w->claim - 1u;

	if (!slot_left(w, ch))
		return false;
	if (!slot_is_ours(ch, i))
		return slot_own(w, ch, i);
	slot_enter(w, ch, i);
	return true;
}

/*
 * The writer gives the slot back, if the program has it at all.  Release, so
 * that whoever claims the slot next finds it clean.
 */
static void
slot_free(struct channel *ch, uint32_t i)
{
	if (slot_is_ours(ch, i)) {
		atomic_store_explicit(&ch->slots[i].busy, 0,
		    memory_order_release);
		atomic_store_explicit(&ch->slots[i].owner, 0,
		    memory_order_release);
	}
	atomic_store_explicit(slot_user(ch, i), NULL, memory_order_release);
}

/* Give back the slot of an event that was left, if there is one. */
void
ut_slot_leave(struct writer *w, struct channel *ch)
{
	if (slot_left(w, ch))
		slot_free(ch, w->claim - 1u);
}

/* The one that this program has given back last is probably free. */
static bool
slot_claim(struct writer *w, struct channel *ch)
{
	uint32_t i;

	i = atomic_load_explicit(&ch->slot_hint, memory_order_relaxed);
	if (i < ch->nslots && slot_take(w, ch, i))
		return true;
	for (i = 0; i < ch->nslots; i++)
		if (slot_take(w, ch, i))
			return true;
	return false;
}

/* If there is none, those that are in use for one event are soon free. */
static bool
slot_find(struct writer *w, struct channel *ch)
{
	int n;

	if (slot_again(w, ch))
		return true;
	for (n = 0; n < YIELDS; n++) {
		if (slot_claim(w, ch))
			return true;
		atomic_store_explicit(&ch->header->noslot, 1,
		    memory_order_relaxed);
		(void)sched_yield();
	}
	return false;
}

/* A writer that has found nothing in vain may look again. */
void
ut_now_free(struct channel *ch)
{
	atomic_fetch_add_explicit(&ch->header->freed, 1,
	    memory_order_release);
}

/*
 * The writer's first event in this channel since it was attached, or since it
 * last wrote into a shared sub-buffer: a slot.
 *
 * A child that ran no atfork handler, of clone(2) or _Fork(3), has our memory
 * and a wiped struct thread, so here it comes with its first event.  It could
 * only claim in the name of its parent, and what it has would be freed under
 * it when the parent dies.  utd does not know it, so it gets nothing until it
 * executes a program.  Nothing is counted or noted: a child of vfork(2) comes
 * here too, and what it notes would be its parent's.  One whose parent has a
 * slot already never gets here, and writes as its parent, which waits for it.
 */
bool
ut_writer_bind(struct writer *w, struct channel *ch)
{
	uint64_t freed;

	/* Acquire: a scan that follows sees what was freed before. */
	freed = atomic_load_explicit(&ch->header->freed,
	    memory_order_acquire) + UINT64_C(1);
	if (getpid() != ch->pid)
		return false;
	if (slot_left(w, ch) || atomic_load_explicit(&ch->slots_taken,
	    memory_order_relaxed) != freed) {
		if (slot_find(w, ch)) {
			ut_writer_let_go(w);
			w->active = &ch->header->active;
			atomic_signal_fence(memory_order_seq_cst);
			w->bound = 1;
			return true;
		}
		atomic_store_explicit(&ch->slots_taken, freed,
		    memory_order_relaxed);
	}
	atomic_fetch_add_explicit(&ch->header->lost, 1, memory_order_relaxed);
	return false;
}

/*
 * The other way round, after an event that left the writer without a
 * sub-buffer of its own: any number of threads share the slots that there are.
 * The slot is free after all else is done, and a writer that is unbound has no
 * room, wherever a handler jumps out of here.
 */
void
ut_writer_unbind(struct writer *w, struct channel *ch)
{
	const uint32_t i = (uint32_t)(w->slot - ch->slots);

	ut_writer_let_go(w);
	atomic_signal_fence(memory_order_seq_cst);
	w->bound = 0;
	atomic_signal_fence(memory_order_seq_cst);
	slot_free(ch, i);
	atomic_store_explicit(&ch->slot_hint, i, memory_order_relaxed);
	if (atomic_load_explicit(&ch->header->noslot,
	    memory_order_relaxed) != 0) {
		ut_now_free(ch);	/* in case a handler jumps now */
		atomic_store_explicit(&ch->header->noslot, 0,
		    memory_order_relaxed);
		ut_now_free(ch);
	}
}

/*
 * Wake the consumer once there is enough to do.  Where that is the header's
 * bell, the consumer does not go to sleep either, and the fence orders delivery
 * before the load of `asleep', as the consumer orders asleep before its last
 * look at `delivered': one of the two sees the other.
 */
void
ut_bell_maybe(struct channel *ch, uint32_t enough)
{
	struct ut_header *h = ch->header;
	uint32_t n;

	/* Release: who counts the delivery sees FULL. */
	n = atomic_fetch_add_explicit(&h->delivered, 1,
	    memory_order_release) + 1;
	if (ch->bell.at == NULL ||
	    n - atomic_load_explicit(&h->taken, memory_order_relaxed) <
	    enough)
		return;
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&h->asleep, memory_order_relaxed) != 0 &&
	    atomic_exchange_explicit(&h->asleep, 0,
	    memory_order_relaxed) != 0)
		ut_bell_ring(&ch->bell);
}
