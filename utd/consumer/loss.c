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
 * The events that were lost: which packet tells of them, and between which
 * times.
 *
 * Readers know what was lost between two packets of a stream: the second one
 * has a larger count.  So an empty packet tells of each loss.  It begins where
 * another packet of the stream ends, before the first lost event, and it ends
 * after the last one: these are the two times.
 *
 * A slot loses events only while it has no sub-buffer.  So all that is lost
 * before it claims one, and that no packet tells of yet, was lost after the
 * slot's last packet and before that claim: the sub-buffer's `lost' and `first'
 * tell how many and until when.  If the slot does not get a sub-buffer, a tick
 * tells of what it lost until then.  What is lost without a slot is told of at
 * ticks only, and so are events that could not be written.
 *
 * If nothing is lost for long, the beginning is not the last packet but the
 * last tick at which there was nothing to tell.
 */

#include <stdatomic.h>
#include <string.h>

#include "piece.h"

static uint64_t
lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Times are what programs say, 0 among them. */
static uint64_t
just_before(uint64_t time)
{
	return time > 0 ? time - 1 : 0;
}

/* The slot's, or, behind the last slot, nobody's. */
static struct ut_told *
tell_of(const struct region *r, uint32_t i)
{
	return i < r->nslots ? &r->slots[i].tell : &r->header->tell;
}

/* The events that the slot has lost, or programs without one. */
static uint64_t
lost_by(struct region *r, uint32_t i)
{
	return region_count(r, &r->losses[i].lost, i < r->nslots ?
	    load(&r->slots[i].lost) : load(&r->header->lost));
}

static uint64_t
count_of(struct region *r, uint32_t i)
{
	return lost_by(r, i) + (i < r->nslots ? 0 : r->dropped);
}

/* A slot that was not used when we looked last has lost nothing before. */
static uint64_t
since_of(const struct region *r, uint32_t i)
{
	const uint64_t since = r->losses[i].since;

	return i >= r->nlooked && i < r->nslots && since < r->looked ?
	    r->looked : since;
}

/* Go through the slots that were used, and nobody's. */
static bool
loss_next(const struct region *r, uint32_t *i, uint32_t used)
{
	if (++*i == used)
		*i = r->nslots;
	return *i <= r->nslots;
}

/* The events that were lost, including those that no packet has told of. */
uint64_t
region_lost(struct region *r)
{
	const uint32_t used = region_slots_used(r);
	uint64_t sum = 0;
	uint32_t i = UINT32_MAX;

	while (loss_next(r, &i, used))
		count_add(&sum, count_of(r, i));
	return sum;
}

/* Is there a loss of which no packet tells? */
bool
loss_any(struct region *r)
{
	const uint32_t used = region_slots_used(r);
	uint32_t i = UINT32_MAX;

	while (loss_next(r, &i, used))
		if (count_of(r, i) > r->losses[i].telling)
			return true;
	return false;
}

/*
 * A slot, or nobody, with nothing to tell now will lose only what comes from
 * now on.  A busy thread may have lost an event already and not have counted
 * it.
 */
void
loss_look(struct region *r)
{
	const uint64_t now = region_now(r);
	const uint32_t used = region_slots_used(r);
	struct loss *l;
	uint32_t i = UINT32_MAX;

	while (loss_next(r, &i, used)) {
		l = &r->losses[i];
		l->since = since_of(r, i);
		if ((i == r->nslots || load_acquire(&r->slots[i].busy) == 0) &&
		    count_of(r, i) <= l->telling && l->since < now)
			l->since = now;
		if (load(&tell_of(r, i)->until) != l->since)
			store(&tell_of(r, i)->until, l->since);
	}
	r->nlooked = used;
	r->looked = now;
	loss_mark(r);
}

/* The packet that was to tell of so many was written, or not. */
static void
loss_told(struct region *r, const struct piece *pc, uint64_t n, bool written)
{
	struct loss *l = &r->losses[pc->slot];
	struct ut_told *tell = tell_of(r, pc->slot);

	if (written) {
		l->told += n;
		store(&tell->until, l->since);
		store(&tell->told, l->told);
		return;
	}
	l->telling -= n;
	if (l->since > pc->begin)
		l->since = pc->begin;
	store(&tell->telling, l->telling);
}

/*
 * Have a packet tell of so many, until its end.  After another consumer, the
 * files may know more of the thread than the region.
 */
static void
loss_tell(struct region *r, uint32_t i, uint64_t n, struct packet *pk)
{
	struct piece none = { .sub = NO_SUB, .slot = i, .done = loss_told };
	uint64_t since = since_of(r, i), end = sink_end(r->sink, i, pk);
	uint32_t stream;

	if (since < end)
		since = end;
	pk->begin = since < pk->end ? since : pk->end;
	pk->len = pk->gap = 0;
	pk->lost = n;
	none.begin = pk->begin;
	stream = sink_stream(r->sink, i, pk);
	if (stream == NO_STREAM) {
		region_damaged(r);
		return;
	}
	loss_unwritten(r, stream, pk);
	if (!batch_add(r, stream, &none, pk))
		return;
	r->losses[i].telling += n;
	r->losses[i].since = pk->end;
	store(&tell_of(r, i)->telling, r->losses[i].telling);
}

/*
 * Tell of what the slot had lost when it claimed the piece's sub-buffer, which
 * is no more than it has lost by now.
 */
void
loss_before(struct region *r, const struct piece *pc, const struct packet *pk)
{
	struct ut_subbuf *sub = &r->subs[pc->sub];
	const uint64_t lost = lesser(load(&sub->lost), count_of(r, pc->slot));
	const uint64_t first = load(&sub->first);
	const uint64_t had = r->losses[pc->slot].telling;
	struct packet before = *pk;

	if (lost <= had)
		return;
	before.end = lesser(first, just_before(pk->begin));
	loss_tell(r, pc->slot, lost - had, &before);
}

/*
 * Tell of what could not be written into the stream, before a packet that comes
 * later: both are written, or none, so that the file has no gap of which no
 * packet tells.
 */
void
loss_unwritten(struct region *r, uint32_t stream, const struct packet *pk)
{
	struct piece none = { .sub = NO_SUB, .slot = r->nslots, .retells = true,
	    .done = loss_told };
	uint64_t *unwritten = sink_unwritten(r->sink, stream), begin, end;
	struct loss *l = &r->losses[r->nslots];
	struct packet before = *pk;

	batch_ready(r, stream, pk);
	if (*unwritten == 0)
		return;
	before.end = just_before(pk->lost > 0 ? pk->end : pk->begin);
	if (!sink_last(r->sink, stream, &begin, &end))
		end = lesser(l->since, before.end);
	before.begin = none.begin = end;
	before.len = before.gap = before.events = 0;
	before.lost = *unwritten;
	if (!batch_add(r, stream, &none, &before))
		return;
	l->telling += *unwritten;
	store(&tell_of(r, r->nslots)->telling, l->telling);
	*unwritten = 0;
}

/* The slot has nothing to tell until that time. */
void
loss_none(struct region *r, uint32_t slot, uint64_t until)
{
	if (r->losses[slot].since < until)
		r->losses[slot].since = until;
}

/* Slots that have something in the region which is not written tell later. */
static void
hold_back(struct region *r)
{
	uint64_t word, commit;
	uint32_t i;

	for (i = 0; i < r->nsubs; i++) {
		word = load_acquire(&r->subs[i].state);
		commit = load_acquire(&r->subs[i].commit);
		if (UT_STATE(word) == UT_FREE || UT_STATE(word) == UT_TAKEN ||
		    (word & UT_SHARED) != 0 ||
		    UT_STATE_SLOT(word) >= r->nslots)
			continue;
		region_round(r, i);
		if (commit != r->consumed[i] || load_acquire(
		    &r->slots[UT_STATE_SLOT(word)].busy) != 0)
			r->losses[UT_STATE_SLOT(word)].count = 0;
	}
}

/* The packet that was to tell of all that is left was written, or not. */
static void
told_left(struct region *r, const struct piece *pc, uint64_t n, bool written)
{
	const uint32_t used = region_slots_used(r);
	struct piece of = *pc;
	struct loss *l;

	(void)n;
	for (of.slot = UINT32_MAX; loss_next(r, &of.slot, used);) {
		l = &r->losses[of.slot];
		if (l->telling > l->told)
			loss_told(r, &of, l->telling - l->told, written);
	}
	if (written)
		sink_all_told(r->sink);
}

/* How many are left to tell of, and since when? */
static uint64_t
count_left(const struct region *r, uint32_t used, uint64_t *begin)
{
	const struct loss *l;
	uint64_t sum = 0;
	uint32_t i = UINT32_MAX;

	while (loss_next(r, &i, used)) {
		l = &r->losses[i];
		if (l->count <= l->telling)
			continue;
		count_add(&sum, l->count - l->telling);
		*begin = lesser(*begin, since_of(r, i));
	}
	return sum;
}

/* A packet is to tell of all that is left. */
static void
telling_left(struct region *r, uint32_t used, uint64_t now)
{
	struct loss *l;
	uint32_t i = UINT32_MAX;

	while (loss_next(r, &i, used)) {
		l = &r->losses[i];
		if (l->count <= l->telling)
			continue;
		l->telling = l->count;
		l->since = now;
		store(&tell_of(r, i)->telling, l->telling);
	}
}

/*
 * One packet tells of all losses of slots without a stream, and of nobody's, or
 * there would be a file for each thread that shares sub-buffers.
 */
static void
tell_left(struct region *r, uint32_t used, uint64_t now)
{
	struct piece all = { .sub = NO_SUB, .begin = now, .done = told_left };
	struct packet pk;
	uint32_t stream;

	names_packet(&pk, r, r->nslots);
	pk.end = now;
	pk.lost = count_left(r, used, &all.begin);
	pk.begin = all.begin;
	if (pk.lost == 0)
		return;
	stream = sink_stream(r->sink, r->nslots + r->nsubs, &pk);
	if (stream != NO_STREAM && batch_add(r, stream, &all, &pk))
		telling_left(r, used, now);
}

/*
 * Tell of what no sub-buffer tells, up to now, unless there is something before
 * it to be written.  The counts are taken before the time, and that before the
 * look at the sub-buffers: one that is claimed later begins later.
 */
static void
tell_rest(struct region *r, bool last)
{
	const uint32_t used = region_slots_used(r);
	struct packet pk;
	struct loss *l;
	uint64_t now;
	uint32_t i = UINT32_MAX;

	while (loss_next(r, &i, used))
		r->losses[i].count = count_of(r, i);
	atomic_thread_fence(memory_order_acquire);
	now = region_now(r);
	if (!last)
		hold_back(r);
	for (i = UINT32_MAX; loss_next(r, &i, used);) {
		l = &r->losses[i];
		if (l->count <= l->telling || i == r->nslots ||
		    !sink_writes(r->sink, i))
			continue;
		names_packet(&pk, r, i);
		pk.end = now;
		loss_tell(r, i, l->count - l->telling, &pk);
		l->count = 0;
	}
	batch_flush(r);
	tell_left(r, used, now);
}

/* Now, or when the stream ends: programs may have said a later time. */
static uint64_t
end_of(const struct stream *s, uint64_t now)
{
	return now > s->last_end ? now : s->last_end;
}

/*
 * If there is no room for another file, tell behind what was written; and of
 * packets that are missing, of which one that could not be written was to tell.
 */
static void
tell_unwritten(struct region *r)
{
	static const struct piece none = { .sub = NO_SUB };
	const struct stream *s = r->sink->streams;
	struct packet pk;
	uint32_t i;

	r->sink->untold = false;
	for (i = 0; i < r->sink->nstreams; i++) {
		if (*sink_unwritten(r->sink, i) == 0 && !s[i].untold)
			continue;
		names_packet(&pk, r, r->nslots);
		pk.shared = r->sink->streams[i].shared;
		pk.begin = pk.end = end_of(&s[i], region_now(r));
		r->sink->streams[i].end = pk.end - 1;	/* keep pk's end */
		if (*sink_unwritten(r->sink, i) == 0)
			(void)batch_add(r, i, &none, &pk);
		else
			loss_unwritten(r, i, &pk);
		batch_flush(r);
	}
}

/* Tell of all that is left behind what is in the stream, as tell_left does. */
static void
tell_behind(struct region *r, uint32_t stream, uint32_t used, uint64_t now)
{
	struct piece all = { .sub = NO_SUB, .begin = now, .done = told_left };
	struct stream *s = &r->sink->streams[stream];
	struct packet pk;

	if (!sink_last(r->sink, stream, &pk.begin, &pk.end))
		return;
	names_packet(&pk, r, r->nslots);
	pk.shared = s->shared;
	pk.lost = count_left(r, used, &all.begin);
	pk.begin = s->last_end;		/* so there is no packet before it */
	pk.end = end_of(s, now);
	if (batch_add(r, stream, &all, &pk))
		telling_left(r, used, now);
	batch_flush(r);
}

/*
 * Nothing is written after this, so what no packet tells of yet, since there is
 * no room for it, is told wherever that is possible: behind what was written,
 * if there is room left in the last block of a file, or else by the last packet
 * of a stream.
 */
static void
tell_last(struct region *r)
{
	struct piece all = { .sub = NO_SUB };
	const uint64_t now = region_now(r);
	const uint32_t used = region_slots_used(r);
	uint64_t n;
	uint32_t i = UINT32_MAX;

	all.begin = now;
	while (loss_next(r, &i, used))
		r->losses[i].count = count_of(r, i);
	for (i = 0; i < r->sink->nstreams && loss_any(r); i++)
		tell_behind(r, i, used, now);
	if ((n = count_left(r, used, &all.begin)) == 0)
		return;
	telling_left(r, used, now);
	told_left(r, &all, n, sink_amend(r->sink, n, now));
}

/*
 * Behind the pieces of a pass: the rest of the losses.  No directory is made
 * for them before the end, and no reader takes a packet without metadata.
 */
void
loss_rest(struct region *r, int how)
{
	struct trace *t = r->sink->trace;

	batch_flush(r);
	if (!loss_any(r) && !r->sink->untold)
		return;
	if ((t->meta != -1 || t->nowhere || how == DRAIN_LAST) &&
	    output_pending(t) == 0) {
		tell_rest(r, how == DRAIN_LAST);
		batch_flush(r);
		tell_unwritten(r);
	}
	if (how == DRAIN_LAST && loss_any(r))
		tell_last(r);
}

/* Events from that time on could not be written. */
void
loss_dropped(struct region *r, uint64_t begin)
{
	struct loss *l = &r->losses[r->nslots];

	if (begin != 0 && l->since > begin)
		l->since = begin;
}

/* A region that is new, or that another consumer had. */
void
loss_begin(struct region *r)
{
	struct ut_told *tell = tell_of(r, r->nslots);

	r->looked = region_now(r);
	if (load(&tell->until) == 0)
		store(&tell->until, r->looked);
	r->losses[r->nslots].since = r->looked;
	loss_mark(r);
}

/*
 * A region that another consumer had, whose packets tell of so many.  If that
 * are more than the region knows of, the consumer died as it wrote the last
 * ones, in the order of the slots.  (One of before these were noted, or
 * somebody who has scribbled there, may be the reason, too: then it does not
 * matter whose they are.)  A slot that nobody has looked at was not used when
 * the header was.
 */
void
loss_adopt(struct region *r, uint64_t files)
{
	const uint64_t now = region_now(r);
	const uint32_t used = region_slots_used(r);
	struct loss *l;
	uint64_t until, base, n;
	uint32_t i = UINT32_MAX;

	base = load(&tell_of(r, r->nslots)->until);
	if (base == 0 || base > now)
		base = now;
	while (loss_next(r, &i, used)) {
		l = &r->losses[i];
		l->count = count_of(r, i);
		l->told = lesser(load(&tell_of(r, i)->told), l->count);
		l->telling = lesser(load(&tell_of(r, i)->telling), l->count);
		until = load(&tell_of(r, i)->until);
		l->since = until != 0 && until < now ? until : base;
		files -= lesser(files, l->told);
	}
	for (i = UINT32_MAX; loss_next(r, &i, used);) {
		l = &r->losses[i];
		if (l->telling > l->told) {
			n = lesser(files, l->telling - l->told);
			l->told += n;
			files -= n;
		}
	}
	for (i = UINT32_MAX; loss_next(r, &i, used);) {
		l = &r->losses[i];
		n = lesser(files, l->count - l->told);
		l->told += n;
		files -= n;
		l->telling = l->told;
		store(&tell_of(r, i)->told, l->told);
		store(&tell_of(r, i)->telling, l->telling);
	}
	r->looked = now;
	r->nlooked = used;
}
