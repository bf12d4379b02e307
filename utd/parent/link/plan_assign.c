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
 * The end of a plan (plan.c): an ID in the region, and the code of its filters,
 * for each event that is wanted.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../../libut/common/clock.h"
#include "../../../libut/expr/expr.h"
#include "program.h"

/*
 * The event's ID in the region, which is described if it is new, or 0: why, and
 * errno.
 */
static uint32_t
id_get(struct region *r, struct event *e, const char *program, uint32_t rule,
    char *why, size_t n)
{
	const uint32_t last = r->registry.last;
	const uint32_t id = registry_get(&r->registry, e, program, rule, why,
	    n);

	if (id > last)
		region_name_event(r, id);
	return id;
}

/*
 * Before all other events, ut:stack gets its ID, which programs know.  False if
 * it does not.
 */
static bool
has_stack(struct region *r, char *why, size_t n)
{
	struct event *e;
	bool ok;

	if (!channel_stacks(r->channel) || r->registry.last > 0)
		return true;
	if ((e = event_stack()) == NULL) {
		snprintf(why, n, "event ut:stack: %s", strerror(errno));
		return false;
	}
	ok = id_get(r, e, "libut", 0, why, n) == UT_ID_STACK;
	event_unref(e);
	return ok;
}

/*
 * The event's ID, or 0 if it cannot be recorded.  If the refusal may be
 * temporary (ENOMEM), clears *whole, so that the plan is not cached.
 */
static uint32_t
id_in(struct region *r, struct event *e, const struct program *p, uint32_t rule,
    bool *whole)
{
	uint32_t id = 0;
	char why[1024];

	if (has_stack(r, why, sizeof(why)))
		id = id_get(r, e, p->name, rule, why, sizeof(why));
	if (id == 0) {
		*whole &= errno != ENOMEM;
		session_blame(r->channel->session, p->uid, "%s", why);
	}
	return id;
}

/* Tell the user of filters that do not fit an event, once each. */
static void
warn_filters(const struct channel *ch, const struct plan *plan, size_t n)
{
	struct filter *f;
	size_t i;

	for (i = 0; i < n; i++) {
		f = plan->wants[plan->want + i].filter;
		if (f->why[0] == '\0' || f->told)
			continue;
		f->told = true;
		session_warn(ch->session, "%s", f->why);
	}
}

/*
 * Compile the filters of the event.  False if there are some, and it cannot
 * pass any, or they cannot be kept.
 */
static bool
give_filter(struct plan *plan, struct channel *ch, const struct program *p,
    uint32_t i)
{
	const struct table *t = p->table;
	const size_t n = plan_wants(plan, i);
	struct code *c;
	bool newest = true;

	if (n == 0)
		return true;
	c = code_compile(ch, plan->wants + plan->want, n,
	    t->events[i], p->name, &newest);
	warn_filters(ch, plan, n);
	if (!newest)
		plan->ids[i] = PLAN_WANTED;
	if (c != NULL && plan_code(plan, t, i, c))
		return true;
	if (errno != ENOEXEC) {
		session_blame(ch->session, p->uid, "filter of event %s: %s",
		    t->events[i]->name, strerror(errno));
		plan->whole = false;
	}
	return false;
}

/*
 * The ID that the event has in the region, or 0.  The region is asked for only
 * if an event is wanted; the plan does not wait for it.
 */
static uint32_t
assign_id(struct plan *plan, struct channel *ch, const struct program *p,
    uint32_t i)
{
	struct event *e = p->table->events[i];

	if (e->state == EVENT_REFUSED) {
		session_blame(ch->session, p->uid, "event %s of %s (%d): "
		    "description not valid: %s: not recorded", e->name,
		    p->name, (int)p->pid, event_why(e));
		return 0;
	}
	if (e->state == EVENT_NAMED) {
		plan->whole = false;		/* unloaded there */
		return 0;
	}
	if (!give_filter(plan, ch, p, i))
		return 0;
	if (plan->region == NULL)
		plan->region = region_get(ch, p);
	return id_in(plan->region, e, p, plan->ids[i] == PLAN_NEWEST ?
	    plan->newest : 0, &plan->whole);
}

/*
 * Everything is judged, and described if the program could do that: assign the
 * IDs.  False if the session's user has no time left for compiling filters.
 */
bool
plan_fill(struct plan *plan, struct channel *ch, const struct program *p)
{
	const uint64_t since = ut_nanoseconds();
	struct user *u = ch->session->user;
	uint32_t i;
	size_t n;

	for (; (i = plan->assigned) < p->table->size; plan->assigned++) {
		if (plan->ids[i] == 0)
			continue;
		n = plan_wants(plan, i);
		if (n > 0 && !user_goes_on(u, since, n * EXPR_MAX))
			break;
		plan_assign(plan, i, assign_id(plan, ch, p, i));
		plan->want += n;
	}
	user_spent(u, since);
	if (i < p->table->size)
		return false;
	plan_done(plan);
	if (plan->whole)
		plan_keep(ch, plan);
	return true;
}
