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
 * All clocks at one instant.
 *
 * Between the readings of two clocks the system may run something else.  So
 * all are read twice, one pair around the other, and the middle of each pair
 * is the same instant; of several tries, the one that took the least counts.
 */

#include <time.h>

#include "../libut/common/clock.h"
#include "utd.h"

#define TRIES	16

bool instant_counter;

static uint64_t
nanoseconds(clockid_t clock)
{
	struct timespec ts;

	ut_clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t
middle(uint64_t a, uint64_t b)
{
	return a + (uint64_t)((int64_t)(b - a) / 2);
}

void
instant_read(struct instant *best)
{
	uint64_t boot, real, cycles, ns, took, least = UINT64_MAX;
	uint64_t boot_end, real_end, cycles_end;
	int i;

	for (i = 0; i < TRIES; i++) {
		boot = nanoseconds(UT_CLOCK_BOOT);
		real = nanoseconds(CLOCK_REALTIME);
		cycles = ut_cycles();
		ns = ut_nanoseconds();
		cycles_end = ut_cycles();
		real_end = nanoseconds(CLOCK_REALTIME);
		boot_end = nanoseconds(UT_CLOCK_BOOT);
		took = boot_end - boot;
		if (took < real_end - real)
			took = real_end - real;		/* the clock was set */
		if (took >= least)
			continue;
		least = took;
		best->cycles = middle(cycles, cycles_end);
		best->ns = ns;
		best->boot = middle(boot, boot_end);
		best->real = middle(real, real_end);
		best->error = took / 2;
	}
}
