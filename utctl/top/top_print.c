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
 * utctl top: what is printed of an interval.  Lines tell rates, and JSON what
 * came; an estimate has a tilde before it.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ctf/ctf.h"
#include "../say.h"
#include "../show/rows.h"
#include "common/compat.h"
#include "top.h"

#define NS	1e9

/* The rows of a table that are printed. */
struct chosen {
	const struct top_sums	*sums;
	enum top_by		 by;
	struct top_row		**rows;
};

static struct top_view	 order;

const char *
top_table(size_t i)
{
	static const char *const names[] = {
		"event", "program", "thread", "pair"
	};

	return i < TOP_TABLES ? names[i] : NULL;
}

const char *
top_column(const struct top_view *v)
{
	static const char *const names[][TOP_SORTS] = {
		{ "events", "bytes", "lost" }, { "calls", "p99", "max" }
	};

	return names[v->by == TOP_PAIR][v->sort];
}

static double
sort_value(struct top_row *row)
{
	if (order.by != TOP_PAIR)
		return order.sort == 0 ? row->events : order.sort == 1 ?
		    (double)row->bytes : (double)row->lost;
	return order.sort == 0 ? (double)row->took.n : order.sort == 1 ?
	    hist_quantile(&row->took, 990) : row->took.max;
}

static int
row_cmp(const void *a, const void *b)
{
	struct top_row *x = *(struct top_row *const *)a;
	struct top_row *y = *(struct top_row *const *)b;
	const double v = sort_value(x), w = sort_value(y);

	return v == w ? strcmp(x->name, y->name) : v < w ? 1 : -1;
}

static const char *
mark(const struct top_sums *ss)
{
	return ss->read < ss->bytes ? "~" : "";
}

static double
rate(double v, const struct top_sums *ss)
{
	return ss->ns > 0 ? v * NS / (double)ss->ns : 0;
}

static void
put_counts(struct rows *t, const struct chosen *c, const struct top_row *row)
{
	json_u64("events", (uint64_t)(row->events + 0.5));
	json_u64("bytes", row->bytes);
	row_text(t, "events/s", "%s%.0f", mark(c->sums),
	    rate(row->events, c->sums));
	row_text(t, "bytes/s", "%s%.0f", c->by == TOP_EVENT ? mark(c->sums) :
	    "", rate((double)row->bytes, c->sums));
	if (c->by == TOP_EVENT)
		return;
	json_u64("discarded", row->lost);
	row_text(t, "lost/s", "%.0f", rate((double)row->lost, c->sums));
}

static void
put_row(struct rows *t, const void *arg, size_t i)
{
	const struct chosen *c = arg;
	struct top_row *row = c->rows[i];
	char *name;

	json_string(top_table(c->by), row->name);
	if (c->by != TOP_PAIR)
		put_counts(t, c, row);
	else {
		if (!c->sums->partly)
			json_u64("calls", row->took.n);
		row_text(t, "calls/s", c->sums->partly ||
		    c->sums->pairs_ns == 0 ? "-" : "%.0f",
		    (double)row->took.n * NS / (double)c->sums->pairs_ns);
		row_hist(t, &row->took, 1);
	}
	if (row_end(t, top_table(c->by))) {
		row_add("  %s\n", name = clean(row->name));
		free(name);
	}
}

static void
put_table(const char *array, const struct top_view *v,
    const struct top_sums *ss)
{
	static const int widths[] = { 12, 12, 12, 12, 12, 12, 12 };
	struct rows t = { .fixed = widths };
	struct chosen c = { ss, v->by, NULL };
	size_t i, n = 0;
	char *name;

	order = *v;
	c.rows = (struct top_row **)map_sorted(&ss->rows[v->by], row_cmp);
	for (i = 0; i < ss->rows[v->by].n && n < v->most; i++) {
		name = clean(c.rows[i]->name);
		if (strstr(name, v->filter) != NULL)
			c.rows[n++] = c.rows[i];
		free(name);
	}
	rows_put(&t, array, n, put_row, &c);
	if (!json_on && v->by == TOP_PAIR && n == 0 && v->filter[0] == '\0')
		puts(ss->partly ? "no pair has ended in the packets that were "
		    "read: see -r" : ss->pairs_ns > 0 ? "no pair has ended: "
		    "pairs are events x_begin and x_end, or those of -D" :
		    "pairs are read from now on");
	free(c.rows);
}

/* A number: a member, or a part of the line. */
static void
put(const char *member, double v, const char *fmt, double shown)
{
	json_real(member, v);
	if (!json_on)
		printf(fmt, shown);
}

/* Print utd's answer, which no file has. */
static void
put_session(const struct top_session *s)
{
	char *name = clean(s->name == NULL ? "no session" : s->name);
	char *state = clean(s->trouble != NULL ? s->trouble :
	    s->state == NULL ? "only its files are known" : s->state);

	json_object("session");
	json_string("name", s->name);
	json_string("state", s->state);
	json_string("trouble", s->trouble);
	if (!json_on)
		printf("%s: %s", name, state);
	if (s->rated) {
		put("events_per_s", s->events, ", %.0f events/s", s->events);
		put("bytes_per_s", s->bytes, ", %.0f bytes/s", s->bytes);
		put("lost_per_s", s->lost, ", %.0f lost/s", s->lost);
	}
	if (s->buffers > 0) {
		put("used", s->used, ", %.0f", s->used);
		put("buffers", s->buffers, " of %.0f buffers in use",
		    s->buffers);
	}
	json_end();
	free(name);
	free(state);
}

static void
put_files(const struct top_sums *ss)
{
	const double part = ss->bytes == 0 ? 1 :
	    (double)ss->read / (double)ss->bytes;

	if (!json_on)
		printf("\nin its files: %s", mark(ss));
	put("events", (double)(uint64_t)(ss->events + 0.5), "%.0f events/s",
	    rate(ss->events, ss));
	put("bytes", (double)ss->bytes, ", %.0f bytes/s",
	    rate((double)ss->bytes, ss));
	put("discarded", (double)ss->lost, ", %.0f lost/s",
	    rate((double)ss->lost, ss));
	json_u64("lost_packets", ss->packets_lost);
	if (!json_on && ss->packets_lost > 0)
		printf(", %" PRIu64 " packet%s lost", ss->packets_lost,
		    many(ss->packets_lost));
	put("sampled", part, part < 1 ? ", sampled %.1f %%" : "", 100 * part);
	json_bool("pairs_sampled", ss->partly);
	if (ss->pairing && !ss->partly)
		json_ns("pairs_ns", ss->pairs_ns);
	if (!json_on)
		puts(ss->partly && ss->rows[TOP_PAIR].n > 0 ?
		    ", pairs in single packets only" : "");
}

void
top_print(const struct top_view *v, const struct top_sums *ss,
    const struct top_session *s)
{
	static const char *const arrays[] = {
		"by_event", "by_program", "by_thread", "pairs"
	};
	struct top_view all = { .filter = "", .most = SIZE_MAX };
	char when[CTF_TIMELEN];
	struct timespec ts;
	int64_t now;

	ut_clock_gettime(CLOCK_REALTIME, &ts);
	now = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	ctf_print_time(now, when);
	if (!json_on)
		printf("%.19s, ", when);
	json_object(NULL);
	json_ns("ns", now);
	json_ns("interval_ns", ss->ns);
	put_session(s);
	put_files(ss);
	for (all.by = 0; json_on && all.by < TOP_TABLES; all.by++)
		put_table(arrays[all.by], &all, ss);
	json_end();
	if (!json_on)
		put_table(NULL, v, ss);
}
