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
 * The directories of a session and the regions of its channels, as the
 * parent sees them.  Each takes some steps in the consumers, so whoever
 * needs a region is told by links_region when it is there, or never will be.
 *
 *	directory of the UID	by the consumer of who owns the session
 *	directory of the ABI	by the consumer of the UID
 *	region			by the same
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utd.h"

#define PIECE	32768		/* of metadata, in one message */

static uint32_t last_id;
static struct ut_msg out;

static void	trace_step(struct trace *);

static void *
id_arg(uint32_t id)
{
	return (void *)(uintptr_t)id;
}

struct region *
region_by_id(uint32_t id)
{
	struct session *s;
	struct channel *ch;
	struct region *r;

	for (s = sessions; s != NULL; s = s->next)
		for (ch = s->channels; ch != NULL; ch = ch->next)
			for (r = ch->regions; r != NULL; r = r->next)
				if (r->id == id)
					return r;
	return NULL;
}

static struct trace *
trace_by_id(uint32_t id)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next)
		for (t = s->traces; t != NULL; t = t->next)
			if (t->id == id)
				return t;
	return NULL;
}

static void
send_metadata(struct trace *t, const struct text *text)
{
	char piece[PIECE + 1];
	size_t at, n;

	for (at = 0; at < text->len; at += n) {
		n = text->len - at < PIECE ? text->len - at : PIECE;
		memcpy(piece, text->s + at, n);
		piece[n] = '\0';
		ut_msg_init(&out, UT_C_METADATA, t->id, 0);
		ut_msg_str(&out, piece);
		consumer_send(t->consumer, &out);
	}
}

/*
 * Before a program may use the ID.  The consumer takes what it was sent
 * before it writes events that it saw committed, so the metadata is always
 * ahead of the data.
 */
void
region_name_event(struct region *r, const struct entry *e)
{
	struct text text = { NULL, 0, 0 };

	metadata_event(&text, r->channel, e);
	send_metadata(r->trace, &text);
	free(text.s);
}

static void
region_failed(struct region *r, int error)
{
	struct session *s = r->trace->session;

	r->state = REGION_FAILED;
	snprintf(s->error, sizeof(s->error), "channel %s for uid %lu: %s",
	    r->channel->name, (unsigned long)r->trace->uid, strerror(error));
	session_warn(s, "%s", s->error);
	links_region(r);
}

static void
trace_failed(struct trace *t, int error)
{
	struct channel *ch;
	struct region *r;

	t->state = REGION_FAILED;
	for (ch = t->session->channels; ch != NULL; ch = ch->next)
		for (r = ch->regions; r != NULL; r = r->next)
			if (r->trace == t && r->state != REGION_FAILED)
				region_failed(r, error);
}

static void
send_active(struct region *r, bool active, consumer_cb *cb, void *arg)
{
	uint32_t serial = consumer_expect(r->trace->consumer, cb, arg);

	ut_msg_init(&out, UT_C_ACTIVE, r->id, active);
	ut_msg_u32(&out, serial);
	consumer_send(r->trace->consumer, &out);
}

static void
nothing_to_do(void *arg, int error, struct ut_msg *m)
{
	(void)arg;
	(void)error;
	(void)m;
}

/* UT_C_REGION is answered: a is what `active' was then. */
static void
got_region(void *arg, int error, struct ut_msg *m)
{
	struct region *r = region_by_id((uint32_t)(uintptr_t)arg);
	bool active;

	if (r == NULL)
		return;
	if (error == 0) {
		active = ut_msg_get_u32(m) != 0;
		r->fd = ut_msg_get_fd(m);
		if (r->fd == -1)
			error = EPROTO;
	}
	if (error != 0) {
		region_failed(r, error);
		return;
	}
	r->state = REGION_READY;
	if (active != r->trace->session->active)
		send_active(r, !active, nothing_to_do, NULL);
	links_region(r);
}

static void
ask_region(struct region *r)
{
	struct text text = { NULL, 0, 0 };
	struct consumer *c = r->trace->consumer;
	struct channel *ch = r->channel;

	if (r->state != REGION_NEW)
		return;
	r->state = REGION_ASKED;
	metadata_channel(&text, ch);
	send_metadata(r->trace, &text);
	free(text.s);
	ut_msg_init(&out, UT_C_REGION, r->id, r->trace->id);
	ut_msg_u32(&out, consumer_expect(c, got_region, id_arg(r->id)));
	ut_msg_u32(&out, ch->stream);
	ut_msg_str(&out, ch->name);
	ut_msg_u32(&out, ch->nsubs);
	ut_msg_u32(&out, ch->subsize);
	ut_msg_u32(&out, ch->session->active);
	consumer_send(c, &out);
}

/* 36 characters: RFC 9562, version 4. */
static void
uuid_make(unsigned char *uuid, char *s)
{
	int fd, i;

	if ((fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC)) == -1 ||
	    read(fd, uuid, UUID_LEN) != UUID_LEN)
		fatal("/dev/urandom");
	close(fd);
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
	for (i = 0; i < UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*s++ = '-';
		s += snprintf(s, 3, "%02x", uuid[i]);
	}
}

static void
got_trace(void *arg, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id((uint32_t)(uintptr_t)arg);

	(void)m;
	if (t == NULL)
		return;
	if (error != 0) {
		trace_failed(t, error);
		return;
	}
	t->state = REGION_READY;
	trace_step(t);
}

static void
got_uid_dir(void *arg, int error, struct ut_msg *m)
{
	struct text text = { NULL, 0, 0 };
	struct trace *t = trace_by_id((uint32_t)(uintptr_t)arg);
	unsigned char uuid[UUID_LEN];
	char str[40];
	int i, fd;

	if (t == NULL)
		return;
	if (error == 0 && (fd = ut_msg_get_fd(m)) == -1)
		error = EPROTO;
	if (error != 0) {
		trace_failed(t, error);
		return;
	}
	uuid_make(uuid, str);
	ut_msg_init(&out, UT_C_TRACE, t->id, 0);
	ut_msg_fd(&out, fd);
	ut_msg_u32(&out, consumer_expect(t->consumer, got_trace,
	    id_arg(t->id)));
	ut_msg_u32(&out, t->bits);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, uuid[i]);
	consumer_send(t->consumer, &out);
	close(fd);
	metadata_head(&text, t, str);
	send_metadata(t, &text);
	free(text.s);
}

static void
ask_uid_dir(struct trace *t, gid_t gid)
{
	struct session *s = t->session;
	struct consumer *c = consumer_get(s->uid, s->gid);

	t->state = REGION_ASKED;
	ut_msg_init(&out, UT_C_UIDDIR, 0, 0);
	ut_msg_fd(&out, s->dirfd);
	ut_msg_u32(&out, consumer_expect(c, got_uid_dir, id_arg(t->id)));
	ut_msg_u32(&out, (uint32_t)t->uid);
	ut_msg_u32(&out, (uint32_t)gid);
	consumer_send(c, &out);
}

/* Regions wait for their directory. */
static void
trace_step(struct trace *t)
{
	struct channel *ch;
	struct region *r;

	for (ch = t->session->channels; ch != NULL; ch = ch->next)
		for (r = ch->regions; r != NULL; r = r->next)
			if (r->trace == t && t->state == REGION_READY)
				ask_region(r);
}

static struct trace *
trace_get(struct session *s, uid_t uid, gid_t gid, uint32_t bits)
{
	struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->uid == uid && t->bits == bits)
			return t;
	t = xcalloc(1, sizeof(*t));
	t->id = ++last_id;
	t->session = s;
	t->uid = uid;
	t->bits = bits;
	t->consumer = consumer_get(uid, gid);
	t->next = s->traces;
	s->traces = t;
	ask_uid_dir(t, gid);
	return t;
}

struct region *
region_get(struct channel *ch, uid_t uid, gid_t gid, uint32_t bits)
{
	struct trace *t = trace_get(ch->session, uid, gid, bits);
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		if (r->trace == t)
			return r;
	r = xcalloc(1, sizeof(*r));
	r->id = ++last_id;
	r->trace = t;
	r->channel = ch;
	r->fd = -1;
	registry_init(&r->registry);
	r->next = ch->regions;
	ch->regions = r;
	if (t->state == REGION_READY)
		ask_region(r);
	else if (t->state == REGION_FAILED)
		r->state = REGION_FAILED;
	return r;
}

/* A request for the counts of a region, and who waits for it. */
struct counting {
	uint32_t	 region;
	struct waiter	*wait;
};

static void
got_counts(void *arg, int error, struct ut_msg *m)
{
	struct counting *k = arg;
	struct region *r = region_by_id(k->region);

	if (error == 0 && r != NULL) {
		r->counts.written = ut_msg_get_u64(m);
		r->counts.lost = ut_msg_get_u64(m);
		r->counts.bytes = ut_msg_get_u64(m);
		r->counts.packets = ut_msg_get_u64(m);
	}
	wait_less(k->wait);
	free(k);
}

static struct counting *
counting_new(const struct region *r, struct waiter *w)
{
	struct counting *k = xcalloc(1, sizeof(*k));

	k->region = r->id;
	k->wait = w;
	wait_more(w);
	return k;
}

/* Start or stop; the wait is for the counts when all is written. */
void
traces_activate(struct session *s, bool active, struct waiter *w)
{
	struct channel *ch;
	struct region *r;

	s->active = active;
	for (ch = s->channels; ch != NULL; ch = ch->next)
		for (r = ch->regions; r != NULL; r = r->next)
			if (r->state == REGION_READY)
				send_active(r, active, got_counts,
				    counting_new(r, w));
}

void
traces_count(struct session *s, struct waiter *w)
{
	struct counting *k;
	struct channel *ch;
	struct region *r;

	for (ch = s->channels; ch != NULL; ch = ch->next) {
		for (r = ch->regions; r != NULL; r = r->next) {
			if (r->state != REGION_READY)
				continue;
			k = counting_new(r, w);
			ut_msg_init(&out, UT_C_COUNT, r->id, 0);
			ut_msg_u32(&out, consumer_expect(r->trace->consumer,
			    got_counts, k));
			consumer_send(r->trace->consumer, &out);
		}
	}
}

static void
region_free(struct region *r)
{
	ut_msg_init(&out, UT_C_CLOSE, r->id, 0);
	consumer_send(r->trace->consumer, &out);
	if (r->fd != -1)
		close(r->fd);
	registry_free(&r->registry);
	free(r);
}

void
traces_close(struct session *s)
{
	struct channel *ch;
	struct region *r;
	struct trace *t;

	for (ch = s->channels; ch != NULL; ch = ch->next) {
		links_detach(ch);
		while ((r = ch->regions) != NULL) {
			ch->regions = r->next;
			region_free(r);
		}
	}
	while ((t = s->traces) != NULL) {
		s->traces = t->next;
		ut_msg_init(&out, UT_C_CLOSETRACE, t->id, 0);
		consumer_send(t->consumer, &out);
		free(t);
	}
}

/* The consumer died: nobody writes these any more. */
void
traces_orphaned(const struct consumer *c)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next)
		for (t = s->traces; t != NULL; t = t->next)
			if (t->consumer == c)
				trace_failed(t, EPIPE);
}

/* The session's own directory, by whom it belongs to. */
void
session_open(struct session *s, consumer_cb *cb, void *arg)
{
	struct consumer *c = consumer_get(s->uid, s->gid);

	ut_msg_init(&out, UT_C_OUTDIR, 0, 0);
	ut_msg_u32(&out, consumer_expect(c, cb, arg));
	ut_msg_str(&out, s->dir);
	consumer_send(c, &out);
}
