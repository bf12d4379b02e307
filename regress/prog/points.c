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
 * When the clocks are written down: points.c of a consumer, on machines whose
 * clocks do anything.  Each day has a comparison every 100 ms.  Between the
 * points, the true time may not be further from the straight line than readers
 * are promised, and there may not be too many points.  Prints what is wrong.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../utd/consumer/output/points.c"

#define DAY	864000			/* comparisons */
#define RATE	2.9

/* A machine. */
static double cycles, boot, slept, offset;	/* its clocks; ns */
static unsigned int seed;

static struct points policy;
static struct instant seen, last;	/* comparison; point */
static unsigned int made;

/* What is true between two points, to be compared with the line. */
#define KEPT	700
static struct instant kept[KEPT];
static unsigned int nkept;
static double worst;	/* ns, off the line */

static double
uniform(void)
{
	seed = seed * 1103515245 + 12345;
	return (double)(seed >> 8 & 0xffff) / 65536;
}

/* Time goes on, while the system's clock is slewed. */
static void
pass(double ns, double ppm)
{
	cycles += ns * RATE;
	boot += ns * (1 + ppm / 1e6);
}

static struct instant
now(double noise)
{
	const struct instant at = {
		.cycles = (uint64_t)cycles,
		.ns = (uint64_t)(boot - slept + noise),
		.boot = (uint64_t)(boot + noise),
		.real = (uint64_t)(boot + offset + noise),
		.error = (uint64_t)(noise < 0 ? -noise : noise)
	};

	return at;
}

static double
off(const struct instant *a, const struct instant *b, const struct instant *at)
{
	const double part = (double)(at->cycles - a->cycles) /
	    (double)(b->cycles - a->cycles);
	const double d = (double)(b->boot - a->boot) * part -
	    (double)(at->boot - a->boot);

	return d < 0 ? -d : d;
}

static void
add(const struct instant *p)
{
	unsigned int i;
	double d;

	for (i = 0; made > 0 && i < nkept; i++) {
		if (kept[i].cycles > p->cycles)
			break;
		if ((d = off(&last, p, &kept[i])) > worst)
			worst = d;
	}
	nkept = 0;
	points_add(&policy, p);
	last = *p;
	made++;
}

/* A comparison, as a consumer makes it.  Is there a point now? */
static bool
look(double noise)
{
	const struct instant at = now((uniform() - 0.5) * 2 * noise);
	const enum points_due due = points_due(&policy, &at);

	if (due == POINTS_BROKEN && seen.ns > last.ns)
		add(&seen);
	if (due != POINTS_NOT)
		add(&at);
	else if (nkept < KEPT)
		kept[nkept++] = now(0);
	seen = at;
	return due != POINTS_NOT;
}

static void
begin(void)
{
	cycles = 1e12;
	boot = 5e12;
	slept = offset = 0;
	seed = 1;
	memset(&policy, 0, sizeof(policy));
	memset(&seen, 0, sizeof(seen));
	memset(&last, 0, sizeof(last));
	made = nkept = 0;
	worst = 0;
}

static void
ends(const char *what, unsigned int least, unsigned int most, double bound)
{
	if (made < least || made > most)
		printf("%s: %u points, not %u to %u\n", what, made, least,
		    most);
	if (worst > bound)
		printf("%s: %.0f ns off, more than %.0f\n", what, worst, bound);
}

/* A steady day, with some noise in the readings. */
static void
steady(double noise, double bound)
{
	char what[64];
	int i;

	begin();
	for (i = 0; i < DAY; i++) {
		(void)look(noise);
		pass(100e6, 3);
	}
	snprintf(what, sizeof(what), "steady, %.0f ns of noise", noise);
	ends(what, 1440, 1450, bound);
}

/*
 * It is slewed in every other hour.  Before a change is seen it has gone on
 * for the time between two comparisons.
 */
static void
slewed(double ppm)
{
	char what[64];
	int i;

	begin();
	for (i = 0; i < DAY; i++) {
		(void)look(50);
		pass(100e6, i / 36000 % 2 == 0 ? ppm : 0);
	}
	snprintf(what, sizeof(what), "slewed by %.0f ppm", ppm);
	ends(what, 1440, 1440 + 24 * 8, 2300 + 100 * (ppm < 0 ? -ppm : ppm));
}

/* As chronyd and ntpd do: another rate every 64 seconds. */
static void
steered(double ppm)
{
	double rate = 0;
	char what[64];
	int i;

	begin();
	for (i = 0; i < DAY; i++) {
		(void)look(50);
		if (i % 640 == 0)
			rate = (uniform() - 0.5) * 2 * ppm;
		pass(100e6, rate);
	}
	snprintf(what, sizeof(what), "steered by %.1f ppm", ppm);
	ends(what, 1440, 1440 * 6, 4500);
}

/* How long, in comparisons, until a change makes a point? */
static void
soon(const char *what, double ppm, double jump, double sleep, double set)
{
	unsigned int n = 0;
	int i;

	begin();
	for (i = 0; i < 6000; i++) {
		(void)look(50);
		pass(100e6, 0);
	}
	made = 0;
	boot += jump + sleep;
	slept += sleep;
	cycles += sleep * RATE;		/* it goes on, too */
	offset += set;
	while (n++ < 600) {
		pass(100e6, ppm);
		if (look(50))
			break;
	}
	if (n > 2)
		printf("%s: seen after %u comparisons\n", what, n);
	for (i = 0; i < 600; i++) {
		pass(100e6, ppm);
		(void)look(50);
	}
	ends(what, 3, 8, 1e12);
	/* The line is right from then on. */
	if (off(&policy.before, &policy.last, &seen) > 2300)
		printf("%s: %.0f ns off a minute later\n", what,
		    off(&policy.before, &policy.last, &seen));
}

/* Clocks that never rest: few points all the same. */
static void
restless(void)
{
	int i;

	begin();
	for (i = 0; i < DAY; i++) {
		(void)look(50);
		pass(100e6, (uniform() - 0.5) * 1000);
	}
	ends("restless", 1440, DAY / 74 * 3 + 100, 1e12);
	begin();
	for (i = 0; i < DAY; i++) {
		(void)look(50);
		pass(100e6, 0);
		offset = uniform() * 1e9;
		cycles += (uniform() - 0.5) * 1e6;
	}
	ends("mad", 1440, DAY / 74 * 3 + 100, 1e12);
}

/* Somebody sleeps for most of the time. */
static void
asleep(void)
{
	int i;

	begin();
	for (i = 0; i < 1440; i++) {
		(void)look(50);
		pass(60e9, 3);
	}
	ends("asleep", 1440, 1440, 1e12);
}

int
main(void)
{
	steady(0, 2);
	steady(100, 400);
	steady(1000, 4000);
	steady(20000, 80000);
	slewed(500);
	slewed(-500);
	slewed(1);
	steered(0.1);
	steered(1);
	steered(10);
	soon("slew of 500 ppm", 500, 0, 0, 0);
	soon("slew of -500 ppm", -500, 0, 0, 0);
	soon("slew of 30 ppm", 30, 0, 0, 0);
	soon("jump", 0, 1e9, 0, 0);
	soon("small jump", 0, 3000, 0, 0);
	soon("sleep", 0, 0, 3600e9, 0);
	soon("set clock", 0, 0, 0, 3600e9);
	soon("clock set by little", 0, 0, 0, -20000);
	restless();
	asleep();
	return 0;
}
