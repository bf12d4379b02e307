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
 * The locks of a page: what is known of each, and a bar for each wait and hold,
 * or for the longest ones.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "page.h"

#define SHOWN	300		/* locks with a row in the table */

/* A lock, by the number that bars have. */
struct numbered {
	const struct locks *process;
	struct lock	*lock;
	size_t		 number;
};

static struct locks_run	 run;
static struct page_list	 numbers;
static struct lock_note	 waits[LOCKS_TOP];	/* while others had the lock */
static struct top	 top_waits;
static int		 nobody;	/* some threads are not known */

static uint32_t
number_of(const struct lock_note *n)
{
	struct numbered *v = map_get(&numbers.map, (uintptr_t)n->lock);

	if (v != NULL)
		return (uint32_t)v->number;
	v = xcalloc(1, sizeof(*v));
	v->process = n->process;
	v->number = numbers.n;
	v->lock = map_get(&n->process->locks, n->lock->address);
	page_list_add(&numbers, (uintptr_t)n->lock, v);
	return (uint32_t)v->number;
}

static struct page_track *
track_of(const struct locks *ls, int32_t thread)
{
	return page_track(ls->process.host, ls->process.vpid, thread, NULL,
	    NULL);
}

static void
note(const struct lock_note *n, int ishold)
{
	struct page_bar bar = { .took = n->took, .begin = n->ns };
	struct page_track *t = track_of(n->process, n->thread);
	struct lock_note *slow;

	nobody |= n->thread == 0;
	bar.what = number_of(n);
	t->waited += ishold || n->took < 0 ? 0 : (uint64_t)n->took;
	if (n->contended && (slow = top_add(&top_waits, n->took)) != NULL)
		*slow = *n;
	if (t->number >= PAGE_LISTED)
		return;
	bar.track = t->number;
	bar.row = ishold ? PAGE_HOLD : PAGE_WAIT;
	if (n->known)
		bar.by = track_of(n->process, n->holder)->number + 1;
	page_bar(&page.lock_bars, &bar);
}

static const char *
caller_text(const struct locks *ls, uint32_t caller, char *text)
{
	return callers_text(&ls->process.callers, caller / 2, text);
}

static void
put_times(const char *name, struct hist *h)
{
	json_object(name);
	if (h->n > 0)
		json_hist(h, 1);
	json_end();
}

static void
put_lock(const struct numbered *v)
{
	const struct locks *ls = v->process;
	char text[CALLER_TEXT];

	json_object(NULL);
	json_u64("number", v->number);
	if (v->lock->name != NULL)
		page_text("name", v->lock->name);
	else {
		snprintf(text, sizeof(text), "0x%" PRIx64, v->lock->address);
		page_text("name", text);
		page_text("first", caller_text(ls, v->lock->first, text));
	}
	page_text("program", ls->process.name);
	if (ls->process.host != NULL)
		page_text("host", ls->process.host);
	if (ls->process.vpid != CTF_NOBODY)
		json_i64("pid", ls->process.vpid);
	json_u64("acquired", v->lock->stat.acquired);
	json_u64("contended", v->lock->stat.contended);
	json_u64("contended_ns", v->lock->stat.waited);
	json_real("waited", v->lock->stat.wait.sum);
	json_real("hold_ns", v->lock->stat.hold.sum);
	json_u64("held", v->lock->nholders);
	put_times("wait", &v->lock->stat.wait);
	put_times("hold", &v->lock->stat.hold);
	json_end();
}

static void
put_waits(void)
{
	const struct lock_note *n;
	char text[CALLER_TEXT];

	json_array("waits");
	for (n = waits; n < waits + top_waits.n; n++) {
		json_object(NULL);
		json_i64("took", n->took);
		page_put_ns("begin", n->ns);
		json_u64("track", track_of(n->process, n->thread)->number);
		json_u64("lock", number_of(n));
		page_text("caller", caller_text(n->process, n->caller, text));
		if (n->known) {
			json_u64("by", track_of(n->process,
			    n->holder)->number);
			page_text("by_caller", caller_text(n->process,
			    n->holder_caller, text));
		}
		json_end();
	}
	json_end();
}

static int
by_waited(const void *a, const void *b)
{
	const struct lock *x = (*(struct numbered *const *)a)->lock;
	const struct lock *y = (*(struct numbered *const *)b)->lock;

	return (x->stat.waited < y->stat.waited) -
	    (x->stat.waited > y->stat.waited);
}

/* All locks have a number; those that were waited for most have a row. */
static void
put_all(void)
{
	size_t i;

	if (numbers.n > 1)
		qsort(numbers.v, numbers.n, sizeof(void *), by_waited);
	json_array("locks");
	for (i = 0; i < numbers.n && i < SHOWN; i++)
		put_lock(numbers.v[i]);
	json_end();
	json_u64("nlocks", numbers.n);
	put_waits();
}

void
page_locks(struct reader *rd, char **dirs)
{
	const struct top top = { .list = waits, .size = sizeof(waits[0]),
	    .most = LOCKS_TOP };
	struct process *p;

	memset(&numbers, 0, sizeof(numbers));
	top_waits = top;
	nobody = 0;
	locks_init(&run);
	run.note = note;
	processes_read(&run.processes, rd, dirs);
	for (p = run.processes.first; p != NULL; p = p->next)
		locks_settle((struct locks *)p);
}

void
page_put_locks(void)
{
	const struct process *p;
	int known = 1;
	uint64_t left = 0;

	for (p = run.processes.first; p != NULL; p = p->next) {
		left += ((const struct locks *)p)->lost;
		known &= p->origin->lossy == INT64_MIN;
	}
	put_all();
	json_u64("locks_left_out", left);
	json_bool("locks_known", known);
	json_bool("locks_nobody", nobody || run.nobody);
	free(numbers.v);
	map_release(&numbers.map);
	processes_free(&run.processes);
}
