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
 * A day of comparisons of the cycle counter with CLOCK_MONOTONIC, one a second,
 * for clock.c of utd: what is drift, what is a jump, and how far off the times
 * were.  Prints what is wrong.
 */

#include <stdio.h>
#include <string.h>

#include "../../libut/common/clock.h"

#include "../../utd/parent/want/clock.c"

#define DAY	86400
#define RATE	2.9e9

static double cycles = 1e15, ns = 5e12;		/* now */

void
instant_read(struct instant *now)
{
	memset(now, 0, sizeof(*now));
	now->cycles = (uint64_t)cycles;
	now->ns = (uint64_t)ns;
}

/* A second of the counter, in which the system's clock is slewed. */
static void
second(double ppm)
{
	cycles += RATE;
	ns += 1e9 + ppm * 1e3;
}

/* The clock is slewed in every other hour. */
static void
slewed(double ppm, double want)
{
	struct course c;
	struct instant now;
	struct line l;
	uint64_t off;
	int i;

	clock_begin();
	second(0);
	course_begin(&c);
	for (i = 0; i < DAY; i++) {
		second(i / 3600 % 2 == 0 ? ppm : 0);
		instant_read(&now);
		if (!course_fits(&c, &now, &off)) {
			printf("%.0f ppm: %llu ns off after %d s\n", ppm,
			    (unsigned long long)off, i);
			return;
		}
	}
	course_line(&c, 0, 0, &l);
	if ((double)l.error < want * 0.9 || (double)l.error > want * 1.1 + 10)
		printf("%.0f ppm: an error of %llu ns, not %.0f\n", ppm,
		    (unsigned long long)l.error, want);
}

/* The counter jumps after an hour. */
static void
jumps(double by, bool seen)
{
	struct course c;
	struct instant now;
	struct line l;
	uint64_t off;
	int i;

	clock_begin();
	second(0);
	course_begin(&c);
	for (i = 0; i < 3600; i++) {
		second(0);
		instant_read(&now);
		(void)course_fits(&c, &now, &off);
	}
	second(0);
	cycles += by * RATE / 1e9;
	instant_read(&now);
	if (course_fits(&c, &now, &off) == seen)
		printf("a jump of %.0f ns was%s seen\n", by,
		    seen ? " not" : "");
	if (!seen)
		return;
	c.off = off;
	course_anew(&c, 0, &now);
	for (i = 0; i < 10; i++) {
		second(0);
		instant_read(&now);
		if (!course_fits(&c, &now, &off))
			printf("after a jump of %.0f ns: %llu ns off\n", by,
			    (unsigned long long)off);
	}
	if (!course_line(&c, 0, 0, &l) || l.error < 1000000 ||
	    (double)l.freq < RATE - 1 || (double)l.freq > RATE + 1)
		printf("before a jump of %.0f ns: %llu Hz, %llu ns off\n", by,
		    (unsigned long long)l.freq, (unsigned long long)l.error);
	if (!course_line(&c, 1, 0, &l) || l.error > 10 ||
	    (double)l.freq < RATE - 1 || (double)l.freq > RATE + 1)
		printf("after a jump of %.0f ns: %llu Hz, %llu ns off\n", by,
		    (unsigned long long)l.freq, (unsigned long long)l.error);
	if (course_line(&c, 2, 0, &l))
		printf("a line that there is not\n");
}

int
main(void)
{
	slewed(0, 0);
	slewed(500, 500e-6 * 3600e9 / 2);
	slewed(-500, 500e-6 * 3600e9 / 2);
	slewed(5, 5e-6 * 3600e9 / 2);
	jumps(3600e9, true);
	jumps(-3600e9, true);
	jumps(3e6, true);
	jumps(-3e6, true);
	jumps(900000, false);
	jumps(-900000, false);
	return 0;
}
