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
 * The hot path: one event, from the first byte to the commit.
 *
 * No lock, no locked instruction, no system call.  What makes that right:
 *
 * - The sub-buffer has one writer, this thread at this depth of nesting, so
 *   its position is thread-local and its stores need no order among
 *   themselves.  The only order that counts is that of `commit' (release)
 *   after the bytes of the event and after `last': whoever loads commit with
 *   acquire order sees all of both.
 *
 * - A level of nesting is taken by one plain store, of `frame', that precedes
 *   everything else here in program order (the signal fence keeps the
 *   compiler to it; a handler runs on the processor that it interrupts).  A
 *   signal handler that finds frame set takes another level, with writers of
 *   its own.  One that comes between the look at frame and that store finds
 *   0, uses the level and leaves 0 there, as if it had come before; and if it
 *   jumps away, nobody comes back to store.
 *
 * - `busy' is stored before `state' is loaded and cleared, with release
 *   order, after the commit.  A consumer that wants the sub-buffer back sets
 *   REVOKED, lets a grace time pass after which either it sees busy, or this
 *   thread's next load sees REVOKED (the store cannot stay in a store buffer
 *   for so long), and gives up if it sees busy or a changed commit.
 *
 * - A channel that is detached is neither unmapped nor attached again while
 *   a thread is in an event that began before: the listener clears `gen',
 *   passes ut_barrier, and then waits until it has seen all frames at 0.
 */

#include <stddef.h>
#include <string.h>

#include "ut_priv.h"

#define AHEAD	256		/* bytes to be written soon */

static unsigned char	*begin_nested(struct ut_record *, struct ut_event *,
			    size_t, uintptr_t);
static unsigned char	*commit_shared(struct ut_record *);
static unsigned char	*next_channel(struct ut_record *);

static inline void
level_take(struct level *l, uintptr_t frame)
{
	__atomic_store_n(&l->frame, frame, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline unsigned char *
event_end(const struct ut_record *r)
{
	struct level *l = r->level;

	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&l->frame, 0, __ATOMIC_RELEASE);
	return NULL;
}

/* The event's head; it has its time, and room. */
static inline unsigned char *
event_head(struct ut_record *r, struct writer *w, uint16_t id)
{
	unsigned char *p = w->data + UT_COMMIT_LEN(w->commit);

	ut_event_head(p, id, r->time);
	__builtin_prefetch(p + AHEAD, 1);
	r->writer = w;
	return p + UT_EVENT_HEAD;
}

/* Busy, and with room in a sub-buffer that is still ours? */
static inline bool
writer_ready(struct writer *w, const struct channel *ch, uint32_t gen,
    size_t len)
{
	if (UT_UNLIKELY(w->gen != gen))
		return false;
	atomic_store_explicit(&w->slot->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return UT_LIKELY(len <= w->room - UT_COMMIT_LEN(w->commit)) &&
	    UT_LIKELY(atomic_load_explicit(&w->sub->state,
	    memory_order_relaxed) == w->mine) &&
	    UT_LIKELY(atomic_load_explicit(&ch->header->active,
	    memory_order_relaxed));
}

/*
 * Can the low bits of the time tell all of it?  Not if too much time has
 * passed since the event before, nor if it has gone back, which a cycle
 * counter might by a hair.
 */
static inline bool
time_fits(const struct ut_record *r, const struct writer *w)
{
	return r->time - atomic_load_explicit(&w->sub->last,
	    memory_order_relaxed) < UT_TIME_GAP;
}

/*
 * The first channel is dealt with here, as next_channel would: mostly there
 * is no other.  The clock is read as soon as it is known which: it waits for
 * all that comes before it, and what comes after is done meanwhile.
 */
UT_EXPORT unsigned char *
ut_begin(struct ut_record *r, struct ut_event *ev, size_t len)
{
	/* Not that of r: sanitizers keep variables elsewhere. */
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct level *l = &ut_self->levels[0];
	struct channel *ch;
	struct writer *w;
	uint32_t mask, gen;
	uint16_t id;
	int c;

	if (UT_UNLIKELY(l->frame != 0))
		return begin_nested(r, ev, len, frame);
	level_take(l, frame);

	r->event = ev;
	r->level = l;
	r->len = len += UT_EVENT_HEAD;
	r->clock = UT_CLOCK_NONE;
	/* Acquire: who sees the bit sees the ID and the channel behind it. */
	r->mask = mask = __atomic_load_n(&ev->on, __ATOMIC_ACQUIRE);
	if (UT_UNLIKELY(mask == 0))
		return event_end(r);
	c = __builtin_ctz(mask);
	ch = &ut_channels[c];
	gen = atomic_load_explicit(&ch->gen, memory_order_acquire);
	id = __atomic_load_n(&ev->id[c], __ATOMIC_RELAXED);
	if (UT_UNLIKELY(gen == 0 || id == 0))
		return next_channel(r);
	r->clock = ch->clock;
	r->time = ut_read_clock(ch->clock);
	w = &l->writers[c];
	if (UT_UNLIKELY(!writer_ready(w, ch, gen, len) || !time_fits(r, w)))
		return next_channel(r);
	r->mask = mask & (mask - 1);
	return event_head(r, w, id);
}

UT_EXPORT unsigned char *
ut_commit(struct ut_record *r)
{
	struct writer *w = r->writer;
	struct ut_subbuf *sub = w->sub;

	if (UT_UNLIKELY(sub == NULL))
		return commit_shared(r);
	w->commit += UT_COMMIT_WORD(UINT64_C(1), r->len);
	/* Release: not before the commit of the event before this one. */
	atomic_store_explicit(&sub->last, r->time, memory_order_release);
	atomic_store_explicit(&sub->commit, w->commit, memory_order_release);
	atomic_store_explicit(&w->slot->busy, 0, memory_order_release);
	if (UT_LIKELY(r->mask == 0))
		return event_end(r);
	return next_channel(r);
}

/*
 * A sub-buffer whose last event is too long ago makes room for another, which
 * begins now.
 */
static enum room
time_fit(struct ut_record *r, struct writer *w, struct channel *ch)
{
	enum room room;
	uint64_t last;

	while (!time_fits(r, w)) {
		last = atomic_load_explicit(&w->sub->last,
		    memory_order_relaxed);
		if (r->time < last) {
			r->time = last;
			break;
		}
		room = ut_writer_next(w, ch, r->len, r->time);
		if (room != ROOM_OWN)
			return room;
		r->time = ut_read_clock(ch->clock);
	}
	return ROOM_OWN;
}

static enum room
find_room(struct ut_record *r, struct writer *w, struct channel *ch,
    uint32_t gen)
{
	enum room room;

	if (!writer_ready(w, ch, gen, r->len)) {
		room = ut_writer_room(w, ch, gen, r->len, r->time);
		if (room != ROOM_OWN)
			return room;
		r->time = ut_read_clock(ch->clock);
	}
	return time_fit(r, w, ch);
}

/*
 * Room in the next channel that listens; without one, the event is over.  One
 * time is good for all that have the same clock, but not for a sub-buffer
 * that was claimed since: that begins later.
 */
static unsigned char * __attribute__((noinline))
next_channel(struct ut_record *r)
{
	struct level *l = r->level;
	struct channel *ch;
	struct writer *w;
	uint32_t gen;
	uint16_t id;
	int c;

	while (r->mask != 0) {
		c = __builtin_ctz(r->mask);
		r->mask &= r->mask - 1;
		ch = &ut_channels[c];
		w = &l->writers[c];
		gen = atomic_load_explicit(&ch->gen, memory_order_acquire);
		id = __atomic_load_n(&r->event->id[c], __ATOMIC_RELAXED);
		if (gen == 0 || id == 0)
			continue;
		if (r->clock != ch->clock) {
			r->clock = ch->clock;
			r->time = ut_read_clock(ch->clock);
		}
		switch (find_room(r, w, ch, gen)) {
		case ROOM_NONE:
			break;
		case ROOM_OWN:
			return event_head(r, w, id);
		case ROOM_SHARED:
			r->writer = w;
			return ut_shared_head(w, ch, id);
		}
	}
	return event_end(r);
}

/*
 * Of an event in a shared sub-buffer.  Or all is wiped, in a child that a
 * signal handler forked in mid-event.
 */
static unsigned char * __attribute__((noinline))
commit_shared(struct ut_record *r)
{
	const struct level *l = r->level;
	struct writer *w = r->writer;

	if (w->slot == NULL)
		return NULL;
	ut_shared_commit(w, &ut_channels[w - l->writers], r->len);
	return next_channel(r);
}

/* No writer so deep: count, where there is a region to count in. */
static unsigned char *
too_deep(struct ut_event *ev)
{
	struct channel *ch;
	uint32_t mask;
	int c;

	mask = __atomic_load_n(&ev->on, __ATOMIC_ACQUIRE);
	for (; mask != 0; mask &= mask - 1) {
		c = __builtin_ctz(mask);
		ch = &ut_channels[c];
		if (atomic_load_explicit(&ch->gen, memory_order_acquire) != 0)
			atomic_fetch_add_explicit(&ch->header->lost, 1,
			    memory_order_relaxed);
	}
	return NULL;
}

/* The thread's first event, or one while its first level is not free. */
static unsigned char * __attribute__((noinline, cold))
begin_nested(struct ut_record *r, struct ut_event *ev, size_t len,
    uintptr_t frame)
{
	struct thread *t = ut_thread_own();
	struct level *l;

	if (t == NULL)
		return NULL;
	l = &t->levels[0];
	if (l->frame != 0 && (l = ut_thread_level(t, frame)) == NULL)
		return too_deep(ev);
	level_take(l, frame);
	r->event = ev;
	r->level = l;
	r->len = len + UT_EVENT_HEAD;
	r->clock = UT_CLOCK_NONE;
	/* Acquire: as in ut_begin. */
	r->mask = __atomic_load_n(&ev->on, __ATOMIC_ACQUIRE);
	return next_channel(r);
}
