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
 * The text of a page: HTML around the style, the data and the script.  No text
 * of a trace is anywhere but in the data, in which no character has a meaning
 * in HTML.  Whoever makes a trace does not know the nonce of the page.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../when.h"
#include "common/escape.h"
#include "page.h"

void
page_text(const char *name, const char *string)
{
	char text[PAGE_TEXT], c[ESCAPE_MAX], *p;
	const unsigned char *s = (const unsigned char *)text, *end;
	size_t n = 0;

	cut_text(text, page.texts < PAGE_TEXTS ? PAGE_TEXT : PAGE_SHORT,
	    string);
	page.cut |= page.texts >= PAGE_TEXTS && strcmp(text, string) != 0;
	end = s + strlen(text);
	json_format(name, "\"");
	while (s < end) {
		if (*s == '<' || *s == '>' || *s == '&')
			p = c + sprintf(c, "\\u%04x", (unsigned int)*s++);
		else
			p = escape_char(c, &s, end, ESCAPE_JSON);
		n += fwrite(c, 1, (size_t)(p - c), stdout);
	}
	putchar('"');
	page.texts += n;
	json_bytes += n + 1;
}

static uint64_t
nonce(int i)
{
	return map_bytes((uint64_t)i, "page", 4);
}

void
page_list_free(struct page_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(*(char **)l->v[i]);
		free(l->v[i]);
	}
	free(l->v);
	map_free(&l->map);
}

void
page_head(void)
{
	printf("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; base-uri 'none'; form-action 'none'; "
	    "script-src 'nonce-%016" PRIx64 "'; style-src 'nonce-%016" PRIx64
	    "'\">\n<meta name=\"viewport\" content=\"width=device-width, "
	    "initial-scale=1\">\n<title>utctl report</title>\n<style nonce=\""
	    "%016" PRIx64 "\">\n", nonce(0), nonce(1), nonce(1));
	fwrite(page_css, 1, page_css_len, stdout);
	printf("</style>\n<body>\n<header></header>\n<main><noscript>This "
	    "page needs its own script, which the browser does not run."
	    "</noscript></main>\n<script type=\"application/json\" "
	    "id=\"data\">");
}

void
page_tail(void)
{
	json_bool("short", page.cut);
	json_end();
	printf("</script>\n<script nonce=\"%016" PRIx64 "\">\n", nonce(0));
	fwrite(page_js, 1, page_js_len, stdout);
	printf("</script>\n</html>\n");
}

/* A time as ns behind the begin. */
void
page_put_ns(const char *name, int64_t ns)
{
	json_i64(name, when_sum(ns, -page.begin));
}

void
page_process(const char *name, const struct process *p)
{
	page_text(name, p->name);
	if (p->host != NULL)
		page_text("host", p->host);
	if (p->vpid != CTF_NOBODY)
		json_i64("pid", p->vpid);
}

static void
put_traces(const struct reader *rd)
{
	const struct ctf_trace *tr;
	const struct ctf_clock *c;
	char by[CTF_TIMELEN];

	json_array("traces");
	for (tr = rd->traces; tr != NULL; tr = tr->next) {
		json_object(NULL);
		page_text("path", tr->file);
		page_text("host", tr->host == NULL ? "" : tr->host);
		page_text("moved", !ctf_moves(&tr->moved) ? "" :
		    ctf_print_move(&tr->moved, by));
		json_array("clocks");
		for (c = tr->clocks; c != NULL; c = c->next) {
			json_object(NULL);
			page_text("name", c->name);
			json_real("error", c->error);
			json_end();
		}
		json_end();
		json_end();
	}
	json_end();
}

static void
put_losses(void)
{
	const struct page_loss *l;

	json_array("losses");
	for (l = page.losses; l < page.losses + page.nlosses; l++) {
		json_array(NULL);
		page_put_ns(NULL, l->from == INT64_MIN ? page.begin : l->from);
		page_put_ns(NULL, l->to);
		json_u64(NULL, l->n);
		json_i64(NULL, l->kind);
		json_u64(NULL, l->times);
		json_i64(NULL, l->track);
		json_end();
	}
	json_end();
}

/* Without events, the page is as long as what was lost. */
static void
begin_with_losses(void)
{
	const struct page_loss *l;

	page.begin = page.end = page.nlosses == 0 ? 0 : page.losses[0].to;
	for (l = page.losses; l < page.losses + page.nlosses; l++) {
		if (l->from != INT64_MIN && l->from < page.begin)
			page.begin = l->from;
		if (l->to > page.end)
			page.end = l->to;
	}
}

/* Zeros at the end are left out. */
static void
put_slots(const char *name, const uint32_t *v)
{
	size_t i, n = PAGE_SLOTS;

	while (n > 0 && v[n - 1] == 0)
		n--;
	json_array(name);
	for (i = 0; i < n; i++)
		json_u64(NULL, v[i]);
	json_end();
}

static int
by_count(const void *a, const void *b)
{
	const struct page_event *x = *(struct page_event *const *)a;
	const struct page_event *y = *(struct page_event *const *)b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void
put_events(void)
{
	const struct page_event *e;
	size_t i;

	if (page.events.n > 1)
		qsort(page.events.v, page.events.n, sizeof(void *), by_count);
	json_array("by_event");
	for (i = 0; i < page.events.n; i++) {
		e = page.events.v[i];
		json_object(NULL);
		page_text("name", e->name);
		json_u64("events", e->n);
		json_u64("bytes", e->bits / 8);
		page_put_ns("first", e->first);
		page_put_ns("last", e->last);
		json_u64("number", e->number);
		json_u64("undrawn", e->undrawn);
		if (i < PAGE_CHARTS)
			put_slots("slots", e->slots);
		json_end();
	}
	json_end();
}

/* How many took from one half octave to the next, or longer: row, number. */
static void
put_bars_of(const struct page_pair *p)
{
	uint64_t n;
	size_t i, k;

	json_array("hist");
	for (k = 0; k < PAGE_ROWS; k++) {
		if (p->heat[k] == NULL)
			continue;
		for (n = i = 0; i < PAGE_HEAT; i++)
			n += p->heat[k][i];
		json_u64(NULL, k);
		json_u64(NULL, n);
	}
	json_end();
}

static void
put_heat(const struct page_pair *p)
{
	size_t i, k;

	json_array("heat");
	for (k = 0; k < PAGE_ROWS; k++)
		for (i = 0; p->heat[k] != NULL && i < PAGE_HEAT; i++)
			if (p->heat[k][i] != 0) {
				json_u64(NULL, i);
				json_u64(NULL, k);
				json_u64(NULL, p->heat[k][i]);
			}
	json_end();
}

static int
by_total(const void *a, const void *b)
{
	const struct page_pair *x = *(struct page_pair *const *)a;
	const struct page_pair *y = *(struct page_pair *const *)b;

	return (x->total < y->total) - (x->total > y->total);
}

static void
put_pairs(void)
{
	void **greatest = map_sorted(&page.spans.map, by_total);
	struct page_pair *p;
	size_t i;

	for (i = 0; i < page.spans.n && i < PAGE_CHARTS; i++)
		((struct page_pair *)greatest[i])->drawn = 1;
	free(greatest);
	json_u64("unended", page.pairs.unended);
	json_u64("unbegun", page.pairs.unbegun);
	json_u64("left_out", page.pairs.lost);
	json_array("pairs");
	for (i = 0; i < page.spans.n; i++) {
		p = page.spans.v[i];
		json_object(NULL);
		page_text("name", p->name);
		json_u64("calls", p->hist.n);
		json_i64("total", p->total);
		json_i64("self", p->self);
		json_u64("unended", p->unended);
		json_u64("open", p->open);
		if (p->hist.n > 0) {
			json_hist(&p->hist, 1);
			put_bars_of(p);
		}
		if (p->drawn)
			put_heat(p);
		json_end();
	}
	json_end();
}

static void
put_slowest(void)
{
	const struct page_slow *s;

	json_array("slowest");
	for (s = page.slow; s < page.slow + page.top.n; s++) {
		json_object(NULL);
		json_u64("pair", s->pair->number);
		json_i64("took", s->took);
		json_i64("self", s->self);
		page_put_ns("begin", s->begin);
		json_u64("track", s->track->number);
		page_text("fields", s->fields);
		json_end();
	}
	json_end();
}

static void
put_cells(const struct page_track *t)
{
	size_t i;

	json_array("cells");
	for (i = 0; t->cells != NULL && i < PAGE_SLOTS; i++)
		if (t->cells->n[i] != 0) {
			json_u64(NULL, i);
			json_u64(NULL, t->cells->n[i]);
		}
	json_end();
}

/* A wait may be within a span, or not. */
static uint64_t
time_of(const struct page_track *t)
{
	return t->busy > t->waited ? t->busy : t->waited;
}

static int
by_time(const void *a, const void *b)
{
	const struct page_track *x = *(struct page_track *const *)a;
	const struct page_track *y = *(struct page_track *const *)b;

	if (time_of(x) != time_of(y))
		return time_of(x) < time_of(y) ? 1 : -1;
	return (x->n < y->n) - (x->n > y->n);
}

static void
keep_drawn(struct page_bars *b)
{
	const struct page_track *t;
	size_t i, n = b->n;

	for (b->n = i = 0; i < n; i++) {
		t = page.tracks.v[b->v[i].track];
		if (t->cells != NULL)
			b->v[b->n++] = b->v[i];
		else if (b == &page.instants)
			((struct page_event *)page.events.v[b->v[i].what])->
			    undrawn++;
	}
}

/*
 * Draw the threads that were longest in spans or waits, or have most events, of
 * those that have cells.  Events are in the order of their numbers yet.
 */
static void
choose_tracks(void)
{
	struct page_track **busiest = (struct page_track **)map_sorted(
	    &page.tracks.map, by_time);
	size_t i, n = 0;

	for (i = 0; i < page.tracks.n; i++) {
		if (busiest[i]->cells == NULL || n++ < PAGE_TRACKS)
			continue;
		free(busiest[i]->cells);
		busiest[i]->cells = NULL;
	}
	free(busiest);
	keep_drawn(&page.bars);
	keep_drawn(&page.instants);
}

static void
put_tracks(void)
{
	const struct page_track *t;
	size_t i;

	json_array("tracks");
	for (i = 0; i < page.tracks.n && i < PAGE_LISTED; i++) {
		t = page.tracks.v[i];
		json_object(NULL);
		page_text("name", t->name);
		if (strcmp(t->thread, t->name) != 0)
			page_text("thread", t->thread);
		if (t->host != NULL)
			page_text("host", t->host);
		if (t->vpid != CTF_NOBODY)
			json_i64("pid", t->vpid);
		if (t->vtid != CTF_NOBODY)
			json_i64("tid", t->vtid);
		json_u64("events", t->n);
		json_u64("lost", t->lost);
		put_cells(t);
		json_end();
	}
	json_end();
	json_u64("ntracks", page.tracks.n);
}

/*
 * Add the longest bar of each slot, so that no thread is without some.  The
 * others are as long as the shortest that is kept.
 */
static void
add_pins(struct page_bars *b)
{
	const struct page_track *t;
	const struct page_bar *pin;
	const size_t pins = b->most / 2 < PAGE_PINS ? b->most / 2 : PAGE_PINS;
	size_t i, k, step, left = pins;

	if (b->all <= b->most)
		return;
	step = (page.tracks.n < PAGE_TRACKS ? page.tracks.n : PAGE_TRACKS) *
	    PAGE_HEAT / PAGE_PINS + 1;
	for (i = 0; i < page.tracks.n; i++) {
		t = page.tracks.v[i];
		for (k = 0; t->cells != NULL && k < PAGE_HEAT; k += step) {
			pin = &t->cells->longest[k];
			if (pin->took == 0 || pin->took >= b->least ||
			    left == 0)
				continue;
			b->v[b->n++] = *pin;
			left--;
		}
	}
	b->most += pins;
	page_bars_sort(b);
}

/* Keep what fits the page, if so many more come behind. */
static void
fit(struct page_bars *b, size_t behind)
{
	const size_t used = json_bytes + page_css_len + page_js_len +
	    behind * PAGE_BAR;
	const size_t most = used > PAGE_BYTES ? 0 : (PAGE_BYTES - used) /
	    PAGE_BAR;

	if (most < b->most)
		b->most = most > PAGE_LEAST ? most : PAGE_LEAST;
	page_bars_sort(b);
}

/* Numbers in turn: the time since the bar before, the length, and the rest. */
static void
put_bars(const char *name, const struct page_bars *b)
{
	const struct page_bar *bar;
	int64_t last = page.begin;
	size_t i;

	json_array(name);
	for (i = 0; i < b->n; i++) {
		bar = &b->v[i];
		json_i64(NULL, when_sum(bar->begin, -last));
		json_i64(NULL, bar->took);
		json_u64(NULL, bar->track);
		json_i64(NULL, bar->row);
		json_u64(NULL, bar->what);
		if (b == &page.lock_bars)
			json_u64(NULL, bar->by);
		last = bar->begin;
	}
	json_end();
}

/* The last of the page: they take the room that all else has left. */
void
page_put_bars(void)
{
	fit(&page.instants, 0);
	put_bars("instants", &page.instants);
	fit(&page.lock_bars, 0);
	if (page.has_locks) {
		put_bars("lock_bars", &page.lock_bars);
		json_u64("nlock_bars", page.lock_bars.all);
	}
	fit(&page.bars, PAGE_PINS);
	add_pins(&page.bars);
	put_bars("bars", &page.bars);
	json_u64("nbars", page.bars.all);
	json_u64("nkept", page.bars.n);
}

void
page_put(const struct reader *rd)
{
	char from[CTF_TIMELEN], to[CTF_TIMELEN];

	json_object(NULL);
	json_u64("events", rd->nevents);
	json_u64("discarded", rd->ndiscarded);
	json_u64("lost_packets", rd->nlost);
	json_bool("selected", rd->select != NULL);
	if (page.begin != INT64_MIN) {
		ctf_print_time(page.begin, from);
		ctf_print_time(page.end, to);
		json_ns("first", page.begin);
		page_text("from", from);
		page_text("to", to);
	} else
		begin_with_losses();
	page_put_ns("length", page.end);
	json_real("slot", (double)((uint64_t)1 << page.shift));
	json_u64("shown", PAGE_TRACKS);
	put_traces(rd);
	put_losses();
	page_bars_sort(&page.bars);
	page_bars_sort(&page.instants);
	choose_tracks();
	put_events();
	put_pairs();
	put_slowest();
	put_tracks();
}

void
page_free(void)
{
	struct page_track *t;
	struct page_pair *p;
	size_t i, k;

	for (i = 0; i < page.spans.n; i++) {
		p = page.spans.v[i];
		hist_free(&p->hist);
		for (k = 0; k < PAGE_ROWS; k++)
			free(p->heat[k]);
	}
	for (i = 0; i < page.tracks.n; i++) {
		t = page.tracks.v[i];
		free(t->host);
		free(t->cells);
		for (k = 0; k < t->room; k++)
			free(t->open[k].fields);
		free(t->open);
		free(t);
	}
	free(page.tracks.v);
	map_free(&page.tracks.map);
	map_free(&page.classes);
	page_list_free(&page.events);
	page_list_free(&page.spans);
	page_list_free(&page.names);
	free(page.bars.v);
	free(page.lock_bars.v);
	free(page.instants.v);
}
