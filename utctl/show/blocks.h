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
 * Blocks of memory by their addresses, for utctl heap.
 */

#ifndef BLOCKS_H
#define BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define BLOCK_FREED	UINT64_MAX	/* no block has such a size */

/* A block that is allocated, or one that was freed lately. */
struct block {
	uint64_t	 address;	/* 0: the entry is not used */
	uint64_t	 size;		/* or BLOCK_FREED */
	int64_t		 ns;		/* when it was allocated, or freed, */
	uint32_t	 caller;	/* from where, */
	int32_t		 thread;	/* and by which thread */
};

struct blocks {
	struct block	*v;		/* a hash table */
	size_t		 cap;
	size_t		 used, live;
};

/* The block there, perhaps freed; or NULL. */
struct block *blocks_find(const struct blocks *, uint64_t);
/* The same; where there is none, one that is freed is made. */
struct block *blocks_get(struct blocks *, uint64_t);
void	 blocks_free(struct blocks *);

static inline int
block_islive(const struct block *b)
{
	return b->address != 0 && b->size != BLOCK_FREED;
}

#endif /* BLOCKS_H */
