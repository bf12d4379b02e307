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
 * The events of all streams in the order of time.  A heap holds the streams by
 * the time of what comes next in each; the first is read on until another's
 * time comes.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "ctf_stack.h"
#include "reader.h"
#include "select.h"

#define WINDOWS		(64 << 20)	/* bytes of all streams' windows */
#define WINDOWMAX	(128 << 10)
#define WINDOWMIN	(4 << 10)

static int
heap_before(const struct ctf_stream *a, const struct ctf_stream *b)
{
	return a->ns < b->ns || (a->ns == b->ns && a->index < b->index);
}

void
reader_down(struct reader *r, size_t i)
{
	struct ctf_stream *s = r->streams[i];
	size_t child;

	while ((child = 2 * i + 1) < r->nstreams) {
		if (child + 1 < r->nstreams &&
		    heap_before(r->streams[child + 1], r->streams[child]))
			child++;
		if (!heap_before(r->streams[child], s))
			break;
		r->streams[i] = r->streams[child];
		i = child;
	}
	r->streams[i] = s;
}

/* The stream after the first: one of its two children, or NULL. */
static const struct ctf_stream *
heap_second(const struct reader *r)
{
	if (r->nstreams < 2)
		return NULL;
	if (r->nstreams > 2 && heap_before(r->streams[2], r->streams[1]))
		return r->streams[2];
	return r->streams[1];
}

/* An event that is not wanted may be of use nevertheless: see take_event(). */
static inline int
wants_event(struct reader *r, struct ctf_stream *s)
{
	s->wanted = r->each || r->select == NULL ||
	    select_event(r->select, s);
	s->refused = !s->wanted && r->refused && s->event->pairs != NULL &&
	    select_refuses(r->select, s);
	return s->wanted || s->refused || s->event->noted ||
	    s->event->sched != NULL;
}

/* Forget the loss of which the stream's item tells. */
void
reader_drop(struct ctf_stream *s)
{
	if (s->item == ITEM_DISCARDED)
		s->discards = 0;
	else if (s->item == ITEM_LOST)
		s->nlost = 0;
	else
		s->gone = 0;
}

/* A loss that is not wanted is not counted, either. */
static int
wants_item(struct reader *r, struct ctf_stream *s)
{
	if (s->item == ITEM_EVENT)
		return s->class->bycpu || wants_event(r, s);
	if (r->select == NULL || select_loss(r->select, s))
		return 1;
	reader_drop(s);
	return 0;
}

int
reader_next(struct reader *r, struct ctf_stream *s)
{
	while (ctf_read(s))
		if (wants_item(r, s))
			return 1;
	return 0;
}

void
reader_sort(struct reader *r)
{
	size_t i;

	for (i = r->nstreams / 2; i > 0; i--)
		reader_down(r, i - 1);
}

/* The bytes that each stream has in memory. */
static size_t
window_size(const struct reader *r)
{
	const size_t n = r->nstreams + r->nidle;
	const size_t window = n == 0 ? 0 : WINDOWS / n;

	return window > WINDOWMAX ? WINDOWMAX : window < WINDOWMIN ?
	    WINDOWMIN : window;
}

static void
heap_make(struct reader *r)
{
	const size_t window = window_size(r);
	size_t i, n = 0;

	for (i = 0; i < r->nstreams; i++) {
		r->streams[i]->basecap = window;
		if (reader_next(r, r->streams[i]))
			r->streams[n++] = r->streams[i];
		else
			stream_free(r->streams[i]);
	}
	r->nstreams = n;
	reader_sort(r);
}

/* The stream, which is not in the heap, may have more later. */
void
reader_idle(struct reader *r, struct ctf_stream *s)
{
	struct ctf_stream **list;

	if (r->nidle == r->idlecap) {
		r->idlecap = r->idlecap == 0 ? 16 : 2 * r->idlecap;
		list = realloc(r->idle, r->idlecap * sizeof(*list));
		if (list == NULL)
			die_errno("malloc");
		r->idle = list;
	}
	ctf_window_drop(s);
	r->idle[r->nidle++] = s;
}

/*
 * The idle streams that have more by now go back into the heap.  A file whose
 * row is not known yet is not read, unless nothing more comes.
 */
void
reader_wake(struct reader *r)
{
	const size_t window = window_size(r);
	struct ctf_stream *s;
	size_t i, n = 0;

	for (i = 0; i < r->nidle; i++) {
		s = r->idle[i];
		s->basecap = window;
		if (s->trace->away == 0 && (s->placed || !s->growing) &&
		    reader_next(r, s))
			stream_add(r, s);
		else {
			ctf_window_drop(s);
			r->idle[n++] = s;
		}
	}
	r->nidle = n;
	reader_sort(r);
}

/*
 * Modules are noted in their turn, and the definitions of stacks: is this one
 * no event for whoever reads?
 */
static int
note_event(struct reader *r, struct ctf_stream *s,
    const struct reader_ops *ops, void *arg)
{
	if (s->event->module == NULL) {
		if (r->stacks)
			stack_define(s);
		if (r->define != NULL)
			r->define(arg, s);
		return s->event->stack->hidden;
	}
	if (r->names != NULL)
		r->names->module(s);
	if (ops != NULL && ops->module != NULL)
		ops->module(arg, s);
	return 0;
}

static void
take_event(struct reader *r, struct ctf_stream *s,
    const struct reader_ops *ops, void *arg)
{
	if (s->event->noted && note_event(r, s, ops, arg))
		return;
	if (s->event->sched != NULL && r->sched != NULL)
		r->sched(arg, s);
	if (!s->wanted) {
		if (s->refused && r->skip == 0)
			ops->refused(arg, s);
		return;
	}
	if (r->skip > 0) {
		r->skip--;
		return;
	}
	r->nevents++;
	r->left--;
	if (ops != NULL)
		ops->event(arg, s);
	else if (r->select == NULL && !s->trace->stacks)
		r->nevents += ctf_skip(s);
}

/* The thread on a CPU, and perhaps what is wanted, is known in turn only. */
static int
wants_late(struct reader *r, struct ctf_stream *s)
{
	if (s->event->sched != NULL)
		ctf_cpu_switch(s, 0);
	return !s->class->bycpu || wants_event(r, s);
}

void
reader_add(unsigned long long *sum, uint64_t n)
{
	*sum = n < ULLONG_MAX - *sum ? *sum + n : ULLONG_MAX;
}

static void
take_item(struct reader *r, struct ctf_stream *s,
    const struct reader_ops *ops, void *arg)
{
	if (s->item != ITEM_EVENT && s->trace->cpus != NULL)
		ctf_cpu_lose(s);
	switch (s->item) {
	case ITEM_DISCARDED:
		if (r->skip == 0) {
			if (ops != NULL && ops->discarded != NULL)
				ops->discarded(arg, s);
			reader_add(&r->ndiscarded, s->ndiscarded);
		}
		s->discards = 0;
		break;
	case ITEM_LOST:
		if (r->skip == 0) {
			if (ops != NULL && ops->lost != NULL)
				ops->lost(arg, s);
			reader_add(&r->nlost, s->nlost);
		}
		s->nlost = 0;
		break;
	case ITEM_GONE:
		if (ops != NULL && ops->gone != NULL)
			ops->gone(arg, s);
		s->gone = 0;
		break;
	case ITEM_EVENT:
		if (s->trace->cpus == NULL || wants_late(r, s))
			take_event(r, s, ops, arg);
		if (s->event->sched != NULL)
			ctf_cpu_switch(s, 1);
		break;
	}
}

/*
 * Is it still the stream's turn?  Items that are only counted have no order,
 * but those that are skipped come first.
 */
static int
in_turn(const struct reader *r, const struct ctf_stream *s,
    const struct ctf_stream *second, const struct reader_ops *ops)
{
	return (ops == NULL && r->skip == 0 && s->trace->cpus == NULL) ||
	    second == NULL || heap_before(s, second);
}

/* The events up to that time; 0: no more are wanted. */
int
reader_upto(struct reader *r, const struct reader_ops *ops, void *arg,
    int64_t until)
{
	const struct ctf_stream *second;
	struct ctf_stream *s;
	int more;

	while (r->nstreams > 0 && r->left > 0 && r->streams[0]->ns <= until) {
		s = r->streams[0];
		second = heap_second(r);
		do {
			take_item(r, s, ops, arg);
			more = r->left > 0 && reader_next(r, s);
		} while (more && s->ns <= until && in_turn(r, s, second, ops));
		if (!more) {
			r->streams[0] = r->streams[--r->nstreams];
			if (r->follow)
				reader_idle(r, s);
			else
				stream_free(s);
		}
		if (r->nstreams > 0)
			reader_down(r, 0);
	}
	return r->left > 0;
}

void
reader_merge(struct reader *r, const struct reader_ops *ops, void *arg)
{
	heap_make(r);
	(void)reader_upto(r, ops, arg, INT64_MAX);
	while (r->nstreams > 0)
		stream_free(r->streams[--r->nstreams]);
}

/* Set a reader of the same streams, to be read once more. */
void
reader_again(const struct reader *r, struct reader *again)
{
	size_t i;

	memset(again, 0, sizeof(*again));
	again->select = select_each(r->select) ? NULL : r->select;
	again->left = ULLONG_MAX;
	if (r->nstreams == 0)
		return;
	again->streams = calloc(r->nstreams, sizeof(*again->streams));
	if (again->streams == NULL)
		die_errno("malloc");
	for (i = 0; i < r->nstreams; i++)
		again->streams[i] = stream_copy(r->streams[i]);
	again->nstreams = r->nstreams;
}

void
reader_free(struct reader *r)
{
	struct ctf_trace *tr;

	while ((tr = r->traces) != NULL) {
		r->traces = tr->next;
		ctf_close(tr);
	}
	while (r->nstreams > 0)
		stream_free(r->streams[--r->nstreams]);
	while (r->nidle > 0)
		stream_free(r->idle[--r->nidle]);
	reader_unkeep(r, 0);
	free(r->kept);
	free(r->streams);
	free(r->idle);
	free(r->sessions);
	free(r->hosts);
}
