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
 * Counts that somebody tells us who may lie.
 *
 * Counts only grow: of events, packets, bytes, and microseconds that threads
 * wait.  COUNT_MOST events are eight hours of a hundred processors
 * that do nothing else, an event each 10 ns; as microseconds it is a month of a
 * hundred threads that wait.  We look each second, or, if a consumer or utd has
 * stopped, when it goes on.  So a count that has grown by more, or that goes
 * back, was not counted.
 *
 * All the same, one can grow by almost that each time.  So a sum stops at the
 * end of the numbers, and what others add there is never taken away again.
 */

#include "utd.h"

#define COUNT_MOST	(UINT64_C(1) << 48)	/* between two looks */

/* Take over what a count is now; if that is nonsense, the last one stands. */
bool
count_grew(uint64_t *n, uint64_t now)
{
	if (now - *n > COUNT_MOST)
		return false;
	*n = now;
	return true;
}

void
count_add(uint64_t *sum, uint64_t n)
{
	*sum = n < UINT64_MAX - *sum ? *sum + n : UINT64_MAX;
}
