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

/* A count that goes back if files are cut, or events are overwritten. */
static void
read_any(struct ut_msg *m, uint64_t *n)
{
	const uint64_t now = ut_msg_get_u64(m);

	if (now < *n)
		*n = now;
	else
		(void)count_grew(n, now);
}

static void
read_count(struct ut_msg *m, uint64_t *n)
{
	(void)count_grew(n, ut_msg_get_u64(m));
}

/* A consumer runs as its user, who may have it tell anything. */
static void
read_counts(struct ut_msg *m, struct counts *c)
{
	read_any(m, &c->written);
	read_count(m, &c->lost);
	read_any(m, &c->bytes);
	read_any(m, &c->packets);
	read_count(m, &c->overwritten);
	read_count(m, &c->waits);
	read_count(m, &c->waited);
	read_count(m, &c->longest);
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
	uint64_t n, had = r->matched;

	read_counts(m, &r->counts);
	if (r->channel->session->trigger == NULL)
		return;
	n = matches(r);
	if (n == had)
		return;
	if (!count_grew(&had, n))
		r->base += n - r->matched;
	r->matched = n;
	state_changed(&r->saved);
}

void
counts_add(struct counts *sum, const struct counts *c)
{
	count_add(&sum->written, c->written);
	count_add(&sum->lost, c->lost);
	count_add(&sum->bytes, c->bytes);
	count_add(&sum->packets, c->packets);
	count_add(&sum->overwritten, c->overwritten);
	count_add(&sum->waits, c->waits);
	count_add(&sum->waited, c->waited);
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
		count_add(&before, r->carried);
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
