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
 * Channels.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../libut/expr/expr.h"
#include "../act/client.h"
#include "rule.h"
#include "../store/trace.h"

struct channel *
channel_find(struct session *s, const char *name)
{
	struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (strcmp(ch->name, name) == 0)
			return ch;
	return NULL;
}

/* Do the channel's regions take events? */
bool
channel_active(const struct channel *ch)
{
	return ch->session->active && ch->enabled && !ch->session->dying;
}

/* Can there be a channel like that?  If not, why. */
bool
channel_possible(const struct attrs *attrs, char *why, size_t len)
{
	const uint32_t size = attrs->v[ATTR_SUBSIZE];
	const uint32_t n = attrs->v[ATTR_NSUBS], most = attr_subbufs(size);

	if (!attrs_valid(attrs, why, len))
		return false;
	if (n <= most)
		return true;
	snprintf(why, len, "%u sub-buffers of %u bytes, with what describes "
	    "them, are more than 4 GB: there can be %u", n, size, most);
	return false;
}

/* NULL and ENOMEM when the user has too much. */
struct channel *
channel_new(struct session *s, const char *name, const struct attrs *attrs,
    uint32_t id)
{
	struct channel *ch;

	if (!user_take(s->user, QUOTA_CHANNELS, 1))
		return NULL;
	ch = xcalloc(1, sizeof(*ch));
	snprintf(ch->name, sizeof(ch->name), "%s", name);
	ch->id = id;
	ch->stream = s->nstreams++;
	ch->enabled = true;
	ch->attrs = *attrs;
	ch->session = s;
	LIST_ADD(struct channel, &s->channels, ch, next);
	state_add(&ch->saved, SAVED_CHANNEL, id, ch);
	state_changed(&s->saved);	/* a stream more */
	return ch;
}

void
channel_free(struct channel *ch)
{
	rules_free(ch);
	plans_forget(ch, NULL);
	user_give(ch->session->user, QUOTA_CHANNELS, 1);
	state_del(&ch->saved);
	free(ch);
}

/* The caller has regions and programs follow. */
void
channel_enable(struct channel *ch, bool enabled)
{
	ch->enabled = enabled;
	state_changed(&ch->saved);
}

/*
 * The contexts of channels: what each event says besides its fields.  Programs
 * and readers are told of them with the channel's buffers, so they are fixed
 * when the first of these are made.
 */

static bool
is_stack(const char *name)
{
	return context_kind(name) == CONTEXT_STACK;
}

/* Are these the same context?  There is one stack, of whatever depth. */
static bool
context_same(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || (is_stack(a) && is_stack(b));
}

static bool
context_has(const struct channel *ch, const char *name)
{
	uint32_t i;

	for (i = 0; i < ch->contexts.n; i++)
		if (context_same(ch->contexts.name[i], name))
			return true;
	return false;
}

bool
channel_stacks(const struct channel *ch)
{
	return context_has(ch, context_table[CONTEXT_STACK].name);
}

/* Are these known, and none of them there twice? */
bool
contexts_valid(const struct contexts *cs, char *why, size_t n)
{
	uint32_t i, j;

	for (i = 0; i < cs->n; i++) {
		if (context_kind(cs->name[i]) == -1) {
			snprintf(why, n, "context %s: unknown", cs->name[i]);
			return false;
		}
		for (j = 0; j < i; j++) {
			if (context_same(cs->name[i], cs->name[j])) {
				snprintf(why, n, "context %s: named twice",
				    cs->name[i]);
				return false;
			}
		}
	}
	return true;
}

/* Has the channel buffers, or has it had some? */
static bool
recorded(const struct channel *ch)
{
	return ch->regions != NULL || ch->past.written != 0 ||
	    ch->past.lost != 0;
}

/* Can they be added to the channel? */
bool
contexts_possible(const struct channel *ch, const struct contexts *cs,
    char *why, size_t n)
{
	uint32_t i;

	if (recorded(ch)) {
		snprintf(why, n, "channel %s has recorded already: contexts "
		    "are added before that", ch->name);
		return false;
	}
	for (i = 0; i < cs->n; i++) {
		if (context_has(ch, cs->name[i])) {
			snprintf(why, n, "channel %s has context %s already",
			    ch->name, cs->name[i]);
			return false;
		}
	}
	if (cs->n > CONTEXT_MAX - ch->contexts.n) {
		snprintf(why, n, "channel %s: more than %u contexts", ch->name,
		    CONTEXT_MAX);
		return false;
	}
	return true;
}

void
contexts_add(struct channel *ch, const struct contexts *cs)
{
	uint32_t i;

	for (i = 0; i < cs->n; i++)
		memcpy(ch->contexts.name[ch->contexts.n++], cs->name[i],
		    sizeof(cs->name[i]));
	state_changed(&ch->saved);
}

/* The contexts that the filter names; false: too many. */
bool
contexts_named(const struct filter *f, struct contexts *cs)
{
	const struct expr *e = f->expr;
	const struct expr_node *node;
	const char *name;
	uint32_t i, j;

	cs->n = 0;
	for (i = 0; i < e->nnodes; i++) {
		node = &e->nodes[i];
		name = e->strings + node->s.at;
		if (node->op != EXPR_FIELD || name[0] != '$')
			continue;
		for (j = 0; j < cs->n &&
		    strcmp(cs->name[j], name + 1) != 0; j++)
			continue;
		if (j < cs->n)
			continue;
		if (j == CONTEXT_MAX)
			return false;
		snprintf(cs->name[cs->n++], sizeof(cs->name[0]), "%s",
		    name + 1);
	}
	return true;
}

/* Has the channel the contexts that the filter names? */
bool
contexts_fit(const struct channel *ch, const struct filter *f, char *why,
    size_t n)
{
	const struct expr *e;
	const struct expr_node *node;
	const char *name;
	uint16_t i;

	if (f == NULL)
		return true;
	e = f->expr;
	for (i = 0; i < e->nnodes; i++) {
		node = &e->nodes[i];
		if (node->op != EXPR_FIELD)
			continue;
		name = e->strings + node->s.at;
		if (name[0] == '$' && !context_has(ch, name + 1)) {
			snprintf(why, n, "filter: channel %s has no context %s",
			    ch->name, name + 1);
			return false;
		}
	}
	return true;
}

/*
 * How many events and bytes there are of regions, channels and sessions.
 */

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
