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
 * The statistics of runs that are compared.
 *
 * Calls that follow one another are alike: caches, neighbours and the
 * processor's frequency are the same.  So calls are not samples; blocks of
 * them are, and where there are several runs, the runs.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define BLOCKS_FEW	6		/* fewer do not tell their spread */
#define CLOCK		10		/* ns: times are not more exact */
#define TERMS		10000		/* the longest series */
#define PI		3.14159265358979323846

static int
by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static void
block_add(struct blocks *b, double v)
{
	size_t i;

	if (b->each == 0)
		b->each = 1;
	b->sum += v;
	if (++b->some < b->each)
		return;
	b->mean[b->n++] = b->sum / (double)b->each;
	b->sum = 0;
	b->some = 0;
	if (b->n < BLOCKS)
		return;
	b->n /= 2;
	b->each *= 2;
	for (i = 0; i < b->n; i++)
		b->mean[i] = (b->mean[2 * i] + b->mean[2 * i + 1]) / 2;
}

void
measure(struct measured *m, int64_t ns, int64_t took, int64_t self)
{
	const size_t i = m->n++ % NEAR;

	if (m->n == 1)
		m->since = ns;
	m->took[i] = (double)took;
	m->self[i] = (double)self;
	if (i < NEAR - 1)
		return;
	block_add(&m->took_medians, median(m->took, NEAR));
	block_add(&m->self_medians, median(m->self, NEAR));
	block_add(&m->gaps, (double)((uint64_t)ns - (uint64_t)m->since));
	m->since = ns;
}

/* Standard deviation and mean. */
static double
deviation(const double *v, size_t n, double *mean)
{
	double sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	*mean = sum / (double)n;
	for (i = 0; i < n; i++)
		squares += (v[i] - *mean) * (v[i] - *mean);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* How much blocks differ; if they are too few to tell, as little as can be. */
static struct figure
figure(double value, struct blocks *b, double least)
{
	struct figure f = { value, least, 0 };
	double mean, s;

	if (b->n < BLOCKS_FEW)
		return f;
	s = deviation(b->mean, b->n, &mean);
	if (mean > 0) {
		f.spread = hypot(least, s / mean);
		f.nblocks = b->n;
	}
	return f;
}

static struct figure
time_figure(struct blocks *b, double *near, uint64_t n)
{
	const double v = b->n > 0 ? median(b->mean, b->n) :
	    median(near, n < NEAR ? n : NEAR);

	return figure(v, b, v > 0 ? CLOCK / v : 0);
}

void
measured_figures(struct measured *m, double ns, struct figure *f)
{
	const double n = (double)m->n;

	f[FIGURE_TIME] = time_figure(&m->took_medians, m->took, m->n);
	f[FIGURE_SELF] = time_figure(&m->self_medians, m->self, m->n);
	f[FIGURE_COUNT] = figure(n, &m->gaps, 1 / sqrt(n));
	if (m->gaps.n > 1)
		f[FIGURE_COUNT].spread /= sqrt((double)m->gaps.n);
	f[FIGURE_RATE] = f[FIGURE_COUNT];
	f[FIGURE_RATE].value = ns > 0 ? n * 1e9 / ns : 0;
}

/*
 * The probability that Student's t is so far from 0: the incomplete beta
 * function, as the series of powers of w, whose terms are all positive.
 */
static double
student(double t, double df)
{
	const double w = df / (df + t * t), half = df / 2;
	double term = pow(w, half), sum = 0, k = 0;

	for (; k < TERMS && term > sum * 1e-12; k++) {
		sum += term / (half + k);
		term *= w * (2 * k + 1) / (2 * k + 2);
	}
	sum *= exp(lgamma(half + 0.5) - lgamma(half)) / sqrt(PI);
	return sum < 1 ? sum : 1;
}

/* The t that is exceeded with that probability. */
static double
student_limit(double p, double df)
{
	double low = 0, high = 1e6, mid;
	int i;

	for (i = 0; i < 60; i++) {
		mid = (low + high) / 2;
		if (student(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* The logarithms of one side: their mean, its variance, degrees of freedom. */
struct side {
	double	 mean, variance, df;
};

/*
 * Runs differ at least as much as the blocks of a run: where they do not seem
 * to, it is by chance, or there are too few to tell.
 */
static int
side(struct side *s, const struct figure *f, size_t n, int few)
{
	double x[COMPARE_RUNS] = { 0 }, between, within = 0;
	size_t i, nblocks = SIZE_MAX;

	for (i = 0; i < n; i++, f += FIGURES) {
		if (f->value <= 0)
			return 0;
		x[i] = log(f->value);
		within += f->spread * f->spread / (double)n;
		nblocks = f->nblocks < nblocks ? f->nblocks : nblocks;
	}
	if (few && nblocks == 0)
		return 0;
	between = deviation(x, n, &s->mean);
	s->variance = fmax(between * between, within);
	s->df = (double)(few ? nblocks : n) - 1;
	if (!few)
		s->variance /= (double)n;
	return 1;
}

int
figures_differ(const struct figure *a, size_t na, const struct figure *b,
    size_t nb, struct difference *d)
{
	const int few = na < COMPARE_FEW || nb < COMPARE_FEW;
	struct side before, after;
	double by, error, df, limit;

	if (!side(&before, a, na, few) || !side(&after, b, nb, few))
		return 0;
	by = after.mean - before.mean;
	error = before.variance + after.variance;
	df = error * error / (before.variance * before.variance / before.df +
	    after.variance * after.variance / after.df);
	error = sqrt(error);
	limit = error * student_limit(COMPARE_ALPHA, df);
	d->p = student(by / error, df);
	d->before = exp(before.mean);
	d->after = exp(after.mean);
	d->factor = exp(by);
	d->low = exp(by - limit);
	d->high = exp(by + limit);
	return 1;
}
