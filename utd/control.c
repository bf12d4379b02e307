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

/* A connection of utctl; it asks for one thing at a time. */
struct client {
	struct conn	*conn;		/* NULL: gone */
	struct waiter	*wait;		/* for this; NULL: idle */
	void		(*finish)(struct client *);
	struct timer	 timer;
	unsigned int	 late;		/* programs that did not answer */
	bool		 owner;		/* utd ends when it does */
	bool		 draining;	/* wants to see progress */
	struct session	*session;	/* that the request is about */
	struct channel	*channel;
	char		 glob[NAME_MAXLEN];
	struct client	*next;
};

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

static void __attribute__((format(printf, 2, 3)))
ok(struct client *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(k, UT_CTL_OK, fmt, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 2, 3)))
refuse(struct client *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reply(k, UT_CTL_ERR, fmt, ap);
	va_end(ap);
}

/*
 * Rows of a list: begin, members, end.
 */
static void
row_begin(int depth, const char *what)
{
	ut_msg_init(&out, UT_CTL_ROW, (uint32_t)depth, 0);
	ut_msg_str(&out, what);
}

static void
row_str(const char *key, const char *value)
{
	ut_msg_str(&out, key);
	ut_msg_u8(&out, 's');
	ut_msg_str(&out, value);
	out.h.b++;
}

static void
row_num(const char *key, uint64_t value)
{
	ut_msg_str(&out, key);
	ut_msg_u8(&out, 'n');
	ut_msg_u64(&out, value);
	out.h.b++;
}

static void
row_end(struct client *k)
{
	if (k->conn != NULL)
		conn_send(k->conn, &out);
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

static struct waiter *
wait_for(struct client *k, void (*finish)(struct client *), int ms)
{
	k->finish = finish;
	k->late = 0;
	k->wait = wait_new(finished, k);
	if (ms > 0)
		timer_set(&k->timer, ms, enough, k);
	return k->wait;
}

/* The session may have been destroyed meanwhile. */
static bool
session_there(const struct client *k)
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
		refuse(k, "session name too long");
		return NULL;
	}
	k->session = NULL;
	s = session_find(name, k->conn->uid, why, sizeof(why));
	if (s == NULL)
		refuse(k, "%s", why);
	k->session = s;
	return s;
}

static void
do_own(struct client *k, struct ut_msg *m)
{
	(void)m;
	k->owner = true;
	ok(k, "%s", "");
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
		refuse(k, "%s: %s", s->dir, error == ENOTEMPTY ?
		    "not empty" : strerror(error));
		session_free(s);
	} else {
		s->dying = false;
		log_info("session %s: %s", s->name, s->dir);
		ok(k, "%s", "");
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
		refuse(k, "session name: 1 to 64 letters, digits, . _ -");
	} else if (dir[0] != '/') {
		refuse(k, "directory %s: not absolute", dir);
	} else if (session_taken(name, k->conn->uid)) {
		refuse(k, "session %s exists", name);
	} else {
		k->session = session_new(name, dir, k->conn->uid,
		    k->conn->gid);
		k->session->dying = true;	/* not there yet */
		(void)wait_for(k, nothing, 0);
		session_open(k->session, created, k);
	}
}

static void
started(struct client *k)
{
	if (k->late > 0)
		ok(k, "%u programs do not answer", k->late);
	else
		ok(k, "%s", "");
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
		refuse(k, "session %s is started already", s->name);
		return;
	}
	w = wait_for(k, started, PATIENCE);
	traces_activate(s, true, w);
	for (ch = s->channels; ch != NULL; ch = ch->next)
		channel_sync(ch, w);
	wait_less(w);
}

static void
add_counts(const struct session *s, struct counts *sum)
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

	add_counts(k->session, &sum);
	ok(k, "session %s %s: %llu events, %llu lost, %llu bytes%s%s",
	    k->session->name, what, (unsigned long long)sum.written,
	    (unsigned long long)sum.lost, (unsigned long long)sum.bytes,
	    k->session->error[0] != '\0' ? "; " : "", k->session->error);
}

static void
stopped(struct client *k)
{
	if (session_there(k))
		tell_counts(k, "stopped");
	else
		refuse(k, "the session was destroyed");
}

/* Programs are told to listen no more, but nobody waits for them. */
static struct waiter *
stop_session(struct client *k, void (*finish)(struct client *))
{
	struct waiter *w = wait_for(k, finish, 0);
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
		refuse(k, "session %s is not started", s->name);
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
		refuse(k, "sub-buffer size %u: not a power of two from %u to "
		    "%u", size, UT_SUBSIZE_MIN, UT_SUBSIZE_MAX);
	} else if (n < UT_NSUBS_MIN || n > UT_NSUBS_MAX) {
		refuse(k, "number of sub-buffers %u: not from %u to %u", n,
		    UT_NSUBS_MIN, UT_NSUBS_MAX);
	} else if (((uint64_t)size + sizeof(struct ut_subbuf)) * n + rest >
	    max) {
		refuse(k, "%u sub-buffers of %u bytes are more than %llu "
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
		refuse(k, "channel name: 1 to 64 letters, digits, . _ -");
	else if (strcmp(name, "metadata") == 0)
		refuse(k, "channel name metadata is taken");
	else if (channel_find(s, name) != NULL)
		refuse(k, "channel %s exists", name);
	else if (geometry_valid(k, size, n)) {
		(void)channel_new(s, name, size, n);
		ok(k, "%s", "");
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
		refuse(k, "channel %s does not exist", name);
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

	if (!session_there(k)) {
		refuse(k, "the session was destroyed");
		return;
	}
	count_matches(k, &events, &programs);
	if (k->late > 0)
		snprintf(late, sizeof(late), "; %u programs do not answer",
		    k->late);
	ok(k, "%s: %u events of %u programs%s", k->glob, events, programs,
	    late);
}

static void
sync_rules(struct client *k, struct channel *ch,
    void (*finish)(struct client *))
{
	struct waiter *w = wait_for(k, finish, PATIENCE);

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
		refuse(k, "pattern: 1 to %d characters", NAME_MAXLEN - 1);
	else if (kind > UT_RULE_ONLY || level > UT_DEBUG)
		refuse(k, "log level %u: not from 0 to %d", level, UT_DEBUG);
	else if ((ch = find_channel(k, s, name, true)) == NULL)
		return;
	else if (!rule_add(ch, k->glob, kind, level))
		refuse(k, "%s is enabled already in channel %s", k->glob,
		    ch->name);
	else if (s->active)
		sync_rules(k, ch, enabled);
	else
		ok(k, "%s", "");
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
		refuse(k, "pattern too long");
	else if ((ch = find_channel(k, s, name, false)) == NULL)
		return;
	else if (!rule_del(ch, k->glob))
		refuse(k, "%s is not enabled in channel %s", k->glob,
		    ch->name);
	else if (s->active)
		sync_rules(k, ch, started);
	else
		ok(k, "%s", "");
}

/*
 * UT_CTL_LIST.
 */
static void
list_rules(struct client *k, const struct channel *ch)
{
	const struct rule *r;
	char level[64];

	for (r = ch->rules; r != NULL; r = r->next) {
		if (r->kind == UT_RULE_ALL)
			snprintf(level, sizeof(level), "all");
		else
			snprintf(level, sizeof(level), "%s %s",
			    r->kind == UT_RULE_ONLY ? "==" : "<=",
			    level_name(r->level));
		row_begin(2, "rule");
		row_str("glob", r->glob);
		row_str("level", level);
		row_end(k);
	}
}

static void
list_registry(struct client *k, const struct region *r)
{
	const struct entry *e;

	row_begin(2, "registry");
	row_num("uid", r->trace->uid);
	row_num("bits", r->trace->bits);
	row_num("written", r->counts.written);
	row_num("lost", r->counts.lost);
	row_num("bytes", r->counts.bytes);
	row_num("packets", r->counts.packets);
	row_end(k);
	for (e = r->registry.first; e != NULL; e = e->after) {
		row_begin(3, "event");
		row_str("name", e->desc->name);
		row_num("id", e->id);
		row_num("level", e->desc->level);
		row_end(k);
	}
}

static void
list_channel(struct client *k, const struct channel *ch)
{
	const struct region *r;

	row_begin(1, "channel");
	row_str("name", ch->name);
	row_str("mode", "discard");
	row_num("subbuf_size", ch->subsize);
	row_num("subbufs", ch->nsubs);
	row_end(k);
	list_rules(k, ch);
	for (r = ch->regions; r != NULL; r = r->next)
		list_registry(k, r);
}

static void
row_program(struct client *k, int depth, const struct app *a)
{
	row_begin(depth, "program");
	row_str("name", a->name);
	row_num("pid", (uint64_t)a->pid);
	row_num("uid", a->uid);
	row_num("bits", a->bits);
	row_end(k);
}

static void
list_session(struct client *k, const struct session *s)
{
	const struct channel *ch;
	const struct app *a;
	const struct warning *w;
	struct counts sum;

	add_counts(s, &sum);
	row_begin(0, "session");
	row_str("name", s->name);
	row_str("dir", s->dir);
	row_str("state", s->active ? "active" : "stopped");
	row_num("uid", s->uid);
	row_num("written", sum.written);
	row_num("lost", sum.lost);
	row_num("bytes", sum.bytes);
	row_str("error", s->error);
	row_end(k);
	for (ch = s->channels; ch != NULL; ch = ch->next)
		list_channel(k, ch);
	for (a = apps; a != NULL; a = a->next)
		if (session_sees(s, a->uid) && !a->replaced)
			row_program(k, 1, a);
	for (w = s->warnings; w != NULL; w = w->next) {
		row_begin(1, "warning");
		row_str("text", w->text);
		row_end(k);
	}
}

static bool
sees(const struct client *k, uid_t uid)
{
	return k->conn->uid == 0 || k->conn->uid == geteuid() ||
	    k->conn->uid == uid;
}

static void
listed(struct client *k)
{
	const struct session *s;

	if (k->conn == NULL)
		return;
	if (k->session != NULL && !session_there(k)) {
		refuse(k, "the session was destroyed");
		return;
	}
	for (s = sessions; s != NULL && k->conn != NULL; s = s->next)
		if ((k->session == NULL || k->session == s) && !s->dying &&
		    sees(k, s->uid))
			list_session(k, s);
	ok(k, "%s", "");
}

static void
do_list(struct client *k, struct ut_msg *m)
{
	struct session *s;
	struct waiter *w;
	char name[NAME_MAXLEN], why[512];

	ut_msg_get_str(m, name, sizeof(name));
	k->session = NULL;
	if (m->bad) {
		refuse(k, "session name too long");
		return;
	}
	if (name[0] != '\0' && (k->session = session_find(name,
	    k->conn->uid, why, sizeof(why))) == NULL) {
		refuse(k, "%s", why);
		return;
	}
	w = wait_for(k, listed, PATIENCE);
	for (s = sessions; s != NULL; s = s->next)
		if (k->session == NULL || k->session == s)
			traces_count(s, w);
	wait_less(w);
}

/*
 * UT_CTL_EVENTS.
 */
static void
list_event(struct client *k, const struct desc *d)
{
	static struct ut_msg m;
	struct field f;
	char type[64], label[NAME_MAXLEN];
	uint32_t n, v;
	int low, high;

	row_begin(1, "event");
	row_str("name", d->name);
	row_num("level", d->level);
	row_end(k);
	desc_open(d, &m, &n);
	while (n-- > 0) {
		desc_field(&m, &f);
		for (v = 0; v < f.nvalues; v++)
			desc_value(&m, label, &low, &high);
		desc_type(&f, type, sizeof(type));
		row_begin(2, "field");
		row_str("name", f.name);
		row_str("type", type);
		row_end(k);
	}
}

static void
events_listed(struct client *k)
{
	const struct app *a;
	const struct link *l;
	uint32_t i;

	if (k->conn == NULL)
		return;
	for (a = apps; a != NULL && k->conn != NULL; a = a->next) {
		if (a->conn == NULL || !sees(k, a->uid))
			continue;
		row_program(k, 0, a);
		if ((l = link_find(a, NULL)) == NULL)
			continue;
		for (i = 0; i < l->size && k->conn != NULL; i++)
			if (l->offered[i] && app_type(a, i) != NULL)
				list_event(k, app_type(a, i));
	}
	ok(k, "%s", "");
}

static void
do_events(struct client *k, struct ut_msg *m)
{
	struct waiter *w = wait_for(k, events_listed, PATIENCE);
	struct app *a;

	(void)m;
	for (a = apps; a != NULL; a = a->next)
		if (sees(k, a->uid))
			link_sync(a, NULL, w);
	wait_less(w);
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
	{ UT_CTL_LIST,		do_list },
	{ UT_CTL_EVENTS,	do_events },
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
		ok(k, "%s", "");
		return;
	}
	refuse(k, "utd speaks version %u of the protocol, utctl %u",
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
