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
 * Events of which some are larger than a sub-buffer of 4096 bytes: the event
 * takes 6 bytes, the length of the bytes 4, the number 4.
 */

#include <ut.h>

UT_EVENT(toobig, bytes, UT_INFO, UT_INT(n), UT_BYTES(b))
UT_EVENT(toobig, small, UT_INFO, UT_INT(n))

static char b[1 << 20];

int
main(void)
{
	int i;

	for (i = 0; i < 7; i++) {
		UT(toobig, small, i);
		UT(toobig, bytes, i, b, 4096 - 14 + 1);
	}
	UT(toobig, bytes, 7, b, 4096 - 14);	/* just fits */
	UT(toobig, bytes, 8, b, sizeof(b));
	UT(toobig, bytes, 9, b, SIZE_MAX);	/* of which 16 MB count */
	UT(toobig, bytes, 10, b, 4096 - 14);
	UT(toobig, small, 11);
	return 0;
}
