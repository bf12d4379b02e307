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
 *   for so long), and gives up if it sees busy or a changed commit.  Is there
 *   room?  That is known to the thread alone and can be asked before.
 *
 * - `on' says in one load who listens, what the ID is there, and which writer
 *   the thread has.  That has room only if the thread has claimed a sub-buffer
 *   since the region was attached, so nothing else needs to be compared.  For
 *   a region that was detached is neither unmapped nor attached again while an
 *   event that began before is under way: the listener clears on, passes
 *   ut_barrier, waits until it has seen every frame at 0, and then takes the
 *   room from all writers.  The store of frame comes before the load of on: so
 *   the listener sees frame, or the event sees on cleared, or as it was set
 *   again, and then, by acquire order, the writers without room.
 *
 * - An event with a filter is written, and then judged: what does not pass is
 *   not committed, and the next event is written over it.  To read the clock is
 *   most of what an event costs, so this one gets its time, and with it its
 *   head, when it has passed.  If the sub-buffer then proves too old for that
 *   time, the event begins again in the next one: the program writes its fields
 *   once more, as it does for each region.  The filter itself is not freed
 *   before the listener has seen all frames at 0 since it was taken back; and
 *   it stays in its place when the event is disabled, so an event under way is
 *   never recorded without being judged.
 *
 * - An event with contexts takes the way of one with a filter, in a region
 *   where it has no filter, too: only there is it asked what goes in front of
 *   the fields, and an event of a region without contexts does not pay for
 *   them.  They are written into the event before its fields are, and like
 *   these count for nothing before the commit; the length of the event has
 *   them from when it begins in the region until it is over there.  A
 *   program's callback is called at that time: to the library it is as if a
 *   signal handler came in the middle of the event.  Which contexts there are
 *   is constant while the region is attached, and so is what sends an event
 *   this way.
 *
 * - Where an event was called from is known to the program's function that
 *   calls ut_begin, and would cost every event something to pass.  So if a
 *   region wants to know, ut_begin begins nothing, and that function, which
 *   has to look for NULL anyway, calls again with it: ut_begin_at.  Every way
 *   to NULL from ut_begin stores the clock of the record, which says whether
 *   to begin.
 */

#include <stddef.h>
#include <string.h>

#include "ut_prefix.h"
#include "ut_priv.h"

#define AHEAD	256		/* bytes to be written soon */

/*
 * Where the event is on the stack.  Not the place of its struct ut_record, as
 * sanitizers keep variables elsewhere.  And no variable: the compiler would
 * take a register for that before it is needed.
 */
#define FRAME()	((uintptr_t)__builtin_frame_address(0))

/*
 * r->writer of an event that goes into several regions, one after the other:
 * r->own is the writer of that which has its turn.  Without a sub-buffer, so
 * that ut_commit has one test for all that is not the rule.
 */
static struct writer several;

static unsigned char	*begin_nested(struct ut_record *,
			    const struct ut_event *, size_t, uintptr_t);
static unsigned char	*begin_several(struct ut_record *,
			    const struct ut_event *);
static unsigned char	*begin_other(struct ut_record *,
			    const struct ut_event *);
static unsigned char	*begin_filtered(struct ut_record *);
static unsigned char	*begin_prefixed(struct ut_record *);
static unsigned char	*begin_late(struct ut_record *, struct writer *);
static unsigned char	*begin_stacked(struct ut_record *, struct writer *);
static unsigned char	*commit_other(struct ut_record *);

static inline void
level_take(struct level *l, uintptr_t frame)
{
	__atomic_store_n(&l->frame, frame, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
}

/*
 * Take a level that was free a while ago.  A handler may have had it since, and
 * have switched to another coroutine in the middle of its event.
 */
static bool
level_claim(struct level *l, uintptr_t frame)
{
	uintptr_t none = 0;
	const bool ours = __atomic_compare_exchange_n(&l->frame, &none, frame,
	    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);

	atomic_signal_fence(memory_order_seq_cst);
	return ours;
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
event_head(const struct writer *w, uint16_t id, uint64_t time)
{
	unsigned char *p = w->data + UT_COMMIT_LEN(w->commit);

	__builtin_prefetch(p + AHEAD, 1);
	ut_event_head(p, id, time);
	return p + UT_EVENT_HEAD;
}

/* With room, busy, in a sub-buffer that is still ours, and nobody to wake? */
static inline bool
writer_ready(const struct writer *w, size_t len)
{
	if (UT_UNLIKELY(len > w->room - UT_COMMIT_LEN(w->commit)))
		return false;
	atomic_store_explicit(&w->slot->busy, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return UT_LIKELY(atomic_load_explicit(&w->sub->state,
	    memory_order_relaxed) == w->mine) &&
	    UT_LIKELY(atomic_load_explicit(w->active, memory_order_relaxed) ==
	    UT_ACTIVE);
}

/*
 * Can the low bits of the time tell all of it?  Not if too much time has
 * passed since the event before, nor if it has gone back, which a cycle
 * counter might by a hair.
 */
static inline bool
time_fits(const struct writer *w, uint64_t time)
{
	return time - atomic_load_explicit(&w->sub->last,
	    memory_order_relaxed) < UT_TIME_GAP;
}

static inline struct writer *
writer_at(struct level *l, uint32_t offset)
{
	return (struct writer *)(void *)((char *)l + offset);
}

/* Begin in the region of w, whose clock says so. */
static inline unsigned char *
begin_in(struct ut_record *r, struct writer *w, uint64_t time)
{
	if (UT_UNLIKELY(!writer_ready(w, r->len) || !time_fits(w, time)))
		return begin_late(r, w);
	return event_head(w, ON_ID(r->on), time);
}

/* Begin in the only region that listens. */
static inline unsigned char *
begin_timed(struct ut_record *r, uint64_t time)
{
	r->time = time;
	return begin_in(r, r->writer, time);
}

/* A function of its own, so that one with the counter saves no registers. */
static unsigned char * __attribute__((noinline))
begin_monotonic(struct ut_record *r)
{
	return begin_timed(r, ut_nanoseconds());
}

/*
 * Mostly one region listens, and its clock is the system's: then the low half
 * of on is positive.  The clock is read as soon as it is known which: it waits
 * for all that comes before it, and what comes after is done meanwhile.
 */
UT_EXPORT unsigned char *
ut_begin(struct ut_record *r, struct ut_event *ev, size_t len)
{
	struct thread *t = ut_self;
	struct level *l;
	uint32_t on;

	if (UT_UNLIKELY(t == NULL || t->levels[0].frame != 0))
		return begin_nested(r, ev, len, FRAME());
	l = &t->levels[0];
	level_take(l, FRAME());

	r->level = l;
	r->len = len + UT_EVENT_HEAD;
	r->on = on = __atomic_load_n(&ev->on, __ATOMIC_ACQUIRE);
	if (UT_UNLIKELY((int16_t)on <= 0)) {
		if (!ON_HAS(on, ON_CYCLES))
			return begin_other(r, ev);
		r->writer = writer_at(l, ON_OFFSET(on));
		return begin_timed(r, ut_cycles());
	}
	r->writer = writer_at(l, (uint16_t)on);
	return begin_monotonic(r);
}

static inline void
commit(struct ut_record *r, struct writer *w, struct ut_subbuf *sub)
{
	const uint64_t word = w->commit + UT_COMMIT_WORD(UINT64_C(1), r->len);

	w->commit = word;
	/* Release: not before the commit of the event before this one. */
	atomic_store_explicit(&sub->last, r->time, memory_order_release);
	atomic_store_explicit(&sub->commit, word, memory_order_release);
	atomic_store_explicit(&w->slot->busy, 0, memory_order_release);
}

UT_EXPORT unsigned char *
ut_commit(struct ut_record *r)
{
	struct writer *w = r->writer;
	struct ut_subbuf *sub = w->sub;

	if (UT_UNLIKELY(sub == NULL))
		return commit_other(r);
	commit(r, w, sub);
	return event_end(r);
}

/*
 * A sub-buffer whose last event is too long ago makes room for another, which
 * begins now; so does one whose last event is yet to come, because the counter
 * jumped back.
 */
static enum room
time_fit(struct ut_record *r, struct writer *w, struct region *rg)
{
	enum room room;
	uint64_t last;

	while (!time_fits(w, r->time)) {
		last = atomic_load_explicit(&w->sub->last,
		    memory_order_relaxed);
		if (r->time < last && last - r->time < UT_TIME_HAIR) {
			r->time = last;
			break;
		}
		room = ut_writer_next(w, rg, r->len, r->time);
		if (room != ROOM_OWN)
			return room;
		r->time = ut_read_clock(rg->clock);
	}
	return ROOM_OWN;
}

static enum room
find_room(struct ut_record *r, struct writer *w, struct region *rg)
{
	enum room room;

	if (!writer_ready(w, r->len)) {
		room = ut_writer_room(w, rg, r->len, r->time);
		if (room != ROOM_OWN)
			return room;
		r->time = ut_read_clock(rg->clock);
	}
	return time_fit(r, w, rg);
}

/* The writer's region. */
static inline struct region *
region_of(const struct ut_record *r, const struct writer *w)
{
	const struct level *l = r->level;

	return &ut_regions[w - l->writers];
}

/* Room in the writer's region, and the event's head there, or NULL. */
static unsigned char *
begin_slow(struct ut_record *r, struct writer *w)
{
	struct region *rg = region_of(r, w);

	if (!atomic_load_explicit(&rg->attached, memory_order_acquire)) {
		if (w->room != 0)	/* has a slot, perhaps busy */
			atomic_store_explicit(&w->slot->busy, 0,
			    memory_order_release);
		return NULL;
	}
	switch (find_room(r, w, rg)) {
	case ROOM_NONE:
		break;
	case ROOM_OWN:
		return event_head(w, ON_ID(r->on), r->time);
	case ROOM_SHARED:
		return ut_shared_head(w, rg, ON_ID(r->on), 0);
	}
	return NULL;
}

/* Has the event a filter in that region?  Acquire: its filters are there. */
static inline bool
filtered_in(const struct ut_event *ev, size_t i)
{
	const struct filters *f = __atomic_load_n(&ev->filters,
	    __ATOMIC_ACQUIRE);

	return f != NULL && (__atomic_load_n(&f->mask, __ATOMIC_RELAXED) >> i &
	    1) != 0;
}

/*
 * The event's time by that clock.  One time is good for all regions that have
 * the same clock.
 */
static void
set_time(struct ut_record *r, uint32_t clock)
{
	if (r->clock != clock) {
		r->clock = clock;
		r->time = ut_read_clock(clock);
	}
}

/*
 * In a region where the event has a filter: without a time, which only
 * begin_late needs.
 */
static unsigned char * __attribute__((noinline))
begin_filtered(struct ut_record *r)
{
	struct writer *w = r->own;

	if (UT_LIKELY(writer_ready(w, r->len)))
		return w->data + UT_COMMIT_LEN(w->commit) + UT_EVENT_HEAD;
	set_time(r, region_of(r, w)->clock);
	return begin_late(r, w);
}

static const struct prefix *
prefix_of(const struct ut_record *r, const struct writer *w)
{
	return &ut_prefixes[region_of(r, w) - ut_regions];
}

/* Begin an event with contexts, which go first, and perhaps a filter. */
static unsigned char * __attribute__((noinline))
begin_prefixed(struct ut_record *r)
{
	struct writer *w = r->own;
	const struct prefix *pf = prefix_of(r, w);

	r->on |= ON_PREFIX;
	r->len += pf->len;
	if (UT_UNLIKELY(pf->depth != 0))
		return begin_stacked(r, w);
	if (UT_LIKELY(writer_ready(w, r->len)))
		return ut_prefix_put(r, pf, w->data +
		    UT_COMMIT_LEN(w->commit) + UT_EVENT_HEAD);
	set_time(r, region_of(r, w)->clock);
	return begin_late(r, w);
}

/*
 * In the next region that listens; without one, the event is over.  The time is
 * not good for a sub-buffer that was claimed since: that begins later.
 */
static unsigned char * __attribute__((noinline))
next_region(struct ut_record *r)
{
	struct level *l = r->level;
	uint16_t id;
	size_t i;

	while (r->mask != 0) {
		i = (size_t)__builtin_ctz(r->mask);
		r->mask &= r->mask - 1;
		id = __atomic_load_n(&r->event->id[i], __ATOMIC_RELAXED);
		if (UT_UNLIKELY(id == 0))
			continue;
		r->on = (uint32_t)id << 16;
		r->own = &l->writers[i];
		if (filtered_in(r->event, i)) {
			r->on |= ON_FILTER;
			return ut_has_prefix(i) ? begin_prefixed(r) :
			    begin_filtered(r);
		}
		set_time(r, ut_regions[i].clock);
		return begin_in(r, r->own, r->time);
	}
	return event_end(r);
}

/* After begin_prefixed: the event is over in the writer's region. */
static unsigned char *
next_unprefixed(struct ut_record *r, const struct writer *w)
{
	r->len -= prefix_of(r, w)->len;
	return next_region(r);
}

/* The writer is not ready; without room, the next region has its turn. */
static unsigned char * __attribute__((noinline))
begin_late(struct ut_record *r, struct writer *w)
{
	unsigned char *p;

	if (r->writer == w) {			/* there is but one */
		r->mask = 0;
		r->clock = UT_CLOCK_NONE;
	}
	p = begin_slow(r, w);
	if ((r->on & ON_PREFIX) != 0 && r->writer != w)
		return p != NULL ? ut_prefix_put(r, prefix_of(r, w), p) :
		    next_unprefixed(r, w);
	return p != NULL ? p : next_region(r);
}

/* The event is over in the writer's region, where it has a stack. */
static unsigned char *
next_unstacked(struct ut_record *r, const struct writer *w)
{
	const struct level *l = r->level;

	r->len -= l->definition;
	return next_unprefixed(r, w);
}

/*
 * The definition, if there is one, and then the contexts, which are the same
 * for both.  The heads of an event in the writer's own sub-buffer come later.
 */
static unsigned char *
put_stacked(struct ut_record *r, const struct writer *w)
{
	const struct level *l = r->level;
	const struct prefix *pf = prefix_of(r, w);
	const struct region *rg = region_of(r, w);
	unsigned char *p, *q;

	if (w->sub == NULL)
		p = ut_shared_head(w, rg, ON_ID(r->on), l->definition);
	else
		p = w->data + UT_COMMIT_LEN(w->commit) + l->definition +
		    UT_EVENT_HEAD;
	q = ut_prefix_put(r, pf, p);
	if (l->definition == 0)
		return q;
	p -= l->definition;
	if (w->sub == NULL)
		p = ut_shared_head(w, rg, UT_ID_STACK, 0);
	memcpy(p, q - pf->len, pf->len);
	ut_callstack_put(l, p + pf->len);
	return q;
}

/*
 * Without room, or too late for the sub-buffer, the event goes to another
 * packet, with all of the definition.  If that is shared, the definition has to
 * say whose it is, too.
 */
static unsigned char * __attribute__((noinline))
begin_stacked_late(struct ut_record *r, struct writer *w)
{
	const struct region *rg = region_of(r, w);
	struct level *l = r->level;

	r->len -= l->definition;
	l->definition = ut_callstack_whole(l, prefix_of(r, w));
	if (l->definition != 0)
		l->definition += rg->wholen;
	r->len += l->definition;
	if (begin_slow(r, w) == NULL)
		return next_unstacked(r, w);
	if (l->definition != 0 && w->sub != NULL) {
		l->definition -= rg->wholen;
		r->len -= rg->wholen;
	}
	return put_stacked(r, w);
}

/* After begin_prefixed, where one of the contexts is the stack. */
static unsigned char * __attribute__((noinline))
begin_stacked(struct ut_record *r, struct writer *w)
{
	struct level *l = r->level;

	r->on |= ON_STACK;
	l->stack_id = 0;
	/* For libut's own events under its lock, no stack tells anything. */
	if (r->event->caller == UT_STACKLESS || ut_guest_here())
		l->definition = 0;
	else
		l->definition = ut_callstack_find(l, w, prefix_of(r, w),
		    ut_prefix_caller(r));
	r->len += l->definition;
	if (UT_LIKELY(writer_ready(w, r->len)))
		return put_stacked(r, w);
	set_time(r, region_of(r, w)->clock);
	return begin_stacked_late(r, w);
}

/* In the regions that listen: several, or none any more. */
static unsigned char *
begin_listed(struct ut_record *r, const struct ut_event *ev, uint32_t mask)
{
	r->event = ev;
	r->writer = &several;
	r->clock = UT_CLOCK_NONE;
	r->mask = mask;
	return next_region(r);
}

/* The program is to say where the event was called from: ut_begin_at. */
static unsigned char *
ask_caller(struct ut_record *r, const struct ut_event *ev)
{
	r->event = ev;
	r->clock = UT_CLOCK_ASK;
	return NULL;
}

/*
 * The mask may have a region already of which on does not say yet that it wants
 * to know the caller.
 */
static unsigned char * __attribute__((noinline))
begin_several(struct ut_record *r, const struct ut_event *ev)
{
	/* Acquire: who sees the bit sees the ID and the region behind it. */
	const uint32_t mask = __atomic_load_n(&ev->mask, __ATOMIC_ACQUIRE);

	if (UT_LIKELY(!ut_wants_caller(ev, mask)))
		return begin_listed(r, ev, mask);
	(void)ask_caller(r, ev);
	return event_end(r);
}

/* In a region that listens, perhaps one of several, the event has contexts. */
static unsigned char * __attribute__((noinline))
begin_contexts(struct ut_record *r, const struct ut_event *ev)
{
	if (r->on != ON_CALLER)
		return begin_several(r, ev);
	(void)ask_caller(r, ev);
	return event_end(r);
}

/*
 * One region listens, where the event has a filter; or several, or none; or any
 * number, and in one the event has contexts.
 */
static unsigned char * __attribute__((noinline))
begin_other(struct ut_record *r, const struct ut_event *ev)
{
	if (!ON_HAS(r->on, ON_FILTER))
		return begin_several(r, ev);
	if (ON_OFFSET(r->on) == 0)
		return begin_contexts(r, ev);
	r->event = ev;
	r->writer = &several;
	r->own = writer_at(r->level, ON_OFFSET(r->on));
	r->clock = UT_CLOCK_NONE;
	r->mask = 0;
	return begin_filtered(r);
}

/* Count that many events of this kind as lost, where there is a region. */
void
ut_count_lost(const struct ut_event *ev, uint64_t n)
{
	struct region *rg;
	uint32_t mask;

	mask = __atomic_load_n(&ev->mask, __ATOMIC_ACQUIRE);
	for (; mask != 0; mask &= mask - 1) {
		rg = &ut_regions[__builtin_ctz(mask)];
		if (atomic_load_explicit(&rg->attached, memory_order_acquire))
			atomic_fetch_add_explicit(&rg->header->lost, n,
			    memory_order_relaxed);
	}
}

/* No writer so deep, or no memory for the data of the thread. */
static unsigned char *
no_level(const struct ut_event *ev)
{
	ut_count_lost(ev, 1);
	return NULL;
}

/* A level of the thread for an event at frame; or NULL, without one free. */
static struct level *
find_level(struct thread *t, uintptr_t frame)
{
	struct level *l;

	do {
		l = &t->levels[0];
		if (l->frame != 0 && (l = ut_thread_level(t, frame)) == NULL)
			return NULL;
	} while (!level_claim(l, frame));
	return l;
}

/* The thread's first event, or one while its first level is not free. */
static unsigned char * __attribute__((noinline, cold))
begin_nested(struct ut_record *r, const struct ut_event *ev, size_t len,
    uintptr_t frame)
{
	struct thread *t;

	r->len = len + UT_EVENT_HEAD;
	if (__atomic_load_n(&ev->on, __ATOMIC_RELAXED) == ON_CALLER)
		return ask_caller(r, ev);
	r->clock = UT_CLOCK_NONE;
	if ((t = ut_thread_own()) == NULL)
		return ut_self == NULL ? no_level(ev) : NULL;
	if ((r->level = find_level(t, frame)) == NULL)
		return no_level(ev);
	return begin_several(r, ev);
}

/* ut_begin has returned NULL; the caller is what it may have wanted to know. */
UT_EXPORT unsigned char *
ut_begin_at(struct ut_record *r, void *caller)
{
	struct thread *t;
	struct level *l;

	if (r->clock != UT_CLOCK_ASK)
		return NULL;
	if ((t = ut_thread_own()) == NULL)
		return ut_self == NULL ? no_level(r->event) : NULL;
	if ((l = find_level(t, FRAME())) == NULL)
		return no_level(r->event);
	r->level = l;
	l->caller = (uintptr_t)caller;
	/* Acquire: as in begin_several. */
	return begin_listed(r, r->event, __atomic_load_n(&r->event->mask,
	    __ATOMIC_ACQUIRE));
}

/* Does the event pass the filter of the region?  Its contexts are at p. */
static inline bool
passes(const struct ut_record *r, const struct writer *w,
    const struct region *rg, const unsigned char *p, size_t definition)
{
	return ut_passes(r->event, w, rg, p + definition,
	    r->len - definition - UT_EVENT_HEAD);
}

/*
 * Commit an event that has a filter, or a prefix, in a sub-buffer of the
 * writer's own.
 */
static inline unsigned char * __attribute__((always_inline))
commit_more(struct ut_record *r, struct writer *w, bool prefix)
{
	struct region *rg = region_of(r, w);
	unsigned char *p = w->data + UT_COMMIT_LEN(w->commit);

	if (!passes(r, w, rg, p + UT_EVENT_HEAD, 0)) {
		/* Release, as nothing that was written may come after it. */
		atomic_store_explicit(&w->slot->busy, 0, memory_order_release);
		return prefix ? next_unprefixed(r, w) : next_region(r);
	}
	set_time(r, rg->clock);
	if (UT_UNLIKELY(!time_fits(w, r->time)))
		return begin_late(r, w);
	ut_event_head(p, ON_ID(r->on), r->time);
	commit(r, w, w->sub);
	return prefix ? next_unprefixed(r, w) : next_region(r);
}

/* The event's head, and its definition's. */
static void
stacked_heads(const struct ut_record *r, const struct writer *w,
    uint32_t definition)
{
	unsigned char *p = w->data + UT_COMMIT_LEN(w->commit);

	if (definition != 0)
		ut_event_head(p, UT_ID_STACK, r->time);
	ut_event_head(p + definition, ON_ID(r->on), r->time);
}

/* Commit an event with a stack, and so what it defines. */
static unsigned char * __attribute__((noinline))
commit_stacked(struct ut_record *r, struct writer *w)
{
	struct level *l = r->level;
	struct region *rg = region_of(r, w);
	const struct prefix *pf = prefix_of(r, w);
	const uint32_t start = UT_COMMIT_LEN(w->commit);

	if (!passes(r, w, rg, w->data + start + UT_EVENT_HEAD, l->definition)) {
		atomic_store_explicit(&w->slot->busy, 0, memory_order_release);
		return next_unstacked(r, w);
	}
	set_time(r, rg->clock);
	if (UT_UNLIKELY(!time_fits(w, r->time) ||
	    !ut_callstack_holds(l, w, pf)))
		return begin_stacked_late(r, w);
	stacked_heads(r, w, l->definition);
	if (l->definition == 0) {
		commit(r, w, w->sub);
	} else {
		ut_callstack_commit(l, w);
		commit(r, w, w->sub);
		ut_callstack_defined(l, w, pf, start);
	}
	return next_unstacked(r, w);
}

static unsigned char * __attribute__((noinline))
commit_prefixed(struct ut_record *r, struct writer *w)
{
	if (UT_UNLIKELY((r->on & ON_STACK) != 0))
		return commit_stacked(r, w);
	return commit_more(r, w, true);
}

static unsigned char *
commit_filtered(struct ut_record *r, struct writer *w)
{
	if (UT_UNLIKELY((r->on & ON_PREFIX) != 0))
		return commit_prefixed(r, w);
	return commit_more(r, w, false);
}

/* Commit an event in a shared sub-buffer. */
static unsigned char * __attribute__((noinline))
commit_shared(struct ut_record *r, struct writer *w)
{
	const struct level *l = r->level;
	struct region *rg = region_of(r, w);
	const bool stacked = (r->on & ON_STACK) != 0;

	if (ON_HAS(r->on, ON_FILTER) &&
	    !passes(r, w, rg, w->data + UT_EVENT_HEAD + rg->wholen,
	    stacked ? l->definition : 0))
		ut_shared_end(w, rg);
	else
		ut_shared_commit(w, rg, r->len);
	if (stacked)
		return next_unstacked(r, w);
	return (r->on & ON_PREFIX) != 0 ? next_unprefixed(r, w) :
	    next_region(r);
}

/*
 * Commit an event in a shared sub-buffer, with a filter, or in several regions.
 * All may be wiped by then, in a child that a signal handler forked in
 * mid-event.
 */
static unsigned char * __attribute__((noinline))
commit_other(struct ut_record *r)
{
	struct writer *w = r->writer != &several ? r->writer : r->own;

	if (w->slot == NULL)
		return NULL;
	if (w->sub == NULL)
		return commit_shared(r, w);
	if (ON_HAS(r->on, ON_FILTER))
		return commit_filtered(r, w);
	commit(r, w, w->sub);
	return next_region(r);
}
