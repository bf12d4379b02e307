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
 * for all programs with that table, so a plan is made once, and found again
 * as long as the rules stay the same.
 *
 * First each event is judged by the rules, the newest first, in as many turns
 * as necessary.  Then the program describes the wanted events, and these get
 * their IDs: see link.c.
 */

#include <stdlib.h>
#include <string.h>

#include "../../libut/common/clock.h"
#include "event.h"
#include "rule.h"
#include "session.h"

#define KEPT_MAX	64	/* plans kept for a channel */

struct plan *
plan_ref(struct plan *p)
{
	p->refs++;
	return p;
}

/* From the one with that number on, no filters are wanted. */
static void
wants_cut(struct plan *p, size_t n)
{
	while (p->nwants > n) {
		filter_unref(p->wants[--p->nwants].filter);
		user_give(p->user, QUOTA_FILTERS, sizeof(*p->wants));
	}
}

static void
wants_free(struct plan *p)
{
	wants_cut(p, 0);
	free(p->wants);
	p->wants = NULL;
	p->wants_room = 0;
	user_drop(p->user);
	p->user = NULL;
}

static void
codes_free(struct plan *p)
{
	uint32_t i;

	for (i = 0; p->codes != NULL && i < p->n; i++)
		code_unref(p->codes[i]);
	free(p->codes);
	p->codes = NULL;
}

void
plan_unref(struct plan *p)
{
	if (p == NULL || --p->refs > 0)
		return;
	wants_free(p);
	codes_free(p);
	free(p->ids);
	free(p);
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

/* Keep a new plan, and drop those for older rules and the oldest of many. */
void
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

/*
 * The plan that was made before for programs with that table and that region,
 * or NULL.  A plan without a region wants nothing.
 */
struct plan *
plan_find(const struct channel *ch, const struct table *t,
    const struct region *r)
{
	struct plan *p;

	for (p = ch->plans; p != NULL; p = p->next)
		if (p->table == t->serial &&
		    p->rules == ch->generation &&
		    (p->region == NULL || p->region == r))
			return p;
	return NULL;
}

/* A reference to a new plan, with nothing judged; NULL and errno. */
struct plan *
plan_new(const struct table *t)
{
	struct plan *p;

	if ((p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	if ((p->ids = calloc(t->size + 1, sizeof(*p->ids))) == NULL) {
		free(p);
		return NULL;
	}
	p->refs = 1;
	p->whole = true;
	p->table = t->serial;
	return p;
}

/* Begin again with the first event, by the present rules. */
static void
judge_anew(struct plan *p, const struct channel *ch)
{
	memset(p->ids, 0, p->judged * sizeof(*p->ids));
	wants_cut(p, 0);
	p->judged = 0;
	p->rules = ch->generation;
	p->rule = ch->newest;
	p->newest = ch->newest == NULL ? 0 : ch->newest->serial;
}

/* Where the filters of the event, the last one that has any, begin. */
static size_t
wants_of(const struct plan *p, uint32_t event)
{
	size_t n = p->nwants;

	while (n > 0 && p->wants[n - 1].event == event)
		n--;
	return n;
}

/* False if the user may not have so many. */
static bool
want_add(struct plan *p, struct user *u, uint32_t event, struct filter *f)
{
	if (p->user == NULL)
		p->user = user_get(u->uid);	/* there is one: it is u */
	if (!user_take(u, QUOTA_FILTERS, sizeof(*p->wants)))
		return false;
	if (p->nwants == p->wants_room) {
		p->wants_room = p->wants_room * 2 + 16;
		p->wants = xrealloc(p->wants,
		    p->wants_room * sizeof(*p->wants));
	}
	p->wants[p->nwants].event = event;
	p->wants[p->nwants++].filter = filter_ref(f);
	return true;
}

/*
 * The rule that is to be tried matches the event that is judged.  True if that
 * decides: then the event is recorded whatever is in its fields.
 */
static bool
rule_matched(struct plan *p, const struct channel *ch)
{
	const uint32_t i = p->judged;
	struct rule *r = p->rule;

	r->matched = true;
	if (r->filter != NULL && !want_add(p, ch->session->user, i,
	    r->filter)) {
		p->refused = true;
		p->whole = false;
		return false;
	}
	if (p->ids[i] == 0)
		p->ids[i] = r == ch->newest ? PLAN_NEWEST : PLAN_WANTED;
	if (r->filter != NULL)
		return false;
	wants_cut(p, wants_of(p, i));
	return true;
}

static bool
judge_events(struct plan *p, const struct channel *ch, const struct table *t,
    uint64_t since)
{
	const struct event *e;

	for (; p->judged < t->size; p->judged++, p->rule = ch->newest) {
		e = t->events[p->judged];
		for (; p->rule != NULL; p->rule = p->rule->prev) {
			if (!user_goes_on(ch->session->user, since,
			    p->rule->bytes))
				return false;
			if (!rule_matches(p->rule, e->name, e->level))
				nearest_note(p->rule, e->name);
			else if (rule_matched(p, ch))
				break;
		}
	}
	return true;
}

/* Go on judging; false when the session's user has no time left. */
bool
plan_judge(struct plan *p, const struct channel *ch, const struct table *t)
{
	const uint64_t since = ut_nanoseconds();
	bool all;

	if (p->judged < t->size && p->rules != ch->generation)
		judge_anew(p, ch);
	all = judge_events(p, ch, t, since);
	user_spent(ch->session->user, since);
	return all;
}

/* How many filters has that event, the next one to be assigned an ID? */
size_t
plan_wants(const struct plan *p, uint32_t event)
{
	size_t n = 0;

	while (p->want + n < p->nwants && p->wants[p->want + n].event == event)
		n++;
	return n;
}

/* The event is to pass that filter, whose reference is taken.  False: errno. */
bool
plan_code(struct plan *p, const struct table *t, uint32_t event,
    struct code *c)
{
	if (p->codes == NULL && (p->codes = calloc(t->size + 1,
	    sizeof(*p->codes))) == NULL) {
		code_unref(c);
		return false;
	}
	p->codes[event] = c;
	p->n = event + 1;
	return true;
}

/* The filter of the event, or NULL. */
const struct code *
plan_filter(const struct plan *p, uint32_t event)
{
	return p == NULL || p->codes == NULL || event >= p->n ||
	    p->ids[event] == 0 ? NULL : p->codes[event];
}

/* The event gets its ID, in the region, or 0, instead of the verdict on it. */
void
plan_assign(struct plan *p, uint32_t i, uint32_t id)
{
	p->hit |= p->ids[i] == PLAN_NEWEST && id != 0;
	p->ids[i] = (uint16_t)id;
	if (id != 0)
		p->n = i + 1;
}

/* All events have theirs; without one that is wanted, there is no region. */
void
plan_done(struct plan *p)
{
	uint16_t *ids;

	wants_free(p);
	if ((ids = realloc(p->ids, (p->n + 1) * sizeof(*ids))) != NULL)
		p->ids = ids;
}

/*
 * Find the next event, from *i on, that is not described yet: one that the
 * plan wants, or, without a plan, any.  False if there is none.
 */
bool
plan_lacks(const struct plan *p, const struct table *t, uint32_t *i)
{
	for (; *i < t->size; ++*i)
		if (t->events[*i]->state == EVENT_NAMED &&
		    (p == NULL || p->ids[*i] != 0))
			return true;
	return false;
}
