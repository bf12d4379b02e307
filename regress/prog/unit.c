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
 * One of the files that make up a program: -DUNIT=a is unit_a().  -DEXTRA
 * gives it an event that the others do not have.
 */

#include "units.h"

#define STR(s)	STR_(s)
#define STR_(s)	#s

#ifdef EXTRA
UT_EVENT(units, extra, UT_INFO, UT_INT(n))
#endif

int	UT_CAT(unit_, UNIT)(int) __attribute__((visibility("default")));

int
UT_CAT(unit_, UNIT)(int n)
{
#ifdef EXTRA
	UT(units, extra, n);
#endif
	UT(units, call, STR(UNIT), n, STR(UNIT)[0] == 'l');
	return n + 1;
}
