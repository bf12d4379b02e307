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
 * A hash of bytes that somebody else has chosen: see hash.h.  SipHash-1-3, of
 * Aumasson and Bernstein; in what order a word is loaded does not matter here.
 */

#include <string.h>

#include "hash.h"

static uint64_t
rotate_left(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void
rounds(uint64_t *v, int n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[1] = rotate_left(v[1], 13) ^ v[0];
		v[0] = rotate_left(v[0], 32);
		v[2] += v[3];
		v[3] = rotate_left(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate_left(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate_left(v[1], 17) ^ v[2];
		v[2] = rotate_left(v[2], 32);
	}
}

static void
hash_word(uint64_t *v, uint64_t word)
{
	v[3] ^= word;
	rounds(v, 1);
	v[0] ^= word;
}

uint64_t
hash_keyed(const uint64_t *key, uint64_t before, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t v[4], word;
	size_t left;

	v[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
	v[1] = key[1] ^ UINT64_C(0x646f72616e646f6d);
	v[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
	v[3] = key[1] ^ UINT64_C(0x7465646279746573);
	hash_word(v, before);
	for (left = n; left >= sizeof(word); left -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash_word(v, word);
		p += sizeof(word);
	}
	word = 0;
	if (left > 0)
		memcpy(&word, p, left);
	hash_word(v, word ^ (uint64_t)n << 56);
	v[2] ^= 0xff;
	rounds(v, 3);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
