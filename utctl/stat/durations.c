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
 * How long it took from the beginning to the end of pairs of events: for each
 * group of them, and the slowest ones of all.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../show/compare.h"
#include "../show/print.h"
#include "../show/reread.h"
#include "../show/show.h"
#include "../sym/symbols.h"
#include "../when.h"
#include "stat.h"

#define SHOWN	200		/* bytes of fields in a line */
#define WHOLE	65536		/* bytes of them in JSON, or none */

struct slow {
	int64_t			 took, self, begin;
	struct event_place	 place;	/* the event that began it, ... */
	int64_t			 at;	/* ... when it came, ... */
	char			*fields;	/* ... what it has, or NULL */
	const struct group	*group;
	struct ctf_who		 who;	/* from the end of the pair */
	const char		*host;	/* NULL: there is but one */
};

struct run {
	struct pairs	*pairs;
	struct intervals *intervals;
	int		 bars;		/* -H */
	struct groups	*groups;
	struct slow	*slow;		/* the slowest first */
	struct top	 top;
	struct reread	 again;
};

/* Functions are told apart by their names, if they are known. */
static void *
duration_begin(void *arg, const struct ctf_stream *s, const char *name,
    const struct ctf_field_at *at, uint64_t address)
{
	struct run *r = arg;
	char text[GROUP_PART + 1], before[64];
	const char *symbol;
	size_t n = strlen(name);

	if (at == NULL)
		return groups_get(r->groups, s, name);
	if ((symbol = symbols_at(at, s)) == NULL)
		snprintf(text, sizeof(text), "%.150s 0x%" PRIx64, name,
		    address);
	else {
		n = n < sizeof(before) - 2 ? n : sizeof(before) - 2;
		memcpy(before, name, n);
		memcpy(before + n, " ", 2);
		(void)group_address(text, sizeof(text), before, symbol,
		    address);
	}
	return groups_get(r->groups, s, text);
}

static void
note_slow(struct run *r, const struct ctf_stream *s, const struct pair_end *e)
{
	struct slow *slow = top_add(&r->top, e->took);
	struct ctf_who buf;

	if (slow == NULL)
		return;
	slow->self = e->self;
	slow->begin = e->begin;
	slow->place = e->place;
	slow->at = e->at;
	slow->group = e->what;
	slow->who = *ctf_whose(s, &buf);
	slow->host = s->trace->label;
}

static void
duration_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct run *r = arg;
	struct group *g = e->what;
	const double took = (double)e->took;

	g->n++;
	if (r->intervals->length > 0) {
		intervals_add(r->intervals, s->ns, &took);
		return;
	}
	g->self = when_sum(g->self, e->self);
	hist_add(&g->values, took);
	note_slow(r, s, e);
}

/* A run of -C: nothing else is kept. */
static void
measure_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	(void)arg;
	compare_add(e->what, s->ns, e->took, e->self);
}

static void
duration_left(void *arg, void *what)
{
	struct group *g = what;

	(void)arg;
	g->unended++;
}

static void
still_open(void *arg, const struct pair_end *e)
{
	struct group *g = e->what;

	duration_left(arg, g);
	if (g->open++ == 0 || e->begin < g->first)
		g->first = e->begin;
	g->open_self = when_sum(g->open_self, e->self);
}

static void
total(void *arg, void *what, int64_t ended, int64_t open)
{
	struct group *g = what;

	(void)arg;
	g->total = when_sum(g->total, ended);
	g->open_total = when_sum(g->open_total, open);
}

/* Pairs that did not end come last: they are in another table. */
static int
by_total(const struct group *x, const struct group *y)
{
	if ((x->n == 0) != (y->n == 0))
		return x->n == 0 ? 1 : -1;
	return (x->total < y->total) - (x->total > y->total);
}

static int
by_open(const struct group *x, const struct group *y)
{
	if ((x->unended == 0) != (y->unended == 0))
		return x->unended == 0 ? 1 : -1;
	return (x->open_total < y->open_total) -
	    (x->open_total > y->open_total);
}

static void
put_group(struct rows *t, const void *arg, size_t i)
{
	const struct run *r = arg;
	const struct groups *g = r->groups;
	struct group *row = g->rows[i];

	group_json(g, row);
	row_u64(t, "calls", "calls", row->n);
	row_us(t, "total us", "total_ns", row->total);
	row_us(t, "self us", "self_ns", row->self);
	row_hist(t, &row->values, 1);
	if (json_on && r->bars)
		group_bars(row, 1);
	group_end(t, g, row);
}

static void
put_groups(const char *name, struct run *r,
    int (*order)(const struct group *, const struct group *), rows_put_fn put)
{
	struct rows t = { .fixed = NULL };
	struct groups *g = r->groups;
	size_t i, n = 0;

	groups_sort(g, order);
	while (n < g->nrows && (order == by_total ? g->rows[n]->n :
	    g->rows[n]->unended) > 0)
		n++;
	if (!json_on && n > 0)
		putchar('\n');
	rows_put(&t, name, n, put, r);
	for (i = 0; !json_on && r->bars && put == put_group && i < n; i++)
		group_bars(g->rows[i], 1);
}

static void
put_slow(struct rows *t, const void *arg, size_t i)
{
	const struct run *r = arg;
	const struct slow *s = &r->slow[i];

	group_json(r->groups, s->group);
	row_us(t, "us", "ns", s->took);
	row_us(t, "self us", "self_ns", s->self);
	json_ns("began", s->begin);
	row_who(t, "began", s->begin, s->host, s->who.name,
	    ctf_who_id(&s->who, ROLE_VPID), ctf_who_id(&s->who, ROLE_VTID));
	if (s->fields != NULL)
		json_raw(s->fields);
	if (!row_tail(t))
		return;
	if (t->isheads)
		group_heads(r->groups);
	else
		group_names(s->group);
	row_add("  %s\n", t->isheads ? "fields" : s->fields == NULL ? "" :
	    s->fields);
}

/* Pairs that can no longer end have no duration. */
static void
put_unended(struct rows *t, const void *arg, size_t i)
{
	const struct groups *g = ((const struct run *)arg)->groups;
	const struct group *row = g->rows[i];
	char when[CTF_TIMELEN] = "-";

	group_json(g, row);
	row_u64(t, "not ended", "calls", row->unended);
	row_u64(t, "open", "open", row->open);
	row_us(t, "total us", "total_ns", row->open_total);
	row_us(t, "self us", "self_ns", row->open_self);
	if (row->open > 0) {
		json_ns("began", row->first);
		ctf_print_time(row->first, when);
	}
	if (row_tail(t))
		row_add("  %-29s", t->isheads ? "began" : when);
	group_end(t, g, row);
}

static void
durations_print(struct run *r, const struct reader *rd)
{
	static const int widths[] = { 14, 14 };
	struct rows t = { .fixed = widths };
	char left[128];

	snprintf(left, sizeof(left), "left out: %s",
	    pairs_why_lost(r->pairs));
	rows_program(&r->pairs->processes);
	show_totals(rd);
	show_count("unended", r->pairs->unended, "", "begun and not ended");
	show_count("unbegun", r->pairs->unbegun, "", "ended and not begun");
	show_count("left_out", r->pairs->lost, "", left);
	if (r->intervals->length > 0) {
		groups_sort(r->groups, by_total);
		intervals_put(r->intervals);
		json_end();
		return;
	}
	put_groups("pairs", r, by_total, put_group);
	if (json_on)
		rows_put(&t, "slowest", r->top.n, put_slow, r);
	put_groups("not_ended", r, by_open, put_unended);
	json_end();
	if (json_on || r->top.n == 0)
		return;
	printf("\nthe slowest:\n");
	rows_put(&t, NULL, r->top.n, put_slow, r);
}

/*
 * The fields of the slowest, which are read once more when it is known which
 * they are: to print those of all would take longer than reading.  Modules may
 * have gone meanwhile, so addresses have no names.
 */

/* Before the streams are read. */
static void
fields_begin(struct run *r, const struct reader *rd)
{
	struct ctf_trace *tr;

	reread_begin(&r->again, rd);
	ctf_print_init(json_on);
	style.colour = 0;
	style.numbers = 1;
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		text_trace(tr);
}

static char	*text;
static size_t	 len;

/* Keep what is printed, and one byte more than may be shown. */
static void
keep(const char *s, size_t n)
{
	const size_t most = (json_on ? WHOLE : SHOWN) + 1;

	if (n > most - len)
		n = most - len;
	text = xrealloc(text, len + n + 1);
	memcpy(text + len, s, n);
	len += n;
	text[len] = '\0';
}

static char *
put_all(const struct ctf_stream *s)
{
	size_t n = SHOWN;

	text = NULL;
	len = 0;
	ctf_print_to(keep);
	out_end(put_fields(out_begin(), s));
	ctf_print_flush();
	ctf_print_to(ctf_print_write);
	if (len <= (json_on ? WHOLE : SHOWN))
		return text;
	if (json_on) {
		free(text);
		return NULL;
	}
	while (n > 0 && (text[n] & 0xc0) == 0x80)
		n--;
	text = xrealloc(text, n + sizeof("..."));
	memcpy(text + n, "...", sizeof("..."));
	return text;
}

static void
fields_read(struct run *r)
{
	struct ctf_stream *s;
	struct slow *slow;

	for (slow = r->slow; slow < r->slow + r->top.n; slow++)
		if ((s = reread_event(&r->again, slow->place,
		    slow->at)) != NULL) {
			slow->fields = put_all(s);
			stream_free(s);
		}
	reread_end(&r->again);
}

static void
lose(void *arg, const struct ctf_stream *s)
{
	const struct run *r = arg;

	if (r->intervals->length > 0)
		intervals_lose(r->intervals, s);
}

void
durations(struct reader *rd, struct stat_run *run, size_t nslow)
{
	static const struct pair_ops mine = { duration_begin, duration_end,
	    duration_left, still_open, NULL, total, NULL };
	struct pairs *ps = &run->pairs;
	struct run r;
	size_t i;

	memset(&r, 0, sizeof(r));
	r.pairs = ps;
	r.intervals = &run->intervals;
	r.bars = run->bars;
	r.slow = xcalloc(nslow, sizeof(*r.slow));
	r.top.list = r.slow;
	r.top.size = sizeof(r.slow[0]);
	r.top.most = nslow;
	r.groups = &run->groups;
	r.groups->prefix = "pair";
	ps->ops = &mine;
	ps->arg = &r;
	ps->lose = lose;
	fields_begin(&r, rd);
	pairs_read(ps, rd);
	pairs_finish(ps);
	fields_read(&r);
	if (show_any(rd))
		durations_print(&r, rd);
	if (r.top.n == 0 && r.intervals->n == 0 && rd->nevents > 0 &&
	    ps->unended == 0 && ps->unbegun == 0 && ps->lost == 0)
		say("no pairs of events: see -D in utctl-stat(1)");
	for (i = 0; i < r.top.n; i++)
		free(r.slow[i].fields);
	free(r.slow);
}

void
durations_read(struct reader *rd, struct pairs *ps, struct groups *g)
{
	static const struct pair_ops mine = { duration_begin, measure_end,
	    duration_left, NULL, NULL, NULL, NULL };
	struct run r;

	memset(&r, 0, sizeof(r));
	pairs_again(ps);
	r.groups = g;
	g->prefix = "pair";
	ps->ops = &mine;
	ps->arg = &r;
	pairs_read(ps, rd);
	pairs_finish(ps);
}
