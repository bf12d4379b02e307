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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "common/escape.h"
#include "proto.h"

/* The kind of value that follows a key. */
enum { VARINT, FIXED, BYTES };

static void
make_room(struct message *m, size_t n)
{
	if (m->room - m->n >= n)
		return;
	m->room = 2 * m->room + n;
	m->v = xrealloc(m->v, m->room);
}

static void
put_varint(struct message *m, uint64_t v)
{
	make_room(m, 16);
	for (; v > 0x7f; v >>= 7)
		m->v[m->n++] = (uint8_t)(v | 0x80);
	m->v[m->n++] = (uint8_t)v;
}

void
put_number(struct message *m, uint32_t field, uint64_t v)
{
	put_varint(m, field << 3 | VARINT);
	put_varint(m, v);
}

void
put_fixed(struct message *m, uint32_t field, uint64_t v)
{
	int i;

	put_varint(m, field << 3 | FIXED);
	make_room(m, 8);
	for (i = 0; i < 64; i += 8)
		m->v[m->n++] = (uint8_t)(v >> i);
}

void
put_double(struct message *m, uint32_t field, double d)
{
	uint64_t v;

	memcpy(&v, &d, sizeof(v));
	put_fixed(m, field, v);
}

void
put_bytes(struct message *m, uint32_t field, const void *p, size_t n)
{
	put_varint(m, field << 3 | BYTES);
	put_varint(m, n);
	make_room(m, n);
	if (n > 0)
		memcpy(m->v + m->n, p, n);
	m->n += n;
}

/* Put U+FFFD for each byte that is not UTF-8. */
void
put_utf8(struct message *m, uint32_t field, const char *text, size_t n)
{
	static struct message good;
	const unsigned char *s = (const unsigned char *)text, *at = s;
	const unsigned char *end = s + n;
	int32_t c;

	for (good.n = 0; s < end; at = s) {
		c = utf8_next(&s, end);
		make_room(&good, 4);
		memcpy(good.v + good.n, c == -1 ? (const void *)"\xef\xbf\xbd" :
		    at, c == -1 ? 3 : (size_t)(s - at));
		good.n += c == -1 ? 3 : (size_t)(s - at);
	}
	put_message(m, field, &good);
}

void
put_message(struct message *m, uint32_t field, struct message *inner)
{
	put_bytes(m, field, inner->v, inner->n);
	inner->n = 0;
}

void
write_message(uint32_t field, struct message *inner)
{
	static struct message m;

	put_message(&m, field, inner);
	(void)fwrite(m.v, m.n, 1, stdout);
	m.n = 0;
}

int
id_get(struct ids *ids, uint64_t key, uint64_t *id)
{
	void *v = map_get(&ids->map, key);
	const int isnew = v == NULL;

	if (isnew)
		map_put(&ids->map, key, v = (void *)++ids->n);
	*id = (uintptr_t)v;
	return isnew;
}
