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
 * What an event costs: run it with cost:on recorded and cost:off not, e.g.
 *	utctl record -e cost:on -- cost
 * Medians of alternating rounds, in nanoseconds.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ut.h>

UT_EVENT(cost, on, UT_INFO, UT_INT(n))
UT_EVENT(cost, off, UT_INFO, UT_INT(n))

#define ROUNDS	15
#define LOOPS	200000

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double
run_empty(void)
{
	double t = now();
	int i;

	for (i = 0; i < LOOPS * 10; i++)
		__asm__ volatile ("" : : "r" (i) : "memory");
	return (now() - t) / (LOOPS * 10);
}

static double
run_off(void)
{
	double t = now();
	int i;

	for (i = 0; i < LOOPS * 10; i++) {
		__asm__ volatile ("" : : "r" (i) : "memory");
		UT(cost, off, i);
	}
	return (now() - t) / (LOOPS * 10);
}

static double
run_clock(void)
{
	struct timespec ts;
	double t = now();
	int i;

	for (i = 0; i < LOOPS; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	return (now() - t) / LOOPS;
}

static double
run_on(void)
{
	double t = now();
	int i;

	for (i = 0; i < LOOPS; i++)
		UT(cost, on, i);
	return (now() - t) / LOOPS;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *v)
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	return v[ROUNDS / 2];
}

int
main(void)
{
	static double empty[ROUNDS], off[ROUNDS], clk[ROUNDS], on[ROUNDS];
	struct timespec nap = { 0, 20000000 };
	double e, o, c, n;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		empty[i] = run_empty();
		off[i] = run_off();
		clk[i] = run_clock();
		on[i] = run_on();
		nanosleep(&nap, NULL);
	}
	e = median(empty);
	o = median(off);
	c = median(clk);
	n = median(on);
	printf("empty loop %.2f ns, disabled event %+.2f ns\n", e, o - e);
	printf("clock_gettime %.1f ns, event with one int %.1f ns: %.2f "
	    "times\n", c, n, n / c);
	return 0;
}
