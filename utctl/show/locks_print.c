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

#include "../say.h"
#include "locks.h"
#include "table.h"

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
print_hist(struct table *t, struct hist *h)
{
	size_t i;

	if (h->n == 0) {
		for (i = 0; i < 4; i++)
			table_cell(t, "-");
		return;
	}
	table_us(t, h->sum);
	table_us(t, hist_quantile(h, 500));
	table_us(t, hist_quantile(h, 990));
	table_us(t, h->max);
}

static void
print_hist_heads(struct table *t, const char *total)
{
	table_cell(t, "%s", total);
	table_cell(t, "p50");
	table_cell(t, "p99");
	table_cell(t, "max us");
}

static void
print_heads(struct table *t, const char *what)
{
	table_cell(t, "acquired");
	table_cell(t, "contended");
	table_cell(t, "failed");
	print_hist_heads(t, "waited us");
	print_hist_heads(t, "held us");
	if (table_rest(t))
		printf("  %s\n", what);
}

static void
print_stat(struct table *t, struct lock_stat *st)
{
	table_cell(t, "%" PRIu64, st->acquired);
	table_cell(t, "%" PRIu64, st->contended);
	table_cell(t, "%" PRIu64, st->failed);
	print_hist(t, &st->wait);
	print_hist(t, &st->hold);
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
	int n;

	n = snprintf(text, CALLER_TEXT, "0x%" PRIx64, address);
	if (name == NULL)
		return text;
	text[n++] = ' ';
	cut_text(text + n, CALLER_TEXT - (size_t)n, shown = clean(name));
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
	struct table t;
	struct lock *l;

	for (table_begin(&t); n > 0 && table_next(&t);) {
		print_heads(&t, "lock, its name or first user");
		for (p = all; p < all + n; p++) {
			l = *p;
			print_stat(&t, &l->stat);
			if (table_rest(&t))
				print_place(ls, l->address, l->name, l->first);
		}
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
	struct table t;
	size_t i;

	for (table_begin(&t); n > 0 && table_next(&t);) {
		print_heads(&t, "caller");
		for (i = 0; i < n; i++) {
			print_stat(&t, ls->callers[list[i]]);
			if (table_rest(&t))
				printf("  %s\n", callers_text(
				    &ls->process.callers, list[i], text));
		}
	}
	print_cut(n, all);
	free(list);
}

static void
print_cond_heads(struct table *t)
{
	table_cell(t, "waits");
	table_cell(t, "failed");
	table_cell(t, "signals");
	table_cell(t, "broadcasts");
	print_hist_heads(t, "waited us");
	if (table_rest(t))
		printf("  condition, its name or first user\n");
}

static void
print_cond(struct table *t, const struct locks *ls, struct cond *c)
{
	table_cell(t, "%" PRIu64, c->waits);
	table_cell(t, "%" PRIu64, c->failed);
	table_cell(t, "%" PRIu64, c->signals);
	table_cell(t, "%" PRIu64, c->broadcasts);
	print_hist(t, &c->wait);
	if (table_rest(t))
		print_place(ls, c->address, c->name, c->first);
}

static void
print_conds(const struct locks_run *r, const struct locks *ls)
{
	const size_t n = rows(r, ls->conds.n);
	void **all = conds_sorted(ls), **p;
	struct table t;

	for (table_begin(&t); n > 0 && table_next(&t);) {
		print_cond_heads(&t);
		for (p = all; p < all + n; p++)
			print_cond(&t, ls, *p);
	}
	print_cut(n, ls->conds.n);
	free(all);
}

/* A thread did not do this with the lock; it did that before. */
static void
print_left(const struct locks *ls, const struct lock *l, const char *undone,
    const char *done, int32_t thread, int64_t ns, uint32_t caller)
{
	char when[CTF_TIMELEN], text[CALLER_TEXT], lock[CALLER_TEXT];

	ctf_print_time(ns, when);
	printf("  %s not %s by thread %" PRId32 ", which %s it at %s from %s%s\n",
	    lock_text(l->address, l->name, lock), undone, thread, done, when,
	    callers_text(&ls->process.callers, caller, text),
	    lock_unsure(ls, ns) ? ", as far as is known" : "");
}

/* Who has a lock at the end, and who still waits for one, as in a deadlock. */
static void
print_ends(const struct locks *ls)
{
	void **all = locks_sorted(ls), **p;
	const struct lock_thread *t;
	const struct lock_holder *h;
	const struct lock *l;

	for (p = all; *p != NULL; p++)
		for (l = *p, h = l->holders; h < l->holders + l->nholders; h++)
			print_left(ls, l, "released", "acquired", h->thread,
			    h->ns, h->caller);
	for (p = all; *p != NULL; p++)
		for (l = *p, t = l->waiters; t != NULL; t = t->next)
			print_left(ls, l, "acquired", "requested", t->id,
			    t->wait.ns, t->wait.caller);
	free(all);
}

static void
print_process(const struct locks_run *r, const struct locks *ls)
{
	putchar('\n');
	process_print(&ls->process);
	printf(": %zu lock%s, %zu condition%s\n", ls->locks.n,
	    many(ls->locks.n), ls->conds.n, many(ls->conds.n));
	if (ls->unheld > 0)
		printf("  %" PRIu64 " released, but not acquired here\n",
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
	print_ends(ls);
	print_locks(r, ls);
	print_callers(r, ls);
	print_conds(r, ls);
}

static void
print_note(const struct lock_note *n)
{
	const struct callers *cs = &n->process->process.callers;
	char when[CTF_TIMELEN], text[CALLER_TEXT], lock[CALLER_TEXT];
	char *name = process_text(&n->process->process);

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
	if (r->processes.n == 0)
		return;
	ctf_print_time(r->processes.begin, begin);
	ctf_print_time(r->processes.end, end);
	printf("from %s to %s: %.9f s\n", begin, end,
	    ((double)r->processes.end - (double)r->processes.begin) / NS);
	for (p = r->processes.first; p != NULL; p = p->next)
		if (!locks_isempty((const struct locks *)p))
			print_process(r, (const struct locks *)p);
	print_top("the longest waits", &r->top_waits);
	print_top("held longest", &r->top_holds);
}
