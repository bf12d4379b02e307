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
 * utctl stat -C, heap -C: what differs between the runs before a change and
 * those after it.  What is kept grows with the number of groups and of runs.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "compare.h"
#include "group.h"
#include "show.h"

/* Smaller differences are not told, and fewer events are not new or gone. */
#define LEAST		0.02
#define LEAST_FEW	2.0		/* with fewer than COMPARE_FEW runs */
#define LEAST_NS	50		/* recording a pair costs that */
#define LEAST_NEW	16
#define LEAST_BYTES	4096
#define EQUAL_RUNS	6		/* runs that no chance makes equal */
#define ENOUGH		5		/* runs of a side are */
#define MOST		9		/* a greater change is hopeless */

static const char *const whats[][FIGURES] = {
	[COMPARE_EVENTS] = { NULL, NULL, "events", "events/s" },
	[COMPARE_PAIRS] = { "time", "self", "calls", "calls/s" },
	[COMPARE_TIMES] = { "total", "self", NULL, NULL },
	[COMPARE_STACKS] = { "total", "self", NULL, NULL },
	[COMPARE_HEAP] = { [SUM_LIVE] = "live", [SUM_ALLOCATED] = "allocated",
	    [SUM_PEAK] = "at peak", [SUM_CALLS] = "calls" }
};

struct result {
	size_t		 group;		/* one of the sorted groups */
	enum figure_of	 what;
	const char	*change;	/* NULL: none that is significant */
	struct difference by;		/* factor is 0: new or gone */
};

/* A run. */
struct compared_run {
	unsigned long long events, discarded, lost;
	uint64_t	 left;		/* pairs left out */
};

static struct {
	char		*args[COMPARE_RUNS + 1];	/* arguments of -C */
	struct reader_dir *before, *after;
	size_t		 n[2];		/* runs before and after */
	enum compare_kind kind;
	size_t		 run;		/* the one that is read */
	int64_t		 begin, end;	/* ns: the run's events */
	struct compared_run runs[2 * COMPARE_RUNS];
	/* The first of each is how many ns the run took. */
	struct figure	 took[2 * COMPARE_RUNS][FIGURES];
	struct groups	 groups;	/* each has FIGURES of all runs */
	const struct groups *names;	/* by what they are grouped */
	struct result	*results;
	size_t		 nresults, ndiffer, ncompared;
} cmp;

void
compare_with(char *dir)
{
	if (cmp.n[0] == COMPARE_RUNS)
		die("-C: at most %d times", COMPARE_RUNS);
	cmp.args[cmp.n[0]++] = dir;
}

int
compare_on(void)
{
	return cmp.n[0] > 0;
}

void
compare_begin(struct reader_dir *dirs)
{
	cmp.before = which_traces(cmp.args);
	for (cmp.after = dirs; cmp.after[cmp.n[1]].name != NULL; cmp.n[1]++)
		if (cmp.n[1] == COMPARE_RUNS)
			die("-C: at most %d directories", COMPARE_RUNS);
}

static struct measured *
measured_of(struct group *g)
{
	if (g->measured == NULL)
		g->measured = xcalloc(1, sizeof(struct measured));
	return g->measured;
}

void
compare_add(struct group *g, int64_t ns, int64_t took, int64_t self)
{
	if (cmp.begin == INT64_MIN)
		cmp.begin = ns;
	cmp.end = ns;
	measure(measured_of(g), ns, took, self);
}

void
compare_sum(struct group *g, int what, double value, double parts)
{
	struct measured *m = measured_of(g);

	m->sum[what] += value;
	m->parts[what] += parts;
}

void
compare_run(enum compare_kind kind, int64_t begin, int64_t end)
{
	if (cmp.run > 0 && kind != cmp.kind)
		die("some runs have samples of the CPU, and others none: "
		    "nothing can be compared");
	cmp.kind = kind;
	cmp.begin = begin;
	cmp.end = end;
}

/* The run is over: keep its figures only. */
static void
keep_figures(const struct groups *g, size_t run)
{
	const size_t runs = cmp.n[0] + cmp.n[1];
	struct figure *f;
	struct group *same;
	size_t i;

	for (i = 0; i < g->nrows; i++) {
		if (g->rows[i]->measured == NULL)
			continue;
		same = groups_row(&cmp.groups, g->rows[i]->key,
		    g->rows[i]->len);
		if (same->measured == NULL)
			same->measured = xcalloc(runs * FIGURES, sizeof(*f));
		f = same->measured;
		measured_figures(g->rows[i]->measured,
		    (double)((uint64_t)cmp.end - (uint64_t)cmp.begin),
		    f + run * FIGURES);
	}
}

static const struct reader_dir *
run_dir(size_t run)
{
	return run < cmp.n[0] ? &cmp.before[run] :
	    &cmp.after[run - cmp.n[0]];
}

static void
read_run(struct reader *all, size_t run, struct groups *g,
    uint64_t (*read)(struct reader *))
{
	const struct reader_dir dirs[] = { *run_dir(run),
	    { NULL, NULL, { 0, 0, 0 } } };
	struct reader rd = *all;

	cmp.run = run;
	rd.ntraces = 0;
	rd.nevents = rd.ndiscarded = rd.nlost = 0;
	cmp.begin = INT64_MIN;
	progress_part(run, cmp.n[0] + cmp.n[1]);
	reader_open_all(&rd, dirs);
	if (rd.ntraces == 0) {
		ctf_damage_say();
		die("%s: no trace of this run can be read, so nothing can be "
		    "compared with it", clean(dirs[0].name));
	}
	cmp.runs[run].left = read(&rd);
	keep_figures(g, run);
	cmp.runs[run].events = rd.nevents;
	cmp.runs[run].discarded = rd.ndiscarded;
	cmp.runs[run].lost = rd.nlost;
	cmp.took[run][0].value = cmp.begin == INT64_MIN ? 0 :
	    (double)((uint64_t)cmp.end - (uint64_t)cmp.begin);
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
are_few(void)
{
	return cmp.n[0] < COMPARE_FEW || cmp.n[1] < COMPARE_FEW;
}

static double
least_factor(void)
{
	return are_few() ? LEAST_FEW : LEAST;
}

static void
add_result(size_t g, enum figure_of what, const char *change,
    const struct difference *by)
{
	if (cmp.nresults % 64 == 0)
		cmp.results = xrealloc(cmp.results,
		    (cmp.nresults + 64) * sizeof(*cmp.results));
	cmp.results[cmp.nresults++] = (struct result){ g, what, change, *by };
}

static int
differ(size_t g, enum figure_of of, struct difference *d)
{
	const struct figure *f = cmp.groups.rows[g]->measured;

	return figures_differ(f + of, cmp.n[0], f + cmp.n[0] * FIGURES + of,
	    cmp.n[1], d);
}

/* The least and the most of a figure, in the runs of a side, and the mean. */
static double
side_values(size_t g, enum figure_of of, int after, double *least,
    double *most)
{
	const struct figure *f = cmp.groups.rows[g]->measured;
	double n, sum = 0;
	size_t i;

	*least = HUGE_VAL;
	*most = 0;
	for (i = after ? cmp.n[0] : 0; i < cmp.n[0] + (after ? cmp.n[1] : 0);
	    i++) {
		n = f[i * FIGURES + of].value;
		*least = fmin(*least, n);
		*most = fmax(*most, n);
		sum += n;
	}
	return sum / (double)cmp.n[after];
}

/*
 * A longer run has more events, and one on a faster machine more in a second:
 * where few runs cannot tell that, the smaller one of both changes counts.
 * Equal numbers in all of many runs of a side are no chance, but a few runs may
 * have the same of two.  If they are equal in all runs, the rates tell how long
 * the runs took, and nothing else.
 */
static void
compare_counts(size_t g)
{
	const int many = cmp.n[0] >= EQUAL_RUNS && cmp.n[1] >= EQUAL_RUNS;
	struct difference n, rate, *d;

	if (!differ(g, FIGURE_COUNT, &n) || !differ(g, FIGURE_RATE, &rate))
		return;
	if (!are_few()) {
		n.apart = n.same && (many || n.apart) &&
		    fabs(n.after - n.before) >= LEAST_NEW;
		if (n.same)
			n.low = n.high = 0;
		rate.apart = 0;
		add_result(g, FIGURE_COUNT, NULL, &n);
		if (!n.same || n.before != n.after)
			add_result(g, FIGURE_RATE, NULL, &rate);
		return;
	}
	d = fabs(log(n.factor)) < fabs(log(rate.factor)) ? &n : &rate;
	d->p = (n.factor < 1) != (rate.factor < 1) ? 1 : fmax(n.p, rate.p);
	add_result(g, d == &n ? FIGURE_COUNT : FIGURE_RATE, NULL, d);
}

/*
 * Is a group new or gone, if a figure tells that?  Its result has another one:
 * the mean of what is shown.
 */
static int
is_new(size_t g, enum figure_of of, enum figure_of shown, double enough)
{
	struct difference d = { .p = 0 };
	double least[2], most[2], any;

	d.before = side_values(g, shown, 0, &any, &any);
	d.after = side_values(g, shown, 1, &any, &any);
	(void)side_values(g, of, 0, &least[0], &most[0]);
	(void)side_values(g, of, 1, &least[1], &most[1]);
	if (most[0] > 0 && most[1] > 0)
		return 0;
	if (fmax(most[0], most[1]) > 0 && fmax(least[0], least[1]) >= enough)
		add_result(g, shown, most[0] > 0 ? "gone" : "new", &d);
	return 1;
}

/* The least that makes a group new, if the other side has none: is_new(). */
static double
enough_sum(size_t g, enum figure_of of)
{
	const struct figure *f = cmp.groups.rows[g]->measured;
	double part = 0;
	size_t i;

	if (cmp.kind == COMPARE_HEAP && of != (enum figure_of)SUM_CALLS)
		return of == (enum figure_of)SUM_PEAK ? HUGE_VAL :
		    LEAST_BYTES;
	for (i = 0; i < cmp.n[0] + cmp.n[1]; i++, f += FIGURES)
		part = fmax(part, f[of].value * f[of].error * f[of].error);
	return LEAST_NEW * part;
}

/* Few runs that are equal may be so by chance: the error of a sum counts. */
static void
compare_sums(size_t g)
{
	const size_t n = cmp.n[0] < cmp.n[1] ? cmp.n[0] : cmp.n[1];
	struct figure *f = cmp.groups.rows[g]->measured;
	struct difference d, first = { .p = 0 };
	int i;

	for (i = 0; i < FIGURES && whats[cmp.kind][i] != NULL; i++) {
		if (is_new(g, i, i, enough_sum(g, i)))
			continue;
		figures_fill(f + i, cmp.n[0] + cmp.n[1]);
		if (!differ(g, i, &d) || (i == SUM_SELF &&
		    cmp.kind != COMPARE_HEAP && d.before == first.before &&
		    d.after == first.after))
			continue;
		d.apart = d.same && (n >= EQUAL_RUNS ||
		    (n >= ENOUGH && d.apart));
		if (d.same)
			d.low = d.high = 0;
		add_result(g, i, NULL, &d);
		if (i == SUM_TOTAL)
			first = d;
	}
}

static void
compare_group(size_t g)
{
	const int pairs = cmp.kind == COMPARE_PAIRS;
	struct difference d = { .p = 0 }, self;

	if (cmp.kind >= COMPARE_TIMES) {
		compare_sums(g);
		return;
	}
	if (is_new(g, FIGURE_COUNT, FIGURE_RATE, LEAST_NEW))
		return;
	if (pairs && differ(g, FIGURE_TIME, &d))
		add_result(g, FIGURE_TIME, NULL, &d);
	if (pairs && differ(g, FIGURE_SELF, &self) &&
	    (self.before != d.before || self.after != d.after))
		add_result(g, FIGURE_SELF, NULL, &self);
	compare_counts(g);
}

static int
by_chance(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	if ((x->change == NULL) != (y->change == NULL))
		return x->change == NULL ? 1 : -1;
	if (x->by.p != y->by.p)
		return x->by.p < y->by.p ? -1 : 1;
	return x->group != y->group ? (x->group < y->group ? -1 : 1) :
	    (int)x->what - (int)y->what;
}

static int
is_time(const struct result *r)
{
	return cmp.kind == COMPARE_TIMES ||
	    (cmp.kind == COMPARE_PAIRS && r->what < FIGURE_COUNT);
}

static const char *
change_of(const struct result *r)
{
	const int more = r->by.factor > 1;

	if (fabs(log(r->by.factor)) < log1p(least_factor()))
		return NULL;
	if (!is_time(r))
		return more ? "more" : "fewer";
	if (fabs(r->by.after - r->by.before) < LEAST_NS)
		return NULL;
	return more ? "slower" : "faster";
}

/* The method of Holm. */
static void
find_changes(void)
{
	struct result *r, *end = cmp.results + cmp.nresults;
	size_t left = 0;

	qsort(cmp.results, cmp.nresults, sizeof(*r), by_chance);
	for (r = cmp.results; r < end; r++) {
		if (r->change == NULL && r->by.apart)
			r->change = change_of(r);
		if (r->change == NULL)
			left++;
		else if (r->by.low < 1 && r->by.high > 1)
			r->by.low = r->by.high = 0;
	}
	for (r = cmp.results; r < end; r++)
		if (r->change == NULL) {
			if (r->by.p * (double)left-- >= COMPARE_ALPHA)
				break;
			r->change = change_of(r);
		}
	for (r = cmp.results; r < end; r++)
		cmp.ndiffer += r->change != NULL;
	qsort(cmp.results, cmp.nresults, sizeof(*r), by_chance);
}

/*
 * Output.
 */

static void
row_real(struct rows *t, const char *head, double v)
{
	row_text(t, head, v == 0 ? "-" : "%.*f", v < 100 ? 3 : 0, v);
}

/* A factor that is 0 is not known. */
static void
put_factor(struct rows *t, const char *head, const char *name, double v)
{
	if (v != 0)
		json_real(name, v);
	row_real(t, head, v);
}

static void
put_result(struct rows *t, const void *arg, size_t i)
{
	const struct result *r = &cmp.results[i];
	const struct group *g = cmp.groups.rows[r->group];
	const char *what = whats[cmp.kind][r->what];
	const double unit = is_time(r) && !json_on ? 1000 : 1;

	(void)arg;
	group_json(cmp.names, g);
	json_string("of", what);
	json_string("change", r->change);
	row_text(t, "change", "%s", r->change == NULL ? "-" : r->change);
	put_factor(t, "factor", "factor", r->by.factor);
	put_factor(t, "from", "low", r->by.low);
	put_factor(t, "to", "high", r->by.high);
	json_real("before", r->by.before);
	row_real(t, "before", r->by.before / unit);
	json_real("after", r->by.after);
	row_real(t, "after", r->by.after / unit);
	row_text(t, "of", "%s%s", what, is_time(r) ? " us" : "");
	group_end(t, cmp.names, g);
}

/* Losses make a run another one. */
static void
put_run(size_t i)
{
	const struct compared_run *r = &cmp.runs[i];
	const int after = i >= cmp.n[0];
	const char *dir = run_dir(i)->name;
	char *shown;

	json_object(NULL);
	json_string("side", after ? "after" : "before");
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
	    "left out: it may differ because of that", shown, r->discarded,
	    r->lost, r->left);
	free(shown);
}

static int
by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The change that half of the tests find, if there is none; 0: unknown. */
static double
found_change(void)
{
	double *v, change = 0;
	size_t i, n = 0;

	v = xcalloc(cmp.nresults + 1, sizeof(*v));
	for (i = 0; i < cmp.nresults; i++)
		if (!cmp.results[i].by.same)
			v[n++] = figures_find(&cmp.results[i].by,
			    COMPARE_ALPHA / (double)cmp.nresults) - 1;
	qsort(v, n, sizeof(*v), by_value);
	if (n > 0)
		change = fmax(v[n / 2], LEAST);
	free(v);
	return change;
}

/* Nothing was found: a difference may be there. */
static void
put_none(void)
{
	const double change = found_change();

	if (cmp.ncompared == 0) {
		printf("nothing is known\n");
		return;
	}
	if (are_few()) {
		printf("none differs by more than %.0f %%\nfewer than %d runs "
		    "of a side cannot tell smaller differences: record %d of "
		    "each side, in turn\n", 100 * LEAST_FEW, COMPARE_FEW,
		    ENOUGH);
		return;
	}
	printf("no difference found\n");
	if (change > MOST)
		printf("half of the tests would not have found even %d times "
		    "as much", MOST + 1);
	else if (change > 0)
		printf("half of the tests would have found a change of %.*f %%",
		    change < 0.1, 100 * change);
	if (change > 0)
		printf(cmp.n[0] < ENOUGH || cmp.n[1] < ENOUGH ?
		    ": record %d runs of each side, in turn\n" : "\n", ENOUGH);
}

/* How long the runs took, from their first to their last event: no test. */
static void
put_run_time(void)
{
	struct difference d;
	double mean[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < cmp.n[0] + cmp.n[1]; i++)
		mean[i >= cmp.n[0]] += cmp.took[i][0].value /
		    (double)cmp.n[i >= cmp.n[0]];
	if (mean[0] == 0 || mean[1] == 0)
		return;
	json_object("run_time");
	json_real("before", mean[0]);
	json_real("after", mean[1]);
	if (!json_on)
		printf("run time: %.6f s before, %.6f s after", mean[0] / 1e9,
		    mean[1] / 1e9);
	if (figures_differ(cmp.took[0], cmp.n[0], cmp.took[cmp.n[0]], cmp.n[1],
	    &d) && d.low > 0) {
		json_real("low", d.low);
		json_real("high", d.high);
		if (!json_on)
			printf(": from %.3f to %.3f times as long", d.low,
			    d.high);
	}
	json_end();
	if (!json_on)
		printf("\n");
}

/* Functions have other names if the program has, or if it is not there. */
static void
say_names(void)
{
	const struct result *r = cmp.results;
	const struct group *g;
	int found[2] = { 0, 0 };

	for (; r < cmp.results + cmp.nresults; r++) {
		g = cmp.groups.rows[r->group];
		if (r->by.factor == 0 && (strstr(g->key, " (") != NULL ||
		    strstr(g->key, "+0x") != NULL))
			found[r->change[0] == 'n'] = 1;
	}
	if (found[0] && found[1])
		say("functions that are gone and new may be the same: name the "
		    "program equally in both runs, and keep both programs "
		    "where they were recorded");
}

static void
put_all(const struct reader *rd, int all)
{
	struct rows t = { .fixed = NULL };
	size_t i;

	show_totals(rd);
	say_names();
	json_array("runs");
	for (i = 0; i < cmp.n[0] + cmp.n[1]; i++)
		put_run(i);
	json_end();
	json_u64("groups", cmp.groups.nrows);
	json_u64("compared", cmp.ncompared);
	json_real("least", least_factor());
	put_run_time();
	if (!json_on) {
		printf("%zu run%s before, %zu after: differences below %.0f %% "
		    "are not shown\n%zu of %zu", cmp.n[0], many(cmp.n[0]),
		    cmp.n[1], 100 * least_factor(), cmp.ncompared,
		    cmp.groups.nrows);
		printf(" group%s compared: ", many(cmp.groups.nrows));
		if (cmp.ndiffer == 0)
			put_none();
		else
			printf("%zu difference%s\n\n", cmp.ndiffer,
			    many(cmp.ndiffer));
	}
	rows_put(&t, "differences", all ? cmp.nresults : cmp.ndiffer,
	    put_result, NULL);
	json_end();
}

/* Results of a group begin with that one.  Times of 0 ns are not compared. */
static int
is_compared(size_t first)
{
	const struct result *r = &cmp.results[first];

	return first < cmp.nresults && (cmp.kind != COMPARE_PAIRS ||
	    r->what == FIGURE_TIME || r->change != NULL);
}

void
compare_runs(struct reader *rd, struct groups *g, enum compare_kind kind,
    int all, uint64_t (*read)(struct reader *))
{
	size_t i, n;

	cmp.kind = kind;
	for (i = 0; i < cmp.n[0] + cmp.n[1]; i++)
		read_run(rd, i, g, read);
	cmp.names = g;
	groups_sort(&cmp.groups, NULL);
	for (i = 0; i < cmp.groups.nrows; i++) {
		n = cmp.nresults;
		compare_group(i);
		cmp.ncompared += is_compared(n);
	}
	if (cmp.nresults > 0)
		find_changes();
	if (show_any(rd))
		put_all(rd, all);
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
