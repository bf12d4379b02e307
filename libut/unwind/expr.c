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
 * DWARF expressions, evaluated for a place in code while its rule is made: the
 * program counter is a constant by then, and what is left of the expressions of
 * linkers' stubs, realigned frames and libraries of cryptography is a register
 * and a number, or a word in memory and a number.
 */

#include "rule.h"

#define DEPTH	8

enum {
	OP_DEREF = 0x06, OP_U1 = 0x08, OP_S1, OP_U2, OP_S2, OP_U4, OP_S4,
	OP_ULEB = 0x10, OP_SLEB, OP_DUP, OP_AND = 0x1a, OP_MINUS = 0x1c,
	OP_OR = 0x21, OP_PLUS, OP_PLUS_ULEB, OP_SHL, OP_EQ = 0x29, OP_GE, OP_GT,
	OP_LE, OP_LT, OP_NE, OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f
};

struct stack {
	struct value	 v[DEPTH];
	unsigned int	 n;
};

static int64_t
plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Combine two constants; the first one becomes the result. */
static bool
combine(unsigned int op, int64_t *a, int64_t b)
{
	switch (op) {
	case OP_AND:	*a &= b; break;
	case OP_OR:	*a |= b; break;
	case OP_SHL:
		*a = (uint64_t)b < 64 ? (int64_t)((uint64_t)*a << b) : 0;
		break;
	case OP_EQ:	*a = *a == b; break;
	case OP_GE:	*a = *a >= b; break;
	case OP_GT:	*a = *a > b; break;
	case OP_LE:	*a = *a <= b; break;
	case OP_LT:	*a = *a < b; break;
	case OP_NE:	*a = *a != b; break;
	default:	return false;
	}
	return true;
}

/* An operation of two values, of which the result takes the place. */
static bool
operate(unsigned int op, struct stack *s)
{
	struct value *a, *b, t;

	if (s->n < 2)
		return false;
	a = &s->v[s->n - 2];
	b = &s->v[s->n - 1];
	if (op == OP_PLUS && a->kind == VALUE_CONST) {
		t = *a;
		*a = *b;
		*b = t;
	}
	if (b->kind != VALUE_CONST)
		return false;
	s->n--;
	if (op == OP_PLUS || op == OP_MINUS) {
		a->c = plus(a->c, op == OP_PLUS ? b->c :
		    (int64_t)-(uint64_t)b->c);
		return true;
	}
	return a->kind == VALUE_CONST && combine(op, &a->c, b->c);
}

/* A new value, which has none of what there is; false: no such. */
static bool
push(unsigned int op, struct bytes *b, uintptr_t place, struct value *v)
{
	*v = (struct value){ VALUE_CONST, 0, 0, 0 };
	if (op >= OP_LIT0 && op <= OP_LIT31) {
		v->c = op - OP_LIT0;
		return true;
	}
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		v->reg = op - OP_BREG0;
		v->c = ut_bytes_sleb(b);
		if (v->reg != REG_PLACE)
			v->kind = VALUE_REG;
		else
			v->c = plus(v->c, (int64_t)place);
		return true;
	}
	switch (op) {
	case OP_U1:	v->c = (int64_t)ut_bytes_fixed(b, 1); break;
	case OP_S1:	v->c = (int8_t)ut_bytes_fixed(b, 1); break;
	case OP_U2:	v->c = (int64_t)ut_bytes_fixed(b, 2); break;
	case OP_S2:	v->c = (int16_t)ut_bytes_fixed(b, 2); break;
	case OP_U4:	v->c = (int64_t)ut_bytes_fixed(b, 4); break;
	case OP_S4:	v->c = (int32_t)ut_bytes_fixed(b, 4); break;
	case OP_ULEB:	v->c = (int64_t)ut_bytes_leb(b); break;
	case OP_SLEB:	v->c = ut_bytes_sleb(b); break;
	default:	return false;
	}
	return true;
}

static bool
step(struct stack *s, struct bytes *b, uintptr_t place)
{
	const unsigned int op = bytes_one(b);
	struct value *top = s->n > 0 ? &s->v[s->n - 1] : NULL;

	if (op == OP_DEREF) {
		if (top == NULL || top->kind != VALUE_REG)
			return false;
		top->kind = VALUE_DEREF;
		top->d = top->c;
		top->c = 0;
		return true;
	}
	if (op == OP_PLUS_ULEB) {
		if (top != NULL)
			top->c = plus(top->c, (int64_t)ut_bytes_leb(b));
		return top != NULL;
	}
	if (op >= OP_AND && op <= OP_NE)
		return operate(op, s);
	if (s->n == DEPTH)
		return false;
	if (op == OP_DUP && top != NULL)
		s->v[s->n++] = *top;
	else
		return push(op, b, place, &s->v[s->n++]);
	return true;
}

bool
ut_expr(struct bytes b, uintptr_t place, struct value *v)
{
	struct stack s = { .n = 0 };

	while (b.p < b.end)
		if (!step(&s, &b, place))
			return false;
	*v = s.v[0];
	return s.n == 1 && !b.bad;
}
