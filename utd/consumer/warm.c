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
 * Pages are filled with zeros ahead of the writers.  The system does that at
 * the first touch, and a virtual machine may have to get the memory from its
 * host, too: a writer would wait for both in the middle of an event.  Programs
 * then map many pages by one fault (subbuf_map in libut/subbuf.c).
 *
 * Writers take the first sub-buffers that are free, so what lies behind the one
 * claimed last is next.  Until the bell rings, an eighth of all may be claimed,
 * and more before we have woken up.  What is further away stays untouched, and
 * so does all of a region that is not started.
 */

#include <stdatomic.h>

#include "region.h"

#define STEP	(256u << 10)	/* then the parent is heard again */
#define AHEAD	(UINT64_C(4) << 20)

/* How many bytes are to be warm.  The hint is the programs'. */
static uint64_t
wanted(const struct region *r)
{
	const uint64_t all = (uint64_t)r->nsubs * r->subsize;
	const uint64_t ahead = (uint64_t)(r->nsubs / 8 + r->nsubs / 16 + 1) *
	    r->subsize;
	const uint32_t hint = load(&r->header->hint);
	const uint64_t want = (uint64_t)hint * r->subsize +
	    (ahead < AHEAD ? ahead : AHEAD);

	if (load(&r->header->active) == 0 || r->shared.cut)
		return 0;
	return hint < r->nsubs && want < all ? want : all;
}

/* Warm some pages; false if there are enough. */
bool
region_warm(struct region *r)
{
	const uint64_t want = wanted(r);
	size_t n;

	if (want <= r->warm)
		return false;
	n = want - r->warm < STEP ? (size_t)(want - r->warm) : STEP;
	ut_shm_touch(r->data + r->warm, n);
	r->warm += n;
	store(&r->header->warm, r->warm);
	return true;
}
