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
 * The labels of enumerations.  Their values may be ranges that overlap: then
 * the label that comes first counts.  So that a value is found soon among any
 * number of labels, they become ranges that do not overlap, in order.
 */

#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "../ctf.h"

/* Values become unsigned ones of the same order, also signed values. */
static uint64_t
in_order(const struct ctf_type *t, uint64_t v)
{
	return t->sign ? v ^ (uint64_t)1 << 63 : v;
}

static struct ctf_range *
range_add(struct ctf_range *to, uint64_t lo, uint64_t hi,
    const struct ctf_label *label)
{
	to->lo = lo;
	to->hi = hi;
	to->label = label;
	return to + 1;
}

/* Take all of a, and of b what a lacks; return where the result ends. */
static struct ctf_range *
ranges_merge(const struct ctf_range *a, const struct ctf_range *aend,
    const struct ctf_range *b, const struct ctf_range *bend,
    struct ctf_range *to)
{
	uint64_t lo;

	for (; b < bend; b++) {
		for (lo = b->lo; a < aend && a->hi < b->hi; a++) {
			if (a->hi >= lo && a->lo > lo)
				to = range_add(to, lo, a->lo - 1, b->label);
			if (a->hi >= lo)
				lo = a->hi + 1;
			*to++ = *a;
		}
		if (a == aend || a->lo > b->hi)
			to = range_add(to, lo, b->hi, b->label);
		else if (a->lo > lo)
			to = range_add(to, lo, a->lo - 1, b->label);
	}
	while (a < aend)
		*to++ = *a++;
	return to;
}

/*
 * Make the ranges of n labels, and return where they end.  Both places have
 * room for twice as many.
 */
static struct ctf_range *
sorted(const struct ctf_type *t, const struct ctf_label *l, size_t n,
    struct ctf_range *to, struct ctf_range *tmp)
{
	const size_t half = n / 2;
	const struct ctf_range *a, *b;
	uint64_t lo, hi;

	if (n == 1) {
		lo = in_order(t, l->lo);
		hi = in_order(t, l->hi);
		return lo <= hi ? range_add(to, lo, hi, l) : to;
	}
	a = sorted(t, l, half, tmp, to);
	b = sorted(t, l + half, n - half, tmp + 2 * half, to + 2 * half);
	return ranges_merge(tmp, a, tmp + 2 * half, b, to);
}

/* Make a type's ranges, after all its labels are known. */
void
ctf_label_sort(struct ctf_trace *tr, struct ctf_type *t)
{
	struct ctf_range *to, *tmp;

	if (t->nlabels == 0)
		return;
	if ((to = calloc(t->nlabels, 2 * sizeof(*to))) == NULL ||
	    (tmp = calloc(t->nlabels, 2 * sizeof(*tmp))) == NULL)
		die_errno("malloc");
	t->nranges = (size_t)(sorted(t, t->labels, t->nlabels, to, tmp) - to);
	t->ranges = ctf_alloc(tr, t->nranges * sizeof(*to));
	if (t->nranges > 0)
		memcpy(t->ranges, to, t->nranges * sizeof(*to));
	free(to);
	free(tmp);
}

/* The label of that value; NULL: it has none. */
const struct ctf_label *
ctf_label(const struct ctf_type *t, uint64_t value)
{
	const uint64_t v = in_order(t, value);
	size_t lo = 0, hi = t->nranges, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v < t->ranges[mid].lo)
			hi = mid;
		else if (v > t->ranges[mid].hi)
			lo = mid + 1;
		else
			return t->ranges[mid].label;
	}
	return NULL;
}
