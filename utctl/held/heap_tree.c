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
 * The callers of a heap, as the events tell them, or by whole call stacks.
 * Functions that allocate for others are no callers then: the row is that of
 * the first function outside of them, as sites_outside() finds it.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../show/compare.h"
#include "../show/show.h"
#include "heap.h"

/* The frame of a caller that is a site; NULL: it is none. */
static const struct frame *
frame_of(const struct heap *h, uint32_t caller)
{
	const struct site *site;

	if ((caller & HEAP_SITE) == 0)
		return NULL;
	site = h->sites.v[caller & ~HEAP_SITE];
	return site->frames[site->outside];
}

const char *
heap_caller_text(const struct heap *h, uint32_t caller, char *buf)
{
	const struct frame *f = frame_of(h, caller);

	return f != NULL ? frame_text(f, buf) :
	    callers_text(&h->process.callers, caller, buf);
}

void
heap_caller_json(const struct heap *h, uint32_t caller)
{
	const struct frame *f = frame_of(h, caller);

	if (f != NULL)
		frame_json(f);
	else
		callers_json(&h->process.callers, caller);
}

/*
 * Rows.
 */

static int
by_bytes(const void *a, const void *b)
{
	const struct heap_use *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->blocks != y->blocks)
		return x->blocks < y->blocks ? 1 : -1;
	if (x->allocated != y->allocated)
		return x->allocated < y->allocated ? 1 : -1;
	return (x->caller > y->caller) - (x->caller < y->caller);
}

static void
add_use(struct heap_use *sum, const struct heap_use *u)
{
	sum->blocks += u->blocks;
	sum->bytes += u->bytes;
	if (u->largest > sum->largest)
		sum->largest = u->largest;
	sum->calls += u->calls;
	sum->allocated += u->allocated;
	sum->unknown += u->unknown;
	sum->temporary += u->temporary;
	sum->peak += u->peak;
	sum->error.bytes += u->error.bytes;
	sum->error.blocks += u->error.blocks;
	sum->error.allocated += u->error.allocated;
}

/* The rows of sites that have the same caller are one. */
static size_t
merge_sites(const struct heap *h, struct heap_use *rows, size_t n)
{
	const struct frame *f;
	struct heap_use *row;
	struct map map;
	uint64_t key[3], k;
	size_t i;

	memset(&map, 0, sizeof(map));
	for (i = 0; i < h->sites.n && i < h->by_site.n; i++) {
		f = frame_of(h, (uint32_t)i | HEAP_SITE);
		key[0] = frame_function(f);
		key[1] = (uintptr_t)f->file;
		key[2] = f->line;
		k = map_bytes(0, key, sizeof(key));
		if ((row = map_get(&map, k)) == NULL) {
			row = &rows[n++];
			memset(row, 0, sizeof(*row));
			row->caller = (uint32_t)i | HEAP_SITE;
			map_put(&map, k, row);
		}
		add_use(row, &h->by_site.v[i]);
	}
	map_free(&map);
	return n;
}

static void
uses_peak(const struct heap *h, struct heap_uses *us)
{
	size_t i;

	for (i = 0; i < us->n; i++)
		heap_use_peak(h, &us->v[i]);
}

size_t
heap_rows(struct heap *h, struct heap_use **list)
{
	struct heap_use *rows;
	size_t i, all, n = 0;

	sites_outside(&h->sites);
	uses_peak(h, &h->callers);
	uses_peak(h, &h->by_site);
	rows = xcalloc(h->callers.n + h->by_site.n + 1, sizeof(*rows));
	if (h->callers.n > 0)
		memcpy(rows, h->callers.v, h->callers.n * sizeof(*rows));
	all = merge_sites(h, rows, h->callers.n);
	for (i = 0; i < all; i++)
		if (rows[i].blocks > 0 || ((h->run->all || json_on) &&
		    (rows[i].calls > 0 || rows[i].unknown > 0)))
			rows[n++] = rows[i];
	if (n > 1)
		qsort(rows, n, sizeof(*rows), by_bytes);
	*list = rows;
	return n;
}

/*
 * Runs of -C.
 */

/* A function: in another program, calls are at other distances from it. */
static char *
caller_key(const struct caller *c)
{
	const char *name = c->name == NULL ? "" : c->name;
	const char *at = strstr(name, "+0x"), *module = strstr(name, " (");

	return c->name == NULL ? format("0x%" PRIx64, c->address) :
	    at == NULL || module == NULL ? format("%s", name) :
	    format("%.*s%s", (int)(at - name), name, module);
}

/* The bytes of a block, or those that a sample stands for, are one part. */
static void
add_sums(struct groups *g, char *key, const struct heap_use *u)
{
	struct group *row = groups_row(g, key, strlen(key) + 1);
	const double all = (double)u->allocated, n = (double)u->calls;
	const double part = fmax(1, fmax(all, u->error.allocated /
	    fmax(1, all) * n) / n);

	compare_sum(row, SUM_LIVE, (double)u->bytes, (double)u->bytes / part);
	compare_sum(row, SUM_ALLOCATED, all, all / part);
	compare_sum(row, SUM_PEAK, (double)u->peak, (double)u->peak / part);
	compare_sum(row, SUM_CALLS, n, all == 0 ? n : all / part);
	free(key);
}

void
heap_compare(struct heap *h, struct groups *g)
{
	const struct site *site;
	size_t i;

	sites_outside(&h->sites);
	uses_peak(h, &h->callers);
	uses_peak(h, &h->by_site);
	for (i = 0; i < h->callers.n; i++)
		if (h->callers.v[i].calls > 0)
			add_sums(g, caller_key(h->process.callers.v[i]),
			    &h->callers.v[i]);
	for (i = 0; i < h->by_site.n && i < h->sites.n; i++) {
		site = h->sites.v[i];
		if (h->by_site.v[i].calls > 0)
			add_sums(g, h->run->graphs ? site_text(site,
			    site->outside) : format("%s",
			    site->frames[site->outside]->text),
			    &h->by_site.v[i]);
	}
}

/*
 * Stacks.
 */

/*
 * Squares of errors are summed up in parts of that of a small block, which is
 * the square of the bytes of one sample: so there is room for 2^48 of these.
 */
#define PARTS		65536.0
#define PARTS_MOST	(UINT64_C(1) << 60)

static double
part_of(const struct heap *h)
{
	return (double)h->every * (double)h->every / PARTS;
}

static uint64_t
error_parts(const struct heap *h, double square)
{
	const double n = square / part_of(h) + 0.5;

	return n >= (double)PARTS_MOST ? PARTS_MOST : n > 0 ? (uint64_t)n : 0;
}

static void
print_line(const void *arg, const struct tree *t, int indent)
{
	const struct heap *h = arg;
	char text[FRAME_TEXT];

	if (h->every != 0) {
		printf("%14" PRIu64 " %12" PRIu64 " %10" PRIu64 " %14" PRIu64
		    " %42s %*s%s\n", t->values[0], heap_margin(part_of(h) *
		    (double)t->values[3]), t->values[1], t->values[2], "",
		    indent + 2, "", frame_text(t->frame, text));
		return;
	}
	printf("%14" PRIu64 " %10" PRIu64 " %14" PRIu64 " %10" PRIu64
	    " %42s %*s%s\n", t->values[0], t->values[1], t->values[2],
	    t->values[3], "", indent + 2, "", frame_text(t->frame, text));
}

static void
json_site(const struct heap *h, const struct heap_use *u,
    const struct site *site)
{
	json_object(NULL);
	json_u64("bytes", u->bytes);
	if (h->every != 0)
		json_u64("bytes_error", heap_margin(u->error.bytes));
	json_u64("blocks", u->blocks);
	json_u64("peak", u->peak);
	if (h->every == 0)
		json_u64("temporary", u->temporary);
	json_u64("calls", u->calls);
	json_u64("allocated", u->allocated);
	site_json(site);
	json_end();
}

void
heap_put_stacks(struct heap *h, const struct heap_use *row)
{
	const struct frame *f = frame_of(h, row->caller);
	struct tree root = { .child = NULL };
	const struct heap_use *u;
	const struct site *site;
	uint64_t values[TREE_VALUES];
	size_t i;

	json_array("stacks");
	for (i = 0; f != NULL && i < h->by_site.n && i < h->sites.n; i++) {
		site = h->sites.v[i];
		u = &h->by_site.v[i];
		if (!frame_is(site->frames[site->outside], f) || u->calls == 0)
			continue;
		values[0] = u->bytes;
		values[1] = u->blocks;
		values[2] = u->peak;
		values[3] = h->every == 0 ? u->temporary :
		    error_parts(h, u->error.bytes);
		if (json_on)
			json_site(h, u, site);
		else
			tree_add(&root, site, site->outside + 1, values);
	}
	json_end();
	tree_sort(&root);
	tree_print(&root, print_line, h);
	tree_free(&root);
}
