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
 * The meaning of each event of the allocator for the heap of its process.
 *
 * The events of all threads come in the order of their times.  A free is
 * recorded before it happens, and all other calls when they return: so a thread
 * that gets the memory which another one has freed always comes second.  Only
 * realloc, which frees and allocates, is one event: the memory that it frees
 * may be another thread's before that event comes.  Therefore a block that is
 * allocated while it is live is remembered: if the next event of another thread
 * is a realloc that frees this address, it has freed the earlier block.  If
 * there is none, the earlier block was freed by a call that was not recorded.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../map.h"
#include "../say.h"
#include "heap.h"

enum { ALLOC, REALLOC, FREE, UNSEEN };
enum { CALLER, PTR, SIZE, OLD, COUNT, RESULT, EVERY };
enum { PATH };			/* fields of UNSEEN */

#define LEAST	64		/* entries */
#define KEEP	4096		/* up to so many, nothing is dropped */
#define COMMON	[CALLER] = "caller", [PTR] = "ptr"
#define LTTNG	[CALLER] = "$ip", [PTR] = "ptr", [SIZE] = "size"

const struct call_kind heap_calls[] = {
	{ "libc:malloc", ALLOC, { COMMON, [SIZE] = "size" } },
	{ "libc:calloc", ALLOC, { COMMON, [SIZE] = "size",
	    [COUNT] = "count" } },
	{ "libc:realloc", REALLOC, { COMMON, [SIZE] = "size",
	    [OLD] = "old" } },
	{ "libc:reallocarray", REALLOC, { COMMON, [SIZE] = "size",
	    [OLD] = "old", [COUNT] = "count" } },
	{ "libc:free", FREE, { COMMON } },
	{ "libc:posix_memalign", ALLOC, { COMMON, [SIZE] = "size",
	    [RESULT] = "result" } },
	{ "libc:aligned_alloc", ALLOC, { COMMON, [SIZE] = "size" } },
	{ "libc:memalign", ALLOC, { COMMON, [SIZE] = "size" } },
	{ "libc:valloc", ALLOC, { COMMON, [SIZE] = "size" } },
	{ "libc:pvalloc", ALLOC, { COMMON, [SIZE] = "size" } },
	{ "libc:malloc_sample", ALLOC, { COMMON, [SIZE] = "size",
	    [EVERY] = "every" } },
	{ "libc:free_sample", FREE, { COMMON } },
	{ "libc:unseen", UNSEEN, { [PATH] = "path" } },
	{ "lttng_ust_libc:malloc", ALLOC, { LTTNG } },
	{ "lttng_ust_libc:calloc", ALLOC, { LTTNG, [COUNT] = "nmemb" } },
	{ "lttng_ust_libc:realloc", REALLOC, { LTTNG, [OLD] = "in_ptr" } },
	{ "lttng_ust_libc:free", FREE, { LTTNG } },
	{ "lttng_ust_libc:memalign", ALLOC, { LTTNG } },
	{ "lttng_ust_libc:posix_memalign", ALLOC, { [CALLER] = "$ip",
	    [PTR] = "out_ptr", [SIZE] = "size", [RESULT] = "result" } },
	{ NULL, 0, { NULL } }
};

/*
 * Blocks by their addresses.  A block that was freed stays in the table, to
 * tell who freed it first if it is freed again.  When the table is full, all
 * freed blocks are dropped: so it grows only with the number of live blocks.
 */

static struct block *
block_place(const struct blocks *bs, uint64_t address)
{
	size_t i = map_hash(address) & (bs->cap - 1);

	while (bs->v[i].address != 0 && bs->v[i].address != address)
		i = (i + 1) & (bs->cap - 1);
	return &bs->v[i];
}

static struct block *
blocks_find(const struct blocks *bs, uint64_t address)
{
	struct block *b;

	if (bs->cap == 0)
		return NULL;
	b = block_place(bs, address);
	return b->address == 0 ? NULL : b;
}

static void
blocks_grow(struct blocks *bs)
{
	const struct blocks old = *bs;
	const struct block *b;
	size_t i;
	int drop = 0;

	if (old.cap == 0)
		bs->cap = LEAST;
	else if (old.cap < KEEP || 2 * old.live >= old.cap)
		bs->cap = 2 * old.cap;
	else
		drop = 1;
	bs->v = xcalloc(bs->cap, sizeof(*bs->v));
	bs->used = 0;
	for (i = 0; i < old.cap; i++) {
		b = &old.v[i];
		if (b->address != 0 && !(drop && b->size == BLOCK_FREED)) {
			*block_place(bs, b->address) = *b;
			bs->used++;
		}
	}
	free(old.v);
}

static struct block *
blocks_get(struct blocks *bs, uint64_t address)
{
	struct block *b = blocks_find(bs, address);

	if (b != NULL)
		return b;
	if (4 * bs->used >= 3 * bs->cap)
		blocks_grow(bs);
	b = block_place(bs, address);
	b->address = address;
	b->size = BLOCK_FREED;
	bs->used++;
	return b;
}

static void
blocks_free(struct blocks *bs)
{
	free(bs->v);
	bs->v = NULL;
	bs->cap = bs->used = bs->live = 0;
}

/*
 * Events.
 */

static int32_t
thread_of(const struct ctf_stream *s)
{
	struct ctf_who buf;

	return (int32_t)ctf_who_id(ctf_whose(s, &buf), ROLE_VTID);
}

static struct heap_use *
use_of(struct heap *h, uint32_t caller)
{
	struct heap_uses *us = caller & HEAP_SITE ? &h->by_site : &h->callers;
	const size_t i = caller & ~HEAP_SITE;

	us->v = xgrow(us->v, i, &us->n, sizeof(*us->v));
	us->v[i].caller = caller;
	return &us->v[i];
}

/* The caller, with the whole stack if that is known. */
static uint32_t
caller_of(struct heap *h, const struct ctf_stream *s)
{
	const struct site *site = site_get(&h->sites, s, h->process.serial);

	return site != NULL ? site->number | HEAP_SITE :
	    process_caller(&h->process, s, CALLER);
}

/* Note the bytes of the last peak: as now, if nothing has changed since. */
void
heap_use_peak(const struct heap *h, struct heap_use *u)
{
	if (u->peaks != h->peaks) {
		u->peaks = h->peaks;
		u->peak = u->bytes;
	}
}

#define MIX	UINT64_C(11400714819323198485)	/* 2^64 / golden ratio */

/* A block stands for so many. */
struct share {
	uint64_t	 bytes, blocks;
	double		 bytes_error, blocks_error;	/* squares */
};

/*
 * A block that was recorded with a probability stands for 1 / probability of
 * its kind (D. G. Horvitz and D. J. Thompson, 1952).  Blocks are whole ones: of
 * a fraction, one more or none, by chance, but each time the same.
 */
static struct share
share_of(const struct heap *h, const struct block *b)
{
	struct share one = { b->size, 1, 0, 0 };
	double left, taken, chance;

	if (h->every == 0 || b->size == 0 || b->size > UINT32_MAX * 64ULL)
		return one;
	left = exp(-(double)b->size / (double)h->every);
	taken = -expm1(-(double)b->size / (double)h->every);
	chance = (double)((b->address ^ (uint64_t)b->ns) * MIX >> 32) /
	    ((double)UINT32_MAX + 1);
	one.bytes = (uint64_t)((double)b->size / taken + 0.5);
	one.blocks = (uint64_t)(1 / taken + chance);
	one.blocks_error = left / (taken * taken);
	one.bytes_error = (double)b->size * (double)b->size * one.blocks_error;
	return one;
}

/* No block is left: then neither is what rounding has left. */
static void
error_less(struct heap_error *e, const struct share *s, uint64_t blocks)
{
	e->bytes = blocks == 0 ? 0 : e->bytes - s->bytes_error;
	e->blocks = blocks == 0 ? 0 : e->blocks - s->blocks_error;
}

static void
error_more(struct heap_error *e, const struct share *s)
{
	e->bytes += s->bytes_error;
	e->blocks += s->blocks_error;
	e->allocated += s->bytes_error;
}

/* The block is free: it has stood for so many. */
static uint64_t
forget(struct heap *h, struct block *b)
{
	struct heap_use *u = use_of(h, b->caller);
	const struct share s = share_of(h, b);

	heap_use_peak(h, u);
	u->blocks -= s.blocks;
	u->bytes -= s.bytes;
	error_less(&u->error, &s, u->blocks);
	h->nblocks -= s.blocks;
	h->bytes -= s.bytes;
	error_less(&h->error, &s, h->nblocks);
	h->blocks.live--;
	b->size = BLOCK_FREED;
	return s.blocks;
}

static struct heap_thread *
last_of(struct heap *h, int32_t thread)
{
	struct heap_thread *last = map_get(&h->threads, (uint32_t)thread);

	if (last != NULL)
		return last;
	last = xcalloc(1, sizeof(*last));
	map_put(&h->threads, (uint32_t)thread, last);
	return last;
}

static void
remember_again(const struct heap_run *r, struct heap *h, uint64_t address)
{
	struct heap_again *a = &h->again[h->nagain++ % HEAP_AGAIN];

	a->address = address;
	a->n = r->processes.n;
	h->unseen++;
}

/*
 * Did the thread's realloc, which is over only now, free it before the last
 * allocation there?  A thread that had an event since had not begun it then.
 */
static int
was_again(struct heap *h, uint64_t address)
{
	const uint64_t last = h->thread->n;
	struct heap_again *a;

	for (a = h->again; a < h->again + HEAP_AGAIN; a++)
		if (a->address == address && a->n > last) {
			a->address = 0;
			h->unseen--;
			h->frees++;
			return 1;
		}
	return 0;
}

static struct heap_note *
note_largest(struct top *t, const struct heap *h, const struct block *b)
{
	const int64_t rank = b->size > INT64_MAX ? INT64_MAX :
	    (int64_t)b->size;
	struct heap_note *note;

	if ((note = top_add(t, rank)) == NULL)
		return NULL;
	note->heap = h;
	note->block = *b;
	note->unsure = 0;
	return note;
}

/* The bytes that were asked for; no block has as many as BLOCK_FREED. */
static uint64_t
size_of(const struct call *c, const struct ctf_stream *s)
{
	uint64_t count, size;

	if (!call_field(c, SIZE, s, &size))
		return 0;
	if (call_field(c, COUNT, s, &count))
		size = count != 0 && size > UINT64_MAX / count ? UINT64_MAX :
		    count * size;
	return size < BLOCK_FREED ? size : BLOCK_FREED - 1;
}

/*
 * The first allocation says whether there are samples: a process has either
 * these or calls.
 */
static void
note_every(struct heap *h, const struct ctf_stream *s)
{
	uint64_t every;

	if (h->calls == 0 && call_field(s->event->call, EVERY, s, &every) &&
	    every <= UINT32_MAX)
		h->every = every;
}

static void
allocate(struct heap_run *r, struct heap *h, const struct ctf_stream *s,
    uint64_t address)
{
	struct heap_use *u;
	struct share share;
	struct block *b = blocks_get(&h->blocks, address);

	note_every(h, s);
	if (b->size != BLOCK_FREED) {
		remember_again(r, h, address);
		(void)forget(h, b);
	}
	b->size = size_of(s->event->call, s);
	b->ns = s->ns;
	b->caller = caller_of(h, s);
	b->thread = thread_of(s);
	h->blocks.live++;
	share = share_of(h, b);
	u = use_of(h, b->caller);
	heap_use_peak(h, u);
	u->blocks += share.blocks;
	u->bytes += share.bytes;
	u->calls += share.blocks;
	u->allocated += share.bytes;
	error_more(&u->error, &share);
	h->nblocks += share.blocks;
	h->bytes += share.bytes;
	h->calls += share.blocks;
	h->allocated += share.bytes;
	error_more(&h->error, &share);
	if (h->bytes > h->peak) {
		h->peak = h->bytes;
		h->peak_error = h->error.bytes;
		h->peak_ns = s->ns;
		h->peaks++;
	}
	h->thread->address = address;
	(void)note_largest(&r->top_ever, h, b);
}

/* A call that was lost may have allocated the block again. */
static void
freed_twice(struct heap_run *r, struct heap *h, const struct ctf_stream *s,
    const struct block *b, uint32_t caller)
{
	struct heap_note *note;

	if (origin_unsure(h->process.origin, b->ns)) {
		h->unsure_twice++;
		return;
	}
	h->twice++;
	if (r->ntwice == HEAP_TOP)
		return;
	note = &r->twice[r->ntwice++];
	note->heap = h;
	note->block = *b;
	note->ns = s->ns;
	note->caller = caller;
	note->thread = thread_of(s);
}

static void
block_release(struct heap_run *r, struct heap *h, const struct ctf_stream *s,
    uint64_t address)
{
	const uint32_t caller = caller_of(h, s);
	struct block *b = blocks_find(&h->blocks, address);

	if (b == NULL) {
		h->unknown++;
		use_of(h, caller)->unknown++;
		return;
	}
	if (b->size == BLOCK_FREED)
		freed_twice(r, h, s, b, caller);
	else {
		if (h->last == address && h->every == 0) {
			h->temporary++;
			use_of(h, b->caller)->temporary++;
		}
		h->frees += forget(h, b);
	}
	b->ns = s->ns;
	b->caller = caller;
	b->thread = thread_of(s);
}

/* A call with a size of 0 may free, and return NULL. */
static void
reallocate(struct heap_run *r, struct heap *h, const struct ctf_stream *s,
    uint64_t address)
{
	const struct call *c = s->event->call;
	uint64_t old;

	if (!call_field(c, OLD, s, &old))
		old = 0;
	if (address == 0 && (old == 0 || size_of(c, s) != 0)) {
		h->failed++;
		return;
	}
	if (old != 0 && !was_again(h, old))
		block_release(r, h, s, old);
	if (address != 0)
		allocate(r, h, s, address);
}

/* Note the first few modules whose calls were not seen. */
static void
note_unseen(struct heap_run *r, const struct ctf_stream *s)
{
	const struct ctf_field_at *at = &s->event->call->at[PATH];
	char path[4096];
	size_t i;

	if (at->type == NULL)
		return;
	path[ctf_field_text(at, s, path, sizeof(path) - 1)] = '\0';
	for (i = 0; i < r->npaths && strcmp(r->paths[i], path) != 0; i++)
		;
	if (i == HEAP_TOP || i < r->npaths)
		return;
	r->paths[r->npaths++] = format("%s", path);
}

void
heap_call(struct processes *ps, struct ctf_stream *s)
{
	struct heap_run *r = (struct heap_run *)ps;
	const struct call *c = s->event->call;
	uint64_t address, result;
	struct heap *h;

	if (c->kind->what == UNSEEN)
		note_unseen(r, s);
	if (c->kind->what == UNSEEN || !call_field(c, PTR, s, &address) ||
	    processes_again(ps, s))
		return;
	h = (struct heap *)processes_get(ps, s);
	h->run = r;
	h->sites.functions = r->functions;
	h->thread = last_of(h, thread_of(s));
	h->last = h->thread->address;
	h->thread->address = 0;
	ps->n++;
	if (c->kind->what == REALLOC)
		reallocate(r, h, s, address);
	else if (c->kind->what == FREE) {
		if (address != 0)
			block_release(r, h, s, address);
	} else if (address == 0 ||
	    (call_field(c, RESULT, s, &result) && result != 0))
		h->failed++;
	else
		allocate(r, h, s, address);
	h->thread->n = r->processes.n;
	if (r->intervals.length > 0)
		heap_note_span(r, h, s->ns);
}

static int
by_size(const void *a, const void *b)
{
	const struct heap_note *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return (x->block.ns > y->block.ns) - (x->block.ns < y->block.ns);
}

/*
 * Note, of blocks of one size, those that were allocated first: the order in
 * which they come here is a matter of chance.
 */
static void
note_live(struct heap_run *r, const struct heap *h, const struct block *b)
{
	struct heap_note *last;

	if (r->top_live.n == r->top_live.most) {
		last = &r->live[r->top_live.n - 1];
		if (b->size < last->block.size ||
		    (b->size == last->block.size && b->ns >= last->block.ns))
			return;
		r->top_live.n--;
	}
	if ((last = note_largest(&r->top_live, h, b)) != NULL)
		last->unsure = origin_unsure(h->process.origin, b->ns);
	qsort(r->live, r->top_live.n, sizeof(r->live[0]), by_size);
}

void
heap_end(struct heap_run *r, struct heap *h)
{
	const struct block *b;
	struct share share;
	struct heap_use *u;
	size_t i;

	for (i = 0; i < h->blocks.cap; i++) {
		b = &h->blocks.v[i];
		if (b->address == 0 || b->size == BLOCK_FREED)
			continue;
		u = use_of(h, b->caller);
		if (b->size > u->largest)
			u->largest = b->size;
		if (origin_unsure(h->process.origin, b->ns)) {
			share = share_of(h, b);
			h->unsure_blocks += share.blocks;
			h->unsure_bytes += share.bytes;
		}
		note_live(r, h, b);
	}
	blocks_free(&h->blocks);
}

void
heap_init(struct heap_run *r, const struct process_ops *ops)
{
	memset(r, 0, sizeof(*r));
	processes_init(&r->processes, ops);
	r->top_ever.list = r->ever;
	r->top_live.list = r->live;
	r->top_ever.size = r->top_live.size = sizeof(struct heap_note);
	r->top_ever.most = r->top_live.most = HEAP_TOP;
}

void
heap_release(struct process *p)
{
	struct heap *h = (struct heap *)p;

	map_release(&h->threads);
	blocks_free(&h->blocks);
	free(h->spans);
	free(h->callers.v);
	free(h->by_site.v);
	sites_free(&h->sites);
}

void
heap_free(struct heap_run *r)
{
	processes_free(&r->processes);
	frames_free();
	while (r->npaths > 0)
		free(r->paths[--r->npaths]);
}
