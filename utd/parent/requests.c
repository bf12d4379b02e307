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
 * The requests to a consumer, until it replies.
 *
 * A request is kept with its text, and repeated to the next consumer if this
 * one dies.  The time for each does not depend on their number, and programs
 * and utctl of a user are turned away while there are too many: see
 * consumers_full.
 */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "consumers.h"

struct request {
	uint32_t	 serial;
	consumer_cb	*cb;		/* or NULL */
	uint32_t	 id;		/* its argument */
	struct waiter	*wait;		/* or NULL */
	bool		 unwanted;	/* by now */
	uint16_t	 type;		/* UT_C_ */
	struct ut_msg	*msg;		/* only as long as it needs to be */
	struct request	*next, **prev;	/* in turn */
	struct request	*chain;		/* in the bucket */
};

static struct request **
bucket(struct requests *rs, uint32_t serial)
{
	return &rs->buckets[serial % REQUEST_BUCKETS];
}

/* Is it made anew for another consumer, from the trace or the region? */
static bool
made_anew(const struct request *r)
{
	return r->type == UT_C_TRACE || r->type == UT_C_REGION;
}

static void
request_free(struct consumer *c, struct request *r)
{
	struct requests *rs = &c->requests;
	struct request **p;

	for (p = bucket(rs, r->serial); *p != r; p = &(*p)->chain)
		continue;
	*p = r->chain;
	*r->prev = r->next;
	if (r->next != NULL)
		r->next->prev = r->prev;
	else
		rs->last = r->prev;
	rs->n--;
	if (r->msg != NULL)
		ut_msg_clear(r->msg);
	free(r->msg);
	free(r);
}

static struct request *
request_new(struct consumer *c, uint16_t type)
{
	struct requests *rs = &c->requests;
	struct request *r = xcalloc(1, sizeof(*r)), **p;

	r->serial = ++rs->serial;
	r->type = type;
	p = bucket(rs, r->serial);
	r->chain = *p;
	*p = r;
	if (rs->last == NULL)
		rs->last = &rs->first;
	r->prev = rs->last;
	*rs->last = r;
	rs->last = &r->next;
	if (rs->n++ == 0)
		consumer_watch(c);
	return r;
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

/* Begin a request: its serial number is the first item. */
void
request_init(struct ut_msg *m, uint16_t type, uint32_t a, uint32_t b)
{
	ut_msg_init(m, type, a, b);
	ut_msg_u32(m, 0);
}

uint32_t
consumer_ask(struct consumer *c, struct ut_msg *m, consumer_cb *cb,
    uint32_t id, struct waiter *w)
{
	struct request *r = request_new(c, m->h.type);
	const uint32_t serial = r->serial;

	memcpy(m->body, &serial, sizeof(serial));
	r->cb = cb;
	r->id = id;
	/* Nobody waits for a consumer that is known not to answer. */
	r->wait = c->late ? NULL : w;
	wait_more(r->wait);
	if (!made_anew(r))
		r->msg = copy_of(m);
	consumer_send(c, m);
	return serial;
}

static void
answered(struct consumer *c, struct request *r, int error, struct ut_msg *m)
{
	if (r->cb != NULL)
		r->cb(r->id, error, m);
	wait_less(r->wait);
	request_free(c, r);
}

void
requests_reply(struct consumer *c, struct ut_msg *m)
{
	struct request *r = *bucket(&c->requests, m->h.a);

	while (r != NULL && r->serial != m->h.a)
		r = r->chain;
	if (r != NULL)
		answered(c, r, (int)m->h.b, m);
}

/* The consumer will not reply any more: all its requests fail. */
void
requests_fail(struct consumer *c)
{
	static struct ut_msg none;
	struct request *r;

	while ((r = c->requests.first) != NULL) {
		ut_msg_init(&none, 0, 0, 0);
		answered(c, r, c->error != 0 ? c->error : EPIPE, &none);
	}
}

/*
 * The consumer does not answer: nobody waits for it any more.  A new session
 * for which a directory was to be made is given up.
 */
void
requests_late(struct consumer *c)
{
	struct request *r;

	for (r = c->requests.first; r != NULL; r = r->next) {
		if (r->wait == NULL)
			continue;
		wait_less(r->wait);
		r->wait = NULL;
		r->unwanted = r->type == UT_C_SESSIONDIR;
	}
}

/* The consumer is new: send all requests again that are not made anew. */
void
requests_again(struct consumer *c)
{
	struct request *r, *next;

	for (r = c->requests.first; r != NULL; r = next) {
		next = r->next;
		if (r->unwanted || made_anew(r)) {
			request_free(c, r);
			continue;
		}
		r->msg->have = 0;
		consumer_send(c, r->msg);
	}
}
