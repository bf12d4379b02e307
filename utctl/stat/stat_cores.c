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
 * utctl stat on several cores: each process counts the events of a time of its
 * own, and gives its sums to the first one, which adds them in the order of
 * time.  Both are the same program, so structs go as they are.
 */

#include <stdlib.h>
#include <string.h>

#include "../ctf/cores.h"
#include "../say.h"
#include "stat.h"

enum kind { RUN, CLOCK, ROW, INTERVAL };

struct numbered {
	size_t		 i;
	struct interval	 interval;
};

/* An object that is given: behind a clock is its name, behind a row its key. */
union given {
	struct stat_run		 run;
	struct clock_seen	 clock;
	struct group		 row;
	struct numbered		 numbered;
};

/* Give an object, and what is behind it. */
static void
give(enum kind kind, const void *object, size_t size, const void *name,
    size_t len, const struct hist *h)
{
	const size_t cells = h == NULL ? 0 : hist_bytes(h);
	char *buf = malloc(sizeof(kind) + size + len + cells), *p = buf;

	if (buf == NULL)
		die_errno("malloc");
	memcpy(p, &kind, sizeof(kind));
	p += sizeof(kind);
	memcpy(p, object, size);
	p += size;
	if (len > 0)
		memcpy(p, name, len);
	p += len;
	if (cells > 0)
		memcpy(p, h->cells, cells);
	cores_give(buf, (size_t)(p - buf) + cells);
	free(buf);
}

void
stat_give(void *arg)
{
	struct stat_run *r = arg;
	const struct clock_seen *clock;
	const struct group *row;
	struct numbered one;
	size_t i;

	r->any = r->groups.places.n != 0;
	give(RUN, r, sizeof(*r), NULL, 0, NULL);
	for (i = 0; i < r->clocks.n; i++) {
		clock = &r->clocks.seen[i];
		give(CLOCK, clock, sizeof(*clock), clock->name,
		    strlen(clock->name) + 1, NULL);
	}
	for (i = 0; i < r->groups.cap; i++)
		if ((row = r->groups.rows[i]) != NULL)
			give(ROW, row, sizeof(*row), row->key, row->len,
			    &row->values);
	memset(&one, 0, sizeof(one));
	for (i = 0; i < r->intervals.n; i++) {
		one.i = i;
		one.interval = r->intervals.v[i];
		if (interval_any(&one.interval))
			give(INTERVAL, &one, sizeof(one), NULL, 0,
			    &one.interval.values);
	}
}

static void
take_run(struct stat_run *r, const struct stat_run *other)
{
	size_t i;

	for (i = 0; i <= GROUP_BY; i++)
		r->groups.found[i] |= other->groups.found[i];
	r->value_isnumber |= other->value_isnumber;
	r->any |= other->any;
	if (other->n == 0)
		return;
	if (r->n == 0)
		r->begin = other->begin;
	r->end = other->end;
	r->n += other->n;
	r->bits += other->bits;
}

static void
take_row(struct stat_run *r, const struct group *other, const char *key)
{
	struct group *row = groups_row(&r->groups, key, other->len);

	if (row->n == 0)
		row->first = other->first;
	row->last = other->last;
	row->n += other->n;
	row->bits += other->bits;
	hist_merge(&row->values, &other->values, key + other->len);
}

static void
take_interval(struct stat_run *r, const struct numbered *one, const char *cells)
{
	const struct interval *other = &one->interval;
	struct interval *v = intervals_at(&r->intervals, one->i);

	v->n += other->n;
	v->lost += other->lost;
	v->perhaps += other->perhaps;
	v->unknown += other->unknown;
	hist_merge(&v->values, &other->values, cells);
}

void
stat_take(void *arg, const void *buf, size_t n)
{
	struct stat_run *r = arg;
	const char *p = buf;
	enum kind kind;
	union given g;

	memcpy(&kind, p, sizeof(kind));
	p += sizeof(kind);
	n -= sizeof(kind);
	memcpy(&g, p, n < sizeof(g) ? n : sizeof(g));
	if (kind == RUN)
		take_run(r, &g.run);
	else if (kind == CLOCK)
		clocks_add(&r->clocks, p + sizeof(g.clock), g.clock.error,
		    g.clock.points);
	else if (kind == INTERVAL)
		take_interval(r, &g.numbered, p + sizeof(g.numbered));
	else
		take_row(r, &g.row, p + sizeof(g.row));
}
