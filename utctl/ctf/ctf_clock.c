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
 * Dates of what clocks said: by the line of the metadata, or, where the points
 * of the trace part from that, from point to point.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../when.h"
#include "ctf.h"

#define LINE		10000	/* ns off the line that are on it */
#define JUMP		1e6	/* ns, and 1/1000: no clock errs by that */
#define LONG		1e9	/* ns after which a rate is known */
#define COUNT_MAX	4e18	/* ns since a counter was 0 */

/* From a point on. */
struct segment {
	uint64_t	 count;		/* the clock's, at the point */
	int64_t		 ns;		/* the date of the point */
	double		 rate;		/* ns, for each cycle */
	double		 len;		/* ns to the next point */
	int64_t		 end;		/* the date of the next point */
};

/* The segments are sorted; the first one ends where the second begins. */
struct ctf_dates {
	double			*error;	/* the clock's */
	double			 before; /* ns, in front of the first point */
	double			 back;	/* ns, by which a counter was set */
	const struct segment	*last;	/* in which we were last */
	uint64_t		 from, span;	/* the counts of last */
	size_t			 n;
	struct segment		 segments[];
};

/* cycles of this frequency as ns, rounded down; far too many are cut. */
static int64_t
clock_scale(const struct ctf_clock *cl, uint64_t cycles)
{
	uint64_t s = cycles / cl->freq, rest = cycles % cl->freq, ns = 0;
	int i;

	rest += cl->rest;
	if (rest >= cl->freq) {
		rest -= cl->freq;
		s++;
	}
	if (cl->freq <= (uint64_t)1 << 34)
		ns = rest * 1000000000 / cl->freq;
	else for (i = 0; i < 9; i++) {
		rest *= 10;
		ns = ns * 10 + rest / cl->freq;
		rest %= cl->freq;
	}
	if (s > 18000000000)
		s = 18000000000;
	s = s * 1000000000 + ns;
	if (cl->base >= 0 && s > (uint64_t)(INT64_MAX - cl->base))
		return INT64_MAX;
	if (cl->base < 0 && s > (uint64_t)INT64_MAX)
		return s - (uint64_t)-cl->base > (uint64_t)INT64_MAX ?
		    INT64_MAX : (int64_t)(s - (uint64_t)-cl->base);
	return cl->base + (int64_t)s;
}

static double
larger(double a, double b)
{
	return a > b ? a : b;
}

static double
apart(int64_t a, int64_t b)
{
	return a > b ? (double)((uint64_t)a - (uint64_t)b) :
	    (double)((uint64_t)b - (uint64_t)a);
}

/*
 * The last segment that begins at or before the count; or the first.  What
 * comes before all points was dated by the line when the trace began: if the
 * clocks have jumped since, nobody knows on which side of that an event is.
 */
static void
dates_find(struct ctf_dates *d, uint64_t count)
{
	size_t lo = 0, hi = d->n, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (d->segments[mid].count <= count)
			lo = mid;
		else
			hi = mid;
	}
	if (lo == 0)
		*d->error = larger(*d->error, d->before);
	d->last = &d->segments[lo];
	d->from = lo == 0 ? 0 : d->last->count;
	d->span = (hi < d->n ? d->segments[hi].count : UINT64_MAX) - d->from;
	d->span -= hi < d->n;
}

/*
 * The next event is in the segment of the one before, as a rule.  A date is
 * never after that of the next point, so dates do not go back there.
 */
static int64_t
dates_ns(struct ctf_dates *d, uint64_t count)
{
	double ns;

	if (count > INT64_MAX)
		count = INT64_MAX;
	if (count - d->from > d->span)
		dates_find(d, count);
	ns = (double)(int64_t)(count - d->last->count) * d->last->rate;
	return ns < d->last->len ? d->last->ns + (int64_t)ns : d->last->end;
}

/*
 * All of this is exact: the rate is q ns in a second and p millionths of a ns.
 * Dates stay in order, for less than a ns comes or goes in one.
 */
int64_t
ctf_drift(const struct ctf_move *m, int64_t date)
{
	const int64_t since = when_sum(date, -when_sum(m->from, m->ns));
	const int64_t rate = m->rate < 0 ? -m->rate : m->rate;
	const int64_t s = (since < 0 ? -since : since) / 1000000000;
	const int64_t n = (since < 0 ? -since : since) % 1000000000;
	const int64_t q = rate / 1000000, p = rate % 1000000;
	const int64_t ns = s * q + s * p / 1000000 + n * q / 1000000000 +
	    (s * p % 1000000 * 1000000000 + n * q % 1000000000 * 1000000 +
	    n * p) / CTF_RATE;

	return when_sum(date, (since < 0) == (m->rate < 0) ? ns : -ns);
}

/* ctf_ns() leaves to this what is not the plain case. */
int64_t
ctf_clock_ns(const struct ctf_clock *cl, uint64_t cycles)
{
	int64_t ns;

	if (cl == NULL)
		return cycles > INT64_MAX ? INT64_MAX : (int64_t)cycles;
	ns = cl->dates != NULL ? dates_ns(cl->dates, cycles) :
	    clock_scale(cl, cycles);
	return cl->drift == NULL ? ns : ctf_drift(cl->drift, ns);
}

/*
 * Can no clock's error explain what came between this point and the next?  If
 * the clock stood still, no event did.
 */
static int
is_jump(const struct segment *s, double rate)
{
	const double ns = (double)(s[1].count - s->count) * rate;

	return s[1].count == s->count || s->len - ns > JUMP + s->len / 1000 ||
	    ns - s->len > JUMP + s->len / 1000;
}

/*
 * Two points tell the rate between them, unless the clock jumped.  Before the
 * first point and behind the last one, the rate is that of the nearest points
 * between which it is known well, or else the line's.
 */
static void
dates_rates(struct ctf_dates *d, double rate)
{
	struct segment *s, *end = &d->segments[d->n - 1];
	double first = 0, last = 0;

	for (s = d->segments + 1; s < end; s++) {
		s->end = s[1].ns;
		s->len = apart(s[1].ns, s->ns);
		s->rate = rate;
		if (is_jump(s, rate))
			continue;
		s->rate = s->len / (double)(s[1].count - s->count);
		if (s->len < LONG)
			continue;
		last = s->rate;
		if (first <= 0)
			first = last;
	}
	d->segments[0] = d->segments[1];
	d->segments[0].end = d->segments[1].ns;
	d->segments[0].len = 0;
	d->segments[0].rate = first > 0 ? first : rate;
	end->rate = last > 0 ? last : rate;
	end->end = INT64_MAX;
	end->len = (double)(INT64_MAX - (end->ns > 0 ? end->ns : 0));
}

static double
distance(double a, double b)
{
	return a < b ? b - a : a - b;
}

/*
 * How far off dates may be at jumps.  A jump may have come at any time between
 * its points, and the clock had its own rate there, not the line's, by which
 * the dates go on: that of a time near by.  Times that are too short for a good
 * rate do not end the search for it.  Forward, the times before a jump are near
 * by; backward, those after it.
 */
static double
jumps_error(const struct ctf_dates *d, double rate, int forward)
{
	const struct segment *s;
	double off, n, part = 0, error = 0;	/* part: ns, for each cycle */
	size_t i;

	for (i = 1; i < d->n - 1; i++) {
		s = &d->segments[forward ? i : d->n - 1 - i];
		if (s[1].count == s->count)
			continue;
		if (is_jump(s, rate)) {
			n = (double)(s[1].count - s->count);
			error = larger(error, distance(n * rate, s->len) +
			    n * part);
			continue;
		}
		off = distance(s->rate, rate);
		part = s->len >= LONG ? off : larger(part, off);
	}
	return error;
}

/*
 * How far off dates may be elsewhere.  If the rate changed once between two
 * points, from that before to that after, dates between are off by at most a
 * quarter of what the rate changed times that time.  If only one of these rates
 * is known, nothing tells when it changed.
 */
static double
dates_error(const struct ctf_dates *d, double rate)
{
	const struct segment *s, *b = NULL;	/* b: before, and long */
	const struct segment *end = &d->segments[d->n - 1];
	double diff, error = 0, last = -1;

	for (s = d->segments + 1; s < end; s++) {
		if (s[1].count == s->count || is_jump(s, rate))
			continue;
		if (b != NULL) {
			diff = s->rate / b->rate;
			diff = diff < 1 ? 1 - diff : diff - 1;
			if (s->len < LONG) {
				error = larger(error, diff * s->len);
				continue;
			}
			error = larger(error, last < 0 ? diff * b->len :
			    (diff + last) / 4 * b->len);
			last = diff;
		}
		if (s->len >= LONG)
			b = s;
	}
	return b == NULL ? error : larger(error, last * b->len);
}

/*
 * CLOCK_MONOTONIC went on for so long, and the counter less: was it set back,
 * or did it stand still?  By how much it would have counted, or 0.
 */
static uint64_t
set_back(double ns, double counted, double rate)
{
	if (ns - counted <= JUMP + ns / 1000)
		return 0;
	return ns / rate < COUNT_MAX ? (uint64_t)(ns / rate) : INT64_MAX / 2;
}

/* How far the counter's line is behind that of CLOCK_MONOTONIC, at a point. */
static double
lags(const struct ctf_trace *tr, const struct ctf_clock *cl, uint64_t count,
    const struct ctf_point *p)
{
	const struct ctf_clock *mono;
	const int64_t is = clock_scale(cl, count);
	int64_t other;

	for (mono = tr->clocks; mono != NULL; mono = mono->next)
		if (strcmp(mono->name, "monotonic") == 0)
			break;
	if (mono == NULL)
		return 0;
	other = clock_scale(mono, (uint64_t)p->monotonic);
	return other > is ? apart(other, is) : 0;
}

/*
 * Make segments of the points, from the second on, but of none that goes back.
 * A counter that was set back may say what it has said before: the events from
 * before are dated right, so points are left out until it is beyond that.
 */
static struct ctf_dates *
dates_new(const struct ctf_trace *tr, const struct ctf_clock *cl, int cycles)
{
	const double rate = 1e9 / (double)cl->freq;
	const struct ctf_point *p, *was = NULL;
	struct ctf_dates *d;
	struct segment *s;
	uint64_t back, count, last = 0, least = 0;

	d = calloc(1, sizeof(*d) + (tr->npoints + 1) * sizeof(*s));
	if (d == NULL)
		die_errno("malloc");
	d->n = 1;
	for (p = tr->points; p < tr->points + tr->npoints; p++) {
		count = cycles ? p->cycles : (uint64_t)p->monotonic;
		if (count == 0 || count < least || count > INT64_MAX / 2 ||
		    (double)count * rate > COUNT_MAX)
			continue;
		if (was == NULL && least == 0)
			back = set_back(lags(tr, cl, last = count, p), 0,
			    rate);
		else if (was != NULL && least == last)
			back = set_back((double)(p->monotonic -
			    was->monotonic), (double)(count - last) * rate,
			    rate);
		else
			back = 0;
		if (back != 0) {
			d->back = larger(d->back, (double)back * rate);
			least = last + back;
			continue;
		}
		s = &d->segments[d->n++];
		s->count = last = least = count;
		s->ns = p->date;
		was = p;
	}
	return d;
}

static void
clock_dates(const struct ctf_trace *tr, struct ctf_clock *cl, int cycles)
{
	const double rate = 1e9 / (double)cl->freq;
	struct ctf_dates *d = dates_new(tr, cl, cycles);
	double error = 0;
	size_t i;

	d->error = &cl->error;
	for (i = 1; i < d->n; i++)
		error = larger(error, apart(d->segments[i].ns,
		    clock_scale(cl, d->segments[i].count)));
	if (error <= LINE) {
		cl->error = larger(cl->error, larger(error, d->back));
		free(d);
		return;
	}
	dates_rates(d, rate);
	d->from = UINT64_MAX;		/* in no segment yet */
	if (d->n > 2)
		cl->error = larger(dates_error(d, rate),
		    larger(jumps_error(d, rate, 1), jumps_error(d, rate, 0)));
	cl->error = larger(cl->error, d->back);
	if (d->n > 1)
		d->before = apart(d->segments[1].ns,
		    clock_scale(cl, d->segments[1].count));
	if (d->before <= JUMP)
		d->before = 0;
	cl->dates = d;
	cl->fast = 0;
}

/* From here on, the points date events. */
void
ctf_clock_dates(const struct ctf_trace *tr)
{
	struct ctf_clock *cl;

	for (cl = tr->clocks; cl != NULL; cl = cl->next)
		if (strcmp(cl->name, "cycles") == 0)
			clock_dates(tr, cl, 1);
		else if (strcmp(cl->name, "monotonic") == 0)
			clock_dates(tr, cl, 0);
}
