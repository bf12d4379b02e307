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
 * The pairs of events of a page: how long they took, which were the slowest,
 * with the fields of their beginnings, and their bars and flames.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../show/print.h"
#include "../when.h"
#include "page.h"

static int begun;	/* the event has begun a pair */
static int overflow;	/* fields are longer than what is kept */

static void
overflows(const char *p, size_t n)
{
	(void)p;
	(void)n;
	overflow = 1;
}

/* The event's fields as text, which may be cut. */
static void
fields_text(char *buf, const struct ctf_stream *s)
{
	char *p, *end;

	overflow = 0;
	ctf_print_to(overflows);
	p = out_begin();
	end = put_fields(p, s);
	if (overflow || end < p)
		end = stpcpy(p, "...");
	*end = '\0';
	cut_text(buf, PAGE_FIELDS, p);
	ctf_print_to(ctf_print_write);
}

/* The place of a pair in its thread; NULL: it is too deep. */
static struct page_open *
open_at(struct page_track *t, size_t depth)
{
	if (depth >= PAGE_DEEP)
		return NULL;
	t->open = xgrow(t->open, depth, &t->room, sizeof(*t->open));
	return &t->open[depth];
}

/* Keep the fields of a beginning, or if all have too much of that, none. */
static void
fields_keep(struct page_open *o, const struct ctf_stream *s)
{
	char text[PAGE_FIELDS] = "...";
	size_t n;

	if (o->fields != NULL)
		page.kept -= strlen(o->fields) + 1;
	if (page.kept < PAGE_KEPT)
		fields_text(text, s);
	n = strlen(text) + 1;
	o->fields = xrealloc(o->fields, n);
	memcpy(o->fields, text, n);
	page.kept += n;
}

/* A frame that is refused is no node: the next one around is the parent. */
static struct flame *
parent_of(struct page_track *t, size_t depth)
{
	struct flame *f;
	char *program;

	while (depth-- > 0)
		if (t->open[depth].node != NULL)
			return t->open[depth].node;
	program = host_name(t->host, t->name[0] == '\0' ? "-" : t->name);
	f = flame_child(&page.flame, &page.flame.root, flame_name(program));
	free(program);
	return f;
}

static struct page_pair *
pair_get(const char *name, int keyed)
{
	const size_t n = page.spans.n;
	struct page_pair *p = page_named(&page.spans, name, sizeof(*p),
	    "(other pairs)");

	if (page.spans.n > n)
		p->number = (uint32_t)n;
	p->keyed |= keyed;
	return p;
}

/* The row of a function, of which pairs with other names may tell, too. */
static struct page_pair *
function_get(const char *pair, const char *function)
{
	struct page_pair *p = pair_get(function, 0);
	char *name;

	if (p->pair == NULL)
		p->pair = pair;
	if (strcmp(p->pair, pair) == 0)
		return p;
	name = format("%s %s", pair, function);
	p = pair_get(name, 0);
	free(name);
	return p;
}

void
page_pairs_event(const struct ctf_stream *s, enum pair_fit fit)
{
	struct page_open *o;

	begun = 0;
	o = open_at(page_track_of(s), pairs_depth(&page.pairs, s, PAGE_DEEP));
	if (o != NULL)
		o->node = NULL;
	pairs_event(&page.pairs, s, fit);
}

static void *
span_begin(void *arg, const struct ctf_stream *s, const char *name,
    const struct ctf_field_at *at, uint64_t address)
{
	struct page_track *t = page_track_of(s);
	const size_t depth = pairs_depth(&page.pairs, s, PAGE_DEEP);
	struct page_open *o = open_at(t, depth);
	char buf[PAIR_NAME];
	struct page_pair *p;

	(void)arg;
	begun = 1;
	p = at == NULL ? pair_get(name, 0) : function_get(name,
	    pair_name(buf, s, name, at, address));
	if (o != NULL) {
		o->node = flame_child(&page.flame, parent_of(t, depth),
		    p->name);
		fields_keep(o, s);
	}
	return p;
}

static void *
span_begin_key(void *arg, const struct ctf_stream *s, const char *name)
{
	(void)arg;
	(void)s;
	return pair_get(name, 1);
}

/* Half octaves: the exponent of 2, and whether the square root is reached. */
static size_t
heat_row(int64_t ns)
{
	int e = 0;
	const double m = frexp((double)ns, &e);
	const int row = 2 * (e - 1) + (m >= 0.70710678118654752);

	return ns <= 0 ? 0 : row < PAGE_ROWS ? (size_t)row : PAGE_ROWS - 1;
}

static void
note_slow(const struct page_track *t, const struct page_pair *p,
    const struct pair_end *e, const struct page_open *o)
{
	struct page_slow *slow = top_add(&page.top, e->took);

	if (slow == NULL)
		return;
	slow->self = e->self;
	slow->begin = e->begin;
	slow->pair = p;
	slow->track = t;
	slow->place = e->place;
	slow->at = e->at;
	slow->fields[0] = '\0';
	if (o != NULL && o->fields != NULL)
		cut_text(slow->fields, sizeof(slow->fields), o->fields);
}

/* Modules may have gone meanwhile: these addresses have no names. */
void
page_pairs_fields(const struct reread *r)
{
	struct page_slow *slow;
	struct ctf_stream *s;

	style.numbers = 1;
	for (slow = page.slow; slow < page.slow + page.top.n; slow++)
		if (slow->fields[0] == '\0' && (s = reread_event(r,
		    slow->place, slow->at)) != NULL) {
			fields_text(slow->fields, s);
			stream_free(s);
		}
}

static void
span_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct page_pair *p = e->what;
	struct page_track *t = p->keyed ? page_track(0,
	    -1 - (int64_t)p->number, NULL, CTF_NOBODY) : page_track_of(s);
	const size_t all = pairs_depth(&page.pairs, s, PAGE_DEEP + 1);
	const size_t depth = all < PAGE_DEEP ? all : PAGE_DEEP;
	const size_t row = begun || depth == 0 ? depth : depth - 1;
	struct page_open *o = p->keyed ? NULL : open_at(t, row);
	const struct page_bar bar = { e->took, e->begin, t->number, p->number,
	    p->keyed || e->begin != e->at ? PAGE_KEYED : (int32_t)row, 0 };
	uint32_t **heat = &p->heat[heat_row(e->took)];
	struct page_bar *longest;

	(void)arg;
	page_reach_back(e->begin);
	if (p->keyed)
		cut_text(t->name, sizeof(t->name), p->name);
	p->self = when_sum(p->self, e->self);
	hist_add(&p->hist, (double)e->took);
	if (*heat == NULL)
		*heat = xcalloc(PAGE_HEAT, sizeof(**heat));
	(*heat)[page_slot(e->begin, PAGE_HEAT)]++;
	if (o != NULL && o->node != NULL && e->self > 0)
		o->node->self += (uint64_t)e->self;
	t->busy += e->self > 0 ? (uint64_t)e->self : 0;
	if (t->cells != NULL) {
		longest = &t->cells->longest[page_slot(e->begin, PAGE_HEAT)];
		if (e->took > longest->took)
			*longest = bar;
		page_bar(&page.bars, &bar);
	} else
		page.bars.all++;
	note_slow(t, p, e, all > PAGE_DEEP ? NULL : o);
}

static void
span_left(void *arg, void *what)
{
	(void)arg;
	((struct page_pair *)what)->unended++;
}

static void
span_open(void *arg, const struct pair_end *e)
{
	span_left(arg, e->what);
	((struct page_pair *)e->what)->open++;
}

static void
span_total(void *arg, void *what, int64_t ended, int64_t open)
{
	struct page_pair *p = what;

	(void)arg;
	(void)open;
	p->total = when_sum(p->total, ended);
}

const struct pair_ops page_pair_ops = { span_begin, span_end, span_left,
    span_open, span_begin_key, span_total, NULL };
