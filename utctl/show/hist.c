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
 * How values are distributed.  A value is known by its sign, its exponent and
 * the first seven bits behind the point: so values that differ by less than
 * 0.8 % share a cell, integers up to 256 do not, and memory does not grow with
 * their number.
 */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "hist.h"

#define SHIFT	45			/* 52 bits less seven */

struct hist_cell {
	int64_t		 key : 19;	/* in the order of values */
	uint64_t	 n : 45;	/* 0: empty */
};

/* A cell has its least value, and not that of the next one. */
static int32_t
key_of(double v)
{
	const double size = fabs(v);
	uint64_t bits;

	memcpy(&bits, &size, sizeof(bits));
	return v >= 0 ? (int32_t)(bits >> SHIFT) :
	    -(int32_t)((bits + ((uint64_t)1 << SHIFT) - 1) >> SHIFT);
}

/* The least of a cell. */
static double
bound(int32_t key)
{
	const uint64_t bits = (uint64_t)(key < 0 ? -(int64_t)key : key) <<
	    SHIFT;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return key >= 0 ? v : isfinite(v) ? -v : -DBL_MAX;
}

const struct hist_shown hist_quantiles[HIST_QUANTILES] = {
	{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 }
};

static struct hist_cell *
cell(const struct hist *h, int32_t key)
{
	size_t i = ((uint32_t)key * 2654435761u) & (h->cap - 1);

	while (h->cells[i].n != 0 && h->cells[i].key != key)
		i = (i + 1) & (h->cap - 1);
	return &h->cells[i];
}

static void
grow(struct hist *h)
{
	struct hist old = *h;
	size_t i;

	h->cap = old.cap == 0 ? 4 : 2 * old.cap;
	h->cells = xcalloc(h->cap, sizeof(*h->cells));
	for (i = 0; i < old.cap; i++)
		if (old.cells[i].n != 0)
			*cell(h, old.cells[i].key) = old.cells[i];
	free(old.cells);
}

/* Note what rounding takes away: sums do not depend on the order of values. */
static void
sum_add(struct hist *h, double v)
{
	volatile double sum = h->sum + v;	/* rounded, also by x87 */

	h->rest += fabs(h->sum) < fabs(v) ? (v - sum) + h->sum :
	    (h->sum - sum) + v;
	h->sum = sum;
}

static void
cell_add(struct hist *h, int32_t key, uint64_t n)
{
	struct hist_cell *c;

	if (4 * h->used >= 3 * h->cap)
		grow(h);
	c = cell(h, key);
	if (c->n == 0) {
		c->key = key;
		h->used++;
	}
	c->n += n;
}

static void
bounds_add(struct hist *h, double min, double max)
{
	if (h->n == 0 || min < h->min)
		h->min = min;
	if (h->n == 0 || max > h->max)
		h->max = max;
}

void
hist_add(struct hist *h, double v)
{
	if (!isfinite(v))
		return;
	bounds_add(h, v, v);
	h->n++;
	sum_add(h, v);
	cell_add(h, key_of(v), 1);
}

size_t
hist_bytes(const struct hist *h)
{
	return h->cap * sizeof(*h->cells);
}

void
hist_merge(struct hist *h, const struct hist *other, const void *cells)
{
	struct hist_cell c;
	size_t i;

	if (other->n == 0)
		return;
	bounds_add(h, other->min, other->max);
	h->n += other->n;
	sum_add(h, other->sum);
	h->rest += other->rest;
	for (i = 0; i < other->cap; i++) {
		memcpy(&c, (const char *)cells + i * sizeof(c), sizeof(c));
		if (c.n != 0)
			cell_add(h, c.key, c.n);
	}
}

double
hist_mean(const struct hist *h)
{
	return (isfinite(h->rest) ? h->sum + h->rest : h->sum) / (double)h->n;
}

static int
by_key(const void *a, const void *b)
{
	const struct hist_cell *x = a, *y = b;

	if ((x->n == 0) != (y->n == 0))
		return x->n == 0 ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Nothing can be added any more. */
static void
sort(struct hist *h)
{
	if (!h->sorted && h->cap > 0)
		qsort(h->cells, h->cap, sizeof(*h->cells), by_key);
	h->sorted = 1;
}

double
hist_quantile(struct hist *h, unsigned int of_1000)
{
	uint64_t rank = (h->n * of_1000 + 999) / 1000, n = 0;
	double v;
	size_t i;

	sort(h);
	for (i = 0; i < h->used; i++)
		if ((n += h->cells[i].n) >= rank)
			break;
	if (i >= h->used)
		return h->max;
	v = bound(h->cells[i].key);
	/* The middle of the cell, but of small integers these themselves. */
	if (v >= 256 || v < -256 || v != (double)(int64_t)v)
		v += (bound(h->cells[i].key + 1) - v) / 2;
	return v < h->min ? h->min : v > h->max ? h->max : v;
}

uint64_t
hist_between(const struct hist *h, double from, double to)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < h->cap; i++)
		if (h->cells[i].n != 0 && bound(h->cells[i].key) >= from &&
		    bound(h->cells[i].key) < to)
			n += h->cells[i].n;
	return n;
}

void
hist_free(struct hist *h)
{
	free(h->cells);
}
