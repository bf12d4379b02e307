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
 * Requests of utctl: which events a channel records, and how many match.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "do.h"
#include "../link/program.h"

struct names {
	const char	**list;
	unsigned int	  n, room;
};

static uint32_t ncounts;	/* so often were events counted */

static int
by_name(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;

	return strcmp(*a, *b);
}

/* Add the events of a plan in its region that this rule, or any, matches. */
static void
add_names(struct names *ns, const struct region *r, const struct plan *plan,
    const struct rule *rule)
{
	const struct entry *e;
	uint32_t i;

	for (i = 0; i < plan->n; i++) {
		e = &r->registry.entries[plan->ids[i]];
		if (plan->ids[i] == 0 || (rule != NULL &&
		    e->rule != rule->serial))
			continue;
		if (ns->n == ns->room) {
			ns->room = ns->room * 2 + 64;
			ns->list = xrealloc(ns->list,
			    ns->room * sizeof(*ns->list));
		}
		ns->list[ns->n++] = e->event->name;
	}
}

/* An event may be in several plans. */
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

/*
 * Add the events that the program has mapped in the channel; false if there are
 * none.  Programs with the same events have one plan, which is added once.  A
 * region may have gone before its plan has, but not before its links.
 */
static bool
add_mapped(struct names *ns, const struct program *p, const struct channel *ch,
    const struct rule *rule)
{
	const struct link *l = link_find(p, ch);
	struct plan *plan = l == NULL ? NULL : l->mapped;

	if (plan == NULL || plan->region == NULL || (rule != NULL &&
	    (!plan->hit || plan->newest != rule->serial)))
		return false;
	if (plan->counted != ncounts && l->region == plan->region) {
		plan->counted = ncounts;
		add_names(ns, l->region, plan, rule);
	}
	return true;
}

/*
 * Count the events of running programs that match: in the session, or only in
 * that channel, and for the newest rule of the channel, or for all rules.
 * Returns the number of programs.
 */
unsigned int
matches_text(const struct session *s, const struct channel *only,
    const struct rule *newest, char *text, size_t n)
{
	const struct program *p;
	const struct channel *ch;
	struct names ns = { NULL, 0, 0 };
	unsigned int nprograms = 0, nevents;
	bool any;

	ncounts++;
	for (p = programs; p != NULL; p = p->next) {
		any = false;
		for (ch = s->channels; p->conn != NULL && ch != NULL;
		    ch = ch->next)
			if (only == NULL || ch == only)
				any |= add_mapped(&ns, p, ch, newest);
		nprograms += any;
	}
	nevents = names_distinct(&ns);
	free(ns.list);
	snprintf(text, n, "%u event%s of %u program%s", nevents,
	    nevents == 1 ? "" : "s", nprograms, nprograms == 1 ? "" : "s");
	return nprograms;
}

/* The counts are known only as long as no rule is newer. */
void
rule_answer(const struct client *k, char *text, size_t n)
{
	const struct rule *newest = k->channel->newest;
	const struct filter *f = k->rule->filter;
	const char *unfit = f != NULL ? f->why : "";
	char count[MATCHES_LEN];

	text[0] = '\0';
	if (!channel_active(k->channel))
		snprintf(text, n, "%s: enabled; %s %s is %s",
		    k->rule->glob, k->channel->enabled ? "session" : "channel",
		    k->channel->enabled ? k->session->name : k->channel->name,
		    k->channel->enabled ? "not started" : "disabled");
	if (text[0] != '\0' || newest == NULL ||
	    newest->serial != k->rule->serial)
		return;
	matches_text(k->channel->session, k->channel, k->rule, count,
	    sizeof(count));
	snprintf(text, n, "%s: %s%s%s", k->rule->glob, count,
	    unfit[0] != '\0' ? "; " : "", unfit);
}

static void
answer_enabled(struct client *k)
{
	char text[2 * NAME_MAXLEN + 512 + 64];

	if (k->why[0] != '\0') {
		client_refuse(k, "%s is enabled, but %s", k->rule->glob,
		    k->why);
		return;
	}
	rule_answer(k, text, sizeof(text));
	client_answer(k, text);
}

/* The channel and the rule that the request is about. */
static struct channel *
get_rule(struct client *k, struct ut_msg *m, bool create)
{
	char name[NAME_MAXLEN], why[512];

	rule_free(k->rule);
	ut_msg_get_str(m, name, sizeof(name));
	k->rule = rule_read(m, why, sizeof(why));
	return client_check(k, k->rule != NULL, why) ?
	    channel_asked(k, name, create) : NULL;
}

static void
sync_rules(struct client *k, void (*finish)(struct client *))
{
	struct waiter *w;

	w = client_wait(k, finish, CLIENT_PATIENCE);
	if (channel_active(k->channel))
		channel_sync(k->channel, w);
	wait_less(w);
}

void
do_enable(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_rule(k, m, true);
	char why[256];

	if (ch == NULL || !client_check(k, contexts_fit(ch, k->rule->filter,
	    why, sizeof(why)), why))
		return;
	if (k->rule->kind == UT_RULE_ANY) {
		client_refuse(k, "rule: no such kind");
		return;
	}
	if (channel_active(ch) && channel_incomplete(ch))
		(void)rule_del(ch, k->rule);	/* to add it again */
	if (rule_add(ch, k->rule))
		sync_rules(k, answer_enabled);
	else if (errno == EEXIST)
		client_refuse(k, "%s is enabled already in channel %s",
		    k->rule->glob, ch->name);
	else
		client_too_many(k, "rule", k->rule->glob, ch->session->uid);
}

void
do_disable(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_rule(k, m, false);

	if (ch == NULL)
		return;
	if (!rule_del(ch, k->rule))
		client_refuse(k, k->rule->filter == NULL ?
		    "%s is not enabled in channel %s" :
		    "%s is not enabled in channel %s with this filter, as list "
		    "has it", k->rule->glob, ch->name);
	else
		sync_rules(k, client_done);
}
