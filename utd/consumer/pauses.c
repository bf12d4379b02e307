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
 * Pauses: times in which events were not recorded, though they came before and
 * after: a session was stopped, or what it records was changed.
 *
 * The end of what began before a pause may be missing, and readers would take
 * a later one for it.  So an empty packet, in a stream of shared packets, has
 * the time of the pause; all other empty packets end when they begin.  It is
 * written once there is something that came later, so a session that is stopped
 * for good has none.
 *
 * A snapshot has the pauses that are not older than its first event, also those
 * of which packets tell.  The header has them all, for a consumer that takes
 * over.
 */

#include <string.h>

#include "piece.h"

static bool written;		/* all that were to be */

/* Let the header have what the next consumer has to know. */
static void
pauses_note(struct region *r)
{
	struct ut_header *h = r->header;
	unsigned int i;

	for (i = 0; i < r->npauses; i++) {
		store(&h->pauses[i].from, r->pauses[i].from);
		store(&h->pauses[i].to, r->pauses[i].to);
	}
	store(&h->ntold, r->ntold);
	store(&h->npauses, r->npauses);
}

static void
pause_forget(struct region *r, unsigned int i)
{
	r->npauses--;
	memmove(&r->pauses[i], &r->pauses[i + 1],
	    (r->npauses - i) * sizeof(*r->pauses));
	if (i < r->ntold)
		r->ntold--;
}

/* Join the pause with that number and the next one. */
static void
pauses_join(struct region *r, unsigned int i)
{
	struct pause *p = &r->pauses[i];

	if (p[1].from < p->from)
		p->from = p[1].from;
	if (p[1].to > p->to)
		p->to = p[1].to;
	pause_forget(r, i + 1);
}

/* The time of the oldest sub-buffer that is not free. */
static uint64_t
oldest_event(const struct region *r)
{
	uint64_t t, least = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < r->nsubs; i++) {
		t = load(&r->subs[i].first);
		if (t < least &&
		    UT_STATE(load(&r->subs[i].state)) != UT_FREE)
			least = t;
	}
	return least;
}

/* Pauses that are not told stay in order, and none touches the next. */
void
pause_add(struct region *r, uint64_t from, uint64_t to)
{
	struct pause *p;

	if (r->npauses == UT_PAUSES && (r->ntold > 0 ||
	    r->pauses[0].to < oldest_event(r)))
		pause_forget(r, 0);
	else if (r->npauses == UT_PAUSES)
		pauses_join(r, 0);
	p = &r->pauses[r->npauses++];
	p->from = from;
	p->to = to > from ? to : from + 1;
	while (r->npauses > r->ntold + 1 && r->pauses[r->npauses - 2].to >=
	    r->pauses[r->npauses - 1].from)
		pauses_join(r, r->npauses - 2);
	pauses_note(r);
}

/* The region stops: note when, unless it was stopped before. */
void
pause_begin(struct region *r)
{
	if (load(&r->header->active) != 0)
		store(&r->header->stopped, region_now(r));
}

/* The region starts: the time since it stopped is a pause. */
void
pause_end(struct region *r)
{
	const uint64_t now = region_now(r), from = load(&r->header->stopped);

	if (from == 0)
		return;
	pause_add(r, from < now ? from : now, now);
	store(&r->header->stopped, 0);
}

/*
 * The region stops while others of the session go on: tell of the pause now,
 * for the ends of what began here may be recorded there.
 */
void
pause_alone(struct region *r)
{
	const uint64_t now = region_now(r), from = load(&r->header->stopped);

	pause_add(r, from != 0 && from < now ? from : now, now);
	pause_tell(r);
}

/* Take over the last consumer's; programs can write anything there. */
void
pause_adopt(struct region *r)
{
	struct ut_header *h = r->header;
	const uint64_t now = region_now(r);
	const uint32_t n = load(&h->npauses), told = load(&h->ntold);
	struct pause all[UT_PAUSES];
	uint32_t i;

	for (i = 0; i < n && i < UT_PAUSES; i++) {
		all[i].from = load(&h->pauses[i].from);
		all[i].to = load(&h->pauses[i].to);
	}
	r->npauses = r->ntold = 0;
	for (i = 0; i < n && i < UT_PAUSES; i++) {
		if (all[i].from >= all[i].to || all[i].from >= now)
			continue;
		pause_add(r, all[i].from, all[i].to < now ? all[i].to : now);
		if (i < told)
			r->ntold = r->npauses;
	}
	pauses_note(r);
}

void
pause_copy(const struct region *r, struct region *c, uint64_t first)
{
	unsigned int i;

	for (i = 0; i < r->npauses; i++)
		if (r->pauses[i].to > first)
			pause_add(c, r->pauses[i].from, r->pauses[i].to);
}

static void
pauses_told(struct region *r, const struct piece *pc, uint64_t lost, bool ok)
{
	(void)r;
	(void)pc;
	(void)lost;
	written &= ok;
}

/* Pauses that could not be written are told of again. */
void
pause_tell(struct region *r)
{
	static const struct piece none = { .sub = NO_SUB, .done = pauses_told };
	const struct trace *t = r->sink->trace;
	struct packet pk;
	unsigned int i;
	uint32_t stream;

	if (r->npauses == r->ntold || (t->meta == -1 && !t->nowhere) ||
	    (r->keeps && !r->copy))
		return;
	written = true;
	for (i = r->ntold; i < r->npauses; i++) {
		memset(&pk, 0, sizeof(pk));
		pk.shared = true;
		pk.name = "";
		pk.begin = r->pauses[i].from;
		pk.end = r->pauses[i].to;
		stream = sink_stream(r->sink, r->nslots + r->nsubs, &pk);
		if (stream == NO_STREAM)
			return;
		loss_unwritten(r, stream, &pk);
		written &= batch_add(r, stream, &none, &pk);
	}
	batch_flush(r);
	if (!written)
		return;
	r->ntold = r->npauses;
	pauses_note(r);
}
