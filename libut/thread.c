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
 * The data of threads that trace: each has one struct thread, from its first
 * event to its end; then another thread gets it.
 */

#include <sys/mman.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "ut_priv.h"

#define CHUNK	64		/* threads in one piece of memory */
#define NCHUNKS	1024

/* Linux; not all C libraries have it. */
#define AUTODISARM	(1u << 31)
#define KNOWN_FLAGS	((unsigned int)(SS_ONSTACK | SS_DISABLE) | AUTODISARM)

struct chunk {
	ut_a64			 used;		/* a bit per thread */
	_Atomic(struct thread *) threads;	/* once set, stays */
};

/*
 * The data of a thread that must not trace.  The thread is always in an event,
 * so that each event that begins comes to ut_thread_own.
 */
static struct thread mute = { .levels[0].frame = UINTPTR_MAX };

static UT_PER_THREAD struct thread *leaving;	/* the thread's, at its end */
static struct chunk chunks[NCHUNKS];
static pthread_key_t key;
static bool key_made;
static bool guest_entered;	/* ut_entered of the thread that has a guest */
static struct thread *_Atomic guest;

/*
 * fork(2) in a signal handler that interrupted an event: the event goes on
 * in the child too, so what it uses must be there, and stays until it is
 * over.  Else the child begins with nothing.  NULL when nobody forks.
 */
static struct chunk *kept;

static struct thread *
chunk_threads(struct chunk *k)
{
	const size_t size = CHUNK * sizeof(struct thread);
	struct thread *p, *other = NULL;

	p = atomic_load_explicit(&k->threads, memory_order_acquire);
	if (p != NULL || (p = ut_wipe_pages(size)) == NULL)
		return p;
	if (atomic_compare_exchange_strong_explicit(&k->threads, &other, p,
	    memory_order_release, memory_order_acquire))
		return p;
	munmap(p, size);
	return other;
}

static struct thread *
thread_claim(void)
{
	struct chunk *k;
	struct thread *p;
	uint64_t used;
	int bit;

	for (k = chunks; k < chunks + NCHUNKS; k++) {
		used = atomic_load_explicit(&k->used, memory_order_relaxed);
		while (used != UINT64_MAX) {
			if ((p = chunk_threads(k)) == NULL)
				return NULL;
			bit = __builtin_ctzll(~used);
			/* Acquire: what the last thread left is ours. */
			if (atomic_compare_exchange_weak_explicit(&k->used,
			    &used, used | UINT64_C(1) << bit,
			    memory_order_acquire, memory_order_relaxed))
				return p + bit;
		}
	}
	return NULL;
}

static struct chunk *
chunk_of(const struct thread *t)
{
	struct chunk *k;
	struct thread *p;

	for (k = chunks; k < chunks + NCHUNKS; k++) {
		p = atomic_load_explicit(&k->threads, memory_order_acquire);
		if (p != NULL && t >= p && t < p + CHUNK)
			return k;
	}
	return NULL;
}

static void
thread_free(struct thread *t)
{
	struct chunk *k = chunk_of(t);

	atomic_fetch_and_explicit(&k->used,
	    ~(UINT64_C(1) << (t - k->threads)), memory_order_release);
}

/* The writer lets go of what it holds, and of when that was. */
static void
writer_leave(struct writer *w, struct region *rg)
{
	ut_writer_leave(w, rg);
	if (w->when != 0)
		w->when = 0;
}

/*
 * The event at l is over, but did not end itself: perhaps in a callback, which
 * nobody is in any more.  The level is ours before its writers are looked at:
 * a handler that records meanwhile takes another, and one that jumps out of
 * here leaves it to the next event, as any that was left.  Release, as at the
 * end of an event: see is_quiet.
 */
static void
level_free(struct level *l)
{
	uint32_t mask;

	__atomic_store_n(&l->frame, (uintptr_t)__builtin_frame_address(0),
	    __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	for (mask = l->regions; mask != 0; mask &= mask - 1)
		ut_writer_undo(&l->writers[__builtin_ctz(mask)]);
	l->calling = false;
	__atomic_store_n(&l->frame, 0, __ATOMIC_RELEASE);
}

/* The next thread to have the writers of l is another. */
static void
level_leave(struct level *l)
{
	uint32_t mask;
	int i;

	for (mask = l->regions; mask != 0; mask &= mask - 1) {
		i = __builtin_ctz(mask);
		if (atomic_load_explicit(&ut_regions[i].attached,
		    memory_order_acquire))
			writer_leave(&l->writers[i], &ut_regions[i]);
	}
	if (l->regions != 0)
		l->regions = 0;
}

/*
 * From here to ut_unblock the thread is neither interrupted by a signal nor
 * cancelled, neither at a cancellation point nor, if its cancellation is
 * asynchronous, anywhere else: the library looks like none of this to who
 * calls it.  Returns the state that pthread_setcancelstate(3) had.  That
 * function is async-signal-safe in fact, on all systems that we know of.
 */
int
ut_block(sigset_t *old)
{
	sigset_t all;
	int state;

	if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) != 0)
		state = PTHREAD_CANCEL_ENABLE;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, old);
	return state;
}

/*
 * A thread that was cancelled asynchronously meanwhile ends here, by the last
 * call: in glibc 2.36 the one that enables it would end the thread with NULL
 * instead of PTHREAD_CANCELED.
 */
void
ut_unblock(const sigset_t *old, int state)
{
	int type;

	pthread_sigmask(SIG_SETMASK, old, NULL);
	if (pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) != 0)
		type = PTHREAD_CANCEL_DEFERRED;
	(void)pthread_setcancelstate(state, NULL);
	(void)pthread_setcanceltype(type, NULL);
}

/*
 * Does a writer of t hold anything?  This looks at nothing but t: in a child
 * that a signal handler forks now, the regions may be gone when it returns.
 * Relaxed: only t binds its writers, but ut_threads_leave may let go of one
 * meanwhile.  Then the answer may be an old yes, which blocks signals in vain.
 */
static bool
thread_holds(const struct thread *t)
{
	const struct level *l;
	const struct writer *w;
	uint32_t mask;

	for (l = t->levels; l < t->levels + NEST; l++) {
		for (mask = l->regions; mask != 0; mask &= mask - 1) {
			w = &l->writers[__builtin_ctz(mask)];
			if (__atomic_load_n(&w->bound, __ATOMIC_RELAXED) != 0 ||
			    __atomic_load_n(&w->claim, __ATOMIC_RELAXED) != 0)
				return true;
		}
	}
	return false;
}

/*
 * Let go of everything.  It counts as an event: what is attached stays.  If
 * there is something to let go of, signals wait, so that no handler forks in
 * the middle of that.
 */
static void
thread_leave(struct thread *t)
{
	struct level *l;
	sigset_t old;
	bool holds;
	int state = 0;

	__atomic_store_n(&t->levels[0].frame, UINTPTR_MAX, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	if ((holds = thread_holds(t)))
		state = ut_block(&old);
	for (l = t->levels; l < t->levels + NEST; l++)
		level_leave(l);
	if (holds)
		ut_unblock(&old, state);
	if (t->stack_high != 0)
		t->stack_high = 0;
	for (l = t->levels; l < t->levels + NEST; l++) {
		ut_callstack_leave(l);
		if (l->frame != 0)
			level_free(l);
	}
}

/*
 * The end of a thread, in two passes: events of other destructors between
 * them are recorded.  After the second the thread is mute, for the system's
 * own clean-up may call a traced free(3) that nothing would end.
 *
 * After the store to ut_self no handler of this thread finds t.  One that
 * traces before the second pass gets another struct, and that has a pass of
 * its own.  One that forks leaves t to us in the child as well, where it holds
 * nothing: ut_threads_forked.
 */
static void
thread_end(void *arg)
{
	static UT_PER_THREAD bool ending;
	struct thread *t = arg, *next = &mute;
	const int error = errno;

	if (!ending) {
		ending = true;
		if (pthread_setspecific(key, &mute) == 0)
			next = NULL;
	}
	if (t == &mute) {
		ut_self = next;
		return;
	}
	leaving = t;
	atomic_signal_fence(memory_order_seq_cst);
	ut_self = next;
	atomic_signal_fence(memory_order_seq_cst);
	thread_leave(t);
	thread_free(t);
	atomic_signal_fence(memory_order_seq_cst);
	leaving = NULL;
	errno = error;
}

void
ut_thread_init(void)
{
	if (!key_made && pthread_key_create(&key, thread_end) == 0)
		key_made = true;
	ut_stack_init();
	ut_own_tid_init();
}

/*
 * The first event of a thread.  Signals wait, so that a handler does not do
 * the same in between.  pthread_setspecific is not on the list of what a
 * handler may call; for a key made as early as ours it is a store.  Where it
 * allocates, that is not traced.
 */
static struct thread * __attribute__((noinline, cold))
thread_new(void)
{
	struct thread *t;
	sigset_t old;
	const int error = errno, state = ut_block(&old);

	if ((t = ut_self) == NULL) {
		t = key_made ? thread_claim() : NULL;
		ut_self = &mute;
		if (t != NULL && pthread_setspecific(key, t) != 0) {
			thread_free(t);
			t = NULL;
		}
		ut_self = t;
	}
	ut_unblock(&old, state);
	errno = error;
	return t;
}

/*
 * The data of the calling thread, which has an event.  NULL if the thread must
 * not trace, or cannot.
 */
struct thread *
ut_thread_own(void)
{
	struct thread *t = ut_self;

	if (t == NULL)
		t = thread_new();
	return t != &mute ? t : NULL;
}

/*
 * Does a stack_t above r say that r is on a stack that lies inside of the
 * thread's?  Linux leaves one in the frame of a handler whose stack it has
 * disarmed (SS_AUTODISARM), and a ucontext_t has one.
 */
static bool __attribute__((no_sanitize_address, no_sanitize_thread))
on_inner_stack(uintptr_t r, uintptr_t low, uintptr_t high)
{
	const volatile stack_t *s;
	uintptr_t at = r & ~(sizeof(at) - 1), sp;

	for (; high - at >= sizeof(*s); at += sizeof(at)) {
		s = (const volatile stack_t *)at;
		sp = (uintptr_t)s->ss_sp;
		if (sp >= low && sp <= r && r - sp < s->ss_size &&
		    s->ss_size <= high - sp &&
		    ((unsigned int)s->ss_flags & ~KNOWN_FLAGS) == 0)
			return true;
	}
	return false;
}

/* Are f, and r above it, known to be on the thread's stack and no other? */
static bool
on_own_stack(struct thread *t, uintptr_t f, uintptr_t r)
{
	uintptr_t low, high;

	if (t->stack_high == 0) {
		if (ut_stack(&low, &high) == -1)
			return false;
		t->stack_low = low;
		t->stack_high = high;
	}
	return f >= t->stack_low && r < t->stack_high &&
	    !on_inner_stack(r, t->stack_low, t->stack_high);
}

static bool
on(const stack_t *s, uintptr_t at)
{
	const uintptr_t sp = (uintptr_t)s->ss_sp;

	return at >= sp && at - sp < s->ss_size;
}

/*
 * Was the event that began at f left, by siglongjmp, now that there is another
 * at r?  It was if f is where the calls lie that led here, or below them on
 * the same stack, all of which grow down.  Addresses of two stacks tell
 * nothing, so both must be known to be of one: of the alternate one that the
 * thread has, or of the thread's own.  An alternate stack that nothing runs on
 * any more is used again from its top, unless it is disarmed while in use:
 * then handlers and coroutines may come back to it.
 *
 * The stack's bounds tell what SS_ONSTACK should: NetBSD leaves that set after
 * siglongjmp.
 */
static bool
was_left(struct thread *t, uintptr_t f, uintptr_t r, const stack_t *alt)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const unsigned int flags = (unsigned int)alt->ss_flags;

	if (f > r)
		return !(flags & (SS_DISABLE | AUTODISARM)) && on(alt, f) &&
		    !on(alt, r);
	if (f >= here)
		return true;
	if (!(flags & SS_DISABLE) && (on(alt, f) || on(alt, r)))
		return !(flags & AUTODISARM) && on(alt, f);
	return on_own_stack(t, f, r);
}

/*
 * The level of an event that begins at frame when the first is not free: the
 * next that is, or NULL.  Only an event in a signal handler asks, or the first
 * one after another was left.  What may still be under way keeps its level,
 * also if it is of a coroutine that another has overtaken.
 */
struct level *
ut_thread_level(struct thread *t, uintptr_t frame)
{
	const int error = errno;
	struct level *l, *lowest = NULL;
	stack_t alt;

	if (sigaltstack(NULL, &alt) == -1)
		alt.ss_flags = SS_DISABLE;
	for (l = t->levels + NEST; l-- > t->levels;) {
		if (l->frame != 0 && was_left(t, l->frame, frame, &alt))
			level_free(l);
		if (l->frame == 0)
			lowest = l;
	}
	errno = error;
	return lowest;
}

/* From here to ut_unmute this thread does not trace. */
struct thread *
ut_mute(void)
{
	struct thread *t = ut_self;

	ut_self = &mute;
	return t;
}

void
ut_unmute(struct thread *t)
{
	ut_self = t;
}

/*
 * From here to ut_guest_end this thread traces as another one does that begins
 * and ends there: under ut_lock, also where the thread is mute, or in an event.
 * False if there is no memory.
 */
bool
ut_guest_begin(struct thread **had)
{
	struct thread *t = thread_claim();

	if (t == NULL)
		return false;
	*had = ut_self;
	ut_self = t;
	guest_entered = ut_entered;
	ut_entered = true;		/* never wait for space */
	atomic_store_explicit(&guest, t, memory_order_relaxed);
	return true;
}

/* Does this thread trace as a guest? */
bool
ut_guest_here(void)
{
	return atomic_load_explicit(&guest, memory_order_relaxed) == ut_self;
}

void
ut_guest_end(struct thread *had)
{
	struct thread *t = ut_self;

	atomic_store_explicit(&guest, NULL, memory_order_relaxed);
	thread_leave(t);
	ut_entered = guest_entered;
	ut_self = had;
	thread_free(t);
}

/*
 * In no event?  A coroutine may be in one, at a level of its own, while others
 * of the thread have ended theirs.
 */
static bool
is_quiet(const struct thread *t)
{
	int n;

	for (n = 0; n < NEST; n++)
		if (__atomic_load_n(&t->levels[n].frame, __ATOMIC_ACQUIRE) != 0)
			return false;
	return true;
}

/* Until the thread is seen out of events, or the deadline has passed. */
static bool
wait_quiet(const struct thread *t, int64_t deadline)
{
	static const struct timespec nap = { 0, 1000000 };

	while (!is_quiet(t)) {
		if (ut_msg_now() >= deadline)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

/*
 * Wait until every thread was out of events once.  Asked after ut_barrier: a
 * thread whose frames are seen at 0 begins its next event with what was stored
 * before.  Acquire pairs with the release at the end of an event, and with
 * that of who takes the level of one that was left.
 */
bool
ut_threads_quiet(int ms)
{
	int64_t deadline = ut_msg_now();
	struct thread *p;
	uint64_t used;
	int c;

	if (kept == NULL)	/* else this thread may be in an event */
		deadline += ms;
	for (c = 0; c < NCHUNKS; c++) {
		p = atomic_load_explicit(&chunks[c].threads,
		    memory_order_acquire);
		if (p == NULL)
			break;
		used = atomic_load_explicit(&chunks[c].used,
		    memory_order_acquire);
		for (; used != 0; used &= used - 1)
			if (!wait_quiet(&p[__builtin_ctzll(used)], deadline))
				return false;
	}
	return true;
}

/*
 * On behalf of all threads, which are quiet, and of those that ended after
 * the region i was detached: let go of it.  No writer has room there then,
 * which is what the next region of that number needs.
 */
void
ut_threads_leave(unsigned int i)
{
	struct thread *p, *t;
	int k, n;

	for (k = 0; k < NCHUNKS; k++) {
		p = atomic_load_explicit(&chunks[k].threads,
		    memory_order_acquire);
		if (p == NULL)
			break;
		for (t = p; t < p + CHUNK; t++)
			for (n = 0; n < NEST; n++)
				writer_leave(&t->levels[n].writers[i],
				    &ut_regions[i]);
	}
}

void
ut_threads_before_fork(void)
{
	struct thread *t = ut_self;

	kept = NULL;
	if (t == NULL || t == &mute || is_quiet(t))
		return;
	kept = chunk_of(t);
	ut_wipe_on_fork(kept->threads, CHUNK * sizeof(*t), 0);
}

void
ut_threads_after_fork(void)
{
	if (kept != NULL)
		ut_wipe_on_fork(kept->threads, CHUNK * sizeof(struct thread),
		    1);
	kept = NULL;
}

/* The other threads, which may have been in events, are the parent's alone. */
static void
forget_others(struct chunk *k, uint64_t mine)
{
	uint64_t used = k->used & ~mine;

	for (; used != 0; used &= used - 1)
		memset(k->threads + __builtin_ctzll(used), 0,
		    sizeof(struct thread));
}

/* The thread's bit in the chunk, or 0. */
static uint64_t
bit_in(const struct chunk *k, const struct thread *t)
{
	return t >= k->threads && t < k->threads + CHUNK ?
	    UINT64_C(1) << (t - k->threads) : 0;
}

/*
 * The threads are the parent's, but for this one.  What it has stays where it
 * is: a handler that forks may have interrupted an event that is about to
 * begin, or the end of a thread that had another.
 */
void
ut_threads_forked(void)
{
	const size_t size = CHUNK * sizeof(struct thread);
	struct chunk *k;
	uint64_t mine;

	for (k = chunks; k < chunks + NCHUNKS && k->threads != NULL; k++) {
		mine = bit_in(k, ut_self);
		if (k == kept)
			forget_others(k, mine);
		else if (mmap(k->threads, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
		    MAP_FAILED)
			ut_wipe_on_fork(k->threads, size, 1);
		k->used &= mine | bit_in(k, leaving);
	}
	ut_callstacks_forked(ut_self);
	ut_stack_init();
}
