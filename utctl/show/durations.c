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
#include "../sym/symbols.h"
#include "durations.h"
#include "table.h"
#include "top.h"

#define US		1e3		/* ns */

struct slow {
	int64_t			 took, self, begin;
	const struct group	*group;
	struct ctf_who		 who;	/* whose the end was */
	const char		*host;	/* or NULL: there is but one */
};

struct run {
	struct pairs	*pairs;
	struct groups	*groups;
	struct slow	*slow;		/* the slowest first */
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
	slow->group = e->what;
	slow->who = *ctf_whose(s, &buf);
	slow->host = s->trace->label;
}

static void
end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct group *g = e->what;

	g->n++;
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
	g->open_self += e->self;
}

static void
total(void *arg, void *what, int64_t ended, int64_t open)
{
	struct group *g = what;

	(void)arg;
	g->total += ended;
	g->open_total += open;
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
print_heads(struct table *t, const struct groups *g)
{
	size_t q;

	table_cell(t, "calls");
	table_cell(t, "total us");
	table_cell(t, "self us");
	table_cell(t, "mean us");
	for (q = 0; q < HIST_QUANTILES; q++)
		table_cell(t, "%s", hist_quantiles[q].name);
	table_cell(t, "max us");
	if (table_rest(t)) {
		printf("  pair");
		groups_heads(g);
	}
}

static void
print_group(struct table *t, struct group *row)
{
	size_t q;

	table_cell(t, "%" PRIu64, row->n);
	table_us(t, (double)row->total);
	table_us(t, (double)row->self);
	table_us(t, row->values.sum / (double)row->n);
	for (q = 0; q < HIST_QUANTILES; q++)
		table_us(t, hist_quantile(&row->values,
		    hist_quantiles[q].of_1000));
	table_us(t, row->values.max);
	if (table_rest(t))
		group_print(row);
}

static void
print_groups(const struct groups *g)
{
	struct table t;
	size_t i;

	putchar('\n');
	for (table_begin(&t); table_next(&t);) {
		print_heads(&t, g);
		for (i = 0; i < g->nrows; i++)
			if (g->rows[i]->n > 0)
				print_group(&t, g->rows[i]);
	}
}

static void
print_slow(const struct run *r)
{
	char when[CTF_TIMELEN];
	const struct slow *s;
	char *name, *shown;

	printf("\nthe slowest:\n%14s %14s  %-29s  program[pid:tid]  pair", "us",
	    "self us", "began");
	groups_heads(r->groups);
	for (s = r->slow; s < r->slow + r->top.n; s++) {
		ctf_print_time(s->begin, when);
		name = host_name(s->host, s->who.name);
		shown = clean(name);
		printf("%14.3f %14.3f  %-29s  %s[%" PRId64 ":%" PRId64 "]",
		    (double)s->took / US, (double)s->self / US, when,
		    shown, s->who.vpid, s->who.vtid);
		free(shown);
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

static void
print_unended_heads(struct table *t, const struct groups *g)
{
	table_cell(t, "not ended");
	table_cell(t, "open");
	table_cell(t, "total us");
	table_cell(t, "self us");
	if (table_rest(t)) {
		printf("  %-29s  pair", "began");
		groups_heads(g);
	}
}

/* Those that were left without an end are not open, and have no time. */
static void
print_unended_group(struct table *t, const struct group *row)
{
	char when[CTF_TIMELEN] = "-";

	table_cell(t, "%" PRIu64, row->unended);
	table_cell(t, "%" PRIu64, row->open);
	table_us(t, (double)row->open_total);
	table_us(t, (double)row->open_self);
	if (!table_rest(t))
		return;
	if (row->open > 0)
		ctf_print_time(row->first, when);
	printf("  %-29s", when);
	group_print(row);
}

static void
print_unended(const struct groups *g)
{
	struct table t;
	size_t i;

	putchar('\n');
	for (table_begin(&t); table_next(&t);) {
		print_unended_heads(&t, g);
		for (i = 0; i < g->nrows; i++)
			if (g->rows[i]->unended > 0)
				print_unended_group(&t, g->rows[i]);
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
		    "\",\"began\":\"%" PRId64 "\",", s->took, s->self,
		    s->begin);
		if (s->host != NULL) {
			printf("\"host\":");
			put_json(s->host);
			putchar(',');
		}
		printf("\"procname\":");
		put_json(s->who.name);
		printf(",\"vpid\":%" PRId64 ",\"vtid\":%" PRId64 "}",
		    s->who.vpid, s->who.vtid);
	}
	groups_sort(r->groups, by_open);
	json_unended(r->groups);
	printf("]}\n");
}

void
durations(struct reader *rd, struct pairs *ps, struct groups *g,
    size_t nslow, int json)
{
	static const struct pair_ops mine = { begin, end, left, still_open,
	    NULL, total };
	struct run r;

	memset(&r, 0, sizeof(r));
	r.pairs = ps;
	if ((r.slow = calloc(nslow, sizeof(*r.slow))) == NULL)
		die_errno("malloc");
	r.top.list = r.slow;
	r.top.size = sizeof(r.slow[0]);
	r.top.most = nslow;
	r.groups = g;
	ps->ops = &mine;
	ps->arg = &r;
	pairs_read(ps, rd);
	pairs_finish(ps);
	groups_sort(g, by_total);
	if (rd->ntraces == 0 && ctf_damaged() != 0)
		;
	else if (json)
		print_json(&r, rd);
	else
		print_text(&r, rd);
	if (r.top.n == 0 && rd->nevents > 0 && ps->unended == 0 &&
	    ps->unbegun == 0 && ps->lost == 0)
		say("no pairs of events: see -D");
	free(r.slow);
}
