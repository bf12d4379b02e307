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
 * From sub-buffers to packets in files.
 *
 * One pass collects what is committed, lets the metadata catch up, and then
 * writes it: each piece of a sub-buffer as a packet of its own, many in one
 * writev(2), straight from the region.
 *
 * The sub-buffers of a slot are written in the order in which it claimed
 * them, which their `seq' tells: a pass may come across the second when the
 * first was not yet delivered as it passed there.
 *
 * A sub-buffer that threads share goes into a stream that no other one has, so
 * it need not be told whose its events are, nor wait for another.
 */

#include <sys/types.h>
#include <sys/uio.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "consumer.h"

#define WAIT_PASSES	3	/* with a tick, for a missing sub-buffer */
#define NONE	UINT32_MAX	/* instead of a sub-buffer: an empty packet */
#define TOOBIG_MAX	10	/* times that longer ones are told of */

struct piece {
	uint32_t	 sub;
	uint32_t	 slot;
	uint64_t	 seq;
	uint64_t	 commit;
	uint64_t	 end;		/* of the packet, in time */
	bool		 full;
	bool		 shared;
};

/* Packets of one stream on their way into the file. */
static struct batch {
	struct pool	*pool;
	uint32_t	 stream;	/* index */
	unsigned int	 n;
	struct piece	 pieces[BATCH];
	size_t		 lens[BATCH];	/* of the packets */
	struct iovec	 iov[2 * BATCH];
	unsigned char	 heads[BATCH][PACKET_HEAD_MAX];
} batch;

static struct piece *pieces;
static size_t npieces, roompieces;
static uint64_t bytes_left;

static uint64_t
load(ut_a64 *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static const unsigned char *
data_at(const struct pool *p, uint32_t sub, uint32_t offset)
{
	return p->data + (size_t)sub * p->subsize + offset;
}

/*
 * When the packet that ends at that commit ends.  `last' may be ahead of the
 * commit, as the writer goes on.  If commit still is what it was, then last
 * is that of the next event at most, which has not been written out.  If
 * not, the next event is there, and its header has its time.  Either way no
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
end_time(struct pool *p, struct piece *pc)
{
	struct ut_subbuf *sub = &p->subs[pc->sub];
	uint64_t begin, last, commit, len;

	if (pc->full)
		return load(&sub->last);
	do {
		begin = pool_now(p);
		commit = atomic_load_explicit(&sub->commit,
		    memory_order_acquire);
		if (commit_valid(p, commit, pc->commit))
			pc->commit = commit;
		len = UT_COMMIT_LEN(pc->commit);
		last = load(&sub->last);
		atomic_thread_fence(memory_order_acquire);
		commit = atomic_load_explicit(&sub->commit,
		    memory_order_acquire);
		if (commit == pc->commit || len + UT_EVENT_HEAD > p->subsize)
			return last;
		last = load(&sub->last);
	} while (pool_now(p) - begin >= UT_TIME_GAP / 2);
	return ut_event_time(data_at(p, pc->sub, (uint32_t)len),
	    last - UINT32_MAX);
}

/*
 * Nothing more is to come: the slot is free, or its owner dead, or all is over.
 * What is above slots is of shared sub-buffers, which are never over, or of the
 * last consumer.
 */
static bool
source_over(struct pool *p, uint32_t source)
{
	uint64_t owner;

	if (source >= p->nslots)
		return source >= p->nslots + p->nsubs;
	owner = load(&p->slots[source].owner);
	return owner == 0 || owner_dead(owner) ||
	    atomic_load_explicit(&p->header->active,
	    memory_order_relaxed) == 0;
}

static void
pool_damaged(struct pool *p)
{
	if (!p->damaged)
		report_trouble(p, UT_TROUBLE_LOST, "channel %s: the buffers "
		    "are damaged: events are lost", p->name);
	p->damaged = true;
}

/*
 * Its source's own, else one whose source is over, else a new one: NONE if
 * there are too many.  A source needs no second stream unless its time goes
 * back, or another consumer took over, so that is never so if times are what
 * they should be.
 */
static uint32_t
stream_for(struct pool *p, uint32_t source, uint64_t begin)
{
	const bool shared = source >= p->nslots;
	struct stream *s;
	uint32_t i, best = NONE;

	i = p->stream_of[source];
	if (i != 0 && p->streams[i - 1].source == source &&
	    p->streams[i - 1].end <= begin)
		return i - 1;
	for (i = 0; i < p->nstreams; i++) {
		s = &p->streams[i];
		if (s->shared == shared && s->end <= begin && (best == NONE ||
		    s->end > p->streams[best].end) &&
		    source_over(p, s->source))
			best = i;
	}
	if (best == NONE) {
		if (p->nstreams >= p->maxstreams)
			return NONE;
		best = stream_new(p)->index;
		p->streams[best].shared = shared;
	}
	p->streams[best].source = source;
	p->stream_of[source] = best + 1;
	return best;
}

/* Full, and written or not: it is free, and what its slot has next may come. */
static void
piece_over(struct pool *p, const struct piece *pc)
{
	if (!pc->shared)
		pool_advance(p, pc->slot, pc->seq);
	pool_sub_free(p, pc->sub);
}

/* Written or not, the piece is dealt with. */
static void
piece_done(struct pool *p, const struct piece *pc, bool written)
{
	uint64_t before = p->consumed[pc->sub];
	uint32_t n = UT_COMMIT_COUNT(pc->commit) - UT_COMMIT_COUNT(before);

	if (written)
		pool_written(p, n);
	else
		pool_dropped(p, n);
	if (pc->full) {
		piece_over(p, pc);
		return;
	}
	pool_sub_consumed(p, pc->sub, pc->commit, pc->end);
}

/* What could not be written is counted, and said once for each reason. */
static void
write_failed(struct pool *p, int error)
{
	if (error == p->trouble)
		return;
	p->trouble = error;
	report_trouble(p, UT_TROUBLE_LOST, "channel %s: events are lost: %s",
	    p->name, report_reason(error));
}

/* There is no room for the metadata; 0: now there is. */
static void
write_waits(struct pool *p, int error)
{
	const int before = p->waits;

	if (error == before)
		return;
	p->waits = error;
	if (error != 0) {
		if (before == 0)
			p->waited_lost = pool_lost(p);
		report_trouble(p, UT_TROUBLE_NOW, "channel %s: events wait: "
		    "%s", p->name, report_reason(error));
		return;
	}
	report_trouble(p, UT_TROUBLE_NOW, "%s", "");
	if (pool_lost(p) > p->waited_lost) {
		report_try();
		write_failed(p, before);
	}
}

static void
batch_flush(void)
{
	struct pool *p = batch.pool;
	struct stream *s;
	unsigned int i;
	bool written;

	if (batch.n == 0)
		return;
	s = &p->streams[batch.stream];
	for (i = 0; i < batch.n; i++)
		if (batch.pieces[i].sub != NONE)
			atomic_store_explicit(
			    &p->subs[batch.pieces[i].sub].writing,
			    batch.pieces[i].commit, memory_order_relaxed);
	written = stream_write(p, s, batch.iov, (int)batch.n * 2) == 0;
	if (!written)
		write_failed(p, errno);
	for (i = 0; i < batch.n; i++) {
		if (written) {
			p->counts.bytes += batch.lens[i];
			p->counts.packets++;
		}
		if (batch.pieces[i].sub != NONE)
			piece_done(p, &batch.pieces[i], written);
	}
	if (written) {
		s->told = s->discarded;
	} else {
		/* It is as if these packets had never been. */
		s->seq -= batch.n;
		p->unsaid += s->discarded - s->told;
		s->discarded = s->told;
	}
	batch.n = 0;
	report_progress(bytes_left);
}

static void
batch_add(struct pool *p, uint32_t stream, const struct piece *pc,
    struct packet *pk, const unsigned char *data)
{
	struct stream *s;
	size_t head;

	if (batch.n == BATCH || batch.pool != p || batch.stream != stream)
		batch_flush();
	batch.pool = p;
	batch.stream = stream;
	s = &p->streams[stream];
	pk->uuid = p->dir->uuid;
	pk->stream = p->stream;
	pk->shared = s->shared;
	pk->instance = stream;
	pk->seq = s->seq++;
	pk->discarded = s->discarded;
	s->end = pk->end;
	head = packet_head(batch.heads[batch.n], pk);
	batch.pieces[batch.n] = *pc;
	batch.pieces[batch.n].end = pk->end;
	batch.lens[batch.n] = head + (size_t)pk->len;
	batch.iov[2 * batch.n].iov_base = batch.heads[batch.n];
	batch.iov[2 * batch.n].iov_len = head;
	batch.iov[2 * batch.n + 1].iov_base = (void *)(uintptr_t)data;
	batch.iov[2 * batch.n + 1].iov_len = (size_t)pk->len;
	batch.n++;
}

static void
name_packet(struct packet *pk, uint64_t owner, uint32_t tid)
{
	const struct owner *o = owner_find(owner);

	pk->pid = o != NULL ? o->pid : 0;
	pk->tid = tid;
	pk->name = o != NULL ? o->name : "";
}

/*
 * A packet without events tells of lost ones.  As the first of its stream it
 * tells of none: readers know only the difference to the packet before.
 */
static void
empty_packet(struct pool *p, uint32_t stream, const struct packet *like,
    uint64_t when)
{
	struct piece none = { NONE, 0, 0, 0, 0, false, false };
	struct packet pk = *like;

	pk.begin = pk.end = when;
	pk.len = 0;
	batch_add(p, stream, &none, &pk, batch.heads[0]);
}

/* Lost events go into the next packet, whosever it is. */
static void
say_lost(struct pool *p, uint32_t stream, const struct packet *pk)
{
	struct stream *s = &p->streams[stream];

	if (p->unsaid != 0 && s->seq == 0)
		empty_packet(p, stream, pk, pk->begin);
	s->discarded += p->unsaid;
	p->unsaid = 0;
}

/* What the slot has lost, of which not all may have been told of. */
static void
note_slot(struct pool *p, uint32_t slot, uint64_t lost)
{
	if ((int64_t)(lost - p->said[slot]) > 0) {
		p->unsaid += lost - p->said[slot];
		p->said[slot] = lost;
	}
}

/*
 * What nobody can have written yet is nonsense, and readers that add to it
 * would leave their 64 bits: one such packet, and the trace is not read at all.
 */
static uint64_t
no_later(const struct pool *p, uint64_t t)
{
	const uint64_t latest = pool_now(p) + UT_TIME_GAP;

	return t < latest ? t : latest;
}

static void
piece_write(struct pool *p, struct piece *pc)
{
	struct ut_subbuf *sub = &p->subs[pc->sub];
	struct packet pk;
	uint32_t from = UT_COMMIT_LEN(p->consumed[pc->sub]), stream;

	if (!pc->shared)
		note_slot(p, pc->slot, load(&sub->lost));
	memset(&pk, 0, sizeof(pk));
	if (UT_COMMIT_LEN(pc->commit) == from) {
		/* Full, and all of it was written before. */
		piece_over(p, pc);
		return;
	}
	pk.end = no_later(p, end_time(p, pc));
	pk.len = UT_COMMIT_LEN(pc->commit) - from;
	pk.begin = no_later(p, ut_event_time(data_at(p, pc->sub, from),
	    from == 0 ? load(&sub->first) : p->until[pc->sub]));
	if (pk.end < pk.begin)
		pk.end = pk.begin;
	stream = stream_for(p, pc->shared ? p->nslots + pc->sub : pc->slot,
	    pk.begin);
	if (stream == NONE) {
		pool_damaged(p);
		pc->end = pk.end;
		piece_done(p, pc, false);
		return;
	}
	if (!pc->shared)
		name_packet(&pk, load(&sub->owner), atomic_load_explicit(
		    &sub->tid, memory_order_relaxed));
	say_lost(p, stream, &pk);
	batch_add(p, stream, pc, &pk, data_at(p, pc->sub, from));
}

static void
piece_add(const struct piece *pc)
{
	if (npieces == roompieces) {
		roompieces = roompieces == 0 ? 256 : roompieces * 2;
		pieces = xrealloc(pieces, roompieces * sizeof(*pieces));
	}
	pieces[npieces++] = *pc;
}

/* What makes no sense is thrown away. */
static bool
piece_valid(const struct pool *p, const struct piece *pc)
{
	return (pc->shared || pc->slot < p->nslots) &&
	    commit_valid(p, pc->commit, p->consumed[pc->sub]);
}

/*
 * FULL or PARKED -> READING, unless another has taken it.  READING is left from
 * a pass that had to let it wait.
 */
static bool
take_full(struct ut_subbuf *sub, uint64_t word)
{
	if (UT_STATE(word) == UT_READING)
		return true;
	return atomic_compare_exchange_strong_explicit(&sub->state, &word,
	    UT_STATE_WORD(UT_STATE_GEN(word), UT_STATE_SLOT(word),
	    UT_READING | (word & UT_SHARED)), memory_order_acquire,
	    memory_order_relaxed);
}

/* Is what is committed in there wanted? */
static bool
wanted(struct pool *p, uint64_t word, int how)
{
	uint32_t slot = UT_STATE_SLOT(word);

	switch (UT_STATE(word)) {
	case UT_FREE:
		return false;
	case UT_OWNED:
		if (how == DRAIN_DEAD)
			return slot < p->nslots &&
			    owner_dead(load(&p->slots[slot].owner));
		return how != DRAIN_FULL;
	case UT_PARKED:
		return how == DRAIN_ALL || how == DRAIN_LAST;
	default:
		return true;
	}
}

/*
 * Acquire, so that the bytes are there: of OWNED and PARKED by commit, else by
 * state.  What is parked stays there for others, until all is over: they could
 * find nothing else while we write.
 */
static void
collect_one(struct pool *p, uint32_t i, int how)
{
	struct ut_subbuf *sub = &p->subs[i];
	struct piece pc;
	uint64_t word;

	word = atomic_load_explicit(&sub->state, memory_order_acquire);
	if (!wanted(p, word, how))
		return;
	pc.full = UT_STATE(word) != UT_OWNED &&
	    (UT_STATE(word) != UT_PARKED || how == DRAIN_LAST);
	if (pc.full && !take_full(sub, word))
		return;
	pc.shared = (word & UT_SHARED) != 0;
	pc.commit = atomic_load_explicit(&sub->commit, memory_order_acquire);
	pc.sub = i;
	pc.slot = UT_STATE_SLOT(word);
	pc.seq = load(&sub->seq);
	if (!piece_valid(p, &pc)) {
		pool_damaged(p);
		if (pc.full && pc.slot < p->nslots)
			piece_over(p, &pc);
		else if (pc.full)
			pool_sub_free(p, i);
		return;
	}
	if (pc.full || pc.commit != p->consumed[i])
		piece_add(&pc);
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

/* What was lost outside of sub-buffers. */
static void
collect_lost(struct pool *p)
{
	uint64_t lost = load(&p->header->lost);
	uint32_t i, n = pool_slots_used(p), len;

	if (lost > p->said_lost) {
		p->unsaid += lost - p->said_lost;
		p->said_lost = lost;
	}
	for (i = 0; i < n; i++)
		note_slot(p, i, load(&p->slots[i].lost));
	len = atomic_load_explicit(&p->header->toobig, memory_order_relaxed);
	if (len <= p->toobig || p->ntoobig == TOOBIG_MAX)
		return;
	p->ntoobig++;
	p->toobig = len;
	report_trouble(p, UT_TROUBLE_SAY, "channel %s: an event of %u bytes "
	    "does not fit into a sub-buffer of %u: lost", p->name, len,
	    p->subsize);
}

/* The end: what is still unsaid needs a packet of its own. */
static void
say_rest(struct pool *p)
{
	struct packet pk;
	uint32_t stream = 0;

	if (p->unsaid == 0)
		return;
	memset(&pk, 0, sizeof(pk));
	pk.name = "";
	pk.begin = pool_now(p);
	if (p->nstreams == 0)
		stream = stream_for(p, 0, pk.begin);
	if (pk.begin < p->streams[stream].end)
		pk.begin = p->streams[stream].end;
	say_lost(p, stream, &pk);
	empty_packet(p, stream, &pk, pk.begin);
}

/* A directory that is a program's own is made with its first packet. */
static bool
nothing_yet(const struct pool *p, int how)
{
	size_t i;

	if (p->dir->meta != -1 || (how == DRAIN_LAST && p->unsaid > 0))
		return false;
	for (i = 0; i < npieces; i++)
		if (UT_COMMIT_COUNT(pieces[i].commit) > 0)
			return false;
	return true;
}

/*
 * No metadata, no data: readers could not make sense of it.  It waits in the
 * region, and when that is full, writers count what they lose.
 */
static bool
metadata_ready(struct pool *p, int how)
{
	size_t i;

	if (nothing_yet(p, how) || output_pending(p->dir) == 0) {
		write_waits(p, 0);
		return true;
	}
	if (how != DRAIN_LAST) {
		write_waits(p, errno);
		return false;
	}
	write_failed(p, errno);
	for (i = 0; i < npieces; i++)
		piece_done(p, &pieces[i], false);
	npieces = 0;
	return true;
}

/* Of a program that is dead, whoever may have the slot by now. */
static bool
is_dead(struct pool *p, const struct piece *pc)
{
	return owner_dead(load(&p->subs[pc->sub].owner)) ||
	    owner_dead(load(&p->slots[pc->slot].owner));
}

/*
 * In order: a piece whose predecessor is not there yet waits.  If that is
 * not there after some seconds, it will never be: it was claimed by a thread
 * that somebody else has made jump or die in a way that we do not know.  (The
 * first seq is 1; whatever was scribbled there, nothing waits for ever.)
 */
static bool
in_turn(struct pool *p, const struct piece *pc, int how)
{
	if (pc->shared || how == DRAIN_LAST ||
	    pc->seq - 1 <= p->done_seq[pc->slot] ||
	    (how == DRAIN_DEAD && is_dead(p, pc)))
		return true;
	return how == DRAIN_ALL && ++p->waited[pc->slot] > WAIT_PASSES;
}

bool
pool_drain(struct pool *p, int how)
{
	size_t i, full = 0;

	if (p->dir->behind)
		return false;
	npieces = 0;
	pool_look(p);
	if (p->shared.cut)
		pool_damaged(p);
	for (i = 0; i < p->nsubs; i++)
		collect_one(p, (uint32_t)i, how);
	if (how != DRAIN_FULL)
		collect_lost(p);
	orders_take();
	if (!metadata_ready(p, how))
		return false;
	if (npieces > 0)
		qsort(pieces, npieces, sizeof(*pieces), by_slot);
	for (bytes_left = 0, i = 0; i < npieces; i++)
		bytes_left += UT_COMMIT_LEN(pieces[i].commit);
	for (i = 0; i < npieces; i++) {
		bytes_left -= UT_COMMIT_LEN(pieces[i].commit);
		if (!in_turn(p, &pieces[i], how))
			continue;
		full += pieces[i].full;
		if (pieces[i].full && !pieces[i].shared)
			pool_advance(p, pieces[i].slot, pieces[i].seq);
		piece_write(p, &pieces[i]);
	}
	if (how == DRAIN_LAST)
		say_rest(p);
	batch_flush();
	pool_looked(p);
	return full >= p->bell;
}

/* Stop the region, and write all that is in it. */
void
pool_finish(struct pool *p, bool dead)
{
	pool_stop(p, dead);
	(void)pool_drain(p, DRAIN_LAST);
	if (output_removed(p->dir))
		report_trouble(p, UT_TROUBLE_LOST, "channel %s: the files "
		    "were removed, and what was written there is gone",
		    p->name);
}

/* What they still hold after that is empty, or out of order. */
static void
bury_slots(struct pool *p)
{
	uint32_t i, slot, n = pool_slots_used(p);
	uint64_t word;

	for (i = 0; i < p->nsubs; i++) {
		word = load(&p->subs[i].state);
		slot = UT_STATE_SLOT(word);
		if (UT_STATE(word) == UT_OWNED && slot < n &&
		    owner_dead(load(&p->slots[slot].owner)))
			pool_sub_free(p, i);
	}
	for (i = 0; i < n; i++)
		if (owner_dead(load(&p->slots[i].owner)))
			pool_slot_free(p, i);
}

/*
 * Programs are dead: nothing of them moves any more.  While there is no room
 * for the metadata, their events stay where they are: false.
 */
bool
pool_bury(struct pool *p)
{
	(void)pool_drain(p, DRAIN_DEAD);
	if (p->dir->behind || p->dir->nwhole > 0)
		return false;
	bury_slots(p);
	return true;
}
