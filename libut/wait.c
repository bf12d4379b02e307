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
 * Block mode: to wait for space.
 *
 * Who waits has nothing in the region, neither a sub-buffer nor a slot, and is
 * not busy.  So it is in nobody's way, and wherever it is killed, or a handler
 * jumps out of it, there is nothing to take back.
 *
 * It stores 1 in the header's `waiting', looks for space, and sleeps unless
 * waiting is 0 by then.  Who frees something raises `freed', swaps 0 into
 * waiting if that is 1, and wakes as many as it has freed.  A fence on either
 * side orders the two, so that one sees the other: the look finds what is free,
 * or the 1 is found, and then the writer does not go to sleep or is woken.  Who
 * is woken stores 1 again before it looks, for those that sleep on.  What is
 * freed before that store wakes nobody: so who has waited wakes as many as were
 * freed between its last two looks, but for itself.  A consumer that dies in
 * between leaves all that to the next one, which raises freed and wakes
 * everybody.  regress/spin/block.pml is this, for a model checker.
 *
 * The sleep is short, though.  Not all that a wait ends for is told of in this
 * way, and who is woken may be dead before it looks.
 *
 * A wait ends when there is room, when its time is over, or with the session.
 * A consumer that drains nothing for a while is dead, or as good as that, and
 * nothing is worth a wait until it drains something: then the time is over, for
 * all threads of the program, and for all their events after that one.  Without
 * a utd that while is shorter, for nobody replaces a consumer that dies.
 *
 * A thread does not know whether it is in a signal handler, which may have
 * interrupted anything.  So all is async-signal-safe; and no handler waits
 * whose event came in the middle of another, nor does one that has the
 * library's lock.  Signals are not blocked: their handlers run, or the process
 * ends, while the thread waits.
 */

#include "ut_priv.h"

#define MS		UINT64_C(1000000)	/* ns */
/* How late the end of all else is seen. */
#define NAP_MAX		50
/* How long nothing is freed: at least, at most, and without a utd. */
#define STUCK_MIN	1000u
#define STUCK_MAX	10000u
#define STUCK_ALONE	300u

/* For those who wait: since when progress is that; 0: nobody has asked. */
static struct stuck {
	ut_a64	 since;
	ut_a64	 progress;
} stuck[UT_REGIONS];

static struct stuck *
stuck_of(const struct region *rg)
{
	return &stuck[rg - ut_regions];
}

/*
 * A number that changes as long as the consumer is well: how many of the
 * delivered sub-buffers it has drained.  If it has drained all, the number
 * changes whenever anybody frees something.
 */
static uint64_t
progress(const struct region *rg)
{
	const struct ut_header *h = rg->header;
	const uint32_t drained = atomic_load_explicit(&h->drained,
	    memory_order_relaxed);

	if (atomic_load_explicit(&h->delivered, memory_order_relaxed) !=
	    drained)
		return drained;
	return UINT64_C(1) << 32 | atomic_load_explicit(&h->freed,
	    memory_order_relaxed);
}

/* The region is new. */
void
ut_wait_init(const struct region *rg)
{
	atomic_store_explicit(&stuck_of(rg)->since, 0, memory_order_relaxed);
}

/*
 * There was room for somebody.  If that is not the consumer's doing, as in a
 * sub-buffer that is shared, its time goes on.
 */
void
ut_wait_room(const struct region *rg)
{
	struct stuck *s = stuck_of(rg);

	if (atomic_load_explicit(&s->since, memory_order_relaxed) != 0 &&
	    atomic_load_explicit(&s->progress, memory_order_relaxed) !=
	    progress(rg))
		atomic_store_explicit(&s->since, 0, memory_order_relaxed);
}

/* How long is it to wait for nothing? */
static uint32_t
stuck_after(const struct region *rg)
{
	if (rg->kept)
		return STUCK_ALONE;
	if (rg->patience < STUCK_MIN)
		return STUCK_MIN;
	return rg->patience < STUCK_MAX ? rg->patience : STUCK_MAX;
}

/*
 * Does anybody make room?  Threads that do this at once may note one another's
 * time: the next to come sees the progress as it is.
 */
static bool
progress_made(const struct region *rg, uint64_t now)
{
	struct stuck *s = stuck_of(rg);
	const uint64_t seen = progress(rg);
	const uint64_t since = atomic_load_explicit(&s->since,
	    memory_order_relaxed);

	if (since != 0 && seen == atomic_load_explicit(&s->progress,
	    memory_order_relaxed))
		return now < since || now - since < stuck_after(rg) * MS;
	atomic_store_explicit(&s->progress, seen, memory_order_relaxed);
	atomic_store_explicit(&s->since, now, memory_order_relaxed);
	return true;
}

/* May the event of this writer, which is busy, wait at all? */
bool
ut_wait_may(const struct writer *w, struct region *rg)
{
	return rg->patience != 0 && ut_writer_outer(w, rg) && !ut_entered &&
	    progress_made(rg, ut_nanoseconds());
}

void
ut_wait_begin(struct space *s, struct region *rg)
{
	s->begun = ut_nanoseconds();
	s->nap = 1;
	s->freed = atomic_load_explicit(&rg->header->freed,
	    memory_order_relaxed);
	s->rung = false;
	atomic_fetch_add_explicit(&rg->header->waits, 1,
	    memory_order_relaxed);
}

/*
 * Ring once per wait, however little is full: the consumer then takes back, for
 * those who wait, what idle threads hold.
 */
static void
wait_ring(struct space *s, struct region *rg)
{
	struct ut_header *h = rg->header;

	if (s->rung || rg->bell.at == NULL ||
	    atomic_load_explicit(&h->asleep, memory_order_relaxed) == 0 ||
	    atomic_exchange_explicit(&h->asleep, 0, memory_order_relaxed) == 0)
		return;
	s->rung = true;
	ut_bell_ring(&rg->bell);
}

/* Before the writer looks for space once more. */
void
ut_wait_say(struct space *s, struct region *rg)
{
	atomic_store_explicit(&rg->header->waiting, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	s->freed_before = s->freed;
	s->freed = atomic_load_explicit(&rg->header->freed,
	    memory_order_relaxed);
}

/*
 * Wait until something may be free that was not since ut_wait_say; false if
 * there is nothing more to wait for.
 */
bool
ut_wait(struct space *s, struct region *rg)
{
	struct ut_header *h = rg->header;
	const uint64_t now = ut_nanoseconds(), gone = (now - s->begun) / MS;
	uint32_t nap = s->nap;

	if (!atomic_load_explicit(&rg->attached, memory_order_acquire) ||
	    atomic_load_explicit(&h->active, memory_order_relaxed) == 0 ||
	    (gone >= rg->patience && rg->patience != UT_TIMEOUT_FOREVER) ||
	    !progress_made(rg, now))
		return false;
	if (nap > rg->patience - gone)
		nap = rg->patience - (uint32_t)gone;
	wait_ring(s, rg);
	ut_word_wait(&h->waiting, 1, (int)nap);
	s->nap = s->nap * 2 < NAP_MAX ? s->nap * 2 : NAP_MAX;
	return true;
}

/*
 * The writer has looked for the last time.  It wakes others for what was freed
 * before it stored 1.  If somebody has swapped 0 in since then, those who were
 * woken do that when they have looked.
 */
void
ut_wait_end(const struct space *s, struct region *rg)
{
	struct ut_header *h = rg->header;
	const uint64_t time = ut_nanoseconds() - s->begun;
	const uint32_t freed = s->freed - s->freed_before;
	uint64_t old;

	if (freed > 1)
		ut_wake_waiting(rg, freed - 1);
	atomic_fetch_add_explicit(&h->waited, time, memory_order_relaxed);
	old = atomic_load_explicit(&h->longest, memory_order_relaxed);
	while (old < time && !atomic_compare_exchange_weak_explicit(
	    &h->longest, &old, time, memory_order_relaxed,
	    memory_order_relaxed))
		continue;
}
