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
 * The addresses of units and of functions.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "dwarf_priv.h"

#define INDEX_MAX	((uint64_t)1 << 40)

/*
 * Code that the linker has left out is at 0 or 1, or at the end, and has no
 * address that matters.
 */
static void
span_add(struct dwarf *d, struct spans *s, uint64_t lo, uint64_t hi,
    uint32_t of)
{
	struct span *v;

	if (lo <= 1 || hi <= lo)
		return;
	v = table_more(d, s->v, s->n, &s->room, sizeof(*v));
	if (v == NULL)
		return;
	s->v = v;
	v += s->n++;
	v->lo = lo;
	v->hi = hi;
	v->of = of;
}

/* .debug_ranges, until DWARF 4.  A base that is 0 or 1 is of such code, too. */
static void
ranges_old(struct spans *s, struct dwarf *d, const struct unit *u,
    uint64_t at, uint32_t of)
{
	struct cursor c = dwarf_section(d, SEC_RANGES, at);
	const size_t size = u->addrsize;
	const uint64_t all = size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t base = u->low, lo, hi;
	int left_out = 0;

	while (!c.bad && spend(d, 1)) {
		lo = get(&c, size);
		hi = get(&c, size);
		if (c.bad || (lo == 0 && hi == 0))
			return;
		if (lo == all) {
			base = hi;
			left_out = base <= 1;
		} else if (!left_out && (base > 1 || lo > 1))
			span_add(d, s, base + lo, base + hi, of);
	}
}

/* An index of .debug_addr. */
static uint64_t
indexed(struct cursor *c, struct dwarf *d, const struct unit *u)
{
	const struct value v = { get_uleb(c), FORM_ADDRX };
	uint64_t addr;

	return value_address(d, u, &v, &addr) ? addr : 0;
}

/* .debug_rnglists, DWARF 5. */
static void
ranges_new(struct spans *s, struct dwarf *d, const struct unit *u,
    uint64_t at, uint32_t of)
{
	struct cursor c = dwarf_section(d, SEC_RNGLISTS, at);
	uint64_t base = u->low, lo = 0, hi;
	int left_out = base == 1;
	unsigned int kind;

	while (!c.bad && spend(d, 1)) {
		kind = (unsigned int)get(&c, 1);
		if (kind == RLE_END || kind > RLE_START_LENGTH)
			return;
		if (kind == RLE_BASEX || kind == RLE_BASE) {
			base = kind == RLE_BASE ? get(&c, u->addrsize) :
			    indexed(&c, d, u);
			left_out = base <= 1;
			continue;
		}
		lo = kind == RLE_OFFSETS ? base + get_uleb(&c) :
		    kind >= RLE_START_END ? get(&c, u->addrsize) :
		    indexed(&c, d, u);
		hi = kind == RLE_OFFSETS ? base + get_uleb(&c) :
		    kind == RLE_START_END ? get(&c, u->addrsize) :
		    kind == RLE_STARTX_ENDX ? indexed(&c, d, u) :
		    lo + get_uleb(&c);
		if (!c.bad && (kind != RLE_OFFSETS || !left_out))
			span_add(d, s, lo, hi, of);
	}
}

/* An index of the unit's table of offsets, which begins at the base. */
static void
ranges_indexed(struct spans *s, struct dwarf *d, const struct unit *u,
    uint64_t i, uint32_t of)
{
	const uint64_t base = u->ranges_base.form != 0 ? u->ranges_base.n :
	    u->offsize == 8 ? 20 : 12;
	struct cursor c;
	uint64_t off;

	if (i >= INDEX_MAX || base >= INDEX_MAX)
		return;
	c = dwarf_section(d, SEC_RNGLISTS, base + i * u->offsize);
	off = get(&c, u->offsize);
	if (!c.bad && off < INDEX_MAX)
		ranges_new(s, d, u, base + off, of);
}

int
spans_add(struct spans *s, struct dwarf *d, const struct unit *u,
    const struct value *v, uint32_t of)
{
	const struct value *ranges = &v[A_RANGES], *high = &v[A_HIGH];
	const size_t before = s->n;
	uint64_t lo, hi;

	if (ranges->form == FORM_RNGLISTX)
		ranges_indexed(s, d, u, ranges->n, of);
	else if (ranges->form != 0 && u->version >= 5)
		ranges_new(s, d, u, ranges->n, of);
	else if (ranges->form != 0)
		ranges_old(s, d, u, ranges->n, of);
	else if (high->form != 0 && value_address(d, u, &v[A_LOW], &lo)) {
		if (!value_address(d, u, high, &hi))
			hi = lo + high->n;
		span_add(d, s, lo, hi, of);
	}
	return s->n > before;
}

static int
compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return (x->of > y->of) - (x->of < y->of);
}

static void
cut(struct dwarf *d, struct spans *to, uint64_t *from, uint64_t until,
    uint32_t of)
{
	if (*from < until) {
		span_add(d, to, *from, until, of);
		*from = until;
	}
}

/*
 * Sorted by their beginnings, spans that are open are in each other.  One that
 * reaches out of those before it ends them.
 */
void
spans_sort(struct dwarf *d, struct spans *s)
{
	struct spans to = { NULL, 0, 0 };
	struct span *open, *v;
	uint64_t from = 0;
	size_t n = 0;

	if (s->n == 0)
		return;
	qsort(s->v, s->n, sizeof(*s->v), compare);
	if ((open = malloc(s->n * sizeof(*open))) == NULL)
		die_errno("malloc");
	for (v = s->v; v < s->v + s->n; v++) {
		for (; n > 0 && open[n - 1].hi <= v->lo; n--)
			cut(d, &to, &from, open[n - 1].hi, open[n - 1].of);
		for (; n > 0 && open[n - 1].hi < v->hi; n--)
			cut(d, &to, &from, v->lo, open[n - 1].of);
		if (n > 0)
			cut(d, &to, &from, v->lo, open[n - 1].of);
		from = v->lo;
		open[n++] = *v;
	}
	for (; n > 0; n--)
		cut(d, &to, &from, open[n - 1].hi, open[n - 1].of);
	free(open);
	free(s->v);
	*s = to;
}

uint32_t
spans_find(const struct spans *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && addr < s->v[lo - 1].hi ? s->v[lo - 1].of : NOTHING;
}
