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

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#define UT_NO_EVENTS
#include "ut.h"

_Static_assert(EXPR_DEPTH <= FILTER_DEPTH, "EXPR_DEPTH");
/* Each level of parentheses may be behind an || and an &&. */
_Static_assert((EXPR_NEST + 1) * 2 <= FILTER_JUMPS, "EXPR_NEST");

enum type { SIGNED, UNSIGNED, REAL, TEXT };

struct value {
	enum type	 type;
	bool		 truth;		/* 0 or 1 */
	bool		 constant;	/* an integer, n, and no other code */
	uint64_t	 n;
	size_t		 at;		/* where its code begins */
};

/*
 * Fields of variable length part the others into segments: in one, offsets are
 * known from where it begins, and that is where the cursor is.
 */
#define NOWHERE	SIZE_MAX

struct compiler {
	const struct expr	*e;
	const struct expr_field	*fields;
	size_t			 nfields;
	struct filter_code	*code;
	size_t			 segment;	/* of the cursor, or NOWHERE */
	bool			 bad;
	char			*why;
	size_t			 n;
};

struct place {
	size_t		 segment;
	uint64_t	 offset;
};

static bool	 emit(struct compiler *, uint16_t, struct value *);

/* False, for who returns that.  Only the first error is told. */
static bool __attribute__((format(printf, 2, 3)))
complain(struct compiler *c, const char *fmt, ...)
{
	va_list ap;

	if (!c->bad) {
		va_start(ap, fmt);
		vsnprintf(c->why, c->n, fmt, ap);
		va_end(ap);
	}
	c->bad = true;
	return false;
}

/*
 * Code.
 */

static void
put(struct compiler *c, const void *p, size_t n)
{
	if (n > sizeof(c->code->b) - c->code->len) {
		complain(c, "the filters of the event have more than %d bytes "
		    "of code", FILTER_MAX);
		return;
	}
	if (n > 0)
		memcpy(c->code->b + c->code->len, p, n);
	c->code->len += n;
}

static void
put8(struct compiler *c, unsigned int n)
{
	const uint8_t v = (uint8_t)n;

	put(c, &v, sizeof(v));
}

static void
put16(struct compiler *c, size_t n)
{
	const uint16_t v = (uint16_t)n;

	put(c, &v, sizeof(v));
}

static void
put32(struct compiler *c, uint64_t n)
{
	const uint32_t v = (uint32_t)n;

	put(c, &v, sizeof(v));
}

static void
put_int(struct compiler *c, uint64_t n)
{
	put8(c, FILTER_INT);
	put(c, &n, sizeof(n));
}

/*
 * Operands.
 */

static const struct expr_node *
node(const struct compiler *c, uint16_t i)
{
	return &c->e->nodes[i];
}

/* What the user calls it. */
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
	put8(c, f->kind == UT_KIND_STRING ? FILTER_PAST_STRING :
	    FILTER_PAST_SEQ);
	put32(c, at.offset);
	if (f->kind == UT_KIND_SEQ)
		put8(c, f->size);
}

static void
move(struct compiler *c, size_t segment)
{
	size_t i = c->segment;

	if (i == NOWHERE || i > segment) {
		put8(c, FILTER_SEEK);
		put32(c, 0);
		i = 0;
	}
	for (; i < segment; i++)
		move_on(c, i);
	c->segment = segment;
}

/* The field; $cpu is one if the event has it as a context. */
static const struct expr_field *
lookup(const struct compiler *c, const struct expr_node *n)
{
	const char *name = n->op == EXPR_CPU ? "$cpu" :
	    c->e->strings + n->s.at;
	size_t i;

	for (i = 0; i < c->nfields; i++)
		if (strcmp(c->fields[i].name, name) == 0)
			return &c->fields[i];
	return NULL;
}

/* The same, with the cursor where its offset is from. */
static const struct expr_field *
find(struct compiler *c, const struct expr_node *n, uint32_t *offset)
{
	const struct expr_field *f = lookup(c, n), *before;
	struct place at = { 0, 0 };

	if (f == NULL) {
		complain(c, "no field %s", c->e->strings + n->s.at);
		return NULL;
	}
	for (before = c->fields; before < f; before++) {
		step(&at, before);
		if (at.offset > UINT32_MAX) {
			complain(c, "the event is too large");
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
		return complain(c, "%s has an unknown size", f->name);
	while (1u << load < f->size)
		load++;
	if (f->kind == UT_KIND_ENUM || (f->flags & UT_F_SIGNED) != 0)
		load |= FILTER_L_SIGNED;
	else if (f->size == 8)
		v->type = UNSIGNED;
	if (f->kind == UT_KIND_INT && (f->flags & UT_F_BE) != 0)
		load |= FILTER_L_BE;
	put8(c, FILTER_LOAD);
	put8(c, load);
	put32(c, offset);
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
emit_text(struct compiler *c, unsigned int op, uint32_t offset,
    struct value *v)
{
	v->type = TEXT;
	put8(c, op);
	put32(c, offset);
	return true;
}

static bool
emit_field(struct compiler *c, const struct expr_node *n, struct value *v)
{
	const struct expr_field *f;
	uint32_t offset;

	if ((f = find(c, n, &offset)) == NULL)
		return false;
	switch (f->kind) {
	case UT_KIND_INT:
	case UT_KIND_ENUM:
		return emit_int(c, f, offset, v);
	case UT_KIND_FLOAT:
		if (f->size != sizeof(float) && f->size != sizeof(double))
			return complain(c, "%s has an unknown size", f->name);
		v->type = REAL;
		put8(c, f->size == sizeof(float) ? FILTER_LOAD_FLOAT :
		    FILTER_LOAD_DOUBLE);
		put32(c, offset);
		return true;
	case UT_KIND_STRING:
		return emit_text(c, FILTER_LOAD_STRING, offset, v);
	case UT_KIND_TEXT:
		emit_text(c, FILTER_LOAD_TEXT, offset, v);
		put32(c, f->count);
		return true;
	case UT_KIND_ARRAY:
		return complain(c, "%s is an array, and cannot be used",
		    f->name);
	case UT_KIND_SEQ:
		if (holds_text(f))
			return emit_text(c, FILTER_LOAD_STRN, offset, v);
		return complain(c, "%s is a sequence, and cannot be used",
		    f->name);
	default:
		return complain(c, "%s is of an unknown kind", f->name);
	}
}

/* Text that is a constant is for emit_match. */
static bool
emit_operand(struct compiler *c, const struct expr_node *n, struct value *v)
{
	switch (n->op) {
	case EXPR_INT:
		v->type = n->is_unsigned ? UNSIGNED : SIGNED;
		v->constant = true;
		v->n = n->n;
		put_int(c, n->n);
		return true;
	case EXPR_DOUBLE:
		v->type = REAL;
		put8(c, FILTER_DOUBLE);
		put(c, &n->d, sizeof(n->d));
		return true;
	case EXPR_FIELD:
		return emit_field(c, n, v);
	case EXPR_PID:
		put8(c, FILTER_PID);
		return true;
	case EXPR_TID:
		put8(c, FILTER_TID);
		return true;
	case EXPR_CPU:
		if (lookup(c, n) != NULL)
			return emit_field(c, n, v);
		put8(c, FILTER_CPU);
		return true;
	case EXPR_PROGRAM:
		v->type = TEXT;
		put8(c, FILTER_PROGRAM);
		return true;
	default:
		return complain(c, "text is not a number");
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
		return complain(c, op == EXPR_EQ || op == EXPR_NE ?
		    "%s is text, and compared with a number" :
		    "%s is text, and cannot be used with %s",
		    name_of(c, n, buf, sizeof(buf)), expr_symbol(op));
	if (v->type == REAL && integer)
		return complain(c, "%s has a fraction, and cannot be used "
		    "with %s", name_of(c, n, buf, sizeof(buf)),
		    expr_symbol(op));
	return true;
}

/* As a condition: an integer. */
static bool
emit_condition(struct compiler *c, uint16_t i, struct value *v)
{
	char buf[32];

	if (!emit(c, i, v))
		return false;
	if (v->type == TEXT)
		return complain(c, "%s is text, and not a condition",
		    name_of(c, node(c, i), buf, sizeof(buf)));
	if (v->type == REAL) {
		put8(c, FILTER_DBOOL);
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
		put8(c, FILTER_NOT);
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
		put8(c, FILTER_DNEG);
	else
		put8(c, n->op == EXPR_NEG ? FILTER_NEG : FILTER_INV);
	return true;
}

/* If one is a double, both are. */
static void
meet(struct compiler *c, struct value *l, struct value *r)
{
	if (l->type != REAL && r->type == REAL) {
		put8(c, l->type == SIGNED ? FILTER_UNDER_TO_DOUBLE :
		    FILTER_UNDER_UTO_DOUBLE);
		l->type = REAL;
	} else if (l->type == REAL && r->type != REAL) {
		put8(c, r->type == SIGNED ? FILTER_TO_DOUBLE :
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
		put8(c, instructions[op].real);
		return;
	}
	put8(c, instructions[op].is_signed);
	put8(c, (l->type == SIGNED ? FILTER_LEFT : 0) |
	    (r->type == SIGNED ? FILTER_RIGHT : 0));
}

/* Of integers, to v, which is the left one. */
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
	put8(c, in);
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
		put8(c, instructions[n->op].real);
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
	put8(c, n->op == EXPR_ANDAND ? FILTER_ELSE0 : FILTER_ELSE1);
	put16(c, 0);
	from = c->code->len;
	segment = c->segment;
	if (!emit_condition(c, n->of.right, &r))
		return false;
	if (!r.truth)
		put8(c, FILTER_BOOL);
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

static bool
is_text(const struct compiler *c, const struct expr_node *n)
{
	const struct expr_field *f;

	if (n->op == EXPR_FIELD && (f = lookup(c, n)) != NULL)
		return holds_text(f);
	return n->op == EXPR_PROGRAM;
}

static bool
label_matches(const struct compiler *c, const struct expr_node *text,
    const char *label)
{
	return filter_glob((const unsigned char *)c->e->strings + text->s.at,
	    text->s.len, (const unsigned char *)label, strlen(label));
}

static int
by_low(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ranges that meet are one.  How many there are. */
static size_t
join(int32_t (*r)[2], size_t n)
{
	size_t i, last = 0;

	if (n == 0)
		return 0;
	qsort(r, n, sizeof(r[0]), by_low);
	for (i = 1; i < n; i++) {
		if ((int64_t)r[i][0] > (int64_t)r[last][1] + 1) {
			last++;
			r[last][0] = r[i][0];
			r[last][1] = r[i][1];
		} else if (r[i][1] > r[last][1])
			r[last][1] = r[i][1];
	}
	return last + 1;
}

/* The constant as it was written, but for its escapes. */
static void
complain_label(struct compiler *c, const struct expr_node *text,
    const char *field)
{
	char label[64];
	size_t i;

	for (i = 0; i < text->s.len && i < sizeof(label) - 1; i++) {
		label[i] = c->e->strings[text->s.at + i];
		if (label[i] == '\0')
			label[i] = '*';
	}
	label[i] = '\0';
	complain(c, "%s has no label \"%s\"", field, label);
}

static bool
emit_ranges(struct compiler *c, const struct expr_field *f,
    const struct expr_node *text)
{
	int32_t (*r)[2];
	size_t i, n = 0;
	bool any = false;

	if ((r = calloc(f->nvalues + 1, sizeof(r[0]))) == NULL)
		return complain(c, "no memory");
	for (i = 0; i < f->nvalues; i++) {
		if (!label_matches(c, text, f->values[i].name))
			continue;
		any = true;
		if (f->values[i].low > f->values[i].high)
			continue;		/* of no value */
		r[n][0] = f->values[i].low;
		r[n++][1] = f->values[i].high;
	}
	if (!any)
		complain_label(c, text, f->name);
	n = join(r, n);
	put8(c, FILTER_IN);
	put16(c, n);
	put(c, r, n * sizeof(r[0]));
	free(r);
	return !c->bad;
}

/* A constant text against a field of an enumeration, or another text. */
static bool
emit_match(struct compiler *c, const struct expr_node *text, uint16_t other,
    struct value *v)
{
	const struct expr_node *n = node(c, other);
	const struct expr_field *f = n->op == EXPR_FIELD ? lookup(c, n) : NULL;
	char buf[32];

	if (!emit(c, other, v))
		return false;
	if (f != NULL && f->kind == UT_KIND_ENUM)
		return emit_ranges(c, f, text);
	if (v->type != TEXT)
		return complain(c, "%s is a number, and compared with text",
		    name_of(c, n, buf, sizeof(buf)));
	put8(c, FILTER_MATCH);
	put16(c, text->s.len);
	put(c, c->e->strings + text->s.at, text->s.len);
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
	else if (is_text(c, l) && is_text(c, r)) {
		done = emit(c, n->of.left, v) && emit(c, n->of.right, &second);
		put8(c, FILTER_SAME);
	} else
		return emit_binary(c, n, v);
	if (n->op == EXPR_NE)
		put8(c, FILTER_NOT);
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

static bool
is_missing(const struct compiler *c, const struct expr_node *n)
{
	return n->op == EXPR_FIELD && lookup(c, n) == NULL;
}

/* Text, or a label, may be meant that was written without quotes. */
static bool
wants_text(const struct compiler *c, const struct expr_node *n)
{
	const struct expr_field *f;

	if (n->op == EXPR_FIELD && (f = lookup(c, n)) != NULL &&
	    f->kind == UT_KIND_ENUM)
		return true;
	return is_text(c, n);
}

/*
 * Complain about a field that is not there, before anything else: other errors
 * would follow from that.
 */
static void
check_names(struct compiler *c)
{
	const struct expr_node *n, *l, *r;
	uint16_t i;

	for (i = 0; i < c->e->nnodes; i++) {
		n = node(c, i);
		if (n->op != EXPR_EQ && n->op != EXPR_NE)
			continue;
		l = node(c, n->of.left);
		r = node(c, n->of.right);
		if (is_missing(c, r) && wants_text(c, l))
			complain(c, "no field %s (text and labels need double "
			    "quotes)", c->e->strings + r->s.at);
	}
	for (i = 0; i < c->e->nnodes; i++)
		if (is_missing(c, node(c, i)))
			complain(c, "no field %s",
			    c->e->strings + node(c, i)->s.at);
}

bool
expr_compile(const struct expr *e, const struct expr_field *fields,
    size_t nfields, struct filter_code *code, char *why, size_t n)
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
	c.n = n;
	check_names(&c);
	put32(&c, 0);
	(void)emit_condition(&c, e->root, &v);
	if (c.bad) {
		code->len = was;
		return false;
	}
	len = (uint32_t)(code->len - was - sizeof(len));
	memcpy(code->b + was, &len, sizeof(len));
	return true;
}
