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
 * The bits of packets, as they are read and as they are written.  The order in
 * which they are counted in a byte is that of the class of streams.
 */

#include <string.h>

#include "../say.h"
#include "export.h"
#include "export_packet.h"

const uint8_t *
bits_in(struct packet *p, uint64_t at, size_t n)
{
	struct ctf_stream *in = p->in;

	ctf_window_seek(in, in->pkt + at);
	ctf_window_limit(in, in->pkt + at + n);
	while (in->fill - in->pos < n)
		if (!ctf_window_more(in))
			die("%s: the file became shorter", in->path);
	return in->buf + in->pos;
}

void
bits_cur(struct packet *p, struct ctf_cur *cur, uint64_t from, uint64_t to)
{
	const size_t n = (size_t)((to + 7) / 8 - from / 8);

	memset(cur, 0, sizeof(*cur));
	cur->p = bits_in(p, from / 8, n);
	cur->end = cur->p + n;
	cur->bit = from % 8;
	cur->s = p->in;
}

/* Where the cursor is. */
static uint64_t
bits_place(const struct packet *p, const struct ctf_cur *cur)
{
	return 8 * (p->in->off - p->in->pkt +
	    (uint64_t)(cur->p - p->in->buf)) + cur->bit;
}

/* The order of the first number in bits; -1: there is none. */
static int
type_order(const struct ctf_type *t)
{
	int big = -1;
	size_t i;

	if (t == NULL || t->bits != 0)
		return t == NULL || t->leb || (t->bits % 8 == 0 &&
		    t->align % 8 == 0) ? -1 : t->big;
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ)
		return type_order(t->elem);
	for (i = 0; i < t->nfields && big == -1; i++)
		big = type_order(t->fields[i].type);
	return big;
}

int
bits_order(const struct ctf_trace *tr, const struct ctf_sclass *sc)
{
	const struct ctf_type *const first[] = { tr->header, sc->packet,
	    sc->header, sc->context };
	int big = -1;
	size_t i;

	for (i = 0; i < BITS_PARTS && big == -1; i++)
		big = type_order(first[i]);
	for (i = 0; i < sc->nevents && big == -1; i++)
		if ((big = type_order(sc->events[i]->context)) == -1)
			big = type_order(sc->events[i]->fields);
	return big == -1 ? tr->big : big;
}

static void
bit_put(uint8_t *p, uint64_t at, int big, int bit)
{
	const uint8_t mask = (uint8_t)(big ? 0x80 >> at % 8 : 1 << at % 8);

	p[at / 8] = bit ? p[at / 8] | mask : p[at / 8] & (uint8_t)~mask;
}

/* In the groups of 7 bits that are there; what does not fit is left. */
static uint64_t
leb_put(uint8_t *p, uint64_t v)
{
	int more;

	do {
		more = *p & 0x80;
		*p++ = (uint8_t)((v & 0x7f) | (unsigned int)more);
		v >>= 7;
	} while (more);
	return v;
}

int
bits_number(uint8_t *p, uint64_t at, const struct ctf_type *t, uint64_t v)
{
	uint32_t i;

	if (t->leb)
		return leb_put(p + at / 8, v) == 0;
	for (i = 0; i < t->bits; i++)
		bit_put(p, at + i, t->big, (int)(v >> (t->big != t->turned ?
		    t->bits - 1 - i : i) & 1));
	return t->bits == 64 || v >> t->bits == 0;
}

static int
bit_get(const uint8_t *p, uint64_t at, int big)
{
	return p[at / 8] >> (big ? 7 - at % 8 : at % 8) & 1;
}

void
bits_put_bytes(struct packet *p, const void *from, size_t n)
{
	if (n > 0 && fwrite(from, n, 1, p->out) != 1)
		export_dir_die(p->path);
}

/* Append so many bits, from that one on. */
static void
bits_put(struct packet *p, const uint8_t *from, uint64_t at, uint64_t n)
{
	const int big = p->big;
	uint64_t whole;

	for (; n > 0; n -= whole, at += whole) {
		if (p->pos % 8 == 0 && at % 8 == 0 && n >= 8) {
			whole = n & ~(uint64_t)7;
			bits_put_bytes(p, from + at / 8, (size_t)(whole / 8));
			p->pos += whole;
			continue;
		}
		whole = 1;
		bit_put(&p->part, p->pos % 8, big, bit_get(from, at, big));
		if (++p->pos % 8 != 0)
			continue;
		/* The head's last bits may be in the same byte. */
		if (p->pos - p->outlen < 8)
			p->head[p->outlen / 8] = p->part;
		bits_put_bytes(p, &p->part, 1);
	}
}

void
bits_copy(struct packet *p, uint64_t from, uint64_t to)
{
	uint64_t at, n;

	for (; from < to; from += n) {
		at = from % 8;
		n = to - from < 8 * BITS_BLOCK ? to - from : 8 * BITS_BLOCK;
		bits_put(p, bits_in(p, from / 8, (size_t)(at + n + 7) / 8), at,
		    n);
	}
}

uint64_t
bits_aligned(uint64_t at, uint64_t align)
{
	return (at + align - 1) & ~(align - 1);
}

void
bits_align(struct packet *p, uint64_t align)
{
	static const uint8_t zero;
	uint64_t n = bits_aligned(p->pos, align) - p->pos, some;

	for (; n > 0; n -= some) {
		some = n < 8 ? n : 8;
		bits_put(p, &zero, 0, some);
	}
}

/*
 * Move a value to the next place that suits it.  What is in it moves with it,
 * unless there is a larger alignment inside: variants have none of their own.
 */
void
bits_move(struct packet *p, struct ctf_cur *cur, const struct ctf_type *t)
{
	const struct ctf_field *f = t->fields;
	const struct ctf_field *end = f == NULL ? f : f + t->nfields;
	struct ctf_cur at;
	uint64_t n;

	(void)ctf_align(cur, t->align);
	bits_align(p, t->align);
	at = *cur;
	if (t->most == t->align) {
		(void)ctf_walk_type(cur, t);
		bits_put(p, at.p, at.bit,
		    bits_place(p, cur) - bits_place(p, &at));
		return;
	}
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ) {
		for (n = ctf_count(cur, t); n > 0; n--)
			bits_move(p, cur, t->elem);
		return;
	}
	if (t->kind == CTF_VARIANT) {
		if ((f = ctf_option(cur, t)) == NULL)
			return;
		end = f + 1;
	}
	for (; f < end; f++) {
		(void)ctf_align(cur, f->type->align);
		if (f->slot != 0 || f->outer != 0)
			ctf_note(cur, f);
		bits_move(p, cur, f->type);
	}
}
