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
 * Events in each interval of time: see intervals.h.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ctf/select.h"
#include "../say.h"
#include "../when.h"
#include "intervals.h"

#define NS	1e9
#define US	1e3			/* ns */
#define MS	1000000			/* ns */
#define SPARKS	60			/* columns */

void
intervals_length(struct intervals *iv, const char *s)
{
	if (when_length(s, &iv->length) == -1 || iv->length == 0)
		die("-i '%s': not a time such as 100ms, 1s or 1m", s);
}

static void	too_many(const struct intervals *) __attribute__((noreturn));

static void
too_many(const struct intervals *iv)
{
	die("-i: the trace has more than %d intervals of %g s: choose longer "
	    "ones, or a part with -b and -u", INTERVALS_MOST,
	    (double)iv->length / NS);
}

/* Processes that read later parts of the traces have the same intervals. */
void
intervals_begin(struct intervals *iv, struct reader *rd)
{
	int64_t last = 0;

	iv->begin = 0;
	iv->end = INT64_MAX;
	if (!reader_span(rd, &iv->begin, &last))
		return;
	iv->origin = iv->begin;
	iv->early = iv->late = 1;
	if (rd->select != NULL) {
		reader_times(rd);
		iv->early = rd->select->from < iv->begin;
		iv->late = rd->select->to > last;
		if (rd->select->from > iv->begin)
			iv->begin = rd->select->from;
		if (rd->select->to < last)
			last = rd->select->to;
	}
	if (last >= iv->begin && ((uint64_t)last - (uint64_t)iv->begin) /
	    (uint64_t)iv->length >= INTERVALS_MOST)
		too_many(iv);
	iv->end = last;
}

size_t
intervals_index(const struct intervals *iv, int64_t ns)
{
	uint64_t i = 0;

	if (ns > iv->begin)
		i = ((uint64_t)ns - (uint64_t)iv->begin) /
		    (uint64_t)iv->length;
	if (i >= INTERVALS_MOST)
		too_many(iv);
	return (size_t)i;
}

int64_t
intervals_from(const struct intervals *iv, size_t i)
{
	return (int64_t)((uint64_t)iv->begin + i * (uint64_t)iv->length);
}

void
intervals_end(const struct rows *t, const struct intervals *iv, size_t i,
    const char *rest)
{
	const uint64_t after = (uint64_t)intervals_from(iv, i) -
	    (uint64_t)iv->origin;
	char when[CTF_TIMELEN];

	if (!row_tail(t))
		return;
	if (t->isheads) {
		ctf_print_time(iv->origin, when);
		row_add("  from, s after %s\n", when);
	} else
		row_add("  %+.*f%s\n", after % MS == 0 ? 3 : 9,
		    (double)after / NS, rest);
}

/* One more is there than there are intervals: for losses that end before it. */
struct interval *
intervals_at(struct intervals *iv, size_t i)
{
	iv->v = xgrow(iv->v, i + 1, &iv->n, sizeof(*iv->v));
	return &iv->v[i];
}

void
intervals_add(struct intervals *iv, int64_t ns, const double *value)
{
	struct interval *v = intervals_at(iv, intervals_index(iv, ns));

	v->n++;
	if (value != NULL)
		hist_add(&v->values, *value);
}

/*
 * The first interval has what was lost before the first event, unless -b begins
 * there, and the last one what was lost after the last packet of a stream with
 * events.
 */
static int64_t
clamp(const struct intervals *iv, int64_t ns)
{
	return iv->early && ns < iv->begin ? iv->begin :
	    iv->late && ns > iv->end ? iv->end : ns;
}

/*
 * A loss in one interval is of that one.  A longer one is of any of several, or
 * of a time that is not shown: each interval may have lost as much.
 */
void
intervals_lose(struct intervals *iv, const struct ctf_stream *s)
{
	int64_t to = ctf_lost_until(s), from = s->item == ITEM_DISCARDED ?
	    s->from : s->item == ITEM_LOST ? s->lostfrom : s->gonefrom;
	const uint64_t n = s->item == ITEM_DISCARDED ? s->ndiscarded : 0;
	size_t first, last;
	int within;

	if (s->item != ITEM_GONE) {
		from = clamp(iv, from);
		to = clamp(iv, to);
	}
	within = from >= iv->begin && from <= to && to <= iv->end;
	if (to < iv->begin || from > iv->end)
		return;
	to = to > iv->end ? iv->end : to;
	last = intervals_index(iv, to);
	first = from > to ? last : intervals_index(iv, from);
	if (n > 0 && within && first == last) {
		intervals_at(iv, first)->lost += n;
		return;
	}
	(void)intervals_at(iv, last);
	iv->v[first].perhaps += n;
	iv->v[last + 1].perhaps -= n;
	iv->v[first].unknown += n == 0;
	iv->v[last + 1].unknown -= n == 0;
}

/* Each interval gets the sum of what begins in those before and has no end. */
static void
sum_up(struct intervals *iv, size_t *first, size_t *last)
{
	struct interval *v;
	size_t i;

	*first = SIZE_MAX;
	*last = 0;
	for (i = 0; i < iv->n; i++) {
		v = &iv->v[i];
		if (i > 0) {
			v->perhaps += v[-1].perhaps;
			v->unknown += v[-1].unknown;
		}
		if (!interval_any(v))
			continue;
		*last = i + 1;
		if (*first == SIZE_MAX)
			*first = i;
	}
}

static void
put_lost(struct rows *t, const struct interval *v)
{
	json_u64("lost", v->lost);
	json_u64("perhaps_lost", v->perhaps);
	json_bool("more_lost", v->unknown != 0);
	if (v->perhaps == 0)
		row_text(t, "lost", "%" PRIu64 "%s", v->lost,
		    v->unknown != 0 ? "+" : "");
	else
		row_text(t, "lost", "%" PRIu64 "-%" PRIu64 "%s", v->lost,
		    v->lost + v->perhaps, v->unknown != 0 ? "+" : "");
}

/* An interval without values has NAN instead. */
static void
put_value(struct rows *t, const char *name, double v, int isns)
{
	char head[8];

	snprintf(head, sizeof(head), "%s%s", name, isns ? " us" : "");
	if (isnan(v)) {
		row_text(t, head, "-");
		return;
	}
	json_real(name, v);
	if (isns)
		row_text(t, head, "%.3f", v / US);
	else
		row_text(t, head, "%.*g", row_digits(v), v);
}

static void
put_values(struct rows *t, struct hist *h, int isns)
{
	put_value(t, "p50", h->n == 0 ? NAN : hist_quantile(h, 500), isns);
	put_value(t, "p99", h->n == 0 ? NAN : hist_quantile(h, 990), isns);
	put_value(t, "max", h->n == 0 ? NAN : h->max, isns);
}

static void
put_interval(struct rows *t, const void *arg, size_t i)
{
	const struct intervals *iv = arg;
	struct interval *v = &iv->v[iv->first + i];

	json_ns("from", intervals_from(iv, iv->first + i));
	row_u64(t, iv->what, iv->what, v->n);
	row_text(t, "per second", "%.0f", (double)v->n * NS /
	    (double)iv->length);
	if (iv->values != INTERVALS_NONE)
		put_values(t, &v->values, iv->values == INTERVALS_NS);
	put_lost(t, v);
	intervals_end(t, iv, iv->first + i, "");
}

/* How often something came, from the beginning to the end, in characters. */
static void
put_sparks(const struct intervals *iv, size_t n)
{
	static const char *const utf8[] = { " ", "\xe2\x96\x81",
	    "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87",
	    "\xe2\x96\x88" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*",
	    "%", "#" };
	const char *const *sparks = is_utf8() ? utf8 : ascii;
	const size_t columns = n < SPARKS ? n : SPARKS;
	double mean[SPARKS] = { 0 }, most = 0;
	size_t i, k;

	for (i = 0; i < columns; i++) {
		for (k = i * n / columns; k < (i + 1) * n / columns; k++)
			mean[i] += (double)iv->v[iv->first + k].n;
		mean[i] /= (double)(k - i * n / columns);
		most = mean[i] > most ? mean[i] : most;
	}
	printf("%s: |", iv->what);
	for (i = 0; i < columns; i++)
		fputs(sparks[mean[i] > 0 ? 1 + (int)(7 * mean[i] / most) : 0],
		    stdout);
	printf("|\n\n");
}

void
intervals_put(struct intervals *iv)
{
	struct rows t = { .fixed = NULL };
	size_t last, n;

	sum_up(iv, &iv->first, &last);
	n = last > iv->first ? last - iv->first : 0;
	json_ns("interval_ns", iv->length);
	if (!json_on && n > 0)
		put_sparks(iv, n);
	rows_put(&t, "intervals", n, put_interval, iv);
}

void
intervals_free(struct intervals *iv)
{
	size_t i;

	for (i = 0; i < iv->n; i++)
		hist_free(&iv->v[i].values);
	free(iv->v);
}
