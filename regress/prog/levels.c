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
 * An event and a message of every level.
 */

#include <ut.h>

UT_EVENT(levels, l0, UT_EMERG)
UT_EVENT(levels, l1, UT_ALERT)
UT_EVENT(levels, l2, UT_CRIT)
UT_EVENT(levels, l3, UT_ERR)
UT_EVENT(levels, l4, UT_WARNING)
UT_EVENT(levels, l5, UT_NOTICE)
UT_EVENT(levels, l6, UT_INFO)
UT_EVENT(levels, l7, UT_DEBUG_SYSTEM)
UT_EVENT(levels, l8, UT_DEBUG_PROGRAM)
UT_EVENT(levels, l9, UT_DEBUG_PROCESS)
UT_EVENT(levels, l10, UT_DEBUG_MODULE)
UT_EVENT(levels, l11, UT_DEBUG_UNIT)
UT_EVENT(levels, l12, UT_DEBUG_FUNCTION)
UT_EVENT(levels, l13, UT_DEBUG_LINE)
UT_EVENT(levels, l14, UT_DEBUG)

int
main(void)
{
	int i;

	UT(levels, l0);
	UT(levels, l1);
	UT(levels, l2);
	UT(levels, l3);
	UT(levels, l4);
	UT(levels, l5);
	UT(levels, l6);
	UT(levels, l7);
	UT(levels, l8);
	UT(levels, l9);
	UT(levels, l10);
	UT(levels, l11);
	UT(levels, l12);
	UT(levels, l13);
	UT(levels, l14);
	for (i = UT_EMERG; i <= UT_DEBUG; i++)
		UT_LOG(i, "%d", i);
	/* No such levels: the nearest that costs nobody anything. */
	UT_LOG(-1, "-1");
	UT_LOG(UT_DEBUG + 1, "%d", UT_DEBUG + 1);
	return 0;
}
