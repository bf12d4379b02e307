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
 * The live memory of processes in each interval, for -i.  An interval without
 * calls is not kept: in it, all is as at the end of the one before.
 */

#include <math.h>
#include <stdlib.h>

#include "../say.h"
#include "heap.h"

uint64_t
heap_margin(double square)
{
	return square <= 0 ? 0 : (uint64_t)(1.96 * sqrt(square) + 0.5);
}

/* The sums at the end of an interval. */
struct heap_span {
	size_t		 i;		/* the interval's number */
	uint64_t	 bytes, blocks;	/* live */
	uint64_t	 most;		/* bytes live at a time */
	uint64_t	 allocated;	/* bytes, since the beginning */
	double		 error;		/* square: of bytes */
};

void
heap_note_span(const struct heap_run *r, struct heap *h, int64_t ns)
{
	struct heap_span *s = h->nspans == 0 ? NULL :
	    &h->spans[h->nspans - 1];
	const size_t i = intervals_index(&r->intervals, ns);
	const uint64_t before = s == NULL ? 0 : s->bytes;

	if (s == NULL || s->i < i) {
		if ((h->nspans & (h->nspans - 1)) == 0) {
			s = xrealloc(h->spans, (2 * h->nspans + 1) *
			    sizeof(*s));
			h->spans = s;
		}
		s = &h->spans[h->nspans++];
		s->i = i;
		s->most = before;
	}
	s->bytes = h->bytes;
	s->blocks = h->nblocks;
	s->allocated = h->allocated;
	s->error = h->error.bytes;
	if (h->bytes > s->most)
		s->most = h->bytes;
}

/* The row that is printed: the sums in its interval, and before. */
struct at {
	const struct heap	*heap;
	const struct heap_span	*span;	/* the last one that has begun */
	uint64_t		 bytes, allocated;	/* before */
};

/* Rows come in order, and again from the first one. */
static void
go_to(struct at *at, size_t i)
{
	const struct heap *h = at->heap;

	if (i == h->spans[0].i) {
		at->span = h->spans;
		at->bytes = at->allocated = 0;
		return;
	}
	at->bytes = at->span->bytes;
	at->allocated = at->span->allocated;
	if (at->span + 1 < h->spans + h->nspans && at->span[1].i == i)
		at->span++;
}

static void
put_span(struct rows *t, const void *arg, size_t row)
{
	struct at *at = *(struct at *const *)arg;
	const struct heap *h = at->heap;
	const struct intervals *iv = &h->run->intervals;
	const size_t i = h->spans[0].i + row;
	const struct heap_span *s;
	const int peak = h->peak > 0 && intervals_index(iv, h->peak_ns) == i;

	go_to(at, i);
	s = at->span;
	json_ns("from", intervals_from(iv, i));
	row_u64(t, "live", "bytes", s->bytes);
	if (h->every != 0)
		row_u64(t, "+-", "bytes_error", heap_margin(s->error));
	row_u64(t, "blocks", "blocks", s->blocks);
	row_u64(t, "most", "most", s->i == i ? s->most : s->bytes);
	row_u64(t, "allocated", "allocated", s->allocated - at->allocated);
	row_u64(t, "freed", "freed", at->bytes + (s->allocated -
	    at->allocated) - s->bytes);
	json_bool("peak", peak);
	intervals_end(t, iv, i, peak ? "  peak" : "");
}

void
heap_put_spans(const struct heap *h)
{
	struct at at = { .heap = h }, *arg = &at;
	struct rows t = { .fixed = NULL };

	rows_put(&t, "intervals", h->nspans == 0 ? 0 :
	    h->spans[h->nspans - 1].i - h->spans[0].i + 1, put_span, &arg);
}
