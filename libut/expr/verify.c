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
 * The verifier of filters: see filter.h.
 *
 * It goes through a program once, with the types of what is on the stack, so
 * the machine need not look at types, at the ends of the stack, or at the end
 * of the code.  The machine checks what depends on the fields.
 */

#include "filter.h"

/* Types, as two bits each: the stack fits a word, and its top is lowest. */
#define I	1u
#define D	2u
#define S	3u
#define TWO(under, top)	((under) << 2 | (top))

_Static_assert(FILTER_DEPTH * 2 == 32, "the stack's types fit a uint32_t");
_Static_assert(FILTER_MAX <= UINT16_MAX, "jumps and lengths fit a uint16_t");

/* Values that an instruction takes and leaves, and bytes of its operands. */
static const struct effect {
	uint8_t	 in, out, operands;
} effects[FILTER_OPS] = {
	[FILTER_INT] =		{ 0, I, 8 },
	[FILTER_DOUBLE] =	{ 0, D, 8 },
	[FILTER_PID] =		{ 0, I, 0 },
	[FILTER_TID] =		{ 0, I, 0 },
	[FILTER_CPU] =		{ 0, I, 0 },
	[FILTER_PROGRAM] =	{ 0, S, 0 },
	[FILTER_SEEK] =		{ 0, 0, 4 },
	[FILTER_PAST_STRING] =	{ 0, 0, 4 },
	[FILTER_PAST_SEQ] =	{ 0, 0, 5 },
	[FILTER_LOAD] =		{ 0, I, 5 },
	[FILTER_LOAD_FLOAT] =	{ 0, D, 4 },
	[FILTER_LOAD_DOUBLE] =	{ 0, D, 4 },
	[FILTER_LOAD_STRING] =	{ 0, S, 4 },
	[FILTER_LOAD_TEXT] =	{ 0, S, 8 },
	[FILTER_TO_DOUBLE] =	{ I, D, 0 },
	[FILTER_UTO_DOUBLE] =	{ I, D, 0 },
	[FILTER_UNDER_TO_DOUBLE] = { TWO(I, D), TWO(D, D), 0 },
	[FILTER_UNDER_UTO_DOUBLE] = { TWO(I, D), TWO(D, D), 0 },
	[FILTER_NEG] =		{ I, I, 0 },
	[FILTER_INV] =		{ I, I, 0 },
	[FILTER_NOT] =		{ I, I, 0 },
	[FILTER_BOOL] =		{ I, I, 0 },
	[FILTER_DNEG] =		{ D, D, 0 },
	[FILTER_DBOOL] =	{ D, I, 0 },
	[FILTER_ADD] =		{ TWO(I, I), I, 0 },
	[FILTER_SUB] =		{ TWO(I, I), I, 0 },
	[FILTER_MUL] =		{ TWO(I, I), I, 0 },
	[FILTER_AND] =		{ TWO(I, I), I, 0 },
	[FILTER_OR] =		{ TWO(I, I), I, 0 },
	[FILTER_XOR] =		{ TWO(I, I), I, 0 },
	[FILTER_SHL] =		{ TWO(I, I), I, 0 },
	[FILTER_SHR] =		{ TWO(I, I), I, 0 },
	[FILTER_USHR] =		{ TWO(I, I), I, 0 },
	[FILTER_DIV] =		{ TWO(I, I), I, 0 },
	[FILTER_UDIV] =		{ TWO(I, I), I, 0 },
	[FILTER_MOD] =		{ TWO(I, I), I, 0 },
	[FILTER_UMOD] =		{ TWO(I, I), I, 0 },
	[FILTER_DADD] =		{ TWO(D, D), D, 0 },
	[FILTER_DSUB] =		{ TWO(D, D), D, 0 },
	[FILTER_DMUL] =		{ TWO(D, D), D, 0 },
	[FILTER_DDIV] =		{ TWO(D, D), D, 0 },
	[FILTER_EQ] =		{ TWO(I, I), I, 1 },
	[FILTER_NE] =		{ TWO(I, I), I, 1 },
	[FILTER_LT] =		{ TWO(I, I), I, 1 },
	[FILTER_LE] =		{ TWO(I, I), I, 1 },
	[FILTER_GT] =		{ TWO(I, I), I, 1 },
	[FILTER_GE] =		{ TWO(I, I), I, 1 },
	[FILTER_DEQ] =		{ TWO(D, D), I, 0 },
	[FILTER_DNE] =		{ TWO(D, D), I, 0 },
	[FILTER_DLT] =		{ TWO(D, D), I, 0 },
	[FILTER_DLE] =		{ TWO(D, D), I, 0 },
	[FILTER_DGT] =		{ TWO(D, D), I, 0 },
	[FILTER_DGE] =		{ TWO(D, D), I, 0 },
	[FILTER_SAME] =		{ TWO(S, S), I, 0 },
	[FILTER_MATCH] =	{ S, I, 2 },	/* followed by the pattern */
	[FILTER_IN] =		{ I, I, 2 },	/* followed by the ranges */
	[FILTER_ELSE0] =	{ I, 0, 2 },
	[FILTER_ELSE1] =	{ I, 0, 2 },
	[FILTER_LOAD_STRN] =	{ 0, S, 4 },
	[FILTER_HAS] =		{ 0, 0, 8 },
};

/* A program, and the jumps that have been seen and not come to an end. */
struct verifier {
	const unsigned char	*code;
	size_t			 len;
	size_t			 pc;
	uint32_t		 stack;		/* types */
	unsigned int		 njumps;
	struct {
		size_t		 to;
		uint32_t	 stack;
	} jumps[FILTER_JUMPS];
};

/* Two bits for each of at most two types. */
static unsigned int
bits(unsigned int types)
{
	return types > 3 ? 4 : types > 0 ? 2 : 0;
}

/* Jumps that end here must find the stack as it is. */
static bool
land(struct verifier *v)
{
	unsigned int i = 0;

	while (i < v->njumps) {
		if (v->jumps[i].to > v->pc) {
			i++;
			continue;
		}
		if (v->jumps[i].to < v->pc ||
		    v->jumps[i].stack != v->stack)
			return false;
		v->jumps[i] = v->jumps[--v->njumps];
	}
	return true;
}

static bool
jump(struct verifier *v, size_t to)
{
	if (to > v->len || v->njumps == FILTER_JUMPS)
		return false;
	v->jumps[v->njumps].to = to;
	v->jumps[v->njumps++].stack = v->stack;
	return true;
}

static bool
operands_valid(unsigned int op, const unsigned char *p)
{
	if (op == FILTER_LOAD)
		return *p <= FILTER_L_ALL;
	if (op >= FILTER_EQ && op <= FILTER_GE)
		return *p <= (FILTER_LEFT | FILTER_RIGHT);
	return true;
}

/* One instruction. */
static bool
check(struct verifier *v)
{
	const unsigned char *p = v->code + v->pc;
	const unsigned int op = *p++;
	const struct effect *e;
	size_t n;

	if (op == 0 || op >= FILTER_OPS)
		return false;
	e = &effects[op];
	n = 1u + e->operands;
	if (n > v->len - v->pc || !operands_valid(op, p))
		return false;
	if (op == FILTER_MATCH)
		n += filter_get16(p);
	else if (op == FILTER_IN)
		n += filter_get16(p) * (size_t)FILTER_RANGE;
	if (n > v->len - v->pc ||
	    (v->stack & ((1u << bits(e->in)) - 1)) != e->in)
		return false;
	if ((op == FILTER_ELSE0 || op == FILTER_ELSE1) &&
	    !jump(v, v->pc + n + filter_get16(p)))
		return false;
	v->pc += n;
	v->stack >>= bits(e->in);
	if (e->out == 0)
		return true;
	if (v->stack >> (32 - bits(e->out)) != 0)
		return false;
	v->stack = v->stack << bits(e->out) | e->out;
	return true;
}

static bool
program_valid(const unsigned char *code, size_t len)
{
	struct verifier v;

	v.code = code;
	v.len = len;
	v.pc = 0;
	v.stack = 0;
	v.njumps = 0;
	while (v.pc < len)
		if (!land(&v) || !check(&v))
			return false;
	return land(&v) && v.stack == I;
}

bool
filter_valid(const unsigned char *code, size_t len)
{
	size_t n;

	if (len == 0 || len > FILTER_MAX)
		return false;
	for (; len > 0; code += n, len -= n) {
		if (len < sizeof(uint32_t))
			return false;
		code += sizeof(uint32_t);
		len -= sizeof(uint32_t);
		n = filter_get32(code - sizeof(uint32_t));
		if (n > len || !program_valid(code, n))
			return false;
	}
	return true;
}
