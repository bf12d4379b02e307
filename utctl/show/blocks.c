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
 * Blocks of memory by their addresses: see blocks.h.
 *
 * A block that was freed stays in the table, to tell who freed the block first
 * if it is freed again.  When the table is full, all freed blocks are dropped:
 * so the table grows only with the number of blocks that are live.
 */

#include <stdlib.h>

#include "../map.h"
#include "../say.h"
#include "blocks.h"

#define LEAST	64		/* entries */
#define KEEP	4096		/* up to so many, nothing is dropped */

static struct block *
place(const struct blocks *bs, uint64_t address)
{
	size_t i = map_hash(address) & (bs->cap - 1);

	while (bs->v[i].address != 0 && bs->v[i].address != address)
		i = (i + 1) & (bs->cap - 1);
	return &bs->v[i];
}

struct block *
blocks_find(const struct blocks *bs, uint64_t address)
{
	struct block *b;

	if (bs->cap == 0)
		return NULL;
	b = place(bs, address);
	return b->address == 0 ? NULL : b;
}

static void
make_room(struct blocks *bs)
{
	const struct blocks old = *bs;
	const struct block *b;
	size_t i;
	int drop = 0;

	if (old.cap == 0)
		bs->cap = LEAST;
	else if (old.cap < KEEP || 2 * old.live >= old.cap)
		bs->cap = 2 * old.cap;
	else
		drop = 1;
	if ((bs->v = calloc(bs->cap, sizeof(*bs->v))) == NULL)
		die_errno("malloc");
	bs->used = 0;
	for (i = 0; i < old.cap; i++) {
		b = &old.v[i];
		if (b->address != 0 && !(drop && b->size == BLOCK_FREED)) {
			*place(bs, b->address) = *b;
			bs->used++;
		}
	}
	free(old.v);
}

struct block *
blocks_get(struct blocks *bs, uint64_t address)
{
	struct block *b = blocks_find(bs, address);

	if (b != NULL)
		return b;
	if (4 * bs->used >= 3 * bs->cap)
		make_room(bs);
	b = place(bs, address);
	b->address = address;
	b->size = BLOCK_FREED;
	bs->used++;
	return b;
}

void
blocks_free(struct blocks *bs)
{
	free(bs->v);
	bs->v = NULL;
	bs->cap = bs->used = bs->live = 0;
}
