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
 * The meaning of each event of a lock.
 *
 * A release is recorded before it happens, and an acquisition after it: so the
 * next thread's acquisition always comes second, and a lock is free for a
 * moment in between, in which it may be requested.  A request counts as
 * contended if another thread had the lock then, or got it before.
 *
 * A release that fails has released nothing, as the same thread's next event
 * says.  A thread can release its own lock; if the lock is another thread's,
 * that next event is waited for.
 *
 * LTTng tells after all calls how they ended.  So the next thread's acquisition
 * may come before the release: the hold ends with it, and the release, when it
 * comes, is known.  It is the same where the thread waits for a condition, of
 * which LTTng does not tell.
 */

#include <stdlib.h>

#include "locks.h"

enum {
	REQUEST, ACQUIRED, FAILED, RELEASE, KEPT,
	RETURNED, RELEASED,		/* LTTng's, by their result */
	WAIT, WOKEN, COND_FAILED, SIGNAL, BROADCAST
};
enum { CALLER, LOCK, COND, RESULT };

#define KIND(what, mode)	((what) * 4 + (mode))
#define COMMON			[CALLER] = "caller", [LOCK] = "lock"
#define REQUESTED(name, mode)						\
	{ "pthread:" name "_request", KIND(REQUEST, mode), { COMMON } }, \
	{ "pthread:" name "_acquired", KIND(ACQUIRED, mode), { COMMON } }, \
	{ "pthread:" name "_failed", KIND(FAILED, mode), { COMMON } }
#define ON_COND		[CALLER] = "caller", [COND] = "cond"
#define LTTNG(name, what)						\
	{ "lttng_ust_pthread:pthread_mutex_" name, KIND(what, LOCK_MUTEX), \
	    { [CALLER] = "$ip", [LOCK] = "mutex", [RESULT] = "status" } }
#define OWNER_DIED	130	/* Linux' EOWNERDEAD: it was acquired */

const struct call_kind locks_calls[] = {
	REQUESTED("mutex", LOCK_MUTEX),
	REQUESTED("rdlock", LOCK_READ),
	REQUESTED("wrlock", LOCK_WRITE),
	{ "pthread:mutex_release", KIND(RELEASE, LOCK_MUTEX), { COMMON } },
	{ "pthread:rwlock_release", KIND(RELEASE, LOCK_WRITE), { COMMON } },
	{ "pthread:mutex_kept", KIND(KEPT, LOCK_MUTEX), { COMMON } },
	{ "pthread:rwlock_kept", KIND(KEPT, LOCK_WRITE), { COMMON } },
	{ "pthread:cond_wait", KIND(WAIT, LOCK_MUTEX), { COMMON,
	    [COND] = "cond" } },
	{ "pthread:cond_woken", KIND(WOKEN, LOCK_MUTEX), { COMMON,
	    [COND] = "cond", [RESULT] = "result" } },
	{ "pthread:cond_failed", KIND(COND_FAILED, LOCK_MUTEX), { COMMON,
	    [COND] = "cond" } },
	{ "pthread:cond_signal", KIND(SIGNAL, LOCK_MUTEX), { ON_COND } },
	{ "pthread:cond_broadcast", KIND(BROADCAST, LOCK_MUTEX),
	    { ON_COND } },
	LTTNG("lock_req", REQUEST),
	LTTNG("lock_acq", RETURNED),
	LTTNG("trylock", RETURNED),
	LTTNG("unlock", RELEASED),
	{ NULL, 0, { NULL } }
};

/* The thread has the lock, for all we know. */
static struct lock_holder *
sure_holder(const struct lock_event *e, struct lock *l)
{
	struct lock_holder *h = lock_holder_of(l, e->thread->id);

	return h == NULL || lock_unsure(e->process, h->ns) ? NULL : h;
}

static void
acquired(const struct lock_event *e, struct lock *l, enum lock_mode mode)
{
	struct lock_holder *h;

	lock_wait_end(e, l, 0);
	l->stat.acquired++;
	lock_caller_stat(e->process, e->caller)->acquired++;
	if ((h = sure_holder(e, l)) != NULL)
		h->depth++;
	else
		lock_hold_begin(e, l, mode, 1);
}

/* The request fails because the lock is kept, as it now turns out. */
static void
failed(const struct lock_event *e, struct lock *l)
{
	if (l->leaver != NULL && l->leaver != e->thread &&
	    lock_leave_deep(l->leaver))
		(void)lock_leave_undo(l->leaver);
	lock_wait_end(e, l, 1);
	l->stat.failed++;
	lock_caller_stat(e->process, e->caller)->failed++;
}

/* Find the thread's hold; another one may have tried to release it. */
static struct lock_holder *
own_holder(const struct lock_event *e, struct lock *l)
{
	if (l->leaver != NULL &&
	    l->leaver->leave.holder.thread == e->thread->id)
		return lock_leave_undo(l->leaver);
	return lock_holder_of(l, e->thread->id);
}

/*
 * Nobody has the lock that is released.  Unless it is known that nobody had it
 * after the last loss, it may have been acquired among what was lost.
 */
static void
released_unheld(const struct lock_event *e, struct lock *l)
{
	struct locks *ls = e->process;

	if (l->uncounted > 0) {
		l->uncounted--;
		return;
	}
	e->thread->unheld = l;
	e->thread->counted = lock_unsure(e->process, l->free) ? &ls->lost :
	    &ls->unheld;
	++*e->thread->counted;
}

/*
 * A mutex may be released by another thread than the one that has it, but not
 * one that was acquired more than once.
 */
static void
lock_release(const struct lock_event *e, struct lock *l)
{
	struct lock_holder *own = own_holder(e, l), *h = own;
	int once;

	if (h == NULL && !l->isrw && l->nholders == 1)
		h = l->holders;
	if (h == NULL) {
		released_unheld(e, l);
		return;
	}
	if (h->depth > 1) {
		h->depth -= h == own;
		return;
	}
	once = h->once;
	if (h == own)
		lock_hold_end(e, l, h);
	else
		lock_leave(e, l, h);
	if (once && l->nholders == 0)
		l->free = e->stream->ns;
}

/* LTTng's: nobody releases the mutex of another thread. */
static void
released(const struct lock_event *e, struct lock *l)
{
	struct lock_holder *h = lock_holder_of(l, e->thread->id);

	if (h != NULL && h->depth > 1)
		h->depth--;
	else if (h != NULL) {
		if (h->once)
			l->free = e->stream->ns;
		lock_hold_end(e, l, h);
	} else if (!lock_overtaken(e->thread, l))
		released_unheld(e, l);
}

/* The thread's last event has not released the lock after all. */
static void
kept(const struct lock_event *e, struct lock *l)
{
	struct lock_thread *t = e->thread;

	if (t->leave.lock == l) {
		(void)lock_leave_undo(t);
		l->free = INT64_MIN;
	} else if (t->unheld == l)
		--*t->counted;
}

/*
 * The lock is released for the time of the wait.  If it was acquired more than
 * once, that is not certain: see lock_leave_deep().
 */
static void
cond_wait(const struct lock_event *e, struct lock *l, struct cond *c)
{
	struct lock_thread *t = e->thread;
	struct lock_holder *h = own_holder(e, l);

	c->waits++;
	t->cond = c;
	t->cond_ns = e->stream->ns;
	t->cond_depth = 1;
	if (h == NULL)
		return;
	t->cond_depth = h->depth;
	lock_leave(e, l, h);
}

static void
cond_end(const struct lock_event *e, struct cond *c, int failed)
{
	const struct lock_thread *t = e->thread;

	c->failed += failed != 0;
	if (t->cond != c)
		return;
	if (lock_unsure(e->process, t->cond_ns))
		e->process->lost++;
	else
		hist_add(&c->wait, (double)(e->stream->ns - t->cond_ns));
}

static void
cond_woken(const struct lock_event *e, struct lock *l, struct cond *c)
{
	struct lock_thread *t = e->thread;
	uint64_t result = 0;

	(void)call_field(e->stream->event->call, RESULT, e->stream, &result);
	cond_end(e, c, result != 0);
	if (t->leave.lock == l)
		(void)lock_leave_undo(t);
	else
		lock_leave_settle(e->process, t);
	if (sure_holder(e, l) == NULL)
		lock_hold_begin(e, l, LOCK_MUTEX,
		    t->cond == c ? t->cond_depth : 1);
	t->cond = NULL;
}

static void
cond_event(const struct lock_event *e, int what)
{
	const struct call *call = e->stream->event->call;
	uint64_t address, lock;
	struct cond *c;

	if (!call_field(call, COND, e->stream, &address))
		return;
	c = cond_of(e, address);
	if (what == SIGNAL)
		c->signals++;
	else if (what == BROADCAST)
		c->broadcasts++;
	else if (!call_field(call, LOCK, e->stream, &lock))
		return;
	else if (what == WAIT)
		cond_wait(e, lock_of(e, lock), c);
	else if (what == COND_FAILED) {
		cond_end(e, c, 1);
		e->thread->cond = NULL;
	} else
		cond_woken(e, lock_of(e, lock), c);
}

static void
lock_event(const struct lock_event *e, int what, enum lock_mode mode)
{
	uint64_t address, result = 0;
	struct lock *l;

	if (!call_field(e->stream->event->call, LOCK, e->stream, &address))
		return;
	l = lock_of(e, address);
	l->isrw = mode != LOCK_MUTEX;
	if (what == RETURNED || what == RELEASED) {
		(void)call_field(e->stream->event->call, RESULT, e->stream,
		    &result);
		if (what == RETURNED)
			what = result == 0 || result == OWNER_DIED ?
			    ACQUIRED : FAILED;
		else if (result != 0)
			return;
	}
	if (what == REQUEST)
		lock_wait_begin(e, l, mode);
	else if (what == ACQUIRED)
		acquired(e, l, mode);
	else if (what == FAILED)
		failed(e, l);
	else if (what == RELEASE)
		lock_release(e, l);
	else if (what == RELEASED)
		released(e, l);
	else
		kept(e, l);
}

static uint32_t
caller_of(struct locks *ls, const struct ctf_stream *s)
{
	const struct site *site = !ls->run->graphs ? NULL :
	    site_get(&ls->sites, s, ls->process.serial);

	return site != NULL ? 2 * site->number + 1 :
	    2 * process_caller(&ls->process, s, CALLER);
}

void
locks_call(struct processes *ps, struct ctf_stream *s)
{
	const struct call *c = s->event->call;
	struct lock_event e;
	const struct ctf_who *who;
	struct ctf_who buf;

	who = ctf_whose(s, &buf);
	e.run = (struct locks_run *)ps;
	if (s->trace->lttng && !(who->has & 1 << ROLE_VTID)) {
		e.run->nobody = 1;
		return;
	}
	if (processes_again(ps, s))
		return;
	ps->n++;
	e.run->lttng |= s->trace->lttng;
	e.process = (struct locks *)processes_get(ps, s);
	e.stream = s;
	e.thread = lock_thread_of(e.process,
	    (int32_t)who->vtid);
	e.process->run = e.run;
	if (c->kind->what / 4 != KEPT &&
	    (c->kind->what / 4 != WOKEN || !lock_leave_deep(e.thread)))
		lock_leave_settle(e.process, e.thread);
	e.caller = caller_of(e.process, s);
	if (c->kind->what / 4 < WAIT)
		lock_event(&e, c->kind->what / 4,
		    (enum lock_mode)(c->kind->what % 4));
	else
		cond_event(&e, c->kind->what / 4);
	if (c->kind->what / 4 != RELEASE && c->kind->what / 4 != RELEASED)
		e.thread->unheld = NULL;
}
