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
 * Marks: how many events were lost without a slot, at some times, so that a
 * snapshot tells of those that were lost since about its first event.
 */

#include "region.h"

/* The events that programs have lost without a slot. */
static uint64_t
nobodys(struct region *r)
{
	return region_count(r, &r->losses[r->nslots].lost,
	    load(&r->header->lost));
}

/*
 * Note how many are lost without a slot, and when that was still so.  If there
 * are too many notes, every other one is forgotten: then a snapshot tells of
 * more that may have been lost before its first event.
 */
void
loss_mark(struct region *r)
{
	const uint64_t now = region_now(r), lost = nobodys(r);
	unsigned int i;

	/* A first and a last one have the same count: the last one moves. */
	if (r->nmarks > 1 && r->marks[r->nmarks - 1].lost == lost &&
	    r->marks[r->nmarks - 2].lost == lost) {
		r->marks[r->nmarks - 1].time = now;
		return;
	}
	if (r->nmarks == LOSS_MARKS) {
		for (i = 0; i < LOSS_MARKS / 2; i++)
			r->marks[i] = r->marks[2 * i];
		r->nmarks = LOSS_MARKS / 2;
	}
	r->marks[r->nmarks].time = now;
	r->marks[r->nmarks++].lost = lost;
}

/* A copy tells of those that were lost since about its first event. */
void
loss_copy(struct region *r, struct region *c, uint64_t first)
{
	struct loss *l = &c->losses[c->nslots];
	uint32_t i;

	if (r->nmarks == 0 || first == UINT64_MAX)
		return;
	for (i = r->nmarks - 1; i > 0 && r->marks[i].time > first; i--)
		continue;
	l->lost = nobodys(r);
	store(&c->header->lost, l->lost);
	l->told = l->telling = r->marks[i].lost;
	l->since = r->marks[i].time;
}
