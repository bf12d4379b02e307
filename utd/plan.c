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
 * Plans: the IDs that a table's events have in a region.  They are the same
 * for all programs with that table, so they are made once, and found again
 * as long as the rules stay the same.
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parent.h"

#define KEPT_MAX	64	/* of a channel, that no program has */

struct plan *
plan_ref(struct plan *p)
{
	p->refs++;
	return p;
}

void
plan_unref(struct plan *p)
{
	if (p != NULL && --p->refs == 0) {
		free(p->ids);
		free(p);
	}
}

/* The channel has a reference to each in its list. */
void
plans_forget(struct channel *ch, const struct region *r)
{
	struct plan **pp = &ch->plans, *p;

	while ((p = *pp) != NULL) {
		if (r != NULL && p->region != r) {
			pp = &p->next;
			continue;
		}
		*pp = p->next;
		plan_unref(p);
	}
}

/* What was made for older rules, or too long ago, is not kept. */
static void
plan_keep(struct channel *ch, struct plan *new)
{
	struct plan **pp = &ch->plans, *p;
	unsigned int n = 0;

	new->next = ch->plans;
	ch->plans = plan_ref(new);
	while ((p = *pp) != NULL) {
		if (p->rules == ch->generation && ++n <= KEPT_MAX) {
			pp = &p->next;
			continue;
		}
		*pp = p->next;
		plan_unref(p);
	}
}

/* Made before, for programs like that one; the region NULL: nothing. */
struct plan *
plan_find(const struct channel *ch, const struct app *a)
{
	const struct region *r = region_find(ch, a);
	struct plan *p;

	for (p = ch->plans; p != NULL; p = p->next)
		if (p->table == a->table->serial &&
		    p->rules == ch->generation &&
		    (p->region == NULL || p->region == r))
			return p;
	return NULL;
}

static void
warn_refused(const struct channel *ch, const struct app *a, const char *event)
{
	char name[NAME_MAXLEN + 1], *p;

	strcpy(name, event);		/* table_names has cut it */
	for (p = name; *p != '\0'; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
	session_warn(ch->session, "event %s of %s (%d): description not "
	    "valid: not recorded", name, a->name, (int)a->pid);
}

/* The ID in the region, for which a new one may need metadata; 0 is none. */
static uint32_t
id_in(struct region *r, struct desc *d, const struct app *a)
{
	char why[1024];
	uint32_t id;
	bool isnew;

	id = registry_id(&r->registry, d, a->name, &isnew, why, sizeof(why));
	if (id == 0)
		session_warn(r->channel->session, "%s", why);
	else if (isnew)
		region_name_event(r, r->registry.newest);
	return id;
}

static bool
type_wanted(const struct channel *ch, const struct app *a, uint32_t i)
{
	const struct type *t = &a->table->types[i];

	return channel_matches(ch, t->name, t->level);
}

static struct plan *
plan_new(const struct channel *ch, const struct table *t)
{
	struct plan *p;

	if ((p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	if ((p->ids = calloc(t->size + 1, sizeof(*p->ids))) == NULL) {
		free(p);
		return NULL;
	}
	p->refs = 1;
	p->table = t->serial;
	p->rules = ch->generation;
	return p;
}

/*
 * A reference to a new plan for the program, or NULL and errno.  The region is
 * asked for only if anything matches; it need not be there yet.
 */
struct plan *
plan_make(struct channel *ch, const struct app *a)
{
	struct plan *p = plan_new(ch, a->table);
	const struct table *t = a->table;
	bool whole = true;
	uint32_t i;

	if (p == NULL)
		return NULL;
	for (i = 0; i < t->size; i++) {
		if (!type_wanted(ch, a, i))
			continue;
		if (t->types[i].refused)
			warn_refused(ch, a, t->types[i].name);
		else if (t->types[i].desc == NULL)
			whole = false;		/* unloaded there */
		else {
			if (p->region == NULL)
				p->region = region_get(ch, a);
			p->ids[i] = (uint16_t)id_in(p->region,
			    t->types[i].desc, a);
			p->n = i + 1;
		}
	}
	if (whole)
		plan_keep(ch, p);
	return p;
}

/* The next event, from that on, which has to be described for a plan. */
bool
plan_lacks(const struct channel *ch, const struct app *a, uint32_t *i)
{
	const struct type *t = a->table->types;

	for (; *i < a->table->size; ++*i)
		if (t[*i].desc == NULL && !t[*i].refused &&
		    type_wanted(ch, a, *i))
			return true;
	return false;
}
