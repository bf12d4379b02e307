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
 * Give a region its sink, and take over a region that another consumer had,
 * wherever that consumer died.
 *
 * Events whose packet is not whole in a file are written once more, for they
 * still are in the region.  The other way round, packets of the last writev(2)
 * may be in the file and not be marked as consumed.  So each sub-buffer has in
 * `writing' what its `consumed' was about to become: if one of the last packets
 * has just these bytes, they were written.
 *
 * Lost events are counted by those who lost them, and the region says how many
 * of them packets tell of: see loss.c.
 */

#include <stdatomic.h>

#include "region.h"
#include "sink.h"

#define TRIES	1000		/* a program of bad faith may go on for ever */

/*
 * Keep writers from dropping it; false if it is in another state by now.  The
 * last consumer may have pinned it, and nobody may drop it before we have
 * looked: what was OWNED stays pinned if it is FULL now.
 */
static bool
sub_hold(struct region *r, uint32_t i, uint64_t word)
{
	if (!r->overwrites || UT_STATE(word) == UT_READING)
		return true;
	if (UT_STATE(word) == UT_OWNED)
		return region_pin_any(r, i, &word);
	return UT_STATE(word) == UT_TAKEN || UT_STATE(word) == UT_FREE ||
	    region_sub_take(r, i, word);
}

/*
 * Find out how much of a sub-buffer the last consumer has written.  What was
 * consumed, and what was to be next, are looked at once, before: who drops a
 * sub-buffer that is not held stores one after the other.
 */
static void
adopt_held(struct region *r, const struct sink *k, uint32_t i,
    uint64_t word, uint64_t consumed, uint64_t next)
{
	struct ut_subbuf *sub = &r->subs[i];
	uint64_t commit = load_acquire(&sub->commit), until;

	if (UT_STATE(word) == UT_FREE || UT_STATE(word) == UT_TAKEN)
		return;
	if (UT_STATE(word) == UT_READING && commit == 0) {
		region_sub_free(r, i);
		return;
	}
	if (!commit_valid(r, commit, consumed))
		return;			/* damaged: let the drain say so */
	r->consumed[i] = consumed;
	r->until[i] = load(&sub->until);
	if (next == consumed || !commit_valid(r, next, consumed) ||
	    !commit_valid(r, commit, next) ||
	    !sink_has(k, load(&sub->tid),
	    region_data(r, i, UT_COMMIT_LEN(consumed)),
	    UT_COMMIT_LEN(next) - UT_COMMIT_LEN(consumed), &until))
		return;
	region_written(r, UT_COMMIT_COUNT(next) - UT_COMMIT_COUNT(consumed));
	if ((word & UT_SHARED) == 0 && UT_STATE_SLOT(word) < r->nslots)
		region_passed(r, UT_STATE_SLOT(word), load(&sub->seq) - 1);
	region_sub_consumed(r, i, next, until);
}

/*
 * Events that were about to be written are looked for in the files before they
 * can be dropped, or they would count twice.  The sub-buffer is pinned, or
 * READING, by the last consumer or us.
 */
static void
adopt_sub(struct region *r, const struct sink *k, uint32_t i)
{
	struct ut_subbuf *sub = &r->subs[i];
	uint64_t word, consumed, next;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		r->round[i] = load_acquire(&sub->round);
		word = load_acquire(&sub->state);
		consumed = load(&sub->consumed);
		next = load(&sub->writing);
		if (next == consumed || sub_hold(r, i, word)) {
			adopt_held(r, k, i, word, consumed, next);
			break;
		}
	}
}

/*
 * A slot's sub-buffers are written up to the first that is still there.  In
 * overwrite mode that may be a later one, and another one by now: the last
 * consumer has noted how far it was.
 */
static void
adopt_slots(struct region *r)
{
	uint32_t i, n = region_slots_used(r), slot;
	uint64_t word, seq;

	for (i = 0; i < n; i++)
		r->done_seq[i] = load(r->overwrites ? &r->slots[i].done :
		    &r->slots[i].seq);
	for (i = 0; i < r->nsubs && !r->overwrites; i++) {
		word = load_acquire(&r->subs[i].state);
		slot = UT_STATE_SLOT(word);
		seq = load(&r->subs[i].seq);
		if (UT_STATE(word) != UT_FREE && (word & UT_SHARED) == 0 &&
		    slot < n && seq > 0 && r->done_seq[slot] >= seq)
			r->done_seq[slot] = seq - 1;
	}
}

/* Find out how much of the region the last consumer has written there. */
static bool
adopt_sink(struct region *r, struct sink *k)
{
	bool ok = true;
	uint32_t i;

	if (k->trace->nowhere) {
		(void)region_count(r, &k->bytes, load(&r->header->bytes));
		(void)region_count(r, &k->packets, load(&r->header->packets));
	} else {
		ok = sink_adopt(k);
	}
	for (i = 0; ok && i < r->nsubs; i++)
		adopt_sub(r, k, i);
	return ok;
}

/* Nothing more goes there: note what the parent wants to know of it. */
void
region_left_sink(struct region *r, const struct sink *k)
{
	uint32_t i;

	for (i = 0; i < k->nstreams; i++)
		count_add(&r->past.told, k->streams[i].discarded);
	r->past.trace = k->trace->id;
	r->past.bytes = k->bytes;
	r->past.packets = k->packets;
	r->past.unsaid = true;
}

/*
 * The last consumer was about to go on in this trace, or had already: what it
 * wrote last is there or in the trace before, which is complete now.
 */
static void
adopt_past(struct region *r)
{
	struct trace *t = r->past.trace == 0 ? NULL :
	    trace_find(r->past.trace);
	struct sink *k;

	if (t == NULL)
		return;
	k = sink_new(r, t);
	(void)adopt_sink(r, k);
	sink_adopted();
	region_left_sink(r, k);
	sink_free(k);
}

/* Find out how far the last consumer was; false and errno if that fails. */
static bool
adopt_region(struct region *r)
{
	struct sink *k = r->sink;
	uint64_t told;
	uint32_t i;
	bool ok;

	(void)region_count(r, &r->written, load(&r->header->written));
	(void)region_count(r, &r->dropped, load(&r->header->dropped));
	/* The last consumer may have revoked something just now. */
	r->revoked = ut_msg_now();
	adopt_past(r);
	ok = adopt_sink(r, k);
	for (i = 0; i < r->nsubs; i++)
		region_unpin(r, i);
	if (!ok)
		return false;
	adopt_slots(r);
	for (told = r->past.told, i = 0; i < k->nstreams; i++)
		count_add(&told, k->streams[i].discarded);
	loss_adopt(r, told);
	return true;
}

/*
 * Give a region its sink, and if another consumer had it, take it over; false
 * and errno if nothing can be written there.  A new one may follow a region of
 * the channel that is gone: then the new files are numbered after those.
 */
bool
region_begin(struct region *r, struct trace *t, bool again)
{
	bool ok = true;

	r->sink = sink_new(r, t);
	r->begun = region_now(r);
	loss_begin(r);
	gone_begin(r, again);
	if (again) {
		pause_adopt(r);
		region_wake_all(r);
		ok = adopt_region(r);
	}
	if (!again && t->adopted && t->fd != -1)
		(void)sink_adopt(r->sink);
	sink_adopted();
	return ok;
}

/* End the sink, and let go of the region. */
void
region_end(struct region *r)
{
	sink_free(r->sink);
	region_free(r);
}
