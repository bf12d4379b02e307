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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"

/* A reply that is to come, and what is asked for once more if it does not. */
struct request {
	uint32_t	 serial;
	consumer_cb	*cb;
	void		*arg;
	struct ut_msg	*msg;		/* only as long as it needs to be */
	bool		 sent;
	struct request	*next;
};

#define STOPS		100	/* by its user, of one that is to end */
#define FLUSH_MS	100

static struct consumer *consumers;

static void	consumer_message(struct conn *, struct ut_msg *);
static void	consumer_closed(struct conn *);
static void	consumer_sent(struct conn *);
static void	wake_later(struct consumer *);

static const struct conn_ops consumer_ops = {
	consumer_message, consumer_closed, consumer_sent
};

static void
send_bell(struct consumer *c)
{
	static struct ut_msg m;

	ut_msg_init(&m, UT_C_BELL, 0, 0);
	ut_msg_str(&m, c->bellname);
	if (c->conn != NULL)
		conn_send(c->conn, &m);
}

/* The process. */
static bool
spawn(struct consumer *c)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1) {
		log_warn("socketpair");
		return false;
	}
	if ((c->pid = fork()) == -1) {
		log_warn("fork");
		close(pair[0]);
		close(pair[1]);
		return false;
	}
	if (c->pid == 0) {
		close(pair[0]);
		consumer_main(pair[1], state_lock(c->uid), c->uid, c->gid);
	}
	close(pair[1]);
	if (ut_nonblock(pair[0]) == -1)
		fatal("fcntl");
	if ((c->conn = conn_new(pair[0], &consumer_ops, c)) == NULL) {
		log_warn("consumer %d of uid %lu", (int)c->pid,
		    (unsigned long)c->uid);
		close(pair[0]);		/* it ends */
		return false;
	}
	log_debug("consumer %d for uid %lu", (int)c->pid,
	    (unsigned long)c->uid);
	send_bell(c);
	return true;
}

static struct consumer *
consumer_new(uid_t uid, gid_t gid)
{
	struct consumer *c = xcalloc(1, sizeof(*c));

	c->uid = uid;
	c->gid = gid;
	c->bell = -1;
	c->next = consumers;
	consumers = c;
	state_add(&c->saved, SAVED_CONSUMER, c);
	return c;
}

/* The UID's, started if need be. */
struct consumer *
consumer_get(uid_t uid, gid_t gid)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (c->uid == uid && !c->given_up)
			return c;
	c = consumer_new(uid, gid);
	ut_shm_name(c->bellname);
	c->given_up = !spawn(c);
	return c;
}

static void
request_free(struct request *r)
{
	if (r->msg != NULL)
		ut_msg_clear(r->msg);
	free(r->msg);
	free(r);
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
		request_free(r);
	}
}

/* Those for traces and regions are made anew, from what these are. */
static void
forget_some(struct consumer *c)
{
	struct request **p, *r;

	for (p = &c->requests; (r = *p) != NULL;) {
		r->sent = false;
		if (r->msg == NULL || (r->msg->h.type != UT_C_TRACE &&
		    r->msg->h.type != UT_C_REGION)) {
			p = &r->next;
			continue;
		}
		*p = r->next;
		request_free(r);
	}
}

/* What is about regions waits for those. */
static bool
waits(const struct consumer *c, const struct ut_msg *m)
{
	return c->held > 0 && m->h.type >= UT_C_DEAD;
}

static void
send_requests(struct consumer *c)
{
	struct request *r;

	for (r = c->requests; r != NULL && c->conn != NULL; r = r->next) {
		if (r->sent || r->msg == NULL || waits(c, r->msg))
			continue;
		r->sent = true;
		r->msg->have = 0;
		conn_send(c->conn, r->msg);
	}
	if (c->conn != NULL)
		wake_later(c);
}

/* Whatever kills it kills the next one, too. */
static bool
too_often(struct consumer *c)
{
	int64_t *when = &c->deaths[c->ndeaths++ % DEATHS];
	int64_t now = ut_msg_now(), before = *when;

	*when = now;
	return before != 0 && now - before < DEATHS_MS;
}

/* Whom it has to bury has written what it may write first. */
static void
tell_dead_owners(struct consumer *c)
{
	static struct ut_msg m;
	struct request *r;
	char name[sizeof(((struct app *)NULL)->name)];
	uint64_t owner;
	uint32_t pid;

	for (r = c->requests; r != NULL; r = r->next) {
		if (r->msg == NULL || r->msg->h.type != UT_C_DEAD)
			continue;
		r->msg->pos = 0;
		(void)ut_msg_get_u32(r->msg);
		owner = ut_msg_get_u64(r->msg);
		pid = ut_msg_get_u32(r->msg);
		ut_msg_get_str(r->msg, name, sizeof(name));
		ut_msg_init(&m, UT_C_OWNER, 0, 0);
		ut_msg_u64(&m, owner);
		ut_msg_u32(&m, pid);
		ut_msg_str(&m, name);
		if (c->conn != NULL)
			conn_send(c->conn, &m);
	}
}

/*
 * Another takes over: its regions are there, what programs do in them goes
 * on, and it finds out by itself how far the last one has come.
 */
static void
take_over(struct consumer *c)
{
	struct app *a;

	log_warnx("consumer %d of uid %lu takes over", (int)c->pid,
	    (unsigned long)c->uid);
	for (a = apps; a != NULL; a = a->next)
		if (a->uid == c->uid)
			consumer_tell_owner(c, a);
	tell_dead_owners(c);
	forget_some(c);
	consumer_hold(c);
	traces_again(c);
	consumer_go_on(c);
	send_requests(c);	/* those that need not wait */
}

/*
 * It is gone, or will be: who let its queue fill up has been given up, and
 * may have been stopped by its user.  Its number is nobody else's before.
 */
static void
bury(struct consumer *c)
{
	if (c->pid <= 0)
		return;
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	c->pid = 0;
}

/*
 * What the consumer has left, removed with no more rights than it had: the
 * name may be that of another user's object by now.
 */
static void
remove_as(const struct consumer *c, void (*f)(const char *), const char *name)
{
	const bool other = geteuid() == 0 && c->uid != 0;

	if (other && seteuid(c->uid) == -1) {
		log_warn("uid %lu", (unsigned long)c->uid);
		return;
	}
	f(name);
	if (other && seteuid(0) == -1)
		fatal("uid 0");
}

static void
region_unlink(const char *name)
{
	(void)shm_unlink(name);
}

void
consumer_remove(const struct consumer *c, const char *name)
{
	remove_as(c, region_unlink, name);
}

void
consumer_remove_bell(const struct consumer *c)
{
	remove_as(c, ut_bell_remove, c->bellname);
}

static void
give_up(struct consumer *c)
{
	c->given_up = true;
	state_changed(&c->saved);
	fail_requests(c);
	traces_orphaned(c);
	consumer_remove_bell(c);
	c->bellname[0] = '\0';
}

/*
 * They died: another takes over, or whoever waits for them has an answer.  So
 * has who asked one that could not be started.
 */
static void
mourn(void *arg)
{
	struct consumer *c;

	(void)arg;
	for (c = consumers; c != NULL; c = c->next) {
		if (c->conn != NULL || loop_ending)
			continue;
		if (c->given_up) {
			if (c->requests != NULL)
				give_up(c);
			continue;
		}
		bury(c);
		c->held = 0;
		if (!too_often(c) && spawn(c)) {
			take_over(c);
			continue;
		}
		log_warnx("consumer of uid %lu is given up",
		    (unsigned long)c->uid);
		give_up(c);
	}
}

/*
 * At the end of this round of the loop, for regions are freed when what was
 * asked about them has failed, and others may be walking over them.
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

static struct ut_msg *
copy_of(const struct ut_msg *m)
{
	const size_t n = offsetof(struct ut_msg, body) + m->h.len -
	    sizeof(m->h);
	struct ut_msg *copy = xcalloc(1, n);
	int i;

	memcpy(copy, m, n);
	for (i = 0; i < UT_MSG_FDS; i++)
		if (m->fds[i] != -1)
			copy->fds[i] = fcntl(m->fds[i], F_DUPFD_CLOEXEC, 0);
	return copy;
}

void
consumer_ask(struct consumer *c, struct ut_msg *m)
{
	struct request *r = c->requests;

	while (r->next != NULL)
		r = r->next;
	r->msg = copy_of(m);
	if (waits(c, m))
		return;
	r->sent = true;
	consumer_send(c, m);
}

void
consumer_hold(struct consumer *c)
{
	c->held++;
}

/* What it is asked is about regions that it has by now. */
void
consumer_go_on(struct consumer *c)
{
	if (c->held > 0 && --c->held == 0)
		send_requests(c);
}

static void
got_reply(struct consumer *c, struct ut_msg *m)
{
	struct request **p, *r;

	for (p = &c->requests; (r = *p) != NULL; p = &r->next) {
		if (r->serial == m->h.a) {
			*p = r->next;
			r->cb(r->arg, (int)m->h.b, m);
			request_free(r);
			return;
		}
	}
}

/* It tells of its own regions, not of those of others. */
static void
got_trouble(const struct consumer *c, struct ut_msg *m)
{
	struct region *r;
	char text[512];

	ut_msg_get_str(m, text, sizeof(text));
	if ((r = region_by_id(m->h.a)) == NULL || r->trace->consumer != c)
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
	char path[PATH_MAX];

	switch (m->h.type) {
	case UT_C_READY:
		if (c->bell != -1)
			close(c->bell);
		c->bell = m->h.nfds > 0 ? ut_msg_get_fd(m) : -1;
		ut_msg_get_str(m, c->bellname, sizeof(c->bellname));
		state_changed(&c->saved);
		break;
	case UT_C_REPLY:
		got_reply(c, m);
		break;
	case UT_C_TROUBLE:
		got_trouble(c, m);
		break;
	case UT_C_PROGRESS:
		clients_progress(c->uid, ut_msg_get_u64(m));
		break;
	case UT_C_MADE:
		ut_msg_get_str(m, path, sizeof(path));
		trace_made(c, m->h.a, path);
		break;
	case UT_C_WROTE:
		trace_wrote(c, m->h.a, ut_msg_get_u64(m));
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
	conn_rest(conn);
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
	if (!conn_behind(conn)) {
		traces_drained(c);
		links_drained(c);
	}
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

/* The consumers that have not yet written what a dead program has left. */
struct burial {
	unsigned int	 left;
	uint32_t	 place;		/* where the next utd finds who it was */
};

static void
buried(void *arg, int error, struct ut_msg *m)
{
	struct burial *b = arg;

	(void)error;
	(void)m;
	if (--b->left > 0)
		return;
	state_place_free(b->place);
	free(b);
}

/* The program is no more: what it held goes back. */
void
consumers_tell_dead(struct app *a)
{
	static struct ut_msg m;
	struct burial *b = xcalloc(1, sizeof(*b));
	struct consumer *c;

	b->left = 1;
	b->place = a->place;
	a->place = 0;
	for (c = consumers; c != NULL; c = c->next) {
		if (c->uid != a->uid || c->given_up)
			continue;
		b->left++;
		ut_msg_init(&m, UT_C_DEAD, 0, 0);
		ut_msg_u32(&m, consumer_expect(c, buried, b));
		ut_msg_u64(&m, a->owner);
		ut_msg_u32(&m, (uint32_t)a->vpid);
		ut_msg_str(&m, a->name);
		consumer_ask(c, &m);
	}
	buried(b, 0, NULL);
}

void
consumers_tell_owner(const struct app *a)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (c->uid == a->uid)
			consumer_tell_owner(c, a);
}

void
consumers_each(void (*f)(const struct consumer *))
{
	const struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		f(c);
}

/* That of another utd, whose bell programs ring; it may have told of another. */
void
consumer_restore(uid_t uid, gid_t gid, const char *bellname)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (c->uid == uid && !c->given_up)
			break;
	if (c != NULL) {
		snprintf(c->bellname, sizeof(c->bellname), "%s", bellname);
		send_bell(c);
		return;
	}
	c = consumer_new(uid, gid);
	snprintf(c->bellname, sizeof(c->bellname), "%s", bellname);
	c->given_up = !spawn(c);
}

/*
 * Has it ended?  One that its user stops goes on, some times, for we do not
 * stay for its sake.
 */
static bool
ended(struct consumer *c, int flags)
{
	int status;
	pid_t pid;

	if (c->pid <= 0)
		return true;
	if ((pid = waitpid(c->pid, &status, flags | WUNTRACED)) == 0 ||
	    (pid == -1 && errno == EINTR))
		return false;
	if (pid == -1 || !WIFSTOPPED(status)) {
		c->pid = 0;
		c->finished = pid != -1 && WIFEXITED(status) &&
		    WEXITSTATUS(status) == 0;
		return true;
	}
	kill(c->pid, c->nstops++ < STOPS ? SIGCONT : SIGKILL);
	return false;
}

/*
 * They drain what there is, stop what is started, and end.  Of one that did not
 * end in order there may be something left, for the next utd.
 */
void
consumers_end(void)
{
	static struct ut_msg m;
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next) {
		if (c->conn == NULL)
			continue;
		ut_msg_init(&m, UT_C_END, 0, 0);
		if (c->held == 0)	/* it has all that is to be ended */
			conn_send(c->conn, &m);
		while (c->conn != NULL && conn_behind(c->conn) &&
		    !ended(c, WNOHANG))
			conn_flush(c->conn, FLUSH_MS);
		if (c->conn != NULL)
			conn_drop(c->conn);
		if (c->pid > 0)
			kill(c->pid, SIGUSR1);
	}
	for (c = consumers; c != NULL; c = c->next) {
		while (!ended(c, 0))
			continue;
		if (c->finished || c->given_up)
			regions_gone(c);
	}
}
