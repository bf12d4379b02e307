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
 * Bursts of events, timed and printed in the same way for load.c, which is C,
 * and for the programs of peers/, which are C++.
 */

#ifndef BURST_H
#define BURST_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAXBURSTS	4000
#define WARM		2	/* bursts that do not count */
#define STRING		"hello, world"

/* FENCE hides i from the optimizer, which keeps the loop around an event. */
#define FENCE(i)	__asm__ volatile ("" : "+r" (i) : : "memory")

/* Nanoseconds. */
static inline double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static inline void
sleep_until(double t)
{
	struct timespec ts;
	double d;

	while ((d = t - now()) > 0) {
		ts.tv_sec = (time_t)(d / 1e9);
		ts.tv_nsec = (long)(d - (double)ts.tv_sec * 1e9);
		nanosleep(&ts, NULL);
	}
}

/* Wait until the clock comes to a multiple of so many milliseconds. */
static inline void
sleep_period(long period)
{
	const double ms = (double)period * 1e6;

	sleep_until(((double)(long)(now() / ms) + 1) * ms);
}

static inline int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Run so many bursts of so many events, one each period.  The result is the
 * number of events; ns has the nanoseconds of an event in each burst but the
 * first ones.
 */
static inline long
bursts_run(void (*run)(long), long nbursts, long nevents, long period,
    double *ns)
{
	double t;
	long i;

	for (i = -WARM; i < nbursts; i++) {
		sleep_period(period);
		t = now();
		run(nevents);
		t = now() - t;
		if (i >= 0)
			ns[i] = t / (double)nevents;
	}
	return (nbursts + WARM) * nevents;
}

/* Print the median, the number of events, p10, p99 and p99.9. */
static inline void
bursts_print(double *ns, long n, long events)
{
	qsort(ns, (size_t)n, sizeof(*ns), compare);
	printf("%.2f %ld %.2f %.2f %.2f\n", ns[n / 2], events, ns[n / 10],
	    ns[n * 99 / 100], ns[n * 999 / 1000]);
}

#endif
