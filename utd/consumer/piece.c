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
 * Pieces of sub-buffers, which become packets: many at a time, straight from
 * the region.  A piece is over only after the sink has written its packet.
 */

#include <stdatomic.h>
#include <string.h>

#include "piece.h"

/* Packets on their way to the sink, all of one stream; each is of one piece. */
static struct batch {
	uint32_t	 stream;
	unsigned int	 n;
	uint64_t	 room;		/* bytes in the file, at least */
	struct piece	 pieces[BATCH];
	struct packet	 packets[BATCH];
} batch;

/*
 * The time at which the packet that ends at that commit ends.  `last' may be
 * ahead of the commit, as the writer goes on.  If commit still is what it was,
 * then last is that of the next event at most, which has not been written out.
 * If not, the next event is there, and its header has its time.  Either way no
 * later packet begins before.
 *
 * A header has the low 32 bits of a time that is not after last, as loaded
 * once more: that commit has the next event in it, and each event stores last
 * before its commit.  Nor is it much before last.  How much?  Commit is loaded
 * anew first.  The next event is committed after that and the one after it
 * begins less than UT_TIME_GAP later, by its own time; all further ones begin
 * after that load.  So if no more than half of that passes here, the two are
 * 32 bits apart at most.
 */
static uint64_t
end_time(struct region *r, struct piece *pc)
{
	struct ut_subbuf *sub = &r->subs[pc->sub];
	uint64_t begin, last, commit, len;

	if (pc->full)
		return load(&sub->last);
	do {
		begin = region_now(r);
		commit = load_acquire(&sub->commit);
		if (commit_valid(r, commit, pc->commit))
			pc->commit = commit;
		len = UT_COMMIT_LEN(pc->commit);
		last = load(&sub->last);
		atomic_thread_fence(memory_order_acquire);
		commit = load_acquire(&sub->commit);
		if (commit == pc->commit || len + UT_EVENT_HEAD > r->subsize)
			return last;
		last = load(&sub->last);
	} while (region_now(r) - begin >= UT_TIME_GAP / 2);
	return ut_event_time(region_data(r, pc->sub, (uint32_t)len),
	    last - UINT32_MAX);
}

void
region_damaged(struct region *r)
{
	if (!r->damaged)
		report_trouble(r, UT_TROUBLE_LOST, "channel %s: the buffers "
		    "are damaged: events are lost", r->name);
	r->damaged = true;
}

/* Free a full sub-buffer; the next one of its slot may be written. */
void
piece_over(struct region *r, const struct piece *pc)
{
	if (!pc->shared) {
		region_advance(r, pc->slot, pc->seq);
		region_passed(r, pc->slot, pc->seq);
	}
	region_sub_free(r, pc->sub);
}

/* The piece is dealt with: it was written, or is lost. */
void
piece_done(struct region *r, const struct piece *pc, bool written)
{
	uint64_t before = r->consumed[pc->sub];
	uint32_t n = UT_COMMIT_COUNT(pc->commit) - UT_COMMIT_COUNT(before);

	if (written)
		region_written(r, n);
	else {
		region_dropped(r, n);
		loss_dropped(r, pc->begin);
	}
	if (pc->full) {
		piece_over(r, pc);
		return;
	}
	if (!pc->shared)
		region_passed(r, pc->slot, pc->seq - 1);
	region_sub_consumed(r, pc->sub, pc->commit, pc->end);
}

/*
 * Have the packets written.  Events that could not be written are lost, but the
 * lost events that packets were to tell of are told by others.
 */
void
batch_flush(struct region *r)
{
	const struct piece *pc;
	unsigned int i;
	bool written;

	if (batch.n == 0)
		return;
	for (i = 0; i < batch.n; i++) {
		pc = &batch.pieces[i];
		if (pc->sub != NO_SUB)
			store(&r->subs[pc->sub].writing, pc->commit);
		else
			loss_telling(r, pc->slot);
	}
	written = sink_write(r->sink, batch.stream, batch.packets,
	    batch.n) == 0;
	for (i = 0; i < batch.n; i++) {
		pc = &batch.pieces[i];
		if (pc->sub != NO_SUB)
			piece_done(r, pc, written);
		else
			loss_told(r, pc, &batch.packets[i], written);
	}
	batch.n = 0;
	(void)region_wake(r);
}

static void
batch_put(const struct piece *pc, const struct packet *pk)
{
	batch.room -= PACKET_HEAD_MAX + pk->len;
	batch.pieces[batch.n] = *pc;
	batch.packets[batch.n++] = *pk;
}

/* The last packet of the batch's stream; false: there is none. */
static bool
batch_last(const struct region *r, uint64_t *begin, uint64_t *end)
{
	const struct packet *last = &batch.packets[batch.n - 1];

	if (batch.n == 0)
		return sink_last(r->sink, batch.stream, begin, end);
	*begin = last->begin;
	*end = last->end;
	return true;
}

/*
 * Put an empty packet before this one, about at that time.  Nothing is lost
 * between the two.
 */
static void
batch_mark(const struct region *r, const struct packet *pk, uint64_t at)
{
	const struct piece none = { .sub = NO_SUB, .slot = r->nslots };
	struct packet mark = *pk;
	uint64_t begin, end;

	if (at >= pk->begin)
		at = pk->begin - 1;
	if (batch_last(r, &begin, &end)) {
		if (at < end)
			at = end;
		if (at <= begin)
			at = begin + 1;
		if (at >= pk->begin)
			return;
	}
	mark.begin = mark.end = at;
	mark.len = mark.gap = mark.lost = 0;
	batch_put(&none, &mark);
}

/*
 * Add a packet to those of its stream, or, if it tells of lost events and has
 * no time of its own, return false.
 *
 * Readers compare the counts of two packets, and take what is lost for lost
 * between the ends of both.  So what is before one that tells ends where the
 * loss begins, and in a file that is not the first, which may be removed, there
 * is a packet before the first with events.  Packets of a stream begin at
 * different times: babeltrace2 sorts them by these if they are of several files.
 */
bool
batch_add(struct region *r, uint32_t stream, const struct piece *pc,
    struct packet *pk)
{
	const uint64_t len = 2 * PACKET_HEAD_MAX + pk->len, from = pk->begin;
	uint64_t begin = 0, end = 0;
	bool any, first;

	if (batch.n + 2 > BATCH || batch.stream != stream || batch.room < len)
		batch_flush(r);
	first = batch.n == 0 && sink_cuts(r->sink, stream, len);
	if (batch.n == 0) {
		batch.stream = stream;
		batch.room = sink_room(r->sink, stream, len);
	}
	any = batch_last(r, &begin, &end);
	if (pk->lost > 0) {
		if (any && pk->end <= begin)
			return false;
		pk->begin = pk->end;
		if (!any || end != from || first)
			batch_mark(r, pk, from);
	} else if (first) {
		batch_mark(r, pk, end);
	}
	batch_put(pc, pk);
	return true;
}

/* The bytes of the thread's name are anything. */
static void
name_packet(struct packet *pk, const struct region *r, uint32_t n)
{
	const struct ut_subbuf *sub = &r->subs[n];
	const struct program *p = program_find(load(&sub->owner));
	const struct grave *g = p != NULL ? NULL : region_grave(r, n);
	uint64_t word;
	size_t i;

	pk->pid = p != NULL ? p->pid : g != NULL ? g->pid : 0;
	pk->tid = load(&sub->tid);
	pk->name = p != NULL ? p->name : g != NULL ? g->name : "";
	for (i = 0; i < sizeof(pk->thread) / sizeof(word); i++) {
		word = load(&sub->thread[i]);
		memcpy(pk->thread + i * sizeof(word), &word, sizeof(word));
	}
}

/*
 * The time, or about now if it has yet to come.  Such a time is nonsense, and
 * readers that add to it may overflow: then they refuse the whole trace.
 */
static uint64_t
no_later(const struct region *r, uint64_t t)
{
	const uint64_t latest = region_now(r) + UT_TIME_GAP;

	return t < latest ? t : latest;
}

void
piece_write(struct region *r, struct piece *pc)
{
	struct ut_subbuf *sub = &r->subs[pc->sub];
	struct packet pk;
	uint32_t from = UT_COMMIT_LEN(r->consumed[pc->sub]), stream;

	memset(&pk, 0, sizeof(pk));
	if (UT_COMMIT_LEN(pc->commit) == from) {
		/* It is full, and all of it was written before. */
		piece_over(r, pc);
		return;
	}
	pk.shared = pc->shared;
	pk.gap = pc->gap;
	pk.end = no_later(r, end_time(r, pc));
	pk.data = region_data(r, pc->sub, from);
	pk.len = UT_COMMIT_LEN(pc->commit) - from;
	pk.begin = no_later(r, ut_event_time(pk.data, from == 0 ?
	    load(&sub->first) : r->until[pc->sub]));
	if (pk.end < pk.begin)
		pk.end = pk.begin;
	pc->begin = pk.begin;
	pc->end = pk.end;
	if (!pc->shared) {
		name_packet(&pk, r, pc->sub);
		loss_before(r, pc, &pk);
	}
	stream = sink_stream(r->sink, pc->shared ? r->nslots + pc->sub :
	    pc->slot, &pk);
	if (stream == NO_STREAM) {
		region_damaged(r);
		piece_done(r, pc, false);
		return;
	}
	(void)batch_add(r, stream, pc, &pk);
	if (!pc->shared)
		loss_none(r, pc->slot, pk.end);
}
