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

#include "durations.h"
#include "say.h"
#include "top.h"
#include "symbols.h"

#define SLOWEST		10
#define US		1e3		/* ns */
#define CELL		24		/* bytes of a number, and its NUL */

enum column {
	CALLS, TOTAL, SELF, MEAN, QUANTILES,
	MOST = QUANTILES + HIST_QUANTILES, COLUMNS
};

/* What the table has of a group, or above. */
struct line {
	char	cell[COLUMNS][CELL];
};

struct slow {
	int64_t			 took, self, begin;
	const struct group	*group;
	struct ctf_who		 who;	/* whose the end was */
};

struct run {
	struct pairs	*pairs;
	struct groups	*groups;
	struct slow	 slow[SLOWEST];	/* the slowest first */
	struct top	 top;
};

/* Functions are told apart by their names, if they are known. */
static void *
begin(void *arg, const struct ctf_stream *s, const char *name,
    const struct ctf_field_at *at, uint64_t address)
{
	struct run *r = arg;
	char text[GROUP_PART + 1], before[64];
	const char *symbol;

	if (at == NULL)
		return groups_get(r->groups, s, name);
	if ((symbol = symbols_at(at, s)) == NULL)
		snprintf(text, sizeof(text), "%.150s 0x%" PRIx64, name,
		    address);
	else {
		snprintf(before, sizeof(before), "%.60s ", name);
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
	slow->group = e->what;
	slow->who = *ctf_whose(s, &buf);
}

/* Of what is nested in another one of its group, the time counts once. */
static void
end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct group *g = e->what;

	g->n++;
	if (!e->nested)
		g->total += e->took;
	g->self += e->self;
	hist_add(&g->values, (double)e->took);
	note_slow(arg, s, e);
}

static void
left(void *arg, void *what)
{
	struct group *g = what;

	(void)arg;
	g->unended++;
}

static void
still_open(void *arg, const struct pair_end *e)
{
	struct group *g = e->what;

	left(arg, g);
	if (g->open++ == 0 || e->begin < g->first)
		g->first = e->begin;
	if (!e->nested)
		g->open_total += e->took;
	g->open_self += e->self;
}

static void
count(void *arg, struct ctf_stream *s)
{
	struct run *r = arg;

	pairs_event(r->pairs, s, PAIR_FITS);
}

/* The filter may be about what the pair's other event has. */
static void
refused(void *arg, struct ctf_stream *s)
{
	struct run *r = arg;

	pairs_event(r->pairs, s, s->event->unfit ? PAIR_OPEN : PAIR_REFUSED);
}

static void
discarded(void *arg, const struct ctf_stream *s)
{
	struct run *r = arg;

	pairs_lose(r->pairs, s->to);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	struct run *r = arg;

	pairs_lose(r->pairs, s->lost);
}

static int
by_total(const struct group *x, const struct group *y)
{
	return (x->total < y->total) - (x->total > y->total);
}

static int
by_open(const struct group *x, const struct group *y)
{
	return (x->open_total < y->open_total) -
	    (x->open_total > y->open_total);
}

static void
cell(struct line *l, enum column c, const char *text)
{
	snprintf(l->cell[c], sizeof(l->cell[c]), "%s", text);
}

static void
cell_us(struct line *l, enum column c, double ns)
{
	snprintf(l->cell[c], sizeof(l->cell[c]), "%.3f", ns / US);
}

static void
line_heads(struct line *l)
{
	size_t q;

	cell(l, CALLS, "calls");
	cell(l, TOTAL, "total us");
	cell(l, SELF, "self us");
	cell(l, MEAN, "mean us");
	for (q = 0; q < HIST_QUANTILES; q++)
		cell(l, QUANTILES + q, hist_quantiles[q].name);
	cell(l, MOST, "max us");
}

static void
line_of(struct line *l, struct group *row)
{
	size_t q;

	snprintf(l->cell[CALLS], sizeof(l->cell[CALLS]), "%" PRIu64, row->n);
	cell_us(l, TOTAL, (double)row->total);
	cell_us(l, SELF, (double)row->self);
	cell_us(l, MEAN, row->values.sum / (double)row->n);
	for (q = 0; q < HIST_QUANTILES; q++)
		cell_us(l, QUANTILES + q, hist_quantile(&row->values,
		    hist_quantiles[q].of_1000));
	cell_us(l, MOST, row->values.max);
}

static void
line_widen(const struct line *l, int *widths)
{
	size_t c;
	int n;

	for (c = 0; c < COLUMNS; c++)
		if ((n = (int)strlen(l->cell[c])) > widths[c])
			widths[c] = n;
}

static void
line_print(const struct line *l, const int *widths)
{
	size_t c;

	for (c = 0; c < COLUMNS; c++)
		printf("%s%*s", c == 0 ? "" : "  ", widths[c], l->cell[c]);
}

/* Columns are as wide as what is in them. */
static void
print_groups(const struct groups *g)
{
	struct line heads, l;
	int widths[COLUMNS] = { 0 };
	size_t i;

	putchar('\n');
	line_heads(&heads);
	line_widen(&heads, widths);
	for (i = 0; i < g->nrows; i++)
		if (g->rows[i]->n > 0) {
			line_of(&l, g->rows[i]);
			line_widen(&l, widths);
		}
	line_print(&heads, widths);
	printf("  pair");
	groups_heads(g);
	for (i = 0; i < g->nrows; i++)
		if (g->rows[i]->n > 0) {
			line_of(&l, g->rows[i]);
			line_print(&l, widths);
			group_print(g->rows[i]);
		}
}

static void
print_slow(const struct run *r)
{
	char when[CTF_TIMELEN];
	const struct slow *s;
	char *name;

	printf("\nthe slowest:\n%14s %14s  %-29s  program[pid:tid]  pair", "us",
	    "self us", "began");
	groups_heads(r->groups);
	for (s = r->slow; s < r->slow + r->top.n; s++) {
		ctf_print_time(s->begin, when);
		name = clean(s->who.name);
		printf("%14.3f %14.3f  %-29s  %s[%" PRId64 ":%" PRId64 "]",
		    (double)s->took / US, (double)s->self / US, when, name,
		    s->who.vpid, s->who.vtid);
		free(name);
		group_print(s->group);
	}
}

/* What is not in the table. */
static void
print_rest(const struct pairs *ps)
{
	if (ps->unended > 0)
		printf("%" PRIu64 " begun and not ended\n", ps->unended);
	if (ps->unbegun > 0)
		printf("%" PRIu64 " ended and not begun\n", ps->unbegun);
	if (ps->lost > 0)
		printf("%" PRIu64 " left out: events were lost meanwhile\n",
		    ps->lost);
}

/* Those that were left without an end are not open, and have no time. */
static void
print_unended(const struct groups *g)
{
	char when[CTF_TIMELEN];
	const struct group *row;
	size_t i;

	printf("\n%10s %10s %14s %14s  %-29s  pair", "not ended", "open",
	    "total us", "self us", "began");
	groups_heads(g);
	for (i = 0; i < g->nrows; i++) {
		row = g->rows[i];
		if (row->unended == 0)
			continue;
		ctf_print_time(row->first, when);
		printf("%10" PRIu64 " %10" PRIu64 " %14.3f %14.3f  %-29s",
		    row->unended, row->open, (double)row->open_total / US,
		    (double)row->open_self / US, row->open > 0 ? when : "-");
		group_print(row);
	}
}

static void
print_text(const struct run *r, const struct reader *rd)
{
	reader_totals(rd);
	print_rest(r->pairs);
	if (r->top.n > 0)
		print_groups(r->groups);
	if (r->pairs->unended > 0) {
		groups_sort(r->groups, by_open);
		print_unended(r->groups);
	}
	if (r->top.n > 0)
		print_slow(r);
}

static void
json_by(const struct groups *g, const struct group *row)
{
	const char *s = row->key;
	size_t k;

	printf("\"by\":{\"pair\":");
	put_json(s);
	for (k = 0; k < g->nby; k++) {
		s += strlen(s) + 1;
		putchar(',');
		put_json(g->names[k]);
		putchar(':');
		put_json(s);
	}
	putchar('}');
}

static void
json_group(const struct groups *g, struct group *row)
{
	size_t q;

	putchar('{');
	json_by(g, row);
	printf(",\"calls\":%" PRIu64 ",\"total_ns\":\"%" PRId64
	    "\",\"self_ns\":\"%" PRId64 "\",\"min\":%.17g,"
	    "\"mean\":%.17g", row->n, row->total, row->self,
	    row->values.min, row->values.sum / (double)row->n);
	for (q = 0; q < HIST_QUANTILES; q++)
		printf(",\"%s\":%.17g", hist_quantiles[q].name,
		    hist_quantile(&row->values, hist_quantiles[q].of_1000));
	printf(",\"max\":%.17g}", row->values.max);
}

static void
json_unended(const struct groups *g)
{
	const struct group *row;
	const char *comma = "";
	size_t i;

	printf("],\"not_ended\":[");
	for (i = 0; i < g->nrows; i++) {
		row = g->rows[i];
		if (row->unended == 0)
			continue;
		printf("%s{", comma);
		json_by(g, row);
		printf(",\"calls\":%" PRIu64 ",\"open\":%" PRIu64
		    ",\"total_ns\":\"%" PRId64 "\",\"self_ns\":\"%" PRId64
		    "\"", row->unended, row->open, row->open_total,
		    row->open_self);
		if (row->open > 0)
			printf(",\"began\":\"%" PRId64 "\"", row->first);
		putchar('}');
		comma = ",";
	}
}

static void
print_json(const struct run *r, const struct reader *rd)
{
	const struct pairs *ps = r->pairs;
	const struct slow *s;
	const char *comma = "";
	size_t i;

	printf("{\"events\":%llu,\"discarded\":%llu,\"lost_packets\":%llu,"
	    "\"unended\":%" PRIu64 ",\"unbegun\":%" PRIu64 ",\"left_out\":%"
	    PRIu64 ",\"pairs\":[", rd->nevents, rd->ndiscarded, rd->nlost,
	    ps->unended, ps->unbegun, ps->lost);
	for (i = 0; i < r->groups->nrows; i++)
		if (r->groups->rows[i]->n > 0) {
			fputs(comma, stdout);
			json_group(r->groups, r->groups->rows[i]);
			comma = ",";
		}
	printf("],\"slowest\":[");
	for (s = r->slow; s < r->slow + r->top.n; s++) {
		printf("%s{", s == r->slow ? "" : ",");
		json_by(r->groups, s->group);
		printf(",\"ns\":\"%" PRId64 "\",\"self_ns\":\"%" PRId64
		    "\",\"began\":\"%" PRId64 "\",\"procname\":", s->took,
		    s->self, s->begin);
		put_json(s->who.name);
		printf(",\"vpid\":%" PRId64 ",\"vtid\":%" PRId64 "}",
		    s->who.vpid, s->who.vtid);
	}
	groups_sort(r->groups, by_open);
	json_unended(r->groups);
	printf("]}\n");
}

void
durations(struct reader *rd, struct pairs *ps, struct groups *g, int json)
{
	static const struct reader_ops ops = { count, discarded, lost, NULL,
	    NULL, refused };
	static const struct pair_ops mine = { begin, end, left, still_open };
	struct ctf_trace *tr;
	struct run r;

	memset(&r, 0, sizeof(r));
	r.pairs = ps;
	r.top.list = r.slow;
	r.top.size = sizeof(r.slow[0]);
	r.top.most = SLOWEST;
	r.groups = g;
	ps->ops = &mine;
	ps->arg = &r;
	ps->lossy = INT64_MIN;
	rd->refused = rd->select != NULL;
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		pairs_trace(ps, tr);
	reader_run(rd, &ops, &r);
	pairs_finish(ps);
	groups_sort(g, by_total);
	if (rd->ntraces == 0 && ctf_damaged() != 0)
		return;
	if (json)
		print_json(&r, rd);
	else
		print_text(&r, rd);
	if (r.top.n == 0 && rd->nevents > 0 && ps->unended == 0 &&
	    ps->unbegun == 0 && ps->lost == 0)
		say("no pairs of events: see -D");
}
