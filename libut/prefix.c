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
 * The contexts of events: what a region wants in front of the fields, and
 * where it comes from.  ut_prefix_put is part of the hot path of those events
 * (record.c); it takes no lock and is async-signal-safe, as long as the
 * program's own callbacks are.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/context.h"
#include "ut_event.h"
#include "ut_prefix.h"

#define OWN_MAX		256u	/* contexts of the program */
/* Room for names that only sessions know, too: all that regions may want. */
#define APPS_MAX	(OWN_MAX + UT_REGIONS * CONTEXT_MAX)
#define PATIENCE	1000	/* ms for the last call of a callback */

/*
 * A context of the program, known by the name that it has or a session wants.
 * Threads look at those that a region wants.
 */
struct app {
	char			 name[CONTEXT_NAME];	/* with CONTEXT_APP */
	ut_callback		*_Atomic callback;	/* NULL: none */
	struct app		*next;
};

struct prefix ut_prefixes[UT_REGIONS];
uint32_t ut_prefixed;

static struct app *apps;
static unsigned int napps;

static struct app *
app_find(const char *name)
{
	struct app *a;

	for (a = apps; a != NULL; a = a->next)
		if (strcmp(a->name, name) == 0)
			break;
	return a;
}

static bool
wants(const struct prefix *pf, const struct app *a)
{
	uint32_t i;

	for (i = 0; i < CONTEXT_MAX; i++)
		if (pf->of[i].app == a)
			return true;
	return false;
}

/* One that neither the program has any more, nor a region wants, nor pf. */
static struct app *
app_unused(const struct prefix *pf)
{
	struct app *a;
	unsigned int i;

	for (a = apps; a != NULL; a = a->next) {
		if (a->callback != NULL || wants(pf, a))
			continue;
		for (i = 0; i < UT_REGIONS; i++)
			if (ut_regions[i].used && wants(&ut_prefixes[i], a))
				break;
		if (i == UT_REGIONS)
			return a;
	}
	return NULL;
}

/* Find the context of that name, or make one; keep those that pf wants. */
static struct app *
app_get(const char *name, const struct prefix *pf)
{
	struct app *a;

	if ((a = app_find(name)) != NULL)
		return a;
	if (napps == APPS_MAX) {
		if ((a = app_unused(pf)) == NULL)
			return NULL;
	} else {
		if ((a = ut_arena(sizeof(*a))) == NULL)
			return NULL;
		a->next = apps;
		apps = a;
		napps++;
	}
	memcpy(a->name, name, strlen(name) + 1);
	return a;
}

/* How many the program has. */
static unsigned int
count_own(void)
{
	const struct app *a;
	unsigned int n = 0;

	for (a = apps; a != NULL; a = a->next)
		n += a->callback != NULL;
	return n;
}

static int
callback_set(const char *name, ut_callback *f)
{
	static const struct prefix none;
	struct app *a;

	if ((a = app_find(name)) != NULL && a->callback != NULL)
		return a->callback == f ? 0 : EEXIST;
	if (count_own() == OWN_MAX || (a = app_get(name, &none)) == NULL)
		return ENOMEM;
	atomic_store_explicit(&a->callback, f, memory_order_release);
	return 0;
}

/*
 * The program has that callback for the context, or with NULL none any more:
 * 0 or an errno.
 */
int
ut_prefix_call(const char *name, ut_callback *f)
{
	struct app *a;

	if (f != NULL)
		return callback_set(name, f);
	if ((a = app_find(name)) == NULL)
		return 0;
	atomic_store_explicit(&a->callback, NULL, memory_order_release);
	/* A thread about to call it has done so once its event is over. */
	ut_barrier();
	return ut_threads_quiet(PATIENCE) ? 0 : EBUSY;
}

/*
 * Make the prefix of the contexts that a region wants, as utd says: 0 or an
 * errno.  A context of unknown name is an error, as its size is not known.
 */
int
ut_prefix_make(struct prefix *pf, const struct contexts *cs)
{
	uint32_t i;
	int kind;

	memset(pf, 0, sizeof(*pf));
	for (i = 0; i < cs->n; i++) {
		if ((kind = context_kind(cs->name[i])) == -1)
			return ENOTSUP;
		if (kind == CONTEXT_OWN &&
		    (pf->of[i].app = app_get(cs->name[i], pf)) == NULL)
			return ENOMEM;
		pf->of[i].kind = (uint32_t)kind;
		pf->len += context_table[kind].size;
		pf->caller |= kind == CONTEXT_CALLER || kind == CONTEXT_STACK;
		if (kind == CONTEXT_STACK)
			pf->depth = context_depth(cs->name[i]);
	}
	pf->n = cs->n;
	return 0;
}

/* Set the prefix of the region i, which is about to be attached. */
void
ut_prefix_set(unsigned int i, const struct prefix *pf)
{
	static uint64_t serial;
	const uint32_t bit = pf->n > 0 ? 1u << i : 0;

	ut_prefixes[i] = *pf;
	ut_prefixes[i].serial = ++serial;
	__atomic_store_n(&ut_prefixed, (ut_prefixed & ~(1u << i)) | bit,
	    __ATOMIC_RELAXED);
}

/* Is a level below in a callback, one that ends or that is the thread's own? */
static bool
callback_busy(const struct thread *t, const struct level *l)
{
	const struct level *p;

	for (p = t->levels; p < t->levels + NEST; p++)
		if (p != l && p->frame != 0 && p->calling)
			return true;
	return false;
}

/*
 * Call the program's callback: the value, or 0 if there is none, or if this
 * event is the callback's own, or of a signal handler that came in its middle:
 * no callback is called while one is under way in the thread.  An event that
 * was left by siglongjmp in its callback has left `calling', too.  No callback
 * is called for an event of libut's own, either: libut has ut_lock then, and
 * the callback may wait for a lock whose owner waits for ut_lock; and the value
 * would be that of libut's thread.
 */
static uint64_t
callback_call(struct level *l, struct app *a)
{
	ut_callback *f = atomic_load_explicit(&a->callback,
	    memory_order_acquire);
	uint64_t v;

	l->calling = false;
	if (f == NULL || callback_busy(ut_self, l) || ut_guest_here())
		return 0;
	l->calling = true;
	atomic_signal_fence(memory_order_seq_cst);
	v = f();
	atomic_signal_fence(memory_order_seq_cst);
	l->calling = false;
	return v;
}

static uint64_t
context_get(const struct ut_record *r, uint32_t kind, struct app *a, int error)
{
	struct level *l = r->level;

	switch (kind) {
	case CONTEXT_CPU:
		return ut_cpu();
	case CONTEXT_UID:
		return getuid();
	case CONTEXT_GID:
		return getgid();
	case CONTEXT_EUID:
		return geteuid();
	case CONTEXT_EGID:
		return getegid();
	case CONTEXT_NEST:
		return (uint64_t)(l - ut_self->levels);
	case CONTEXT_CALLER:
		return (uint64_t)ut_prefix_caller(r);
	case CONTEXT_ERRNO:
		return (uint64_t)error;
	case CONTEXT_STACK:
		return l->stack_id;
	default:
		return callback_call(l, a);
	}
}

static unsigned char *
put(unsigned char *p, uint64_t v, size_t size)
{
	const uint32_t v32 = (uint32_t)v;

	if (size == sizeof(v)) {
		memcpy(p, &v, sizeof(v));
	} else if (size == sizeof(v32)) {
		memcpy(p, &v32, sizeof(v32));
	} else {
		*p = (unsigned char)v;
	}
	return p + size;
}

/* The contexts of the event, to where its fields would be; those are behind. */
unsigned char *
ut_prefix_put(const struct ut_record *r, const struct prefix *pf,
    unsigned char *p)
{
	const int error = errno;
	uint32_t i;

	for (i = 0; i < pf->n; i++)
		p = put(p, context_get(r, pf->of[i].kind, pf->of[i].app, error),
		    context_table[pf->of[i].kind].size);
	errno = error;
	return p;
}
