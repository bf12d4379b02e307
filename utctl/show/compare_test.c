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
#define QUARTILES	1.349		/* from one to the other: normal */
#define TERMS		10000		/* the longest series */
#define APART		4.5
#define APART_LEAST	0.1
#define LIMITS_MOST	100		/* wider limits say nothing */
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
block_add(struct means *b, double v)
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

/*
 * How much blocks differ; if they are too few to tell, as little as can be.
 * Half of the blocks tell of times, as interrupts make some a lot longer.
 */
static struct figure
figure(double value, struct means *b, double least, int times)
{
	struct figure f = { value, least, least, 0 };
	double mean, s;

	if (b->n < BLOCKS_FEW)
		return f;
	s = deviation(b->mean, b->n, &mean);
	if (times) {
		mean = median(b->mean, b->n);
		s = (b->mean[b->n - 1 - b->n / 4] - b->mean[b->n / 4]) /
		    QUARTILES;
	}
	if (mean > 0) {
		f.spread = hypot(least, s / mean);
		f.error = hypot(least, s / mean / sqrt((double)b->n));
		f.nblocks = b->n;
	}
	return f;
}

static struct figure
time_figure(struct means *b, double *near, uint64_t n)
{
	const double v = b->n > 0 ? median(b->mean, b->n) :
	    median(near, n < NEAR ? n : NEAR);

	return figure(v, b, v > 0 ? CLOCK / v : 0, 1);
}

/* A sum is as uncertain as the number of its parts is, if these are random. */
static struct figure
sum_figure(double value, double parts)
{
	const double error = value > 0 ? 1 / sqrt(parts) : 0;

	return (struct figure){ value, error, error,
	    parts < NEAR * BLOCKS_FEW ? 0 : BLOCKS };
}

void
measured_figures(struct measured *m, double ns, struct figure *f)
{
	const double n = (double)m->n;
	size_t i;

	for (i = 0; m->n == 0 && i < FIGURES; i++)
		f[i] = sum_figure(m->sum[i], m->parts[i]);
	if (m->n == 0)
		return;
	f[FIGURE_TIME] = time_figure(&m->took_medians, m->took, m->n);
	f[FIGURE_SELF] = time_figure(&m->self_medians, m->self, m->n);
	f[FIGURE_COUNT] = figure(n, &m->gaps, 1 / sqrt(n), 0);
	if (m->gaps.n > 1)
		f[FIGURE_COUNT].spread /= sqrt((double)m->gaps.n);
	f[FIGURE_RATE] = f[FIGURE_COUNT];
	f[FIGURE_COUNT].error = 1 / sqrt(n);
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

/* The logarithms of one side, in order. */
struct side {
	double	 x[COMPARE_RUNS], mean;
	double	 between, within;	/* variances of runs and of blocks */
	double	 error;			/* variance of a run, at least */
	double	 df;			/* degrees of freedom of blocks */
};

static int
side(struct side *s, const struct figure *f, size_t n, int few)
{
	size_t i, nblocks = SIZE_MAX;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < n; i++, f += FIGURES) {
		if (f->value <= 0)
			return 0;
		s->x[i] = log(f->value);
		s->within += f->spread * f->spread / (double)n;
		s->error += f->error * f->error / (double)n;
		nblocks = f->nblocks < nblocks ? f->nblocks : nblocks;
	}
	if (few && nblocks == 0)
		return 0;
	s->between = deviation(s->x, n, &s->mean);
	s->between *= s->between;
	s->df = (double)nblocks - 1;
	qsort(s->x, n, sizeof(*s->x), by_value);
	return 1;
}

/* Blocks do not tell how runs differ: a run is as uncertain as a block. */
static void
compare_blocks(const struct side *a, const struct side *b,
    struct difference *d)
{
	const double va = fmax(a->between, a->within),
	    vb = fmax(b->between, b->within), v = va + vb;

	d->error = sqrt(v);
	d->df = v * v / (va * va / a->df + vb * vb / b->df);
}

/*
 * Runs of both sides differ equally, if the change changes nothing, so all of
 * them tell by how much.
 */
static void
compare_sides(const struct side *a, size_t na, const struct side *b, size_t nb,
    struct difference *d)
{
	const double m = (double)na, n = (double)nb;
	double v;

	d->df = m + n - 2;
	v = ((m - 1) * a->between + (n - 1) * b->between) / d->df;
	v = fmax(v, (m * a->error + n * b->error) / (m + n));
	d->error = sqrt(fmax(v * (1 / m + 1 / n), a->between / m +
	    b->between / n));
}

/*
 * Is each run of a above each of b, but for a fifth of the runs, by so much
 * that it is not by chance?  The fewer runs, the more is needed.
 */
static int
is_above(const struct side *a, size_t na, const struct side *b, size_t nb)
{
	const double n = (double)(na < nb ? na : nb);

	return a->x[na / 5] - b->x[nb - 1 - nb / 5] >
	    log(1 + fmax(APART_LEAST, APART / (n * n)));
}

int
figures_differ(const struct figure *a, size_t na, const struct figure *b,
    size_t nb, struct difference *d)
{
	const int few = na < COMPARE_FEW || nb < COMPARE_FEW;
	struct side before, after;
	double by, limit;

	if (!side(&before, a, na, few) || !side(&after, b, nb, few))
		return 0;
	memset(d, 0, sizeof(*d));
	by = after.mean - before.mean;
	if (few)
		compare_blocks(&before, &after, d);
	else {
		compare_sides(&before, na, &after, nb, d);
		d->apart = is_above(&before, na, &after, nb) ||
		    is_above(&after, nb, &before, na);
	}
	limit = d->error * student_limit(COMPARE_ALPHA, d->df);
	d->p = student(by / d->error, d->df);
	d->before = exp(before.mean);
	d->after = exp(after.mean);
	d->factor = exp(by);
	if (limit < log(LIMITS_MOST)) {
		d->low = exp(by - limit);
		d->high = exp(by + limit);
	}
	d->same = !few && before.x[0] == before.x[na - 1] &&
	    after.x[0] == after.x[nb - 1];
	return 1;
}

void
figures_fill(struct figure *f, size_t n)
{
	struct figure half = { HUGE_VAL, sqrt(2), sqrt(2), 0 };
	size_t i;

	for (i = 0; i < n; i++)
		if (f[i * FIGURES].value > 0)
			half.value = fmin(half.value, f[i * FIGURES].value *
			    f[i * FIGURES].error * f[i * FIGURES].error / 2);
	for (i = 0; i < n; i++)
		if (f[i * FIGURES].value <= 0)
			f[i * FIGURES] = half;
}

double
figures_find(const struct difference *d, double p)
{
	return exp(d->error * student_limit(p, d->df));
}
