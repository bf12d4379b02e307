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
 * Hashes of bytes.
 */

#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define FNV_INIT	UINT64_C(14695981039346656037)
#define FNV_PRIME	UINT64_C(1099511628211)

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static inline uint64_t
hash_fnv(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n-- > 0)
		h = (h ^ *p++) * FNV_PRIME;
	return h;
}

/*
 * A hash of what somebody else has chosen: with a key that is this process's
 * secret, nobody can choose many of one bucket.  The key has two words; the
 * second argument is another hash, or 0.
 */
uint64_t hash_keyed(const uint64_t *, uint64_t, const void *, size_t);

#endif /* HASH_H */
