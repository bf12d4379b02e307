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
 * Threads that have a lock or wait for one.  A thread waits for one lock at a
 * time, and may have many; a lock may have several readers.
 */

#include <stdlib.h>

#include "../say.h"
#include "../sym/symbols.h"
#include "locks.h"

static void *
new(size_t size)
{
	void *p = xcalloc(1, size);

	return p;
}

/* Find the name of a variable; a part of an allocated block has none. */
static char *
name_of(const struct lock_event *e, uint64_t address)
{
	const char *name;

	if (e->process->process.callers.numbers)
		return NULL;
	name = symbols_name(e->stream, address, ADDRESS_DATA);
	return name == NULL ? NULL : format("%s", name);
}

struct lock *
lock_of(const struct lock_event *e, uint64_t address)
{
	struct locks *ls = e->process;
	struct lock *l = map_get(&ls->locks, address);

	if (l != NULL)
		return l;
	l = new(sizeof(*l));
	l->address = address;
	l->name = name_of(e, address);
	l->first = e->caller;
	l->room = 1;
	l->free = l->taken = l->left = INT64_MIN;
	l->holders = new(sizeof(*l->holders));
	map_put(&ls->locks, address, l);
	return l;
}

struct cond *
cond_of(const struct lock_event *e, uint64_t address)
{
	struct locks *ls = e->process;
	struct cond *c = map_get(&ls->conds, address);

	if (c != NULL)
		return c;
	c = new(sizeof(*c));
	c->address = address;
	c->name = name_of(e, address);
	c->first = e->caller;
	map_put(&ls->conds, address, c);
	return c;
}

struct lock_thread *
lock_thread_of(struct locks *ls, int32_t id)
{
	struct lock_thread *t = map_get(&ls->threads, (uint32_t)id);

	if (t != NULL)
		return t;
	t = new(sizeof(*t));
	t->id = id;
	map_put(&ls->threads, (uint32_t)id, t);
	return t;
}

struct lock_stat *
lock_caller_stat(struct locks *ls, uint32_t caller)
{
	ls->callers = xgrow(ls->callers, caller, &ls->ncallers,
	    sizeof(struct lock_stat *));
	if (ls->callers[caller] == NULL)
		ls->callers[caller] = new(sizeof(struct lock_stat));
	return ls->callers[caller];
}

/* Does a thread that has the lock keep another thread from it? */
static int
excludes(enum lock_mode has, enum lock_mode wants)
{
	return has != LOCK_READ || wants != LOCK_READ;
}

/* The end may be lost if events were lost after the beginning. */
int
lock_unsure(const struct locks *ls, int64_t began)
{
	return origin_unsure(ls->process.origin, began);
}

/* Does that holder keep another thread from the lock, for all we know? */
static int
keeps(const struct lock_event *e, const struct lock_holder *h,
    enum lock_mode wants)
{
	return !lock_unsure(e->process, h->ns) && excludes(h->mode, wants);
}

/*
 * Waits.
 */

/* The longest that the lock was another thread's in the time of the wait. */
static void
note_holder(const struct lock_event *e, struct lock_wait *w,
    const struct lock_holder *h)
{
	const int64_t held = e->stream->ns - (h->ns > w->ns ? h->ns : w->ns);

	if (!keeps(e, h, w->mode) || held <= w->held)
		return;
	w->held = held;
	w->holder = h->thread;
	w->holder_caller = h->caller;
}

static void
wait_unlink(struct lock_thread *t)
{
	struct lock_thread **tp = &t->wait.lock->waiters;

	while (*tp != t)
		tp = &(*tp)->next;
	*tp = t->next;
	t->wait.lock->nwaiters--;
	t->wait.lock = NULL;
}

void
lock_wait_begin(const struct lock_event *e, struct lock *l,
    enum lock_mode mode)
{
	struct lock_thread *t = e->thread;
	struct lock_wait *w = &t->wait;
	const struct lock_holder *h;

	if (w->lock != NULL) {
		if (lock_unsure(e->process, w->ns))
			e->process->lost++;
		else
			e->process->unended++;
		wait_unlink(t);
	}
	if (l->nwaiters == LOCKS_MOST) {
		e->process->lost++;
		return;
	}
	l->nwaiters++;
	w->lock = l;
	w->mode = mode;
	w->ns = e->stream->ns;
	w->caller = e->caller;
	w->contended = 0;
	w->held = 0;
	t->next = l->waiters;
	l->waiters = t;
	for (h = l->holders; h < l->holders + l->nholders; h++)
		if (h->thread != t->id && keeps(e, h, mode))
			w->contended = 1;
}

static void
note_add(const struct locks_run *r, struct top *top, const struct lock_note *n)
{
	struct lock_note *note = top_add(top, n->took);

	if (note != NULL)
		*note = *n;
	if (r->note != NULL)
		r->note(n, top == &r->top_holds);
}

static void
note_wait(const struct lock_event *e, const struct lock_wait *w,
    int64_t took, int failed)
{
	const struct lock_note n = { took, e->process, w->lock, w->ns,
	    e->thread->id, w->caller, failed, w->contended, w->held > 0,
	    w->holder, w->holder_caller };

	note_add(e->run, &e->run->top_waits, &n);
}

static void
count_wait(struct lock_stat *st, const struct lock_wait *w, int64_t took)
{
	hist_add(&st->wait, (double)took);
	st->contended += (uint64_t)w->contended;
	if (w->contended && took > 0)
		st->waited += (uint64_t)took;
}

/* The thread's request has ended; the trace may not have its beginning. */
void
lock_wait_end(const struct lock_event *e, struct lock *l, int failed)
{
	struct lock_wait *w = &e->thread->wait;
	const int64_t took = e->stream->ns - w->ns;
	const struct lock_holder *h;
	int passed = e->run->passed != NULL && !failed && l->left >= w->ns &&
	    l->leftby != e->thread->id;

	if (w->lock != l)
		return;
	for (h = l->holders; h < l->holders + l->nholders; h++)
		if (h->thread != e->thread->id) {
			note_holder(e, w, h);
			passed = passed && !excludes(h->mode, w->mode);
		}
	if (lock_unsure(e->process, w->ns))
		e->process->lost++;
	else {
		count_wait(&l->stat, w, took);
		count_wait(lock_caller_stat(e->process, w->caller), w, took);
		note_wait(e, w, took, failed);
		if (passed)
			e->run->passed(e, l);
	}
	wait_unlink(e->thread);
}

/*
 * Holds.
 */

/* The thread has the lock, or had it before events were lost. */
struct lock_holder *
lock_holder_of(struct lock *l, int32_t thread)
{
	struct lock_holder *h;

	for (h = l->holders; h < l->holders + l->nholders; h++)
		if (h->thread == thread)
			return h;
	return NULL;
}

static void
holder_remove(struct lock *l, struct lock_holder *h)
{
	*h = l->holders[--l->nholders];
}

static void
note_hold(struct locks *ls, const struct lock *l, const struct lock_holder *h,
    int64_t took)
{
	const struct lock_note n = { .took = took, .process = ls, .lock = l,
	    .ns = h->ns, .thread = h->thread, .caller = h->caller };

	note_add(ls->run, &ls->run->top_holds, &n);
}

static void
count_hold(struct locks *ls, struct lock *l, const struct lock_holder *h,
    int64_t took, int unsure)
{
	if (unsure) {
		ls->lost++;
		return;
	}
	hist_add(&l->stat.hold, (double)took);
	hist_add(&lock_caller_stat(ls, h->caller)->hold, (double)took);
	note_hold(ls, l, h, took);
}

int
lock_overtaken(struct lock_thread *t, const struct lock *l)
{
	size_t i;

	for (i = 0; i < LOCKS_LATE; i++)
		if (t->late[i] == l) {
			t->late[i] = NULL;
			return 1;
		}
	return 0;
}

/* The hold ends now, for all that LTTng tells; its release comes later. */
static void
overtake(const struct lock_event *e, struct lock *l,
    const struct lock_holder *h)
{
	struct lock_thread *t = lock_thread_of(e->process, h->thread);

	(void)lock_overtaken(t, l);
	t->late[t->nlate++ % LOCKS_LATE] = l;
	count_hold(e->process, l, h, e->stream->ns - h->ns, 0);
}

/*
 * The thread has the lock now: all that had it, which may be the thread itself
 * before events were lost, released it unseen.
 */
static void
drop_earlier(const struct lock_event *e, struct lock *l, enum lock_mode mode)
{
	size_t i = 0;

	while (i < l->nholders) {
		if (l->holders[i].thread != e->thread->id &&
		    !excludes(l->holders[i].mode, mode)) {
			i++;
			continue;
		}
		if (lock_unsure(e->process, l->holders[i].ns))
			e->process->lost++;
		else if (e->stream->trace->lttng)
			overtake(e, l, &l->holders[i]);
		else
			e->process->unseen++;
		holder_remove(l, &l->holders[i]);
	}
}

static struct lock_holder *
holder_add(struct lock *l)
{
	l->holders = xgrow(l->holders, l->nholders, &l->room,
	    sizeof(*l->holders));
	return &l->holders[l->nholders++];
}

/*
 * The thread, which is not sure to have the lock already, acquires it.  The
 * lock may be a recursive mutex that it acquired before, among what was lost,
 * unless it is known since then that the thread did not have it.
 */
void
lock_hold_begin(const struct lock_event *e, struct lock *l,
    enum lock_mode mode, uint32_t depth)
{
	struct lock_holder *h;
	struct lock_thread *t;

	if (l->leaver != NULL)
		lock_leave_settle(e->process, l->leaver);
	drop_earlier(e, l, mode);
	if (mode != LOCK_READ)
		l->uncounted = 0;
	if (l->nholders == LOCKS_MOST) {
		e->process->lost++;
		l->uncounted++;
		return;
	}
	h = holder_add(l);
	(void)lock_overtaken(e->thread, l);
	h->thread = e->thread->id;
	h->mode = mode;
	h->depth = depth;
	h->caller = e->caller;
	h->ns = e->stream->ns;
	h->once = !lock_unsure(e->process, l->free) ||
	    (!lock_unsure(e->process, l->taken) && l->taker != h->thread);
	if (mode != LOCK_READ) {
		l->taken = h->ns;
		l->taker = h->thread;
	}
	for (t = l->waiters; t != NULL; t = t->next)
		if (excludes(mode, t->wait.mode))
			t->wait.contended = 1;
}

static void
holder_leaves(const struct lock_event *e, struct lock *l,
    struct lock_holder *h)
{
	struct lock_thread *t;

	for (t = l->waiters; t != NULL; t = t->next)
		if (t->id != h->thread)
			note_holder(e, &t->wait, h);
	l->left = e->stream->ns;
	l->leftby = h->thread;
	holder_remove(l, h);
}

void
lock_hold_end(const struct lock_event *e, struct lock *l,
    struct lock_holder *h)
{
	count_hold(e->process, l, h, e->stream->ns - h->ns,
	    lock_unsure(e->process, h->ns));
	holder_leaves(e, l, h);
}

/*
 * Holds that may not have ended.  A lock has one at most: it is a mutex, and
 * the next thread that acquires it says that the hold has ended.
 */

void
lock_leave(const struct lock_event *e, struct lock *l, struct lock_holder *h)
{
	struct lock_leave *lv = &e->thread->leave;

	if (l->leaver != NULL)
		lock_leave_settle(e->process, l->leaver);
	lv->lock = l;
	lv->holder = *h;
	lv->ns = e->stream->ns;
	lv->unsure = lock_unsure(e->process, h->ns);
	l->leaver = e->thread;
	holder_leaves(e, l, h);
}

void
lock_leave_settle(struct locks *ls, struct lock_thread *t)
{
	struct lock_leave *lv = &t->leave;

	if (lv->lock == NULL)
		return;
	count_hold(ls, lv->lock, &lv->holder, lv->ns - lv->holder.ns,
	    lv->unsure);
	lv->lock->leaver = NULL;
	lv->lock = NULL;
}

/*
 * Does the thread wait for a condition with a recursive mutex that it acquired
 * more than once?  Most systems release the mutex once, so that the thread
 * keeps it; others, such as FreeBSD, release it altogether, which an
 * acquisition by another thread shows.
 */
int
lock_leave_deep(const struct lock_thread *t)
{
	return t->leave.lock != NULL && t->cond != NULL &&
	    t->cond_depth > 1 && t->leave.ns == t->cond_ns;
}

/* Threads that requested the lock meanwhile did so while it was held. */
struct lock_holder *
lock_leave_undo(struct lock_thread *t)
{
	struct lock_leave *lv = &t->leave;
	struct lock *l = lv->lock;
	struct lock_holder *h;

	if (l == NULL)
		return NULL;
	h = holder_add(l);
	*h = lv->holder;
	l->leaver = NULL;
	lv->lock = NULL;
	for (t = l->waiters; t != NULL; t = t->next)
		if (t->id != h->thread && !lv->unsure)
			t->wait.contended = 1;
	return h;
}

void
locks_settle(struct locks *ls)
{
	struct lock_thread *t;
	size_t i;

	for (i = 0; i < ls->threads.cap; i++) {
		if ((t = ls->threads.v[i].value) == NULL)
			continue;
		if (lock_leave_deep(t))
			(void)lock_leave_undo(t);
		else
			lock_leave_settle(ls, t);
	}
}

static void
stat_free(struct lock_stat *st)
{
	hist_free(&st->wait);
	hist_free(&st->hold);
}

void
locks_free(struct locks *ls)
{
	struct lock *l;
	struct cond *c;
	size_t i;

	for (i = 0; i < ls->locks.cap; i++)
		if ((l = ls->locks.v[i].value) != NULL) {
			stat_free(&l->stat);
			free(l->holders);
			free(l->name);
			free(l);
		}
	for (i = 0; i < ls->conds.cap; i++)
		if ((c = ls->conds.v[i].value) != NULL) {
			hist_free(&c->wait);
			free(c->name);
			free(c);
		}
	for (i = 0; i < ls->ncallers; i++)
		if (ls->callers[i] != NULL) {
			stat_free(ls->callers[i]);
			free(ls->callers[i]);
		}
	free(ls->callers);
	sites_free(&ls->sites);
	map_free(&ls->locks);
	map_free(&ls->conds);
	map_release(&ls->threads);
}
