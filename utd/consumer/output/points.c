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
 * When the clocks are to be written down.
 *
 * Readers draw a straight line from each point to the next, and go on beyond
 * the last one as between the last two.  So a point is due as soon as the
 * clocks are somewhere else.  All are compared with CLOCK_BOOTTIME: the cycle
 * counter, or CLOCK_MONOTONIC where there is no counter, may have had another
 * rate, and the differences to CLOCK_MONOTONIC and CLOCK_REALTIME may not be
 * the same.
 *
 * The readings of the clocks have an error.  Between points that are close
 * together it makes a line that is off some time later, so the next point is
 * due soon after such two: when GROWTH times as much time has passed.  What the
 * errors of the readings explain is no reason for a point.
 *
 * A jump leaves its mark between two points, and the line through these leads
 * nowhere: one more point follows, then the line is right again.  When a rate
 * changes, one or two follow.  A clock that changes its rate or is set all the
 * time has a point after GAP, then after 2, 4 ... 64 times that.
 */

#include "points.h"

#define MS		UINT64_C(1000000)	/* ns */
#define FIRST		(1000 * MS)	/* from the first to the second */
#define GROWTH		10
#define GAP		(100 * MS)
#define BREAKS_MAX	6
#define CALM		(10000 * MS)	/* breaks are forgotten then */
#define OFF		2000		/* ns, from the line */
#define OFF_REAL	10000

static uint64_t
distance(int64_t ns)
{
	return ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
}

/* From a to b, by the clock that is compared with CLOCK_BOOTTIME. */
static double
between(const struct instant *a, const struct instant *b)
{
	return a->cycles != 0 && b->cycles != 0 ?
	    (double)(int64_t)(b->cycles - a->cycles) :
	    (double)(int64_t)(b->ns - a->ns);
}

/* Is it off the line through the last two points? */
static bool
off_line(const struct points *p, const struct instant *now)
{
	const double base = between(&p->before, &p->last);
	const double boot = (double)(int64_t)(p->last.boot - p->before.boot);
	double ratio, off;

	if (base <= 0)
		return true;
	ratio = between(&p->last, now) / base;
	off = (double)(int64_t)(now->boot - p->last.boot) - ratio * boot;
	return (off < 0 ? -off : off) > OFF + (1 + (ratio < 0 ? -ratio :
	    ratio)) * (double)(p->before.error + p->last.error + now->error);
}

static bool
is_broken(const struct points *p, const struct instant *now)
{
	const struct instant *last = &p->last;
	const uint64_t error = last->error + now->error;
	const uint64_t real = (now->real - now->boot) -
	    (last->real - last->boot);
	const uint64_t slept = (now->boot - now->ns) - (last->boot - last->ns);

	return distance((int64_t)real) > OFF_REAL + error ||
	    distance((int64_t)slept) > OFF + error ||
	    (p->n > 1 && off_line(p, now));
}

enum points_due
points_due(const struct points *p, const struct instant *now)
{
	const uint64_t since = now->ns - p->last.ns;
	uint64_t due = FIRST;

	if (p->n == 0)
		return POINTS_DUE;
	if (since >= GAP << p->breaks && is_broken(p, now))
		return POINTS_BROKEN;
	if (p->n > 1)
		due = (p->last.ns - p->before.ns) * GROWTH;
	if (due > POINTS_EVERY)
		due = POINTS_EVERY;
	return since >= GAP && since + GAP >= due ? POINTS_DUE : POINTS_NOT;
}

void
points_add(struct points *p, const struct instant *at)
{
	if (p->n > 0 && at->ns - p->last.ns >= CALM)
		p->breaks = 0;
	if (p->n > 0 && is_broken(p, at) && p->breaks < BREAKS_MAX)
		p->breaks++;
	p->before = p->last;
	p->last = *at;
	p->n += p->n < 2;
}
