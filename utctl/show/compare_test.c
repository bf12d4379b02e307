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

#define BLOCKS_FEW	6		/* with fewer, their spread is unknown */
#define CLOCK		10		/* ns: times are not more exact */
#define TERMS		10000		/* of a series */
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
	return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void
block_add(struct medians *m, double v)
{
	size_t i;

	m->sum += v;
	if (++m->n < m->each)
		return;
	m->block[m->nblocks++] = m->sum / (double)m->each;
	m->sum = 0;
	m->n = 0;
	if (m->nblocks < BLOCKS)
		return;
	m->nblocks /= 2;
	m->each *= 2;
	for (i = 0; i < m->nblocks; i++)
		m->block[i] = (m->block[2 * i] + m->block[2 * i + 1]) / 2;
}

void
medians_add(struct medians *m, double v)
{
	if (m->each == 0)
		m->each = 1;
	m->near[m->nnear++] = v;
	if (m->nnear < BLOCK_NEAR)
		return;
	block_add(m, median(m->near, m->nnear));
	m->nnear = 0;
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

/* The blocks' deviation, relative to their mean, if there are enough. */
static void
spread(struct figure *f, const double *v, size_t n)
{
	double mean, s;

	if (n < BLOCKS_FEW)
		return;
	s = deviation(v, n, &mean);
	if (mean <= 0)
		return;
	f->spread = hypot(f->spread, s / mean);
	f->nblocks = n;
}

struct figure
medians_figure(struct medians *m)
{
	struct figure f = { 0, 0, 0 };

	if (m->nblocks > 0)
		f.value = median(m->block, m->nblocks);
	else if (m->nnear > 0)
		f.value = median(m->near, m->nnear);
	if (f.value > 0)
		f.spread = CLOCK / f.value;
	spread(&f, m->block, m->nblocks);
	return f;
}

static void
counts_double(struct counts *c)
{
	size_t i;

	for (i = 0; i < BLOCKS; i++)
		c->n[i] = i < BLOCKS / 2 ? c->n[2 * i] + c->n[2 * i + 1] : 0;
	c->width *= 2;
}

void
counts_add(struct counts *c, int64_t at)
{
	if (c->width == 0)
		c->width = 1000;
	while (at / c->width >= BLOCKS)
		counts_double(c);
	c->n[at < 0 ? 0 : at / c->width]++;
	c->sum++;
}

struct figure
counts_rate(struct counts *c, int64_t ns)
{
	struct figure f = { 0, 0, 0 };
	double v[BLOCKS];
	size_t i;

	if (ns <= 0 || c->width == 0)
		return f;
	while (ns / c->width >= BLOCKS)
		counts_double(c);
	for (i = 0; i < (size_t)(ns / c->width); i++)
		v[i] = (double)c->n[i];
	f.value = (double)c->sum * 1e9 / (double)ns;
	f.spread = 1 / sqrt((double)c->sum);
	spread(&f, v, i);
	return f;
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
	s->variance = between * between;
	s->df = (double)n - 1;
	if (within > s->variance || n == 1) {
		s->variance = within;
		if (nblocks > 0)
			s->df = (double)(n * (nblocks - 1));
	}
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
