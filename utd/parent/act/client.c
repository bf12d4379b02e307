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
 * The connections of utctl: one request at a time, its answer, and the wait
 * for it.  What is asked for is in control.c.
 */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"
#include "../store/consumers.h"
#include "../want/rule.h"

#define LEAVE_MS	500	/* until the next try to end a session */
#define LOOK_MS		100	/* between looks at programs */
#define PROGRESS_MS	200	/* between two messages about progress */
#define END_MS		1000	/* for utctl, when utd ends */

static struct client *clients;
static struct client *done;		/* to be freed */
static struct timer sweeper;
static struct ut_msg out;
static bool ownerless;			/* utd ends with the last session */
unsigned int (*clients_stopped)(const struct waiter *);
static struct file starter;		/* has yet to own utd */
static bool starting, starter_patient;

static void	client_message(struct conn *, struct ut_msg *);
static void	client_closed(struct conn *);

static const struct conn_ops client_ops = {
	client_message, client_closed, NULL
};

static void
clients_sweep(void *arg)
{
	struct client *k;

	(void)arg;
	while ((k = done) != NULL) {
		done = k->next;
		rule_free(k->rule);
		free(k);
	}
}

static void	leave_again(void *);

/*
 * End the session of a client whose connection is closed, if the session was to
 * end with it.  That is a request without an answer; it is tried again every
 * LEAVE_MS until the session is gone.
 */
static bool
client_leave(struct client *k)
{
	if (k->leave == NULL || !k->leave(k))
		return false;
	if (k->wait == NULL)
		timer_set(&k->timer, LEAVE_MS, leave_again, k);
	return true;
}

/*
 * Free a client whose connection is closed and that has no request under way.
 * Not at once: this may be in the middle of a send.
 */
static void
sweep_later(struct client *k)
{
	if (k->conn != NULL || k->wait != NULL || client_leave(k))
		return;
	if ((*k->prev = k->next) != NULL)
		k->next->prev = k->prev;
	k->next = done;
	done = k;
	timer_set(&sweeper, 0, clients_sweep, NULL);
}

static void
leave_again(void *arg)
{
	sweep_later(arg);
}

void
client_reply(struct client *k, uint16_t type, uint32_t b, const char *fmt, ...)
{
	char text[PATH_MAX + 1024];
	va_list ap;

	if (k->conn == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	state_save();			/* the next utd must know it, too */
	ut_msg_init(&out, type, type == UT_CTL_OK ? UT_MSG_VERSION : 0, b);
	ut_msg_str(&out, text);
	conn_send(k->conn, &out);
}

/*
 * A request ends with the last answer, or, if it waits for programs, when these
 * have had enough time.
 */
static void
request_end(void *arg)
{
	struct client *k = arg;

	timer_clear(&k->timer);
	snprintf(k->why, sizeof(k->why), "%s", k->wait->why);
	k->late = k->wait->pending;
	wait_abandon(k->wait);
	k->wait = NULL;
	k->draining = false;
	if (k->orphan)
		client_refuse(k, "the session was destroyed");
	else
		k->finish(k);
	sweep_later(k);
}

/* The request waits for programs: end the wait if all of them are stopped. */
static void
client_look(void *arg)
{
	struct client *k = arg;

	if (ut_msg_now() >= k->deadline ||
	    clients_stopped(k->wait) == k->wait->pending)
		request_end(k);
	else
		timer_set(&k->timer, LOOK_MS, client_look, k);
}

struct waiter *
client_wait(struct client *k, void (*finish)(struct client *), int ms)
{
	k->finish = finish;
	k->wait = wait_new(request_end, k);
	if (k->conn != NULL)
		wait_for(k->wait, k->conn->uid);
	k->deadline = ut_msg_now() + ms;
	if (ms > 0)
		timer_set(&k->timer, LOOK_MS, client_look, k);
	return k->wait;
}

void
client_too_many(struct client *k, const char *what, const char *name, uid_t uid)
{
	client_refuse(k, "%s %s: uid %lu has too many %ss", what, name,
	    (unsigned long)uid, what);
}

void
client_answer(struct client *k, const char *text)
{
	char late[64] = "";
	const char *unsaved, *and;

	if (k->late > 0)
		snprintf(late, sizeof(late), "%s%u program%s not answer",
		    *text != '\0' ? "; " : "", k->late,
		    k->late == 1 ? " does" : "s do");
	state_save();			/* may set journal_trouble */
	unsaved = journal_trouble();
	and = unsaved != NULL && (*text != '\0' || k->late > 0) ? "; " : "";
	client_did(k, k->late > 0 ? UT_DID_LATE : 0, "%s%s%s%s", text, late,
	    and, unsaved != NULL ? unsaved : "");
}

bool
client_check(struct client *k, bool good, const char *why)
{
	if (!good)
		client_refuse(k, "%s", why);
	return good;
}

void
client_done(struct client *k)
{
	client_answer(k, "");
}

/* The session that a request is about; NULL is all sessions. */
void
client_about(struct client *k, struct session *s)
{
	k->session = s;
	k->orphan = false;
}

void
clients_forget(const struct session *s)
{
	struct client *k;

	for (k = clients; k != NULL; k = k->next)
		if (k->session == s)
			k->orphan = true;
}

void
clients_left(void)
{
	if (ownerless && sessions == NULL)
		loop_stop();
}

/* No owner any more: end, or end with the last session. */
static void
clients_leave(bool patient)
{
	if (!patient) {
		loop_stop();
		return;
	}
	ownerless = true;
	clients_left();
}

static void
starter_forget(void)
{
	if (!starting)
		return;
	starting = false;
	file_del(&starter);
	close(starter.fd);
}

/* The pipe can be read only because its other end is closed. */
static void
starter_gone(void *arg, short revents)
{
	(void)arg;
	(void)revents;
	starter_forget();
	clients_leave(starter_patient);
}

bool
client_starter(int fd, bool patient)
{
	starter_patient = patient;
	starting = file_add(&starter, fd, POLLIN, starter_gone, NULL);
	return starting;
}

void
client_own(struct client *k, bool patient)
{
	k->owner = true;
	k->patient = patient;
	starter_forget();
}

static void
client_message(struct conn *c, struct ut_msg *m)
{
	struct client *k = c->arg;

	if (k->wait == NULL && consumers_full(c->uid)) {
		client_refuse(k, "the consumer of uid %lu has too many "
		    "requests", (unsigned long)c->uid);
		return;
	}
	if (k->wait == NULL) {
		client_about(k, NULL);
		if (k->request(k, m))
			return;
	}
	log_peer("utctl (uid %lu): bad message %u", (unsigned long)c->uid,
	    m->h.type);
	conn_drop(c);
}

/* UT_CTL_HELLO; `request' takes all that comes then. */
void
client_hello(struct conn *c, struct ut_msg *m,
    bool (*request)(struct client *, struct ut_msg *))
{
	struct client *k = calloc(1, sizeof(*k));

	if (k == NULL) {
		conn_fail(c);
		return;
	}
	k->conn = c;
	k->request = request;
	if ((k->next = clients) != NULL)
		clients->prev = &k->next;
	k->prev = &clients;
	clients = k;
	conn_hand_over(c, &client_ops, k);
	if (m->h.a == UT_MSG_VERSION) {
		client_ok(k, "%s", "");
		return;
	}
	client_refuse(k, "utd speaks version %u of the protocol, utctl %u",
	    UT_MSG_VERSION, m->h.a);
	conn_close(c);
}

/*
 * The consumer of that user still has so many bytes to write.  A hostile one
 * says so without end, and a client that does not read has no use for more.
 */
void
clients_progress(uid_t uid, uint64_t left)
{
	const int64_t now = ut_msg_now();
	struct client *k;

	for (k = clients; k != NULL; k = k->next) {
		if (!k->draining || k->conn == NULL ||
		    !user_controls(k->conn->uid, uid) ||
		    now - k->progress < PROGRESS_MS || conn_behind(k->conn))
			continue;
		k->progress = now;
		ut_msg_init(&out, UT_CTL_PROGRESS, 0, 0);
		ut_msg_u64(&out, left);
		conn_send(k->conn, &out);
	}
}

/* Answer those who have asked for the end of utd; it exits now. */
void
clients_end(bool all, const char *unsaved)
{
	struct client *k;
	const char *but = all ? "" : "; not all buffers are written: see "
	    "utctl recover";

	for (k = clients; k != NULL; k = k->next) {
		if (!k->shutdown || k->conn == NULL)
			continue;
		if (unsaved != NULL)
			client_refuse(k, "utd (pid %d) has ended, but not all "
			    "that was in memory is saved: %s%s", (int)getpid(),
			    unsaved, but);
		else if (all)
			client_ok(k, "utd (pid %d) has ended", (int)getpid());
		else
			client_refuse(k, "utd (pid %d) has ended, but not all "
			    "buffers are written: see utctl recover",
			    (int)getpid());
		while (k->conn != NULL && k->conn->state == CONN_OPEN &&
		    conn_behind(k->conn) &&
		    conn_flush(k->conn, END_MS))
			continue;
	}
}

static void
client_closed(struct conn *c)
{
	struct client *k = c->arg;

	k->conn = NULL;
	if (k->owner && !k->patient)
		clients_leave(false);
	sweep_later(k);
	if (k->owner && k->patient)
		clients_leave(true);
}
