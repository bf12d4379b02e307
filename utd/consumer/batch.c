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
 * Packets on their way to the sink: many at a time, of one stream.
 */

#include "piece.h"

/* Each packet is of one piece. */
static struct batch {
	uint32_t	 stream;
	unsigned int	 n;
	uint64_t	 room;		/* bytes in the file, at least */
	struct piece	 pieces[BATCH];
	struct packet	 packets[BATCH];
} batch;

/* Have the packets written, and say what became of them. */
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
	}
	written = sink_write(r->sink, batch.stream, batch.packets,
	    batch.n) == 0;
	for (i = 0; i < batch.n; i++) {
		pc = &batch.pieces[i];
		if (!written && (pc->sub != NO_SUB || pc->retells))
			*sink_unwritten(r->sink, batch.stream) += pc->retells ?
			    batch.packets[i].lost : batch.packets[i].events;
		if (pc->done != NULL)
			pc->done(r, pc, batch.packets[i].lost, written);
	}
	batch.n = 0;
	region_shrunk(r);
	(void)region_wake(r);
}

static void
batch_put(const struct piece *pc, const struct packet *pk)
{
	batch.room -= PACKET_HEAD_MAX + pk->len;
	batch.pieces[batch.n] = *pc;
	batch.packets[batch.n++] = *pk;
}

/* Write what is in the way of a packet of that stream, and of one before it. */
void
batch_ready(struct region *r, uint32_t stream, const struct packet *pk)
{
	if (batch.n + 4 > BATCH || batch.stream != stream ||
	    batch.room < 4 * PACKET_HEAD_MAX + pk->len)
		batch_flush(r);
}

/* The last packet of the batch's stream; false: there is none. */
static bool
batch_last(const struct region *r, uint64_t *begin, uint64_t *end)
{
	const struct packet *last;

	if (batch.n == 0)
		return sink_last(r->sink, batch.stream, begin, end);
	last = &batch.packets[batch.n - 1];
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
	static const struct piece none = { .sub = NO_SUB };
	struct packet mark = *pk;
	uint64_t begin, end;

	if (at >= pk->begin && pk->begin > 0)
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

/* Does the packet tell of what is missing before it, and of nothing else? */
static bool
tells(const struct packet *pk)
{
	return pk->lost > 0 || (pk->gap > 0 && pk->len == 0);
}

/*
 * Add a packet to those of its stream, or, if it tells of what is missing and
 * has no time of its own, return false.
 *
 * Readers compare the counts of two packets, and take what is lost for lost
 * between the ends of both.  So what is before one that tells ends where the
 * loss begins, and in a file that is not the first, which may be removed, there
 * is a packet before the first with events.  Packets of a stream begin at
 * different times: by these babeltrace2 sorts them if they are of several
 * files.
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
	if (tells(pk)) {
		if (any && (pk->end <= begin || pk->end < end))
			return false;
		pk->begin = pk->end;
		if (from != 0 && (!any || end != from || first))
			batch_mark(r, pk, from);
	} else if (first) {
		batch_mark(r, pk, end);
	}
	batch_put(pc, pk);
	return true;
}
