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
#define CALLERS	100		/* places that use locks, with a row */

/* A lock, by the number that bars have. */
struct numbered {
	const struct locks *process;
	struct lock	*lock;
	size_t		 number;
};

/* A place that uses locks, or a call stack. */
struct lock_user {
	const struct locks *process;
	uint32_t	 number;
	struct lock_stat *stat;
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
	return page_track(ls->process.key, thread, ls->process.host,
	    ls->process.vpid);
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
	if (t->number >= PAGE_LISTED) {
		page.lock_bars.all++;
		return;
	}
	bar.track = t->number;
	bar.row = ishold ? PAGE_HOLD : PAGE_WAIT;
	if (n->known)
		bar.by = track_of(n->process, n->holder)->number + 1;
	page_bar(&page.lock_bars, &bar);
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
put_stat(struct lock_stat *st)
{
	json_u64("acquired", st->acquired);
	json_u64("contended", st->contended);
	json_u64("contended_ns", st->waited);
	json_real("waited", st->wait.sum);
	json_real("hold_ns", st->hold.sum);
	put_times("wait", &st->wait);
	put_times("hold", &st->hold);
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
		page_text("first", locks_caller_text(ls, v->lock->first, text));
	}
	page_process("program", &ls->process);
	put_stat(&v->lock->stat);
	json_u64("held", v->lock->nholders);
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
		page_text("caller", locks_caller_text(n->process, n->caller,
		    text));
		if (n->known) {
			json_u64("by", track_of(n->process,
			    n->holder)->number);
			page_text("by_caller", locks_caller_text(n->process,
			    n->holder_caller, text));
		}
		json_end();
	}
	json_end();
}

static int
by_stat(const void *a, const void *b)
{
	const struct lock_user *x = a, *y = b;
	const int c = locks_compare(x->stat, y->stat);

	return c != 0 ? c : (x->number > y->number) - (x->number < y->number);
}

static void
put_caller(const struct lock_user *c)
{
	const struct site *site = locks_site(c->process, c->number);
	char text[CALLER_TEXT], *stack = NULL;

	json_object(NULL);
	page_text("caller", site == NULL ? locks_caller_text(c->process,
	    c->number, text) : (stack = site_text(site, 0)));
	free(stack);
	page_process("program", &c->process->process);
	put_stat(c->stat);
	json_end();
}

static void
put_callers(void)
{
	struct lock_user *list = NULL;
	const struct process *p;
	const struct locks *ls;
	size_t i, n = 0, room = 0;
	uint32_t k;

	for (p = run.processes.first; p != NULL; p = p->next) {
		ls = (const struct locks *)p;
		for (k = 0; k < ls->ncallers; k++) {
			if (ls->callers[k] == NULL)
				continue;
			list = xgrow(list, n, &room, sizeof(*list));
			list[n].process = ls;
			list[n].number = k;
			list[n++].stat = ls->callers[k];
		}
	}
	if (n > 1)
		qsort(list, n, sizeof(*list), by_stat);
	json_array("callers");
	for (i = 0; i < n && i < CALLERS; i++)
		put_caller(&list[i]);
	json_end();
	json_u64("ncallers", n);
	free(list);
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
	put_callers();
	put_waits();
}

void
page_locks(struct reader *rd, struct reader_dir *dirs)
{
	const struct top top = { .list = waits, .size = sizeof(waits[0]),
	    .most = LOCKS_TOP };
	struct process *p;

	memset(&numbers, 0, sizeof(numbers));
	top_waits = top;
	nobody = 0;
	locks_init(&run);
	run.note = note;
	run.graphs = rd->stacks = 1;
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
	frames_free();
}
