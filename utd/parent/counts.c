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
 * How many events and bytes there are of regions, channels and sessions.
 */

#include <string.h>

#include "trace.h"

#define MATCHES_MAX	(UINT64_C(1) << 48)	/* between two looks */

void
counts_read(struct ut_msg *m, struct counts *c)
{
	c->written = ut_msg_get_u64(m);
	c->lost = ut_msg_get_u64(m);
	c->bytes = ut_msg_get_u64(m);
	c->packets = ut_msg_get_u64(m);
	c->overwritten = ut_msg_get_u64(m);
	c->waits = ut_msg_get_u64(m);
	c->waited = ut_msg_get_u64(m);
	c->longest = ut_msg_get_u64(m);
}

/*
 * Matches of a trigger in a region.  Overwritten events have passed the filter;
 * lost ones have not been asked, and count only if there is none.
 */
static uint64_t
matches(const struct region *r)
{
	const struct rule *rule = r->channel->newest;

	return r->counts.written + r->counts.overwritten +
	    (rule == NULL || rule->filter == NULL ? r->counts.lost : 0);
}

/*
 * A consumer has counted.  Programs can write into the counts what they like: a
 * count that went back, or that no program reaches, is left out, so that what
 * is counted from then on counts, here and in the regions of others.
 */
void
region_counted(struct region *r, struct ut_msg *m)
{
	uint64_t n, grew;

	counts_read(m, &r->counts);
	if (r->channel->session->trigger == NULL)
		return;
	n = matches(r);
	if ((grew = n - r->matched) == 0)
		return;
	if (grew > MATCHES_MAX)
		r->base += grew;
	r->matched = n;
	state_changed(&r->saved);
}

void
counts_add(struct counts *sum, const struct counts *c)
{
	sum->written += c->written;
	sum->lost += c->lost;
	sum->bytes += c->bytes;
	sum->packets += c->packets;
	sum->overwritten += c->overwritten;
	sum->waits += c->waits;
	sum->waited += c->waited;
	if (sum->longest < c->longest)
		sum->longest = c->longest;
}

/* Add up the counts of all regions, including those that are gone. */
void
channel_counts(const struct channel *ch, struct counts *sum)
{
	const struct region *r;

	counts_add(sum, &ch->past);
	for (r = ch->regions; r != NULL; r = r->next)
		counts_add(sum, &r->counts);
}

/* Without what was carried there, or the chunk would end at once. */
uint64_t
channel_chunk(const struct channel *ch)
{
	const struct region *r;
	uint64_t before = ch->kept;
	struct counts sum;

	memset(&sum, 0, sizeof(sum));
	channel_counts(ch, &sum);
	for (r = ch->regions; r != NULL; r = r->next)
		before += r->carried;
	return sum.bytes < before ? 0 : sum.bytes - before;
}

void
session_counts(const struct session *s, struct counts *sum)
{
	const struct channel *ch;

	memset(sum, 0, sizeof(*sum));
	for (ch = s->channels; ch != NULL; ch = ch->next)
		channel_counts(ch, sum);
}
