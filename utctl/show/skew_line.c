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
 * The offsets of a clock that drifts are on a line.  No message is received
 * before it is sent, so the line is above a point for each message one way, and
 * below a point for each message back.  The lines with the least and the most
 * slope that fit touch the hulls of both sets (Moon, Skelly and Towsley,
 * Estimation and Removal of Clock Skew from Network Delay Measurements, INFOCOM
 * 1999).  At the first point and at the last one, all others are between these
 * two, so no line is farther from their mean than they are there.
 *
 * The room between both sets, along a slope, is concave in the slope and made
 * of straight parts: Newton's method, from outside, finds where it is none.
 */

#include <math.h>

#include "../when.h"
#include "skew.h"

#define NS	1000000000
#define RATE	((double)CTF_RATE_MAX / CTF_RATE)
#define ROUNDED	2			/* ns: what is, of numbers */
#define STEPS	200			/* each takes other points */

/* A point, in seconds from the origin o on. */
struct at {
	double	 x, y;
};

/* The points that lines of this slope touch, from above and from below. */
static void
touch(double slope, const struct skew_point *p, size_t n,
    const struct skew_point *o, struct at to[2])
{
	double y, best[2] = { -INFINITY, INFINITY };
	struct at a;
	size_t i;

	for (i = 0; i < n; i++) {
		a.x = when_seconds(o->date, p[i].date);
		a.y = when_seconds(o->offset, p[i].offset);
		y = a.y - slope * a.x;
		if (p[i].most ? y < best[1] : y > best[0]) {
			best[p[i].most] = y;
			to[p[i].most] = a;
		}
	}
}

/*
 * Find the line that fits whose slope is nearest to this one, which is too low
 * or, if it is positive, too high: -1, it is not.  If none fits, what is found
 * does not, either.
 */
static int
nearest(double *slope, double *y, const struct skew_point *p, size_t n,
    const struct skew_point *o)
{
	const int low = *slope < 0;
	struct at to[2];
	double room = 0, next;
	int i;

	for (i = 0; i < STEPS; i++) {
		touch(*slope, p, n, o, to);
		room = to[1].y - to[0].y - *slope * (to[1].x - to[0].x);
		*y = to[0].y - *slope * to[0].x + room / 2;
		next = (to[1].y - to[0].y) / (to[1].x - to[0].x);
		if (room >= 0 || !(low ? next > *slope : next < *slope))
			break;
		*slope = next;
	}
	return room >= 0 && i == 0 ? -1 : 0;
}

/* No message is received before it is sent: as dates are moved, to the ns. */
static int
fits(const struct ctf_move *m, const struct skew_point *p, size_t n)
{
	int64_t by;
	size_t i;

	for (i = 0; i < n; i++) {
		by = when_sum(ctf_drift(m, when_sum(p[i].date, m->ns)),
		    -p[i].date);
		if (p[i].most ? by > p[i].offset : by < p[i].offset)
			return 0;
	}
	return 1;
}

int
skew_line(struct skew_line *l, const struct skew_point *p, size_t n)
{
	const struct skew_point *o = &p[0];
	struct ctf_move *m = &l->move;
	double y[2], last = 0;
	size_t i;

	for (i = 1; i < n; i++)
		o = p[i].date < o->date ? &p[i] : o;
	for (i = 0; i < n; i++)
		last = fmax(last, when_seconds(o->date, p[i].date));
	l->least = -RATE;
	l->most = RATE;
	if (nearest(&l->least, &y[0], p, n, o) == -1 ||
	    nearest(&l->most, &y[1], p, n, o) == -1)
		return -1;
	m->rate = (int64_t)rint((l->least + l->most) / 2 * CTF_RATE);
	m->from = o->date > 0 ? o->date / NS * NS : 0;
	m->ns = when_sum(o->offset, (int64_t)rint(NS * ((y[0] + y[1]) / 2 +
	    (double)m->rate / CTF_RATE * when_seconds(o->date, m->from))));
	last = fmax(fabs(y[1] - y[0]),
	    fabs(y[1] - y[0] + (l->most - l->least) * last));
	l->error = (int64_t)ceil(last / 2 * NS) + ROUNDED;
	return fits(m, p, n) ? 0 : -1;
}
