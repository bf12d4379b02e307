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
 * one dies.  The consumer answers in turn what it obeys at once, and in turn
 * what it puts off: there is a queue for each.  Programs and utctl of a user
 * are turned away while there are too many requests: see consumers_full.
 */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "consumers.h"

/*
 * How long another user, who is root, waits for an answer, whatever else the
 * consumer says: its user can stop it and continue it for a moment, again and
 * again, or kill it each second, so that it is never silent for long but does
 * next to nothing.
 *
 * A consumer that is honest but slow waits for its disk.  What a request takes
 * is what its buffers hold, a few MB by default, which no disk needs SLOW_MS
 * for; and the consumer tells how much it has written.  So it may take longer
 * as long as it does SLOW_RATE on average, a tenth of what a bad disk does.  An
 * answer counts as ANSWER bytes, because a region with next to nothing in it
 * needs files, too, and there may be thousands.  What is written is hostile, so
 * that ends at SLOW_MAX_MS.
 *
 * If this is too short for somebody, nothing is lost: the command fails, the
 * events stay in the buffers, and it can be repeated.  Users wait for their own
 * consumers as long as these say anything at all, and what the consumer does
 * for its own user goes on.
 */
#define SLOW_MS		30000
#define SLOW_RATE	1000	/* bytes in a millisecond */
#define SLOW_MAX_MS	120000
#define ANSWER		16384

struct request {
	uint32_t	 serial;
	consumer_cb	*cb;		/* NULL: none */
	uint32_t	 id;		/* first argument of cb */
	int64_t		 asked;		/* time at which it was asked */
	uint64_t	 work;		/* work that was done until then */
	struct waiter	*wait;		/* NULL: nobody waits */
	bool		 unwanted;	/* by now */
	struct ut_msg	*msg;		/* only as long as it needs to be; NULL:
					   made anew for another consumer, from
					   the trace or the region */
	struct request	*next;
};

static void
request_add(struct queue *q, struct request *r)
{
	if (q->first == NULL)
		q->last = &q->first;
	r->next = NULL;
	*q->last = r;
	q->last = &r->next;
}

/* Does a user wait who is not that of the consumer? */
static bool
is_other(const struct consumer *c, const struct waiter *w)
{
	return w != NULL && w->done != NULL && w->asked && w->uid != c->uid;
}

bool
requests_wait(const struct consumer *c, const struct waiter *w)
{
	return !c->late && !(c->slow && is_other(c, w));
}

static bool
is_overdue(const struct consumer *c, const struct request *r, int64_t now)
{
	const int64_t waited = now - r->asked;

	if (waited < SLOW_MS)
		return false;
	return waited >= SLOW_MAX_MS ||
	    (c->work - r->work) / SLOW_RATE < (uint64_t)(waited - SLOW_MS);
}

/* The first that is waited for, of each queue, was asked before the others. */
bool
requests_overdue(const struct consumer *c)
{
	const int64_t now = ut_msg_now();
	const struct queue *q;
	const struct request *r;

	for (q = c->queues; q < c->queues + QUEUES; q++) {
		r = q->first;
		while (r != NULL && !is_other(c, r->wait))
			r = r->next;
		if (r != NULL && is_overdue(c, r, now))
			return true;
	}
	return false;
}

/* Serial numbers wrap: the difference is right. */
bool
requests_behind(const struct consumer *c)
{
	const struct queue *q;

	for (q = c->queues; q < c->queues + QUEUES; q++)
		if (q->first != NULL &&
		    (int32_t)(q->first->serial - c->slow_serial) <= 0)
			return true;
	return false;
}

static void
request_free(struct consumer *c, struct request *r)
{
	if (--c->nrequests == 0)
		consumers_unwatch();
	if (r->msg != NULL)
		ut_msg_clear(r->msg);
	free(r->msg);
	free(r);
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
	struct request *r = xcalloc(1, sizeof(*r));
	const uint32_t serial = ++c->serial;

	memcpy(m->body, &serial, sizeof(serial));
	r->serial = serial;
	r->cb = cb;
	r->id = id;
	r->wait = requests_wait(c, w) ? w : NULL;
	r->asked = ut_msg_now();
	r->work = c->work;
	wait_more(r->wait);
	if (m->h.type != UT_C_TRACE && m->h.type != UT_C_REGION &&
	    m->h.type != UT_C_ROTATE)
		r->msg = copy_of(m);
	request_add(&c->queues[m->h.type < UT_C_METADATA ? QUEUE_AT_ONCE :
	    QUEUE_PUT_OFF], r);
	if (c->nrequests++ == 0)
		consumer_watch(c);
	consumer_send(c, m);
	return serial;
}

/* Tell who asked, and free the request. */
static void
request_over(struct consumer *c, struct request *r, int error,
    struct ut_msg *m)
{
	if (r->cb != NULL)
		r->cb(r->id, error, m);
	wait_less(r->wait);
	request_free(c, r);
}

/* The request fails without an answer. */
static void
request_fail(struct consumer *c, struct request *r, int error)
{
	static struct ut_msg none;

	ut_msg_init(&none, 0, 0, 0);
	request_over(c, r, error, &none);
}

/* The first request of the queue is answered. */
static void
request_answered(struct consumer *c, struct queue *q, struct ut_msg *m)
{
	struct request *r = q->first;

	q->first = r->next;
	request_over(c, r, (int)m->h.b, m);
	c->work += ANSWER;
}

void
requests_reply(struct consumer *c, struct ut_msg *m)
{
	struct queue *q;

	for (q = c->queues; q < c->queues + QUEUES; q++)
		if (q->first != NULL && q->first->serial == m->h.a) {
			request_answered(c, q, m);
			break;
		}
}

/* The consumer will not reply any more: all its requests fail. */
void
requests_fail(struct consumer *c)
{
	struct queue *q;
	struct request *r;

	for (q = c->queues; q < c->queues + QUEUES; q++)
		while ((r = q->first) != NULL) {
			q->first = r->next;
			request_fail(c, r, c->error != 0 ? c->error : EPIPE);
		}
}

/*
 * The consumer does not answer: nobody waits for it any more.  A new session
 * for which a directory was to be made is given up.
 */
void
requests_late(struct consumer *c)
{
	struct queue *q;
	struct request *r;

	for (q = c->queues; q < c->queues + QUEUES; q++)
		for (r = q->first; r != NULL; r = r->next) {
			r->unwanted |= r->wait != NULL &&
			    r->msg->h.type == UT_C_SESSIONDIR;
			wait_less(r->wait);
			r->wait = NULL;
		}
}

/* The consumer is slow: for what it was asked, other users wait no longer. */
void
requests_slow(struct consumer *c)
{
	struct queue *q;
	struct request *r;

	for (q = c->queues; q < c->queues + QUEUES; q++)
		for (r = q->first; r != NULL; r = r->next)
			if (is_other(c, r->wait)) {
				wait_less(r->wait);
				r->wait = NULL;
			}
}

/* Could a descriptor of the message not be copied? */
static bool
lacks_fd(const struct ut_msg *m)
{
	int i;

	for (i = 0; i < m->h.nfds; i++)
		if (m->fds[i] == -1)
			return true;
	return false;
}

/* The consumer is new: send all requests again that are not made anew. */
void
requests_again(struct consumer *c)
{
	struct queue *q;
	struct request *r, *next;

	for (q = c->queues; q < c->queues + QUEUES; q++) {
		r = q->first;
		for (q->first = NULL; r != NULL; r = next) {
			next = r->next;
			if (r->unwanted || r->msg == NULL) {
				request_free(c, r);
				continue;
			}
			if (lacks_fd(r->msg)) {
				request_fail(c, r, EMFILE);
				continue;
			}
			request_add(q, r);
			r->msg->have = 0;
			consumer_send(c, r->msg);
		}
	}
}
