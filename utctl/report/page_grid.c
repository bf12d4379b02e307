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
 * The grid of time, and what is counted on it: events and threads.  A slot is a
 * power of two of ns long: when time goes beyond the grid, slots become twice
 * as long, and two are added up.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../when.h"
#include "page.h"

struct page page;

size_t
page_slot(int64_t ns, size_t slots)
{
	const int64_t t = when_sum(ns, -page.begin);
	const size_t i = t <= 0 ? 0 : (size_t)((uint64_t)t >> page.shift);

	return (i < PAGE_SLOTS ? i : PAGE_SLOTS - 1) / (PAGE_SLOTS / slots);
}

static void
fold_longest(struct page_bar *b)
{
	size_t i;

	for (i = 0; i < PAGE_HEAT / 2; i++)
		b[i] = b[2 * i + (b[2 * i + 1].took > b[2 * i].took)];
	memset(b + PAGE_HEAT / 2, 0, PAGE_HEAT / 2 * sizeof(*b));
}

static void
fold_counts(uint32_t *v, size_t n)
{
	size_t i;

	for (i = 0; v != NULL && i < n; i++)
		v[i] = i >= n / 2 ? 0 : v[2 * i] + v[2 * i + 1];
}

static void
fold(void)
{
	struct page_track *t;
	size_t i, k;

	page.shift++;
	for (i = 0; i < page.events.n; i++)
		fold_counts(((struct page_event *)page.events.v[i])->slots,
		    PAGE_SLOTS);
	for (i = 0; i < page.tracks.n; i++)
		if ((t = page.tracks.v[i])->cells != NULL) {
			fold_counts(t->cells->n, PAGE_SLOTS);
			fold_longest(t->cells->longest);
		}
	for (i = 0; i < page.spans.n; i++)
		for (k = 0; k < PAGE_ROWS; k++)
			fold_counts(((struct page_pair *)page.spans.v[i])->
			    heat[k], PAGE_HEAT);
}

void
page_reach(int64_t ns)
{
	if (page.begin == INT64_MIN)
		page.begin = page.end = ns;
	if (ns <= page.end)
		return;
	page.end = ns;
	while ((uint64_t)when_sum(ns, -page.begin) >> page.shift >= PAGE_SLOTS)
		fold();
}

static void
shift_counts(uint32_t *v, size_t n, size_t by)
{
	if (v == NULL)
		return;
	memmove(v + by, v, (n - by) * sizeof(*v));
	memset(v, 0, by * sizeof(*v));
}

/* Make room for so many slots of a heat map at the beginning. */
static void
shift(size_t by)
{
	const size_t slots = by * (PAGE_SLOTS / PAGE_HEAT);
	struct page_track *t;
	size_t i, k;

	for (i = 0; i < page.events.n; i++)
		shift_counts(((struct page_event *)page.events.v[i])->slots,
		    PAGE_SLOTS, slots);
	for (i = 0; i < page.tracks.n; i++) {
		if ((t = page.tracks.v[i])->cells == NULL)
			continue;
		shift_counts(t->cells->n, PAGE_SLOTS, slots);
		memmove(t->cells->longest + by, t->cells->longest,
		    (PAGE_HEAT - by) * sizeof(t->cells->longest[0]));
		memset(t->cells->longest, 0,
		    by * sizeof(t->cells->longest[0]));
	}
	for (i = 0; i < page.spans.n; i++)
		for (k = 0; k < PAGE_ROWS; k++)
			shift_counts(((struct page_pair *)page.spans.v[i])->
			    heat[k], PAGE_HEAT, by);
}

void
page_reach_back(int64_t ns)
{
	uint64_t before, slot, by;

	while (ns < page.begin) {
		before = (uint64_t)page.begin - (uint64_t)ns;
		slot = (uint64_t)(PAGE_SLOTS / PAGE_HEAT) << page.shift;
		by = before / slot + (before % slot != 0);
		if (by < PAGE_HEAT && ((uint64_t)when_sum(page.end,
		    -page.begin) + by * slot) >> page.shift < PAGE_SLOTS) {
			if (when_sum(page.begin, -(int64_t)(by * slot)) <
			    -INT64_MAX / 2)
				return;
			shift((size_t)by);
			page.begin -= (int64_t)(by * slot);
		} else if (page.shift < 50)
			fold();
		else
			return;
	}
}

void
page_list_add(struct page_list *l, uint64_t key, void *value)
{
	l->v = xgrow(l->v, l->n, &l->room, sizeof(void *));
	l->v[l->n++] = value;
	map_put(&l->map, key, value);
}

/* Elements begin with their names: two with one hash would be the same one. */
void *
page_named(struct page_list *l, const char *name, size_t size,
    const char *rest)
{
	uint64_t key = map_bytes(0, name, strlen(name));
	char **p;

	while ((p = map_get(&l->map, key)) != NULL && strcmp(*p, name) != 0)
		key++;
	if (p != NULL)
		return p;
	if (rest != NULL && l->n >= PAGE_EVENTS)
		return page_named(l, rest, size, NULL);
	p = xcalloc(1, size);
	*p = format("%s", name);
	page_list_add(l, key, p);
	return p;
}

struct page_event *
page_event_of(const struct ctf_stream *s)
{
	struct page_event *e;

	if ((e = map_get(&page.classes, (uintptr_t)s->event)) != NULL)
		return e;
	e = page_named(&page.events, s->event->name, sizeof(*e),
	    "(other events)");
	if (e->n == 0)
		e->number = (uint32_t)page.events.n - 1;
	map_put(&page.classes, (uintptr_t)s->event, e);
	return e;
}

struct page_track *
page_track(uint64_t process, int64_t thread, const char *host, int64_t vpid)
{
	const uint64_t key = map_bytes(process, &thread, sizeof(thread));
	struct page_track *t = map_get(&page.tracks.map, key);

	if (t != NULL)
		return t;
	t = xcalloc(1, sizeof(*t));
	t->number = (uint32_t)page.tracks.n;
	t->process = process;
	t->host = host == NULL ? NULL : format("%s", host);
	t->vpid = vpid;
	t->vtid = thread;
	if (page.tracks.n < PAGE_LISTED)
		t->cells = xcalloc(1, sizeof(*t->cells));
	page_list_add(&page.tracks, key, t);
	return t;
}

struct page_track *
page_track_whose(const struct ctf_stream *s, const struct ctf_who *w)
{
	const int64_t vtid = ctf_who_id(w, ROLE_VTID);
	struct page_track *t = page_track(ctf_process(s->trace, w),
	    vtid == 0 ? pair_tid(s->trace, w) : vtid, s->trace->label,
	    ctf_who_id(w, ROLE_VPID));

	t->vtid = vtid;
	memcpy(t->name, w->name, sizeof(t->name));
	memcpy(t->thread, w->thread, sizeof(t->thread));
	return t;
}

struct page_track *
page_track_of(const struct ctf_stream *s)
{
	struct ctf_who buf;

	if (page.stream == s && page.pkt == s->pkt && !s->class->eventwho)
		return page.track;
	page.track = page_track_whose(s, ctf_whose(s, &buf));
	page.stream = s;
	page.pkt = s->pkt;
	return page.track;
}

/*
 * Bars.
 */

static int
by_length(const void *a, const void *b)
{
	const struct page_bar *x = a, *y = b;

	if (x->took != y->took)
		return x->took < y->took ? 1 : -1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int
by_begin(const void *a, const void *b)
{
	const struct page_bar *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->took < y->took) - (x->took > y->took);
}

static void
bars_cut(struct page_bars *b)
{
	if (b->n <= b->most)
		return;
	qsort(b->v, b->n, sizeof(*b->v), by_length);
	b->n = b->most;
	b->cut = 1;
	b->least = b->v[b->n - 1].took;
}

void
page_bar(struct page_bars *b, const struct page_bar *bar)
{
	b->all++;
	if (b->cut && bar->took <= b->least)
		return;
	if (b->v == NULL)
		b->v = xcalloc(2 * b->most, sizeof(*b->v));
	b->v[b->n++] = *bar;
	if (b->n == 2 * b->most)
		bars_cut(b);
}

void
page_bars_sort(struct page_bars *b)
{
	bars_cut(b);
	if (b->n > 1)
		qsort(b->v, b->n, sizeof(*b->v), by_begin);
}
