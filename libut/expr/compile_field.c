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
 * The code of a filter, and the loads of fields in it.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler.h"
#define UT_NO_EVENTS
#include "../ut.h"

struct place {
	size_t		 segment;
	uint64_t	 offset;
};

bool
code_complain(struct compiler *c, const char *fmt, ...)
{
	va_list ap;

	if (!c->bad) {
		va_start(ap, fmt);
		vsnprintf(c->why->text, sizeof(c->why->text), fmt, ap);
		va_end(ap);
	}
	c->bad = true;
	return false;
}

bool
field_complain(struct compiler *c, const struct expr_node *n, const char *hint)
{
	if (!c->bad)
		c->why->lacks = c->e->strings + n->s.at;
	return code_complain(c, "no field %s%s", c->e->strings + n->s.at, hint);
}

/*
 * Code.
 */

void
code_put(struct compiler *c, const void *p, size_t n)
{
	if (n > sizeof(c->code->b) - c->code->len) {
		code_complain(c, "the filters of the event have more than %d "
		    "bytes of code", FILTER_MAX);
		return;
	}
	if (n > 0)
		memcpy(c->code->b + c->code->len, p, n);
	c->code->len += n;
}

void
code_put8(struct compiler *c, unsigned int n)
{
	const uint8_t v = (uint8_t)n;

	code_put(c, &v, sizeof(v));
}

void
code_put16(struct compiler *c, size_t n)
{
	const uint16_t v = (uint16_t)n;

	code_put(c, &v, sizeof(v));
}

void
code_put32(struct compiler *c, uint64_t n)
{
	const uint32_t v = (uint32_t)n;

	code_put(c, &v, sizeof(v));
}

static void
step(struct place *at, const struct expr_field *f)
{
	switch (f->kind) {
	case UT_KIND_STRING:
	case UT_KIND_SEQ:
		at->segment++;
		at->offset = 0;
		break;
	case UT_KIND_TEXT:
	case UT_KIND_ARRAY:
		at->offset += (uint64_t)f->count * f->size;
		break;
	default:
		at->offset += f->size;
		break;
	}
}

/* Move the cursor to the next segment from the beginning of that one. */
static void
move_on(struct compiler *c, size_t segment)
{
	struct place at = { 0, 0 };
	const struct expr_field *f = c->fields;

	while (at.segment < segment || (f->kind != UT_KIND_STRING &&
	    f->kind != UT_KIND_SEQ))
		step(&at, f++);
	code_put8(c, f->kind == UT_KIND_STRING ? FILTER_PAST_STRING :
	    FILTER_PAST_SEQ);
	code_put32(c, at.offset);
	if (f->kind == UT_KIND_SEQ)
		code_put8(c, f->size);
}

static void
move(struct compiler *c, size_t segment)
{
	size_t i = c->segment;

	if (i == NOWHERE || i > segment) {
		code_put8(c, FILTER_SEEK);
		code_put32(c, 0);
		i = 0;
	}
	for (; i < segment; i++)
		move_on(c, i);
	c->segment = segment;
}

const struct expr_field *
field_lookup(const struct compiler *c, const struct expr_node *n)
{
	const char *name = c->e->strings + n->s.at;
	size_t i;

	for (i = 0; i < c->nfields; i++)
		if (strcmp(c->fields[i].name, name) == 0)
			return &c->fields[i];
	return NULL;
}

/* Find the field, with the cursor where its offset is from. */
static const struct expr_field *
find(struct compiler *c, const struct expr_node *n, uint32_t *offset)
{
	const struct expr_field *f = field_lookup(c, n), *before;
	struct place at = { 0, 0 };

	if (f == NULL) {
		field_complain(c, n, "");
		return NULL;
	}
	for (before = c->fields; before < f; before++) {
		step(&at, before);
		if (at.offset > UINT32_MAX) {
			code_complain(c, "the event is too large");
			return NULL;
		}
	}
	*offset = (uint32_t)at.offset;
	move(c, at.segment);
	return f;
}

static bool
emit_int(struct compiler *c, const struct expr_field *f, uint32_t offset,
    struct value *v)
{
	unsigned int load = 0;

	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return code_complain(c, "%s has an unknown size", f->name);
	while (1u << load < f->size)
		load++;
	if ((f->flags & UT_F_SIGNED) != 0)
		load |= FILTER_L_SIGNED;
	else if (f->size == 8)
		v->type = UNSIGNED;
	if (f->kind != UT_KIND_ENUM && (f->flags & UT_F_BE) != 0)
		load |= FILTER_L_BE;
	code_put8(c, FILTER_LOAD);
	code_put8(c, load);
	code_put32(c, offset);
	return true;
}

/* A string, or what is like one? */
static bool
holds_text(const struct expr_field *f)
{
	return f->kind == UT_KIND_STRING || f->kind == UT_KIND_TEXT ||
	    (f->kind == UT_KIND_SEQ && (f->flags & UT_F_TEXT) != 0);
}

static bool
emit_real(struct compiler *c, const struct expr_field *f, uint32_t offset,
    struct value *v)
{
	if (f->size != sizeof(float) && f->size != sizeof(double))
		return code_complain(c, "%s has an unknown size", f->name);
	v->type = REAL;
	code_put8(c, f->size == sizeof(float) ? FILTER_LOAD_FLOAT :
	    FILTER_LOAD_DOUBLE);
	code_put32(c, offset);
	return true;
}

/* One element of a field, which begins there. */
static bool
emit_element(struct compiler *c, const struct expr_field *f, uint32_t offset,
    uint32_t i, struct value *v)
{
	uint64_t at = offset + (uint64_t)i * f->size;

	if ((f->kind != UT_KIND_ARRAY && f->kind != UT_KIND_SEQ) ||
	    holds_text(f) || f->size == 0)
		return code_complain(c, "%s is no array of numbers", f->name);
	if (f->kind == UT_KIND_ARRAY && i >= f->count)
		return code_complain(c, "%s has %u elements, the first of "
		    "which is %s[0]", f->name, f->count, f->name);
	if (f->kind == UT_KIND_SEQ) {
		at += sizeof(uint32_t);
		code_put8(c, FILTER_HAS);
		code_put32(c, offset);
		code_put32(c, i);
	}
	if (at > UINT32_MAX)
		return code_complain(c, "the event is too large");
	return (f->flags & UT_F_FLOAT) != 0 ?
	    emit_real(c, f, (uint32_t)at, v) :
	    emit_int(c, f, (uint32_t)at, v);
}

static bool
emit_text(struct compiler *c, unsigned int op, uint32_t offset,
    struct value *v)
{
	v->type = TEXT;
	code_put8(c, op);
	code_put32(c, offset);
	return true;
}

bool
field_emit(struct compiler *c, const struct expr_node *n, struct value *v)
{
	const struct expr_field *f;
	uint32_t offset;

	if ((f = find(c, n, &offset)) == NULL)
		return false;
	if (n->s.nth > 0)
		return emit_element(c, f, offset, n->s.nth - 1, v);
	switch (f->kind) {
	case UT_KIND_INT:
	case UT_KIND_ENUM:
		return emit_int(c, f, offset, v);
	case UT_KIND_FLOAT:
		return emit_real(c, f, offset, v);
	case UT_KIND_STRING:
		return emit_text(c, FILTER_LOAD_STRING, offset, v);
	case UT_KIND_TEXT:
		emit_text(c, FILTER_LOAD_TEXT, offset, v);
		code_put32(c, f->count);
		return true;
	case UT_KIND_ARRAY:
	case UT_KIND_SEQ:
		if (holds_text(f))
			return emit_text(c, FILTER_LOAD_STRN, offset, v);
		return code_complain(c, "only an element of %s can be used, as "
		    "%s[0]", f->name, f->name);
	default:
		return code_complain(c, "%s is neither a number nor "
		    "text, and cannot be used", f->name);
	}
}

bool
field_is_text(const struct compiler *c, const struct expr_node *n)
{
	const struct expr_field *f;

	if (n->op >= EXPR_FIELD && n->op <= EXPR_PROGRAM &&
	    (f = field_lookup(c, n)) != NULL)
		return n->s.nth == 0 && holds_text(f);
	return n->op == EXPR_PROGRAM;
}
