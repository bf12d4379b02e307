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
 * A connection: messages in, messages out, neither ever waited for.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/common/clock.h"
#include "conn.h"

/* A peer that lets more bytes than this pile up does not read. */
#define QUEUE_MAX	(16u << 20)
/* Messages of one peer before the others have their turn. */
#define TURN		64

struct out {
	struct out	*next;
	struct ut_msg	 msg;		/* only as long as it needs to be */
};
#define OUT_SIZE(m)	(offsetof(struct out, msg.body) + (m)->h.len - \
			    sizeof((m)->h))

static struct conn *dropped;
static struct conn *broken;

static void	conn_ready(void *, short);

struct conn *
conn_new(int fd, const struct conn_ops *ops, void *arg)
{
	struct conn *c;

	if ((c = calloc(1, sizeof(*c))) == NULL)
		return NULL;
	c->ops = ops;
	c->arg = arg;
	c->tail = &c->out;
	if (file_add(&c->file, fd, POLLIN, conn_ready, c))
		return c;
	free(c);
	return NULL;
}

void
conn_of(struct conn *c, struct user *u, gid_t gid, pid_t pid)
{
	c->user = u;
	c->uid = u->uid;
	c->gid = gid;
	c->pid = pid;
}

/* From the next message on. */
void
conn_hand_over(struct conn *c, const struct conn_ops *ops, void *arg)
{
	c->ops = ops;
	c->arg = arg;
}

/* Count bytes that were queued, or have left the queue. */
static void
count(struct conn *c, size_t more, size_t less)
{
	c->queued += more - less;
	if (c->user == NULL)
		return;
	user_count(c->user, QUOTA_QUEUED, more);
	user_give(c->user, QUOTA_QUEUED, less);
}

/* Remove the first message from the queue. */
static void
out_done(struct conn *c)
{
	struct out *o = c->out;

	if ((c->out = o->next) == NULL)
		c->tail = &c->out;
	count(c, 0, OUT_SIZE(&o->msg));
	ut_msg_clear(&o->msg);
	free(o);
}

static bool
too_much(const struct conn *c, size_t n)
{
	return c->queued + n > QUEUE_MAX ||
	    (c->user != NULL && !user_may(c->user, QUOTA_QUEUED, n));
}

/*
 * Queue what could not be written at once, with copies of its descriptors.
 * False if that fails; then the connection must end, as half a message may have
 * been sent.
 */
static bool
conn_queue(struct conn *c, const struct ut_msg *m)
{
	const size_t n = OUT_SIZE(m);
	struct out *o;
	int i;

	if ((o = calloc(1, n)) == NULL)
		return false;
	memcpy(&o->msg, m, n - offsetof(struct out, msg));
	for (i = 0; i < UT_MSG_FDS; i++)
		o->msg.fds[i] = -1;
	for (i = 0; i < UT_MSG_FDS; i++) {
		if (m->fds[i] == -1)
			continue;
		o->msg.fds[i] = fcntl(m->fds[i], F_DUPFD_CLOEXEC, 0);
		if (o->msg.fds[i] == -1) {
			ut_msg_clear(&o->msg);
			free(o);
			return false;
		}
	}
	*c->tail = o;
	c->tail = &o->next;
	count(c, n, 0);
	ready_events(&c->file, POLLIN | POLLOUT);
	return true;
}

static void
warn_of(const struct conn *c)
{
	log_warn("connection of process %d, uid %lu", (int)c->pid,
	    (unsigned long)c->uid);
}

/*
 * Drop the connection at the end of this round of the loop.  Not at once: the
 * sender may be walking over objects that the end of the connection frees.
 */
static void
give_up(struct conn *c)
{
	c->state = CONN_BROKEN;
	c->also = broken;
	broken = c;
}

/* Send a message; its descriptors stay the caller's. */
void
conn_send(struct conn *c, struct ut_msg *m)
{
	int r = 0;

	if (c->state != CONN_OPEN)
		return;
	if (m->bad) {
		log_warnx("message %u does not fit", m->h.type);
		return;
	}
	if (c->out == NULL && (r = ut_msg_write(c->file.fd, m)) == 1)
		return;
	if (r == -1 || too_much(c, OUT_SIZE(m))) {
		give_up(c);
	} else if (!conn_queue(c, m)) {
		warn_of(c);
		give_up(c);
	}
}

static void
out_flush(struct conn *c)
{
	struct out *o;
	int r;

	while ((o = c->out) != NULL) {
		if ((r = ut_msg_write(c->file.fd, &o->msg)) == 0)
			break;
		if (r == -1) {
			conn_drop(c);
			return;
		}
		out_done(c);
	}
	if (c->out == NULL)
		ready_events(&c->file, POLLIN);
	if (c->out == NULL && c->state == CONN_CLOSING)
		conn_drop(c);
	else if (c->ops->sent != NULL)
		c->ops->sent(c);
}

/* Drop the connection for lack of memory or descriptors, and say so. */
void
conn_fail(struct conn *c)
{
	warn_of(c);
	conn_drop(c);
}

/*
 * Read the next message into m, as ut_msg_read does, but keep a partial one.
 * We take descriptors only from our own processes: to close somebody else's may
 * take long, if it is a socket that lingers, or a file in a file system that
 * somebody runs.  Who sends one is hung up on: see hangup.c.
 */
static int
read_message(struct conn *c, struct ut_msg *m)
{
	size_t n;
	int r;

	if (c->in != NULL) {
		memcpy(m, c->in, offsetof(struct ut_msg, h) + c->in->have);
		free(c->in);
		c->in = NULL;
	} else {
		ut_msg_init(m, 0, 0, 0);
	}
	r = c->user == NULL ? ut_msg_read(c->file.fd, m) :
	    ut_msg_read_bare(c->file.fd, m);
	if (r == 0 && m->have > 0) {
		n = offsetof(struct ut_msg, h) + m->have;
		c->in = calloc(1, n < offsetof(struct ut_msg, body) ?
		    offsetof(struct ut_msg, body) : n);
		if (c->in == NULL) {
			ut_msg_clear(m);
			return -1;
		}
		memcpy(c->in, m, n);
	} else if (r == -1) {
		ut_msg_clear(m);
	}
	return r;
}

void
conn_read(struct conn *c)
{
	static struct ut_msg m;
	uint64_t since;
	int n, r;

	for (n = 0; n < TURN &&
	    (c->state == CONN_OPEN || c->state == CONN_BROKEN) &&
	    (c->user == NULL || user_turn(c->user)); n++) {
		since = ut_nanoseconds();
		if ((r = read_message(c, &m)) == 0)
			return;
		if (r == -1) {
			/* Else there may be more behind the error. */
			if (errno == EPROTO)
				conn_reject(c);
			else
				conn_drop(c);
			if (c->user != NULL)
				user_spent(c->user, since);
			return;
		}
		c->ops->message(c, &m);
		ut_msg_clear(&m);
		if (c->user != NULL)
			user_spent(c->user, since);
	}
}

/* The bytes that the socket can hold in one direction, or somewhat more. */
static size_t
capacity(int fd)
{
	const int options[] = { SO_SNDBUF, SO_RCVBUF };
	size_t n = UT_MSG_MAX;		/* a message that is read in part */
	socklen_t len;
	int i, size;

	for (i = 0; i < 2; i++) {
		len = sizeof(size);
		if (getsockopt(fd, SOL_SOCKET, options[i], &size, &len) == 0 &&
		    size > 0)
			n += (size_t)size;
	}
	return n;
}

/*
 * Read everything that the peer said before the connection was closed, up to
 * the first bad message.  A peer that is not dead, or has children that are
 * not, may write as fast as we read: no more is read than the socket holds.
 */
void
conn_rest(struct conn *c)
{
	static struct ut_msg m;
	size_t n, left = capacity(c->file.fd);

	while (!c->deaf && left > 0 && read_message(c, &m) == 1) {
		n = m.h.len;
		left -= n < left ? n : left;
		c->ops->message(c, &m);
		ut_msg_clear(&m);
	}
}

static void
conn_ready(void *arg, short revents)
{
	struct conn *c = arg;

	if (revents & POLLOUT && c->state != CONN_DEAD)
		out_flush(c);
	if (revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL) &&
	    c->state != CONN_DEAD) {
		if (c->state == CONN_CLOSING)
			conn_drop(c);
		else if (c->user != NULL && !user_turn(c->user))
			file_passed(&c->file);
		else
			conn_read(c);
	}
}

void
conn_close(struct conn *c)
{
	if (c->out == NULL || c->state == CONN_BROKEN)
		conn_drop(c);
	else if (c->state == CONN_OPEN)
		c->state = CONN_CLOSING;
}

bool
conn_behind(const struct conn *c)
{
	return c->out != NULL;
}

/*
 * Wait up to ms for the peer; only at our end, with nothing else to do.  Was it
 * ready?
 */
bool
conn_flush(struct conn *c, int ms)
{
	struct pollfd pfd;

	pfd.fd = c->file.fd;
	pfd.events = c->out != NULL ? POLLIN | POLLOUT : POLLIN;
	pfd.revents = 0;
	if (poll(&pfd, 1, ms) <= 0)
		return false;
	conn_ready(c, pfd.revents);
	return true;
}

void
conn_drop(struct conn *c)
{
	if (c->state == CONN_DEAD)
		return;
	c->state = CONN_DEAD;
	file_del(&c->file);
	c->next = dropped;
	dropped = c;
	c->ops->closed(c);
	if (c->user != NULL)
		user_close(c->user, c->file.fd);
	else
		close(c->file.fd);
	c->file.fd = -1;
}

/* The peer says what is no message, or not allowed: read nothing more. */
void
conn_reject(struct conn *c)
{
	c->deaf = true;
	conn_drop(c);
}

void
conn_reap(void)
{
	struct conn *c;

	while ((c = broken) != NULL) {
		broken = c->also;
		conn_drop(c);
	}
	while ((c = dropped) != NULL) {
		dropped = c->next;
		while (c->out != NULL)
			out_done(c);
		user_drop(c->user);
		if (c->in != NULL)
			ut_msg_clear(c->in);
		free(c->in);
		free(c);
	}
}
