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
 * The session of utctl record: how it begins, with a channel and rules, and
 * what gives names to the addresses in its events: the modules of the programs,
 * in a channel of their own, where no flood of other events can make them be
 * lost or overwritten.
 */

#include <sys/types.h>

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/event_name.h"
#include "record.h"
#include "ut_abi.h"

#define NAMES		1000		/* sessions that one second can have */
#define FOLLOW_HOLD	(INT64_C(300) * 1000000)
#define CHANNEL		"modules"
#define SUBSIZE		16384		/* bytes of its sub-buffers */
#define NSUBS		128

static const char *const module_globs[] = { "ut:module", "ut:unload" };

/* Numbers of a session that are sums of its channels'. */
static const char *const sums[] = { "written", "lost", "overwritten" };

/*
 * Has the user asked for all of that event, in another channel, which keeps it
 * to the end?
 */
static int
modules_asked(const struct record *r, const char *event)
{
	int asked = 0;
	size_t i;

	for (i = 0; i < r->nglobs; i++)
		asked |= event_matches(r->globs[i], event);
	for (i = 0; i < r->rule.nexcept; i++)
		asked &= fnmatch(r->rule.except[i], event, 0) != 0;
	return asked && r->rule.kind == UT_RULE_ALL &&
	    r->rule.filter == NULL && !r->keeps &&
	    r->attrs.v[ATTR_MODE] != UT_MODE_OVERWRITE &&
	    r->attrs.v[ATTR_FILES] == 0;
}

/* Will there be addresses that have no names otherwise? */
static int
modules_wanted(const struct record *r)
{
	const struct wrapper *w;
	size_t i;

	if (modules_asked(r, module_globs[0]) &&
	    modules_asked(r, module_globs[1]))
		return 0;
	if (r->preload != NULL || r->contexts[0] != NULL)
		return 1;
	/* A wrapper may also be linked, or preloaded by hand. */
	for (i = 0; i < r->nglobs; i++)
		for (w = wrappers; w->name != NULL; w++)
			if (strncmp(r->globs[i], w->events[0],
			    strcspn(w->events[0], ":") + 1) == 0)
				return 1;
	return 0;
}

/*
 * Before all other channels, so that programs are told of this one first.  0,
 * or -1 after the text of an error.
 */
static int
modules_enable(const struct record *r, const char *session)
{
	struct attrs attrs;
	struct rule rule;
	size_t i;

	if (!modules_wanted(r))
		return 0;
	memset(&attrs, 0, sizeof(attrs));
	attrs.v[ATTR_SUBSIZE] = SUBSIZE;
	attrs.v[ATTR_NSUBS] = NSUBS;
	attrs.v[ATTR_CLOCK] = r->attrs.v[ATTR_CLOCK];
	attrs.v[ATTR_FLUSH] = r->attrs.v[ATTR_FLUSH];
	if (client_channel(r->client, UT_CTL_CHANNEL, session, CHANNEL,
	    &attrs) == -1)
		return -1;
	memset(&rule, 0, sizeof(rule));
	rule.session = session;
	rule.channel = CHANNEL;
	rule.kind = UT_RULE_ALL;
	for (i = 0; i < sizeof(module_globs) / sizeof(module_globs[0]); i++) {
		rule.glob = module_globs[i];
		if (client_rule(r->client, UT_CTL_ENABLE, &rule) == -1)
			return -1;
	}
	return 0;
}

uint64_t
modules_hide(const struct record *r, struct row *session, uint64_t *lost)
{
	struct row **p, *ch;
	uint64_t n;
	size_t i;

	*lost = 0;
	if (!modules_wanted(r))
		return 0;
	for (p = &session->child; (ch = *p) != NULL; p = &ch->next)
		if (strcmp(ch->what, "channel") == 0 &&
		    strcmp(row_str(ch, "name"), CHANNEL) == 0)
			break;
	if (ch == NULL)
		return 0;
	n = row_num(ch, "written");
	*lost = row_num(ch, "lost");
	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		row_subtract(session, sums[i], row_num(ch, sums[i]));
	*p = ch->next;
	ch->next = NULL;
	row_free(ch);
	return n;
}

/*
 * Without a command, the session is owned by our connection and ends with it.
 * If utd is killed, the next one keeps the session, and does not end it when
 * utctl is killed.
 */
static int
create_ask(struct record *r)
{
	struct ut_msg *m = client_begin(r->client, UT_CTL_CREATE);

	ut_msg_str(m, r->session);
	ut_msg_str(m, r->keeps ? "" : r->out.dir);
	ut_msg_u32(m, (uint32_t)r->keeps);
	ut_msg_u32(m, r->argv == NULL);
	return client_request(r->client, NULL);
}

/* Beside the sessions of others, the name gets a number if it is taken. */
static int
session_create(struct record *r)
{
	const unsigned int taken = 1u << UT_TAKEN_NAME;
	char *first;
	int n, result;

	if (r->argv != NULL)
		return create_ask(r);
	first = stamped(r->session);
	r->session = format("%s", first);
	client_hush(r->client, taken);
	for (n = 2; (result = create_ask(r)) == -1 &&
	    client_hushed(r->client); n++) {
		free(r->session);
		r->session = format("%s-%d", first, n);
		if (n == NAMES)
			client_hush(r->client, 0);
	}
	client_hush(r->client, 0);
	free(first);
	return result;
}

static int
session_start(struct record *r)
{
	struct client *c = r->client;
	size_t i;

	if (r->follow && follower_start(&r->follower, r->out.dir, FOLLOW_HOLD,
	    client_fd(c)) == -1)
		return -1;
	if (modules_enable(r, r->session) == -1 || attach_track(r) == -1)
		return -1;
	r->rule.session = r->session;
	if (client_channel(c, UT_CTL_CHANNEL, r->session,
	    r->rule.channel, &r->attrs) == -1)
		return -1;
	if (r->contexts[0] != NULL && client_context(c, r->session,
	    r->rule.channel, r->contexts) == -1)
		return -1;
	for (i = 0; i < r->nglobs; i++) {
		r->rule.glob = r->globs[i];
		if (client_rule(c, UT_CTL_ENABLE, &r->rule) == -1)
			return -1;
	}
	if (client_ask(c, UT_CTL_START, r->session, NULL) == -1)
		return -1;
	if (r->argv == NULL && client_did(c, UT_DID_LATE))
		say("%s", client_text(c));
	r->until = r->limit == -1 ? -1 : ut_msg_now() + r->limit;
	return 0;
}

/* A session that cannot begin is destroyed, if utd can be asked for that. */
int
record_begin(void *arg)
{
	struct record *r = arg;
	int result;

	client_bound(r->client, 0);
	if (!r->keeps && record_dir_replace(&r->out, 1) == -1)
		return -1;
	r->dir_in_use = r->shared;
	r->created = session_create(r) == 0;
	result = r->created ? session_start(r) : -1;
	if (result == 0 || (client_interrupted() == 0 &&
	    !client_gone(r->client) && (!r->created ||
	    client_ask(r->client, UT_CTL_DESTROY, r->session, NULL) == 0)))
		r->dir_in_use = 0;
	if (result == 0 && r->argv == NULL)
		attach_say(r);
	return result;
}
