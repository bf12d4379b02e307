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
 * The header of a region as it should be: slots, sub-buffers and data follow
 * each other, and size is that of all of it.
 */

#ifndef HEADER_H
#define HEADER_H

#include <stdint.h>
#include <string.h>

#include "../../libut/ut_abi.h"

static inline void
good_header(struct ut_header *h, uint32_t nslots, uint32_t nsubs,
    uint32_t subsize)
{
	memset(h, 0, sizeof(*h));
	h->magic = UT_ABI_MAGIC;
	h->version = UT_ABI_VERSION;
	h->nslots = nslots;
	h->nsubs = nsubs;
	h->subsize = subsize;
	h->slots = sizeof(*h);
	h->subs = h->slots + nslots * sizeof(struct ut_slot);
	h->data = h->subs + nsubs * sizeof(struct ut_subbuf);
	h->size = h->data + (uint64_t)nsubs * subsize;
	h->mode = UT_MODE_DISCARD;
	h->clock = UT_CLOCK_MONOTONIC;
}

#endif /* HEADER_H */
