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
 * How utctl record begins: the session, with its channel and rules.
 */

#include <sys/types.h>

#include <stdlib.h>

#include "record.h"
#include "ut_abi.h"

#define NAMES		1000		/* of sessions, of one second */
#define FOLLOW_HOLD	(INT64_C(300) * 1000000)

/*
 * Without a command, the session ends with utctl, however utctl ends; but once
 * utd was killed, and the next one goes on with the session, not if utctl is
 * killed.
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
	if (!r->keeps && output_replace(&r->out, 1) == -1)
		return -1;
	r->left = r->shared;
	r->created = session_create(r) == 0;
	result = r->created ? session_start(r) : -1;
	if (result == 0 || (client_interrupted() == 0 &&
	    !client_gone(r->client) && (!r->created ||
	    client_ask(r->client, UT_CTL_DESTROY, r->session, NULL) == 0)))
		r->left = 0;
	if (result == 0 && r->argv == NULL)
		attach_say(r);
	return result;
}
