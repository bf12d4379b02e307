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
 * Read the numbers in .eh_frame.
 */

#include <string.h>

#include "bytes.h"

#define FORMAT		0x0f		/* DW_EH_PE_: the form of the number */
#define APPLY		0x70		/* where the number counts from */
#define APPLY_PLACE	0x10

/* The processors that have an unwinder are little-endian. */
uint64_t
ut_bytes_fixed(struct bytes *b, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->p) < n) {
		b->bad = true;
		b->p = b->end;
		return 0;
	}
	memcpy(&v, b->p, n);
	b->p += n;
	return v;
}

/* The number, and behind it how many bits it has. */
static uint64_t
leb(struct bytes *b, unsigned int *bits, bool *negative)
{
	uint64_t v = 0, byte;

	*bits = 0;
	do {
		byte = bytes_one(b);
		if (*bits < 64)
			v |= (byte & 127) << *bits;
		*bits += 7;
	} while ((byte & 128) != 0);
	*negative = (byte & 64) != 0;
	return v;
}

uint64_t
ut_bytes_leb(struct bytes *b)
{
	unsigned int bits;
	bool negative;

	return leb(b, &bits, &negative);
}

int64_t
ut_bytes_sleb(struct bytes *b)
{
	unsigned int bits;
	bool negative;
	uint64_t v = leb(b, &bits, &negative);

	if (negative && bits < 64)
		v |= UINT64_MAX << bits;
	return (int64_t)v;
}

void
ut_bytes_skip(struct bytes *b, uint64_t n)
{
	if (n > (size_t)(b->end - b->p)) {
		b->bad = true;
		n = (size_t)(b->end - b->p);
	}
	b->p += n;
}

struct bytes
ut_bytes_block(struct bytes *b)
{
	const uint64_t n = ut_bytes_leb(b);
	struct bytes block = { b->p, b->p, false };

	ut_bytes_skip(b, n);
	block.end = b->p;
	return block;
}

uintptr_t
ut_bytes_stored(struct bytes *b, unsigned int enc)
{
	switch (enc & FORMAT) {
	case 0x0:
		return (uintptr_t)ut_bytes_fixed(b, sizeof(uintptr_t));
	case 0x2:
		return (uintptr_t)ut_bytes_fixed(b, 2);
	case 0x3:
		return (uintptr_t)ut_bytes_fixed(b, 4);
	case 0x4:
	case 0xc:
		return (uintptr_t)ut_bytes_fixed(b, 8);
	case 0xa:
		return (uintptr_t)(int16_t)ut_bytes_fixed(b, 2);
	case 0xb:
		return (uintptr_t)(int32_t)ut_bytes_fixed(b, 4);
	default:
		b->bad = true;
		return 0;
	}
}

uintptr_t
ut_bytes_address(struct bytes *b, unsigned int enc)
{
	const uintptr_t at = (uintptr_t)b->p;
	const uintptr_t v = ut_bytes_stored(b, enc);

	if ((enc & APPLY) == APPLY_PLACE)
		return v + at;
	if ((enc & APPLY) != 0)
		b->bad = true;
	return v;
}
