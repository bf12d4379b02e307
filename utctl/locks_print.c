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
 * utctl locks: what it prints as text.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "locks.h"
#include "say.h"

#define NS	1e9
#define US	1e3		/* ns */
#define ROWS	20		/* of a table, without -a */

/* The waits are what is looked for; what nobody waited for comes last. */
static int
compare_stats(const struct lock_stat *x, const struct lock_stat *y)
{
	if (x->wait.sum != y->wait.sum)
		return x->wait.sum < y->wait.sum ? 1 : -1;
	if (x->hold.sum != y->hold.sum)
		return x->hold.sum < y->hold.sum ? 1 : -1;
	return (x->acquired < y->acquired) - (x->acquired > y->acquired);
}

static int
compare_locks(const void *a, const void *b)
{
	const struct lock *x = *(struct lock *const *)a;
	const struct lock *y = *(struct lock *const *)b;
	const int c = compare_stats(&x->stat, &y->stat);

	return c != 0 ? c : (x->address > y->address) -
	    (x->address < y->address);
}

void **
locks_sorted(const struct locks *ls)
{
	return map_sorted(&ls->locks, compare_locks);
}

static int
compare_conds(const void *a, const void *b)
{
	const struct cond *x = *(struct cond *const *)a;
	const struct cond *y = *(struct cond *const *)b;

	if (x->wait.sum != y->wait.sum)
		return x->wait.sum < y->wait.sum ? 1 : -1;
	return (x->address > y->address) - (x->address < y->address);
}

void **
conds_sorted(const struct locks *ls)
{
	return map_sorted(&ls->conds, compare_conds);
}

static const struct locks *sorting;

static int
compare_callers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const int c = compare_stats(sorting->callers[x], sorting->callers[y]);

	return c != 0 ? c : (x > y) - (x < y);
}

size_t
locks_callers(const struct locks *ls, uint32_t **list)
{
	size_t i, n = 0;

	if ((*list = calloc(ls->ncallers + 1, sizeof(**list))) == NULL)
		die_errno("malloc");
	for (i = 0; i < ls->ncallers; i++)
		if (ls->callers[i] != NULL)
			(*list)[n++] = (uint32_t)i;
	sorting = ls;
	if (n > 1)
		qsort(*list, n, sizeof(**list), compare_callers);
	return n;
}

int
locks_isempty(const struct locks *ls)
{
	return ls->locks.n == 0 && ls->conds.n == 0;
}

/* The total, and how single times are distributed. */
static void
print_hist(struct hist *h)
{
	if (h->n == 0) {
		printf(" %14s %10s %10s %12s", "-", "-", "-", "-");
		return;
	}
	printf(" %14.3f %10.3f %10.3f %12.3f", h->sum / US,
	    hist_quantile(h, 500) / US, hist_quantile(h, 990) / US,
	    h->max / US);
}

static void
print_heads(const char *what)
{
	printf("%10s %10s %8s %14s %10s %10s %12s %14s %10s %10s %12s  %s\n",
	    "acquired", "contended", "failed", "waited us", "p50", "p99",
	    "max us", "held us", "p50", "p99", "max us", what);
}

static void
print_stat(struct lock_stat *st)
{
	printf("%10" PRIu64 " %10" PRIu64 " %8" PRIu64, st->acquired,
	    st->contended, st->failed);
	print_hist(&st->wait);
	print_hist(&st->hold);
}

/* So many rows of a table are shown. */
static size_t
rows(const struct locks_run *r, size_t n)
{
	return r->all || n <= ROWS ? n : ROWS;
}

static void
print_cut(size_t shown, size_t n)
{
	if (shown < n)
		printf("%10s and %zu more, which -a shows\n", "...",
		    n - shown);
}

/* The address, and the name of the variable, in CALLER_TEXT bytes. */
static const char *
lock_text(uint64_t address, const char *name, char *text)
{
	char *shown;

	if (name == NULL) {
		snprintf(text, CALLER_TEXT, "0x%" PRIx64, address);
		return text;
	}
	snprintf(text, CALLER_TEXT, "0x%" PRIx64 " %s", address,
	    shown = clean(name));
	free(shown);
	return text;
}

/* What has no name is known by who used it first. */
static void
print_place(const struct locks *ls, uint64_t address, const char *name,
    uint32_t first)
{
	char text[CALLER_TEXT];

	printf("  %s", lock_text(address, name, text));
	if (name == NULL)
		printf(" %s", callers_text(&ls->process.callers, first, text));
	putchar('\n');
}

static void
print_locks(const struct locks_run *r, const struct locks *ls)
{
	const size_t n = rows(r, ls->locks.n);
	void **all = locks_sorted(ls), **p;
	struct lock *l;

	if (n > 0)
		print_heads("lock, its name or first user");
	for (p = all; p < all + n; p++) {
		l = *p;
		print_stat(&l->stat);
		print_place(ls, l->address, l->name, l->first);
	}
	print_cut(n, ls->locks.n);
	free(all);
}

static void
print_callers(const struct locks_run *r, const struct locks *ls)
{
	char text[CALLER_TEXT];
	uint32_t *list;
	const size_t all = locks_callers(ls, &list), n = rows(r, all);
	size_t i;

	if (n > 0)
		print_heads("caller");
	for (i = 0; i < n; i++) {
		print_stat(ls->callers[list[i]]);
		printf("  %s\n", callers_text(&ls->process.callers, list[i],
		    text));
	}
	print_cut(n, all);
	free(list);
}

static void
print_conds(const struct locks_run *r, const struct locks *ls)
{
	const size_t n = rows(r, ls->conds.n);
	void **all = conds_sorted(ls), **p;
	struct cond *c;

	if (n > 0)
		printf("%10s %10s %10s %10s %14s %10s %10s %12s  %s\n",
		    "waits", "failed", "signals", "broadcasts", "waited us",
		    "p50", "p99", "max us",
		    "condition, its name or first user");
	for (p = all; p < all + n; p++) {
		c = *p;
		printf("%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64,
		    c->waits, c->failed, c->signals, c->broadcasts);
		print_hist(&c->wait);
		print_place(ls, c->address, c->name, c->first);
	}
	print_cut(n, ls->conds.n);
	free(all);
}

/* Who has a lock at the end. */
static void
print_held(const struct locks *ls)
{
	char when[CTF_TIMELEN], text[CALLER_TEXT], lock[CALLER_TEXT];
	void **all = locks_sorted(ls), **p;
	const struct lock_holder *h;
	const struct lock *l;

	for (p = all; *p != NULL; p++)
		for (l = *p, h = l->holders; h < l->holders + l->nholders;
		    h++) {
			ctf_print_time(h->ns, when);
			printf("  %s not released by thread %" PRId32
			    ", which acquired it at %s from %s\n",
			    lock_text(l->address, l->name, lock), h->thread,
			    when, callers_text(&ls->process.callers, h->caller,
			    text));
		}
	free(all);
}

static void
print_process(const struct locks_run *r, const struct locks *ls)
{
	putchar('\n');
	process_print(&ls->process);
	printf(": %zu locks, %zu conditions\n", ls->locks.n, ls->conds.n);
	if (ls->unheld > 0)
		printf("  %" PRIu64 " released that were not acquired here\n",
		    ls->unheld);
	if (ls->unseen > 0)
		printf("  %" PRIu64 " released unseen: another thread acquired "
		    "the lock\n", ls->unseen);
	if (ls->unended > 0)
		printf("  %" PRIu64 " requested, neither acquired nor "
		    "failed\n", ls->unended);
	if (ls->lost > 0)
		printf("  %" PRIu64 " left out: events were lost meanwhile\n",
		    ls->lost);
	print_held(ls);
	print_locks(r, ls);
	print_callers(r, ls);
	print_conds(r, ls);
}

static void
print_note(const struct lock_note *n)
{
	const struct callers *cs = &n->process->process.callers;
	char when[CTF_TIMELEN], text[CALLER_TEXT], lock[CALLER_TEXT];
	char *name = clean(n->process->process.name);

	ctf_print_time(n->ns, when);
	printf("%14.3f  %-29s  %s[%" PRId64 ":%" PRId32 "]  %s  %s",
	    (double)n->took / US, when, name, n->process->process.vpid,
	    n->thread, lock_text(n->lock->address, n->lock->name, lock),
	    callers_text(cs, n->caller, text));
	free(name);
	if (n->failed)
		printf(" (failed)");
	if (n->known)
		printf("  held by %" PRId32 " %s", n->holder,
		    callers_text(cs, n->holder_caller, text));
	putchar('\n');
}

static void
print_top(const char *title, const struct top *t)
{
	const struct lock_note *notes = t->list, *n;

	if (t->n == 0)
		return;
	printf("\n%s:\n%14s  %-29s  program[pid:tid]  lock  caller\n", title,
	    "us", "began");
	for (n = notes; n < notes + t->n; n++)
		print_note(n);
}

void
locks_print(const struct locks_run *r, const struct reader *rd)
{
	char begin[CTF_TIMELEN], end[CTF_TIMELEN];
	const struct process *p;

	reader_totals(rd);
	if (r->n == 0)
		return;
	ctf_print_time(r->begin, begin);
	ctf_print_time(r->end, end);
	printf("from %s to %s: %.9f s\n", begin, end,
	    ((double)r->end - (double)r->begin) / NS);
	for (p = r->processes.first; p != NULL; p = p->next)
		if (!locks_isempty((const struct locks *)p))
			print_process(r, (const struct locks *)p);
	print_top("the longest waits", &r->top_waits);
	print_top("held longest", &r->top_holds);
}
