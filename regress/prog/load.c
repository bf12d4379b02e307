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
 * A library that loads.c loads.  It has an event that the program has too,
 * and one that it has alone, once "only" is made something else.
 */

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))
UT_EVENT(loads, only, UT_INFO, UT_U32(writer), UT_U64(n))

uint64_t	load_tick(uint32_t, uint64_t);

/* The next two events of the writer, in the first call. */
uint64_t
load_tick(uint32_t writer, uint64_t n)
{
	int i;

	UT(loads, only, writer, n);
	for (i = 0; i < 2; i++) {
		n++;
		UT(seq, tick, writer, n, "library", (n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	}
	return n;
}
