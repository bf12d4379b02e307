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
 * The parent's side of the consumers: one process for each UID.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utd.h"

/* A reply that is to come. */
struct request {
	uint32_t	 serial;
	consumer_cb	*cb;
	void		*arg;
	struct request	*next;
};

static struct consumer *consumers;

static void	consumer_message(struct conn *, struct ut_msg *);
static void	consumer_closed(struct conn *);
static void	consumer_sent(struct conn *);

static const struct conn_ops consumer_ops = {
	consumer_message, consumer_closed, consumer_sent
};

static struct consumer *
consumer_start(uid_t uid, gid_t gid)
{
	struct consumer *c = xcalloc(1, sizeof(*c));
	int pair[2];

	c->uid = uid;
	c->bell = -1;
	c->next = consumers;
	consumers = c;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1) {
		log_warn("socketpair");
		return c;
	}
	if ((c->pid = fork()) == -1) {
		log_warn("fork");
		close(pair[0]);
		close(pair[1]);
		return c;
	}
	if (c->pid == 0) {
		close(pair[0]);
		consumer_main(pair[1], uid, gid);
	}
	close(pair[1]);
	if (ut_nonblock(pair[0]) == -1)
		fatal("fcntl");
	c->conn = conn_new(pair[0], &consumer_ops, c);
	log_debug("consumer %d for uid %lu", (int)c->pid, (unsigned long)uid);
	return c;
}

/* The UID's, started if need be; one that died stays dead for its traces. */
struct consumer *
consumer_get(uid_t uid, gid_t gid)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (c->uid == uid && c->conn != NULL)
			return c;
	return consumer_start(uid, gid);
}

/* Nobody will reply any more. */
static void
fail_requests(struct consumer *c)
{
	static struct ut_msg none;
	struct request *r;

	while ((r = c->requests) != NULL) {
		c->requests = r->next;
		ut_msg_init(&none, 0, 0, 0);
		r->cb(r->arg, EPIPE, &none);
		free(r);
	}
}

/* They died: whoever waits for them has an answer, their regions are lost. */
static void
mourn(void *arg)
{
	struct consumer *c;

	(void)arg;
	for (c = consumers; c != NULL; c = c->next) {
		if (c->conn != NULL)
			continue;
		fail_requests(c);
		traces_orphaned(c);
	}
}

/*
 * At the end of this round of the loop.  That one died is found out in the
 * middle of sending it something about regions, some of which are freed when
 * what was asked about them has failed.
 */
static void
mourn_later(void)
{
	static struct timer timer;

	if (timer.when == 0)
		timer_set(&timer, 0, mourn, NULL);
}

static void
wake_them(void *arg)
{
	struct consumer *c;

	(void)arg;
	for (c = consumers; c != NULL; c = c->next) {
		if (c->wake && c->conn != NULL)
			kill(c->pid, SIGUSR1);
		c->wake = false;
	}
}

/* At the end of this round of the loop, one signal for all it was sent. */
static void
wake_later(struct consumer *c)
{
	static struct timer timer;

	c->wake = true;
	if (timer.when == 0)
		timer_set(&timer, 0, wake_them, NULL);
}

/* The signal makes it look at its socket. */
void
consumer_send(struct consumer *c, struct ut_msg *m)
{
	if (c->conn != NULL)
		conn_send(c->conn, m);
	if (c->conn != NULL)
		wake_later(c);
	else
		mourn_later();
}

uint32_t
consumer_expect(struct consumer *c, consumer_cb *cb, void *arg)
{
	struct request *r = xcalloc(1, sizeof(*r)), **p;

	r->serial = ++c->serial;
	r->cb = cb;
	r->arg = arg;
	for (p = &c->requests; *p != NULL; p = &(*p)->next)
		continue;
	*p = r;
	return r->serial;
}

static void
got_reply(struct consumer *c, struct ut_msg *m)
{
	struct request **p, *r;

	for (p = &c->requests; (r = *p) != NULL; p = &r->next) {
		if (r->serial == m->h.a) {
			*p = r->next;
			r->cb(r->arg, (int)m->h.b, m);
			free(r);
			return;
		}
	}
}

static void
got_trouble(struct ut_msg *m)
{
	struct region *r;
	char text[512];

	ut_msg_get_str(m, text, sizeof(text));
	if ((r = region_by_id(m->h.a)) == NULL)
		return;
	session_warn(r->trace->session, "%s", text);
	if (m->h.b != 0)
		snprintf(r->trace->session->error,
		    sizeof(r->trace->session->error), "%s", text);
}

static void
consumer_message(struct conn *conn, struct ut_msg *m)
{
	struct consumer *c = conn->arg;

	switch (m->h.type) {
	case UT_C_READY:
		c->bell = m->h.nfds > 0 ? ut_msg_get_fd(m) : -1;
		ut_msg_get_str(m, c->bellname, sizeof(c->bellname));
		break;
	case UT_C_REPLY:
		got_reply(c, m);
		break;
	case UT_C_TROUBLE:
		got_trouble(m);
		break;
	case UT_C_PROGRESS:
		clients_progress(ut_msg_get_u64(m));
		break;
	default:
		log_warnx("consumer %d: message %u", (int)c->pid, m->h.type);
		conn_drop(conn);
		break;
	}
}

static void
consumer_closed(struct conn *conn)
{
	struct consumer *c = conn->arg;

	c->conn = NULL;
	if (!loop_ending)
		log_warnx("consumer %d of uid %lu ended", (int)c->pid,
		    (unsigned long)c->uid);
	if (c->bell != -1)
		close(c->bell);
	c->bell = -1;
	mourn_later();
}

/*
 * More of what was queued has gone: it looks, or there will be no room for
 * the rest.  After all of it held back programs go on.
 */
static void
consumer_sent(struct conn *conn)
{
	struct consumer *c = conn->arg;

	kill(c->pid, SIGUSR1);
	if (!conn_behind(conn))
		links_drained(c);
}

/*
 * It looks at what it was sent before it writes anything of anybody, so it
 * need not wake up for this, unless there is no room for more.
 */
void
consumer_tell_owner(struct consumer *c, const struct app *a)
{
	static struct ut_msg m;

	ut_msg_init(&m, UT_C_OWNER, 0, 0);
	ut_msg_u64(&m, a->owner);
	ut_msg_u32(&m, (uint32_t)a->vpid);
	ut_msg_str(&m, a->name);
	if (c->conn != NULL)
		conn_send(c->conn, &m);
	if (c->conn != NULL && conn_behind(c->conn))
		kill(c->pid, SIGUSR1);
}

/* The program is no more: what it held goes back. */
void
consumers_tell_dead(const struct app *a)
{
	static struct ut_msg m;
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next) {
		if (c->uid != a->uid)
			continue;
		ut_msg_init(&m, UT_C_DEAD, 0, 0);
		ut_msg_u64(&m, a->owner);
		consumer_send(c, &m);
	}
}

/* They drain what there is when their socket closes, and end. */
void
consumers_end(void)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next) {
		if (c->conn == NULL)
			continue;
		conn_flush(c->conn);
		if (c->conn != NULL)
			conn_drop(c->conn);
		kill(c->pid, SIGUSR1);
	}
	for (c = consumers; c != NULL; c = c->next)
		while (c->pid > 0 && waitpid(c->pid, NULL, 0) == -1 &&
		    errno == EINTR)
			continue;
}
