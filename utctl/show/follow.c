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
 * Reading a trace while it is written.
 *
 * Consumers write a packet when a sub-buffer is full, or when the flush
 * interval is over, so a quiet thread's events come to the files later than a
 * busy one's of the same time.  An event is therefore held back until it is
 * older than the interval: by then all that was recorded before is in the
 * files, and what is printed is in the order of time.  What comes later still,
 * because a consumer does not keep up, is printed when it comes.
 *
 * Now and then the directory is searched for new traces and streams.  Rotation
 * renames directories, so files are known by their inodes, and by what they
 * begin with: a file that -W or clear has removed leaves its inode to others.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../client.h"
#include "../ctf/select.h"
#include "../say.h"
#include "common/attr.h"
#include "common/compat.h"
#include "follow.h"

#define ROUND		100		/* ms */
#define LOOK		900		/* ms between two searches, at least */
#define COSTLY		20		/* times as long as a search took */
#define AWAY		6		/* looks before a file is gone */
#define HOLD_MAX	5000		/* ms; an interval may be longer */
#define MARGIN		200		/* ms: a turn takes a while */
#define NS_MS		INT64_C(1000000)

static int64_t
clock_ns(clockid_t clock)
{
	struct timespec ts;

	ut_clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int
is_same_dir(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	    sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

const struct row *
follow_session(struct client *c, const char *dir, struct row **rows)
{
	const struct row *s;

	row_free(*rows);
	*rows = NULL;
	if (client_ask(c, UT_CTL_LIST, "", rows) == -1)
		return NULL;
	for (s = (*rows)->child; s != NULL; s = s->next)
		if (strcmp(s->what, "session") == 0 &&
		    row_str(s, "dir")[0] != '\0' &&
		    is_same_dir(row_str(s, "dir"), dir))
			return s;
	return NULL;
}

int64_t
follow_hold(const struct row *session)
{
	const char *name = attr_table[ATTR_FLUSH].name;
	const struct row *ch;
	uint64_t most = 0;

	for (ch = session->child; ch != NULL; ch = ch->next)
		if (strcmp(ch->what, "channel") == 0 &&
		    row_num(ch, name) > most)
			most = row_num(ch, name);
	if (most > HOLD_MAX)
		most = HOLD_MAX;
	return ((int64_t)most + MARGIN) * NS_MS;
}

static int
is_same(const struct ctf_trace *a, const struct ctf_trace *b)
{
	return a->hasuuid == b->hasuuid && (!a->hasuuid ||
	    memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0);
}

/*
 * The metadata have grown, or the clock is known better: all that belongs to
 * the trace is switched to the new ones.  What cannot be read is tried again.
 */
static void
trace_read(struct reader *r, struct ctf_trace **trp, const struct stat *st,
    const struct watch *p, const struct reader_ops *ops)
{
	struct ctf_trace *old = *trp, *new;
	struct ctf_stream *s;
	size_t i, n = 0;

	ctf_damage_hush(!p->last);
	new = ctf_open(format("%s", old->file), &old->moved);
	ctf_damage_hush(0);
	if (new == NULL || !new->hastrace || !is_same(old, new)) {
		/* Another trace has its file now: it will be found. */
		if (new != NULL && new->hastrace) {
			old->ino = 0;
			old->away = 1;
		}
		if (new != NULL)
			ctf_close(new);
		return;
	}
	trace_stat(new, st);
	reader_trace(r, ops, new);
	for (i = 0; i < r->nidle; i++)
		if (r->idle[i]->trace == old)
			(void)ctf_again(r->idle[i], new, 0);
	for (i = 0; i < r->nstreams; i++) {
		s = r->streams[i];
		if (s->trace == old && !ctf_again(s, new,
		    s->item == ITEM_EVENT))
			reader_idle(r, s);
		else
			r->streams[n++] = s;
	}
	r->nstreams = n;
	reader_sort(r);
	new->next = old->next;
	*trp = new;
	ctf_close(old);
}

/* false: it is not there any more, or has another name. */
static int
file_look(struct ctf_stream *s)
{
	struct stat st;

	if (lstat(s->path, &st) == -1 || st.st_ino != s->ino ||
	    st.st_dev != s->dev || ((uint64_t)st.st_size != s->size &&
	    !ctf_window_is(s, s->path))) {
		s->away++;
		return 0;
	}
	s->away = 0;
	if ((uint64_t)st.st_size > s->size)
		s->size = (uint64_t)st.st_size;
	return 1;
}

/* Look at the metadata in the same way: without them no stream is read. */
static int
look_traces(struct reader *r)
{
	struct ctf_trace *tr;
	struct stat st;
	int all = 1;

	for (tr = r->traces; tr != NULL; tr = tr->next)
		if (lstat(tr->file, &st) == 0 && st.st_ino == tr->ino &&
		    st.st_dev == tr->dev)
			tr->away = 0;
		else {
			tr->away++;
			all = 0;
		}
	return all;
}

/* The files' sizes; false if some are not where they were. */
static int
look_files(struct reader *r)
{
	size_t i;
	int all = 1;

	for (i = 0; i < r->nidle; i++)
		all &= file_look(r->idle[i]);
	for (i = 0; i < r->nstreams; i++)
		all &= file_look(r->streams[i]);
	return all;
}

/* true: the file is read by the name that it has now. */
static int
is_elsewhere(const struct reader *r, const struct ctf_stream *s)
{
	const struct ctf_stream *o;
	size_t i;

	for (i = 0; i < r->nidle + r->nstreams; i++) {
		o = i < r->nidle ? r->idle[i] : r->streams[i - r->nidle];
		if (o != NULL && o != s && o->ino == s->ino &&
		    o->dev == s->dev)
			return 1;
	}
	return 0;
}

/*
 * Forget files that were removed: -W keeps so many files, clear none.  A search
 * that comes by while a directory is renamed may see it by neither name.
 */
static void
forget_files(struct reader *r, const struct watch *p)
{
	struct ctf_stream *s;
	size_t i, n = 0;

	for (i = 0; i < r->nidle; i++) {
		s = r->idle[i];
		if (s->trace->away <= AWAY && (file_look(s) ||
		    s->away <= AWAY)) {
			r->idle[n++] = s;
			continue;
		}
		if (!p->lists && s->away != 0 && (s->inpacket ||
		    s->nextpkt < s->size) && !is_elsewhere(r, s))
			say("%s: removed before all of it was read", s->path);
		stream_free(s);
		r->idle[i] = NULL;
	}
	r->nidle = n;
}

static int
is_used(const struct reader *r, const struct ctf_trace *tr)
{
	size_t i;

	for (i = 0; i < r->nidle; i++)
		if (r->idle[i]->trace == tr)
			return 1;
	for (i = 0; i < r->nstreams; i++)
		if (r->streams[i]->trace == tr)
			return 1;
	return 0;
}

/* Forget traces that were removed. */
static void
forget_traces(struct reader *r)
{
	struct ctf_trace **trp = &r->traces, *tr;

	while ((tr = *trp) != NULL) {
		if (tr->away <= AWAY || is_used(r, tr)) {
			trp = &tr->next;
			continue;
		}
		*trp = tr->next;
		ctf_close(tr);
	}
}

/* The directory may be gone: what is written there later is not found. */
static void
look_place(struct watch *p)
{
	struct stat st;
	const int is = stat(p->dir, &st) == 0;

	if (is && p->ino == 0) {
		p->dev = st.st_dev;
		p->ino = st.st_ino;
	}
	if (p->ino == 0 || p->gone ||
	    (is && st.st_dev == p->dev && st.st_ino == p->ino))
		return;
	p->gone = 1;
	ctf_damage(p->dir, "removed or renamed meanwhile: what came later is "
	    "not shown");
}

static void
look_around(struct reader *r, struct watch *p, const struct reader_ops *ops)
{
	struct ctf_trace *first = r->traces, *tr;
	const size_t n = r->nstreams;
	struct ctf_stream *s;

	look_place(p);
	ctf_damage_hush(!p->last);
	if (!p->gone && (!p->last || p->ino != 0))
		reader_look(r, p->dir);
	ctf_damage_hush(0);
	reader_rows(r);
	for (tr = r->traces; tr != first; tr = tr->next)
		reader_trace(r, ops, tr);
	while (r->nstreams > n) {
		s = r->streams[--r->nstreams];
		s->growing = 1;
		if (r->select != NULL) {
			s->since = r->select->from;
			s->until = r->select->to;
		}
		reader_idle(r, s);
	}
	forget_files(r, p);
	forget_traces(r);
}

/*
 * Look at all there is now.  The files' sizes are taken before the metadata are
 * read, which describe at least what the files hold.
 */
void
follow_look(struct reader *r, struct watch *p, const struct reader_ops *ops)
{
	const int64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct ctf_trace **trp;
	struct stat st;
	int64_t took;

	if (!(look_files(r) & look_traces(r)) || begin >= p->next) {
		look_around(r, p, ops);
		(void)look_traces(r);
		took = clock_ns(CLOCK_MONOTONIC) - begin;
		p->next = begin + (COSTLY * took > LOOK * NS_MS ?
		    COSTLY * took : LOOK * NS_MS);
	}
	for (trp = &r->traces; *trp != NULL; trp = &(*trp)->next)
		if ((*trp)->away == 0 && lstat((*trp)->file, &st) == 0 &&
		    trace_changed(*trp, &st))
			trace_read(r, trp, &st, p, ops);
}

/* Nothing comes any more: what is cut short now is damaged. */
static void
place_finish(struct reader *r, struct watch *p, const struct follow *f,
    const struct reader_ops *ops, void *arg)
{
	size_t i;
	int n;

	p->next = 0;
	follow_look(r, p, ops);
	reader_wake(r);
	for (n = 0; n < AWAY && !look_files(r); n++) {
		f->pause(f->arg, ROUND / 2);
		follow_look(r, p, ops);
		reader_wake(r);
	}
	p->last = 1;
	p->next = 0;
	follow_look(r, p, ops);
	reader_wake(r);
	for (i = 0; i < r->nidle; i++)
		r->idle[i]->growing = 0;
	for (i = 0; i < r->nstreams; i++)
		r->streams[i]->growing = 0;
	reader_wake(r);
	(void)reader_upto(r, ops, arg, INT64_MAX);
}

/*
 * Up to when events are printed.  If the system's clock was set back nothing
 * would be for a long time, so what waits for too long is printed as it is.
 */
static int64_t
horizon(const struct reader *r, const struct follow *f, int64_t *since)
{
	const int64_t now = clock_ns(CLOCK_MONOTONIC);
	const int64_t upto = clock_ns(CLOCK_REALTIME) - f->hold;

	if (r->nstreams == 0 || r->streams[0]->ns <= upto)
		*since = now;
	return now - *since > 2 * f->hold ? INT64_MAX : upto;
}

void
reader_follow(struct reader *r, const struct follow *f,
    const struct reader_ops *ops, void *arg)
{
	struct watch p = { .dir = f->dir };
	int64_t since = clock_ns(CLOCK_MONOTONIC), upto;
	int more = 1;

	r->follow = 1;
	if (r->select != NULL)
		reader_times(r);
	reader_count(r);
	while (more && f->goes_on(f->arg)) {
		follow_look(r, &p, ops);
		reader_wake(r);
		upto = horizon(r, f, &since);
		more = reader_upto(r, ops, arg, upto) && (r->select == NULL ||
		    upto <= r->select->to);
		f->pause(f->arg, more ? ROUND : 0);
	}
	if (more)
		place_finish(r, &p, f, ops, arg);
}
