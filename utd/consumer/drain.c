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
#include <poll.h>
#include <stdlib.h>

#include "piece.h"

#define BOUND_AHEAD	(512u << 10)	/* bytes that are asked for at once */
#define BOUND_MS	1000	/* for more, before events are lost */
#define WAIT_TICKS	3	/* for a missing sub-buffer */
#define TOOBIG_MAX	10	/* times that longer ones are told of */
#define UNHEARD_MAX	10	/* times that children are told of */

static struct piece *pieces;	/* found in this pass */
static size_t npieces, maxpieces;
static uint32_t *marked;	/* REVOKED when this pass began */
static size_t nmarked;

/* Note that events wait, since metadata cannot be written; 0: now it can. */
static void
write_waits(struct region *r, int error)
{
	const int before = r->wait_errno;

	if (error == before)
		return;
	r->wait_errno = error;
	if (error != 0) {
		if (before == 0)
			r->waited_lost = region_lost(r);
		report_trouble(r->id, UT_TROUBLE_NOW, "channel %s: events "
		    "wait: %s", r->name, report_reason(error));
		return;
	}
	report_trouble(r->id, UT_TROUBLE_NOW, "%s", "");
	if (region_lost(r) > r->waited_lost) {
		report_try();
		sink_failed(r->sink, before);
	}
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
sub_wanted(struct region *r, uint64_t word, int how)
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
sub_hold(struct region *r, uint32_t i, uint64_t *word, bool full)
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
	bool wanted;

	word = load_acquire(&sub->state);
	if (word & UT_REVOKED)
		marked[nmarked++] = i;
	wanted = sub_wanted(r, word, how);
	if (load(&sub->pin) != 0 && !(wanted && UT_STATE(word) == UT_OWNED))
		region_unpin(r, i);
	if (!wanted)
		return;
	pc.full = UT_STATE(word) != UT_OWNED &&
	    (UT_STATE(word) != UT_PARKED || how == DRAIN_LAST ||
	    r->overwrites);
	if (!sub_hold(r, i, &word, pc.full))
		return;
	region_round(r, i);
	pc.gap = pc.begin = 0;
	pc.end = load(&sub->last);
	pc.retells = false;
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

/* Collect what this pass wants. */
static void
collect(struct region *r, int how)
{
	uint32_t i;

	r->more_full = oldest_find(r, how);
	for (i = 0; i < r->nsubs; i++)
		collect_one(r, i, how);
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

/*
 * Report a child that could not connect, as the header says; check that the PID
 * can be one.
 */
static void
report_unheard(struct region *r)
{
	const uint64_t unheard = load(&r->header->unheard);
	const struct program *p;

	if (unheard == r->unheard || r->nunheard == UNHEARD_MAX)
		return;
	r->unheard = unheard;
	if (unheard >> 32 == 0 || (uint32_t)unheard == 0 ||
	    (uint32_t)unheard > INT32_MAX) {
		region_damaged(r);
		return;
	}
	r->nunheard++;
	p = program_of_pid((uint32_t)unheard);
	report_trouble(r->id, UT_TROUBLE_SAY, "a child of %s (%u) cannot "
	    "connect: no descriptor is left: raise its limit (ulimit -n)",
	    p != NULL ? p->name : "process", (unsigned int)unheard);
}

/* Tell of events that no sub-buffer is large enough for. */
static void
look_toobig(struct region *r)
{
	const uint32_t len = load(&r->header->toobig);

	if (len <= r->toobig || r->ntoobig == TOOBIG_MAX)
		return;
	if (len <= r->subsize) {
		region_damaged(r);
		return;
	}
	r->ntoobig++;
	r->toobig = len;
	report_trouble(r->id, UT_TROUBLE_SAY, "channel %s: an event of %u "
	    "bytes does not fit into a sub-buffer of %u: lost", r->name, len,
	    r->subsize);
}

/* Is there nothing that a directory which is not made yet is needed for? */
static bool
nothing_yet(struct region *r, int how)
{
	size_t i;

	if (r->sink->trace->meta != -1 || (how == DRAIN_LAST && loss_any(r)))
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
		r->held = errno == EAGAIN;
		if (!r->held)
			write_waits(r, errno);
		return false;
	}
	sink_failed(r->sink, errno);
	for (i = 0; i < npieces; i++)
		piece_done(r, &pieces[i], 0, false);
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

/*
 * Unpin what is not full: it may be dropped again, once it is.  Let writers
 * drop, in overwrite mode, pieces from the nth on, which cannot be written yet.
 */
static void
pieces_leave(struct region *r, size_t n)
{
	size_t i;

	for (i = 0; i < npieces; i++)
		if (!pieces[i].full)
			region_unpin(r, pieces[i].sub);
		else if (r->overwrites && i >= n)
			region_sub_leave(r, pieces[i].sub);
}

/*
 * Bytes that the piece may need in the files, with what is told before it.  One
 * that is not full can grow until it is written: see piece.c.
 */
static uint64_t
piece_need(const struct region *r, const struct piece *pc)
{
	return (pc->full ? UT_COMMIT_LEN(pc->commit) : r->subsize) -
	    UT_COMMIT_LEN(r->consumed[pc->sub]) + 4 * PACKET_HEAD_MAX;
}

static uint64_t
pieces_need(const struct region *r)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < npieces; i++)
		all += piece_need(r, &pieces[i]);
	return all;
}

/* Have the parent allow all that is left to be written, or refuse that. */
static void
wait_room(struct region *r)
{
	const int64_t until = ut_msg_now() + BOUND_MS;
	struct pollfd parent = { .fd = PARENT_FD, .events = POLLIN };
	struct trace *t = r->sink->trace;

	t->asked = 0;
	t->refused = false;
	while (!bound_room(t, t->npending + pieces_need(r)) && !t->refused &&
	    !parent_gone && ut_msg_now() < until) {
		(void)poll(&parent, 1, BOUND_MS / 10);
		orders_take();
	}
}

/*
 * How many pieces may the files have now?  The others stay in the region until
 * the parent allows more, but for the last time, when they are lost.
 */
static size_t
pieces_fit(struct region *r, int how)
{
	struct trace *t = r->sink->trace;
	uint64_t all = pieces_need(r);
	size_t i = npieces;

	r->held = how != DRAIN_LAST &&
	    !bound_room(t, all < BOUND_AHEAD ? all : BOUND_AHEAD);
	while (i > 0 && how != DRAIN_LAST && !bound_room(t, all)) {
		all -= piece_need(r, &pieces[--i]);
		r->held = true;
	}
	return i;
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

/*
 * Say of each sub-buffer of which this pass may take a part that a packet may
 * end there, some time before we look how far it is committed: see ut_abi(5),
 * "Call stacks".
 */
static void
pin_owned(struct region *r, int how)
{
	uint64_t word;
	uint32_t i;

	for (i = 0; i < r->nsubs; i++) {
		word = load(&r->subs[i].state);
		if (UT_STATE(word) == UT_OWNED && sub_wanted(r, word, how))
			(void)region_pin(r, i, &word);
	}
}

/* Have room for as many pieces as the region can have. */
static void
pieces_begin(const struct region *r)
{
	if (maxpieces < r->nsubs) {
		maxpieces = r->nsubs;
		pieces = xrealloc(pieces, maxpieces * sizeof(*pieces));
		marked = xrealloc(marked, maxpieces * sizeof(*marked));
	}
	npieces = nmarked = 0;
}

/*
 * Write the first pieces, so many of them, as far as it is their turn; returns
 * how many of these were full.
 */
static size_t
pieces_write(struct region *r, size_t fit, int how)
{
	uint64_t left = 0;
	size_t i, full = 0;

	for (i = 0; i < fit; i++)
		left += UT_COMMIT_LEN(pieces[i].commit);
	for (i = 0; i < fit; i++) {
		report_progress(left);
		left -= UT_COMMIT_LEN(pieces[i].commit);
		if (!in_turn(r, &pieces[i], how))
			continue;
		full += pieces[i].full;
		pieces[i].gap = find_gap(r, &pieces[i]);
		if (pieces[i].full && !pieces[i].shared)
			region_advance(r, pieces[i].slot, pieces[i].seq);
		piece_write(r, &pieces[i]);
	}
	batch_flush(r);
	return full;
}

bool
region_drain(struct region *r, int how)
{
	size_t fit, full;

	if (r->sink->trace->behind)
		return false;
	if (r->keeps && !r->copy && how != DRAIN_LAST) {
		region_look(r);
		region_looked(r);
		loss_mark(r);
		return false;
	}
	pieces_begin(r);
	pin_owned(r, how);
	region_look(r);
	if (how != DRAIN_FULL)
		loss_look(r);
	if (r->shared.cut)
		region_damaged(r);
	collect(r, how);
	if (how != DRAIN_FULL) {
		report_unheard(r);
		look_toobig(r);
	}
	orders_take();
	if (how == DRAIN_LAST)
		wait_room(r);
	if (!metadata_ready(r, how)) {
		pieces_leave(r, 0);
		return false;
	}
	if (npieces > 0) {
		qsort(pieces, npieces, sizeof(*pieces), by_slot);
		pause_tell(r);
	}
	fit = pieces_fit(r, how);
	full = pieces_write(r, fit, how);
	if (how != DRAIN_FULL) {
		gone_tell(r);
		gone_slots(r, how == DRAIN_LAST);
		loss_rest(r, how);
	}
	pieces_leave(r, fit);
	region_grew(r);
	if (!r->more_full)
		region_looked(r);
	return r->more_full || full >= r->bell;
}

/* Look at all files before what is written last, which can tell of them. */
void
region_look_files(struct region *r)
{
	sink_look(r->sink);
	region_shrunk(r);
}

/* Nothing more is written to its trace: is that still there? */
void
region_check(const struct region *r)
{
	const char *what = output_spoiled(r->sink->trace);

	if (what != NULL)
		report_trouble(r->id, UT_TROUBLE_LOST, "channel %s: %s",
		    r->name, what);
}

/* Stop the region, and write all that is in it. */
void
region_finish(struct region *r, bool dead)
{
	region_stop(r, dead);
	region_look_files(r);
	region_names(r, true);
	(void)region_drain(r, DRAIN_LAST);
	region_check(r);
}

/*
 * Free what a dead thread was in.  What it had committed is written; if that is
 * nothing, a claim that the slot counts is taken back.  So the next consumer
 * does not take it for missing, wherever we die.
 */
static void
bury_owned(struct region *r, uint32_t i, uint32_t slot)
{
	const struct ut_subbuf *sub = &r->subs[i];
	const uint64_t seq = load(&sub->seq);

	if (load(&sub->commit) != 0) {
		region_advance(r, slot, seq);
		region_passed(r, slot, r->done_seq[slot]);
	} else if (seq != 0 && seq == load(&r->slots[slot].seq)) {
		store(&r->slots[slot].seq, seq - 1);
	}
	region_sub_free(r, i);
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
			bury_owned(r, i, slot);
		else if (UT_STATE(word) == UT_TAKEN)
			region_sub_drop(r, i, word);
	}
	for (i = 0; i < n; i++)
		if (program_dead(load(&r->slots[i].owner)))
			region_slot_free(r, i);
}

/*
 * Write what the dead have left, and free it.  False if that, or the metadata,
 * cannot be written yet: then their events stay where they are.
 */
bool
region_bury(struct region *r)
{
	(void)region_drain(r, DRAIN_DEAD);
	if (r->sink->trace->behind || r->sink->trace->nwhole > 0 || r->held)
		return false;
	bury_slots(r);
	(void)region_wake(r);
	return true;
}
