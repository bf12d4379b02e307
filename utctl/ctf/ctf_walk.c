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
 */

#include <string.h>

#include "ctf.h"

/* To a multiple of so many bytes from the packet's beginning. */
int
ctf_align(struct ctf_cur *c, uint32_t align)
{
	uint64_t pad;

	if (align == 1)
		return 0;
	pad = (0 - (c->bias + (uint64_t)(c->p - c->buf))) & (align - 1);
	if (pad > (uint64_t)(c->end - c->p))
		return -1;
	c->p += pad;
	return 0;
}

static int
walk_skip(struct ctf_cur *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		return -1;
	c->p += n;
	return 0;
}

/*
 * The padding before the first element is there even if no element is.  Every
 * element is a byte at least, so a wrong number soon ends.
 */
static int
walk_elems(struct ctf_cur *c, const struct ctf_type *elem, uint64_t n)
{
	if (ctf_align(c, elem->align) == -1)
		return -1;
	if (elem->fixed != 0) {
		if (n > (uint64_t)(c->end - c->p) / elem->fixed)
			return -1;
		c->p += n * elem->fixed;
		return 0;
	}
	for (; n > 0; n--)
		if (ctf_walk_type(c, elem) == -1)
			return -1;
	return 0;
}

static int
walk_string(struct ctf_cur *c)
{
	const uint8_t *nul;

	if (c->p == c->end ||
	    (nul = memchr(c->p, '\0', (size_t)(c->end - c->p))) == NULL)
		return -1;
	c->p = nul + 1;
	return 0;
}

int
ctf_walk_type(struct ctf_cur *c, const struct ctf_type *t)
{
	switch (t->kind) {
	case CTF_INT:
	case CTF_ENUM:
	case CTF_FLOAT:
		if (ctf_align(c, t->align) == -1)
			return -1;
		return walk_skip(c, t->nbytes);
	case CTF_STRING:
		return walk_string(c);
	case CTF_ARRAY:
		return walk_elems(c, t->elem, t->count);
	case CTF_SEQ:
		return walk_elems(c, t->elem, t->len->val);
	case CTF_STRUCT:
		return ctf_walk(c, t, NULL);
	}
	return -1;
}

/* A field that the reader itself wants. */
static int
walk_noted(struct ctf_cur *c, struct ctf_field *f, struct ctf_vals *v)
{
	const struct ctf_type *t = f->type;
	const uint8_t *from, *nul;
	uint64_t val;
	size_t len;

	if (ctf_align(c, t->align) == -1)
		return -1;
	from = c->p;
	if (ctf_walk_type(c, t) == -1)
		return -1;
	if (t->kind == CTF_INT || t->kind == CTF_ENUM) {
		val = ctf_load(from, t);
		f->val = val;
		if (v != NULL)
			v->val[f->role] = val;
	} else if (v != NULL && f->role == ROLE_UUID)
		v->uuid = from;
	else if (v != NULL) {
		nul = memchr(from, '\0', (size_t)(c->p - from));
		len = (size_t)((nul == NULL ? c->p : nul) - from);
		if (f->role == ROLE_THREAD) {
			v->thread = from;
			v->threadlen = len;
		} else {
			v->name = from;
			v->namelen = len;
		}
	}
	if (v != NULL)
		v->has |= (uint32_t)1 << f->role;
	return 0;
}

/* Past a struct, if all of it is there. */
int
ctf_walk(struct ctf_cur *c, const struct ctf_type *t, struct ctf_vals *v)
{
	struct ctf_field *f = t->fields, *end = f + t->nfields;

	if (ctf_align(c, t->align) == -1)
		return -1;
	while (f < end) {
		if (f->run != 0) {
			if (walk_skip(c, f->runlen) == -1)
				return -1;
			f += f->run;
			continue;
		}
		if (f->role != ROLE_NONE || f->islen) {
			if (walk_noted(c, f, v) == -1)
				return -1;
		} else if (ctf_walk_type(c, f->type) == -1)
			return -1;
		f++;
	}
	return 0;
}

/* Past the length of a sequence, which is noted for that. */
void
ctf_length(struct ctf_cur *c, struct ctf_field *f)
{
	ctf_align(c, f->type->align);
	f->val = ctf_load(c->p, f->type);
	c->p += f->type->nbytes;
}

/* The floating-point number that ctf_load() has read. */
double
ctf_real(const struct ctf_type *t, uint64_t v)
{
	const uint32_t w = (uint32_t)v;
	double d;
	float f;

	if (t->nbytes == 8) {
		memcpy(&d, &v, sizeof(d));
		return d;
	}
	memcpy(&f, &w, sizeof(f));
	return (double)f;
}
