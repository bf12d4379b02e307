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
 * Snapshots: a trace of what regions hold at this moment, whether they are ever
 * drained or not, and without disturbing them.
 *
 * Each region is copied first, which takes about as long as memory does.  Then
 * the copy is drained, as for the last time, into a sink of its own, while
 * programs go on in the region.
 */

#include <sys/types.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define TEXT_MAX (64u << 20)	/* bytes of metadata */

/* Metadata of snapshots to come. */
struct shot {
	uint32_t	 id;
	char		*text;
	size_t		 len;
	struct shot	*next;
};

static struct shot *shots;

static struct shot **
shot_find(uint32_t id)
{
	struct shot **sp;

	for (sp = &shots; *sp != NULL && (*sp)->id != id; sp = &(*sp)->next)
		continue;
	return sp;
}

/* UT_C_SHOTTEXT */
void
shot_text(struct ut_msg *m)
{
	static char text[UT_MSG_MAX];
	struct shot *s = *shot_find(m->h.a);
	size_t n;

	ut_msg_get_str(m, text, sizeof(text));
	n = strlen(text);
	if (s == NULL) {
		s = xcalloc(1, sizeof(*s));
		s->id = m->h.a;
		s->next = shots;
		shots = s;
	}
	if (m->bad || n > TEXT_MAX - s->len)
		return;			/* shot_take finds its length wrong */
	s->text = xrealloc(s->text, s->len + n + 1);
	memcpy(s->text + s->len, text, n + 1);
	s->len += n;
}

/* The snapshot is over: its metadata are not needed any more. */
static void
shot_text_free(uint32_t id)
{
	struct shot **sp = shot_find(id), *s = *sp;

	if (s == NULL)
		return;
	*sp = s->next;
	free(s->text);
	free(s);
}

/* Drain the copies there, and count the events; 0, or an errno. */
static int
drain_copies(struct region *copies, struct trace *t, uint64_t *events)
{
	struct region *c;
	int error = 0;

	for (c = copies; c != NULL; c = c->next) {
		c->sink = sink_new(c, t);
		(void)region_drain(c, DRAIN_LAST);
		if (error == 0)
			error = c->sink->trouble;
		*events += c->written;
		sink_free(c->sink);
	}
	return error;
}

/* Write what was copied: 0, or -1 and errno. */
static int
shot_write(struct region *copies, const struct trace *like, int fd,
    const char *path, const char *text, uint64_t *events)
{
	struct trace *t = output_trace(like, fd, path, false);
	const struct region *c;
	int error = 0;

	if (t == NULL)
		return -1;
	for (c = copies; c != NULL; c = c->next)
		clockfile_since(t, c->begun, c->attrs.v[ATTR_CLOCK] ==
		    UT_CLOCK_CYCLES);
	if (output_metadata(t, text, true) == -1 ||
	    output_pending(t) == -1)
		error = errno;
	if (error == 0 && (error = drain_copies(copies, t, events)) != 0) {
		errno = error;
		(void)report_why(t->path, "%s", strerror(error));
	}
	output_close(t);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Copies of the regions that are there, of those that the message names. */
static int
copy_regions(struct ut_msg *m, struct region **copies)
{
	uint32_t n = ut_msg_get_u32(m);
	struct region *r, *c;

	while (!m->bad && n-- > 0) {
		if ((r = region_known(ut_msg_get_u32(m))) == NULL)
			continue;
		if ((c = region_copy(r)) == NULL)
			return report_errno("a copy of the buffers");
		c->next = *copies;
		*copies = c;
	}
	return 0;
}

/* Remove what there is of it, perhaps by a consumer that died then. */
static void
shot_discard(int fd, const char *path)
{
	const int error = errno;
	char why[512];

	snprintf(why, sizeof(why), "%s", report_reason(error));
	output_discard(fd, path);
	errno = error;
	(void)report_why(NULL, "%s", why);
}

/* Without all of its metadata, which another consumer has got: -1. */
static int
shot_do(struct ut_msg *m, int fd, const char *path, struct region **copies,
    uint64_t *events)
{
	const struct shot *s = *shot_find(m->h.a);
	const uint64_t len = ut_msg_get_u64(m);
	struct trace like;
	int i, below, r = -1;

	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.limit = NO_LIMIT;
	for (i = 0; i < UUID_LEN; i++)
		like.uuid[i] = ut_msg_get_u8(m);
	if (m->h.b != 0) {
		errno = ECANCELED;	/* nobody waits for it any more */
	} else if (m->bad || s == NULL || s->len != len || len == 0) {
		errno = ESTALE;
		(void)report_why(NULL, "the consumer of uid %lu ended "
		    "meanwhile", (unsigned long)geteuid());
	} else if (copy_regions(m, copies) == 0) {
		if ((below = fcntl(fd, F_DUPFD_CLOEXEC, 0)) == -1)
			(void)report_errno(NULL);
		else
			r = shot_write(*copies, &like, below, path, s->text,
			    events);
	}
	if (r == -1)
		shot_discard(fd, path);
	return r;
}

/* UT_C_SHOT */
void
shot_take(struct ut_msg *m)
{
	char path[PATH_MAX];
	const uint32_t serial = ut_msg_get_u32(m);
	struct region *copies = NULL, *c;
	struct ut_msg *out;
	uint64_t events = 0;
	int fd, r = -1, error;

	ut_msg_get_str(m, path, sizeof(path));
	if ((fd = ut_msg_get_fd(m)) != -1) {
		r = shot_do(m, fd, path, &copies, &events);
		(void)close_failed(fd);
	}
	error = errno;
	shot_text_free(m->h.a);
	while ((c = copies) != NULL) {
		copies = c->next;
		region_private_free(c);
	}
	if (r == -1) {
		report_failed(serial, error);
		return;
	}
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u64(out, events);
	report_send();
}
