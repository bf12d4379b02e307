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
 * The contexts of channels: what each event says besides its fields.  Programs
 * and readers are told of them with the channel's buffers, so they are fixed
 * when the first of these are made.
 */

#include <stdio.h>
#include <string.h>

#include "../../libut/expr/expr.h"
#include "client.h"
#include "trace.h"

static bool
context_has(const struct channel *ch, const char *name)
{
	uint32_t i;

	for (i = 0; i < ch->contexts.n; i++)
		if (strcmp(ch->contexts.name[i], name) == 0)
			return true;
	return false;
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
			if (strcmp(cs->name[i], cs->name[j]) == 0) {
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
