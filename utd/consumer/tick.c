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
 * When regions are looked at though no program rings: each second, while
 * anything goes on in them, and when their interval is over.  See ut_abi(5),
 * "Dozing".
 *
 * The interval (-i) is how soon what is committed gets into the file though its
 * sub-buffer is not full.  All else is of the tick, whatever the interval is:
 * sub-buffers that are full, but too few for a ring; those that idle threads
 * hold and others need (revoke.c), for which they are flushed, too; gaps in the
 * order of a slot; programs without a bell; what waits for metadata, and the
 * dead for that.  Nothing is due sooner for the sake of the times in events: a
 * thread whose last event is UT_TIME_GAP ago delivers the sub-buffer by itself,
 * so a packet may be of any length in time.
 *
 * Without an event for some ticks, the region dozes: UT_DOZING is in `active',
 * and whoever traces rings.  A tick later it sleeps, if no thread is in an
 * event that began before that could be seen.  Then nothing wakes us for it but
 * a ring, the parent, and the end of the interval if something is not written;
 * and once a minute the clocks are looked at, if any region is started.
 *
 * There is no fence between a writer's store of busy and its load of `active'.
 * The tick between DOZE_OFF and DOZE_ASLEEP takes its place: any_busy() looks
 * that much later, and all_drained() after that.  regress/spin/doze.pml is
 * this, for a model checker.
 */

#include <stdatomic.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define SLACK_MS	500	/* most that a flush is early, at a tick */
#define QUIET_TICKS	4	/* until it dozes */

/*
 * May a thread be in an event?  Asked before the pass looks at what is
 * committed: an event that is over by now is seen there.
 */
static bool
any_busy(const struct region *r)
{
	uint32_t i, n = region_slots_used(r);

	for (i = 0; i < n; i++)
		if (load_acquire(&r->slots[i].busy) != 0)
			return true;
	return false;
}

static bool
all_drained(struct region *r)
{
	uint64_t commit;
	uint32_t i;

	for (i = 0; !r->keeps && i < r->nsubs; i++) {
		commit = load_acquire(&r->subs[i].commit);
		region_round(r, i);
		if (commit != r->consumed[i])
			return false;
	}
	return true;
}

/* Is there nothing but what a ring tells of? */
static bool
can_doze(struct region *r)
{
	const uint32_t delivered = load(&r->header->delivered);
	const bool same = delivered == r->quiet_at;

	r->quiet_at = delivered;
	return same && delivered == r->taken && r->wait_errno == 0 &&
	    !r->more_full && load(&r->header->mute) == 0 &&
	    !r->sink->trace->behind;
}

/* The next step towards sleep, or all the way back. */
static void
doze(struct region *r, bool quiet, int64_t now)
{
	if (!quiet || (r->doze == DOZE_OFF &&
	    load(&r->header->active) == UT_ACTIVE)) {
		tick_awake(r);
	} else if (r->doze == DOZE_AWAKE && ++r->quiet >= QUIET_TICKS) {
		r->doze = DOZE_OFF;
		region_swap_active(r, UT_ACTIVE, UT_DOZING);
		r->dozed = ut_msg_now();
	} else if (r->doze == DOZE_OFF && now - r->dozed >= GRACE_MS) {
		r->doze = DOZE_ASLEEP;
		if (all_drained(r))
			r->flush = 0;
	}
}

/* With a tick, those that are due soon, too. */
static bool
flush_due(const struct region *r, int64_t now, bool tick)
{
	int64_t slack = tick ? region_interval(r) / 2 : 0;

	if (slack > SLACK_MS)
		slack = SLACK_MS;
	return r->flush != 0 && now >= r->flush - slack;
}

/*
 * Do writers wait?  One that was woken may not have had the time to say so
 * again, but each does before HURRY_MS are over.
 */
static void
note_hungry(struct region *r)
{
	if (region_wake(r)) {
		r->waited_for = ut_msg_now();
		r->hungry = true;
	} else if (r->hungry) {
		r->hungry = ut_msg_now() - r->waited_for <= 2 * HURRY_MS;
	}
}

/* The region's part of a pass.  True: call again at once. */
bool
region_pass(struct region *r, bool tick)
{
	const int64_t now = ut_msg_now();
	const bool flush = flush_due(r, now, tick);
	const bool hurry = r->hungry && now - r->revoked >= HURRY_MS;
	bool quiet, more = false;
	int how = DRAIN_FULL;

	(void)region_warm(r);	/* before what is freed takes the hint back */
	tick &= r->doze != DOZE_ASLEEP;
	r->ticks += tick;
	if (tick || flush || load(&r->header->nameless) != 0)
		orders_take();		/* a program that is new */
	region_names(r, tick || flush);
	quiet = tick && !any_busy(r) && !r->hungry;
	if (flush || ((tick || hurry) && region_needy(r)))
		how = DRAIN_ALL;
	else if (tick)
		how = DRAIN_TICK;
	if (how != DRAIN_FULL || region_has_full(r)) {
		if (how == DRAIN_FULL && r->doze != DOZE_AWAKE)
			tick_awake(r);
		more = region_drain(r, how);
	}
	if (flush)
		r->flush = r->doze == DOZE_ASLEEP && all_drained(r) ? 0 :
		    now + region_interval(r);
	if (tick) {
		quiet &= !region_revoke(r);
		quiet &= can_doze(r);
		doze(r, quiet, now);
	} else if (hurry) {
		(void)region_revoke(r);
	}
	note_hungry(r);
	return more;
}
