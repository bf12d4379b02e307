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
 * utctl heap: what it prints.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../say.h"
#include "heap.h"

#define NS	1e9

static double
seconds(const struct heap_run *r, int64_t ns)
{
	return ((double)ns - (double)r->processes.begin) / NS;
}

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

/* Sort the callers, those that are shown first; their number. */
static size_t
sort_uses(const struct heap_run *r, struct heap *h)
{
	size_t i, n = 0;

	for (i = 0; i < h->nuses; i++)
		if (h->uses[i].blocks > 0 || ((r->all || r->json) &&
		    (h->uses[i].calls > 0 || h->uses[i].unknown > 0)))
			h->uses[n++] = h->uses[i];
	if (n > 1)
		qsort(h->uses, n, sizeof(*h->uses), by_bytes);
	return n;
}

static int
by_live(const void *a, const void *b)
{
	const struct heap *x = *(struct heap *const *)a;
	const struct heap *y = *(struct heap *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->allocated != y->allocated)
		return x->allocated < y->allocated ? 1 : -1;
	return (x->process.vpid > y->process.vpid) -
	    (x->process.vpid < y->process.vpid);
}

/* The processes with events, those with the most live bytes first. */
static struct heap **
sort_heaps(const struct heap_run *r, size_t *n)
{
	struct process *p;
	struct heap **all, *h;
	size_t most = 1;

	for (p = r->processes.first; p != NULL; p = p->next)
		most++;
	if ((all = calloc(most, sizeof(*all))) == NULL)
		die_errno("malloc");
	*n = 0;
	for (p = r->processes.first; p != NULL; p = p->next) {
		h = (struct heap *)p;
		if (h->calls + h->failed + h->unknown + h->twice +
		    h->unsure_twice > 0)
			all[(*n)++] = h;
	}
	if (*n > 1)
		qsort(all, *n, sizeof(struct heap *), by_live);
	return all;
}

/*
 * Text.
 */

static void
print_uses(const struct heap_run *r, struct heap *h)
{
	const size_t n = sort_uses(r, h);
	char text[CALLER_TEXT];
	const struct heap_use *u;

	if (n == 0)
		return;
	printf("%14s %10s %12s %12s %16s%s  caller\n", "bytes", "blocks",
	    "largest", "calls", "allocated", r->all ? "    not here" : "");
	for (u = h->uses; u < h->uses + n; u++) {
		printf("%14" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64
		    " %16" PRIu64, u->bytes, u->blocks, u->largest, u->calls,
		    u->allocated);
		if (r->all)
			printf("%12" PRIu64, u->unknown);
		printf("  %s\n", callers_text(&h->process.callers, u->caller,
		    text));
	}
}

static void
print_blocks(const char *before, uint64_t bytes, uint64_t blocks,
    const char *what)
{
	printf("%s%" PRIu64 " byte%s in %" PRIu64 " block%s %s", before, bytes,
	    many(bytes), blocks, many(blocks), what);
}

static void
print_heap(const struct heap_run *r, struct heap *h)
{
	char when[CTF_TIMELEN];

	putchar('\n');
	process_print(&h->process);
	print_blocks(": ", h->bytes, h->nblocks, "live at the end\n");
	if (h->unsure_blocks > 0)
		print_blocks("  of them ", h->unsure_bytes, h->unsure_blocks,
		    "may have been freed: events were lost since\n");
	print_blocks("  ", h->allocated, h->calls, "allocated");
	printf(", %" PRIu64 " block%s freed\n", h->frees, many(h->frees));
	if (h->peak > 0) {
		ctf_print_time(h->peak_ns, when);
		printf("  %" PRIu64 " byte%s live at most, from %s on "
		    "(%+.6f s)\n", h->peak, many(h->peak), when,
		    seconds(r, h->peak_ns));
	}
	if (h->failed > 0)
		printf("  %" PRIu64 " call%s returned no memory\n", h->failed,
		    many(h->failed));
	if (h->twice > 0)
		printf("  %" PRIu64 " freed twice\n", h->twice);
	if (h->unsure_twice > 0)
		printf("  %" PRIu64 " perhaps freed twice: events were lost "
		    "meanwhile\n", h->unsure_twice);
	if (h->unknown > 0)
		printf("  %" PRIu64 " freed, but not allocated here\n",
		    h->unknown);
	if (h->unseen > 0)
		printf("  %" PRIu64 " freed unseen: the memory was allocated "
		    "again\n", h->unseen);
	print_uses(r, h);
}

/* Whose block it was, and when. */
static void
print_place(const struct heap *h, int64_t ns, int32_t thread, uint32_t caller)
{
	char when[CTF_TIMELEN], text[CALLER_TEXT];
	char *name = process_text(&h->process);

	ctf_print_time(ns, when);
	printf("  %-29s  %s[%" PRId64 ":%" PRId32 "]  %s", when, name,
	    h->process.vpid, thread,
	    callers_text(&h->process.callers, caller, text));
	free(name);
}

static void
print_top(const char *title, const struct top *t)
{
	const struct heap_note *notes = t->list, *n;

	if (t->n == 0)
		return;
	printf("\n%s:\n%14s  %-29s  program[pid:tid]  caller\n", title,
	    "bytes", "allocated");
	for (n = notes; n < notes + t->n; n++) {
		printf("%14" PRIu64, n->block.size);
		print_place(n->heap, n->block.ns, n->block.thread,
		    n->block.caller);
		puts(n->unsure ? ", as far as is known" : "");
	}
}

static void
print_twice(const struct heap_run *r)
{
	const struct heap_note *n;

	if (r->ntwice == 0)
		return;
	printf("\nfreed twice:\n%18s  %-29s  program[pid:tid]  caller\n",
	    "block", "freed");
	for (n = r->twice; n < r->twice + r->ntwice; n++) {
		printf("0x%016" PRIx64, n->block.address);
		print_place(n->heap, n->block.ns, n->block.thread,
		    n->block.caller);
		printf("\n%18s", "again");
		print_place(n->heap, n->ns, n->thread, n->caller);
		putchar('\n');
	}
}

static void
print_text(const struct heap_run *r, const struct reader *rd)
{
	char begin[CTF_TIMELEN], end[CTF_TIMELEN];
	struct heap **all;
	size_t i, n;

	reader_totals(rd);
	if (r->processes.n == 0)
		return;
	ctf_print_time(r->processes.begin, begin);
	ctf_print_time(r->processes.end, end);
	printf("from %s to %s: %.9f s\n", begin, end,
	    seconds(r, r->processes.end));
	all = sort_heaps(r, &n);
	for (i = 0; i < n; i++)
		print_heap(r, all[i]);
	free(all);
	print_top("the largest blocks that are live", &r->top_live);
	print_top("the largest blocks of all", &r->top_ever);
	print_twice(r);
}

/*
 * JSON.
 */

static void
json_uses(const struct heap_run *r, struct heap *h)
{
	const size_t n = sort_uses(r, h);
	const struct heap_use *u;
	size_t i;

	printf(",\"callers\":[");
	for (i = 0; i < n; i++) {
		u = &h->uses[i];
		printf("%s{", i == 0 ? "" : ",");
		callers_json(&h->process.callers, u->caller);
		printf(",\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64
		    ",\"largest\":%" PRIu64 ",\"calls\":%" PRIu64
		    ",\"allocated\":%" PRIu64 ",\"unknown\":%" PRIu64 "}",
		    u->bytes, u->blocks, u->largest, u->calls, u->allocated,
		    u->unknown);
	}
	putchar(']');
}

static void
json_heap(const struct heap_run *r, struct heap *h)
{
	putchar('{');
	process_json(&h->process);
	printf(",\"bytes\":%" PRIu64 ",\"blocks\":%" PRIu64 ",\"allocated\":%"
	    PRIu64 ",\"allocations\":%" PRIu64 ",\"frees\":%" PRIu64
	    ",\"failed\":%" PRIu64 ",\"twice\":%" PRIu64 ",\"unknown\":%"
	    PRIu64 ",\"unseen\":%" PRIu64 ",\"peak\":%" PRIu64, h->bytes,
	    h->nblocks, h->allocated, h->calls, h->frees, h->failed, h->twice,
	    h->unknown, h->unseen, h->peak);
	printf(",\"unsure_bytes\":%" PRIu64 ",\"unsure_blocks\":%" PRIu64
	    ",\"unsure_twice\":%" PRIu64, h->unsure_bytes,
	    h->unsure_blocks, h->unsure_twice);
	if (h->peak > 0)
		printf(",\"peak_ns\":\"%" PRId64 "\"", h->peak_ns);
	json_uses(r, h);
	putchar('}');
}

static void
json_place(const struct heap *h, int64_t ns, int32_t thread, uint32_t caller)
{
	printf("\"ns\":\"%" PRId64 "\",", ns);
	process_json(&h->process);
	printf(",\"vtid\":%" PRId32 ",", thread);
	callers_json(&h->process.callers, caller);
}

/* Of live blocks, are they? */
static void
json_top(const char *name, const struct top *t, int live)
{
	const struct heap_note *notes = t->list, *n;

	printf(",\"%s\":[", name);
	for (n = notes; n < notes + t->n; n++) {
		printf("%s{\"bytes\":%" PRIu64 ",", n == notes ? "" : ",",
		    n->block.size);
		json_place(n->heap, n->block.ns, n->block.thread,
		    n->block.caller);
		if (live)
			printf(",\"unsure\":%s", n->unsure ? "true" :
			    "false");
		putchar('}');
	}
	putchar(']');
}

static void
json_twice(const struct heap_run *r)
{
	const struct heap_note *n;

	printf(",\"freed_twice\":[");
	for (n = r->twice; n < r->twice + r->ntwice; n++) {
		printf("%s{\"ptr\":", n == r->twice ? "" : ",");
		json_address(n->block.address);
		printf(",\"first\":{");
		json_place(n->heap, n->block.ns, n->block.thread,
		    n->block.caller);
		printf("},\"again\":{");
		json_place(n->heap, n->ns, n->thread, n->caller);
		printf("}}");
	}
	putchar(']');
}

static void
print_json(const struct heap_run *r, const struct reader *rd)
{
	struct heap **all;
	size_t i, n;

	reader_totals_json(rd, r->processes.begin, r->processes.end);
	printf(",\"processes\":[");
	all = sort_heaps(r, &n);
	for (i = 0; i < n; i++) {
		printf(i == 0 ? "" : ",");
		json_heap(r, all[i]);
	}
	free(all);
	putchar(']');
	json_top("largest_live", &r->top_live, 1);
	json_top("largest", &r->top_ever, 0);
	json_twice(r);
	printf("}\n");
}

void
heap_print(const struct heap_run *r, const struct reader *rd)
{
	if (r->json)
		print_json(r, rd);
	else
		print_text(r, rd);
}
