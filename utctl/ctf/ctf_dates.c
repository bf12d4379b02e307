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
 * The dates of traces that were found together.
 *
 * The system's clock is CLOCK_BOOTTIME, which only goes on, and an offset,
 * which changes when somebody sets the clock.  A setting is a correction, of
 * what was before, too: all traces of a session have the last offset that is
 * known of any of them, so that times do not go back at a setting.  But how
 * long the machine slept is known to the second only, and is often corrected:
 * what was before that has the last offset from before, unless times would go
 * back.
 *
 * A session has traces of several users, who write their own points: these date
 * only traces whose points have the same owner.  Two sessions of one name, on
 * hosts of one name, are told apart by their beginning, which is known to the
 * ns.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../when.h"
#include "reader.h"

#define STEP		1000000		/* ns: less is no setting, or sleep */
#define SLEEP		1000000000	/* ns of sleep that is not exact */

/* When CLOCK_MONOTONIC was 0, as the session's beginning told it, in ns. */
static int64_t
session_base(const struct ctf_trace *tr)
{
	const struct ctf_clock *cl;

	for (cl = tr->clocks; cl != NULL; cl = cl->next)
		if (strcmp(cl->name, "monotonic") == 0)
			return cl->base;
	return 0;
}

static int
trace_cmp(const void *va, const void *vb)
{
	const struct ctf_trace *a = *(struct ctf_trace *const *)va;
	const struct ctf_trace *b = *(struct ctf_trace *const *)vb;
	const int64_t abase = session_base(a), bbase = session_base(b);
	int r;

	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	if (abase != bbase)
		return abase < bbase ? -1 : 1;
	if ((r = memcmp(&a->moved, &b->moved, sizeof(a->moved))) != 0)
		return r;
	return a->owner < b->owner ? -1 : a->owner > b->owner;
}

static int
point_cmp(const void *va, const void *vb)
{
	const struct ctf_point *a = *(const struct ctf_point *const *)va;
	const struct ctf_point *b = *(const struct ctf_point *const *)vb;

	return a->boottime < b->boottime ? -1 : a->boottime > b->boottime;
}

static void
step_add(struct reader_steps *s, int64_t by, int64_t from, int64_t to)
{
	if (s->n++ == 0)
		s->from = from;
	s->to = to;
	s->ns += (double)by;
}

static int64_t
offset_of(const struct ctf_point *p)
{
	return p->realtime - p->boottime;
}

static int64_t
slept(const struct ctf_point *a, const struct ctf_point *b)
{
	return (b->boottime - b->monotonic) - (a->boottime - a->monotonic);
}

/* The dates of points, which are in order, moved by so many ns. */
static void
date_points(struct ctf_point **p, size_t n, int64_t moved)
{
	int64_t offset = offset_of(p[n - 1]), gap;
	size_t i;

	for (i = n; i-- > 0;) {
		gap = i + 1 < n ? slept(p[i], p[i + 1]) : 0;
		if (gap > SLEEP && offset_of(p[i]) - offset <= gap)
			offset = offset_of(p[i]);
		p[i]->date = when_sum(p[i]->boottime + offset, moved);
	}
}

/* Find the settings, also those bit by bit, and the sleeps between points. */
static void
find_steps(struct reader_session *s, struct ctf_point **p, size_t n)
{
	int64_t by, rest = 0;
	size_t i, since = 0;

	for (i = 1; i < n; i++) {
		by = offset_of(p[i]) - offset_of(p[i - 1]);
		if (by <= STEP && by >= -STEP) {
			by = rest += by;
			if (by <= STEP && by >= -STEP)
				continue;
			rest = 0;
			step_add(&s->set, by, p[since]->date, p[i]->date);
		} else
			step_add(&s->set, by, p[i - 1]->date, p[i]->date);
		since = i;
	}
	for (i = 1; i < n; i++) {
		by = slept(p[i - 1], p[i]);
		if (by > STEP)
			step_add(&s->slept, by, p[i - 1]->date, p[i]->date);
	}
}

/* Dates go on while the machine sleeps, and so does whatever is measured. */
static void
say_steps(const struct reader_session *s, const struct reader_steps *st,
    const char *what, const char *by, const char *so)
{
	char from[CTF_TIMELEN], to[CTF_TIMELEN], times[32] = "";

	if (st->n == 0)
		return;
	ctf_print_time(st->from, from);
	ctf_print_time(st->to, to);
	if (st->n > 1)
		snprintf(times, sizeof(times), " %zu times", st->n);
	say("%s: the %s%s, %s%.6f s in all, between %s and %s: %s",
	    s->trace->file, what, times, by, st->ns / 1e9, from, to, so);
}

/* Traces of one session. */
static void
date_session(struct reader *r, struct ctf_trace **traces, size_t n)
{
	struct reader_session *s;
	struct ctf_point **p;
	size_t i, k, np = 0;

	for (i = 0; i < n; i++)
		np += traces[i]->npoints;
	if ((p = calloc(np, sizeof(*p))) == NULL)
		die_errno("malloc");
	for (np = 0, i = 0; i < n; i++)
		for (k = 0; k < traces[i]->npoints; k++)
			p[np++] = &traces[i]->points[k];
	qsort(p, np, sizeof(*p), point_cmp);
	date_points(p, np, traces[0]->moved.ns);
	for (i = 0; i < n; i++)
		ctf_clock_dates(traces[i]);
	for (i = 0; i < np && traces[0]->moved.rate != 0; i++)
		p[i]->date = ctf_drift(&traces[0]->moved, p[i]->date);
	s = &r->sessions[r->nsessions++];
	s->trace = traces[0];
	s->last = p[np - 1];
	find_steps(s, p, np);
	say_steps(s, &s->set, "system's clock was set", s->set.ns < 0 ?
	    "by " : "by +", "events have times as if it had been right before");
	say_steps(s, &s->slept, "machine slept", "for ",
	    "what began before and ended after that time lasts so much longer");
	free(p);
}

/* Before anything is read: date events by the points of the traces. */
static void
reader_dates(struct reader *r)
{
	struct ctf_trace **list, *tr;
	size_t i, k, n = 0;

	list = calloc(r->ntraces + 1, sizeof(*list));
	r->sessions = calloc(r->ntraces + 1, sizeof(*r->sessions));
	if (list == NULL || r->sessions == NULL)
		die_errno("malloc");
	for (tr = r->traces; tr != NULL; tr = tr->next)
		if (tr->npoints > 0)
			list[n++] = tr;
	if (n > 1)
		qsort(list, n, sizeof(*list), trace_cmp);
	for (i = 0; i < n; i += k) {
		for (k = 1; i + k < n && trace_cmp(&list[i], &list[i + k]) ==
		    0; k++)
			continue;
		date_session(r, list + i, k);
	}
	free(list);
}

/* Open the traces in and below these directories. */
void
reader_open_all(struct reader *r, const struct reader_dir *dirs)
{
	r->dirs = dirs;
	for (r->dir = 0; dirs[r->dir].name != NULL; r->dir++) {
		r->move = dirs[r->dir].move;
		reader_open(r, dirs[r->dir].name);
	}
	reader_dates(r);
	hosts_find(r);
}
