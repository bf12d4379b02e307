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
 * From a place in code to the row that .eh_frame has for it, by the table in
 * .eh_frame_hdr.  All offsets are checked: files may be damaged.
 */

#include <string.h>

#include "../common/compat.h"
#include "rule.h"

#define PAGE		((uintptr_t)4096)
#define HEADER		12		/* bytes before the table */
#define HEADER_VERSION	1
#define BYTES4		3		/* DW_EH_PE_udata4 */
#define TABLE		0x3b		/* 4 bytes, from the header */

/*
 * Do these bytes lie where the table is, and can they be read?  A segment can
 * be read whole; in a module whose segments are not known, each page is asked
 * for.
 */
static bool
readable(const struct unwind_module *m, uintptr_t at, uintptr_t n,
    struct budget *left)
{
	uintptr_t page;

	if (at < m->begin || at > m->end || n > m->end - at)
		return false;
	if (!m->whole)
		return true;
	for (page = at & ~(PAGE - 1); page < at + n; page += PAGE) {
		if (left->pages == 0 || !ut_readable((const void *)page))
			return false;
		left->pages--;
	}
	return true;
}

/* The n-th number of the table, two for each function. */
static uintptr_t
table_get(const struct unwind_module *m, size_t n)
{
	int32_t v;

	memcpy(&v, (const uint8_t *)m->header + HEADER + n * sizeof(v),
	    sizeof(v));
	return (uintptr_t)(intptr_t)v;
}

/* Where the FDE of the last function begins that does not begin after it; 0. */
static uintptr_t
fde_find(const struct unwind_module *m, uintptr_t place, struct budget *left)
{
	const uint8_t *h = (const uint8_t *)m->header;
	const intptr_t want = (intptr_t)(place - m->header);
	uint32_t n, low = 0, high, mid;

	if (m->header == 0 || !readable(m, m->header, HEADER, left) ||
	    h[0] != HEADER_VERSION || (h[1] & 7) != BYTES4 || h[2] != BYTES4 ||
	    h[3] != TABLE)
		return 0;
	memcpy(&n, h + HEADER - sizeof(n), sizeof(n));
	if (n == 0 || n > (m->end - m->header - HEADER) / 8)
		return 0;
	for (high = n; high - low > 1;) {
		mid = low + (high - low) / 2;
		if (!readable(m, m->header + HEADER + 8 * (uintptr_t)mid, 8,
		    left))
			return 0;
		if ((intptr_t)table_get(m, 2 * (size_t)mid) <= want)
			low = mid;
		else
			high = mid;
	}
	if (!readable(m, m->header + HEADER + 8 * (uintptr_t)low, 8, left) ||
	    (intptr_t)table_get(m, 2 * (size_t)low) > want)
		return 0;
	return m->header + table_get(m, 2 * (size_t)low + 1);
}

/* The entry at that address without its length; false: there is none. */
static bool
entry_at(const struct unwind_module *m, uintptr_t at, struct bytes *b,
    struct budget *left)
{
	uint64_t n;

	if (!readable(m, at, 4, left))
		return false;
	*b = (struct bytes){ (const uint8_t *)at, (const uint8_t *)m->end,
	    false };
	n = ut_bytes_fixed(b, 4);
	if (n < 8 || !readable(m, at + 4, n, left))
		return false;
	b->end = b->p + n;
	return true;
}

/* Read what the letters behind the first one of a CIE announce. */
static bool
augmentation(const char *s, struct bytes b, struct cie *c)
{
	c->augmented = true;
	for (; *s != '\0'; s++) {
		switch (*s) {
		case 'R':
			c->enc = bytes_one(&b);
			break;
		case 'P':
			(void)ut_bytes_stored(&b, bytes_one(&b));
			break;
		case 'L':
			(void)bytes_one(&b);
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B':		/* the key that signs addresses */
			break;
		default:
			return false;
		}
	}
	return !b.bad;
}

static bool
cie_read(const struct unwind_module *m, uintptr_t at, struct cie *c,
    struct budget *left)
{
	unsigned int version;
	const char *letters;
	struct bytes b;

	memset(c, 0, sizeof(*c));
	if (!entry_at(m, at, &b, left) || ut_bytes_fixed(&b, 4) != 0)
		return false;
	version = bytes_one(&b);
	letters = (const char *)b.p;
	if ((version != 1 && version != 3) ||
	    memchr(letters, '\0', (size_t)(b.end - b.p)) == NULL)
		return false;
	ut_bytes_skip(&b, strlen(letters) + 1);
	c->code = ut_bytes_leb(&b);
	c->data = ut_bytes_sleb(&b);
	if (version == 1)
		(void)bytes_one(&b);
	else
		(void)ut_bytes_leb(&b);
	if (letters[0] == 'z' ?
	    !augmentation(letters + 1, ut_bytes_block(&b), c) :
	    letters[0] != '\0')
		return false;
	c->program = b;
	return !b.bad;
}

/*
 * The row of a place, for the register in row->want, too.  Before anything is
 * said of a register, the caller has it still.
 */
int
ut_row(const struct unwind_module *m, uintptr_t place, struct row *row,
    struct budget *left)
{
	const unsigned int want = row->want;
	const uintptr_t fde = fde_find(m, place, left);
	struct bytes b;
	struct cie c;
	uintptr_t begin, id;

	if (fde == 0)
		return ROW_NONE;
	if (!entry_at(m, fde, &b, left))
		return ROW_BAD;
	id = (uintptr_t)ut_bytes_fixed(&b, 4);
	if (id == 0 || !cie_read(m, fde + 4 - id, &c, left))
		return ROW_BAD;
	begin = ut_bytes_address(&b, c.enc);
	if (place < begin || place - begin >= ut_bytes_stored(&b, c.enc))
		return b.bad ? ROW_BAD : ROW_NONE;
	if (c.signal)
		return ROW_SIGNAL;
	if (c.augmented)
		(void)ut_bytes_block(&b);
	memset(row, 0, sizeof(*row));
	row->reg = REG_STACK;
	row->want = want;
	return !b.bad && ut_cfi_run(c.program, &c, begin, UINTPTR_MAX, row,
	    left) && ut_cfi_run(b, &c, begin, place, row, left) ?
	    ROW_FOUND : ROW_BAD;
}
