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
 * The compiler of filters: see compile.h.
 *
 * Each part of the tree leaves one value on the stack of the machine.  What is
 * known of it when its code is there is a struct value.
 */

#include <stdio.h>
#include <string.h>

#include "compiler.h"
#define UT_NO_EVENTS
#include "../ut.h"

_Static_assert(EXPR_DEPTH <= FILTER_DEPTH, "EXPR_DEPTH");
/* Each level of parentheses may be behind an || and an &&. */
_Static_assert((EXPR_NEST + 1) * 2 <= FILTER_JUMPS, "EXPR_NEST");

static bool	 emit(struct compiler *, uint16_t, struct value *);

/*
 * Operands.
 */

static void
put_int(struct compiler *c, uint64_t n)
{
	code_put8(c, FILTER_INT);
	code_put(c, &n, sizeof(n));
}

/* The name that the user wrote. */
static const char *
name_of(const struct compiler *c, const struct expr_node *n, char *buf,
    size_t size)
{
	if (n->op == EXPR_FIELD)
		return c->e->strings + n->s.at;
	if (n->op == EXPR_PROGRAM)
		return "$program";
	snprintf(buf, size, "what is at column %u", n->column);
	return buf;
}

/* Text that is a constant is for emit_match. */
static bool
emit_operand(struct compiler *c, const struct expr_node *n, struct value *v)
{
	if (n->op > EXPR_FIELD && field_lookup(c, n) != NULL)
		return field_emit(c, n, v);
	switch (n->op) {
	case EXPR_INT:
		v->type = n->is_unsigned ? UNSIGNED : SIGNED;
		v->constant = true;
		v->n = n->n;
		put_int(c, n->n);
		return true;
	case EXPR_DOUBLE:
		v->type = REAL;
		code_put8(c, FILTER_DOUBLE);
		code_put(c, &n->d, sizeof(n->d));
		return true;
	case EXPR_FIELD:
		return field_emit(c, n, v);
	case EXPR_PID:
		code_put8(c, FILTER_PID);
		return true;
	case EXPR_TID:
		code_put8(c, FILTER_TID);
		return true;
	case EXPR_CPU:
		code_put8(c, FILTER_CPU);
		return true;
	case EXPR_PROGRAM:
		v->type = TEXT;
		code_put8(c, FILTER_PROGRAM);
		return true;
	default:
		return code_complain(c, "text is not a number");
	}
}

/*
 * Operators for numbers.
 */

/* The operand of an operator that wants a number. */
static bool
emit_number(struct compiler *c, uint16_t i, uint8_t op, bool integer,
    struct value *v)
{
	const struct expr_node *n = node(c, i);
	char buf[32];

	if (!emit(c, i, v))
		return false;
	if (v->type == TEXT)
		return code_complain(c, op == EXPR_EQ || op == EXPR_NE ?
		    "%s is text, and compared with a number" :
		    "%s is text, and cannot be used with %s",
		    name_of(c, n, buf, sizeof(buf)), expr_symbol(op));
	if (v->type == REAL && integer)
		return code_complain(c, "%s has a fraction, and cannot be used "
		    "with %s", name_of(c, n, buf, sizeof(buf)),
		    expr_symbol(op));
	return true;
}

/* Emit the node as a condition: an integer. */
static bool
emit_condition(struct compiler *c, uint16_t i, struct value *v)
{
	char buf[32];

	if (!emit(c, i, v))
		return false;
	if (v->type == TEXT)
		return code_complain(c, "%s is text, and not a condition",
		    name_of(c, node(c, i), buf, sizeof(buf)));
	if (v->type == REAL) {
		code_put8(c, FILTER_DBOOL);
		v->truth = true;
	}
	v->type = SIGNED;
	v->constant = false;
	return true;
}

static void
be_truth(struct value *v)
{
	v->type = SIGNED;
	v->truth = true;
	v->constant = false;
}

/* The constant in place of the code that makes it. */
static void
fold(struct compiler *c, struct value *v, uint64_t n)
{
	v->n = n;
	c->code->len = v->at;
	put_int(c, n);
}

static bool
emit_unary(struct compiler *c, const struct expr_node *n, struct value *v)
{
	if (n->op == EXPR_NOT) {
		if (!emit_condition(c, n->of.left, v))
			return false;
		be_truth(v);
		code_put8(c, FILTER_NOT);
		return true;
	}
	if (!emit_number(c, n->of.left, n->op, n->op == EXPR_INV, v))
		return false;
	v->truth = false;
	if (n->op == EXPR_PLUS)
		return true;
	if (v->constant)
		fold(c, v, n->op == EXPR_NEG ? 0 - v->n : ~v->n);
	else if (v->type == REAL)
		code_put8(c, FILTER_DNEG);
	else
		code_put8(c, n->op == EXPR_NEG ? FILTER_NEG : FILTER_INV);
	return true;
}

/* If one is a double, both are. */
static void
meet(struct compiler *c, struct value *l, struct value *r)
{
	if (l->type != REAL && r->type == REAL) {
		code_put8(c, l->type == SIGNED ? FILTER_UNDER_TO_DOUBLE :
		    FILTER_UNDER_UTO_DOUBLE);
		l->type = REAL;
	} else if (l->type == REAL && r->type != REAL) {
		code_put8(c, r->type == SIGNED ? FILTER_TO_DOUBLE :
		    FILTER_UTO_DOUBLE);
		r->type = REAL;
	}
}

/* The instructions of an operator. */
static const struct {
	uint8_t	 is_signed, is_unsigned, real;
} instructions[] = {
	[EXPR_OR] =	{ FILTER_OR, FILTER_OR, 0 },
	[EXPR_XOR] =	{ FILTER_XOR, FILTER_XOR, 0 },
	[EXPR_AND] =	{ FILTER_AND, FILTER_AND, 0 },
	[EXPR_EQ] =	{ FILTER_EQ, FILTER_EQ, FILTER_DEQ },
	[EXPR_NE] =	{ FILTER_NE, FILTER_NE, FILTER_DNE },
	[EXPR_LT] =	{ FILTER_LT, FILTER_LT, FILTER_DLT },
	[EXPR_LE] =	{ FILTER_LE, FILTER_LE, FILTER_DLE },
	[EXPR_GT] =	{ FILTER_GT, FILTER_GT, FILTER_DGT },
	[EXPR_GE] =	{ FILTER_GE, FILTER_GE, FILTER_DGE },
	[EXPR_SHL] =	{ FILTER_SHL, FILTER_SHL, 0 },
	[EXPR_SHR] =	{ FILTER_SHR, FILTER_USHR, 0 },
	[EXPR_ADD] =	{ FILTER_ADD, FILTER_ADD, FILTER_DADD },
	[EXPR_SUB] =	{ FILTER_SUB, FILTER_SUB, FILTER_DSUB },
	[EXPR_MUL] =	{ FILTER_MUL, FILTER_MUL, FILTER_DMUL },
	[EXPR_DIV] =	{ FILTER_DIV, FILTER_UDIV, FILTER_DDIV },
	[EXPR_MOD] =	{ FILTER_MOD, FILTER_UMOD, 0 },
};

static void
emit_compare(struct compiler *c, uint8_t op, const struct value *l,
    const struct value *r)
{
	if (l->type == REAL) {
		code_put8(c, instructions[op].real);
		return;
	}
	code_put8(c, instructions[op].is_signed);
	code_put8(c, (l->type == SIGNED ? FILTER_LEFT : 0) |
	    (r->type == SIGNED ? FILTER_RIGHT : 0));
}

/* Emit the operator for integers, with the result in v, the left one. */
static void
emit_calc(struct compiler *c, uint8_t op, struct value *v,
    const struct value *r)
{
	uint8_t in;
	uint64_t n;

	if (r->type == UNSIGNED && op != EXPR_SHR)
		v->type = UNSIGNED;
	in = v->type == UNSIGNED ? instructions[op].is_unsigned :
	    instructions[op].is_signed;
	if (v->constant && r->constant && filter_calc(in, v->n, r->n, &n)) {
		fold(c, v, n);
		return;
	}
	v->constant = false;
	code_put8(c, in);
}

static bool
emit_binary(struct compiler *c, const struct expr_node *n, struct value *v)
{
	const bool integer = n->op == EXPR_OR || n->op == EXPR_XOR ||
	    n->op == EXPR_AND || n->op == EXPR_SHL || n->op == EXPR_SHR ||
	    n->op == EXPR_MOD;
	struct value r;

	if (!emit_number(c, n->of.left, n->op, integer, v) ||
	    !emit_number(c, n->of.right, n->op, integer, &r))
		return false;
	v->truth = false;
	meet(c, v, &r);
	if (n->op >= EXPR_EQ && n->op <= EXPR_GE) {
		emit_compare(c, n->op, v, &r);
		be_truth(v);
	} else if (v->type == REAL) {
		v->constant = false;
		code_put8(c, instructions[n->op].real);
	} else
		emit_calc(c, n->op, v, &r);
	return true;
}

/* On the way around the right side the cursor stays. */
static bool
emit_logic(struct compiler *c, const struct expr_node *n, struct value *v)
{
	struct value r;
	size_t from, segment;
	uint16_t over;

	if (!emit_condition(c, n->of.left, v))
		return false;
	code_put8(c, n->op == EXPR_ANDAND ? FILTER_ELSE0 : FILTER_ELSE1);
	code_put16(c, 0);
	from = c->code->len;
	segment = c->segment;
	if (!emit_condition(c, n->of.right, &r))
		return false;
	if (!r.truth)
		code_put8(c, FILTER_BOOL);
	be_truth(v);
	if (c->segment != segment)
		c->segment = NOWHERE;
	over = (uint16_t)(c->code->len - from);
	if (!c->bad)
		memcpy(c->code->b + from - sizeof(over), &over, sizeof(over));
	return true;
}

/*
 * Text, and labels.
 */

/* A constant text against a field of an enumeration, or another text. */
static bool
emit_match(struct compiler *c, const struct expr_node *text, uint16_t other,
    struct value *v)
{
	const struct expr_node *n = node(c, other);
	const struct expr_field *f;
	char buf[32];

	if (!emit(c, other, v))
		return false;
	f = n->op == EXPR_FIELD ? field_lookup(c, n) : NULL;
	if (f != NULL && f->kind == UT_KIND_ENUM)
		return label_emit(c, f, text);
	if (v->type != TEXT) {
		if (n->op == EXPR_FIELD && !c->bad)
			c->why->number = c->e->strings + n->s.at;
		return code_complain(c, "%s is a number, and compared with "
		    "text", name_of(c, n, buf, sizeof(buf)));
	}
	code_put8(c, FILTER_MATCH);
	code_put16(c, text->s.len);
	code_put(c, c->e->strings + text->s.at, text->s.len);
	return true;
}

static bool
emit_equal(struct compiler *c, const struct expr_node *n, struct value *v)
{
	const struct expr_node *l = node(c, n->of.left);
	const struct expr_node *r = node(c, n->of.right);
	struct value second;
	bool done;

	if (r->op == EXPR_STRING)
		done = emit_match(c, r, n->of.left, v);
	else if (l->op == EXPR_STRING)
		done = emit_match(c, l, n->of.right, v);
	else if (field_is_text(c, l) && field_is_text(c, r)) {
		done = emit(c, n->of.left, v) && emit(c, n->of.right, &second);
		code_put8(c, FILTER_SAME);
	} else
		return emit_binary(c, n, v);
	if (n->op == EXPR_NE)
		code_put8(c, FILTER_NOT);
	be_truth(v);
	return done;
}

static bool
emit(struct compiler *c, uint16_t i, struct value *v)
{
	const struct expr_node *n = node(c, i);

	memset(v, 0, sizeof(*v));
	v->at = c->code->len;
	if (c->bad)
		return false;
	if (n->op <= EXPR_PROGRAM)
		return emit_operand(c, n, v);
	if (n->op <= EXPR_PLUS)
		return emit_unary(c, n, v);
	if (n->op <= EXPR_ANDAND)
		return emit_logic(c, n, v);
	if (n->op == EXPR_EQ || n->op == EXPR_NE)
		return emit_equal(c, n, v);
	return emit_binary(c, n, v);
}

bool
expr_compile(const struct expr *e, const struct expr_field *fields,
    size_t nfields, struct filter_code *code, struct expr_why *why)
{
	const size_t was = code->len;
	struct compiler c;
	struct value v;
	uint32_t len;

	memset(&c, 0, sizeof(c));
	c.e = e;
	c.fields = fields;
	c.nfields = nfields;
	c.code = code;
	c.why = why;
	why->lacks = why->number = NULL;
	names_check(&c);
	code_put32(&c, 0);
	(void)emit_condition(&c, e->root, &v);
	if (c.bad) {
		code->len = was;
		return false;
	}
	len = (uint32_t)(code->len - was - sizeof(len));
	memcpy(code->b + was, &len, sizeof(len));
	return true;
}
