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

/* Requests of utctl: what is done when programs record an event. */

#include <stdio.h>
#include <string.h>

#include "do.h"
#include "../parent.h"
#include "../link/program.h"
#include "../act/trigger.h"

#define FLUSH_MS	50	/* until an event is seen */
#define SUBBUFS		32

struct wish {
	struct trigger	 trigger;	/* users choose parts of it */
	char		 command[UT_COMMAND_MAX + 1];
	struct contexts	 contexts;	/* needed by the filter */
};

/* The request; false, and refused, if it makes no sense. */
static bool
get_wish(struct client *k, struct ut_msg *m, struct wish *w)
{
	char why[512];

	rule_free(k->rule);
	k->rule = NULL;
	w->trigger.action = ut_msg_get_u32(m);
	w->trigger.count = ut_msg_get_u32(m);
	w->trigger.command = w->command;
	ut_msg_get_str(m, w->command, sizeof(w->command));
	if (m->bad) {
		client_refuse(k, "trigger: a command of at most %d bytes",
		    UT_COMMAND_MAX);
		return false;
	}
	if (!client_check(k, !trigger_refused(k->session, w->trigger.action,
	    w->command, why, sizeof(why)) &&
	    (k->rule = rule_read(m, why, sizeof(why))) != NULL, why))
		return false;
	if (k->rule->kind != UT_RULE_ALL || k->rule->nexcept > 0) {
		client_refuse(k, "trigger: no levels and no exclusions");
		return false;
	}
	w->trigger.later = ut_msg_more(m) ? ut_msg_get_u32(m) : 0;
	if (!client_check(k, !m->bad && w->trigger.later <= UT_TRIGGER_LATER,
	    "trigger: an action at most 24 hours later"))
		return false;
	w->contexts.n = 0;
	if (k->rule->filter != NULL &&
	    !contexts_named(k->rule->filter, &w->contexts)) {
		client_refuse(k, "filter: more than %u contexts", CONTEXT_MAX);
		return false;
	}
	return true;
}

/* The channel of the trigger; NULL: the user has too much. */
static struct channel *
watch_channel(struct session *s, struct rule *rule,
    const struct contexts *cs)
{
	struct attrs attrs;
	struct channel *ch;
	char name[NAME_MAXLEN];

	memset(&attrs, 0, sizeof(attrs));
	attrs.v[ATTR_MODE] = UT_MODE_OVERWRITE;
	attrs.v[ATTR_FLUSH] = FLUSH_MS;
	attrs.v[ATTR_NSUBS] = SUBBUFS;
	attrs_default(&attrs);
	snprintf(name, sizeof(name), "trigger-%u", s->trigger->number);
	if ((ch = channel_new(s, name, &attrs, new_id())) == NULL)
		return NULL;
	contexts_add(ch, cs);
	return rule_add(ch, rule) ? ch : NULL;
}

/* Nobody sees it yet.  NULL: the user has too much. */
static struct trigger *
trigger_make(struct session *s, struct rule *rule, const struct wish *w)
{
	struct session *watch = session_new(new_id(), s->name, "", s->uid,
	    s->gid);
	struct trigger *t;

	if (watch == NULL)
		return NULL;
	session_watch(watch, s);
	t = watch->trigger;
	members_move(trigger_members, t, &w->trigger);
	t->number = ++s->ntriggers;
	if (watch_channel(watch, rule, &w->contexts) != NULL)
		return t;
	s->ntriggers--;
	session_end(watch);
	return NULL;
}

static void
answer_added(struct client *k)
{
	const struct trigger *t = k->session->trigger;
	char text[1200], what[1100];

	if (k->why[0] != '\0') {
		client_refuse(k, "trigger %u is there, but %s", t->number,
		    k->why);
		return;
	}
	rule_answer(k, what, sizeof(what));
	snprintf(text, sizeof(text), "trigger %u: %s", t->number, what);
	client_answer(k, text);
}

void
do_trigger(struct client *k, struct ut_msg *m)
{
	static struct wish wish;
	struct session *s = k->session;
	const struct trigger *t;
	struct waiter *w;
	unsigned int n = 0;

	if (!get_wish(k, m, &wish))
		return;
	for (t = s->triggers; t != NULL; t = t->next)
		n++;
	if (n >= UT_TRIGGER_MAX) {
		client_refuse(k, "session %s has %u triggers already", s->name,
		    n);
		return;
	}
	if ((t = trigger_make(s, k->rule, &wish)) == NULL) {
		client_refuse(k, "trigger: uid %lu has too many sessions, "
		    "channels or rules", (unsigned long)s->uid);
		return;
	}
	client_about(k, t->watch);
	k->channel = t->watch->channels;
	w = client_wait(k, answer_added, CLIENT_PATIENCE);
	if (s->active)
		session_follow(t->watch, true, w);
	wait_less(w);
}

void
do_untrigger(struct client *k, struct ut_msg *m)
{
	const uint32_t number = ut_msg_get_u32(m);
	const struct trigger *t = trigger_find(k->session, number);

	if (m->bad || t == NULL) {
		client_refuse(k, "session %s has no trigger %u",
		    k->session->name, number);
		return;
	}
	session_end(t->watch);
	client_ok(k, "%s", "");
}
