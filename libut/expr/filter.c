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
 */

#include "filter.h"

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
	size_t			 len;		/* bytes of the fields */
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
	if ((uint64_t)filter_get32(p) * size > left)
		return false;
	m->cursor = m->len - left + (size_t)filter_get32(p) * size;
	return true;
}

static bool
move(struct machine *m, unsigned int op)
{
	const uint32_t offset = filter_get32(m->pc);
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
has_element(struct machine *m)
{
	const unsigned char *p = at(m, filter_get32(m->pc), sizeof(uint32_t));

	m->pc += 8;
	return p != NULL && filter_get32(p) > filter_get32(m->pc - 4);
}

static bool
load_text(struct machine *m, union value *v, unsigned int op)
{
	const uint32_t offset = filter_get32(m->pc);
	const unsigned char *end;
	size_t n = 0;

	m->pc += 4;
	if (op == FILTER_LOAD_TEXT) {
		n = filter_get32(m->pc);
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

/* Load a sequence: the number of its bytes is before them. */
static bool
load_strn(struct machine *m, union value *v)
{
	const uint32_t offset = filter_get32(m->pc);
	const unsigned char *p = at(m, offset, sizeof(uint32_t)), *nul;
	size_t n;

	m->pc += 4;
	if (p == NULL)
		return false;
	n = filter_get32(p);
	p += sizeof(uint32_t);
	if (n > m->len - (size_t)(p - m->fields))
		return false;
	if (n > 0 && (nul = memchr(p, '\0', n)) != NULL)
		n = (size_t)(nul - p);
	v->s.p = p;
	v->s.n = n;
	return true;
}

static bool
load_int(struct machine *m, union value *v)
{
	const unsigned int load = *m->pc;
	const unsigned char *p = at(m, filter_get32(m->pc + 1),
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
	const unsigned char *p = at(m, filter_get32(m->pc), n);
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
		v->i = filter_get64(m->pc);
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
	case FILTER_LOAD_STRN:
		return load_strn(m, v);
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
 * The part between two stars is looked for once, from where the part before it
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
in_ranges(struct machine *m, uint64_t v)
{
	unsigned int n = filter_get16(m->pc);
	const unsigned char *p = m->pc + 2;

	m->pc = p + n * (size_t)FILTER_RANGE;
	for (; n > 0; n--, p += FILTER_RANGE)
		if (v - filter_get64(p) <= filter_get64(p + 8))
			return true;
	return false;
}

static bool
matches(struct machine *m, const union value *v)
{
	const size_t n = filter_get16(m->pc);
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
		a->i = filter_holds(op, compare(a->i, b->i, *m->pc++));
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
	const unsigned int n = filter_get16(m->pc);
	const bool is = m->sp[-1].i != 0;

	m->pc += 2;
	if (is != (op == FILTER_ELSE1)) {
		m->sp--;
		return;
	}
	m->sp[-1].i = is;
	m->pc += n;
}

/* The instructions are in this order, but for the last two. */
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
		m->sp[-1].i = in_ranges(m, m->sp[-1].i);
	else if (op == FILTER_LOAD_STRN)
		return push(m, op);
	else if (op == FILTER_HAS)
		return has_element(m);
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
		n = filter_get32(code);
		code += sizeof(uint32_t);
		len -= sizeof(uint32_t);
		if (run(&m, code, n))
			return true;
	}
	return false;
}
