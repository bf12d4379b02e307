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
 * utctl locks: how long threads waited for locks, how long they held them, and
 * who did so meanwhile.  What is kept grows with the locks, the threads and the
 * places that use them, not with the trace.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../show/show.h"
#include "locks.h"

#define US	1e3		/* ns */
#define ROWS	20		/* without -a, in a table */

/* The locks, conditions or callers of a process, in the order of a table. */
struct locks_sorted {
	const struct locks *locks;
	void		**v;
	uint32_t	*callers;
};

static struct locks_run run;

/* Release all locks of the process, and end all waits: its memory is gone. */
static void
locks_over(struct process *p)
{
	struct locks *ls = (struct locks *)p;
	struct lock_thread *t;
	struct lock *l;
	size_t i;

	locks_settle(ls);
	for (i = 0; i < ls->locks.cap; i++)
		if ((l = ls->locks.v[i].value) != NULL) {
			l->nholders = 0;
			l->waiters = NULL;
		}
	for (i = 0; i < ls->threads.cap; i++)
		if ((t = ls->threads.v[i].value) != NULL)
			t->wait.lock = NULL;
}

static void
locks_release(struct process *p)
{
	locks_free((struct locks *)p);
}

/*
 * Output.
 */

/* The waits are what is looked for; what nobody waited for comes last. */
int
locks_compare(const struct lock_stat *x, const struct lock_stat *y)
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
	const int c = locks_compare(&x->stat, &y->stat);

	return c != 0 ? c : (x->address > y->address) -
	    (x->address < y->address);
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

static const struct locks *sorting;

static int
compare_callers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const int c = locks_compare(sorting->callers[x], sorting->callers[y]);

	return c != 0 ? c : (x > y) - (x < y);
}

/* The callers' numbers in that order, and how many there are. */
static size_t
sort_callers(const struct locks *ls, uint32_t **list)
{
	size_t i, n = 0;

	*list = xcalloc(ls->ncallers + 1, sizeof(**list));
	for (i = 0; i < ls->ncallers; i++)
		if (ls->callers[i] != NULL)
			(*list)[n++] = (uint32_t)i;
	sorting = ls;
	if (n > 1)
		qsort(*list, n, sizeof(**list), compare_callers);
	return n;
}

static int
is_empty(const struct process *p)
{
	const struct locks *ls = (const struct locks *)p;

	return ls->locks.n == 0 && ls->conds.n == 0;
}

/*
 * Times in ns: the total, and how single times are distributed.  The total is
 * text in JSON, for it may be more than a double holds.
 */
static void
put_hist(struct rows *t, const char *total, const char *name, struct hist *h)
{
	const char *us = h->n == 0 ? "-" : "%.3f";

	row_text(t, total, us, h->sum / US);
	row_text(t, "p50", us, hist_quantile(h, 500) / US);
	row_text(t, "p99", us, hist_quantile(h, 990) / US);
	row_text(t, "max us", us, h->max / US);
	json_object(name);
	json_u64("n", h->n);
	if (h->n > 0) {
		json_format("total_ns", "\"%.0f\"", h->sum);
		json_hist(h, 0);
	}
	json_end();
}

static void
put_stat(struct rows *t, struct lock_stat *st)
{
	row_u64(t, "acquired", "acquired", st->acquired);
	row_u64(t, "contended", "contended", st->contended);
	row_u64(t, "failed", "failed", st->failed);
	put_hist(t, "waited us", "wait", &st->wait);
	put_hist(t, "held us", "hold", &st->hold);
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

const struct site *
locks_site(const struct locks *ls, uint32_t caller)
{
	return caller % 2 == 0 ? NULL : ls->sites.v[caller / 2];
}

const char *
locks_caller_text(const struct locks *ls, uint32_t caller, char *text)
{
	const struct site *site = locks_site(ls, caller);

	return site != NULL ? frame_text(site->frames[0], text) :
	    callers_text(&ls->process.callers, caller / 2, text);
}

static void
caller_json(const struct locks *ls, uint32_t caller)
{
	const struct site *site = locks_site(ls, caller);

	if (site == NULL) {
		callers_json(&ls->process.callers, caller / 2);
		return;
	}
	frame_json(site->frames[0]);
	site_json(site);
}

/* The functions around the caller, with a text in front of the first one. */
static void
print_stack(const struct locks *ls, uint32_t caller, const char *before)
{
	const struct site *site = locks_site(ls, caller);
	char text[FRAME_TEXT];
	size_t i;

	for (i = before[0] == '\0'; site != NULL && i < site->n; i++)
		printf("%12s%s%s\n", "", i == 0 ? before : "  ",
		    frame_text(site->frames[i], text));
}

/* Print a name; for an object without one, the caller that used it first. */
static void
put_place(const struct rows *t, const char *head, const struct locks *ls,
    uint64_t address, const char *name, uint32_t first)
{
	char text[CALLER_TEXT];

	if (!row_end(t, head))
		return;
	row_add("  %s", lock_text(address, name, text));
	if (name == NULL)
		row_add(" first used by %s",
		    locks_caller_text(ls, first, text));
	row_add("\n");
}

/*
 * Print a lock that somebody has at the end, or still waits for, as in a
 * deadlock: a thread did not do this with the lock; it did that before.
 */
static void
put_end(const struct locks *ls, const struct lock *l, const char *undone,
    const char *done, int32_t thread, int64_t ns, uint32_t caller)
{
	char when[CTF_TIMELEN], text[CALLER_TEXT], lock[CALLER_TEXT];

	json_object(NULL);
	json_i64("vtid", thread);
	json_ns("ns", ns);
	caller_json(ls, caller);
	json_bool("unsure", lock_unsure(ls, ns));
	json_end();
	if (json_on)
		return;
	ctf_print_time(ns, when);
	printf("  %s not %s by thread %" PRId32 ", which %s it at %s from "
	    "%s%s\n", lock_text(l->address, l->name, lock), undone, thread,
	    done, when, locks_caller_text(ls, caller, text),
	    lock_unsure(ls, ns) ? ", as far as is known" : "");
	print_stack(ls, caller, "");
}

static void
put_held(const struct locks *ls, const struct lock *l)
{
	const struct lock_holder *h;

	json_array("held");
	for (h = l->holders; h < l->holders + l->nholders; h++)
		put_end(ls, l, "released", "acquired", h->thread, h->ns,
		    h->caller);
	json_end();
}

static void
put_waiting(const struct locks *ls, const struct lock *l)
{
	const struct lock_thread *t;

	json_array("waiting");
	for (t = l->waiters; t != NULL; t = t->next)
		put_end(ls, l, "acquired", "requested", t->id, t->wait.ns,
		    t->wait.caller);
	json_end();
}

static void
put_lock(struct rows *t, const void *arg, size_t i)
{
	const struct locks_sorted *sorted = arg;
	struct lock *l = sorted->v[i];

	json_address("lock", l->address);
	json_string("lock_sym", l->name);
	json_string("kind", l->isrw ? "rwlock" : "mutex");
	caller_json(sorted->locks, l->first);
	put_stat(t, &l->stat);
	if (json_on) {
		put_held(sorted->locks, l);
		put_waiting(sorted->locks, l);
	}
	put_place(t, "lock, its name or first user", sorted->locks,
	    l->address, l->name, l->first);
}

static void
put_caller(struct rows *t, const void *arg, size_t i)
{
	const struct locks_sorted *sorted = arg;
	const struct locks *ls = sorted->locks;
	const uint32_t caller = sorted->callers[i];
	char text[CALLER_TEXT];

	caller_json(ls, caller);
	put_stat(t, ls->callers[caller]);
	if (!row_end(t, "caller"))
		return;
	row_add("  %s\n", locks_caller_text(ls, caller, text));
	print_stack(ls, caller, "");
}

static void
put_cond(struct rows *t, const void *arg, size_t i)
{
	const struct locks_sorted *sorted = arg;
	struct cond *c = sorted->v[i];

	json_address("cond", c->address);
	json_string("cond_sym", c->name);
	caller_json(sorted->locks, c->first);
	row_u64(t, "waits", "waits", c->waits);
	row_u64(t, "failed", "failed", c->failed);
	row_u64(t, "signals", "signals", c->signals);
	row_u64(t, "broadcasts", "broadcasts", c->broadcasts);
	put_hist(t, "waited us", "wait", &c->wait);
	put_place(t, "condition, its name or first user", sorted->locks,
	    c->address, c->name, c->first);
}

/* All of them in JSON and with -a, otherwise the first few. */
static void
put_rows(const struct locks_sorted *sorted, const char *name, size_t n,
    rows_put_fn put)
{
	const size_t shown = sorted->locks->run->all || json_on || n <= ROWS ?
	    n : ROWS;
	struct rows t = { .fixed = NULL };

	rows_put(&t, name, shown, put, sorted);
	if (shown < n)
		printf("%10s and %zu more, which -a shows\n", "...",
		    n - shown);
}

static void
put_process(const struct locks *ls)
{
	struct locks_sorted sorted = { ls, NULL, NULL };
	char *who = process_text(&ls->process);
	size_t i, n;

	json_object(NULL);
	process_json(&ls->process);
	if (!json_on)
		printf("\n%s: %zu lock%s, %zu condition%s\n", who,
		    ls->locks.n, many(ls->locks.n), ls->conds.n,
		    many(ls->conds.n));
	free(who);
	show_count("unheld", ls->unheld, "  ",
	    "released, but not acquired here");
	show_count("unseen", ls->unseen, "  ",
	    "released unseen: another thread acquired the lock");
	show_count("unended", ls->unended, "  ",
	    "requested, neither acquired nor failed");
	show_count("left_out", ls->lost, "  ",
	    "left out: events were lost meanwhile");
	sorted.v = map_sorted(&ls->locks, compare_locks);
	for (i = 0; !json_on && i < ls->locks.n; i++)
		put_held(ls, sorted.v[i]);
	for (i = 0; !json_on && i < ls->locks.n; i++)
		put_waiting(ls, sorted.v[i]);
	put_rows(&sorted, "locks", ls->locks.n, put_lock);
	free(sorted.v);
	n = sort_callers(ls, &sorted.callers);
	put_rows(&sorted, "callers", n, put_caller);
	free(sorted.callers);
	sorted.v = map_sorted(&ls->conds, compare_conds);
	put_rows(&sorted, "conditions", ls->conds.n, put_cond);
	free(sorted.v);
	json_end();
}

static void
put_note(struct rows *t, const void *arg, size_t i)
{
	const struct top *top = arg;
	const struct lock_note *n = (const struct lock_note *)top->list + i;
	const struct process *p = &n->process->process;
	char text[CALLER_TEXT], lock[CALLER_TEXT];

	row_us(t, "us", "took_ns", n->took);
	json_ns("ns", n->ns);
	row_who(t, "began", n->ns, p->host, p->name, p->vpid, n->thread);
	json_address("lock", n->lock->address);
	json_string("lock_sym", n->lock->name);
	caller_json(n->process, n->caller);
	json_bool("failed", n->failed);
	if (row_end(t, "lock  caller"))
		row_add("  %s  %s%s", lock_text(n->lock->address, n->lock->name,
		    lock), locks_caller_text(n->process, n->caller, text),
		    n->failed ? " (failed)" : "");
	if (n->known) {
		json_object("holder");
		json_i64("vtid", n->holder);
		caller_json(n->process, n->holder_caller);
		json_end();
		if (row_end(t, NULL))
			row_add("  held by %" PRId32 " %s", n->holder,
			    locks_caller_text(n->process, n->holder_caller,
			    text));
	}
	if (!row_end(t, NULL))
		return;
	row_add("\n");
	print_stack(n->process, n->caller, "");
	if (n->known)
		print_stack(n->process, n->holder_caller, "held by ");
}

static void
locks_print(const struct locks_run *r, const struct reader *rd)
{
	const struct process *p;

	rows_program(&r->processes);
	show_totals(rd);
	if (!json_on && r->processes.n == 0)
		return;
	show_span(r->processes.begin, r->processes.end, "\n");
	json_array("processes");
	for (p = r->processes.first; p != NULL; p = p->next)
		if (!is_empty(p))
			put_process((const struct locks *)p);
	json_end();
	top_put("the longest waits", "waits", &r->top_waits, put_note);
	top_put("held longest", "holds", &r->top_holds, put_note);
	json_end();
}

static int
locks_option(int c)
{
	if (c == 'g')
		run.graphs = 1;
	return c == 'g' || show_all_option(c, &run.all);
}

static void
check(void)
{
	show_paged(1);
}

static int
locks_traces(struct reader *rd, struct reader_dir *dirs)
{
	struct process *p;

	rd->stacks = run.graphs;
	processes_read(&run.processes, rd, dirs);
	for (p = run.processes.first; p != NULL; p = p->next)
		locks_settle((struct locks *)p);
	if (show_any(rd))
		locks_print(&run, rd);
	return 0;
}

static void
say_all(const struct reader *rd)
{
	if (run.nobody)
		say("the trace does not tell which thread an event is of: no "
		    "locks; record with lttng add-context -u -t vtid -t vpid");
	else if (rd->nevents > 0 && run.processes.n == 0)
		calls_say_none(rd, "events of locks", "pthread", "pthread");
	if (run.lttng)
		say("LTTng records no waits for conditions: in these, mutexes "
		    "count as held");
	processes_say(&run.processes, rd,
	    "who waited for whom, and how long");
}

static void
locks_finish(void)
{
	processes_free(&run.processes);
	frames_free();
}

void
locks_init(struct locks_run *r)
{
	static const struct process_ops ops = { locks_calls, locks_call,
	    sizeof(struct locks), locks_over, locks_release };

	memset(r, 0, sizeof(*r));
	processes_init(&r->processes, &ops);
	r->top_waits.list = r->waits;
	r->top_holds.list = r->holds;
	r->top_waits.size = r->top_holds.size = sizeof(struct lock_note);
	r->top_waits.most = r->top_holds.most = LOCKS_TOP;
}

static int
locks_main(int argc, char **argv)
{
	static const struct show show_locks = { locks_option, check, NULL,
	    NULL, locks_traces, say_all, locks_finish };

	locks_init(&run);
	return show(&show_locks, argc, argv);
}

const struct command cmd_locks = {
	.name = "locks", .page = "utctl-stat",
	.line = "show how long threads waited for locks, and held them",
	.usage = "[-agj] " SHOW_USAGE,
	.options = {
	    "-g\tcallers with their whole call stacks",
	    "-a\tall of them, not only 20 of a kind",
	    "-j\tJSON", SHOW_HELP
	},
	.run = locks_main
};
