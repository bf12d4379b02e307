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
 * The slot that a writer has in a region before it has a sub-buffer; and the
 * bell, which is rung when there is enough to read.  Async-signal-safe.
 */

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "ut_priv.h"

UT_PER_THREAD struct thread *ut_self;
UT_PER_THREAD bool ut_entered;

struct region ut_regions[UT_REGIONS];
struct writer *_Atomic *ut_users[UT_REGIONS];

/* Writers without a sub-buffer point to this: its state is never `mine'. */
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
slot_user(const struct region *rg, uint32_t i)
{
	return &ut_users[rg - ut_regions][i];
}

static void
slot_enter(struct writer *w, struct region *rg, uint32_t i)
{
	const uint32_t tid = ut_own_tid();

	atomic_store_explicit(&rg->slots[i].tid, tid != 0 ? tid : ut_gettid(),
	    memory_order_relaxed);
	/* The last thread's name; consumers look again after they stored. */
	if (atomic_load_explicit(&rg->slots[i].named,
	    memory_order_relaxed) != 0)
		atomic_store_explicit(&rg->slots[i].named, 0,
		    memory_order_relaxed);
	w->slot = &rg->slots[i];
}

/*
 * The program takes the slot that users says is the writer's.  slots_used is
 * raised first: whoever scans that far after we died in between finds the slot
 * free, or ours.  If another program was faster, users is given back; release,
 * so that the next thread of ours to be there sees that number, or a later one.
 */
static bool
slot_own(struct writer *w, struct region *rg, uint32_t i)
{
	uint64_t none = 0;
	uint32_t used;

	used = atomic_load_explicit(&rg->header->slots_used,
	    memory_order_relaxed);
	while (used <= i && !atomic_compare_exchange_weak_explicit(
	    &rg->header->slots_used, &used, i + 1, memory_order_release,
	    memory_order_relaxed))
		continue;
	/* Acquire: what the last owner left is ours. */
	if (!atomic_compare_exchange_strong_explicit(&rg->slots[i].owner,
	    &none, rg->owner, memory_order_acquire, memory_order_relaxed)) {
		atomic_store_explicit(slot_user(rg, i), NULL,
		    memory_order_release);
		return false;
	}
	if (w->claim != i + 1)
		return false;			/* wiped: ut_writer_next */
	slot_enter(w, rg, i);
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
slot_take(struct writer *w, struct region *rg, uint32_t i)
{
	struct writer *nobody = NULL;

	if (atomic_load_explicit(&rg->slots[i].owner, memory_order_relaxed) !=
	    0)
		return false;
	w->claim = (uint16_t)(i + 1);
	atomic_signal_fence(memory_order_seq_cst);
	return atomic_compare_exchange_strong_explicit(slot_user(rg, i),
	    &nobody, w, memory_order_acquire, memory_order_relaxed) &&
	    slot_own(w, rg, i);
}

/*
 * Does users still name the writer for the slot that it tried last?  Then an
 * event was left while it took that slot, or gave it back.
 */
static bool
slot_left(const struct writer *w, const struct region *rg)
{
	return w->claim != 0 && w->claim <= rg->nslots &&
	    atomic_load_explicit(slot_user(rg, w->claim - 1u),
	    memory_order_relaxed) == w;
}

/* While users names the writer, the program's number is there for it alone. */
static bool
slot_is_ours(const struct region *rg, uint32_t i)
{
	return atomic_load_explicit(&rg->slots[i].owner,
	    memory_order_relaxed) == rg->owner;
}

/* Take up the slot of an event that was left, if there is one. */
static bool
slot_again(struct writer *w, struct region *rg)
{
	const uint32_t i = w->claim - 1u;

	if (!slot_left(w, rg))
		return false;
	if (!slot_is_ours(rg, i))
		return slot_own(w, rg, i);
	slot_enter(w, rg, i);
	return true;
}

/*
 * The writer gives the slot back, if the program has it at all.  Release, so
 * that whoever claims the slot next finds it clean.
 */
static void
slot_free(struct region *rg, uint32_t i)
{
	if (slot_is_ours(rg, i)) {
		atomic_store_explicit(&rg->slots[i].busy, 0,
		    memory_order_release);
		atomic_store_explicit(&rg->slots[i].owner, 0,
		    memory_order_release);
	}
	atomic_store_explicit(slot_user(rg, i), NULL, memory_order_release);
}

/* Give back the slot of an event that was left, if there is one. */
void
ut_slot_leave(struct writer *w, struct region *rg)
{
	if (slot_left(w, rg))
		slot_free(rg, w->claim - 1u);
}

/* The one that this program has given back last is probably free. */
static bool
slot_claim(struct writer *w, struct region *rg)
{
	uint32_t i;

	i = atomic_load_explicit(&rg->slot_hint, memory_order_relaxed);
	if (i < rg->nslots && slot_take(w, rg, i))
		return true;
	for (i = 0; i < rg->nslots; i++)
		if (slot_take(w, rg, i))
			return true;
	return false;
}

/* If there is none, those that are in use for one event are soon free. */
static bool
slot_find(struct writer *w, struct region *rg)
{
	int n;

	if (slot_again(w, rg))
		return true;
	for (n = 0; n < YIELDS; n++) {
		if (slot_claim(w, rg))
			return true;
		atomic_store_explicit(&rg->header->noslot, 1,
		    memory_order_relaxed);
		(void)sched_yield();
	}
	return false;
}

/* Wake so many of those who wait, if any has said so since the last time. */
void
ut_wake_waiting(struct region *rg, uint32_t n)
{
	struct ut_header *h = rg->header;

	if (atomic_load_explicit(&h->waiting, memory_order_relaxed) != 0 &&
	    atomic_exchange_explicit(&h->waiting, 0,
	    memory_order_relaxed) != 0)
		ut_word_wake(&h->waiting, n);
}

/*
 * A writer that has found nothing in vain may look again, and one that waits
 * for that does.  The fence orders freed before the load of `waiting', as
 * wait.c orders them the other way round.
 */
void
ut_now_free(struct region *rg)
{
	atomic_fetch_add_explicit(&rg->header->freed, 1,
	    memory_order_release);
	if (rg->patience == 0)
		return;
	atomic_thread_fence(memory_order_seq_cst);
	ut_wake_waiting(rg, 1);
}

/* The level that the writer is of. */
static struct level *
level_of(const struct writer *w, const struct region *rg)
{
	const size_t offset = offsetof(struct level, writers) +
	    (size_t)(rg - ut_regions) * sizeof(*w);

	return (struct level *)(void *)((uintptr_t)w - offset);
}

/*
 * Is this the process that the region was attached by?  That it is, is noted
 * in the level, which a child made behind our back finds wiped; the threads
 * that have it later need not ask again.  The note replaces one that was made
 * before the question: a child that a handler makes in between finds neither.
 *
 * In a child of vfork(2) the note may be its parent's.  Then the child writes
 * as its parent, which is what its C library takes it for, too (ut_own_tid).
 */
static bool
is_our_process(struct level *l, const struct region *rg)
{
	pid_t asking = -rg->pid;

	if (__atomic_load_n(&l->pid, __ATOMIC_RELAXED) == rg->pid)
		return true;
	__atomic_store_n(&l->pid, asking, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	if (getpid() != rg->pid)
		return false;
	if (ut_own_tid() != 0 && ut_wipes())
		(void)__atomic_compare_exchange_n(&l->pid, &asking, rg->pid,
		    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return true;
}

bool
ut_writer_ours(const struct writer *w, const struct region *rg)
{
	return is_our_process(level_of(w, rg), rg);
}

/* Is the writer's event in no other event of the thread? */
bool
ut_writer_outer(const struct writer *w, const struct region *rg)
{
	const struct thread *t = ut_self;

	return t != NULL && level_of(w, rg) == &t->levels[0];
}

/* A slot for the writer, of this process; without one it is as it was. */
bool
ut_writer_find(struct writer *w, struct region *rg)
{
	uint64_t freed;

	/* Acquire: a scan that follows sees what was freed before. */
	freed = atomic_load_explicit(&rg->header->freed,
	    memory_order_acquire) + UINT64_C(1);
	level_of(w, rg)->regions |= 1u << (rg - ut_regions);
	if (!slot_left(w, rg) && atomic_load_explicit(&rg->slots_taken,
	    memory_order_relaxed) == freed)
		return false;
	if (!slot_find(w, rg)) {
		atomic_store_explicit(&rg->slots_taken, freed,
		    memory_order_relaxed);
		return false;
	}
	ut_writer_let_go(w);
	w->active = &rg->header->active;
	atomic_signal_fence(memory_order_seq_cst);
	w->bound = 1;
	return true;
}

/*
 * The writer's first event in this region since it was attached, or since it
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
ut_writer_bind(struct writer *w, struct region *rg)
{
	if (!ut_writer_ours(w, rg))
		return false;
	if (ut_writer_find(w, rg))
		return true;
	atomic_fetch_add_explicit(&rg->header->lost, 1, memory_order_relaxed);
	return false;
}

/*
 * The other way round, after an event that left the writer without a
 * sub-buffer of its own: any number of threads share the slots that there are.
 * The slot is free after all else is done, and a writer that is unbound has no
 * room, wherever a handler jumps out of here.  Relaxed: see thread_holds.
 */
void
ut_writer_unbind(struct writer *w, struct region *rg)
{
	const uint32_t i = (uint32_t)(w->slot - rg->slots);

	ut_writer_let_go(w);
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&w->bound, 0, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	slot_free(rg, i);
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&w->claim, 0, __ATOMIC_RELAXED);
	atomic_store_explicit(&rg->slot_hint, i, memory_order_relaxed);
	if (atomic_load_explicit(&rg->header->noslot,
	    memory_order_relaxed) != 0) {
		ut_now_free(rg);	/* in case a handler jumps now */
		atomic_store_explicit(&rg->header->noslot, 0,
		    memory_order_relaxed);
		ut_now_free(rg);
	}
}

/* The consumer sees what was stored before, or is woken. */
static void
wake_sleeper(struct region *rg)
{
	struct ut_header *h = rg->header;

	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&h->asleep, memory_order_relaxed) != 0 &&
	    atomic_exchange_explicit(&h->asleep, 0,
	    memory_order_relaxed) != 0)
		ut_bell_ring(&rg->bell);
}

/*
 * Wake the consumer once there is enough to do.  Where that is the header's
 * bell, the consumer does not go to sleep either, and the fence orders delivery
 * before the load of `asleep', as the consumer orders asleep before its last
 * look at `delivered': one of the two sees the other.
 */
void
ut_bell_maybe(struct region *rg, uint32_t enough)
{
	struct ut_header *h = rg->header;
	uint32_t n;

	/* Release: who counts the delivery sees FULL. */
	n = atomic_fetch_add_explicit(&h->delivered, 1,
	    memory_order_release) + 1;
	if (rg->bell.at == NULL ||
	    n - atomic_load_explicit(&h->taken, memory_order_relaxed) <
	    enough)
		return;
	wake_sleeper(rg);
}

/*
 * The consumer sleeps until somebody traces, which the busy writer is about to
 * do.  It rings first, hence release: a thread that is stopped or dies in
 * between keeps nobody else from ringing, and as it is busy, the consumer does
 * not doze off again meanwhile.  ut_abi(5), "Dozing", says why this is enough.
 */
void
ut_bell_wake(struct region *rg)
{
	const int error = errno;
	uint32_t was = UT_DOZING;

	if (rg->bell.at != NULL)
		ut_bell_ring(&rg->bell);
	(void)atomic_compare_exchange_strong_explicit(&rg->header->active,
	    &was, UT_ACTIVE, memory_order_release, memory_order_relaxed);
	errno = error;
}
