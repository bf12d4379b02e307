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
 * Which regions are awake, and the timer for all of them: see tick.c.
 */

#include <stdatomic.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define TICK_MS		1000

static bool always;		/* nothing else tells of the parent's end */
static int64_t next_tick;	/* 0: none */
static int64_t due;		/* what the timer is set to; 0: nothing */
static bool ticking;		/* in this pass */

void
tick_always(void)
{
	always = true;
}

uint32_t
region_interval(const struct region *r)
{
	const uint32_t ms = r->attrs.v[ATTR_FLUSH];

	return ms == ATTR_NEVER || r->keeps ? 0 : ms;
}

/* The earliest, of which 0 is none. */
static int64_t
earlier(int64_t a, int64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Every event reads the word: it is not touched in vain. */
void
region_swap_active(struct region *r, uint32_t from, uint32_t to)
{
	if (load(&r->header->active) != from)
		return;
	(void)atomic_compare_exchange_strong_explicit(&r->header->active,
	    &from, to, memory_order_seq_cst, memory_order_relaxed);
}

/* Something may be going on there from now on. */
void
tick_awake(struct region *r)
{
	const int64_t now = ut_msg_now();

	if (r->doze == DOZE_ASLEEP)
		loss_look(r);
	r->doze = DOZE_AWAKE;
	r->quiet = 0;
	region_swap_active(r, UT_DOZING, UT_ACTIVE);
	if (r->flush == 0 && region_interval(r) != 0)
		r->flush = now + region_interval(r);
	if (next_tick == 0)
		next_tick = now + TICK_MS;
	due = earlier(due, earlier(next_tick, r->flush));
	sleep_until(due);
}

/*
 * Somebody has rung, who knows for which region: one that rings because of
 * UT_DOZING does so before that is gone.
 */
void
tick_awake_all(void)
{
	struct region *r;

	for (r = regions; r != NULL; r = r->next)
		if (r->doze != DOZE_AWAKE)
			tick_awake(r);
}

/* A pass begins.  True if it is that of a tick. */
bool
tick_begin(void)
{
	return ticking = next_tick != 0 && ut_msg_now() >= next_tick;
}

/* The pass is over: when is the next one due? */
void
tick_end(void)
{
	const struct region *r;
	bool any = always || programs_dead(), recording = false;

	due = 0;
	for (r = regions; r != NULL; r = r->next) {
		any |= r->doze != DOZE_ASLEEP;
		recording |= load(&r->header->active) != 0;
		due = earlier(due, r->flush);
		if (r->hungry)
			due = earlier(due, ut_msg_now() + HURRY_MS);
	}
	if (!any || regions == NULL)
		next_tick = 0;
	else if (ticking || next_tick == 0)
		next_tick = ut_msg_now() + TICK_MS;
	ticking = false;
	if (recording)
		due = earlier(due, clockfile_next());
	due = earlier(due, next_tick);
	sleep_until(due);
}
