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
 * utctl stat -C: what differs between the runs before a change and those after
 * it.  What is kept grows with the number of groups and of runs.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "compare.h"
#include "show.h"
#include "stat.h"

/* Smaller differences are not told, and fewer events are not new or gone. */
#define LEAST		0.02
#define LEAST_FEW	0.9		/* with fewer than COMPARE_FEW runs */
#define LEAST_NS	50		/* what it costs to record a pair */
#define LEAST_NEW	16

/* What the group of a run has measured. */
struct measured {
	struct medians	 took, self;
	struct counts	 counts;
	int		 nested;	/* self is less than took */
};

/* FIGURES of each run, of a group. */
struct line {
	int		 nested;
	struct figure	 figures[];
};

struct compared_run {
	unsigned long long events, discarded, lost;
	uint64_t	 left;		/* pairs left out */
};

struct result {
	const struct group *group;
	const char	*what;		/* time, self or calls */
	const char	*change;	/* NULL: none that is significant */
	struct difference by;
	int		 whole;		/* new or gone: there is no factor */
};

static struct {
	char		*args[COMPARE_RUNS + 1];	/* of -C */
	char		**before;	/* directories */
	size_t		 n[2];		/* runs before and after */
	int		 all;		/* -a */
	int64_t		 begin, end;	/* of the run that is read */
	struct compared_run runs[2 * COMPARE_RUNS];
	struct groups	 groups;	/* what they have measured is a line */
	const struct groups *names;	/* by what they are grouped */
	struct result	*results;
	size_t		 nresults, ndiffer;
} cmp;

void
compare_with(char *dir)
{
	if (cmp.n[0] == COMPARE_RUNS)
		die("-C: at most %d times", COMPARE_RUNS);
	cmp.args[cmp.n[0]++] = dir;
}

void
compare_all(void)
{
	cmp.all = 1;
}

int
compare_on(void)
{
	return cmp.n[0] > 0;
}

void
compare_begin(char **dirs)
{
	cmp.before = which_traces(cmp.args);
	for (cmp.n[1] = 0; dirs[cmp.n[1]] != NULL; cmp.n[1]++)
		continue;
	if (cmp.n[1] > COMPARE_RUNS)
		die("-C: at most %d directories", COMPARE_RUNS);
}

/*
 * What is measured.
 */

static struct measured *
measure(struct group *g, int64_t ns)
{
	struct measured *m = g->measured;

	if (m == NULL && (m = calloc(1, sizeof(*m))) == NULL)
		die_errno("malloc");
	g->measured = m;
	if (cmp.begin == INT64_MIN)
		cmp.begin = ns;
	cmp.end = ns;
	counts_add(&m->counts, ns - cmp.begin);
	return m;
}

void
compare_event(struct group *g, int64_t ns)
{
	(void)measure(g, ns);
}

void
compare_pair(struct group *g, int64_t ns, int64_t took, int64_t self)
{
	struct measured *m = measure(g, ns);

	medians_add(&m->took, (double)took);
	medians_add(&m->self, (double)self);
	m->nested |= took != self;
}

static struct line *
line_of(const struct group *g)
{
	struct group *same = groups_row(&cmp.groups, g->key, g->len);
	const size_t runs = cmp.n[0] + cmp.n[1];

	if (same->measured == NULL && (same->measured = calloc(1,
	    sizeof(struct line) + runs * FIGURES * sizeof(struct figure))) ==
	    NULL)
		die_errno("malloc");
	return same->measured;
}

/* The run is over: keep its figures only. */
static void
note_run(const struct groups *g, size_t run)
{
	struct measured *m;
	struct figure *f;
	struct line *l;
	size_t i;

	for (i = 0; i < g->nrows; i++) {
		if ((m = g->rows[i]->measured) == NULL)
			continue;
		l = line_of(g->rows[i]);
		f = &l->figures[run * FIGURES];
		l->nested |= m->nested;
		f[FIGURE_TIME] = medians_figure(&m->took);
		f[FIGURE_SELF] = medians_figure(&m->self);
		f[FIGURE_RATE] = counts_rate(&m->counts, cmp.end - cmp.begin);
		f[FIGURE_COUNT] = f[FIGURE_RATE];
		f[FIGURE_COUNT].value = (double)m->counts.sum;
	}
}

static void
read_run(struct reader *all, char *dir, size_t run, struct groups *g,
    uint64_t (*read)(struct reader *))
{
	char *dirs[] = { dir, NULL };
	struct reader rd = *all;

	rd.ntraces = 0;
	rd.nevents = rd.ndiscarded = rd.nlost = 0;
	if (rd.select != NULL) {
		rd.select->from = INT64_MIN;
		rd.select->to = INT64_MAX;
	}
	cmp.begin = INT64_MIN;
	reader_open_all(&rd, dirs);
	cmp.runs[run].left = read(&rd);
	note_run(g, run);
	cmp.runs[run].events = rd.nevents;
	cmp.runs[run].discarded = rd.ndiscarded;
	cmp.runs[run].lost = rd.nlost;
	all->ntraces += rd.ntraces;
	reader_add(&all->nevents, rd.nevents);
	reader_add(&all->ndiscarded, rd.ndiscarded);
	reader_add(&all->nlost, rd.nlost);
	reader_free(&rd);
	groups_again(g);
}

/*
 * Which differences are significant.
 */

static int
is_few(void)
{
	return cmp.n[0] < COMPARE_FEW || cmp.n[1] < COMPARE_FEW;
}

static void
add_result(const struct group *g, const char *what, const char *change,
    const struct difference *by, int whole)
{
	struct result *r;

	if (cmp.nresults % 64 == 0 && (cmp.results = realloc(cmp.results,
	    (cmp.nresults + 64) * sizeof(*r))) == NULL)
		die_errno("malloc");
	r = &cmp.results[cmp.nresults++];
	*r = (struct result){ .group = g, .what = what, .change = change,
	    .by = *by, .whole = whole };
}

static int
differ(const struct line *l, enum figure_of of, struct difference *d)
{
	return figures_differ(l->figures + of, cmp.n[0],
	    l->figures + cmp.n[0] * FIGURES + of, cmp.n[1], d);
}

/* The least and the most events of a run of that side. */
static void
extremes(const struct line *l, int after, double *least, double *most)
{
	const size_t from = after ? cmp.n[0] : 0;
	double n;
	size_t i;

	*least = HUGE_VAL;
	*most = 0;
	for (i = from; i < from + cmp.n[after]; i++) {
		n = l->figures[i * FIGURES + FIGURE_COUNT].value;
		*least = fmin(*least, n);
		*most = fmax(*most, n);
	}
}

static double
rate_of(const struct line *l, int after)
{
	const size_t from = after ? cmp.n[0] : 0;
	double sum = 0;
	size_t i;

	for (i = from; i < from + cmp.n[after]; i++)
		sum += l->figures[i * FIGURES + FIGURE_RATE].value;
	return sum / (double)cmp.n[after];
}

/* Add a group that is new or gone: 0 if it is neither. */
static int
add_whole(const struct group *g, const struct line *l, const char *what)
{
	struct difference d = { .p = 0 };
	double least[2], most[2];

	extremes(l, 0, &least[0], &most[0]);
	extremes(l, 1, &least[1], &most[1]);
	if (most[0] > 0 && most[1] > 0)
		return 0;
	d.before = rate_of(l, 0);
	d.after = rate_of(l, 1);
	if (fmax(least[0], least[1]) >= LEAST_NEW)
		add_result(g, what, most[0] > 0 ? "gone" : "new", &d, 1);
	return 1;
}

/*
 * A longer run has more events, and one on a faster machine more in a second:
 * what counts is the smaller one of both changes.
 */
static void
compare_calls(const struct group *g, const char *const *calls)
{
	struct difference n, rate, *d;

	if (!differ(g->measured, FIGURE_COUNT, &n) ||
	    !differ(g->measured, FIGURE_RATE, &rate))
		return;
	d = fabs(log(n.factor)) < fabs(log(rate.factor)) ? &n : &rate;
	d->p = (n.factor < 1) != (rate.factor < 1) ? 1 : fmax(n.p, rate.p);
	add_result(g, calls[d == &rate], NULL, d, 0);
}

static void
compare_group(const struct group *g, const char *const *calls)
{
	const struct line *l = g->measured;
	struct difference d;

	if (add_whole(g, l, calls[1]))
		return;
	if (differ(l, FIGURE_TIME, &d))
		add_result(g, "time", NULL, &d, 0);
	if (l->nested && differ(l, FIGURE_SELF, &d))
		add_result(g, "self", NULL, &d, 0);
	compare_calls(g, calls);
}

static int
by_chance(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	if (x->by.p != y->by.p)
		return x->by.p < y->by.p ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static int
is_time(const struct result *r)
{
	return strcmp(r->what, "time") == 0 || strcmp(r->what, "self") == 0;
}

static const char *
change_of(const struct result *r)
{
	const int calls = !is_time(r);
	const double least = is_few() ? LEAST_FEW : LEAST;

	if (fabs(log(r->by.factor)) < log1p(least) ||
	    (!calls && fabs(r->by.after - r->by.before) < LEAST_NS))
		return NULL;
	if (calls)
		return r->by.factor > 1 ? "more" : "fewer";
	return r->by.factor > 1 ? "slower" : "faster";
}

/* The method of Holm. */
static void
find_changes(void)
{
	struct result *r;
	size_t i, tests = 0;

	qsort(cmp.results, cmp.nresults, sizeof(*cmp.results), by_chance);
	for (i = 0; i < cmp.nresults; i++)
		tests += !cmp.results[i].whole;
	for (i = 0; i < cmp.nresults; i++) {
		r = &cmp.results[i];
		if (r->whole)
			continue;
		if (r->by.p * (double)tests-- >= COMPARE_ALPHA)
			break;
		r->change = change_of(r);
	}
	for (i = 0; i < cmp.nresults; i++)
		cmp.ndiffer += cmp.results[i].change != NULL;
}

/*
 * Output.
 */

/* What is new or gone comes first, then what has changed most. */
static int
by_change(const void *a, const void *b)
{
	const struct result *x = a, *y = b;
	double by[2];

	if ((x->change == NULL) != (y->change == NULL))
		return x->change == NULL ? 1 : -1;
	if (x->whole != y->whole)
		return y->whole - x->whole;
	by[0] = x->whole ? x->by.before + x->by.after :
	    fabs(log(x->by.factor));
	by[1] = y->whole ? y->by.before + y->by.after :
	    fabs(log(y->by.factor));
	if (by[0] != by[1])
		return by[0] < by[1] ? 1 : -1;
	return by_chance(a, b);
}

static void
put_real(struct rows *t, const char *head, const char *name, double v, int no)
{
	if (!no)
		json_real(name, v);
	row_text(t, head, no ? "-" : "%.*f", v < 100 ? 3 : 0, v);
}

static void
put_result(struct rows *t, const void *arg, size_t i)
{
	const struct result *r = &cmp.results[i];
	const int time = is_time(r);
	const double unit = time && !json_on ? 1000 : 1;

	(void)arg;
	group_json(cmp.names, r->group);
	json_string("of", r->what);
	json_string("change", r->change);
	row_text(t, "change", "%s", r->change == NULL ? "-" : r->change);
	put_real(t, "factor", "factor", r->by.factor, r->whole);
	put_real(t, "from", "low", r->by.low, r->whole);
	put_real(t, "to", "high", r->by.high, r->whole);
	put_real(t, "before", "before", r->by.before / unit, 0);
	put_real(t, "after", "after", r->by.after / unit, 0);
	row_text(t, "of", "%s%s", r->what, time ? " us" : "");
	if (!r->whole)
		json_real("p", r->by.p);
	group_end(t, cmp.names, r->group);
}

/* What was lost makes a run another one. */
static void
put_run(size_t i, const char *dir)
{
	const struct compared_run *r = &cmp.runs[i];
	char *shown;

	json_object(NULL);
	json_string("side", i < cmp.n[0] ? "before" : "after");
	json_string("dir", dir);
	json_u64("events", r->events);
	json_u64("discarded", r->discarded);
	json_u64("lost_packets", r->lost);
	json_u64("left_out", r->left);
	json_end();
	if (r->discarded + r->lost + r->left == 0)
		return;
	shown = clean(dir);
	say("%s: %llu events and %llu packets were lost, and %" PRIu64 " pairs "
	    "left out: differences from that run may come from that", shown,
	    r->discarded, r->lost, r->left);
	free(shown);
}

static void
put_all(const struct reader *rd, char **after)
{
	struct rows t = { .fixed = NULL };
	size_t i;

	show_totals(rd);
	json_array("runs");
	for (i = 0; i < cmp.n[0] + cmp.n[1]; i++)
		put_run(i, i < cmp.n[0] ? cmp.before[i] :
		    after[i - cmp.n[0]]);
	json_end();
	json_u64("groups", cmp.groups.nrows);
	json_real("least", is_few() ? LEAST_FEW : LEAST);
	if (!json_on) {
		printf("%zu run%s before, %zu after: differences below %.0f %% "
		    "are not shown\n", cmp.n[0], many(cmp.n[0]), cmp.n[1],
		    100 * (is_few() ? LEAST_FEW : LEAST));
		if (cmp.ndiffer == 0)
			printf("no difference found");
		else
			printf("%zu difference%s found", cmp.ndiffer,
			    many(cmp.ndiffer));
		printf(" (%zu group%s compared)\n", cmp.groups.nrows,
		    many(cmp.groups.nrows));
	}
	rows_put(&t, "differences", cmp.all ? cmp.nresults : cmp.ndiffer,
	    put_result, NULL);
	json_end();
}

static int
in_order(const struct group *a, const struct group *b)
{
	(void)a;
	(void)b;
	return 0;
}

void
compare_runs(struct reader *all, char **after, struct groups *g,
    int pairs, uint64_t (*read)(struct reader *))
{
	static const char *const calls[2][2] = { { "events", "events/s" },
	    { "calls", "calls/s" } };
	size_t i;

	for (i = 0; i < cmp.n[0]; i++)
		read_run(all, cmp.before[i], i, g, read);
	for (i = 0; i < cmp.n[1]; i++)
		read_run(all, after[i], cmp.n[0] + i, g, read);
	cmp.names = g;
	groups_sort(&cmp.groups, in_order);
	for (i = 0; i < cmp.groups.nrows; i++)
		compare_group(cmp.groups.rows[i], calls[pairs]);
	if (cmp.nresults > 0)
		find_changes();
	if (cmp.nresults > 1)
		qsort(cmp.results, cmp.nresults, sizeof(*cmp.results),
		    by_change);
	if (show_any(all))
		put_all(all, after);
}

void
compare_end(void)
{
	if (cmp.before != NULL)
		which_free(cmp.before);
	groups_free(&cmp.groups);
	free(cmp.results);
	memset(&cmp, 0, sizeof(cmp));
}
