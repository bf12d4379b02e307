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
 * The streams that a viewer has: which packet of which file comes next.
 *
 * Packets are read whole before a viewer hears of them: babeltrace2 ends at the
 * first that is damaged, or whose times are not in order, and files may be
 * anybody's.  A file stays open while it is read, for a session may remove it.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "viewer.h"

#define WINDOW		(32 << 10)	/* bytes of a file in memory */
#define QUIET		3000		/* ms: a chunk gets no more */
#define PACKET		(17 << 20)	/* bytes: of utd's largest sub-buffer */
#define TURN		20		/* ms for a stream: others wait */

static unsigned long	 damages;

/* Damage is left out, and counted. */
static void
count_damage(uint64_t number, int damage, const char *line)
{
	(void)number;
	(void)line;
	damages += damage != 0;
}

/* A file whose row the viewer does not know; or NULL. */
static const struct source_file *
file_unknown(struct viewer *v)
{
	size_t i;

	if (v->seen == source.state || (v->full && v->nstreams >= ROWS))
		return NULL;
	for (i = 0; i < source.n; i++) {
		if (map_get(&v->known, source.list[i].key) != NULL)
			continue;
		if (v->nstreams < ROWS)
			return &source.list[i];
		v->full = 1;
		return NULL;
	}
	v->seen = source.state;
	return NULL;
}

int
vstream_unknown(struct viewer *v)
{
	return file_unknown(v) != NULL;
}

static struct trace *
trace_of(struct viewer *v, struct meta *m)
{
	struct trace *t;

	for (t = v->traces; t != NULL; t = t->next)
		if (t->meta == m)
			return t;
	t = xcalloc(1, sizeof(*t));
	t->meta = m;
	m->users++;
	t->id = ++v->ids;
	t->next = v->traces;
	v->traces = t;
	return t;
}

/* Open the file of a stream; not if that has got another name, or trace. */
static int
file_open(struct viewer *v, struct vstream *w, const struct ctf_stream *s)
{
	struct stat st;
	int fd;

	if (s->trace != w->trace->meta->trace)
		return 0;
	errno = 0;
	if ((fd = ctf_keep(s->path)) == -1 || fstat(fd, &st) == -1 ||
	    st.st_ino != s->ino || st.st_dev != s->dev) {
		v->unread |= fd == -1 && (errno == EMFILE ||
		    errno == ENFILE || errno == 0);
		if (fd != -1)
			ctf_unkeep(fd);
		return 0;
	}
	w->s = stream_anew(s);
	w->s->kept = fd;
	w->s->size = s->size;
	w->s->basecap = WINDOW;
	return 1;
}

static void
file_close(struct vstream *w)
{
	if (w->s == NULL)
		return;
	ctf_window_close(w->s);
	ctf_unkeep(w->s->kept);
	stream_free(w->s);
	w->s = NULL;
}

static void
trace_free(struct viewer *v, struct trace *t)
{
	struct trace **tp = &v->traces;

	while (*tp != t)
		tp = &(*tp)->next;
	*tp = t->next;
	t->meta->users--;
	free(t);
}

struct vstream *
vstream_new(struct viewer *v)
{
	const struct source_file *f = file_unknown(v), *after;
	struct vstream *w;

	if (f == NULL)
		return NULL;
	while ((after = source_after(f->key, f->s->begin)) != NULL &&
	    after->s->index < v->before)
		f = after;
	w = xcalloc(1, sizeof(*w));
	w->key = f->key;
	w->trace = trace_of(v, f->meta);
	w->trace->nstreams++;
	w->id = ++v->ids;
	w->class = f->s->row;
	w->file = f->s->index;
	w->begin = f->s->begin;
	w->told = v->upto;
	w->end = INT64_MIN;
	v->streams = xgrow(v->streams, v->nstreams, &v->cap,
	    sizeof(*v->streams));
	v->streams[v->nstreams++] = w;
	map_put(&v->known, w->key, v);
	w->skip = f->s->index < v->before ? f->s->size : 0;
	return w;
}

/* Read the packet, and count: does it fit, in the order of time? */
static int
packet_fits(struct vstream *w, int64_t begin, uint64_t *n)
{
	struct ctf_stream *s = w->s;
	const uint64_t size = s->size;
	const unsigned long before = damages;
	const int64_t end = s->end;
	int64_t last = begin;
	int fits = begin <= end && begin >= w->end && w->from <= w->to;

	s->size = s->nextpkt;
	while (fits && ctf_read(s)) {
		if (s->item == ITEM_EVENT) {
			fits = s->ns >= last && s->ns <= end;
			(*n)++;
			last = s->ns;
		}
		s->gone = s->discards = 0;
		s->nlost = 0;
	}
	fits &= !s->inpacket && damages == before;
	s->inpacket = 0;
	s->size = size;
	w->end = fits ? end : w->end;
	return fits;
}

/* The next packet of the file: 1; 0: it is left out; -1: there is none. */
static int
packet_next(struct viewer *v, struct vstream *w)
{
	struct ctf_stream *s = w->s;
	uint64_t events = 0;
	int64_t begin;
	int n;

	n = ctf_packet_open(s);
	s->gone = s->discards = 0;
	s->nlost = 0;
	if (n == -1)
		return -1;
	if (s->stranger) {
		/* The inode is that of another trace's file by now. */
		s->inpacket = 0;
		s->size = s->nextpkt = s->pkt;
		return -1;
	}
	if (s->pkt < w->skip) {
		s->inpacket = 0;
		return 0;
	}
	if (n == 1 || s->nextpkt - s->pkt > PACKET) {
		v->bad++;
		s->inpacket = 0;
		return 0;
	}
	w->at = s->pkt;
	w->content = 8 * (s->last - s->pkt) + s->lastbit;
	w->from = s->cycles;
	w->to = s->endcycles;
	w->discarded = s->discarded;
	begin = ctf_ns(s->class->clock, s->cycles);
	if (!packet_fits(w, begin, &events)) {
		v->bad++;
		return 0;
	}
	if (begin < w->told) {
		v->late += events > 0;
		return 0;
	}
	w->len = s->nextpkt - w->at;
	w->needs = w->trace->meta->len;
	return 1;
}

/* The file is complete, for the next one is there: has it grown? */
static int
file_grew(struct vstream *w)
{
	struct stat st;

	if (w->s == NULL || fstat(w->s->kept, &st) == -1 ||
	    (uint64_t)st.st_size <= w->s->size)
		return 0;
	w->s->size = (uint64_t)st.st_size;
	return 1;
}

/* No more comes: the file is in a chunk that has been complete for a while. */
static int
is_complete(struct vstream *w, const struct ctf_stream *s)
{
	const int64_t now = ut_msg_now();

	if (s == NULL)
		return 1;
	if (strstr(s->path + strlen(source.dir), "/archives/") == NULL)
		return 0;
	if (w->quiet == 0)
		w->quiet = now;
	return now - w->quiet > QUIET;
}

/*
 * Find the next packet of the row.  Damage may be endless, so a call takes at
 * most TURN ms: what is behind the damage comes late, unless the session has
 * ended.
 */
static enum vstream_is
files_next(struct viewer *v, struct vstream *w)
{
	const int64_t until = ut_msg_now() + TURN;
	const struct source_file *after;
	const struct ctf_stream *s;
	int n;

	for (;;) {
		s = source_stream(w->file);
		if (w->s == NULL && s != NULL && !file_open(v, w, s))
			return VSTREAM_NOTHING;
		if (w->s != NULL) {
			if (s != NULL && s->size > w->s->size)
				w->s->size = s->size;
			while ((n = packet_next(v, w)) == 0 &&
			    ut_msg_now() < until)
				continue;
			if (n == 1)
				return VSTREAM_PACKET;
			if (n == 0)
				return w->s->pkt < w->skip || source.ended ?
				    VSTREAM_LATER : VSTREAM_NOTHING;
		}
		if ((after = source_after(w->key, w->begin)) == NULL)
			return is_complete(w, s) ? VSTREAM_OVER :
			    VSTREAM_NOTHING;
		if (file_grew(w))
			continue;
		file_close(w);
		w->file = after->s->index;
		w->begin = after->s->begin;
		w->skip = 0;
	}
}

enum vstream_is
vstream_next(struct viewer *v, struct vstream *w)
{
	enum vstream_is is;

	w->len = 0;
	if (w->over)
		return VSTREAM_OVER;
	ctf_damage_to(count_damage);
	is = files_next(v, w);
	ctf_damage_to(NULL);
	if (is == VSTREAM_PACKET)
		w->quiet = 0;
	if (w->s != NULL)
		ctf_window_drop(w->s);
	if (is != VSTREAM_NOTHING || !source.ended)
		return is;
	v->bad += w->s == NULL;		/* the file is, but not by its name */
	return VSTREAM_OVER;
}

static size_t
place_of(const struct viewer *v, uint64_t id)
{
	size_t lo = 0, hi = v->nstreams, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v->streams[mid]->id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct vstream *
vstream_find(const struct viewer *v, uint64_t id)
{
	const size_t i = place_of(v, id);

	return i < v->nstreams && v->streams[i]->id == id ? v->streams[i] :
	    NULL;
}

/* A viewer forgets a trace with its last stream, and hears of it anew. */
void
vstream_free(struct viewer *v, struct vstream *w)
{
	const size_t i = place_of(v, w->id);

	file_close(w);
	if (--w->trace->nstreams == 0)
		trace_free(v, w->trace);
	v->nstreams--;
	memmove(v->streams + i, v->streams + i + 1,
	    (v->nstreams - i) * sizeof(*v->streams));
	free(w);
}

ssize_t
vstream_read(struct vstream *w, uint8_t *to, size_t n, uint64_t at)
{
	return w->s == NULL ? -1 : pread(w->s->kept, to, n, (off_t)at);
}

void
vstreams_again(struct viewer *v, const struct ctf_trace *old,
    const struct ctf_trace *new)
{
	struct vstream *w;
	size_t i;

	for (i = 0; i < v->nstreams; i++) {
		w = v->streams[i];
		if (w->trace->meta->trace != old)
			continue;
		/* The packet that the viewer reads stays until the next one. */
		w->over |= new == NULL;
		if (!w->over && w->s != NULL)
			(void)ctf_again(w->s, new, 0);
	}
}

void
vstreams_free(struct viewer *v)
{
	while (v->nstreams > 0)
		vstream_free(v, v->streams[v->nstreams - 1]);
	free(v->streams);
	v->streams = NULL;
	v->cap = 0;
	map_free(&v->known);
	memset(&v->known, 0, sizeof(v->known));
	v->seen = 0;
}
