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
 * Find where the directory of a session is.  The directory stays open, so who
 * moves it keeps no events from it; but messages, commands and the next utd
 * need its name.
 * The consumer of the session's owner looks, as utd itself never does, before
 * a command is answered that names it.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

static struct ut_msg out;

/* UT_C_WHERE is answered. */
static void
got_where(uint32_t id, int error, struct ut_msg *m)
{
	struct session *s = session_by_id(id);
	char path[PATH_MAX];

	if (s == NULL)
		return;
	if (error != 0) {
		if (error == ENOENT)
			session_warn(s, "%s%s", s->dir, WHERE_ASTRAY);
		s->astray |= error == ENOENT;
		return;
	}
	ut_msg_get_str(m, path, sizeof(path));
	if (m->bad || path[0] != '/')
		return;
	s->astray = false;
	if (strcmp(path, s->dir) == 0)
		return;
	session_warn(s, "%s was moved to %s", s->dir, path);
	strcpy(s->dir, path);
	state_changed(&s->saved);
}

/* The waiter waits for the answer, if the directory is open. */
void
session_where(struct session *s, struct waiter *w)
{
	if (s->dirfd == -1)
		return;
	request_init(&out, UT_C_WHERE, 0, 0);
	ut_msg_str(&out, s->dir);
	ut_msg_fd(&out, s->dirfd);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, got_where,
	    s->id, w);
}

/* For a list of all: no consumer is started for a session without a trace. */
void
session_where_cheap(struct session *s, struct waiter *w)
{
	const struct consumer *c = consumer_find(s->uid);

	if (s->traces != NULL || (c != NULL && c->conn != NULL &&
	    c->state != CONSUMER_LEAVING))
		session_where(s, w);
}
