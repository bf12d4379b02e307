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
 * One field of events, by its name: see ctf_field.h.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "ctf_field.h"

/* Is what comes before it always as long, and does it begin at any byte? */
static void
find_offset(struct ctf_field_at *at)
{
	const struct ctf_type *t;
	size_t i, n, off = 0;
	int part;

	for (part = 0; part <= at->part; part++) {
		if ((t = at->parts[part]) == NULL)
			continue;
		if (t->align != 8)
			return;
		n = part < at->part ? t->nfields : at->index;
		for (i = 0; i < n; i++) {
			if (t->fields[i].type->fixed == 0)
				return;
			off += t->fields[i].type->fixed;
		}
	}
	at->isfixed = at->type->align == 8 && at->type->kind != CTF_SEQ;
	at->off = off;
}

int
ctf_field_find(struct ctf_field_at *at, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev, const char *name)
{
	const int context = name[0] == '$';
	const struct ctf_type *t;
	size_t i;

	memset(at, 0, sizeof(*at));
	at->parts[0] = sc->context;
	at->parts[1] = ev->context;
	at->parts[2] = ev->fields;
	for (at->part = context ? 0 : CTF_PARTS - 1;
	    at->part < (context ? CTF_PARTS - 1 : CTF_PARTS); at->part++) {
		t = at->parts[at->part];
		for (i = 0; t != NULL && i < t->nfields; i++) {
			if (t->fields[i].hidden ||
			    strcmp(t->fields[i].name, name + context) != 0)
				continue;
			at->index = i;
			at->type = t->fields[i].type;
			find_offset(at);
			return 1;
		}
	}
	return 0;
}

char *
ctf_field_other(const struct ctf_trace *tr, const char *name)
{
	char *other = name[0] == '$' ? format("%s", name + 1) :
	    format("$%s", name), *text = NULL;
	const struct ctf_eclass *ev;
	struct ctf_field_at at;

	for (; tr != NULL && text == NULL; tr = tr->next)
		for (ev = tr->events; ev != NULL && text == NULL; ev = ev->next)
			if (ctf_sclass(tr, ev->stream) != NULL &&
			    ctf_field_find(&at, ctf_sclass(tr, ev->stream), ev,
			    other))
				text = format(", but there is %s", other);
	free(other);
	return text == NULL ? format("%s", "") : text;
}

/* To where it begins. */
static void
seek(const struct ctf_field_at *at, const struct ctf_stream *s,
    struct ctf_cur *c)
{
	const struct ctf_type *t;
	size_t i;
	int part;

	ctf_cur(c, s);
	if (at->isfixed && c->bit == 0) {
		c->p += at->off;
		return;
	}
	for (part = 0; part <= at->part; part++) {
		if ((t = at->parts[part]) == NULL)
			continue;
		ctf_to(c, t);
		for (i = 0; i < t->nfields; i++)
			if (part == at->part && i == at->index)
				break;
			else
				(void)ctf_walk_field(c, &t->fields[i]);
	}
}

const struct ctf_type *
ctf_chosen(const struct ctf_cur *c, const struct ctf_type *t)
{
	const struct ctf_field *f;

	while (t->kind == CTF_VARIANT) {
		if ((f = ctf_option(c, t)) == NULL)
			return NULL;
		t = f->type;
	}
	return t;
}

/* The number that is there, and its type; NULL: none. */
static const struct ctf_type *
number_here(const struct ctf_field_at *at, const struct ctf_stream *s,
    uint64_t *v)
{
	const struct ctf_type *t;
	struct ctf_cur c;

	seek(at, s, &c);
	if ((t = ctf_chosen(&c, at->type)) == NULL || t->bits == 0)
		return NULL;
	*v = ctf_take(&c, t);
	return t;
}

int
ctf_field_is_cpu(const char *name, const struct ctf_sclass *sc)
{
	return (strcmp(name, "$cpu") == 0 || strcmp(name, "$cpu_id") == 0) &&
	    (sc->who & 1 << ROLE_CPU);
}

int
ctf_field_value(const struct ctf_field_at *at, const struct ctf_stream *s,
    const char *name, double *d)
{
	const int iscpu = at->type == NULL && ctf_field_is_cpu(name, s->class);
	const struct ctf_type *t;
	uint64_t v;

	if (iscpu)
		*d = (double)s->who.cpu;
	if (at->type == NULL || (t = number_here(at, s, &v)) == NULL)
		return iscpu;
	*d = t->kind == CTF_FLOAT ? ctf_real(t, v) : t->sign ?
	    (double)(int64_t)v : (double)v;
	return 1;
}

int
ctf_field_bits(const struct ctf_field_at *at, const struct ctf_stream *s,
    uint64_t *v)
{
	uint64_t any;
	const struct ctf_type *t = number_here(at, s, &any);

	if (t == NULL || t->kind == CTF_FLOAT)
		return 0;
	*v = any;
	return 1;
}

int
ctf_field_is_bytes(const struct ctf_field_at *at)
{
	const struct ctf_type *t = at->type;

	return (t->kind == CTF_ARRAY || t->kind == CTF_SEQ) &&
	    t->elem->kind == CTF_INT && t->elem->fixed == 1;
}

size_t
ctf_field_bytes(const struct ctf_field_at *at, const struct ctf_stream *s,
    uint8_t *buf, size_t size)
{
	const uint8_t *from;
	struct ctf_cur c;
	size_t n;

	seek(at, s, &c);
	ctf_to(&c, at->type);
	from = c.p;
	(void)ctf_walk_type(&c, at->type);
	n = (size_t)(c.p - from);
	if (n > size)
		n = size;
	memcpy(buf, from, n);
	return n;
}

size_t
ctf_field_words(const struct ctf_field_at *at, const struct ctf_stream *s,
    uint64_t *v, size_t most)
{
	struct ctf_cur c;
	size_t n, i;

	seek(at, s, &c);
	n = (size_t)ctf_count(&c, at->type);
	ctf_to(&c, at->type);
	for (i = 0; i < n && i < most; i++) {
		ctf_to(&c, at->type->elem);
		v[i] = ctf_take(&c, at->type->elem);
	}
	return n;
}

static size_t
copy_text(char *buf, size_t size, const uint8_t *s, size_t n)
{
	if (n <= size || size <= CUT_MARK) {
		n = n < size ? n : size;
		memcpy(buf, s, n);
		return n;
	}
	memcpy(buf, s, size - CUT_MARK);
	cut_mark(buf + size - CUT_MARK, s, n);
	return size;
}

size_t
ctf_field_text(const struct ctf_field_at *at, const struct ctf_stream *s,
    char *buf, size_t size)
{
	const struct ctf_label *label;
	const struct ctf_type *t;
	const uint8_t *text;
	struct ctf_cur c;
	char digits[32], *end;
	uint64_t v;
	size_t len;
	int n;

	seek(at, s, &c);
	if ((t = ctf_chosen(&c, at->type)) == NULL)
		return copy_text(buf, size, (const uint8_t *)"-", 1);
	if (ctf_istext(t)) {
		text = ctf_text(&c, t, &len);
		return copy_text(buf, size, text, len);
	}
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ ||
	    t->kind == CTF_STRUCT)
		return copy_text(buf, size, (const uint8_t *)"...", 3);
	v = ctf_take(&c, t);
	if (t->isbool)
		return copy_text(buf, size, (const uint8_t *)(v ? "true" :
		    "false"), v ? 4 : 5);
	label = t->kind == CTF_ENUM ? ctf_label(t, v) : NULL;
	if (label != NULL && label->name[strspn(label->name,
	    "-0123456789")] != '\0')
		return copy_text(buf, size, (const uint8_t *)label->name,
		    strlen(label->name));
	/* A label that looks like a number is told from it. */
	if (label != NULL || t->kind == CTF_FLOAT) {
		n = label != NULL ? snprintf(buf, size, "\"%s\"",
		    label->name) : snprintf(buf, size, "%.17g",
		    ctf_real(t, v));
		return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
	}
	end = t->sign ? ctf_put_i64(digits, (int64_t)v) :
	    ctf_put_u64(digits, v);
	return copy_text(buf, size, (const uint8_t *)digits,
	    (size_t)(end - digits));
}
