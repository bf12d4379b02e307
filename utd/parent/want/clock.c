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
 * The cycle counter against CLOCK_MONOTONIC.
 *
 * Readers compute the time of an event from the counter by a line: the counter
 * and the time when the line begins, and a frequency.  Two readings of both
 * clocks give the frequency.  The metadata have at first what was measured
 * between the beginning of utd and that of the session.  Later comparisons are
 * further apart, and the frequency is that between the beginning of the line
 * and the last one.
 *
 * A comparison fits the line if the counter went on as it did before.  The
 * system slews its own clock by up to 500 parts in a million, so the two drift
 * apart and together again; such comparisons fit, and are kept, to say how far
 * off the line they were.
 */

#include <string.h>
#include <time.h>

#include "../../../libut/common/clock.h"
#include "course.h"

#define SECOND	1000000000u	/* ns */
#define FRESH	(10 * (uint64_t)SECOND)	/* the use of utd's first reading */
#define NAP	2000000		/* ns, for a beginning that is fresh */
#define LONG	(SECOND / 10)	/* ns, that tell a frequency */
#define SHORT	(SECOND / 1000)	/* ns, that tell it if there is no more */
#define SLOWEST	1000000u	/* per second, of counters */
#define FASTEST	100000000000u
#define FAR	(UINT64_C(1) << 56)	/* ns; more is as far */

static struct instant beginning;
int64_t clock_ahead;

void
clock_begin(void)
{
	instant_read(&beginning);
	clock_ahead = ut_clock_ahead();
}

/* Per second, to the nearest; 0 if no counter goes like that. */
static uint64_t
frequency(const struct instant *a, const struct instant *b)
{
	double f;

	if (b->ns <= a->ns || b->cycles <= a->cycles)
		return 0;
	f = (double)(b->cycles - a->cycles) * SECOND / (double)(b->ns - a->ns);
	return f < SLOWEST || f > FASTEST ? 0 : (uint64_t)(f + 0.5);
}

/*
 * How far the counter is ahead, in ns, at b if it was right at a and had that
 * frequency.  Either may be before the other.
 */
static double
ahead(const struct instant *a, const struct instant *b, uint64_t freq)
{
	return (double)(int64_t)(b->cycles - a->cycles) * SECOND /
	    (double)freq - (double)(int64_t)(b->ns - a->ns);
}

static uint64_t
distance(double ns)
{
	ns = ns < 0 ? -ns : ns;
	return ns < (double)FAR ? (uint64_t)ns : FAR;
}

bool
course_valid(const struct course *c)
{
	return c->freq >= SLOWEST && c->freq <= FASTEST &&
	    c->upto.ns >= c->since.ns && c->off <= FAR &&
	    c->past.freq <= FASTEST && c->past.error <= FAR;
}

/*
 * A line begins.  What utd knows of the counter since its own beginning is too
 * old if the machine may have slept since.
 */
void
course_begin(struct course *c)
{
	static const struct timespec nap = { 0, NAP };

	memset(c, 0, sizeof(*c));
	instant_read(&c->since);
	if (c->since.ns - beginning.ns > FRESH) {
		beginning = c->since;
		nanosleep(&nap, NULL);
		instant_read(&c->since);
	}
	c->before = beginning;
	c->upto = c->since;
	c->freq = frequency(&c->before, &c->since);
	c->rated = c->freq != 0 && c->since.ns - c->before.ns >= SHORT;
	if (c->freq == 0)
		c->freq = SECOND;
}

/* Keep some of the comparisons, evenly over all of the line. */
static void
keep_point(struct course *c)
{
	unsigned int i;

	if (c->compared++ % (1u << c->thin) != 0)
		return;
	if (c->npoints == COURSE_POINTS) {
		for (i = 0; i < COURSE_POINTS / 2; i++)
			c->points[i] = c->points[2 * i];
		c->npoints = COURSE_POINTS / 2;
		c->thin++;
		if ((c->compared - 1) % (1u << c->thin) != 0)
			return;
	}
	c->points[c->npoints++] = c->upto;
}

/*
 * Does the comparison fit the line?  If not, *off is how far the two parted, in
 * ns.  The first one of a line that follows another tells the frequency.
 */
bool
course_fits(struct course *c, const struct instant *now, uint64_t *off)
{
	const uint64_t took = now->ns - c->upto.ns;
	const uint64_t freq = frequency(&c->upto, now);

	if (!c->rated && took < LONG && now->ns >= c->upto.ns)
		return true;			/* too early to tell */
	*off = c->rated ? distance(ahead(&c->upto, now, c->freq)) :
	    freq != 0 ? 0 : distance((double)took);
	if (*off > COURSE_BOUND + took / COURSE_DRIFT)
		return false;
	c->upto = *now;
	if (took >= LONG) {
		if (freq != 0)
			c->freq = freq;
		c->rated = true;
		keep_point(c);
	}
	return true;
}

/* Does the counter move at all since that reading? */
bool
course_moves(const struct instant *before, const struct instant *now)
{
	return (double)(now->cycles - before->cycles) >=
	    (double)(now->ns - before->ns) * SLOWEST / SECOND;
}

/* Another line begins now, and the metadata of what is before keep this one. */
void
course_anew(struct course *c, uint64_t real, const struct instant *now)
{
	course_line(c, c->lines, real, &c->past);
	c->lines++;
	c->before = c->since = c->upto = beginning = *now;
	c->off = 0;
	c->rated = false;
	c->npoints = c->compared = c->thin = 0;
}

/* How far were comparisons from the line, at most?  0: there was none. */
static uint64_t
deviation(const struct course *c, uint64_t freq)
{
	uint64_t d, most = c->off > 0 ? c->off : c->compared > 0;
	unsigned int i;

	for (i = 0; i < c->npoints; i++) {
		d = distance(ahead(&c->since, &c->points[i], freq));
		if (most < d)
			most = d;
	}
	return most;
}

/*
 * A line as CTF wants it: offset counts cycles.  real is what CLOCK_REALTIME is
 * ahead of CLOCK_MONOTONIC.  False if nobody knows that line any more.
 */
bool
course_line(const struct course *c, uint32_t number, uint64_t real,
    struct line *l)
{
	const uint64_t ns = c->since.ns + real;
	uint64_t rest, offset;

	if (number != c->lines) {
		*l = c->past;
		return number + 1 == c->lines;
	}
	l->freq = frequency(c->upto.ns - c->since.ns >= LONG ? &c->since :
	    &c->before, &c->upto);
	if (l->freq == 0)
		l->freq = c->freq;
	l->error = deviation(c, l->freq);
	l->offset_s = ns / SECOND - c->since.cycles / l->freq;
	offset = (uint64_t)((double)(ns % SECOND) * (double)l->freq / SECOND);
	rest = c->since.cycles % l->freq;
	if (offset < rest) {
		offset += l->freq;
		l->offset_s--;
	}
	l->offset = offset - rest;
	return true;
}

/* How far off is the current line, as far as that was measured? */
uint64_t
course_error(const struct course *c)
{
	struct line l;

	(void)course_line(c, c->lines, 0, &l);
	return l.error;
}
