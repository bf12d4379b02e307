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

/* Requests of utctl: which events a channel records. */

#include <errno.h>
#include <stdio.h>

#include "do.h"
#include "program.h"

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
