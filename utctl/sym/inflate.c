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
 * The decoder of DEFLATE, RFC 1951, in the format of zlib, RFC 1950.  Input is
 * hostile: it never writes more than was asked for, and bits behind its end are
 * zeros, which end it.
 */

#include <string.h>

#include "elf.h"

#define LONGEST		15		/* bits of a code */
#define FAST		10		/* bits that are looked up */
#define LITERALS	288
#define DISTANCES	30
#define ADLER		65521u

struct code {
	uint16_t	 fast[1 << FAST]; /* symbol << 4 | bits; 0: longer */
	uint16_t	 count[LONGEST + 1];
	uint16_t	 symbols[LITERALS]; /* in the order of their codes */
};

struct stream {
	const uint8_t	*p, *end;
	uint64_t	 bits;
	unsigned int	 nbits;
	unsigned int	 over;		/* bytes behind the end */
	uint8_t		*to;
	size_t		 n, room;
	struct code	 literals, distances;
};

static inline void
refill(struct stream *s)
{
	if (s->nbits >= 32)
		return;
	for (; s->nbits <= 56; s->nbits += 8)
		if (s->p < s->end)
			s->bits |= (uint64_t)*s->p++ << s->nbits;
		else
			s->over++;
}

static unsigned int
take(struct stream *s, unsigned int n)
{
	unsigned int v;

	refill(s);
	v = (unsigned int)(s->bits & ((UINT64_C(1) << n) - 1));
	s->bits >>= n;
	s->nbits -= n;
	return v;
}

static void
fast_set(struct code *c, unsigned int code, unsigned int len,
    unsigned int symbol)
{
	unsigned int i, back = 0;

	for (i = 0; i < len; i++)
		back |= (code >> i & 1) << (len - 1 - i);
	for (; back < 1 << FAST; back += 1u << len)
		c->fast[back] = (uint16_t)(symbol << 4 | len);
}

/* Make a code of the lengths of its symbols: -1 if they are too many. */
static int
code_make(struct code *c, const uint8_t *lens, unsigned int n)
{
	unsigned int first[LONGEST + 2], at[LONGEST + 2], i, len;
	int left = 1;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < n; i++)
		c->count[lens[i]]++;
	c->count[0] = 0;
	first[1] = at[1] = 0;
	for (len = 1; len <= LONGEST; len++) {
		left = 2 * left - c->count[len];
		if (left < 0)
			return -1;
		first[len + 1] = (first[len] + c->count[len]) << 1;
		at[len + 1] = at[len] + c->count[len];
	}
	for (i = 0; i < n; i++) {
		if ((len = lens[i]) == 0)
			continue;
		if (len <= FAST)
			fast_set(c, first[len]++, len, i);
		c->symbols[at[len]++] = (uint16_t)i;
	}
	return 0;
}

/* The next symbol; -1 if there is none with that code. */
static inline int
decode(struct stream *s, const struct code *c)
{
	unsigned int code = 0, first = 0, index = 0, len, entry;

	refill(s);
	if ((entry = c->fast[s->bits & ((1 << FAST) - 1)]) != 0) {
		s->bits >>= entry & 15;
		s->nbits -= entry & 15;
		return (int)(entry >> 4);
	}
	for (len = 1; len <= LONGEST; len++) {
		code |= s->bits >> (len - 1) & 1;
		if (code - first < c->count[len]) {
			s->bits >>= len;
			s->nbits -= len;
			return c->symbols[index + code - first];
		}
		index += c->count[len];
		first = (first + c->count[len]) << 1;
		code <<= 1;
	}
	return -1;
}

/* Copy what was written so far back, byte by byte: it may overlap. */
static int
copy_back(struct stream *s, unsigned int symbol)
{
	unsigned int len, back;
	int d;

	if (symbol > 28)
		return -1;
	len = symbol < 8 ? 3 + symbol : symbol == 28 ? 258 : 3 +
	    ((4 + (symbol & 3)) << (symbol / 4 - 1)) +
	    take(s, symbol / 4 - 1);
	d = decode(s, &s->distances);
	if (d < 0 || d >= DISTANCES)
		return -1;
	back = d < 4 ? (unsigned int)d + 1 : ((2u + (d & 1)) <<
	    (d / 2 - 1)) + 1 + take(s, (unsigned int)d / 2 - 1);
	if (back > s->n || len > s->room - s->n)
		return -1;
	for (; len > 0; len--, s->n++)
		s->to[s->n] = s->to[s->n - back];
	return 0;
}

static int
block_coded(struct stream *s)
{
	int symbol;

	for (;;) {
		symbol = decode(s, &s->literals);
		if (symbol == 256)
			return 0;
		if (symbol > 256) {
			if (copy_back(s, (unsigned int)symbol - 257) == -1)
				return -1;
		} else if (symbol < 0 || s->n == s->room)
			return -1;
		else
			s->to[s->n++] = (uint8_t)symbol;
	}
}

static int
block_fixed(struct stream *s)
{
	uint8_t lens[LITERALS];

	memset(lens, 8, 144);
	memset(lens + 144, 9, 112);
	memset(lens + 256, 7, 24);
	memset(lens + 280, 8, 8);
	if (code_make(&s->literals, lens, LITERALS) == -1)
		return -1;
	memset(lens, 5, DISTANCES);
	return code_make(&s->distances, lens, DISTANCES) == -1 ? -1 :
	    block_coded(s);
}

/* The lengths of two codes, which are coded themselves. */
static int
lengths_read(struct stream *s, uint8_t *lens, unsigned int n)
{
	unsigned int i = 0, repeat;
	uint8_t value;
	int symbol;

	while (i < n) {
		symbol = decode(s, &s->literals);
		if (symbol < 0 || (symbol == 16 && i == 0))
			return -1;
		value = symbol < 16 ? (uint8_t)symbol :
		    symbol == 16 ? lens[i - 1] : 0;
		repeat = symbol < 16 ? 1 : symbol == 16 ? 3 + take(s, 2) :
		    symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
		if (repeat > n - i)
			return -1;
		memset(lens + i, value, repeat);
		i += repeat;
	}
	return 0;
}

static int
block_dynamic(struct stream *s)
{
	static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5,
	    11, 4, 12, 3, 13, 2, 14, 1, 15 };
	const unsigned int nlit = take(s, 5) + 257, ndist = take(s, 5) + 1;
	const unsigned int ncode = take(s, 4) + 4;
	uint8_t lens[288 + 32] = { 0 };
	unsigned int i;

	for (i = 0; i < ncode; i++)
		lens[order[i]] = (uint8_t)take(s, 3);
	if (nlit > 286 || ndist > DISTANCES ||
	    code_make(&s->literals, lens, 19) == -1 ||
	    lengths_read(s, lens, nlit + ndist) == -1 ||
	    code_make(&s->literals, lens, nlit) == -1 ||
	    code_make(&s->distances, lens + nlit, ndist) == -1)
		return -1;
	return block_coded(s);
}

static int
block_stored(struct stream *s)
{
	unsigned int n;

	(void)take(s, s->nbits & 7);
	n = take(s, 16);
	if ((n ^ take(s, 16)) != 0xffff || n > s->room - s->n)
		return -1;
	for (; n > 0; n--)
		s->to[s->n++] = (uint8_t)take(s, 8);
	return 0;
}

static uint32_t
adler(const uint8_t *p, size_t n)
{
	uint32_t a = 1, b = 0;
	size_t i, k;

	for (; n > 0; n -= k, p += k) {
		k = n < 5000 ? n : 5000;
		for (i = 0; i < k; i++)
			b += a += p[i];
		a %= ADLER;
		b %= ADLER;
	}
	return b << 16 | a;
}

int
inflate_zlib(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
	struct stream s = { .p = from + 2, .end = from + n, .to = to,
	    .room = room };
	unsigned int last = 0, kind, i;
	uint32_t sum = 0;
	int bad = n < 6 || (from[0] & 15) != 8 || (from[1] & 32) != 0 ||
	    (from[0] << 8 | from[1]) % 31 != 0;

	while (!bad && !last) {
		last = take(&s, 1);
		kind = take(&s, 2);
		bad = (kind == 0 ? block_stored(&s) : kind == 1 ?
		    block_fixed(&s) : kind == 2 ? block_dynamic(&s) : -1) ==
		    -1 || 8 * s.over > s.nbits;
	}
	if (bad || s.n != room)
		return -1;
	(void)take(&s, s.nbits & 7);
	for (i = 0; i < 4; i++)
		sum = sum << 8 | take(&s, 8);
	return 8 * s.over <= s.nbits && sum == adler(to, room) ? 0 : -1;
}
