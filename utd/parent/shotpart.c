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
 * The parts of a snapshot, one for each trace of the session: a consumer that
 * has regions of it gets metadata, made anew from the registries, and writes
 * what these regions hold.
 *
 * Users can stop the consumer that works for them, and take descriptors, file
 * sizes and memory from it.  So whatever happens to the part of a user who does
 * not own the session, only that part is missing, and the snapshot names the
 * user and the reason.  That user's consumer removes what it wrote of a part
 * that failed.  The session's owner does not go there: the user could mount on
 * the directory what does not answer.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shot.h"

#define PIECE		32768u		/* bytes of metadata in one message */
#define QUEUED_MAX	(8u << 20)	/* bytes that a consumer has to read */

/* The part of one trace of the session; requests have its ID. */
struct part {
	uint32_t	 id;
	struct shot	*shot;
	uid_t		 uid;
	gid_t		 gid;
	struct text	 text;
	unsigned char	 uuid[UUID_LEN];
	char		*path;		/* in the snapshot's directory */
	const char	*below;		/* in that one, which is another user's
					   to write in; or NULL */
	uint32_t	*regions;
	uint32_t	 nregions;
	bool		 asked;		/* the consumer was asked for it */
	bool		 over;		/* written, or left out */
	struct part	*next;
};

static struct part *parts;
static struct ut_msg out;

static struct part *
part_by_id(uint32_t id)
{
	struct part *p;

	for (p = parts; p != NULL && p->id != id; p = p->next)
		continue;
	return p;
}

void
parts_free(const struct shot *sh)
{
	struct part **pp = &parts, *p;

	while ((p = *pp) != NULL) {
		if (p->shot != sh) {
			pp = &p->next;
			continue;
		}
		*pp = p->next;
		text_free(&p->text);
		free(p->path);
		free(p->regions);
		free(p);
	}
}

static void
less_pending(struct shot *sh)
{
	if (--sh->pending == 0)
		sh->written(sh);
}

static void
part_over(struct part *p)
{
	p->over = true;
	less_pending(p->shot);
}

/* The snapshot is taken without the part of that user. */
static void
shot_lack(struct shot *sh, uid_t uid, const char *why)
{
	sh->lacks_more |= sh->lacks && sh->lacking != uid;
	if (!sh->lacks) {
		sh->lacking = uid;
		snprintf(sh->lack_why, sizeof(sh->lack_why), "%s", why);
	}
	sh->lacks = true;
}

/* The part cannot be written: without its owner's there is no snapshot. */
static void
part_fail(struct part *p, const char *why)
{
	if (p->uid != p->shot->uid)
		shot_lack(p->shot, p->uid, why);
	else
		shot_fail(p->shot, why);
	part_over(p);
}

/* The part of another user is left out; nothing is written if none was yet. */
static void
part_drop(struct part *p, const char *fault)
{
	struct consumer *c;
	char why[64];

	if (p->asked && (c = consumer_find(p->uid)) != NULL)
		consumer_tell(c, UT_C_SHOTDROP, p->id, 0);
	snprintf(why, sizeof(why), "the consumer %s", fault);
	part_fail(p, why);
}

void
parts_skip(struct shot *sh, struct consumer *c)
{
	struct part *p;

	for (p = parts; p != NULL; p = p->next)
		if (p->shot == sh && p->uid == c->uid && !p->over)
			part_drop(p, consumer_fault(c));
}

/* Nobody waits any more for the parts of other users. */
void
parts_hurry(struct shot *sh)
{
	struct part *p;

	for (p = parts; p != NULL; p = p->next)
		if (p->shot == sh && p->uid != sh->uid && !p->over)
			part_drop(p, "takes too long");
}

/* UT_C_SHOT is answered. */
static void
got_part(uint32_t id, int error, struct ut_msg *m)
{
	struct part *p = part_by_id(id);
	uint64_t n = 0;

	if (p == NULL || p->over)
		return;
	if (error != 0) {
		part_fail(p, consumer_why(m, error));
		return;
	}
	if (count_grew(&n, ut_msg_get_u64(m)))
		count_add(&p->shot->events, n);
	part_over(p);
}

/* Send the metadata, whose end is told by their length. */
static void
part_text(struct part *p, struct consumer *c)
{
	char piece[PIECE + 1];
	size_t at, n;

	for (at = 0; at < p->text.len; at += n) {
		n = p->text.len - at < PIECE ? p->text.len - at : PIECE;
		memcpy(piece, p->text.s + at, n);
		piece[n] = '\0';
		ut_msg_init(&out, UT_C_SHOTTEXT, p->id, 0);
		ut_msg_str(&out, piece);
		consumer_send(c, &out);
	}
}

/* A part is not waited for any longer than any answer: see requests.c. */
static void
part_waited(void *arg)
{
	(void)arg;
}

/* Have it written, in a directory below that one. */
static void
part_write(struct part *p, int fd, const char *path)
{
	struct consumer *c = consumer_get(p->uid, p->gid);
	struct waiter *w;
	uint32_t i;

	if (p->uid != p->shot->uid && consumer_skipped(c, p->shot->uid)) {
		part_drop(p, consumer_fault(c));
		return;
	}
	if (c->conn == NULL || c->conn->queued + p->text.len > QUEUED_MAX) {
		part_fail(p, c->conn == NULL ? "the consumer is being started" :
		    "the consumer has too much to read");
		return;
	}
	part_text(p, c);
	request_init(&out, UT_C_SHOT, p->id, 0);
	ut_msg_str(&out, path);
	ut_msg_u64(&out, p->text.len);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, p->uuid[i]);
	ut_msg_u32(&out, p->nregions);
	for (i = 0; i < p->nregions; i++)
		ut_msg_u32(&out, p->regions[i]);
	ut_msg_fd(&out, fd);
	text_free(&p->text);
	p->asked = true;
	w = wait_new(part_waited, NULL);
	wait_for(w, p->shot->uid);
	(void)consumer_ask(c, &out, got_part, p->id, w);
	wait_less(w);
}

/* The owner of the session has made the directory of another user's part. */
static void
got_user_dir(uint32_t id, int error, struct ut_msg *m)
{
	struct part *p = part_by_id(id);
	int fd;

	if (p == NULL || p->over)
		return;
	if (error == 0 && (fd = ut_msg_get_fd(m)) != -1) {
		part_write(p, fd, p->below);
		close(fd);
		return;
	}
	part_fail(p, consumer_why(m, error != 0 ? error : errno));
}

static void
part_begin(struct part *p)
{
	const struct shot *sh = p->shot;

	if (p->below == NULL) {
		part_write(p, sh->fd, p->path);
		return;
	}
	request_init(&out, UT_C_UIDDIR, 0, 0);
	ut_msg_fd(&out, sh->fd);
	ut_msg_str(&out, p->path);
	ut_msg_u32(&out, 0);
	ut_msg_u32(&out, (uint32_t)p->uid);
	ut_msg_u32(&out, (uint32_t)p->gid);
	(void)consumer_ask(consumer_get(sh->uid, sh->gid), &out, got_user_dir,
	    p->id, NULL);
}

/*
 * Are there buffers that no consumer has yet, after utd or a consumer was
 * killed?  A consumer that was given up never has them.
 */
bool
trace_waits(const struct trace *t)
{
	const struct region *r;

	if (t->consumer->state == CONSUMER_GIVEN_UP || trace_out(t))
		return false;
	if (t->consumer->conn == NULL)
		return true;
	for (r = t->regions; r != NULL; r = r->beside)
		if (r->state == REGION_ASKED && region_left(r))
			return true;
	return false;
}

/* Make the part of a trace, if a consumer has regions of it. */
static void
part_new(struct shot *sh, const struct trace *t)
{
	const struct region *r;
	struct part *p;
	char uuid[UUID_TEXT], path[PATH_MAX], why[64];
	uint32_t n = 0;
	bool clock = false;

	if (t->uid != sh->uid && t->regions != NULL &&
	    t->consumer->state == CONSUMER_GIVEN_UP) {
		shot_lack(sh, t->uid, consumer_trouble(t->consumer));
		return;
	}
	if (t->uid != sh->uid && trace_waits(t)) {
		shot_lack(sh, t->uid, "its buffers are being taken up");
		return;
	}
	for (r = t->regions; r != NULL; r = r->beside)
		n += r->state == REGION_READY;
	if (n == 0 || t->path == NULL)
		return;
	if (t->uid != sh->uid && consumer_skipped(t->consumer, sh->uid)) {
		snprintf(why, sizeof(why), "the consumer %s",
		    consumer_fault(t->consumer));
		shot_lack(sh, t->uid, why);
		return;
	}
	p = xcalloc(1, sizeof(*p));
	p->id = new_id();
	p->shot = sh;
	p->uid = t->uid;
	p->gid = t->gid;
	trace_in_chunk(t, path, sizeof(path));
	p->path = xstrdup(path);
	p->below = trace_own(t) ? NULL : trace_below(t);
	p->regions = xcalloc(n, sizeof(*p->regions));
	uuid_make(p->uuid, uuid);
	metadata_head(&p->text, t, uuid);
	for (r = t->regions; r != NULL; r = r->beside) {
		if (r->state != REGION_READY)
			continue;
		p->regions[p->nregions++] = r->id;
		/* The clock of cycles once, before the first that has it. */
		if (!clock)
			clock = metadata_clock(&p->text, r->channel);
		metadata_channel(&p->text, r->channel);
		metadata_events(&p->text, r->channel, &r->registry);
	}
	p->next = parts;
	parts = p;
}

void
parts_begin(struct shot *sh, const struct session *s,
    void (*written)(struct shot *))
{
	const struct trace *t;
	struct part *p;

	for (t = s->traces; t != NULL; t = t->next)
		part_new(sh, t);
	sh->written = written;
	sh->pending = 1;
	for (p = parts; p != NULL; p = p->next)
		if (p->shot == sh) {
			sh->pending++;
			part_begin(p);
		}
	less_pending(sh);
}
