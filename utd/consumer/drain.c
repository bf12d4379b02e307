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
 * From sub-buffers to packets, which the sink writes.
 *
 * One pass collects what is committed, lets the metadata catch up, and then
 * hands it to the sink: each piece of a sub-buffer as a packet of its own, many
 * at a time, straight from the region.  A sub-buffer is released, or marked as
 * consumed, only after the sink has written its packet.
 *
 * The sub-buffers of a slot are written in the order in which the slot claimed
 * them, which their `seq' tells.  Without `seq', a pass could meet the second
 * one first: the first may be delivered after the pass was there.
 *
 * A sub-buffer that threads share has a stream of its own.  So its events need
 * not wait for those of another, and the packet need not say whose they are.
 */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define WAIT_TICKS	3	/* for a missing sub-buffer */
#define NONE	UINT32_MAX	/* instead of a sub-buffer: an empty packet */
#define TOOBIG_MAX	10	/* times that longer ones are told of */

struct piece {
	uint32_t	 sub;
	uint32_t	 slot;
	uint64_t	 seq;
	uint64_t	 commit;
	uint64_t	 end;		/* of the packet, in time */
	uint64_t	 gap;		/* packets missing before it */
	bool		 full;
	bool		 shared;
};

/* Packets on their way to the sink, all of one stream; each is of one piece. */
static struct batch {
	uint32_t	 stream;
	unsigned int	 n;
	uint64_t	 room;		/* bytes in the file, at least */
	struct piece	 pieces[BATCH];
	struct packet	 packets[BATCH];
} batch;

static struct piece *pieces;	/* of this pass */
static size_t npieces, maxpieces;
static uint32_t *marked;	/* REVOKED when this pass began */
static size_t nmarked;
static uint64_t bytes_left;

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

static void
region_damaged(struct region *r)
{
	if (!r->damaged)
		report_trouble(r, UT_TROUBLE_LOST, "channel %s: the buffers "
		    "are damaged: events are lost", r->name);
	r->damaged = true;
}

/* Free a full sub-buffer; the next one of its slot may be written. */
static void
piece_over(struct region *r, const struct piece *pc)
{
	if (!pc->shared) {
		region_advance(r, pc->slot, pc->seq);
		region_passed(r, pc->slot, pc->seq);
	}
	region_sub_free(r, pc->sub);
}

/* The piece is dealt with: it was written, or is lost. */
static void
piece_done(struct region *r, const struct piece *pc, bool written)
{
	uint64_t before = r->consumed[pc->sub];
	uint32_t n = UT_COMMIT_COUNT(pc->commit) - UT_COMMIT_COUNT(before);

	if (written)
		region_written(r, n);
	else
		region_dropped(r, n);
	if (pc->full) {
		piece_over(r, pc);
		return;
	}
	if (!pc->shared)
		region_passed(r, pc->slot, pc->seq - 1);
	region_sub_consumed(r, pc->sub, pc->commit, pc->end);
}

/* Note that events wait, since metadata cannot be written; 0: now it can. */
static void
write_waits(struct region *r, int error)
{
	const int before = r->waits;

	if (error == before)
		return;
	r->waits = error;
	if (error != 0) {
		if (before == 0)
			r->waited_lost = region_lost(r);
		report_trouble(r, UT_TROUBLE_NOW, "channel %s: events wait: "
		    "%s", r->name, report_reason(error));
		return;
	}
	report_trouble(r, UT_TROUBLE_NOW, "%s", "");
	if (region_lost(r) > r->waited_lost) {
		report_try();
		sink_failed(r->sink, before);
	}
}

/*
 * Have the packets written.  Events that could not be written are lost, but the
 * lost events that their packets were to tell of are told by the next.
 */
static void
batch_flush(struct region *r)
{
	const struct piece *pc;
	unsigned int i;
	bool written;

	if (batch.n == 0)
		return;
	for (i = 0; i < batch.n; i++) {
		pc = &batch.pieces[i];
		if (pc->sub != NONE)
			store(&r->subs[pc->sub].writing, pc->commit);
	}
	written = sink_write(r->sink, batch.stream, batch.packets,
	    batch.n) == 0;
	for (i = 0; i < batch.n; i++) {
		if (!written)
			r->unsaid += batch.packets[i].lost;
		if (batch.pieces[i].sub != NONE)
			piece_done(r, &batch.pieces[i], written);
	}
	batch.n = 0;
	(void)region_wake(r);
	report_progress(bytes_left);
}

/* Add a packet, which tells of the events lost so far, whosever they are. */
static void
batch_add(struct region *r, uint32_t stream, const struct piece *pc,
    struct packet *pk)
{
	const uint64_t len = PACKET_HEAD_MAX + pk->len;

	if (batch.n == BATCH || batch.stream != stream || batch.room < len)
		batch_flush(r);
	if (batch.n == 0)		/* an empty one may come before it */
		batch.room = sink_room(r->sink, stream, len + PACKET_HEAD_MAX) -
		    PACKET_HEAD_MAX;
	batch.room -= len;
	pk->lost = r->unsaid;
	r->unsaid = 0;
	batch.stream = stream;
	batch.pieces[batch.n] = *pc;
	batch.packets[batch.n++] = *pk;
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

/* Note how many events the slot has lost, so that packets tell of them once. */
static void
note_slot(struct region *r, uint32_t slot, uint64_t lost)
{
	if ((int64_t)(lost - r->said[slot]) > 0) {
		r->unsaid += lost - r->said[slot];
		r->said[slot] = lost;
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

static void
piece_write(struct region *r, struct piece *pc)
{
	struct ut_subbuf *sub = &r->subs[pc->sub];
	struct packet pk;
	uint32_t from = UT_COMMIT_LEN(r->consumed[pc->sub]), stream;

	if (!pc->shared)
		note_slot(r, pc->slot, load(&sub->lost));
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
	pc->end = pk.end;
	if (!pc->shared)
		name_packet(&pk, r, pc->sub);
	stream = sink_stream(r->sink, pc->shared ? r->nslots + pc->sub :
	    pc->slot, &pk);
	if (stream == NO_STREAM) {
		region_damaged(r);
		piece_done(r, pc, false);
		return;
	}
	batch_add(r, stream, pc, &pk);
}

/* Does what the region says of the piece make sense? */
static bool
piece_valid(const struct region *r, const struct piece *pc)
{
	return (pc->shared || pc->slot < r->nslots) &&
	    commit_valid(r, pc->commit, r->consumed[pc->sub]);
}

/* Does this pass want what is committed in a sub-buffer with that state? */
static bool
wanted(struct region *r, uint64_t word, int how)
{
	uint32_t slot = UT_STATE_SLOT(word);

	switch (UT_STATE(word)) {
	case UT_FREE:
	case UT_TAKEN:
		return false;
	case UT_OWNED:
		if (how == DRAIN_DEAD)
			return slot < r->nslots &&
			    program_dead(load(&r->slots[slot].owner));
		return how == DRAIN_ALL || how == DRAIN_LAST;
	case UT_PARKED:
		return how == DRAIN_ALL || how == DRAIN_LAST;
	default:
		return true;
	}
}

/*
 * Take a sub-buffer whose state was that word, all of it, or hold the part that
 * is committed, under the word that it has then.  False if it is in another
 * state meanwhile, or was delivered too late for this pass, which is not the
 * last one.  It is READING since a pass that could not write it yet.
 */
static bool
hold(struct region *r, uint32_t i, uint64_t *word, bool full)
{
	if (!full)
		return region_pin(r, i, word);
	return UT_STATE(*word) == UT_READING ||
	    (oldest_full(r, i) && region_sub_take(r, i, *word));
}

/*
 * Is a sub-buffer of which we hold a part that of the writer that the word
 * names?  That writer may have given it back without an event, before another
 * committed what we have seen; then we see the other's word, since the claim
 * comes before the commit.  A shared sub-buffer is freed by no writer, and
 * while it is pinned, nobody drops it.
 */
static bool
same_writer(const struct region *r, uint32_t i, uint64_t word)
{
	return (word & UT_SHARED) != 0 ||
	    UT_STATE_GEN(load(&r->subs[i].state)) == UT_STATE_GEN(word);
}

/*
 * Collect the piece of a sub-buffer that is committed and not written, if any.
 * The acquire load, of commit for OWNED and PARKED, else of state, makes sure
 * that the bytes are there.  A parked sub-buffer stays parked until the last
 * pass, since writers might find no other while we write; in overwrite mode
 * they do.
 */
static void
collect_one(struct region *r, uint32_t i, int how)
{
	struct ut_subbuf *sub = &r->subs[i];
	struct piece pc;
	uint64_t word;

	word = load_acquire(&sub->state);
	if (word & UT_REVOKED)
		marked[nmarked++] = i;
	if (!wanted(r, word, how))
		return;
	pc.full = UT_STATE(word) != UT_OWNED &&
	    (UT_STATE(word) != UT_PARKED || how == DRAIN_LAST ||
	    r->overwrites);
	if (!hold(r, i, &word, pc.full))
		return;
	region_round(r, i);
	pc.gap = 0;
	pc.shared = (word & UT_SHARED) != 0;
	pc.commit = load_acquire(&sub->commit);
	pc.sub = i;
	pc.slot = pc.shared ? 0 : UT_STATE_SLOT(word);
	pc.seq = load(pc.shared ? &sub->first : &sub->seq);
	if (!piece_valid(r, &pc)) {
		region_damaged(r);
		if (pc.full && pc.slot < r->nslots)
			piece_over(r, &pc);
		else if (pc.full)
			region_sub_free(r, i);
		else
			region_unpin(r, i);
		return;
	}
	if (pc.full || (pc.commit != r->consumed[i] &&
	    same_writer(r, i, word) && (how == DRAIN_DEAD ||
	    oldest_enough(r, i))))
		pieces[npieces++] = pc;
	else
		region_unpin(r, i);
}

static int
by_slot(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	if (a->shared != b->shared)
		return a->shared ? 1 : -1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Note the lost events that are not counted in sub-buffers. */
static void
collect_lost(struct region *r)
{
	uint64_t lost = load(&r->header->lost);
	uint32_t i, n = region_slots_used(r), len;

	if (lost > r->said_lost) {
		r->unsaid += lost - r->said_lost;
		r->said_lost = lost;
	}
	for (i = 0; i < n; i++)
		note_slot(r, i, load(&r->slots[i].lost));
	len = load(&r->header->toobig);
	if (len <= r->toobig || r->ntoobig == TOOBIG_MAX)
		return;
	r->ntoobig++;
	r->toobig = len;
	report_trouble(r, UT_TROUBLE_SAY, "channel %s: an event of %u bytes "
	    "does not fit into a sub-buffer of %u: lost", r->name, len,
	    r->subsize);
}

/*
 * At the end, lost events that no packet told of get one of their own; but not
 * if the metadata cannot be written, for no reader takes a packet without.
 */
static void
say_rest(struct region *r)
{
	const struct piece none = { .sub = NONE };
	struct packet pk;
	uint32_t stream;

	if (r->unsaid == 0 || output_pending(r->sink->trace) == -1)
		return;
	memset(&pk, 0, sizeof(pk));
	pk.name = "";
	pk.begin = pk.end = region_now(r);
	stream = sink_any_stream(r->sink, &pk);
	batch_add(r, stream, &none, &pk);
}

/* Is there nothing that a directory which is not made yet is needed for? */
static bool
nothing_yet(const struct region *r, int how)
{
	size_t i;

	if (r->sink->trace->meta != -1 || (how == DRAIN_LAST && r->unsaid > 0))
		return false;
	for (i = 0; i < npieces; i++)
		if (UT_COMMIT_COUNT(pieces[i].commit) > 0)
			return false;
	return true;
}

/*
 * Write the metadata first: readers could not make sense of events without.
 * If that fails, events wait in the region, and when the region is full,
 * writers count what they lose.
 */
static bool
metadata_ready(struct region *r, int how)
{
	size_t i;

	if (nothing_yet(r, how) || output_pending(r->sink->trace) == 0) {
		write_waits(r, 0);
		return true;
	}
	if (how != DRAIN_LAST) {
		write_waits(r, errno);
		return false;
	}
	sink_failed(r->sink, errno);
	for (i = 0; i < npieces; i++)
		piece_done(r, &pieces[i], false);
	npieces = 0;
	return true;
}

/* Is the piece of a program that is dead, whoever has the slot by now? */
static bool
is_dead(struct region *r, const struct piece *pc)
{
	return program_dead(load(&r->subs[pc->sub].owner)) ||
	    program_dead(load(&r->slots[pc->slot].owner));
}

/*
 * May the piece be written?  It waits for the sub-buffer that its slot claimed
 * before.  If that does not come within some seconds, it never will: its thread
 * jumped or died in a way that we do not know of.  (The first seq is 1;
 * whatever was scribbled there, nothing waits for ever.)
 */
static bool
in_turn(struct region *r, const struct piece *pc, int how)
{
	if (pc->shared || r->overwrites || how == DRAIN_LAST ||
	    pc->seq - 1 <= r->done_seq[pc->slot] ||
	    (how == DRAIN_DEAD && is_dead(r, pc)))
		return true;
	if (r->waited[pc->slot] == 0)
		r->waited[pc->slot] = r->ticks;
	return r->ticks - r->waited[pc->slot] >= WAIT_TICKS;
}

/* The parent wants to know when the files have grown. */
void
region_grew(struct region *r)
{
	struct ut_msg *out;

	if (!r->watched || r->sink->bytes <= r->watched_bytes)
		return;
	r->watched = false;
	out = report_begin(UT_C_GREW, r->id, 0);
	ut_msg_u64(out, r->sink->bytes);
	report_send();
}

/* What is not full may be dropped again, once it is. */
static void
pieces_unpin(struct region *r)
{
	size_t i;

	for (i = 0; i < npieces; i++)
		if (!pieces[i].full)
			region_unpin(r, pieces[i].sub);
}

/* They cannot be written yet: in overwrite mode, others may drop them. */
static void
pieces_leave(struct region *r)
{
	size_t i;

	pieces_unpin(r);
	for (i = 0; r->overwrites && i < npieces; i++)
		if (pieces[i].full)
			region_sub_leave(r, pieces[i].sub);
}

/*
 * How many sub-buffers between these two of the slot are there, but REVOKED?
 * Their threads have let go of them; revoke.c takes them back.
 */
static uint64_t
find_marked(const struct region *r, uint32_t slot, uint64_t after,
    uint64_t before)
{
	uint64_t word, seq, n = 0;
	size_t i;

	for (i = 0; i < nmarked; i++) {
		word = load(&r->subs[marked[i]].state);
		seq = load(&r->subs[marked[i]].seq);
		n += (word & UT_REVOKED) != 0 &&
		    UT_STATE_SLOT(word) == slot && seq > after && seq < before;
	}
	return n;
}

/*
 * How many sub-buffers of the slot are missing before that one?  They were
 * overwritten, and never come.  So many that numbers of packets might overflow
 * is nonsense.
 */
static uint64_t
find_gap(struct region *r, const struct piece *pc)
{
	const uint64_t done = r->done_seq[pc->slot];
	uint64_t gap, there;

	if (!r->overwrites || pc->shared || pc->seq <= done + 1)
		return 0;
	gap = pc->seq - 1 - done;
	there = find_marked(r, pc->slot, done, pc->seq);
	region_advance(r, pc->slot, pc->seq - 1);
	return gap > UINT32_MAX || there > gap ? 0 : gap - there;
}

bool
region_drain(struct region *r, int how)
{
	size_t i, full = 0;

	if (r->sink->trace->behind)
		return false;
	if (r->keeps && !r->copy && how != DRAIN_LAST) {
		region_look(r);
		region_looked(r);
		return false;
	}
	if (maxpieces < r->nsubs) {
		maxpieces = r->nsubs;
		pieces = xrealloc(pieces, maxpieces * sizeof(*pieces));
		marked = xrealloc(marked, maxpieces * sizeof(*marked));
	}
	npieces = nmarked = 0;
	region_look(r);
	if (r->shared.cut)
		region_damaged(r);
	r->left = oldest_find(r, how);
	for (i = 0; i < r->nsubs; i++)
		collect_one(r, (uint32_t)i, how);
	if (how != DRAIN_FULL)
		collect_lost(r);
	orders_take();
	if (!metadata_ready(r, how)) {
		pieces_leave(r);
		return false;
	}
	if (npieces > 0)
		qsort(pieces, npieces, sizeof(*pieces), by_slot);
	for (bytes_left = 0, i = 0; i < npieces; i++)
		bytes_left += UT_COMMIT_LEN(pieces[i].commit);
	for (i = 0; i < npieces; i++) {
		bytes_left -= UT_COMMIT_LEN(pieces[i].commit);
		if (!in_turn(r, &pieces[i], how))
			continue;
		full += pieces[i].full;
		pieces[i].gap = find_gap(r, &pieces[i]);
		if (pieces[i].full && !pieces[i].shared)
			region_advance(r, pieces[i].slot, pieces[i].seq);
		piece_write(r, &pieces[i]);
	}
	if (how == DRAIN_LAST)
		say_rest(r);
	batch_flush(r);
	pieces_unpin(r);
	region_grew(r);
	if (!r->left)
		region_looked(r);
	return r->left || full >= r->bell;
}

/* Nothing more is written to its trace: is that still there? */
void
region_check(const struct region *r)
{
	if (output_removed(r->sink->trace))
		report_trouble(r, UT_TROUBLE_LOST, "channel %s: the files "
		    "were removed, and what was written there is gone",
		    r->name);
}

/* Stop the region, and write all that is in it. */
void
region_finish(struct region *r, bool dead)
{
	region_stop(r, dead);
	(void)region_drain(r, DRAIN_LAST);
	region_check(r);
}

/* Free what the dead still hold, which is empty, or out of order. */
static void
bury_slots(struct region *r)
{
	uint32_t i, slot, n = region_slots_used(r);
	uint64_t word;

	region_name_dead(r);
	for (i = 0; i < r->nsubs; i++) {
		word = load(&r->subs[i].state);
		slot = UT_STATE_SLOT(word);
		if (slot >= n || !program_dead(load(&r->slots[slot].owner)))
			continue;
		if (r->keeps && UT_STATE(word) == UT_OWNED &&
		    region_keep(r, i, word))
			continue;
		if (UT_STATE(word) == UT_OWNED)
			region_sub_free(r, i);
		else if (UT_STATE(word) == UT_TAKEN)
			region_sub_drop(r, i);
	}
	for (i = 0; i < n; i++)
		if (program_dead(load(&r->slots[i].owner)))
			region_slot_free(r, i);
}

/*
 * Write what the dead have left, and free it.  False if the metadata cannot be
 * written yet: then their events stay where they are.
 */
bool
region_bury(struct region *r)
{
	(void)region_drain(r, DRAIN_DEAD);
	if (r->sink->trace->behind || r->sink->trace->nwhole > 0)
		return false;
	bury_slots(r);
	(void)region_wake(r);
	return true;
}
