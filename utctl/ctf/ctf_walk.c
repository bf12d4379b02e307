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
 * Types beside the bytes of a packet: where fields are, if all of them is
 * there, and what the bytes of one mean.
 *
 * What is made of whole bytes at bytes takes the short way.  Bits are counted
 * from a byte's lowest one if the byte order is little-endian, else from the
 * highest.
 */

#include <string.h>

#include "ctf_stream.h"

/* To a multiple of so many bits from the packet's beginning. */
int
ctf_align(struct ctf_cur *c, uint32_t align)
{
	uint64_t pad;

	if (c->bit != 0 && c->p == c->end)
		return -1;			/* the byte is not here yet */
	if (align < 8) {
		c->bit = (c->bit + align - 1) & ~(align - 1);
		c->p += c->bit / 8;
		c->bit %= 8;
		return 0;
	}
	if (c->bit != 0) {
		c->bit = 0;
		c->p++;
	}
	pad = (0 - (c->s->off - c->s->pkt + (uint64_t)(c->p - c->s->buf))) &
	    (align / 8 - 1);
	if (pad > (uint64_t)(c->end - c->p))
		return -1;
	c->p += pad;
	return 0;
}

static inline int
walk_align(struct ctf_cur *c, uint32_t align)
{
	return align <= 8 && c->bit == 0 ? 0 : ctf_align(c, align);
}

/* n elements of so many bits. */
static int
walk_bits(struct ctf_cur *c, uint64_t n, uint32_t bits)
{
	const uint64_t left = 8 * (uint64_t)(c->end - c->p);

	if (left < c->bit || n > (left - c->bit) / bits)
		return -1;
	n = n * bits + c->bit;
	c->p += n / 8;
	c->bit = n % 8;
	return 0;
}

/*
 * Past a number of LEB128: groups of 7 bits, the lowest first, and the last has
 * no highest bit.  What does not fit 64 bits is none.
 */
static int
walk_leb(struct ctf_cur *c, const struct ctf_type *t)
{
	uint32_t n;

	for (n = 1; c->p < c->end; n++)
		if ((*c->p++ & 0x80) == 0)
			return n < 10 || (n == 10 && (c->p[-1] <= 1 ||
			    (t->sign && c->p[-1] == 0x7f)) &&
			    !(t->sign && c->p[-1] == 1)) ? 0 : -1;
		else if (n == 10)
			break;
	return -1;
}

static uint64_t
leb_load(const uint8_t *p, const struct ctf_type *t)
{
	uint64_t v = 0;
	uint32_t shift = 0;

	for (; *p & 0x80; p++, shift += 7)
		v |= (uint64_t)(*p & 0x7f) << shift;
	v |= (uint64_t)*p << shift;
	if (t->sign && *p & 0x40 && shift + 7 < 64)
		v |= UINT64_MAX << (shift + 7);
	return v;
}

static int
walk_number(struct ctf_cur *c, const struct ctf_type *t)
{
	if (walk_align(c, t->align) == -1)
		return -1;
	if (t->isbits)
		return t->leb ? walk_leb(c, t) : walk_bits(c, 1, t->bits);
	if (t->nbytes > (size_t)(c->end - c->p))
		return -1;
	c->p += t->nbytes;
	return 0;
}

/* A number whose first bit is that: eight bytes, or nine. */
static uint64_t
bits_load(const uint8_t *p, unsigned int bit, const struct ctf_type *t)
{
	uint64_t v = ctf_word(p, t->big), turned = 0;
	uint32_t i;

	if (t->big) {
		v <<= bit;
		if (bit + t->bits > 64)
			v |= (uint64_t)p[8] >> (8 - bit);
		v >>= t->shift;
	} else {
		v >>= bit;
		if (bit + t->bits > 64)
			v |= (uint64_t)p[8] << (64 - bit);
		v = v << t->shift >> t->shift;
	}
	if (t->turned) {
		for (i = 0; i < t->bits; i++)
			turned |= (v >> i & 1) << (t->bits - 1 - i);
		v = turned;
	}
	if (t->sign && v >> (t->bits - 1) != 0)
		v |= ~(UINT64_MAX >> t->shift);
	return t->isbool ? v != 0 : v;
}

static uint64_t
number_load(const struct ctf_cur *c, const struct ctf_type *t)
{
	return !t->isbits ? ctf_load(c->p, t) : t->leb ? leb_load(c->p, t) :
	    bits_load(c->p, c->bit, t);
}

uint64_t
ctf_take_bits(struct ctf_cur *c, const struct ctf_type *t)
{
	uint64_t v;

	(void)walk_align(c, t->align);
	v = number_load(c, t);
	(void)walk_number(c, t);
	return v;
}

uint64_t
ctf_count(const struct ctf_cur *c, const struct ctf_type *t)
{
	return t->kind == CTF_ARRAY ? t->count : c->s->vals[t->slot];
}

const struct ctf_field *
ctf_option(const struct ctf_cur *c, const struct ctf_type *t)
{
	const struct ctf_label *l = ctf_label(t, c->s->vals[t->slot]);

	return l == NULL ? NULL : &t->fields[l->option];
}

/* Another element of no bits: are they more than a packet may have there? */
static int
is_endless(struct ctf_cur *c)
{
	const struct ctf_stream *s = c->s;

	return c->empty++ >= CTF_EMPTIES && c->empty - CTF_EMPTIES >
	    CTF_EMPTIES / 1024 * (s->off - s->pkt + (uint64_t)(c->p - s->buf));
}

/*
 * The padding before the first element is there even if no element is.  So that
 * a wrong number soon ends, only so many elements may be nothing at all.
 */
static int
walk_elems(struct ctf_cur *c, const struct ctf_type *t)
{
	const struct ctf_type *elem = t->elem;
	const uint8_t *before;
	unsigned int bit;
	uint64_t n;

	if (walk_align(c, t->align) == -1)
		return -1;
	n = ctf_count(c, t);
	if (elem->fixed != 0) {
		if (n > (uint64_t)(c->end - c->p) / elem->fixed)
			return -1;
		c->p += n * elem->fixed;
		return 0;
	}
	if (elem->align == 1 && elem->bits != 0 && !elem->leb)
		return walk_bits(c, n, elem->bits);
	for (; n > 0; n--) {
		before = c->p;
		bit = c->bit;
		if (ctf_walk_type(c, elem) == -1 || (c->p == before &&
		    c->bit == bit && is_endless(c)))
			return -1;
	}
	return 0;
}

static int
walk_wide(struct ctf_cur *c, const struct ctf_type *t)
{
	while ((size_t)(c->end - c->p) >= (size_t)t->wide) {
		c->p += t->wide;
		if (ctf_unit(c->p - t->wide, t) == 0)
			return 0;
	}
	return -1;
}

static int
walk_string(struct ctf_cur *c, const struct ctf_type *t)
{
	const uint8_t *nul;

	if (walk_align(c, 8) == -1 || c->p == c->end)
		return -1;
	if (t->wide)
		return walk_wide(c, t);
	if ((nul = memchr(c->p, '\0', (size_t)(c->end - c->p))) == NULL)
		return -1;
	c->p = nul + 1;
	return 0;
}

/* After ctf_body(). */
const uint8_t *
ctf_text(struct ctf_cur *c, const struct ctf_type *t, size_t *len)
{
	const uint8_t *from;

	ctf_to(c, t);
	from = c->p;
	(void)ctf_walk_type(c, t);
	if (t->wide)
		return ctf_narrow(from, c->p, t, len);
	*len = strnlen((const char *)from, (size_t)(c->p - from));
	return from;
}

/* Note a header's time, of which there may be more bits, or fewer, later. */
static void
note_time(struct ctf_vals *v, uint64_t val, uint32_t bits)
{
	if (v->has & 1 << ROLE_TIME && bits < v->timebits) {
		ctf_clock_update(&v->val[ROLE_TIME], val,
		    UINT64_MAX >> (64 - bits));
		return;
	}
	v->val[ROLE_TIME] = val;
	v->timebits = bits;
}

/* Past a field that is noted. */
static int
walk_noted(struct ctf_cur *c, const struct ctf_field *f)
{
	struct ctf_vals *v = c->found;
	const struct ctf_type *t = f->type;
	const uint8_t *from;
	struct ctf_cur begin;
	uint64_t val;
	size_t len;

	if (walk_align(c, t->align) == -1)
		return -1;
	begin = *c;
	if (ctf_walk_type(c, t) == -1)
		return -1;
	if (t->bits != 0) {
		val = number_load(&begin, t);
		if (f->slot != 0)
			c->s->vals[f->slot] = val;
		if (f->outer != 0)
			c->s->vals[f->outer] = val;
		if (v == NULL)
			return 0;
		if (f->role == ROLE_TIME)
			note_time(v, val, !t->leb ? t->bits :
			    c->p - begin.p > 9 ? 64 :
			    7 * (uint32_t)(c->p - begin.p));
		else
			v->val[f->role] = val;
		v->type[f->role] = t;
		v->at[f->role] = begin.p;
		v->bit[f->role] = (uint8_t)begin.bit;
	} else if (v == NULL)
		return 0;
	else if (f->role == ROLE_UUID)
		v->uuid = begin.p;
	else {
		from = ctf_text(&begin, t, &len);
		if (f->role == ROLE_THREAD) {
			v->thread = from;
			v->threadlen = len;
		} else {
			v->name = from;
			v->namelen = len;
		}
	}
	v->has |= (uint32_t)1 << f->role;
	return 0;
}

/* After ctf_body(): note a length or tag that is yet to be read. */
void
ctf_note(const struct ctf_cur *c, const struct ctf_field *f)
{
	struct ctf_cur ahead = *c;

	ahead.found = NULL;
	(void)walk_noted(&ahead, f);
}

int
ctf_walk_field(struct ctf_cur *c, const struct ctf_field *f)
{
	if (f->role != ROLE_NONE || f->slot != 0 || f->outer != 0)
		return walk_noted(c, f);
	return ctf_walk_type(c, f->type);
}

static int
walk_struct(struct ctf_cur *c, const struct ctf_type *t)
{
	const struct ctf_field *f = t->fields, *end = f + t->nfields;

	if (walk_align(c, t->align) == -1)
		return -1;
	for (; f < end; f++)
		if (ctf_walk_field(c, f) == -1)
			return -1;
	return 0;
}

int
ctf_walk_type(struct ctf_cur *c, const struct ctf_type *t)
{
	const struct ctf_field *f;

	switch (t->kind) {
	case CTF_INT:
	case CTF_ENUM:
	case CTF_FLOAT:
		return walk_number(c, t);
	case CTF_STRING:
		return walk_string(c, t);
	case CTF_ARRAY:
	case CTF_SEQ:
		return walk_elems(c, t);
	case CTF_STRUCT:
		return walk_struct(c, t);
	case CTF_VARIANT:
		if ((f = ctf_option(c, t)) == NULL)
			return t->optional ? 0 : -1;
		return ctf_walk_field(c, f);
	}
	return -1;
}

/* Past a struct, if all of it is there; roles are noted if v is not NULL. */
int
ctf_walk(struct ctf_cur *c, const struct ctf_type *t, struct ctf_vals *v)
{
	c->found = v;
	return walk_struct(c, t);
}

/* The floating-point number that ctf_take() has read. */
double
ctf_real(const struct ctf_type *t, uint64_t v)
{
	const uint32_t w = (uint32_t)v;
	double d;
	float f;

	if (t->bits == 64) {
		memcpy(&d, &v, sizeof(d));
		return d;
	}
	memcpy(&f, &w, sizeof(f));
	return (double)f;
}
