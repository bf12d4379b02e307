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
 * Parts of a chunk that are carried into the next one.
 *
 * In a session of root, a chunk has a part of each user, which only the user's
 * consumer can complete.  That user can stop the consumer, or have it sleep in
 * a file system that does not answer.  Nobody waits for such a part: a consumer
 * of the session's owner renames its directory, so that the part is one of the
 * next chunk.  The consumer has its directory and its files open, and goes on
 * there when it can, so nothing is lost, and nothing is written to the chunk
 * that ends.
 *
 * A part that was carried has the number of the chunk in which it began behind
 * its name, so it keeps its name however often it is carried, and the
 * directory in which its regions go on is another one.  That a trace is being
 * carried is in the saved state before the consumer is told so, and can be
 * asked for once more.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define SUFFIX	"-chunk-"	/* followed by a number */
#define AT_ONCE	16		/* requests, each with a descriptor */

static struct ut_msg out;

/* Where the suffix begins; NULL if there is none. */
static char *
find_suffix(char *path)
{
	const size_t n = sizeof(SUFFIX) - 1;
	char *p = path + strlen(path);

	while (p > path && isdigit((unsigned char)p[-1]))
		p--;
	return *p != '\0' && (size_t)(p - path) >= n &&
	    strncmp(p - n, SUFFIX, n) == 0 ? p - n : NULL;
}

static const char *
below_chunk(const struct trace *t)
{
	const char *p = t->path;

	return strncmp(p, "chunk-", 6) == 0 ? strchr(p, '/') + 1 : p;
}

/* The path of the trace, as it is in every chunk. */
void
trace_in_chunk(const struct trace *t, char *path, size_t n)
{
	char *suffix;

	snprintf(path, n, "%s", below_chunk(t));
	if ((suffix = find_suffix(path)) != NULL)
		*suffix = '\0';
}

/* The path of a part that is carried, in the chunk that it is carried into. */
static void
carried_path(const struct trace *t, char *path, size_t n)
{
	const char *below = below_chunk(t);

	snprintf(path, n, "chunk-%u/%s", t->session->rotation.chunk, below);
	if (find_suffix(path) == NULL)
		snprintf(path, n, "chunk-%u/%s%s%u",
		    t->session->rotation.chunk, below, SUFFIX, t->chunk);
}

static bool
is_failed(const struct trace *t)
{
	return t != NULL && t->state == TRACE_FAILED;
}

/* Why nobody waits until the trace has left its chunk; or NULL. */
static const char *
overdue_why(const struct trace *t)
{
	if (trace_own(t))
		return NULL;
	if (t->consumer->late)
		return "its consumer does not answer";
	if (t->consumer->slow)
		return "its consumer takes too long";
	if (is_failed(t) || is_failed(t->after))
		return "it cannot be opened";
	if (ut_msg_now() >= t->session->rotation.deadline)
		return "its consumer takes too long";
	return NULL;
}

bool
trace_overdue(const struct trace *t)
{
	return overdue_why(t) != NULL;
}

/* Is it in the directory of that one, as traces of both ABIs of a user are? */
static bool
is_beside(const struct trace *t, const struct trace *u)
{
	return u->owner == 0 && u->uid == t->uid && u->path != NULL &&
	    strcmp(u->path, t->path) == 0;
}

static bool
is_asked(const struct trace *t)
{
	return t->state == TRACE_ASKED || t->asking ||
	    (t->after != NULL && t->after->state == TRACE_ASKED);
}

/*
 * Was the session's owner asked for the directory by its old name, or for the
 * one behind it?
 */
static bool
is_wanted(const struct trace *t)
{
	const struct trace *u;

	if (t->owner != 0)
		return is_asked(t);
	for (u = t->session->traces; u != NULL; u = u->next)
		if (is_beside(t, u) && is_asked(u))
			return true;
	return false;
}

static void
carry_note(struct session *s, const struct trace *t, const char *why)
{
	struct rotation *ro = &s->rotation;
	char text[sizeof(ro->carried)];

	snprintf(text, sizeof(text), "the part of uid %lu goes with the next "
	    "chunk: %s", (unsigned long)t->uid, why);
	session_blame(s, t->uid, "%s", text);
	if (ro->carried[0] == '\0')
		snprintf(ro->carried, sizeof(ro->carried), "%s", text);
	else if (strcmp(ro->carried, text) != 0)
		ro->carried_more = true;
}

/* The bytes there do not make the next chunk larger: it would end at once. */
static void
count_carried(const struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		r->carried = r->counts.bytes;
	if (t->after == NULL)
		return;
	for (r = t->after->regions; r != NULL; r = r->beside)
		if (r->moved)
			r->carried = r->counts.bytes;
}

static void
carry_done(struct trace *t)
{
	char path[PATH_MAX];

	carried_path(t, path, sizeof(path));
	free(t->path);
	t->path = xstrdup(path);
	t->chunk = t->session->rotation.chunk;
	bound_carry(t);
	t->session->rotation.why[0] = '\0';
	count_carried(t);
}

/*
 * UT_C_CARRY is answered.  A directory on which its user has mounted a file
 * system stays: that must not keep the chunk, and spoils nobody else's part.
 */
static void
got_carried(uint32_t id, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id(id);
	struct rotation *ro;

	if (t == NULL)
		return;
	t->asking = false;
	if (!t->carrying) {		/* begun anew meanwhile */
		rotation_soon(t->session);
		return;
	}
	ro = &t->session->rotation;
	if (error != 0) {
		snprintf(ro->why, sizeof(ro->why), "the part of uid %lu stays "
		    "where it is: %s", (unsigned long)t->uid,
		    consumer_why(m, error));
		session_blame(t->session, t->uid, "%s", ro->why);
	}
	if (error == 0 || error == EBUSY)
		carry_done(t);
	else
		waits_done(&ro->waiters, ro->why);
	t->carrying = false;
	state_changed(&t->saved);
	if (t->state == TRACE_ASKED)
		trace_ask(t);
	if (t->after != NULL && t->after->state == TRACE_ASKED)
		trace_ask(t->after);
	rotation_soon(t->session);
}

static void
carry_ask(struct trace *t)
{
	char path[PATH_MAX];

	t->asking = true;
	carried_path(t, path, sizeof(path));
	request_init(&out, UT_C_CARRY, 0, 0);
	ut_msg_str(&out, t->path);
	ut_msg_str(&out, path);
	ut_msg_fd(&out, t->session->dirfd);
	(void)consumer_ask(consumer_get(t->session->uid, t->session->gid),
	    &out, got_carried, t->id, NULL);
}

static void
carry_mark(struct trace *t)
{
	t->carrying = true;
	state_changed(&t->saved);
}

/* Carry the trace, and with it those in the same directory. */
static void
mark_all(struct trace *t)
{
	struct trace *u;

	carry_mark(t);
	if (t->owner != 0)
		return;
	for (u = t->session->traces; u != NULL; u = u->next)
		if (is_beside(t, u))
			carry_mark(u);
}

/* Carry what is overdue, or was being carried for another utd. */
void
traces_carry(struct session *s)
{
	struct trace *t;
	const char *why;
	unsigned int n = 0;
	bool any = false;

	for (t = s->traces; t != NULL; t = t->next) {
		if (t->chunk == s->rotation.chunk || t->carrying ||
		    (why = overdue_why(t)) == NULL || is_wanted(t))
			continue;
		carry_note(s, t, why);
		mark_all(t);
		any = true;
	}
	if (any)
		state_save();
	for (t = s->traces; t != NULL && n < AT_ONCE; t = t->next) {
		n += t->carrying;
		if (t->carrying && !t->asking)
			carry_ask(t);
	}
}

/*
 * Find where the directory of a session is.  The directory stays open, so who
 * moves it keeps no events from it; but messages, commands and the next utd
 * need its name.
 * The consumer of the session's owner looks, as utd itself never does, before
 * a command is answered that names it.
 */

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
