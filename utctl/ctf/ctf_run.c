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
 * Reading traces, from which packet on, and how many of their events.
 *
 * The last events of -n are those behind the others, which are counted first,
 * in as few packets as can be: only packets that reach into the last part of
 * the traces are read.  That part grows until it has enough.  All events of its
 * time are in such packets, if packets tell the truth of their times.  So one
 * event more than is wanted has to be of that time: what comes after it is then
 * the same as if all had been read.
 */

#include <limits.h>
#include <stdlib.h>

#include "../utctl.h"
#include "cores.h"
#include "ctf_stack.h"
#include "reader.h"
#include "select.h"

#define PART	((uint64_t)64 << 10)	/* bytes that are tried first */
#define EACH	32			/* bytes for each event */
#define MORE	4			/* times as many are tried next */

struct part {
	int64_t			 from;
	unsigned long long	 n;	/* events from then on */
	int			 lies;	/* packets end before their events */
};

/*
 * From the first event to the end of the last packet, of all and not only of
 * the selected ones; 0 if there is none.
 */
int
reader_span(const struct reader *r, int64_t *begin, int64_t *end)
{
	struct ctf_stream *s;
	int64_t from, to;
	size_t i;
	int any = 0;

	ctf_damage_hush(1);
	for (i = 0; i < r->nstreams; i++) {
		s = stream_copy(r->streams[i]);
		s->basecap = READER_LITTLE;
		s->since = INT64_MIN;
		s->until = INT64_MAX;
		if (ctf_span(s, &from, &to)) {
			*begin = !any || from < *begin ? from : *begin;
			*end = !any || to > *end ? to : *end;
			any = 1;
		}
		stream_free(s);
	}
	ctf_damage_hush(0);
	return any;
}

/* Packets of other times are not even read. */
void
reader_times(struct reader *r)
{
	struct select *sel = r->select;
	int64_t begin = 0, end = 0;
	size_t i;

	if ((when_relative(&sel->since) || when_relative(&sel->until)) &&
	    !reader_span(r, &begin, &end))
		return;
	if (sel->since.kind != WHEN_NONE)
		sel->from = when_ns(&sel->since, begin, end);
	if (sel->until.kind != WHEN_NONE)
		sel->to = when_ns(&sel->until, begin, end);
	if (sel->from > sel->to)
		die("-b is a time after that of -u");
	for (i = 0; i < r->nstreams; i++) {
		r->streams[i]->since = sel->from;
		r->streams[i]->until = sel->to;
	}
}

static void
part_event(void *arg, struct ctf_stream *s)
{
	struct part *p = arg;

	p->n += s->ns >= p->from;
	p->lies |= s->ns > s->end;
}

static const struct reader_ops part_ops = { .event = part_event };

static void
since_set(struct ctf_stream *s, int64_t from)
{
	if (s->since < from)
		s->since = from;
}

/* How many events are wanted in packets that reach to that time? */
static unsigned long long
part_count(const struct reader *r, struct part *p)
{
	struct reader again;
	size_t i;

	reader_again(r, &again);
	for (i = 0; i < again.nstreams; i++)
		since_set(again.streams[i], p->from);
	ctf_damage_hush(1);
	reader_merge(&again, p->from == INT64_MIN ? NULL : &part_ops,
	    p);
	ctf_damage_hush(0);
	free(again.streams);
	for (i = 0; i < r->nstreams; i++)
		ctf_cpu_clear(r->streams[i]->trace);
	return again.nevents;
}

/* A pattern that no event has matched so far may be one of earlier events. */
static int
all_used(const struct patterns *ps)
{
	size_t i;

	for (i = 0; i < ps->n; i++)
		if (!ps->v[i].used)
			return 0;
	return 1;
}

/* Read no more than the last part of the traces that is enough; 0: all is. */
static int
last_part(struct reader *r, unsigned long long last)
{
	const struct select *sel = r->select;
	struct part p = { .lies = 0 };
	unsigned long long n;
	uint64_t bytes, total;
	size_t i;

	(void)slices_look(r, &total);
	if (last >= total)
		return 0;
	for (bytes = PART + EACH * last; bytes < total / 2; bytes *= MORE) {
		if ((p.from = slices_late(r, total - bytes)) == INT64_MIN)
			continue;
		p.n = 0;
		n = part_count(r, &p);
		if (p.lies)
			return 0;
		if (p.n <= last || !all_used(&sel->programs) ||
		    !all_used(&sel->threads))
			continue;
		for (i = 0; i < r->nstreams; i++)
			since_set(r->streams[i], p.from);
		r->skip = n - last;
		return 1;
	}
	return 0;
}

void
reader_count(struct reader *r)
{
	const long long count = r->select == NULL ? 0 : r->select->count;
	struct part all = { .from = INT64_MIN };
	unsigned long long n, last;

	r->left = ULLONG_MAX;
	if (r->select == NULL || !r->select->count_given)
		return;
	if (count >= 0) {
		r->left = (unsigned long long)count;
		return;
	}
	last = 0 - (unsigned long long)count;
	if (slices_apart(r) && last_part(r, last))
		return;
	n = part_count(r, &all);
	r->skip = n > last ? n - last : 0;
}

/* Before the events of the trace. */
void
reader_trace(struct reader *r, const struct reader_ops *ops,
    struct ctf_trace *tr)
{
	if (tr->kernel)
		ctf_cpu_trace(tr);
	if (r->names != NULL)
		r->names->trace(tr);
	if (r->select != NULL)
		select_trace(r->select, tr);
	stack_trace(tr, r->select != NULL && r->select->events.n > 0);
	if (ops != NULL && ops->trace != NULL)
		ops->trace(tr);
}

void
reader_begin(struct reader *r, const struct reader_ops *ops)
{
	struct ctf_trace *tr;

	for (tr = r->traces; tr != NULL; tr = tr->next)
		reader_trace(r, ops, tr);
	reader_twice(r);
	if (r->select != NULL)
		reader_times(r);
	reader_rows(r);
	reader_count(r);
	r->each = r->select == NULL || select_each(r->select);
}

/*
 * Read all for nothing but its damage, in order: processes that look for events
 * that are selected find it in another order, and some of it twice.
 */
static void
damage_again(const struct reader *r)
{
	struct part p = { .from = INT64_MIN };
	struct reader again;

	reader_again(r, &again);
	reader_merge(&again, &part_ops, &p);
	free(again.streams);
}

/* Read all that is wanted; without ops it is only counted. */
void
reader_run(struct reader *r, const struct reader_ops *ops, void *arg)
{
	unsigned long lines;
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < r->nstreams; i++)
		bytes += r->streams[i]->size;
	progress_total(bytes);
	reader_begin(r, ops);
	lines = ctf_damage_lines();
	if (!cores_run(r, ops, arg))
		reader_merge(r, ops, arg);
	else if (r->select != NULL && ctf_damage_lines() != lines) {
		ctf_damage_forget(lines);
		damage_again(r);
	}
}
