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
 * How many events and programs match, for whoever has asked for something that
 * depends on that.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "do.h"
#include "program.h"

struct names {
	const char	**list;
	unsigned int	  n, room;
};

static int
by_name(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;

	return strcmp(*a, *b);
}

/* The events of the channel's registries that this rule, or any, matches. */
static void
add_names(struct names *ns, const struct channel *ch, const struct rule *rule)
{
	const struct region *r;
	const struct registry *events;
	unsigned int i;

	for (r = ch->regions; r != NULL; r = r->next) {
		events = &r->registry;
		for (i = 1; i <= events->last; i++) {
			if (rule != NULL &&
			    events->entries[i].rule != rule->serial)
				continue;
			if (ns->n == ns->room) {
				ns->room = ns->room * 2 + 64;
				ns->list = xrealloc(ns->list,
				    ns->room * sizeof(*ns->list));
			}
			ns->list[ns->n++] = events->entries[i].event->name;
		}
	}
}

/* An event may be in several registries. */
static unsigned int
names_distinct(struct names *ns)
{
	unsigned int i, n = 0;

	if (ns->n > 0)
		qsort(ns->list, ns->n, sizeof(*ns->list), by_name);
	for (i = 0; i < ns->n; i++)
		n += i == 0 || strcmp(ns->list[i], ns->list[i - 1]) != 0;
	return n;
}

/* Has the program such events mapped in the channel? */
static bool
has_mapped(const struct program *p, const struct channel *ch,
    const struct rule *rule)
{
	const struct link *l = link_find(p, ch);

	if (l == NULL || l->mapped == NULL)
		return false;
	return rule == NULL ? l->mapped->region != NULL :
	    l->mapped->hit && l->mapped->newest == rule->serial;
}

static unsigned int
count_programs(const struct session *s, const struct channel *only,
    const struct rule *rule)
{
	const struct program *p;
	const struct channel *ch;
	unsigned int n = 0;

	for (p = programs; p != NULL; p = p->next) {
		if (p->conn == NULL)
			continue;
		for (ch = s->channels; ch != NULL; ch = ch->next)
			if ((only == NULL || ch == only) &&
			    has_mapped(p, ch, rule))
				break;
		n += ch != NULL;
	}
	return n;
}

/*
 * Count the events that match: in the session, or only in that channel, and for
 * the newest rule of the channel, or for all rules.  Returns the number of
 * programs.
 */
unsigned int
matches_text(const struct session *s, const struct channel *only,
    const struct rule *newest, char *text, size_t n)
{
	const unsigned int nprograms = count_programs(s, only, newest);
	const struct channel *ch;
	struct names ns = { NULL, 0, 0 };
	unsigned int nevents;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (only == NULL || ch == only)
			add_names(&ns, ch, newest);
	nevents = names_distinct(&ns);
	free(ns.list);
	snprintf(text, n, "%u event%s of %u program%s", nevents,
	    nevents == 1 ? "" : "s", nprograms, nprograms == 1 ? "" : "s");
	return nprograms;
}
