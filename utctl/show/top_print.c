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
 * utctl top: what is printed of an interval.  All but names is per second, and
 * an estimate has a tilde before it.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../json.h"
#include "../say.h"
#include "top.h"

static const char *const tables[TOP_TABLES] = {
	"event", "program", "thread", "pair"
};
static const char *const sorts[TOP_SORTS] = {
	"events", "bytes", "lost", "name"
};
/* The same columns of pairs. */
static const char *const pair_sorts[TOP_SORTS] = {
	"calls", "p50", "p99", "name"
};
static enum top_sort	 order;

const char *
top_table_name(size_t i)
{
	return i < TOP_TABLES ? tables[i] : NULL;
}

enum top_by
top_table(const char *name)
{
	enum top_by by = TOP_EVENT;

	while (by < TOP_TABLES && strcmp(tables[by], name) != 0)
		by++;
	return by;
}

static int
is_sampled(const struct top_sums *ss)
{
	return ss->read < ss->bytes;
}

static double
sort_value(const struct top_row *row)
{
	switch (order) {
	case SORT_BYTES:
		return row->max > 0 ? row->p50 : (double)row->bytes;
	case SORT_LOST:
		return row->max > 0 ? row->p99 : (double)row->lost;
	default:
		return row->events;
	}
}

static int
row_cmp(const void *a, const void *b)
{
	const struct top_row *x = *(struct top_row *const *)a;
	const struct top_row *y = *(struct top_row *const *)b;
	const double v = sort_value(x), w = sort_value(y);

	if (order == SORT_NAME || v == w)
		return strcmp(x->name, y->name);
	return v < w ? 1 : -1;
}

/* A number for each second, or a dash, and a blank before it. */
static void
put_rate(int width, double v, int64_t ns, const char *mark)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%.0f", mark,
	    ns > 0 ? v / ((double)ns / 1e9) : 0);
	printf("%*s ", width, text);
}

static void
put_us(double ns, const char *mark)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%.3f", mark, ns / 1e3);
	printf("%12s ", text);
}

static void
put_row(const struct top_row *row, enum top_by by, const struct top_sums *ss)
{
	const char *mark = is_sampled(ss) ? "~" : "";

	if (by == TOP_PAIR) {
		mark = ss->partly ? "~" : "";
		if (ss->partly)
			printf("%12s ", "-");
		else
			put_rate(12, row->events, ss->ns, "");
		put_us(row->p50, mark);
		put_us(row->p99, mark);
		put_us(row->max, mark);
		return;
	}
	put_rate(12, row->events, ss->ns, mark);
	put_rate(12, (double)row->bytes, ss->ns, by == TOP_EVENT ? mark : "");
	if (by == TOP_EVENT)
		printf("%12s ", "-");
	else
		put_rate(12, (double)row->lost, ss->ns, "");
}

static void
put_rows(const struct top_view *v, const struct top_sums *ss)
{
	struct top_row **rows;
	size_t i, n = 0;
	char *name;

	order = v->sort;
	rows = (struct top_row **)map_sorted(&ss->rows[v->by], row_cmp);
	for (i = 0; i < ss->rows[v->by].n && n < v->most; i++) {
		name = clean(rows[i]->name);
		if (strstr(name, v->filter) != NULL) {
			put_row(rows[i], v->by, ss);
			printf(" %s%s", name, v->end);
			n++;
		}
		free(name);
	}
	free(rows);
}

static void
put_head(const struct top_view *v)
{
	if (v->by == TOP_PAIR)
		printf("%12s %12s %12s %12s  pair", "calls/s", "p50 us",
		    "p99 us", "max us");
	else
		printf("%12s %12s %12s  %s", "events/s", "bytes/s", "lost/s",
		    tables[v->by]);
	printf("%s", v->end);
}

/* What utd tells, without a look at any file. */
static void
put_session(const struct top_session *s, const char *end)
{
	char *name = clean(s->name == NULL ? "no session" : s->name);
	char *state = clean(s->trouble != NULL ? s->trouble :
	    s->state == NULL ? "only its files are known" : s->state);

	printf("%s: %s", name, state);
	free(name);
	free(state);
	if (s->rated)
		printf(", %.0f events/s, %.0f bytes/s, %.0f lost/s", s->events,
		    s->bytes, s->lost);
	if (s->buffers > 0)
		printf(", %" PRIu64 " of %" PRIu64 " buffers in use", s->used,
		    s->buffers);
	printf("%s", end);
}

static void
put_files(const struct top_sums *ss, const char *end)
{
	const char *mark = is_sampled(ss) ? "~" : "";

	const double s = ss->ns > 0 ? (double)ss->ns / 1e9 : 1;

	printf("in its files: %s%.0f events/s, %.0f bytes/s, %.0f lost/s",
	    mark, ss->events / s, (double)ss->bytes / s,
	    (double)ss->lost / s);
	if (ss->packets_lost > 0)
		printf(", %" PRIu64 " packet%s lost", ss->packets_lost,
		    many(ss->packets_lost));
	if (is_sampled(ss))
		printf(", sampled %.1f %%",
		    100 * (double)ss->read / (double)ss->bytes);
	printf("%s", end);
}

void
top_print(const struct top_view *v, const struct top_sums *ss,
    const struct top_session *s)
{
	char when[32];
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm) == NULL ||
	    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		when[0] = '\0';
	printf("%s, ", when);
	put_session(s, v->end);
	put_files(ss, v->end);
	put_head(v);
	put_rows(v, ss);
}

const char *
top_sort_name(const struct top_view *v)
{
	return (v->by == TOP_PAIR ? pair_sorts : sorts)[v->sort];
}

/*
 * JSON: what came in the interval, and not for each second.
 */

static void
json_row(const struct top_row *row, enum top_by by, const struct top_sums *ss)
{
	json_object(NULL);
	json_string(tables[by], row->name);
	if (by == TOP_PAIR) {
		if (!ss->partly)
			json_u64("calls", (uint64_t)row->events);
		json_real("p50", row->p50);
		json_real("p99", row->p99);
		json_real("max", row->max);
	} else {
		json_u64("events", (uint64_t)(row->events + 0.5));
		json_u64("bytes", row->bytes);
		if (by != TOP_EVENT)
			json_u64("discarded", row->lost);
	}
	json_end();
}

static void
json_recorded(const struct top_session *s)
{
	json_object("session");
	json_string("name", s->name);
	json_string("state", s->state);
	json_string("trouble", s->trouble);
	if (s->rated) {
		json_real("events_per_s", s->events);
		json_real("bytes_per_s", s->bytes);
		json_real("lost_per_s", s->lost);
	}
	if (s->buffers > 0) {
		json_u64("used", s->used);
		json_u64("buffers", s->buffers);
	}
	json_end();
}

void
top_json(const struct top_sums *ss, const struct top_session *s)
{
	static const char *const names[TOP_TABLES] = {
		"by_event", "by_program", "by_thread", "pairs"
	};
	struct top_row **rows;
	enum top_by by;
	struct timespec ts;
	size_t i;

	clock_gettime(CLOCK_REALTIME, &ts);
	json_object(NULL);
	json_ns("ns", (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec);
	json_ns("interval_ns", ss->ns);
	json_recorded(s);
	json_u64("events", (uint64_t)(ss->events + 0.5));
	json_u64("bytes", ss->bytes);
	json_u64("discarded", ss->lost);
	json_u64("lost_packets", ss->packets_lost);
	json_real("sampled", ss->bytes == 0 ? 1 :
	    (double)ss->read / (double)ss->bytes);
	json_bool("pairs_sampled", ss->partly);
	order = SORT_EVENTS;
	for (by = TOP_EVENT; by < TOP_TABLES; by++) {
		rows = (struct top_row **)map_sorted(&ss->rows[by], row_cmp);
		json_array(names[by]);
		for (i = 0; i < ss->rows[by].n; i++)
			json_row(rows[i], by, ss);
		json_end();
		free(rows);
	}
	json_end();
}
