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
 * Slices of traces, by time, that are read apart: see cores.h.
 *
 * In a stream whose time runs backwards an item counts as of the latest time
 * so far, for it comes at once (ctf_merge.c).  So a slice has the items of a
 * stream from the first one that is not before its time, up to the first one
 * of the next slice, and reading slice after slice is reading all.
 *
 * Packet headers tell where a slice begins.  A walk goes through them by the
 * times when packets end, and stands at the first packet of each stream that
 * reaches into the slice.  Headers may be wrong: then, when a slice has been
 * read, a stream is not yet where the next one begins.  So this slice goes on
 * to the end of all, and is the last one.
 *
 * The slice before has found the damage before a stream's first item, too, but
 * not if events are selected.  Whoever looks for the next such event might look
 * through all of the file, so a stream is not read beyond the packet where the
 * next slice begins, nor that one if it is of a later time.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "cores.h"
#include "reader.h"
#include "select.h"

#define SLICE	(256 << 10)	/* bytes; more, if there are many streams */
#define LEAST	(4 << 10)	/* bytes of a slice of a short trace */
#define PARTS	8		/* slices of such a trace, for each process */
#define STREAM	(16 << 10)	/* bytes of a slice, for each stream */
#define HEADER		512		/* bytes of a window, to walk */
#define WINDOWS		(1 << 20)	/* bytes of all windows, to read */
#define WINDOWMAX	(32 << 10)
#define WINDOWMIN	(4 << 10)

/*
 * How much would a slice be, for so many processes?  Each slice looks into all
 * streams, and most packets are of two slices.
 */
uint64_t
slices_size(const struct reader *r, uint64_t total, size_t n)
{
	uint64_t size = total / n / PARTS;

	if (r->cores->sums)
		return total / n + 1;
	if (size > SLICE)
		size = SLICE;
	if (size < LEAST)
		size = LEAST;
	return size < STREAM * r->nstreams ? STREAM * r->nstreams : size;
}

/* Go to the next packet in which there is an item; 0: there is none. */
static int
walk_step(struct slices *sl, struct ctf_stream *s)
{
	sl->walked += s->nextpkt - s->pkt;
	do {
		s->inpacket = s->discards = s->gone = 0;
		s->nlost = 0;
		if (!ctf_packet(s))
			return 0;
	} while (!s->inpacket && !s->discards && s->nlost == 0 && !s->gone);
	if (s->ns < s->end)
		s->ns = s->end;
	return 1;
}

static struct ctf_stream *
walk_begin(const struct ctf_stream *s)
{
	struct ctf_stream *c = stream_copy(s);

	c->basecap = HEADER;
	c->growing = 1;			/* hush: the reader tells all */
	c->ns = INT64_MIN;
	return c;
}

void
slices_open(struct slices *sl, const struct reader *r, uint64_t size, size_t n)
{
	struct ctf_stream *s;
	size_t i;

	memset(sl, 0, sizeof(*sl));
	sl->whole = r;
	sl->size = size;
	sl->n = n;
	sl->from = INT64_MIN;
	sl->at = calloc(r->nfound, sizeof(*sl->at));
	sl->read = calloc(r->nfound, sizeof(*sl->read));
	if (sl->at == NULL || sl->read == NULL)
		die_errno("malloc");
	ctf_damage_hush(1);
	for (i = 0; i < r->nstreams; i++) {
		s = walk_begin(r->streams[i]);
		if (walk_step(sl, s)) {
			sl->at[s->index] = s;
			stream_add(&sl->walk, s);
		} else
			stream_free(s);
	}
	ctf_damage_hush(0);
	reader_sort(&sl->walk);
}

/* Can the time of an event be before that of its packet? */
static int
goes_back(const struct ctf_trace *tr)
{
	const struct ctf_sclass *sc;

	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		if (sc->header != NULL && (sc->headlen == 0 ||
		    sc->headtime.mask == 0 || sc->headtime.mask ==
		    UINT64_MAX || sc->longid != UINT64_MAX))
			return 1;
	return 0;
}

/* Are the events of every n-th packet of the stream in the order of time? */
static int
stream_order(struct ctf_stream *s, size_t k, size_t n)
{
	const uint64_t size = s->size;
	size_t i;

	for (i = 0; !s->backwards && ctf_packet(s); i++) {
		s->discards = s->gone = 0;
		s->nlost = 0;
		s->inpacket &= i % n == k;
		s->size = s->nextpkt;
		while (s->inpacket && ctf_read(s))
			(void)ctf_skip_timed(s);
		s->inpacket = 0;
		s->size = size;
	}
	return !s->backwards;
}

/* Are events in the order of time, of the k-th of n parts? */
int
slices_order(const struct reader *r, size_t k, size_t n)
{
	struct ctf_stream *s;
	size_t i;
	int order = 1;

	ctf_damage_hush(1);
	for (i = 0; i < r->nstreams && order; i++) {
		if (!goes_back(r->streams[i]->trace))
			continue;
		s = walk_begin(r->streams[i]);
		s->basecap = WINDOWMAX;
		order = stream_order(s, k, n);
		stream_free(s);
	}
	ctf_damage_hush(0);
	return order;
}

/*
 * Look through the packets that are of the time that is wanted: how many bytes
 * have they, and are they in the order of time?
 */
int
slices_look(const struct reader *r, uint64_t *bytes)
{
	struct slices sl = { .whole = r };
	struct ctf_stream *s;
	size_t i;
	int order = 1;

	ctf_damage_hush(1);
	for (i = 0; i < r->nstreams; i++) {
		s = walk_begin(r->streams[i]);
		while (walk_step(&sl, s))
			continue;
		order &= !s->backwards;
		stream_free(s);
	}
	ctf_damage_hush(0);
	*bytes = sl.walked;
	return order;
}

/*
 * Can a packet be read without those before?  Yes if it tells all of its time,
 * and the file has no holes, of which is told where windows happen to be.
 */
int
slices_apart(const struct reader *r)
{
	const struct ctf_sclass *sc;
	const struct ctf_trace *tr;
	size_t i;

	for (tr = r->traces; tr != NULL; tr = tr->next)
		for (sc = tr->sclasses; sc != NULL; sc = sc->next)
			if (sc->beginbits != 64)
				return 0;
	for (i = 0; i < r->nstreams; i++)
		if (ctf_window_holes(r->streams[i]))
			return 0;
	return 1;
}

/* Names need modules, which events before have told. */
static int
has_names(const struct ctf_trace *tr)
{
	const struct ctf_type *t;
	size_t i;

	for (t = tr->types; t != NULL; t = t->next)
		for (i = 0; i < t->nfields; i++)
			if (t->fields[i].address != ADDRESS_NONE)
				return 1;
	return 0;
}

/*
 * Can slices be read apart, and of how many bytes?  If events are selected,
 * times must not run backwards: see slices_order(), too.
 */
int
slices_can(const struct reader *r, uint64_t *bytes)
{
	const struct ctf_trace *tr;

	for (tr = r->traces; tr != NULL; tr = tr->next)
		if (tr->cpus != NULL || (r->names != NULL && has_names(tr)))
			return 0;
	return slices_apart(r) && (r->select == NULL ||
	    (!r->select->count_given && slices_look(r, bytes)));
}

/* Walk to where the next slice begins, if there is one. */
static void
slice_end(struct slices *sl)
{
	const uint64_t stop = sl->walked + sl->size;
	struct reader *walk = &sl->walk;
	struct ctf_stream *s;

	ctf_damage_hush(1);
	sl->to = INT64_MIN;
	while (walk->nstreams > 0) {
		s = walk->streams[0];
		if (sl->walked >= stop && s->ns > sl->to && sl->n != 1)
			break;
		sl->to = s->ns;
		if (!walk_step(sl, s)) {
			sl->at[s->index] = NULL;
			walk->streams[0] = walk->streams[--walk->nstreams];
			stream_free(s);
		}
		if (walk->nstreams > 0)
			reader_down(walk, 0);
	}
	ctf_damage_hush(0);
	sl->n -= sl->n > 1;
	sl->last = walk->nstreams == 0;
	if (sl->last)
		sl->to = INT64_MAX;
}

static void
slice_over(struct slices *sl)
{
	if (!sl->last)
		sl->from = sl->to + 1;
}

void
slice_pass(struct slices *sl)
{
	slice_end(sl);
	slice_over(sl);
}

/* The packets that end before that time have so many bytes, about. */
int64_t
slices_late(const struct reader *r, uint64_t bytes)
{
	struct slices sl;

	slices_open(&sl, r, bytes, 2);
	slice_pass(&sl);
	while (sl.walk.nstreams > 0)
		stream_free(sl.walk.streams[--sl.walk.nstreams]);
	free(sl.walk.streams);
	free(sl.at);
	free(sl.read);
	return sl.from;
}

/*
 * A stream of the walk, to be read from the packet where the walk is.  One that
 * was read before lends its window and its open file.
 */
static struct ctf_stream *
stream_here(const struct slices *sl, const struct ctf_stream *s, size_t window)
{
	struct ctf_stream *c = sl->read[s->index], was;

	if (c == NULL) {
		c = stream_copy(s);
		c->fd = -1;
		c->buf = NULL;
		c->cap = 0;
	} else {
		was = *c;
		*c = *s;
		c->path = was.path;
		c->twice = was.twice;
		c->vals = was.vals;
		c->fd = was.fd;
		c->buf = was.buf;
		c->cap = was.cap;
	}
	sl->read[s->index] = NULL;
	c->nvals = s->nvals;
	if ((c->vals = realloc(c->vals, c->nvals * sizeof(*c->vals))) == NULL)
		die_errno("malloc");
	memcpy(c->vals, s->vals, c->nvals * sizeof(*c->vals));
	c->off += c->pos;
	c->fill = c->pos = c->stop = 0;
	c->basecap = window;
	c->growing = 0;
	if (c->bit != 0)
		(void)ctf_window_more(c);	/* the rest of a byte */
	return c;
}

/* The streams at the beginning of the slice, or of all. */
static void
slice_streams(const struct slices *sl, struct reader *part, int first)
{
	const struct reader *from = first ? sl->whole : &sl->walk;
	size_t i, window = WINDOWS;
	struct ctf_stream *s;

	memset(part, 0, sizeof(*part));
	part->select = sl->whole->select;
	part->each = sl->whole->each;
	part->left = ULLONG_MAX;
	if (from->nstreams > 0)
		window /= from->nstreams;
	window = window > WINDOWMAX ? WINDOWMAX : window < WINDOWMIN ?
	    WINDOWMIN : window;
	for (i = 0; i < from->nstreams; i++) {
		if (first) {
			s = stream_copy(from->streams[i]);
			s->basecap = window;
		} else
			s = stream_here(sl, from->streams[i], window);
		stream_add(part, s);
	}
}

/* Come to the stream's first item of the slice. */
static int
stream_begin(struct reader *part, struct ctf_stream *s, int64_t from)
{
	while (reader_next(part, s)) {
		if (s->ns >= from)
			return 1;
		if (s->item != ITEM_EVENT)
			reader_drop(s);
	}
	return 0;
}

/*
 * Does the stream have items of the slice?  Then it is read up to the packet
 * where the next slice begins, or behind it, unless that is of a later time.
 * Losses of which a packet tells are before it.
 */
static int
stream_limit(struct ctf_stream *s, const struct ctf_stream *next, int64_t to)
{
	s->size = next->discards || next->nlost != 0 || next->gone ||
	    ctf_ns(next->class->clock, next->cycles) <= to ?
	    next->nextpkt : next->pkt;
	return s->size > s->pkt;
}

static void
slice_begin(struct slices *sl, struct reader *part, int first)
{
	const size_t n = part->nstreams;
	const struct ctf_stream *next;
	struct ctf_stream *s;
	size_t i;

	ctf_damage_hush(!first && part->select == NULL);
	for (part->nstreams = i = 0; i < n; i++) {
		s = part->streams[i];
		next = sl->at[s->index];
		if ((part->select == NULL || next == NULL ||
		    stream_limit(s, next, sl->to)) &&
		    stream_begin(part, s, sl->from))
			part->streams[part->nstreams++] = s;
		else
			sl->read[s->index] = s;
	}
	ctf_damage_hush(0);
	reader_sort(part);
}

/* Is each stream where the next slice begins, as headers told? */
static int
slice_ends(const struct slices *sl, const struct reader *part)
{
	const struct ctf_stream *s, *next;
	size_t i;

	for (i = 0; i < part->nstreams; i++) {
		s = part->streams[i];
		next = sl->at[s->index];
		if (next == NULL || s->pkt < next->pkt)
			return 0;
	}
	return 1;
}

/*
 * Headers were wrong: read on to the end of all.  Streams that were not looked
 * through are where the walk is.
 */
static void
slice_go_on(struct slices *sl, struct reader *part)
{
	const struct reader *walk = &sl->walk;
	struct ctf_stream *s;
	size_t i;

	sl->last = 1;
	if (part->select == NULL)
		return;
	for (i = 0; i < part->nstreams; i++) {
		s = part->streams[i];
		if (sl->at[s->index] != NULL)
			s->size = sl->at[s->index]->size;
		sl->at[s->index] = NULL;
	}
	for (i = 0; i < walk->nstreams; i++) {
		if (sl->at[walk->streams[i]->index] == NULL)
			continue;
		s = stream_here(sl, walk->streams[i], WINDOWMIN);
		if (stream_begin(part, s, sl->to + 1))
			stream_add(part, s);
		else
			stream_free(s);
	}
	reader_sort(part);
}

void
slice_read(struct slices *sl, struct reader *part,
    const struct reader_ops *ops, void *arg)
{
	const int first = sl->from == INT64_MIN;
	struct ctf_stream *s;

	slice_streams(sl, part, first);
	slice_end(sl);
	slice_begin(sl, part, first);
	(void)reader_upto(part, ops, arg, sl->to);
	if (!sl->last && !slice_ends(sl, part)) {
		slice_go_on(sl, part);
		(void)reader_upto(part, ops, arg, INT64_MAX);
	}
	while (part->nstreams > 0) {
		s = part->streams[--part->nstreams];
		sl->read[s->index] = s;
	}
	free(part->streams);
	slice_over(sl);
}
