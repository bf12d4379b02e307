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
 * Overwritten events of which no packet with events tells.
 *
 * A packet tells by its seq which of its slot's own sub-buffers are missing
 * before it: see drain.c.  If the slot's thread has ended, there is no later
 * packet, and an empty one tells.  A sub-buffer that threads share has no seq.
 * A thread that drops it adds to its `gone', and notes when its last event was.
 * At each tick an empty packet, in a stream of shared packets, tells of all
 * that were dropped since the last tick: readers find so many packets missing,
 * and between which times.
 *
 * The first of these times is found at the tick before.  Events that are
 * dropped later were recorded after their sub-buffer was claimed or, if it is
 * free, after that look.  We look before we load `gone', so the claim is that
 * of the first sub-buffer that `gone' does not count yet, or of an earlier one.
 * The header has the least of these times, for a consumer that takes over.
 */

#include <stdatomic.h>
#include <string.h>

#include "piece.h"

/* A region that is new, or that another consumer had. */
void
gone_begin(struct region *r, bool again)
{
	const uint64_t now = region_now(r);
	uint32_t i;

	if (!again)
		store(&r->header->gone_since, now);
	for (i = 0; i < r->nsubs; i++) {
		r->gones[i].telling = load(&r->subs[i].told);
		r->gones[i].since = load(&r->header->gone_since);
	}
}

/*
 * A dropped event is no part of a copy, but if it is newer than the first one
 * that is, it may be the end of something that begins there.  So the copy has a
 * stream with a single empty packet, whose number is not 0: readers take that
 * for events that are missing until then.
 */
void
gone_copy(const struct region *r, struct region *c, uint64_t first)
{
	struct ut_subbuf *sub;
	uint64_t last = 0, t;
	uint32_t i;

	for (i = 0; r->overwrites && i < c->nsubs; i++) {
		sub = &c->subs[i];
		if (UT_STATE(load(&sub->state)) != UT_FULL)
			sub = &r->subs[i];
		if ((t = load(&sub->gone_last)) > last)
			last = t;
	}
	store(&c->subs[0].gone, last > first);
	store(&c->subs[0].gone_last, last);
}

/* The packet was written; or not, and the next one of its stream tells. */
static void
gone_told(struct region *r, const struct piece *pc, uint64_t lost, bool written)
{
	uint32_t i;

	(void)pc;
	(void)lost;
	(void)written;
	for (i = 0; i < r->nsubs; i++)
		if (load(&r->subs[i].told) != r->gones[i].telling)
			store(&r->subs[i].told, r->gones[i].telling);
}

/* A time before all that is dropped from now on and not counted yet. */
static uint64_t
gone_after(const struct region *r, uint32_t i, uint64_t now)
{
	const struct ut_subbuf *sub = &r->subs[i];
	uint64_t t = load(&sub->first);

	if (UT_STATE(load_acquire(&sub->state)) == UT_FREE)
		t = now;
	if (t < r->until[i])
		t = r->until[i];
	return t > r->gones[i].since ? t : r->gones[i].since;
}

/* Find out what is to be told, and from when on the next time. */
static void
gone_look(struct region *r, struct packet *pk)
{
	const uint64_t now = region_now(r);
	const struct ut_subbuf *sub;
	struct gone *g;
	uint64_t last;
	uint32_t i;

	memset(pk, 0, sizeof(*pk));
	pk->shared = true;
	pk->name = "";
	pk->begin = UINT64_MAX;
	for (i = 0; i < r->nsubs; i++) {
		sub = &r->subs[i];
		g = &r->gones[i];
		g->next = gone_after(r, i, now);
		atomic_thread_fence(memory_order_acquire);
		g->count = load_acquire(&sub->gone);
		if (g->count == g->telling)
			continue;
		last = load(&sub->gone_last);
		pk->gap += g->count - g->telling;
		pk->end = last > pk->end ? last : pk->end;
		pk->begin = g->since < pk->begin ? g->since : pk->begin;
	}
	pk->end = region_no_later(r, pk->end);
	if (pk->begin > pk->end)
		pk->begin = pk->end;
}

/* Will no thread go on with the slot?  True of all slots in the last pass. */
static bool
slot_over(const struct region *r, uint32_t i, bool all)
{
	uint64_t owner;

	if (all)
		return true;
	owner = load_acquire(&r->slots[i].owner);
	return owner == 0 || program_dead(owner);
}

/*
 * Is there a packet of that sub-buffer of the slot's, or will there be one?
 * Not if the thread has ended before its first event there, or while it dropped
 * what others had there.  A claim without an event is then taken out of what
 * the slot is to tell: nothing is missing.
 */
static bool
sub_tells(struct region *r, uint32_t i, uint64_t word, bool all)
{
	const struct ut_subbuf *sub = &r->subs[i];
	struct loss *l = &r->losses[UT_STATE_SLOT(word)];
	uint64_t seq;

	if (!slot_over(r, UT_STATE_SLOT(word), all))
		return true;
	if (UT_STATE(word) == UT_TAKEN)
		return false;
	if (UT_STATE(word) != UT_OWNED || load_acquire(&sub->commit) != 0)
		return true;
	seq = load(&sub->seq);
	if (seq != 0 && seq == l->seq)
		l->seq = seq - 1;
	return false;
}

/*
 * Note which slots have something in the region, and will tell by that of what
 * is missing before.  Returns the time of the last event that was dropped.
 */
static uint64_t
look_slots(struct region *r, bool all)
{
	uint64_t word, last = 0, t;
	uint32_t i, n = region_slots_used(r);
	struct loss *l;

	for (i = 0; i < n; i++)
		r->losses[i].has = 0;
	for (i = 0; i < r->nsubs; i++) {
		word = load_acquire(&r->subs[i].state);
		if (UT_STATE(word) != UT_FREE && (word & UT_SHARED) == 0 &&
		    UT_STATE_SLOT(word) < n && sub_tells(r, i, word, all)) {
			l = &r->losses[UT_STATE_SLOT(word)];
			t = load(&r->subs[i].seq);
			l->has = t > l->has ? t : l->has;
		}
		if ((t = load(&r->subs[i].gone_last)) > last)
			last = t;
	}
	return region_no_later(r, last);
}

/*
 * Find the seq up to which a packet with events tells, or will tell, of what is
 * missing.  The one that is there may be REVOKED, and its thread have claimed
 * others.
 */
static uint64_t
slot_told(const struct region *r, uint32_t i)
{
	const uint64_t done = r->done_seq[i], has = r->losses[i].has;

	if (has <= done)
		return done;
	return has == done + 1 ? has : UINT64_MAX;
}

/*
 * The slot's sub-buffers behind `told' are not there any more; what was dropped
 * is not newer than `last'.  If the slot has no stream yet, this is the first
 * packet of one: see gone_copy.
 */
static void
tell_slot(struct region *r, uint32_t i, uint64_t told, uint64_t last)
{
	static const struct piece none = { .sub = NO_SUB };
	const uint64_t seq = r->losses[i].seq;
	struct packet pk;
	uint64_t begin;
	uint32_t stream;

	names_packet(&pk, r, i);
	pk.gap = seq - told;
	region_advance(r, i, seq);
	if (pk.gap > UINT32_MAX)
		return;
	pk.end = last;
	pk.begin = sink_writes(r->sink, i) ? pk.end : 0;
	stream = sink_stream(r->sink, i, &pk);
	if (stream == NO_STREAM)
		return;
	if (!sink_last(r->sink, stream, &begin, &pk.begin))
		pk.begin = 0;
	loss_unwritten(r, stream, &pk);
	(void)batch_add(r, stream, &none, &pk);
	batch_flush(r);
	region_passed(r, i, seq);
}

/*
 * The slot's claims that count; 0: a thread has the slot, which will tell of
 * them.  Acquire, here or by the caller's fence, pairs with the release of the
 * claim: who sees it sees that a thread has, or had, the slot, and the
 * sub-buffer with its seq.  A thread that ends takes its last claim back if
 * that is empty; then another may have the slot, and claim more.
 */
static uint64_t
slot_claims(const struct region *r, uint32_t i, bool all)
{
	const ut_a64 *seq = &r->slots[i].seq;
	const uint64_t before = load_acquire(seq);
	uint64_t now;

	if (!slot_over(r, i, all))
		return 0;
	now = load(seq);
	return now < before ? now : before;
}

/*
 * Tell of the slots that no thread has any more, or of all.  The claims are
 * counted before the look at who has the slot, and that before the look at the
 * sub-buffers: what another thread claims meanwhile is there, or tells later.
 */
void
gone_slots(struct region *r, bool all)
{
	const struct trace *t = r->sink->trace;
	uint32_t i, n = region_slots_used(r);
	uint64_t last;

	if (!r->overwrites || r->copy || (t->meta == -1 && !t->nowhere))
		return;
	for (i = 0; i < n; i++)
		r->losses[i].seq = slot_claims(r, i, all);
	atomic_thread_fence(memory_order_acquire);
	last = look_slots(r, all);
	for (i = 0; i < n; i++)
		if (r->losses[i].seq > slot_told(r, i))
			tell_slot(r, i, slot_told(r, i), last);
}

/* Tell of drops; so many that numbers of packets may overflow are nonsense. */
void
gone_tell(struct region *r)
{
	static const struct piece none = { .sub = NO_SUB, .done = gone_told };
	const struct trace *t = r->sink->trace;
	struct packet pk;
	uint64_t least;
	uint32_t i, stream;

	if (!r->overwrites || (t->meta == -1 && !t->nowhere))
		return;
	gone_look(r, &pk);
	if (pk.gap > 0 && pk.gap <= UINT32_MAX) {
		stream = sink_stream(r->sink, r->nslots + r->nsubs, &pk);
		if (stream == NO_STREAM)
			return;
		loss_unwritten(r, stream, &pk);
		if (!batch_add(r, stream, &none, &pk))
			return;
	}
	least = UINT64_MAX;
	for (i = 0; i < r->nsubs; i++) {
		r->gones[i].telling = r->gones[i].count;
		r->gones[i].since = r->gones[i].next;
		if (r->gones[i].since < least)
			least = r->gones[i].since;
	}
	batch_flush(r);
	store(&r->header->gone_since, least);	/* told before that */
}
