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
 * The call stacks of events.  In a region that wants them, an event says the ID
 * of its stack, which is a hash of it, and ut:stack in front of the event
 * defines the ID, unless the packet has that definition already.  The two are
 * written as one event, and committed as one: so what filters drop, and what is
 * left by siglongjmp, has defined nothing.  See ut_abi(5).
 *
 * A writer remembers what it has defined in its sub-buffer, and forgets all of
 * that with the next one, or when the consumer begins another packet.  The
 * consumer may do the latter at any time: it says so before it looks how far
 * the sub-buffer is committed (pin), and afterwards from where the next packet
 * is (consumed).
 *
 * Async-signal-safe.  A level has the memory for that from its first such event
 * to the end of the thread.
 */

#include <sys/mman.h>

#include <errno.h>

#include "ut_code.h"
#include "ut_prefix.h"
#include "unwind/unwind.h"

#define CACHE	256		/* stacks that a level remembers */
#define FIXED	6u		/* bytes of keep, end, and the length */

/* A writer's definitions in the present packet of its sub-buffer. */
struct defined {
	const struct ut_subbuf	*sub;
	uint64_t		 mine;		/* the writer's: the claim */
	uint64_t		 serial;	/* the prefix's */
	uint64_t		 round;		/* the cache's */
	uint32_t		 start;		/* where the first one begins */
	/* The last one, the outermost frame first. */
	uint32_t		 n;
	uint64_t		 frames[UNWIND_MAX];
};

struct known {
	uint64_t		 id;
	uint64_t		 round;		/* in which it was defined */
};

struct callstack {
	struct callstack	*next;
	ut_a32			 taken;		/* by a level */
	struct unwinder		 unwinder;
	uint64_t		 round;		/* the last one */
	/* The event's. */
	struct unwound		 now;
	uint32_t		 keep;
	bool			 first;		/* a round begins */
	uintptr_t		 frames[UNWIND_MAX];
	struct known		 cache[CACHE];
	struct defined		 of[UT_REGIONS];
};

static struct callstack *_Atomic callstacks;
static UT_PER_THREAD const void *interrupted;	/* see ut_code_context */

UT_EXPORT void
ut_code_context(const void *context)
{
	interrupted = context;
}

static struct callstack *
callstack_new(void)
{
	const int error = errno;
	struct callstack *s;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = error;
	if (s == MAP_FAILED)
		return NULL;
	s->taken = 1;
	s->next = atomic_load_explicit(&callstacks, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&callstacks, &s->next, s,
	    memory_order_release, memory_order_relaxed))
		continue;
	return s;
}

/* The level's memory; NULL if there is none. */
static struct callstack *
callstack_of(struct level *l)
{
	struct callstack *s = l->stack;
	uint32_t none = 0;

	if (s != NULL)
		return s;
	s = atomic_load_explicit(&callstacks, memory_order_acquire);
	for (; s != NULL; s = s->next, none = 0)
		if (atomic_compare_exchange_strong_explicit(&s->taken, &none, 1,
		    memory_order_acquire, memory_order_relaxed))
			break;
	if (s == NULL)
		s = callstack_new();
	return l->stack = s;
}

/* The level's thread ends: what the memory says is of no use to another. */
void
ut_callstack_leave(struct level *l)
{
	struct callstack *s = l->stack;

	if (s == NULL)
		return;
	l->stack = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	ut_unwind_forget(&s->unwinder);
	atomic_store_explicit(&s->taken, 0, memory_order_release);
}

/*
 * Is what is defined in the packet that an event of w goes to now?  Acquire:
 * who sees that the consumer has let go sees what it has consumed.
 */
static bool
defined_holds(const struct defined *d, const struct writer *w, uint64_t serial)
{
	return d->sub == w->sub && d->mine == w->mine && d->serial == serial &&
	    atomic_load_explicit(&w->sub->pin, memory_order_acquire) == 0 &&
	    UT_COMMIT_LEN(atomic_load_explicit(&w->sub->consumed,
	    memory_order_relaxed)) <= d->start;
}

/* How many outermost frames of the event's stack were defined last? */
static uint32_t
frames_kept(const struct callstack *s, const struct defined *d)
{
	const uintptr_t *p = s->now.frames + s->now.n;
	uint32_t i;

	for (i = 0; i < d->n && i < s->now.n; i++)
		if (d->frames[i] != *--p)
			break;
	return i;
}

static size_t
definition_len(const struct prefix *pf, const struct callstack *s)
{
	return UT_EVENT_HEAD + pf->len + FIXED +
	    (s->now.n - s->keep) * sizeof(uint64_t);
}

/*
 * Find the stack of an event that w begins, and its ID, which is 0.  How many
 * bytes has the definition that goes in front of it?
 */
uint32_t
ut_callstack_find(struct level *l, const struct writer *w,
    const struct prefix *pf, uintptr_t from)
{
	struct callstack *s;
	const struct defined *d;
	const struct known *e;
	uint64_t id;

	if ((s = callstack_of(l)) == NULL)
		return 0;
	s->now.frames = s->frames;
	s->now.max = pf->depth;
	if (interrupted != NULL)
		ut_unwind_context(&s->unwinder, interrupted, &s->now);
	else
		ut_unwind_here(&s->unwinder, from, &s->now);
	if (s->now.n == 0)
		return 0;
	l->stack_id = id = s->now.hash;
	d = &s->of[w - l->writers];
	s->first = !defined_holds(d, w, pf->serial);
	if (s->first)
		return ut_callstack_whole(l, pf);
	e = &s->cache[id % CACHE];
	if (e->id == id && e->round == d->round)
		return 0;
	s->keep = frames_kept(s, d);
	return (uint32_t)definition_len(pf, s);
}

/* The event goes to another packet: what has the definition there? */
uint32_t
ut_callstack_whole(struct level *l, const struct prefix *pf)
{
	struct callstack *s = l->stack;

	if (s == NULL || l->stack_id == 0)
		return 0;
	s->first = true;
	s->keep = 0;
	return (uint32_t)definition_len(pf, s);
}

/* Can the event be committed as it is?  Not if it needs what does not hold. */
bool
ut_callstack_holds(const struct level *l, const struct writer *w,
    const struct prefix *pf)
{
	const struct callstack *s = l->stack;

	return l->stack_id == 0 || s->first ||
	    defined_holds(&s->of[w - l->writers], w, pf->serial);
}

/* The fields of the definition. */
void
ut_callstack_put(const struct level *l, unsigned char *p)
{
	const struct callstack *s = l->stack;
	const uint32_t n = s->now.n - s->keep;
	uint64_t frame;
	uint32_t i;

	*p++ = (unsigned char)s->keep;
	*p++ = (unsigned char)s->now.end;
	p = ut_put(p, &n, sizeof(n));
	for (i = 0; i < n; i++) {
		frame = s->frames[i];
		p = ut_put(p, &frame, sizeof(frame));
	}
}

/*
 * The definition is about to be committed.  If a handler jumps away, it is not
 * known any more which one was the last.
 */
void
ut_callstack_commit(struct level *l, const struct writer *w)
{
	l->stack->of[w - l->writers].n = 0;
	atomic_signal_fence(memory_order_seq_cst);
}

/* From there on, the writer's sub-buffer has the definitions of a new round. */
static void
round_begin(struct callstack *s, struct defined *d, const struct writer *w,
    uint64_t serial, uint32_t start)
{
	d->mine = 0;			/* in case a handler jumps */
	atomic_signal_fence(memory_order_seq_cst);
	d->sub = w->sub;
	d->serial = serial;
	d->start = start;
	d->round = ++s->round;
	atomic_signal_fence(memory_order_seq_cst);
	d->mine = w->mine;
}

/* The definition is committed, in the writer's own sub-buffer, at start. */
void
ut_callstack_defined(struct level *l, const struct writer *w,
    const struct prefix *pf, uint32_t start)
{
	struct callstack *s = l->stack;
	struct defined *d = &s->of[w - l->writers];
	struct known *e;
	uint32_t i;

	if (s->first) {
		ut_unwind_forget(&s->unwinder);
		round_begin(s, d, w, pf->serial, start);
	}
	for (i = s->keep; i < s->now.n; i++)
		d->frames[i] = s->frames[s->now.n - 1 - i];
	e = &s->cache[l->stack_id % CACHE];
	e->round = 0;
	atomic_signal_fence(memory_order_seq_cst);
	e->id = l->stack_id;
	atomic_signal_fence(memory_order_seq_cst);
	e->round = d->round;
	d->n = s->now.n;
}

/* In the child of a fork: only that thread has what it had. */
void
ut_callstacks_forked(const struct thread *t)
{
	struct callstack *s;
	int n;

	for (s = callstacks; s != NULL; s = s->next) {
		s->taken = 0;
		for (n = 0; t != NULL && n < NEST; n++)
			s->taken |= t->levels[n].stack == s;
	}
}
