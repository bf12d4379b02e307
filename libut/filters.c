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
 * The filters of events.  Code comes from utd with the ID that an event has in
 * a region, is checked once, and runs in the threads of the program: see
 * filter.c, and record.c for when.
 *
 * A thread may be in a filter that is replaced or taken back.  So the listener
 * puts it aside, and gives its memory to another one when all threads were
 * seen without an event since: as with regions (region.c).
 */

#include <errno.h>
#include <string.h>

#include "expr/filter.h"
#include "ut_event.h"
#include "ut_prefix.h"

#define SMALLEST	128u		/* bytes of a block of memory */
#define CLASSES		8		/* each of twice that size */
#define ASIDE_MAX	(16u << 20)	/* bytes that wait for threads */

/*
 * Checked code.  Most of it compares one number with another, and that needs
 * no machine.
 */
struct filter {
	struct filter		*next;	/* among free ones, or put aside */
	struct filter_range	 range;
	bool			 is_range;
	uint32_t		 class;
	size_t			 len;
	unsigned char		 code[];
};

_Static_assert(sizeof(struct filter) + FILTER_MAX <=
    (size_t)SMALLEST << CLASSES, "CLASSES");

static struct filter *unused[CLASSES + 1];
static struct filter *aside;
static size_t aside_size;

/* No event has ever used it, or will. */
void
ut_filter_free(struct filter *f)
{
	if (f == NULL)
		return;
	f->next = unused[f->class];
	unused[f->class] = f;
}

/* Free what is put aside, if no event that may use it is under way. */
void
ut_filters_reap(void)
{
	struct filter *f;

	if (aside == NULL)
		return;
	ut_barrier();
	if (!ut_threads_quiet(0))
		return;
	while ((f = aside) != NULL) {
		aside = f->next;
		ut_filter_free(f);
	}
	aside_size = 0;
}

static struct filter *
filter_alloc(size_t len)
{
	struct filter *f;
	uint32_t class = 0;

	while (sizeof(*f) + len > (size_t)SMALLEST << class)
		class++;
	if ((f = unused[class]) != NULL)
		unused[class] = f->next;
	else if ((f = ut_arena((size_t)SMALLEST << class)) == NULL)
		return NULL;
	f->class = class;
	f->len = len;
	return f;
}

/* A filter of that code.  NULL and errno: EINVAL if the code is not valid. */
struct filter *
ut_filter_new(const unsigned char *code, size_t len)
{
	struct filter *f;

	if (len > FILTER_MAX || !filter_valid(code, len)) {
		errno = EINVAL;
		return NULL;
	}
	/* A thread that stays in an event must not cost more and more. */
	if (aside_size > ASIDE_MAX || (f = filter_alloc(len)) == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(f->code, code, len);
	f->is_range = filter_is_range(f->code, len, &f->range);
	return f;
}

/*
 * The event has that ID and filter in the region i, or NULL: none.  If it has
 * no ID any more, the filter that it had stays in its place, for events that
 * have begun with it.  Where there are contexts the event stays in the mask as
 * long as the region is attached: whatever it begins with, they go in front.
 * 0 or an errno.
 */
int
ut_filter_set(struct filters **all, unsigned int i, uint32_t id,
    struct filter *f)
{
	const bool contexts = ut_has_prefix(i);
	struct filters *fs = *all;
	struct filter *old;

	if (f == NULL && id == 0 && contexts)
		return 0;
	if (fs == NULL) {
		if (f == NULL && !contexts)
			return 0;
		if ((fs = ut_arena(sizeof(*fs))) == NULL) {
			ut_filter_free(f);
			return ENOMEM;
		}
		*all = fs;
	}
	if (f == NULL && !contexts) {
		__atomic_store_n(&fs->mask, fs->mask & ~(1u << i),
		    __ATOMIC_RELAXED);
		return 0;
	}
	/* Release: who finds the filter sees what is in there. */
	old = atomic_exchange_explicit(&fs->of[i], f, memory_order_release);
	__atomic_store_n(&fs->mask, fs->mask | 1u << i, __ATOMIC_RELEASE);
	if (old != NULL) {
		old->next = aside;
		aside = old;
		aside_size += (size_t)SMALLEST << old->class;
	}
	return 0;
}

/* No event is under way that knows of the region i. */
void
ut_filter_drop(struct filters *fs, unsigned int i)
{
	if (fs == NULL)
		return;
	fs->mask &= ~(1u << i);
	ut_filter_free(atomic_exchange_explicit(&fs->of[i], NULL,
	    memory_order_relaxed));
}

/*
 * Does the event pass, whose fields are these?  In the middle of the event, and
 * so async-signal-safe.
 */
bool
ut_passes(const struct ut_event *ev, const struct writer *w,
    const struct region *rg, const unsigned char *fields, size_t len)
{
	struct filters *fs = __atomic_load_n(&ev->filters, __ATOMIC_ACQUIRE);
	const struct filter *f;
	struct filter_env env;

	if (fs == NULL || (f = atomic_load_explicit(&fs->of[rg - ut_regions],
	    memory_order_acquire)) == NULL)
		return true;	/* contexts only; or dropped, in a child */
	if (f->is_range)
		return filter_in_range(&f->range, fields, len);
	env.program = rg->name;
	env.pid = (uint32_t)rg->pid;
	env.tid = atomic_load_explicit(&w->slot->tid, memory_order_relaxed);
	env.cpu = ut_cpu;
	return filter_run(f->code, f->len, fields, len, &env);
}
