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
 * Programs: their threads record, and signal handlers interrupt them.
 */

#include <stdio.h>
#include <string.h>

#include "../../libut/ut_priv.h"
#include "turns.h"

static struct ut_event events[NPROGRAMS];
static struct filters filters[NPROGRAMS];

/* The bytes of an event: whose, which, at what depth. */
static void
fill(unsigned char *p, unsigned int actor, unsigned int n, unsigned int depth)
{
	const unsigned char bytes[EVENT_LEN] = { (unsigned char)actor,
	    (unsigned char)n, (unsigned char)depth, EVENT_MAGIC,
	    (unsigned char)~actor, (unsigned char)~n, (unsigned char)~depth };

	weak_write(p, sizeof(bytes));
	memcpy(p, bytes, sizeof(bytes));
}

/* The filter: one event of four does not pass. */
bool
passes(const unsigned char *p)
{
	return p[1] % 4 != 0;
}

static void
event(void)
{
	const unsigned int me = T->current;
	struct actor *a = &T->actors[me];
	struct log *l = &T->logs[me];
	struct ut_record r;
	unsigned char *p;
	unsigned int n;

	if (l->n == NEVENTS)
		return;
	n = l->n++;
	l->events[n].fate = BEGUN;
	l->events[n].from = T->now;
	a->depth++;
	p = ut_begin(&r, &events[a->program], EVENT_LEN);
	if (p == NULL) {
		l->events[n].fate = T->stopped || a->ending ? REFUSED : LOST;
	} else {
		for (; p != NULL; p = ut_commit(&r))
			fill(p, me, n, a->depth);
		l->events[n].fate = T->stopped ? LATE :
		    T->filtered && n % 4 == 0 ? REFUSED : RECORDED;
	}
	l->events[n].to = T->now;
	if (T->verbose)
		printf("%5u %u event %u: %d\n", T->steps, me, n,
		    l->events[n].fate);
	a->depth--;
}

/* A signal comes, perhaps. */
void
handler(void)
{
	struct actor *a = &T->actors[T->current];

	a->handler = 1 + random_below(T->signals);
	if (T->current == CONSUMER || (a->depth == 0 && !a->ending) ||
	    a->depth > 2)
		return;
	event();
	if (!T->jumps || a->ending || random_below(4) != 0)
		return;
	a->depth = 0;
	_longjmp(a->out, 1);
}

void
writer(void)
{
	struct actor *a = &T->actors[T->current];
	void *value;

	while (!T->started)
		(void)actor_wait(&T->started);
	weak_heard(T->current, CONSUMER);
	(void)_setjmp(a->out);
	while (a->todo > 0) {
		a->todo--;
		event();
	}
	a->ending = true;
	while ((value = a->value) != NULL) {
		a->value = NULL;
		thread_end(value);
	}
}

bool
writers_left(void)
{
	unsigned int i;

	for (i = 0; i < NWRITERS; i++)
		if (T->actors[i].state == READY || T->actors[i].state == ASLEEP)
			return true;
	return false;
}

static void
program_set(unsigned int i)
{
	struct memory *m = T->memory;
	struct region *rg = &ut_regions[i];
	struct ut_event *ev = &events[i];

	rg->overwrites = m->header.mode == UT_MODE_OVERWRITE;
	rg->clock = UT_CLOCK_MONOTONIC;
	rg->header = &m->header;
	rg->slots = m->slots;
	rg->subs = m->subs;
	rg->data = m->data;
	rg->nslots = m->header.nslots;
	rg->nsubs = m->header.nsubs;
	rg->subsize = m->header.subsize;
	rg->pid = PID;
	rg->owner = i + 1;
	rg->bell.at = T;		/* there is one */
	rg->patience = m->header.timeout;
	rg->used = true;
	ut_shared_name(rg, NAME);
	ut_users[i] = (void *)m->users[i];
	rg->attached = true;
	memset(ev, 0, sizeof(*ev));
	ev->on = ON_WORD(i, EVENT_ID, T->filtered ? ON_FILTER : 0);
	ev->mask = filters[i].mask = 1u << i;
	ev->id[i] = EVENT_ID;
	ev->filters = T->filtered ? &filters[i] : NULL;
}

void
programs_reset(void)
{
	unsigned int i;

	for (i = 0; i < NPROGRAMS; i++)
		program_set(i);
}

/*
 * A program that has looked in vain looks again once something is freed.  So
 * nothing is free that it takes for taken.
 */
static void
check_program(unsigned int i)
{
	const struct memory *m = T->memory;
	const uint64_t vain = atomic_load(&m->header.freed) + UINT64_C(1);
	const struct region *rg = &ut_regions[i];
	uint32_t k;

	for (k = 0; k < rg->nslots; k++)
		if (rg->slots_taken == vain && m->users[i][k] == NULL &&
		    atomic_load(&m->slots[k].owner) == 0)
			wrong("progress: slot %u is free, and not looked at",
			    k);
	for (k = 0; k < rg->nsubs - ut_subs_reserved(rg->nsubs); k++)
		if ((uint32_t)rg->subs_taken == (uint32_t)vain &&
		    rg->subs_taken != 0 &&
		    UT_STATE(atomic_load(&m->subs[k].state)) == UT_FREE)
			wrong("progress: sub-buffer %u is free, and not looked "
			    "at", k);
}

void
check_programs(void)
{
	unsigned int i;

	for (i = 0; i < NPROGRAMS; i++)
		if (!T->dead[i])
			check_program(i);
}
