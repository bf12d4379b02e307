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
 * How the cycle counter goes against CLOCK_MONOTONIC: drift [seconds].
 * The frequency is measured over 10 ms and over a second, as utd does when a
 * session begins early or late in its life, and then over all of the time;
 * what it says is how far the clocks are apart at the end, and how far at
 * most from the straight line between beginning and end, which is what the
 * metadata have when a session has stopped.
 */

#include <stdio.h>
#include <stdlib.h>

#define UT_GETTIME	clock_gettime
#include "common/clock.h"

#define MAX	3600

static double cycles[MAX + 1], ns[MAX + 1];

static void
both(double *c, double *n)
{
	uint64_t a, b, t, least = UINT64_MAX;
	int i;

	for (i = 0; i < 16; i++) {
		a = ut_cycles();
		t = ut_nanoseconds();
		b = ut_cycles();
		if (b - a >= least)
			continue;
		least = b - a;
		*c = (double)(a + least / 2);
		*n = (double)t;
	}
}

static void
until(double when)
{
	const struct timespec nap = { 0, 1000000 };

	while ((double)ut_nanoseconds() < when)
		nanosleep(&nap, NULL);
}

/* After that many seconds, with the frequency of i readings later. */
static double
apart(int n, double freq)
{
	return (cycles[n] - cycles[0]) / freq * 1e9 - (ns[n] - ns[0]);
}

int
main(int argc, char *argv[])
{
	double c, t, early, line, far = 0, d;
	int n = argc > 1 ? atoi(argv[1]) : 60, i;

	if (!UT_HAVE_CYCLES || n < 2 || n > MAX) {
		puts("not measured");
		return 1;
	}
	both(&cycles[0], &ns[0]);
	until(ns[0] + 1e7);
	both(&c, &t);
	early = (c - cycles[0]) / (t - ns[0]) * 1e9;
	for (i = 1; i <= n; i++) {
		until(ns[0] + i * 1e9);
		both(&cycles[i], &ns[i]);
	}
	line = (cycles[n] - cycles[0]) / (ns[n] - ns[0]) * 1e9;
	for (i = 1; i < n; i++) {
		d = apart(i, line);
		if (d < 0)
			d = -d;
		if (d > far)
			far = d;
	}
	printf("%.0f Hz; after %d s %+.0f ns with the frequency of 10 ms, "
	    "%+.0f ns with that of 1 s; at most %.0f ns from the line\n",
	    line, n, apart(n, early), apart(n,
	    (cycles[1] - cycles[0]) / (ns[1] - ns[0]) * 1e9), far);
	return 0;
}
