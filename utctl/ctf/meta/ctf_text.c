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
 * Texts: strings, and arrays of characters.  Those in UTF-16 or UTF-32 become
 * UTF-8; what is no character becomes U+FFFD.
 */

#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "ctf_type.h"

#define NOCHAR	0xfffd

int
ctf_istext(const struct ctf_type *t)
{
	return t->kind == CTF_STRING ||
	    ((t->kind == CTF_ARRAY || t->kind == CTF_SEQ) && t->text);
}

/* Two or four bytes. */
uint32_t
ctf_unit(const uint8_t *p, const struct ctf_type *t)
{
	uint32_t v = 0;
	int i;

	for (i = 0; i < t->wide; i++)
		v = v << 8 | p[t->big ? i : t->wide - 1 - i];
	return v;
}

uint8_t *
ctf_put_char(uint8_t *to, uint32_t c)
{
	int n = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint8_t first[] = { 0, 0xc0, 0xe0, 0xf0 };

	*to++ = (uint8_t)(first[n] | c >> 6 * n);
	while (n-- > 0)
		*to++ = (uint8_t)(0x80 | (c >> 6 * n & 0x3f));
	return to;
}

/* No unit becomes more than 4 bytes. */
static size_t
narrow(uint8_t *to, const uint8_t *p, const uint8_t *end,
    const struct ctf_type *t)
{
	const uint8_t *begin = to;
	const size_t wide = (size_t)t->wide;
	uint32_t c, low;

	for (; (size_t)(end - p) >= wide; p += wide) {
		if ((c = ctf_unit(p, t)) == 0)
			break;
		if (wide == 2 && c >= 0xd800 && c < 0xdc00 &&
		    (size_t)(end - p) >= 2 * wide &&
		    (low = ctf_unit(p + wide, t)) >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			p += wide;
		}
		if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			c = NOCHAR;
		to = ctf_put_char(to, c);
	}
	return (size_t)(to - begin);
}

/* The text is there until the call after the next. */
const uint8_t *
ctf_narrow(const uint8_t *from, const uint8_t *end, const struct ctf_type *t,
    size_t *len)
{
	static struct {
		uint8_t	*buf;
		size_t	 size;
	} bufs[2];
	static int turn;
	const size_t need = 4 * (size_t)(end - from) / (size_t)t->wide + 1;

	turn = !turn;
	if (need > bufs[turn].size) {
		bufs[turn].buf = realloc(bufs[turn].buf, 2 * need);
		if (bufs[turn].buf == NULL)
			die_errno("malloc");
		bufs[turn].size = 2 * need;
	}
	*len = narrow(bufs[turn].buf, from, end, t);
	return bufs[turn].buf;
}
