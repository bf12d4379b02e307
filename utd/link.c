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
 * A program and a channel: what the program offers that the rules of the
 * channel want, and which of it is mapped.
 *
 *	IDLE --QUERY--> QUERY --OFFERED--> (REGION) --ATTACH, MAP--> MAP
 *	  ^                                                           |
 *	  +-------------------------- the last ACK -------------------+
 *
 * REGION waits for the region to be made.  HELD waits until the consumer was
 * sent the metadata of the events that are to be mapped: what it was sent it
 * writes before it writes events, so metadata is never behind.  What changes
 * meanwhile is done once more from the start.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utd.h"

#define PAIRS		4000	/* in one MAP */

static struct ut_msg out;

static void	link_start(struct link *);
static void	link_finish(struct link *);

static void
waits_add(struct waiters *ws, struct waiter *w)
{
	if (w == NULL)
		return;
	wait_more(w);
	ws->w = xrealloc(ws->w, (ws->n + 1) * sizeof(*ws->w));
	ws->w[ws->n++] = w;
}

static void
waits_done(struct waiters *ws)
{
	struct waiters old = *ws;
	unsigned int i;

	ws->w = NULL;
	ws->n = 0;
	for (i = 0; i < old.n; i++)
		wait_less(old.w[i]);
	free(old.w);
}

struct link *
link_find(const struct app *a, const struct channel *ch)
{
	struct link *l;

	for (l = a->links; l != NULL; l = l->next)
		if (l->channel == ch)
			return l;
	return NULL;
}

static struct link *
link_by_id(const struct app *a, uint32_t id)
{
	struct link *l;

	for (l = a->links; l != NULL; l = l->next)
		if ((l->channel == NULL ? 0 : l->channel->id) == id)
			return l;
	return NULL;
}

static void
link_grow(struct link *l, uint32_t n)
{
	uint32_t size = l->size;

	if (n <= size)
		return;
	while (size < n)
		size = size == 0 ? 64 : size * 2;
	l->ids = xrealloc(l->ids, size * sizeof(*l->ids));
	l->offered = xrealloc(l->offered, size * sizeof(*l->offered));
	memset(l->ids + l->size, 0, (size - l->size) * sizeof(*l->ids));
	memset(l->offered + l->size, 0,
	    (size - l->size) * sizeof(*l->offered));
	l->size = size;
}

/* Make the program have what the rules want; the wait hears of it. */
void
link_sync(struct app *a, struct channel *ch, struct waiter *w)
{
	struct link *l;

	if (a->conn == NULL)
		return;
	if ((l = link_find(a, ch)) == NULL) {
		l = xcalloc(1, sizeof(*l));
		l->app = a;
		l->channel = ch;
		l->next = a->links;
		a->links = l;
	}
	waits_add(&l->later, w);
	l->again = true;
	if (l->state == LINK_IDLE)
		link_start(l);
}

static bool
link_wanted(const struct link *l)
{
	return l->channel == NULL || (l->channel->session->active &&
	    l->channel->rules != NULL);
}

static bool
put_rule(const struct rule *r)
{
	const uint32_t len = out.h.len;

	ut_msg_str(&out, r->glob);
	ut_msg_u32(&out, r->kind);
	ut_msg_u32(&out, r->level);
	if (!out.bad) {
		out.h.b++;
		return true;
	}
	out.h.len = len;
	out.bad = 0;
	return false;
}

/* The rules from that one on, as many as fit: others have their own QUERY. */
static void
send_query(struct link *l, uint32_t from)
{
	static const struct rule everything = { "*", UT_RULE_ALL, 0, NULL };
	const struct rule *r = l->channel == NULL ? &everything :
	    l->channel->rules;
	uint32_t n;

	for (n = 0; n < from && r != NULL; n++)
		r = r->next;
	ut_msg_init(&out, UT_MSG_QUERY,
	    l->channel == NULL ? 0 : l->channel->id, 0);
	while (r != NULL && put_rule(r))
		r = r->next;
	l->asked = from + out.h.b;
	l->more = r != NULL;
	l->state = LINK_QUERY;
	conn_send(l->app->conn, &out);
}

/* The region has to be attached before anything is mapped. */
static void
send_attach(struct link *l)
{
	const struct region *r = l->region;
	const struct consumer *c = r->trace->consumer;

	consumer_tell_owner(r->trace->consumer, l->app);
	ut_msg_init(&out, UT_MSG_ATTACH, l->channel->id, 0);
	ut_msg_fd(&out, r->fd);
	/* A semaphore of another ABI is another thing: no bell then. */
	if (l->app->bits != sizeof(void *) * CHAR_BIT) {
		ut_msg_str(&out, "");
	} else {
		if (c->bell != -1)
			ut_msg_fd(&out, c->bell);
		ut_msg_str(&out, c->bellname);
	}
	l->acks++;
	conn_send(l->app->conn, &out);
}

static void
send_map(struct link *l)
{
	if (out.h.b == 0)
		return;
	l->acks++;
	if (l->app->conn != NULL)
		conn_send(l->app->conn, &out);
	ut_msg_init(&out, UT_MSG_MAP, l->channel->id, 0);
}

/* The ID that the program's event shall have; 0 is none. */
static uint32_t
wanted_id(struct link *l, uint32_t event)
{
	struct region *r = l->region;
	struct desc *d = l->app->types[event];
	char why[1024];
	uint32_t id;
	bool isnew;

	if (!l->offered[event] || d == NULL)
		return 0;
	id = registry_id(&r->registry, d, l->app->name, &isnew, why,
	    sizeof(why));
	if (id == 0)
		session_warn(l->channel->session, "%s", why);
	else if (isnew)
		region_name_event(r, r->registry.newest);
	return id;
}

static void
link_map(struct link *l)
{
	const struct conn *consumer;
	struct app *a = l->app;
	uint32_t i, id;

	for (i = 0; i < l->size && i < a->ntypes; i++)
		(void)wanted_id(l, i);	/* names the new ones */
	consumer = l->region->trace->consumer->conn;
	if (consumer != NULL && conn_behind(consumer)) {
		l->state = LINK_HELD;
		return;
	}
	l->state = LINK_MAP;
	l->acks++;			/* ours, until all is sent */
	ut_msg_init(&out, UT_MSG_MAP, l->channel->id, 0);
	for (i = 0; i < l->size && i < a->ntypes; i++) {
		id = wanted_id(l, i);
		if (id == l->ids[i])
			continue;
		l->ids[i] = id;
		ut_msg_u32(&out, i);
		ut_msg_u32(&out, id);
		if (++out.h.b == PAIRS)
			send_map(l);
		if (a->conn == NULL)
			return;		/* dropped, and the link with it */
	}
	send_map(l);
	if (a->conn != NULL)
		link_acked(a, l->channel->id, 0);
}

/* The answers to a QUERY are there. */
static void
link_attach(struct link *l)
{
	struct app *a = l->app;
	struct region *r;
	uint32_t i;

	for (i = 0; i < l->size && !l->offered[i]; i++)
		continue;
	if (l->region == NULL && i == l->size) {
		link_finish(l);
		return;
	}
	if (l->region == NULL) {
		r = region_get(l->channel, a->uid, a->gid, a->bits);
		if (r->state == REGION_FAILED) {
			link_finish(l);
			return;
		}
		if (r->state != REGION_READY) {
			l->state = LINK_REGION;
			return;
		}
		l->region = r;
		send_attach(l);
		if (a->conn == NULL)
			return;
	}
	link_map(l);
}

static void
link_start(struct link *l)
{
	l->again = false;
	l->acks = 0;
	l->now = l->later;
	memset(&l->later, 0, sizeof(l->later));
	if (l->size > 0)
		memset(l->offered, 0, l->size * sizeof(*l->offered));
	if (link_wanted(l))
		send_query(l, 0);
	else if (l->region != NULL)
		link_map(l);
	else
		link_finish(l);
}

static void
link_finish(struct link *l)
{
	l->state = LINK_IDLE;
	if (l->failed) {
		l->failed = false;	/* the next sync tries again */
		l->region = NULL;
		memset(l->ids, 0, l->size * sizeof(*l->ids));
	}
	waits_done(&l->now);
	if (l->again && l->app->conn != NULL)
		link_start(l);
}

void
link_offer(struct app *a, uint32_t channel, uint32_t event)
{
	struct link *l = link_by_id(a, channel);

	if (l == NULL || l->state != LINK_QUERY)
		return;
	link_grow(l, event + 1);
	l->offered[event] = true;
}

/* An event whose description makes no sense, or that no trace can hold. */
void
link_refuse(struct app *a, uint32_t channel, struct ut_msg *m)
{
	struct link *l = link_by_id(a, channel);
	char name[NAME_MAXLEN], *p;

	m->pos = 0;
	m->bad = 0;
	ut_msg_get_str(m, name, sizeof(name));
	for (p = name; *p != '\0'; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
	if (l != NULL && l->channel != NULL)
		session_warn(l->channel->session, "event %s of %s (%d): "
		    "description not valid: not recorded", name, a->name,
		    (int)a->pid);
}

void
link_offered(struct app *a, uint32_t channel)
{
	struct link *l = link_by_id(a, channel);

	if (l == NULL || l->state != LINK_QUERY)
		return;
	if (l->more && !l->again)
		send_query(l, l->asked);
	else if (l->channel == NULL)
		link_finish(l);
	else
		link_attach(l);
}

void
link_acked(struct app *a, uint32_t channel, int error)
{
	struct link *l = link_by_id(a, channel);

	if (l == NULL || l->state != LINK_MAP)
		return;
	if (error != 0 && !l->failed) {
		l->failed = true;
		session_warn(l->channel->session,
		    "%s (%d) cannot attach to channel %s: %s", a->name,
		    (int)a->pid, l->channel->name, strerror(error));
	}
	if (--l->acks == 0)
		link_finish(l);
}

/* The region is there, or will never be. */
void
links_region(const struct region *r)
{
	struct app *a;
	struct link *l;

	for (a = apps; a != NULL; a = a->next) {
		l = link_find(a, r->channel);
		if (l == NULL || l->state != LINK_REGION ||
		    a->uid != r->trace->uid || a->bits != r->trace->bits)
			continue;
		link_attach(l);
	}
}

/* The consumer has been sent all there was. */
void
links_drained(const struct consumer *c)
{
	struct app *a;
	struct link *l;

	for (a = apps; a != NULL; a = a->next)
		for (l = a->links; l != NULL; l = l->next)
			if (l->state == LINK_HELD && a->conn != NULL &&
			    l->region->trace->consumer == c)
				link_map(l);
}

static void
link_free(struct link *l)
{
	waits_done(&l->now);
	waits_done(&l->later);
	free(l->ids);
	free(l->offered);
	free(l);
}

/* The connection of the program is gone. */
void
links_free(struct app *a)
{
	struct link *l;

	while ((l = a->links) != NULL) {
		a->links = l->next;
		link_free(l);
	}
}

/* The channel is about to go. */
void
links_detach(const struct channel *ch)
{
	struct app *a;
	struct link **p, *l;

	for (a = apps; a != NULL; a = a->next) {
		for (p = &a->links; (l = *p) != NULL; p = &l->next)
			if (l->channel == ch)
				break;
		if (l == NULL)
			continue;
		*p = l->next;
		if (a->conn != NULL && l->region != NULL) {
			ut_msg_init(&out, UT_MSG_DETACH, ch->id, 0);
			conn_send(a->conn, &out);
		}
		link_free(l);
	}
}

/* After its rules changed, or the session started or stopped. */
void
channel_sync(struct channel *ch, struct waiter *w)
{
	struct app *a;

	for (a = apps; a != NULL; a = a->next)
		if (session_sees(ch->session, a->uid))
			link_sync(a, ch, w);
}
