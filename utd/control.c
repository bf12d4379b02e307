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
 * What utctl asks for: one function for each request.
 */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utd.h"

#define PATIENCE	3000	/* ms for programs that do not answer */

static struct client *clients;
static struct timer sweeper;
static struct ut_msg out;

static void	control_message(struct conn *, struct ut_msg *);

static const struct conn_ops control_ops = {
	control_message, control_ended, NULL
};

/* Clients that are gone and have no request under way. */
static void
sweep(void *arg)
{
	struct client **p = &clients, *k;

	(void)arg;
	while ((k = *p) != NULL) {
		if (k->conn != NULL || k->wait != NULL) {
			p = &k->next;
		} else {
			*p = k->next;
			free(k);
		}
	}
}

static void
reply(struct client *k, int type, const char *fmt, va_list ap)
{
	char text[1024];

	if (k->conn == NULL)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	ut_msg_init(&out, type, type == UT_CTL_OK ? UT_MSG_VERSION : 0, 0);
	ut_msg_str(&out, text);
	conn_send(k->conn, &out);
}

void
client_ok(struct client *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(k, UT_CTL_OK, fmt, ap);
	va_end(ap);
}

void
client_refuse(struct client *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(k, UT_CTL_ERR, fmt, ap);
	va_end(ap);
}

/*
 * Waiting.  The request ends with the last answer, or, where programs are
 * asked, when they were given time enough.
 */
static void
finished(void *arg)
{
	struct client *k = arg;

	k->wait = NULL;
	k->draining = false;
	timer_clear(&k->timer);
	k->finish(k);
	timer_set(&sweeper, 0, sweep, NULL);
}

static void
enough(void *arg)
{
	struct client *k = arg;

	k->late = k->wait->pending;
	wait_abandon(k->wait);
	finished(k);
}

struct waiter *
client_wait(struct client *k, void (*finish)(struct client *), int ms)
{
	k->finish = finish;
	k->late = 0;
	k->wait = wait_new(finished, k);
	if (ms > 0)
		timer_set(&k->timer, ms, enough, k);
	return k->wait;
}

/* The session may have been destroyed meanwhile. */
bool
client_session_there(const struct client *k)
{
	struct session *s;

	for (s = sessions; s != NULL; s = s->next)
		if (s == k->session)
			return true;
	return false;
}

static struct session *
find_session(struct client *k, struct ut_msg *m)
{
	struct session *s;
	char name[NAME_MAXLEN], why[512];

	ut_msg_get_str(m, name, sizeof(name));
	if (m->bad) {
		client_refuse(k, "session name too long");
		return NULL;
	}
	k->session = NULL;
	s = session_find(name, k->conn->uid, why, sizeof(why));
	if (s == NULL)
		client_refuse(k, "%s", why);
	k->session = s;
	return s;
}

static void
do_own(struct client *k, struct ut_msg *m)
{
	(void)m;
	k->owner = true;
	client_ok(k, "%s", "");
}

/* UT_CTL_CREATE: the consumer of the user makes the directory. */
static void
created(void *arg, int error, struct ut_msg *m)
{
	struct client *k = arg;
	struct session *s = k->session;

	if (error == 0 && (s->dirfd = ut_msg_get_fd(m)) == -1)
		error = EPROTO;
	if (error != 0) {
		client_refuse(k, "%s: %s", s->dir, error == ENOTEMPTY ?
		    "not empty" : strerror(error));
		session_free(s);
	} else {
		s->dying = false;
		log_info("session %s: %s", s->name, s->dir);
		client_ok(k, "%s", "");
	}
	wait_less(k->wait);
}

static void
nothing(struct client *k)
{
	(void)k;
}

static void
do_create(struct client *k, struct ut_msg *m)
{
	char name[NAME_MAXLEN], dir[PATH_MAX];

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, dir, sizeof(dir));
	if (m->bad || !name_valid(name, "._-")) {
		client_refuse(k, "session name: 1 to 64 letters, digits, . _ -");
	} else if (dir[0] != '/') {
		client_refuse(k, "directory %s: not absolute", dir);
	} else if (session_taken(name, k->conn->uid)) {
		client_refuse(k, "session %s exists", name);
	} else {
		k->session = session_new(name, dir, k->conn->uid,
		    k->conn->gid);
		k->session->dying = true;	/* not there yet */
		(void)client_wait(k, nothing, 0);
		session_open(k->session, created, k);
	}
}

static void
started(struct client *k)
{
	if (k->late > 0)
		client_ok(k, "%u programs do not answer", k->late);
	else
		client_ok(k, "%s", "");
}

static void
do_start(struct client *k, struct ut_msg *m)
{
	struct session *s = find_session(k, m);
	struct channel *ch;
	struct waiter *w;

	if (s == NULL)
		return;
	if (s->active) {
		client_refuse(k, "session %s is started already", s->name);
		return;
	}
	w = client_wait(k, started, PATIENCE);
	traces_activate(s, true, w);
	for (ch = s->channels; ch != NULL; ch = ch->next)
		channel_sync(ch, w);
	wait_less(w);
}

void
session_counts(const struct session *s, struct counts *sum)
{
	const struct channel *ch;
	const struct region *r;

	memset(sum, 0, sizeof(*sum));
	for (ch = s->channels; ch != NULL; ch = ch->next) {
		for (r = ch->regions; r != NULL; r = r->next) {
			sum->written += r->counts.written;
			sum->lost += r->counts.lost;
			sum->bytes += r->counts.bytes;
			sum->packets += r->counts.packets;
		}
	}
}

static void
tell_counts(struct client *k, const char *what)
{
	struct counts sum;

	session_counts(k->session, &sum);
	client_ok(k, "session %s %s: %llu events, %llu lost, %llu bytes%s%s",
	    k->session->name, what, (unsigned long long)sum.written,
	    (unsigned long long)sum.lost, (unsigned long long)sum.bytes,
	    k->session->error[0] != '\0' ? "; " : "", k->session->error);
}

static void
stopped(struct client *k)
{
	if (client_session_there(k))
		tell_counts(k, "stopped");
	else
		client_refuse(k, "the session was destroyed");
}

/* Programs are told to listen no more, but nobody waits for them. */
static struct waiter *
stop_session(struct client *k, void (*finish)(struct client *))
{
	struct waiter *w = client_wait(k, finish, 0);
	struct channel *ch;

	k->draining = true;
	traces_activate(k->session, false, w);
	for (ch = k->session->channels; ch != NULL; ch = ch->next)
		channel_sync(ch, NULL);
	return w;
}

static void
do_stop(struct client *k, struct ut_msg *m)
{
	struct session *s = find_session(k, m);

	if (s == NULL)
		return;
	if (!s->active)
		client_refuse(k, "session %s is not started", s->name);
	else
		wait_less(stop_session(k, stopped));
}

static void
destroyed(struct client *k)
{
	log_info("session %s destroyed", k->session->name);
	tell_counts(k, "destroyed");
	traces_close(k->session);
	session_free(k->session);
}

static void
do_destroy(struct client *k, struct ut_msg *m)
{
	struct session *s = find_session(k, m);

	if (s == NULL)
		return;
	s->dying = true;
	wait_less(stop_session(k, destroyed));
}

static bool
geometry_valid(struct client *k, uint32_t size, uint32_t n)
{
	const uint64_t rest = 3 * UT_ABI_LINE +
	    (uint64_t)UT_NSLOTS_MAX * sizeof(struct ut_slot);
	uint64_t max = UT_REGION_MAX < SIZE_MAX ? UT_REGION_MAX : SIZE_MAX;

	if (size < UT_SUBSIZE_MIN || size > UT_SUBSIZE_MAX ||
	    (size & (size - 1)) != 0) {
		client_refuse(k, "sub-buffer size %u: not a power of two from %u to "
		    "%u", size, UT_SUBSIZE_MIN, UT_SUBSIZE_MAX);
	} else if (n < UT_NSUBS_MIN || n > UT_NSUBS_MAX) {
		client_refuse(k, "number of sub-buffers %u: not from %u to %u", n,
		    UT_NSUBS_MIN, UT_NSUBS_MAX);
	} else if (((uint64_t)size + sizeof(struct ut_subbuf)) * n + rest >
	    max) {
		client_refuse(k, "%u sub-buffers of %u bytes are more than %llu "
		    "bytes", n, size, (unsigned long long)max);
	} else {
		return true;
	}
	return false;
}

static void
do_channel(struct client *k, struct ut_msg *m)
{
	struct session *s = find_session(k, m);
	char name[NAME_MAXLEN];
	uint32_t size, n;

	if (s == NULL)
		return;
	ut_msg_get_str(m, name, sizeof(name));
	size = ut_msg_get_u32(m);
	n = ut_msg_get_u32(m);
	if (size == 0)
		size = DEFAULT_SUBSIZE;
	if (n == 0)
		n = DEFAULT_NSUBS;
	if (name[0] == '\0' && !m->bad)
		snprintf(name, sizeof(name), "%s", DEFAULT_CHANNEL);
	if (m->bad || !name_valid(name, "._-"))
		client_refuse(k, "channel name: 1 to 64 letters, digits, . _ -");
	else if (strcmp(name, "metadata") == 0)
		client_refuse(k, "channel name metadata is taken");
	else if (channel_find(s, name) != NULL)
		client_refuse(k, "channel %s exists", name);
	else if (geometry_valid(k, size, n)) {
		(void)channel_new(s, name, size, n);
		client_ok(k, "%s", "");
	}
}

/* The channel that a rule is about; the default one comes by itself. */
static struct channel *
find_channel(struct client *k, struct session *s, const char *name,
    bool create)
{
	struct channel *ch;

	if (name[0] == '\0')
		name = DEFAULT_CHANNEL;
	ch = channel_find(s, name);
	if (ch == NULL && create && strcmp(name, DEFAULT_CHANNEL) == 0)
		ch = channel_new(s, name, DEFAULT_SUBSIZE, DEFAULT_NSUBS);
	if (ch == NULL)
		client_refuse(k, "channel %s does not exist", name);
	return ch;
}

/* Events that the glob matches, and programs that have any of the channel. */
static void
count_matches(const struct client *k, unsigned int *events,
    unsigned int *programs)
{
	const struct channel *ch = k->channel;
	const struct region *r;
	const struct entry *e;
	const struct app *a;
	const struct link *l;
	uint32_t i;

	*events = *programs = 0;
	for (r = ch->regions; r != NULL; r = r->next)
		for (e = r->registry.first; e != NULL; e = e->after)
			if (fnmatch(k->glob, e->desc->name, 0) == 0)
				++*events;
	for (a = apps; a != NULL; a = a->next) {
		if ((l = link_find(a, ch)) == NULL)
			continue;
		for (i = 0; i < l->size; i++) {
			if (l->ids[i] != 0 && a->types[i] != NULL &&
			    fnmatch(k->glob, a->types[i]->name, 0) == 0) {
				++*programs;
				break;
			}
		}
	}
}

static void
enabled(struct client *k)
{
	unsigned int events, programs;
	char late[64] = "";

	if (!client_session_there(k)) {
		client_refuse(k, "the session was destroyed");
		return;
	}
	count_matches(k, &events, &programs);
	if (k->late > 0)
		snprintf(late, sizeof(late), "; %u programs do not answer",
		    k->late);
	client_ok(k, "%s: %u events of %u programs%s", k->glob, events, programs,
	    late);
}

static void
sync_rules(struct client *k, struct channel *ch,
    void (*finish)(struct client *))
{
	struct waiter *w = client_wait(k, finish, PATIENCE);

	k->channel = ch;
	channel_sync(ch, w);
	wait_less(w);
}

static void
do_enable(struct client *k, struct ut_msg *m)
{
	struct session *s = find_session(k, m);
	struct channel *ch;
	char name[NAME_MAXLEN];
	uint32_t kind, level;

	if (s == NULL)
		return;
	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, k->glob, sizeof(k->glob));
	kind = ut_msg_get_u32(m);
	level = ut_msg_get_u32(m);
	if (m->bad || k->glob[0] == '\0')
		client_refuse(k, "pattern: 1 to %d characters", NAME_MAXLEN - 1);
	else if (kind > UT_RULE_ONLY || level > UT_DEBUG)
		client_refuse(k, "log level %u: not from 0 to %d", level, UT_DEBUG);
	else if ((ch = find_channel(k, s, name, true)) == NULL)
		return;
	else if (!rule_add(ch, k->glob, kind, level))
		client_refuse(k, "%s is enabled already in channel %s", k->glob,
		    ch->name);
	else if (s->active)
		sync_rules(k, ch, enabled);
	else
		client_ok(k, "%s", "");
}

static void
do_disable(struct client *k, struct ut_msg *m)
{
	struct session *s = find_session(k, m);
	struct channel *ch;
	char name[NAME_MAXLEN];

	if (s == NULL)
		return;
	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, k->glob, sizeof(k->glob));
	if (m->bad)
		client_refuse(k, "pattern too long");
	else if ((ch = find_channel(k, s, name, false)) == NULL)
		return;
	else if (!rule_del(ch, k->glob))
		client_refuse(k, "%s is not enabled in channel %s", k->glob,
		    ch->name);
	else if (s->active)
		sync_rules(k, ch, started);
	else
		client_ok(k, "%s", "");
}

static const struct {
	uint16_t	 type;
	void		(*act)(struct client *, struct ut_msg *);
} requests[] = {
	{ UT_CTL_OWN,		do_own },
	{ UT_CTL_CREATE,	do_create },
	{ UT_CTL_DESTROY,	do_destroy },
	{ UT_CTL_START,		do_start },
	{ UT_CTL_STOP,		do_stop },
	{ UT_CTL_CHANNEL,	do_channel },
	{ UT_CTL_ENABLE,	do_enable },
	{ UT_CTL_DISABLE,	do_disable },
	{ UT_CTL_LIST,		list_sessions },
	{ UT_CTL_EVENTS,	list_events },
};

static void
control_message(struct conn *c, struct ut_msg *m)
{
	struct client *k = c->arg;
	size_t i;

	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].type == m->h.type && k->wait == NULL) {
			requests[i].act(k, m);
			return;
		}
	}
	log_warnx("utctl (uid %lu): bad message %u", (unsigned long)c->uid,
	    m->h.type);
	conn_drop(c);
}

void
control_hello(struct conn *c, struct ut_msg *m)
{
	struct client *k = xcalloc(1, sizeof(*k));

	k->conn = c;
	k->next = clients;
	clients = k;
	c->arg = k;
	c->ops = &control_ops;
	if (m->h.a == UT_MSG_VERSION) {
		client_ok(k, "%s", "");
		return;
	}
	client_refuse(k, "utd speaks version %u of the protocol, utctl %u",
	    UT_MSG_VERSION, m->h.a);
	conn_close(c);
}

/* A drain takes long. */
void
control_progress(uint64_t left)
{
	struct client *k;

	for (k = clients; k != NULL; k = k->next) {
		if (!k->draining || k->conn == NULL)
			continue;
		ut_msg_init(&out, UT_CTL_PROGRESS, 0, 0);
		ut_msg_u64(&out, left);
		conn_send(k->conn, &out);
	}
}

/* In the middle of a send, maybe: the client goes later. */
void
control_ended(struct conn *c)
{
	struct client *k = c->arg;

	k->conn = NULL;
	if (k->owner)
		loop_stop();
	timer_set(&sweeper, 0, sweep, NULL);
}
