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
 * Tables of what has a number: an address, a thread.
 */

#ifndef MAP_H
#define MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t	 key;
	void		*value;		/* NULL: the entry is not used */
};

struct map {
	struct map_entry	*v;	/* a hash table */
	size_t			 n, cap;
};

void	*map_get(const struct map *, uint64_t);		/* NULL: none */
void	 map_put(struct map *, uint64_t, void *);	/* adds, or replaces */
/* The values become an array in the order that qsort(3) is given; freed. */
void	**map_sorted(const struct map *, int (*)(const void *, const void *));
void	 map_free(struct map *);		/* not what is in it */
void	 map_release(struct map *);		/* with the values */

/* The secret of this process, of two words: see map_seed(). */
extern uint64_t map_key[2];

/*
 * Make the secret, before there is any table: keys come from traces, and nobody
 * is to choose many that share a place.
 */
void	 map_seed(void);
/* Make a key of these bytes, behind another key, or 0. */
uint64_t map_bytes(uint64_t, const void *, size_t);

static inline size_t
map_hash(uint64_t key)
{
	key = (key ^ map_key[0]) * UINT64_C(11400714819323198485);
	key = (key ^ key >> 32 ^ map_key[1]) * UINT64_C(14029467366897019727);
	return (size_t)(key >> 32);
}

#endif /* MAP_H */
