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
 * The region, as its consumer handles it.  Programs can write anything there:
 * a value of theirs is copied, checked and then used.
 */

#include <stdatomic.h>
#include <time.h>

#include "../../libut/common/clock.h"
#include "consumer.h"
#include "region.h"

/* How long a stop waits for events that are under way. */
#define QUIET_EACH	100	/* ms to wait for the event of one slot */
#define QUIET_ALL	400	/* ms for all slots of one region */
#define QUIET_MAX	1000	/* ms for all regions that stop within
				   QUIET_SPAN */
#define QUIET_SPAN	10000	/* ms: LATE_MS, after which the parent takes us
				   for hung */

#define LATER	(4 * UT_TIME_GAP)	/* than the latest time, at most */

struct region *regions;

struct region *
region_known(uint32_t id)
{
	struct region *r;

	for (r = regions; r != NULL && r->id != id; r = r->next)
		continue;
	return r;
}

void
region_damaged(struct region *r)
{
	if (!r->damaged)
		report_trouble(r->id, UT_TROUBLE_LOST, "channel %s: the "
		    "buffers are damaged: events are lost", r->name);
	r->damaged = true;
}

/*
 * Take over a count of the programs', who can write anything there: a count
 * that makes no sense stays what it was when it made sense.
 */
uint64_t
region_count(struct region *r, uint64_t *n, uint64_t now)
{
	if (!count_grew(n, now))
		region_damaged(r);
	return *n;
}

/* The bytes of a sub-buffer, from that offset on. */
const unsigned char *
region_data(const struct region *r, uint32_t sub, uint32_t offset)
{
	return r->data + (size_t)sub * r->subsize + offset;
}

uint32_t
region_slots_used(const struct region *r)
{
	uint32_t n;

	n = load_acquire(&r->header->slots_used);
	return n < r->nslots ? n : r->nslots;
}

/*
 * How long may we wait for threads of one more region?  Programs write `busy'
 * as they like, and each can have regions of its own.
 */
static int64_t
quiet_left(int64_t now, int64_t waited)
{
	static int64_t since, spent;

	if (now - since >= QUIET_SPAN) {
		since = now;
		spent = 0;
	}
	spent += waited;
	return spent + QUIET_ALL <= QUIET_MAX ? QUIET_ALL :
	    spent < QUIET_MAX ? QUIET_MAX - spent : 0;
}

/*
 * Wait for the events that began before `active' was cleared, but not for long:
 * their threads may be stopped, or dead and not yet buried.  What is over after
 * the nap, as nearly all are, takes nothing from the others.
 */
static void
wait_quiet(struct region *r)
{
	static const struct timespec nap = { 0, 1000000 };
	uint32_t i, n = region_slots_used(r);
	int64_t began, all, each, now;

	nanosleep(&nap, NULL);
	began = ut_msg_now();
	all = began + quiet_left(began, 0);
	for (i = 0; i < n; i++) {
		now = ut_msg_now();
		each = now + QUIET_EACH;
		while (now < each && now < all &&
		    load_acquire(&r->slots[i].busy) != 0) {
			nanosleep(&nap, NULL);
			now = ut_msg_now();
		}
	}
	now = ut_msg_now();
	(void)quiet_left(now, now - began);
}

void
region_start(struct region *r)
{
	atomic_store(&r->header->active, UT_ACTIVE);
}

/*
 * Let no more events begin, nor wait.  If all programs are dead, none is under
 * way.
 */
void
region_stop(struct region *r, bool dead)
{
	atomic_store(&r->header->active, 0);
	region_wake_all(r);
	if (!dead)
		wait_quiet(r);
}

/*
 * May that commit follow one that was there before?  No event is without bytes,
 * and no bytes are without an event.
 */
bool
commit_valid(const struct region *r, uint64_t commit, uint64_t was)
{
	const uint32_t len = UT_COMMIT_LEN(commit) - UT_COMMIT_LEN(was);
	const uint32_t n = UT_COMMIT_COUNT(commit) - UT_COMMIT_COUNT(was);

	return UT_COMMIT_LEN(commit) <= r->subsize &&
	    UT_COMMIT_LEN(commit) >= UT_COMMIT_LEN(was) &&
	    n <= len / UT_EVENT_HEAD && (n > 0 || len == 0);
}

/*
 * Will no more packets come from that source?  None will from a slot that is
 * free or whose owner is dead, nor from any if the region is stopped.  Shared
 * sub-buffers are never over, or, where any sub-buffer may become shared and be
 * dropped again, after each packet.  A higher number is that of no source.
 */
bool
region_over(const struct region *r, uint32_t source)
{
	uint64_t owner;

	if (source >= r->nslots)
		return r->overwrites || source >= r->nslots + r->nsubs;
	owner = load(&r->slots[source].owner);
	return owner == 0 || program_dead(owner) ||
	    load(&r->header->active) == 0;
}

/* Something is free again.  Release: whoever claims it finds it clean. */
static void
now_free(struct region *r)
{
	r->nfreed++;
	atomic_fetch_add_explicit(&r->header->freed, 1,
	    memory_order_release);
}

/*
 * Wake writers that wait for space, in block mode, as many as there is space
 * for.  The fence orders freed before the load of `waiting': see libut/wait.c.
 * True if any waits; one is woken in any case, to find out if it lives.
 */
bool
region_wake(struct region *r)
{
	struct ut_header *h = r->header;
	const uint32_t n = r->nfreed != 0 ? r->nfreed : 1;

	r->nfreed = 0;
	if (!attrs_block(&r->attrs))
		return false;
	atomic_thread_fence(memory_order_seq_cst);
	if (load(&h->waiting) == 0 || atomic_exchange_explicit(&h->waiting, 0,
	    memory_order_relaxed) == 0)
		return false;
	ut_word_wake(&h->waiting, n);
	return true;
}

/*
 * All of them.  The last consumer may have died before it told of what it had
 * freed, or after it knew that somebody waits and before it woke them.
 */
void
region_wake_all(struct region *r)
{
	now_free(r);
	atomic_thread_fence(memory_order_seq_cst);
	store(&r->header->waiting, 0);
	ut_word_wake(&r->header->waiting, UINT32_MAX);
}

/* Note that the slot's sub-buffers up to that one are dealt with. */
void
region_advance(struct region *r, uint32_t slot, uint64_t seq)
{
	if (r->done_seq[slot] < seq)
		r->done_seq[slot] = seq;
	r->waited[slot] = 0;
}

/* Note it for the next consumer: the files show it, too. */
void
region_passed(struct region *r, uint32_t slot, uint64_t seq)
{
	if (r->overwrites && load(&r->slots[slot].done) < seq)
		store(&r->slots[slot].done, seq);
}

void
region_slot_free(struct region *r, uint32_t i)
{
	struct ut_slot *slot = &r->slots[i];

	region_advance(r, i, load(&slot->seq));
	region_passed(r, i, r->done_seq[i]);
	store(&slot->busy, 0);
	atomic_store_explicit(&slot->owner, 0, memory_order_release);
	now_free(r);
}

/* Change the state from that word to READING; false if it is another by now. */
bool
region_sub_take(struct region *r, uint32_t i, uint64_t word)
{
	return atomic_compare_exchange_strong_explicit(&r->subs[i].state,
	    &word, UT_STATE_WORD(UT_STATE_GEN(word), UT_STATE_SLOT(word),
	    UT_READING | (word & UT_SHARED)), memory_order_acquire,
	    memory_order_relaxed);
}

/* READING -> FULL.  Release: we have read what we wanted. */
void
region_sub_leave(struct region *r, uint32_t i)
{
	const uint64_t word = load(&r->subs[i].state);

	atomic_store_explicit(&r->subs[i].state, UT_STATE_WORD(
	    UT_STATE_GEN(word), UT_STATE_SLOT(word),
	    UT_FULL | (word & UT_SHARED)), memory_order_release);
}

/* One less is left of those that were delivered before the last look. */
static void
one_drained(struct region *r)
{
	const uint32_t drained = load(&r->header->drained);

	if ((int32_t)(r->taken - drained) > 0)
		store(&r->header->drained, drained + 1);
}

/*
 * Free a sub-buffer.  The lowest is claimed first: its pages are warm.  But if
 * this pass leaves what is newer, writers may be about to drop, and are to meet
 * first what was claimed longest ago.
 */
void
region_sub_free(struct region *r, uint32_t i)
{
	struct ut_subbuf *sub = &r->subs[i];
	uint32_t gen = UT_STATE_GEN(load(&sub->state));

	/*
	 * Commit first: what is READING and has none is as good as free, for
	 * who takes over after we died here.
	 */
	r->consumed[i] = 0;
	r->seen[i] = 0;			/* the next one's is another */
	store(&sub->commit, 0);
	atomic_signal_fence(memory_order_seq_cst);
	store(&sub->consumed, 0);
	store(&sub->writing, 0);
	store(&sub->seq, 0);
	atomic_store_explicit(&sub->state, UT_STATE_WORD(gen, 0, UT_FREE),
	    memory_order_release);
	if (i < load(&r->header->hint) && r->min_age <= 0)
		store(&r->header->hint, i);
	one_drained(r);
	now_free(r);
}

/*
 * Events of a sub-buffer that is TAKEN, by that word, which its slot has yet to
 * count.
 */
static uint64_t
uncounted(const struct region *r, uint32_t i, uint64_t word)
{
	struct ut_subbuf *sub = &r->subs[i];
	const uint64_t commit = load(&sub->commit);
	const uint64_t consumed = load(&sub->consumed);
	uint64_t had, all;

	if (UT_STATE(word) != UT_TAKEN || UT_STATE_SLOT(word) >= r->nslots)
		return 0;
	if (load(&sub->writing) == UT_NOTED) {
		all = load(&sub->until);
		had = load(&r->slots[UT_STATE_SLOT(word)].overwritten);
		return all > had && all - had <= r->subsize / UT_EVENT_HEAD ?
		    all - had : 0;
	}
	return commit_valid(r, commit, consumed) ?
	    UT_COMMIT_COUNT(commit) - UT_COMMIT_COUNT(consumed) : 0;
}

/*
 * Free a sub-buffer over which a program died when it had it TAKEN, by that
 * word, which names one of our slots.  Its events are overwritten; the program
 * may have got so far as to count them.  So may we before we die: what is noted
 * is not counted again.
 */
void
region_sub_drop(struct region *r, uint32_t i, uint64_t word)
{
	struct ut_subbuf *sub = &r->subs[i];
	struct ut_slot *slot = &r->slots[UT_STATE_SLOT(word)];
	const uint64_t n = uncounted(r, i, word);
	const uint64_t all = load(&slot->overwritten) + n;

	if (n > 0 && load(&sub->writing) != UT_NOTED) {
		store(&sub->gone_last, load(&sub->last));
		if ((word & UT_SHARED) != 0)
			store(&sub->gone, load(&sub->gone) + 1);
	}
	store(&sub->until, all);
	atomic_signal_fence(memory_order_seq_cst);
	store(&sub->writing, UT_NOTED);
	atomic_signal_fence(memory_order_seq_cst);
	store(&slot->overwritten, all);
	atomic_signal_fence(memory_order_seq_cst);
	region_sub_free(r, i);
}

/*
 * Forget what is remembered of a sub-buffer if it was dropped since.  Who has
 * seen a state or a commit of after that, by an acquire load, sees its round.
 */
void
region_round(struct region *r, uint32_t i)
{
	const uint32_t round = load(&r->subs[i].round);

	if (round == r->round[i])
		return;
	r->round[i] = round;
	r->consumed[i] = 0;
	r->until[i] = 0;
	r->seen[i] = 0;
}

/*
 * Let the writer of what is OWNED know that a packet may end there, and in
 * overwrite mode keep it from being dropped when it is full, and find out whose
 * it is by now; false if it is not OWNED any more.  Then, too, nobody drops it.
 * See libut/callstack.c and overwrite.c.
 */
bool
region_pin_any(struct region *r, uint32_t i, uint64_t *word)
{
	store(&r->subs[i].pin, 1);
	atomic_thread_fence(memory_order_seq_cst);
	if (!r->overwrites)
		return true;
	*word = load_acquire(&r->subs[i].state);
	return UT_STATE(*word) == UT_OWNED;
}

/* Pin it only if it still is OWNED. */
bool
region_pin(struct region *r, uint32_t i, uint64_t *word)
{
	if (region_pin_any(r, i, word))
		return true;
	region_unpin(r, i);
	return false;
}

/* Release: we have read what we wanted. */
void
region_unpin(struct region *r, uint32_t i)
{
	atomic_store_explicit(&r->subs[i].pin, 0, memory_order_release);
}

/*
 * The events that were overwritten, including those that a thread is about to
 * count, for it may be stopped, or dead, or have left that for good.
 */
uint64_t
region_overwritten(struct region *r)
{
	uint64_t sum = 0;
	uint32_t i, n = region_slots_used(r);

	for (i = 0; i < n; i++)
		count_add(&sum, region_count(r, &r->losses[i].overwritten,
		    load(&r->slots[i].overwritten)));
	for (i = 0; i < r->nsubs; i++)
		count_add(&sum, uncounted(r, i,
		    load_acquire(&r->subs[i].state)));
	return sum;
}

uint32_t
region_used(const struct region *r)
{
	uint32_t i, n = 0;

	for (i = 0; i < r->nsubs; i++)
		n += UT_STATE(load(&r->subs[i].state)) != UT_FREE;
	return n;
}

/* Count events that were written. */
void
region_written(struct region *r, uint64_t n)
{
	r->written += n;
	store(&r->header->written, r->written);
}

/* Count events that will never be written, as lost. */
void
region_dropped(struct region *r, uint64_t n)
{
	r->dropped += n;
	store(&r->header->dropped, r->dropped);
}

/* Note how many bytes and packets there were, for which there is no file. */
void
region_counts(const struct region *r, uint64_t bytes, uint64_t packets)
{
	store(&r->header->bytes, bytes);
	store(&r->header->packets, packets);
}

/*
 * Note that a sub-buffer is written up to that commit, and until what time.
 * The time is stored first: whoever finds the commit finds its time.
 */
void
region_sub_consumed(struct region *r, uint32_t i, uint64_t commit,
    uint64_t until)
{
	r->consumed[i] = commit;
	r->until[i] = until;
	store(&r->subs[i].until, until);
	atomic_signal_fence(memory_order_seq_cst);
	store(&r->subs[i].consumed, commit);
}

void
region_look(struct region *r)
{
	const uint64_t now = region_now(r);

	if (r->latest < now)
		r->latest = now;
	r->taken = load_acquire(&r->header->delivered);
	store(&r->header->taken, r->taken);
}

/* All that was delivered before the last look is dealt with. */
void
region_looked(struct region *r)
{
	store(&r->header->drained, r->taken);
}

/* May there be full sub-buffers that no pass has dealt with? */
bool
region_has_full(const struct region *r)
{
	return r->wait_errno != 0 || r->held || r->more_full ||
	    load(&r->header->delivered) != r->taken;
}

/*
 * Ask writers to ring the bell, or tell them that we are awake.  False if so
 * much was delivered that we need not sleep: see ut_bell_maybe in libut/slot.c.
 */
bool
region_sleep(struct region *r, bool asleep)
{
	store(&r->header->asleep, asleep);
	if (!asleep)
		return true;
	atomic_thread_fence(memory_order_seq_cst);
	return load(&r->header->delivered) - r->taken < r->bell &&
	    load(&r->header->nameless) == 0;
}

uint64_t
region_now(const struct region *r)
{
	return ut_read_clock(r->attrs.v[ATTR_CLOCK]);
}

/*
 * The time, or about now if it has yet to come.  Such a time is nonsense, and
 * readers that add to it may overflow: then they refuse the whole trace.  If
 * the cycle counter jumped back, what was recorded before is not nonsense.
 */
uint64_t
region_no_later(const struct region *r, uint64_t t)
{
	const uint64_t now = region_now(r);
	const uint64_t latest = (now > r->latest ? now : r->latest) + LATER;

	return t < latest ? t : latest;
}
