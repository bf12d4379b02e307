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
 * Consumers, one after the other.
 */

#include <string.h>

#include "../../utd/consumer/consumer.h"
#include "../../utd/consumer/piece.h"
#include "turns.h"

#define SECOND		UINT64_C(1000000000)

static struct trace trace;
bool parent_gone;
static struct region *region;	/* the last one's */

static struct region *
region_make(void)
{
	struct memory *m = T->memory;
	struct region *r = arena(sizeof(*r));

	strcpy(r->name, "c");
	r->attrs.v[ATTR_MODE] = m->header.mode;
	r->attrs.v[ATTR_CLOCK] = UT_CLOCK_MONOTONIC;
	r->attrs.v[ATTR_FLUSH] = 1000;
	r->keeps = T->mode == KEEP;
	r->header = &m->header;
	r->slots = m->slots;
	r->subs = m->subs;
	r->data = m->data;
	r->nslots = m->header.nslots;
	r->nsubs = m->header.nsubs;
	r->subsize = SUBSIZE;
	r->bell = atomic_load(&m->header.bell);
	r->overwrites = m->header.mode == UT_MODE_OVERWRITE;
	r->done_seq = arena(NSLOTS * sizeof(*r->done_seq));
	r->waited = arena(NSLOTS * sizeof(*r->waited));
	r->losses = arena((NSLOTS + 1) * sizeof(*r->losses));
	r->seen = arena(NSUBS_MAX * sizeof(*r->seen));
	r->consumed = arena(NSUBS_MAX * sizeof(*r->consumed));
	r->until = arena(NSUBS_MAX * sizeof(*r->until));
	r->round = arena(NSUBS_MAX * sizeof(*r->round));
	r->gones = arena(NSUBS_MAX * sizeof(*r->gones));
	r->graves = arena(NSUBS_MAX * sizeof(*r->graves));
	return r;
}

/* The parent tells of programs that have died: their events are written. */
static void
bury(struct region *r)
{
	bool any = false;
	unsigned int i, k;

	for (i = 0; i < NPROGRAMS; i++) {
		if (T->dead[i] && !T->known[i] && random_below(2) == 0) {
			T->known[i] = true;
			for (k = 0; k < NWRITERS; k++)
				if (T->actors[k].program == i)
					weak_heard(CONSUMER, k);
		}
		any |= T->known[i] && !T->buried[i];
	}
	if (!any || !region_bury(r))
		return;
	for (i = 0; i < NPROGRAMS; i++)
		T->buried[i] |= T->known[i];
}

/* Nobody rings.  Ought somebody to have? */
static void
check_ring(const struct region *r)
{
	uint32_t i;

	if (T->rung || T->jumps || T->dead[0] || T->dead[1])
		return;
	if (atomic_load(&r->header->delivered) - r->taken >= r->bell)
		wrong("bell: nobody has rung for what is delivered");
	for (i = 0; i < r->nsubs && r->doze == DOZE_ASLEEP && r->flush == 0 &&
	    !r->keeps; i++)
		if (atomic_load(&r->subs[i].commit) != r->consumed[i])
			wrong("dozing: nobody has rung for an event");
}

static void
consumer_sleep(struct region *r)
{
	if (region_sleep(r, true) && !T->rung && !actor_wait(&T->rung)) {
		T->current = NACTORS;
		check_ring(r);
		T->current = CONSUMER;
		time_pass(SECOND);
	}
	(void)region_sleep(r, false);
	if (!T->rung)
		return;
	T->rung = false;
	weak_ring(true);
	tick_awake_all();
}

static void
pass(struct region *r, uint64_t ns, bool tick)
{
	time_pass(ns);
	(void)region_pass(r, tick);
}

static void
consumer_turn(struct region *r)
{
	int i;

	switch (random_below(8)) {
	case 0:
	case 1:
		pass(r, SECOND, true);
		break;
	case 2:
		for (i = 0; i < 7; i++)
			pass(r, SECOND, true);
		/* FALLTHROUGH */
	case 3:
	case 4:
		consumer_sleep(r);
		break;
	case 5:
		pass(r, 60000000, false);
		break;
	case 6:
		r->flush = ut_msg_now();
		pass(r, 0, false);
		break;
	default:
		pass(r, 0, false);
	}
}

uint64_t
lost_now(void)
{
	uint64_t sum = atomic_load(&T->memory->header.lost);
	uint32_t i;

	for (i = 0; i < NSLOTS; i++)
		sum += atomic_load(&T->memory->slots[i].lost);
	return sum;
}

void
consumer(void)
{
	struct region *r = region = region_make();
	unsigned int rest = random_below(3), turns = 0;

	trace.adopted = T->adopted;
	trace.limit = NO_LIMIT;
	if (!region_begin(r, &trace, T->adopted))
		wrong("cannot begin");
	regions = r;
	if (!T->started) {
		region_start(r);
		T->started = true;
		actors_wake(&T->started);
	}
	while (!T->stopped && (writers_left() || rest-- > 0) && turns++ < 40) {
		bury(r);
		consumer_turn(r);
	}
	/* A thread whose waker is gone sleeps until its nap is over. */
	while (writers_left() && !T->stopped) {
		pass(r, SECOND, true);
		if (T->jumps || T->dead[0] || T->dead[1])
			actors_wake(&T->memory->header.waiting);
	}
	if (!T->stopped)
		T->lost_at_stop = lost_now();
	T->stopped = true;
	region_finish(r, T->known[0] && T->known[1]);
}

/* The consumer died; the next one has none of its private memory. */
void
consumer_again(void)
{
	product_reset_consumer();
	T->adopted = true;
	actor_set(CONSUMER, consumer, NPROGRAMS);
}

uint64_t
overwritten_now(void)
{
	return region_overwritten(region);
}
