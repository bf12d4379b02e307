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
 * The cycle counter as a clock: how it goes against CLOCK_MONOTONIC.
 *
 * Two readings of both clocks give the frequency.  The first is taken when
 * utd begins, the second when a session does: that is what its metadata tell
 * at first.  When the session stops, its own two are further apart and
 * bracket what it has recorded.
 */

#include <time.h>

#include "../../libut/clock.h"
#include "session.h"

#define TRIES	16

static struct instant beginning;
int64_t clock_ahead;

/* Both clocks at one time: the try that took the least. */
void
clock_read(struct instant *best)
{
	struct instant now;
	uint64_t end, least = UINT64_MAX;
	int i;

	for (i = 0; i < TRIES; i++) {
		now.cycles = ut_cycles();
		now.ns = ut_nanoseconds();
		end = ut_cycles();
		if (end - now.cycles >= least)
			continue;
		least = end - now.cycles;
		now.cycles += least / 2;
		*best = now;
	}
}

/* CLOCK_REALTIME - CLOCK_MONOTONIC, likewise. */
uint64_t
clock_offset(void)
{
	struct timespec real;
	uint64_t begin, took, least = UINT64_MAX, offset = 0;
	int i;

	for (i = 0; i < TRIES; i++) {
		begin = ut_nanoseconds();
		ut_clock_gettime(CLOCK_REALTIME, &real);
		if ((took = ut_nanoseconds() - begin) >= least)
			continue;
		least = took;
		offset = (uint64_t)real.tv_sec * 1000000000u +
		    (uint64_t)real.tv_nsec - (begin + least / 2);
	}
	return offset;
}

void
clock_begin(void)
{
	clock_read(&beginning);
	clock_ahead = ut_clock_ahead();
}

/* Per second, to the nearest; a double has digits enough for that. */
static uint64_t
frequency(const struct instant *a, const struct instant *b)
{
	if (b->ns <= a->ns || b->cycles <= a->cycles)
		return 1000000000u;
	return (uint64_t)((double)(b->cycles - a->cycles) * 1e9 /
	    (double)(b->ns - a->ns) + 0.5);
}

/*
 * The line through two readings, one of which is taken when the session
 * began, as CTF wants it: offset counts cycles.  real is what CLOCK_REALTIME
 * is ahead of CLOCK_MONOTONIC.
 */
void
clock_line(struct line *l, const struct instant *since, uint64_t real)
{
	struct instant now;
	const struct instant *from = &beginning;
	uint64_t ns = since->ns + real, rest, offset;

	clock_read(&now);
	if (now.ns - since->ns > since->ns - beginning.ns)
		from = since;
	l->freq = frequency(from, &now);
	l->offset_s = ns / 1000000000u - since->cycles / l->freq;
	offset = (uint64_t)((double)(ns % 1000000000u) * (double)l->freq / 1e9);
	rest = since->cycles % l->freq;
	if (offset < rest) {
		offset += l->freq;
		l->offset_s--;
	}
	l->offset = offset - rest;
}
