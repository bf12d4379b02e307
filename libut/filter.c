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
 * The machine of filters: see filter.h.
 *
 * The verifier goes through a program once, with the types of what is on the
 * stack, so the machine need not look at types, at the ends of the stack, or at
 * the end of the code.  It checks what depends on the fields.
 */

#include "filter.h"

/* Types, as two bits each: the stack fits a word, and its top is lowest. */
#define I	1u
#define D	2u
#define S	3u
#define TWO(under, top)	((under) << 2 | (top))

_Static_assert(FILTER_DEPTH * 2 == 32, "the stack's types fit a uint32_t");
_Static_assert(FILTER_MAX <= UINT16_MAX, "jumps and lengths fit a uint16_t");

/* What an instruction takes, leaves, and has as operands, in bytes. */
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
	[FILTER_MATCH] =	{ S, I, 2 },	/* and the pattern */
	[FILTER_IN] =		{ I, I, 2 },	/* and the ranges */
	[FILTER_ELSE0] =	{ I, 0, 2 },
	[FILTER_ELSE1] =	{ I, 0, 2 },
};

#define RANGE_LEN	8u

static unsigned int
get16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t
get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t
get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * The verifier.
 */

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

/* Those that end here must find the stack as it is. */
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
		n += get16(p);
	else if (op == FILTER_IN)
		n += get16(p) * (size_t)RANGE_LEN;
	if (n > v->len - v->pc ||
	    (v->stack & ((1u << bits(e->in)) - 1)) != e->in)
		return false;
	if ((op == FILTER_ELSE0 || op == FILTER_ELSE1) &&
	    !jump(v, v->pc + n + get16(p)))
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
		n = get32(code - sizeof(uint32_t));
		if (n > len || !program_valid(code, n))
			return false;
	}
	return true;
}

/*
 * The machine.
 */

union value {
	uint64_t		 i;
	double			 d;
	struct {
		const unsigned char *p;
		size_t		 n;
	} s;
};

struct machine {
	const unsigned char	*pc;
	const unsigned char	*fields;
	size_t			 len;		/* of the fields */
	size_t			 cursor;
	const struct filter_env	*env;
	union value		*sp;		/* the next to be pushed */
	union value		 stack[FILTER_DEPTH];
};

/* The field that is n bytes long, at an offset; NULL if it is not there. */
static const unsigned char *
at(const struct machine *m, uint32_t offset, size_t n)
{
	const size_t left = m->len - m->cursor;

	if (offset > left || n > left - offset)
		return NULL;
	return m->fields + m->cursor + offset;
}

/* The NUL of the string at an offset. */
static const unsigned char *
string_end(const struct machine *m, uint32_t offset)
{
	const unsigned char *p = at(m, offset, 1);

	return p == NULL ? NULL :
	    memchr(p, '\0', m->len - (size_t)(p - m->fields));
}

static bool
past_seq(struct machine *m, uint32_t offset, unsigned int size)
{
	const unsigned char *p = at(m, offset, sizeof(uint32_t));
	size_t left;

	if (p == NULL)
		return false;
	left = m->len - (size_t)(p - m->fields) - sizeof(uint32_t);
	if ((uint64_t)get32(p) * size > left)
		return false;
	m->cursor = m->len - left + (size_t)get32(p) * size;
	return true;
}

static bool
move(struct machine *m, unsigned int op)
{
	const uint32_t offset = get32(m->pc);
	const unsigned char *p;

	m->pc += 4;
	switch (op) {
	case FILTER_SEEK:
		if (offset > m->len)
			return false;
		m->cursor = offset;
		return true;
	case FILTER_PAST_STRING:
		if ((p = string_end(m, offset)) == NULL)
			return false;
		m->cursor = (size_t)(p - m->fields) + 1;
		return true;
	default:
		return past_seq(m, offset, *m->pc++);
	}
}

static bool
load_text(struct machine *m, union value *v, unsigned int op)
{
	const uint32_t offset = get32(m->pc);
	const unsigned char *end;
	size_t n = 0;

	m->pc += 4;
	if (op == FILTER_LOAD_TEXT) {
		n = get32(m->pc);
		m->pc += 4;
	}
	if ((v->s.p = at(m, offset, n)) == NULL)
		return false;
	end = op == FILTER_LOAD_STRING ? string_end(m, offset) :
	    n == 0 ? NULL : memchr(v->s.p, '\0', n);
	if (end != NULL)
		n = (size_t)(end - v->s.p);
	v->s.n = n;
	return end != NULL || op == FILTER_LOAD_TEXT;
}

static bool
load_int(struct machine *m, union value *v)
{
	const unsigned int load = *m->pc;
	const unsigned char *p = at(m, get32(m->pc + 1),
	    (size_t)1 << (load & FILTER_L_SIZE));

	m->pc += 5;
	if (p == NULL)
		return false;
	v->i = filter_load(p, load);
	return true;
}

static bool
load_real(struct machine *m, union value *v, unsigned int op)
{
	const size_t n = op == FILTER_LOAD_FLOAT ? sizeof(float) :
	    sizeof(double);
	const unsigned char *p = at(m, get32(m->pc), n);
	float f;

	m->pc += 4;
	if (p == NULL)
		return false;
	if (op == FILTER_LOAD_FLOAT) {
		memcpy(&f, p, sizeof(f));
		v->d = f;
	} else
		memcpy(&v->d, p, sizeof(v->d));
	return true;
}

/* Instructions that push. */
static bool
push(struct machine *m, unsigned int op)
{
	union value *v = m->sp++;

	switch (op) {
	case FILTER_INT:
		v->i = get64(m->pc);
		m->pc += 8;
		return true;
	case FILTER_DOUBLE:
		memcpy(&v->d, m->pc, sizeof(v->d));
		m->pc += 8;
		return true;
	case FILTER_PID:
		v->i = m->env->pid;
		return true;
	case FILTER_TID:
		v->i = m->env->tid;
		return true;
	case FILTER_CPU:
		v->i = m->env->cpu();
		return true;
	case FILTER_PROGRAM:
		v->s.p = (const unsigned char *)m->env->program;
		v->s.n = strlen(m->env->program);
		return true;
	case FILTER_LOAD:
		return load_int(m, v);
	case FILTER_LOAD_FLOAT:
	case FILTER_LOAD_DOUBLE:
		return load_real(m, v, op);
	default:
		return load_text(m, v, op);
	}
}

/* One operand, or a conversion. */
static void
change(struct machine *m, unsigned int op)
{
	union value *v = m->sp - 1;

	if (op == FILTER_UNDER_TO_DOUBLE || op == FILTER_UNDER_UTO_DOUBLE)
		v--;
	switch (op) {
	case FILTER_TO_DOUBLE:
	case FILTER_UNDER_TO_DOUBLE:
		v->d = (double)(int64_t)v->i;
		break;
	case FILTER_UTO_DOUBLE:
	case FILTER_UNDER_UTO_DOUBLE:
		v->d = (double)v->i;
		break;
	case FILTER_NEG:
		v->i = 0 - v->i;
		break;
	case FILTER_INV:
		v->i = ~v->i;
		break;
	case FILTER_NOT:
		v->i = v->i == 0;
		break;
	case FILTER_BOOL:
		v->i = v->i != 0;
		break;
	case FILTER_DNEG:
		v->d = -v->d;
		break;
	default:
		v->i = v->d != 0;
		break;
	}
}

/* The most negative number by -1 wraps, and has no remainder. */
static bool
divide(unsigned int op, uint64_t a, uint64_t b, uint64_t *r)
{
	if (b == 0)
		return false;
	switch (op) {
	case FILTER_DIV:
		*r = b == UINT64_MAX ? 0 - a :
		    (uint64_t)((int64_t)a / (int64_t)b);
		break;
	case FILTER_MOD:
		*r = b == UINT64_MAX ? 0 :
		    (uint64_t)((int64_t)a % (int64_t)b);
		break;
	case FILTER_UDIV:
		*r = a / b;
		break;
	default:
		*r = a % b;
		break;
	}
	return true;
}

static bool
shift(unsigned int op, uint64_t a, uint64_t b, uint64_t *r)
{
	if (b > 63)
		return false;
	if (op == FILTER_SHL)
		*r = a << b;
	else if (op == FILTER_SHR && a >> 63 != 0)
		*r = ~(~a >> b);
	else
		*r = a >> b;
	return true;
}

bool
filter_calc(unsigned int op, uint64_t a, uint64_t b, uint64_t *r)
{
	switch (op) {
	case FILTER_ADD:
		*r = a + b;
		return true;
	case FILTER_SUB:
		*r = a - b;
		return true;
	case FILTER_MUL:
		*r = a * b;
		return true;
	case FILTER_AND:
		*r = a & b;
		return true;
	case FILTER_OR:
		*r = a | b;
		return true;
	case FILTER_XOR:
		*r = a ^ b;
		return true;
	case FILTER_SHL:
	case FILTER_SHR:
	case FILTER_USHR:
		return shift(op, a, b, r);
	default:
		return divide(op, a, b, r);
	}
}

static double
calc_double(unsigned int op, double a, double b)
{
	switch (op) {
	case FILTER_DADD:
		return a + b;
	case FILTER_DSUB:
		return a - b;
	case FILTER_DMUL:
		return a * b;
	default:
		return a / b;
	}
}

/* -1, 0 or 1: of two numbers of one sign, the bits tell. */
static int
compare(uint64_t a, uint64_t b, unsigned int is_signed)
{
	const bool a_below = (is_signed & FILTER_LEFT) != 0 && a >> 63 != 0;
	const bool b_below = (is_signed & FILTER_RIGHT) != 0 && b >> 63 != 0;

	if (a_below != b_below)
		return a_below ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool
holds(unsigned int op, int order)
{
	switch (op) {
	case FILTER_EQ:
		return order == 0;
	case FILTER_NE:
		return order != 0;
	case FILTER_LT:
		return order < 0;
	case FILTER_LE:
		return order <= 0;
	case FILTER_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool
holds_double(unsigned int op, double a, double b)
{
	switch (op) {
	case FILTER_DEQ:
		return a == b;
	case FILTER_DNE:
		return a != b;
	case FILTER_DLT:
		return a < b;
	case FILTER_DLE:
		return a <= b;
	case FILTER_DGT:
		return a > b;
	default:
		return a >= b;
	}
}

/*
 * What is between two stars is looked for once, from where the part before it
 * ended: that takes as long as the string is, whatever the pattern.
 */
bool
filter_glob(const unsigned char *p, size_t np, const unsigned char *s,
    size_t n)
{
	const unsigned char *star, *found;
	size_t len;

	if (np == 0 || (star = memchr(p, '\0', np)) == NULL)
		return np == n && (n == 0 || memcmp(p, s, n) == 0);
	len = (size_t)(star - p);
	if (len > n || (len > 0 && memcmp(p, s, len) != 0))
		return false;
	for (;;) {
		s += len;
		n -= len;
		p += len + 1;
		np -= len + 1;
		if (np == 0)
			return true;
		if ((star = memchr(p, '\0', np)) == NULL)
			return np <= n && memcmp(s + n - np, p, np) == 0;
		len = (size_t)(star - p);
		if ((found = memmem(s, n, p, len)) == NULL)
			return false;
		n -= (size_t)(found - s);
		s = found;
	}
}

static bool
in_ranges(struct machine *m, int64_t v)
{
	unsigned int n = get16(m->pc);
	const unsigned char *p = m->pc + 2;

	m->pc = p + n * (size_t)RANGE_LEN;
	for (; n > 0; n--, p += RANGE_LEN)
		if (v >= (int32_t)get32(p) && v <= (int32_t)get32(p + 4))
			return true;
	return false;
}

static bool
matches(struct machine *m, const union value *v)
{
	const size_t n = get16(m->pc);
	const unsigned char *pattern = m->pc + 2;

	m->pc = pattern + n;
	return filter_glob(pattern, n, v->s.p, v->s.n);
}

/* Two operands give way to one value. */
static bool
combine(struct machine *m, unsigned int op)
{
	const union value *b = --m->sp;
	union value *a = m->sp - 1;

	if (op <= FILTER_UMOD)
		return filter_calc(op, a->i, b->i, &a->i);
	if (op <= FILTER_DDIV)
		a->d = calc_double(op, a->d, b->d);
	else if (op <= FILTER_GE)
		a->i = holds(op, compare(a->i, b->i, *m->pc++));
	else if (op <= FILTER_DGE)
		a->i = holds_double(op, a->d, b->d);
	else
		a->i = a->s.n == b->s.n &&
		    (b->s.n == 0 || memcmp(a->s.p, b->s.p, b->s.n) == 0);
	return true;
}

static void
branch(struct machine *m, unsigned int op)
{
	const unsigned int n = get16(m->pc);
	const bool is = m->sp[-1].i != 0;

	m->pc += 2;
	if (is != (op == FILTER_ELSE1)) {
		m->sp--;
		return;
	}
	m->sp[-1].i = is;
	m->pc += n;
}

/* The instructions are in this order. */
static bool
step(struct machine *m)
{
	const unsigned int op = *m->pc++;

	if (op >= FILTER_SEEK && op <= FILTER_PAST_SEQ)
		return move(m, op);
	if (op <= FILTER_LOAD_TEXT)
		return push(m, op);
	if (op <= FILTER_DBOOL)
		change(m, op);
	else if (op <= FILTER_SAME)
		return combine(m, op);
	else if (op == FILTER_MATCH)
		m->sp[-1].i = matches(m, &m->sp[-1]);
	else if (op == FILTER_IN)
		m->sp[-1].i = in_ranges(m, (int64_t)m->sp[-1].i);
	else
		branch(m, op);
	return true;
}

static bool
run(struct machine *m, const unsigned char *code, size_t n)
{
	const unsigned char *end = code + n;

	m->pc = code;
	m->cursor = 0;
	m->sp = m->stack;
	while (m->pc < end)
		if (!step(m))
			return false;
	return m->stack[0].i != 0;
}

bool
filter_run(const unsigned char *code, size_t len, const unsigned char *fields,
    size_t nfields, const struct filter_env *env)
{
	struct machine m;
	size_t n;

	m.fields = fields;
	m.len = nfields;
	m.env = env;
	for (; len > 0; code += n, len -= n) {
		n = get32(code);
		code += sizeof(uint32_t);
		len -= sizeof(uint32_t);
		if (run(&m, code, n))
			return true;
	}
	return false;
}

/*
 * Most filters are one comparison: these need no machine.
 */

#define LOAD_LEN	6u
#define INT_LEN		9u
#define CMP_LEN		2u
#define IN_LEN		(3u + RANGE_LEN)	/* with one range */

static void
range_load(struct filter_range *r, const unsigned char *p)
{
	r->load = p[1];
	r->offset = get32(p + 2);
}

/* v, signed or not, compared with c, signed or not. */
static void
range_set(struct filter_range *r, unsigned int op, bool v_signed, uint64_t c,
    bool c_signed)
{
	const uint64_t least = v_signed ? UINT64_C(1) << 63 : 0;

	r->low = least;
	r->width = UINT64_MAX;			/* all */
	r->outside = op == FILTER_NE || op == FILTER_LT || op == FILTER_GT;
	if (v_signed != c_signed && c >> 63 != 0) {
		/* No value is equal to c: all are on one side. */
		r->outside = !holds(op, c_signed ? 1 : -1);
	} else if (op == FILTER_EQ || op == FILTER_NE) {
		r->low = c;
		r->width = 0;
	} else if (op == FILTER_LT || op == FILTER_GE) {
		r->low = c;
		r->width = least - 1 - c;	/* to the greatest */
	} else
		r->width = c - least;		/* from the least */
}

/* a < b is b > a. */
static unsigned int
turned(unsigned int op)
{
	switch (op) {
	case FILTER_LT:
		return FILTER_GT;
	case FILTER_LE:
		return FILTER_GE;
	case FILTER_GT:
		return FILTER_LT;
	case FILTER_GE:
		return FILTER_LE;
	default:
		return op;
	}
}

/* The bytes of a comparison that it is, or 0. */
static size_t
range_compare(const unsigned char *p, size_t n, struct filter_range *r)
{
	const size_t len = LOAD_LEN + INT_LEN + CMP_LEN;
	unsigned int op, is_signed;

	if (n < len || (op = p[len - 2]) < FILTER_EQ || op > FILTER_GE)
		return 0;
	is_signed = p[len - 1];
	if (p[0] == FILTER_LOAD && p[LOAD_LEN] == FILTER_INT) {
		range_load(r, p);
		range_set(r, op, (is_signed & FILTER_LEFT) != 0,
		    get64(p + LOAD_LEN + 1), (is_signed & FILTER_RIGHT) != 0);
		return len;
	}
	if (p[0] == FILTER_INT && p[INT_LEN] == FILTER_LOAD) {
		range_load(r, p + INT_LEN);
		range_set(r, turned(op), (is_signed & FILTER_RIGHT) != 0,
		    get64(p + 1), (is_signed & FILTER_LEFT) != 0);
		return len;
	}
	return 0;
}

/* Or of being in one range. */
static size_t
range_in(const unsigned char *p, size_t n, struct filter_range *r)
{
	const size_t len = LOAD_LEN + IN_LEN;
	int64_t low, high;

	if (n < len || p[0] != FILTER_LOAD || p[LOAD_LEN] != FILTER_IN ||
	    get16(p + LOAD_LEN + 1) != 1)
		return 0;
	low = (int32_t)get32(p + LOAD_LEN + 3);
	high = (int32_t)get32(p + LOAD_LEN + 7);
	range_load(r, p);
	r->low = (uint64_t)low;
	r->width = (uint64_t)high - (uint64_t)low;
	r->outside = false;
	return low <= high ? len : 0;
}

bool
filter_is_range(const unsigned char *code, size_t len, struct filter_range *r)
{
	size_t n;

	if (len < sizeof(uint32_t) || get32(code) != len - sizeof(uint32_t))
		return false;
	code += sizeof(uint32_t);
	len -= sizeof(uint32_t);
	if ((n = range_compare(code, len, r)) == 0 &&
	    (n = range_in(code, len, r)) == 0)
		return false;
	for (; n < len; n++) {
		if (code[n] == FILTER_NOT)
			r->outside = !r->outside;
		else if (code[n] != FILTER_BOOL)
			return false;
	}
	r->end = r->offset + (1u << (r->load & FILTER_L_SIZE));
	return r->end > r->offset;		/* not wrapped */
}
