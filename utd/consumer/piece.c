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
 * Pieces of sub-buffers, which become packets, straight from the region.  A
 * piece is over only after the sink has written its packet.
 */

#include <stdatomic.h>
#include <string.h>

#include "piece.h"

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

/* The piece is dealt with: it was written, or its events are lost. */
void
piece_done(struct region *r, const struct piece *pc, uint64_t lost,
    bool written)
{
	uint64_t before = r->consumed[pc->sub];
	uint32_t n = UT_COMMIT_COUNT(pc->commit) - UT_COMMIT_COUNT(before);

	(void)lost;			/* another packet tells of these */
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
	if (pk->thread[0] == '\0' && pk->tid == pk->pid)
		memcpy(pk->thread, pk->name, strnlen(pk->name,
		    sizeof(pk->thread) - 1));
}

void
piece_write(struct region *r, struct piece *pc)
{
	struct ut_subbuf *sub = &r->subs[pc->sub];
	struct packet pk;
	uint32_t from = UT_COMMIT_LEN(r->consumed[pc->sub]), stream;

	memset(&pk, 0, sizeof(pk));
	if (UT_COMMIT_LEN(pc->commit) == from) {
		/* The sub-buffer is full, and all of it was written before. */
		piece_over(r, pc);
		return;
	}
	pk.shared = pc->shared;
	pk.gap = pc->gap;
	pk.end = region_no_later(r, end_time(r, pc));
	pk.data = region_data(r, pc->sub, from);
	pk.len = UT_COMMIT_LEN(pc->commit) - from;
	pk.events = UT_COMMIT_COUNT(pc->commit) -
	    UT_COMMIT_COUNT(r->consumed[pc->sub]);
	pk.begin = region_no_later(r, ut_event_time(pk.data, from == 0 ?
	    load(&sub->first) : r->until[pc->sub]));
	if (pk.end < pk.begin)
		pk.end = pk.begin;
	pc->done = piece_done;
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
		piece_done(r, pc, 0, false);
		return;
	}
	loss_unwritten(r, stream, &pk);
	(void)batch_add(r, stream, pc, &pk);
	if (!pc->shared)
		loss_none(r, pc->slot, pk.end);
}
