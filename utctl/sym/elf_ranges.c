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
 * Where the functions of an ELF file begin and end, as .eh_frame tells, which
 * stripped files have, too.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "dwarf_priv.h"

#define MOST		(8u << 20)	/* functions in memory, of all files */
#define CIE_MAX		64		/* bytes of what all functions share */

#define PE_SIGNED	8		/* encodings of addresses */
#define PE_PCREL	0x10

static size_t	 nloaded;	/* functions of all files */

/* The bytes of a number of this encoding; 0: none that is known. */
static unsigned int
size_of(const struct elf *e, unsigned int encoding)
{
	static const uint8_t sizes[] = { 0, 0, 2, 4, 8, 0, 0, 0 };

	return (encoding & 15) == 0 ? (e->is64 ? 8 : 4) : sizes[encoding & 7];
}

/* Read how a CIE says that addresses are encoded: -1 if it does not. */
static int
encoding_read(const struct elf *e, struct cursor c)
{
	const char *letter;
	unsigned int version;

	(void)get_length(&c);
	if (c.end - c.p > CIE_MAX)
		c.end = c.p + CIE_MAX;
	if (get(&c, 4) != 0)
		return -1;
	version = (unsigned int)get(&c, 1);
	if ((letter = get_string(&c)) == NULL)
		return -1;
	(void)get_uleb(&c);		/* alignments */
	(void)get_sleb(&c);
	(void)(version == 1 ? get(&c, 1) : get_uleb(&c));
	if (*letter == 'z')
		(void)get_uleb(&c);
	else if (*letter != '\0')
		return -1;
	for (; *letter != '\0' && *letter != 'R'; letter++)
		if (*letter == 'P')
			skip(&c, size_of(e, (unsigned int)get(&c, 1)));
		else if (*letter == 'L')
			skip(&c, 1);
	version = *letter == '\0' ? 0 : (unsigned int)get(&c, 1);
	return c.bad ? -1 : (int)version;
}

static void
range_add(struct elf_ranges *to, uint64_t start, uint64_t size)
{
	if ((to->n & (to->n - 1)) == 0 && (to->v = realloc(to->v,
	    (to->n == 0 ? 1 : 2 * to->n) * sizeof(*to->v))) == NULL)
		die_errno("malloc");
	to->v[to->n].start = start;
	to->v[to->n++].size = size;
	nloaded++;
}

/* Add the function of an FDE, which begins there. */
static void
fde_read(struct elf_ranges *to, const struct elf *e, struct cursor *c,
    unsigned int encoding, uint64_t at)
{
	const unsigned int n = size_of(e, encoding);
	uint64_t start = get(c, n), size = get(c, n);

	if (encoding & PE_SIGNED && n > 0 && n < 8 && start >> (8 * n - 1))
		start |= UINT64_MAX << 8 * n;
	if (encoding & PE_PCREL)
		start += at;
	if (!e->is64)
		start &= UINT32_MAX;
	if (!c->bad && n > 0 && (encoding & ~(15u | PE_PCREL)) == 0 &&
	    start >= e->lo && start < e->hi && size > 0 &&
	    size <= e->hi - start)
		range_add(to, start, size);
}

/* A record is a CIE, or an FDE, which says how far before it its CIE is. */
static void
records_read(struct elf_ranges *to, const struct elf *e, struct cursor c,
    uint64_t addr)
{
	const uint8_t *known = NULL;
	struct cursor rec, cie;
	uint64_t back, at;
	int encoding = -1;

	for (; c.end - c.p >= 4 && nloaded < MOST; c.p = rec.end) {
		rec = cie = c;
		(void)get_length(&rec);
		at = (uint64_t)(rec.p - c.base);
		back = get(&rec, 4);
		if (rec.bad || back == 0 || back > at)
			continue;
		cie.p = c.base + (at - back);
		if (cie.p != known)
			encoding = encoding_read(e, cie);
		known = cie.p;
		if (encoding != -1)
			fde_read(to, e, &rec, (unsigned int)encoding,
			    addr + at + 4);
	}
}

static int
by_start(const void *a, const void *b)
{
	const struct elf_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void
elf_ranges_load(struct elf_ranges *to, struct elf *e)
{
	struct elf_section s;
	struct cursor c = { .big = e->big };
	uint8_t *p;

	memset(to, 0, sizeof(*to));
	if (!elf_section(e, ".eh_frame", &s) || s.off > e->size ||
	    s.size > e->size - s.off)
		return;
	if ((p = malloc((size_t)s.size)) == NULL)
		return;
	c.base = c.p = p;
	c.end = p + s.size;
	if (elf_bulk(e, p, (size_t)s.size, s.off) == 0)
		records_read(to, e, c, s.addr);
	free(p);
	if (to->n > 1)
		qsort(to->v, to->n, sizeof(*to->v), by_start);
}

const struct elf_range *
elf_ranges_find(const struct elf_ranges *from, uint64_t addr)
{
	size_t lo = 0, hi = from->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (from->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && addr - from->v[lo - 1].start < from->v[lo - 1].size ?
	    &from->v[lo - 1] : NULL;
}

void
elf_ranges_free(struct elf_ranges *r)
{
	nloaded -= r->n;
	free(r->v);
	memset(r, 0, sizeof(*r));
}
