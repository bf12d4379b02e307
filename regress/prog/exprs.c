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
 * The language of filters against a second opinion: exprs [seed [count]].
 *
 * First tables by hand.  Then so many random trees, each with fields of an
 * event: what the tree is worth is found here, from the values as C has them,
 * and once more from its text by the parser, the compiler, the verifier and the
 * machine.  Trees whose types do not fit come on top, and must be refused.
 */

#include <err.h>
#include <float.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libut/expr/compile.h"
#define UT_NO_EVENTS
#include "../../libut/ut.h"

#define FIELDS		11
#define NODES		512
#define TEXT_MAX	4096		/* before it is cut down to EXPR_MAX */
#define BYTES_MAX	1024

static uint64_t state;
static unsigned long number;		/* of the expression */
static uint64_t seed = 1;

static uint64_t
any64(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned int
any(unsigned int n)
{
	return (unsigned int)(any64() >> 33) % n;
}

static bool
one_in(unsigned int n)
{
	return any(n) == 0;
}

/*
 * Integers, wide enough for signed and unsigned ones.
 */

#ifdef __SIZEOF_INT128__

__extension__ typedef __int128 wide;

static wide
wide_of(uint64_t bits, bool is_unsigned)
{
	return is_unsigned ? (wide)bits : (wide)(int64_t)bits;
}

static uint64_t
wide_bits(wide w)
{
	return (uint64_t)w;
}

static int
wide_order(wide a, wide b)
{
	return (a > b) - (a < b);
}

static uint64_t
wide_calc(char op, wide a, wide b)
{
	switch (op) {
	case '+':
		return (uint64_t)(a + b);
	case '-':
		return (uint64_t)(a - b);
	case '*':	/* of halves, for 128 bits are too few */
		return (uint64_t)(a * (b & 0xffffffff) +
		    ((a * (b >> 32 & 0xffffffff)) & UINT32_MAX) *
		    ((wide)1 << 32));
	case '/':
		return (uint64_t)(a / b);
	default:
		return (uint64_t)(a % b);
	}
}

static double
wide_double(wide a)
{
	return (double)a;
}

/* Two to that power, times a; or the floor of the quotient. */
static uint64_t
wide_shift(char op, wide a, unsigned int n)
{
	const wide power = (wide)1 << n;

	if (op == '<')
		return n == 63 ? (uint64_t)((a & 1) * power) :
		    (uint64_t)((a & UINT64_MAX) * power);
	return (uint64_t)(a >= 0 ? a / power : -((power - 1 - a) / power));
}

#else

/* Sign and magnitude. */
typedef struct {
	bool		 below;
	uint64_t	 n;
} wide;

static wide
wide_of(uint64_t bits, bool is_unsigned)
{
	wide w = { !is_unsigned && bits > INT64_MAX, bits };

	if (w.below)
		w.n = ~bits + 1;
	return w;
}

static uint64_t
wide_bits(wide w)
{
	return w.below ? ~w.n + 1 : w.n;
}

static int
wide_order(wide a, wide b)
{
	int order = (a.n > b.n) - (a.n < b.n);

	if (a.below != b.below)
		return a.below ? -1 : 1;
	return a.below ? -order : order;
}

static uint64_t
wide_calc(char op, wide a, wide b)
{
	wide r = { a.below != b.below, 0 };

	switch (op) {
	case '+':
		return wide_bits(a) + wide_bits(b);
	case '-':
		b.below = !b.below;
		return wide_bits(a) + wide_bits(b);
	case '*':
		for (; b.n > 0; b.n >>= 1, a.n <<= 1)
			if (b.n & 1)
				r.n += a.n;
		return wide_bits(r);
	case '/':
		r.n = a.n / b.n;
		return wide_bits(r);
	default:
		r.below = a.below;
		r.n = a.n % b.n;
		return wide_bits(r);
	}
}

static double
wide_double(wide a)
{
	const double d = (double)a.n;

	return a.below ? -d : d;
}

static uint64_t
wide_shift(char op, wide a, unsigned int n)
{
	if (op == '<') {
		while (n-- > 0)
			a.n *= 2;
		return wide_bits(a);
	}
	for (; n > 0; n--)
		a.n = a.n / 2 + (a.below && a.n % 2 != 0);
	return wide_bits(a);
}

#endif

/*
 * Fields: as the compiler wants them, the value as C has it, and bytes.
 */

static struct expr_field fields[FIELDS];
static size_t nfields;
static struct {
	uint64_t	 n;
	double		 d;
	char		 s[16];
} values[FIELDS];
static unsigned char bytes[BYTES_MAX];
static size_t nbytes;
static char names[FIELDS][8];

static const struct ut_value labels[] = {
	{ "run", 0, 0 }, { "runs", 1, 3 }, { "a*b", 2, 5 }, { "idle", -4, -1 },
	{ "stop", 2147483647, 2147483647 }, { "run", -2147483647 - 1, -9 },
	{ "", 6, 6 }, { "turn", 9, 11 }, { "b", 8, 8 }, { "runt", 2, 2 }
};

#define NLABELS	(sizeof(labels) / sizeof(labels[0]))

/* The same names, of 64 bits: signed, and unsigned. */
static const struct ut_value wide_labels[NLABELS] = {
	{ "run", INT64_MIN, INT64_MIN }, { "runs", INT64_MAX - 2, INT64_MAX },
	{ "a*b", -1, 1 }, { "idle", INT64_MIN, -3 }, { "stop", INT32_MAX, UINT32_MAX },
	{ "run", 5, INT64_MAX }, { "", -2, -2 }, { "turn", 100, 200 },
	{ "b", 201, 300 }, { "runt", INT64_MIN, INT64_MAX }
};
static const struct ut_value unsigned_labels[NLABELS] = {
	{ "run", 0, 0 }, { "runs", INT64_MAX, INT64_MIN }, { "a*b", -2, -1 },
	{ "idle", INT64_MIN, -1 }, { "stop", 250, 255 }, { "run", -5, -5 },
	{ "", 0xffff, 0x10000 }, { "turn", 3, INT64_MAX }, { "b", 1, 2 },
	{ "runt", 0, -1 }
};

static struct filter_env env;

static uint32_t
cpu(void)
{
	return 3;
}

static uint64_t
any_number(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, UINT64_MAX, UINT64_MAX - 1, INT64_MAX,
		UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, INT32_MAX,
		UINT32_MAX, UINT64_C(1) << 32, 63, 64, 255, 128, 65535, 32768
	};
	uint64_t n;

	switch (any(4)) {
	case 0:
		return odd[any(sizeof(odd) / sizeof(odd[0]))];
	case 1:
		n = any64();
		return n >> any(64);
	case 2:
		return 0 - (uint64_t)any(10);
	default:
		return any(10);
	}
}

static double
any_double(void)
{
	static const double odd[] = {
		0.0, 1.0, 0.5, 1e300, 1e-300, 9223372036854775808.0,
		18446744073709551616.0, 4503599627370497.5, 3.0, 1e16
	};

	double d;

	if (one_in(2))
		return odd[any(sizeof(odd) / sizeof(odd[0]))];
	d = any(1000);
	return d / (1 + any(8));
}

static void
any_text(char *s, size_t n)
{
	size_t i;

	n = any((unsigned int)n);
	for (i = 0; i < n; i++)
		s[i] = "aab*/\\\"\303"[any(one_in(4) ? 8 : 3)];
	s[n] = '\0';
}

static void
add_bytes(const void *p, size_t n)
{
	if (n > sizeof(bytes) - nbytes)
		errx(1, "too many bytes");
	if (n > 0)
		memcpy(bytes + nbytes, p, n);
	nbytes += n;
}

/* The low bytes of it, as the machine has them or the network. */
static void
add_int(uint64_t v, size_t size, bool network)
{
	static const union {
		uint16_t	 n;
		unsigned char	 c[2];
	} order = { 1 };
	unsigned char b[8];
	size_t i;

	for (i = 0; i < size; i++)
		b[network || order.c[0] == 0 ? size - 1 - i : i] =
		    (unsigned char)(v >> 8 * i);
	add_bytes(b, size);
}

/* To the size, and back. */
static uint64_t
narrow(uint64_t v, size_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

static void
make_int(struct expr_field *f, size_t i)
{
	f->size = (uint8_t)(1u << any(4));
	f->flags = one_in(2) ? UT_F_SIGNED : one_in(2) ? UT_F_HEX : 0;
	if (one_in(4))
		f->flags |= UT_F_BE;
	values[i].n = narrow(any_number(), f->size, f->flags & UT_F_SIGNED);
	add_int(values[i].n, f->size, f->flags & UT_F_BE);
}

static void
make_enum(struct expr_field *f, size_t i)
{
	const bool is_signed = one_in(2);

	f->size = (uint8_t)(1u << any(4));
	f->flags = is_signed ? UT_F_SIGNED : 0;
	f->values = !is_signed ? unsigned_labels : one_in(2) ? wide_labels :
	    labels;
	f->nvalues = NLABELS;
	values[i].n = narrow(one_in(4) ? any_number() : (uint64_t)
	    f->values[any(NLABELS)].high + any(3) - 1, f->size, is_signed);
	add_int(values[i].n, f->size, false);
}

static void
make_float(struct expr_field *f, size_t i)
{
	const double infinite = DBL_MAX * 2;
	const double odd[] = { infinite - infinite, infinite, -infinite, 0 };
	double d = one_in(8) ? odd[any(4)] : any_double();
	float single;

	if (one_in(3))
		d = -d;
	f->flags = UT_F_SIGNED;
	f->size = one_in(2) ? 4 : 8;
	if (f->size == 4) {
		single = (d > 1e30 || d < -1e30) && d - d == 0 ? 7.25f :
		    (float)d;
		values[i].d = single;
		add_bytes(&single, sizeof(single));
	} else {
		values[i].d = d;
		add_bytes(&d, sizeof(d));
	}
}

static void
make_text(struct expr_field *f, size_t i)
{
	const uint32_t n = any(9);
	char s[16] = "";

	any_text(s, 7);
	strcpy(values[i].s, s);
	f->size = 1;
	if (f->kind == UT_KIND_STRING) {
		add_bytes(s, strlen(s) + 1);
		return;
	}
	if (f->kind == UT_KIND_SEQ) {
		f->flags = UT_F_TEXT;
		add_bytes(&n, sizeof(n));
	} else
		f->count = n;
	s[strlen(s) + 1] = "\0x"[any(2)];	/* behind the NUL */
	add_bytes(s, n);
	values[i].s[n] = '\0';
}

static void
make_many(struct expr_field *f)
{
	const uint32_t n = any(5);
	uint64_t junk = any64();
	uint32_t k;

	f->size = (uint8_t)(1u << any(4));
	f->count = f->kind == UT_KIND_ARRAY ? n : 0;
	if (f->kind == UT_KIND_SEQ)
		add_bytes(&n, sizeof(n));
	for (k = 0; k < n; k++)
		add_bytes(&junk, f->size);
}

static void
make_fields(void)
{
	static char program[16];
	size_t i;

	any_text(program, 6);
	env.program = program;
	env.pid = (uint32_t)any_number();
	env.tid = (uint32_t)any_number();
	env.cpu = cpu;
	nbytes = 0;
	nfields = 1 + any(FIELDS);
	memset(values, 0, sizeof(values));
	for (i = 0; i < nfields; i++) {
		struct expr_field *f = &fields[i];

		memset(f, 0, sizeof(*f));
		snprintf(names[i], sizeof(names[i]), "f%c", (char)('a' + i));
		f->name = names[i];
		f->kind = (uint8_t)(one_in(3) ? UT_KIND_INT : 1 + any(7));
		if (f->kind == UT_KIND_INT)
			make_int(f, i);
		else if (f->kind == UT_KIND_ENUM)
			make_enum(f, i);
		else if (f->kind == UT_KIND_FLOAT)
			make_float(f, i);
		else if (f->kind == UT_KIND_ARRAY ||
		    (f->kind == UT_KIND_SEQ && one_in(2)))
			make_many(f);
		else
			make_text(f, i);
	}
}

/*
 * Trees.
 */

enum kind { INT, REAL, CONST, FIELD, ENV, UNARY, BINARY };

struct node {
	enum kind	 kind;
	const char	*op;		/* or $pid, ... */
	bool		 parens;	/* more than there must be */
	struct node	*left, *right;
	uint64_t	 n;
	double		 d;
	char		 s[16];		/* a star that is none is a 1 */
	size_t		 field;
};

static struct node nodes[NODES];
static size_t nnodes;

static const struct {
	const char	*op;
	int		 level;
} binaries[] = {
	{ "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 }, { "&", 5 },
	{ "==", 6 }, { "!=", 6 }, { "<", 7 }, { "<=", 7 }, { ">", 7 },
	{ ">=", 7 }, { "<<", 8 }, { ">>", 8 }, { "+", 9 }, { "-", 9 },
	{ "*", 10 }, { "/", 10 }, { "%", 10 }
};

#define NBINARIES	(sizeof(binaries) / sizeof(binaries[0]))

static struct node *
new_node(enum kind kind)
{
	struct node *n = &nodes[nnodes++];

	if (nnodes > NODES)
		errx(1, "too many nodes");
	memset(n, 0, sizeof(*n));
	n->kind = kind;
	n->parens = one_in(12);
	return n;
}

static bool
is_text_field(size_t i)
{
	return fields[i].kind == UT_KIND_STRING ||
	    fields[i].kind == UT_KIND_TEXT ||
	    (fields[i].flags & UT_F_TEXT) != 0;
}

/* A field that is good for that, or another operand. */
static struct node *
make_operand(bool text)
{
	static const char *const what[] = { "$pid", "$tid", "$cpu" };
	struct node *n;
	size_t i = any((unsigned int)nfields);

	if (!one_in(3) && is_text_field(i) == text &&
	    fields[i].kind != UT_KIND_ARRAY &&
	    (text || fields[i].kind != UT_KIND_SEQ)) {
		n = new_node(FIELD);
		n->field = i;
	} else if (text || one_in(20)) {
		n = new_node(ENV);
		n->op = text ? "$program" : what[any(3)];
	} else if (one_in(5)) {
		n = new_node(REAL);
		n->d = any_double();
	} else {
		n = new_node(INT);
		n->n = any_number();
	}
	return n;
}

static struct node *
make_const(void)
{
	struct node *n = new_node(CONST);
	size_t i;

	if (one_in(2))
		strcpy(n->s, labels[any(NLABELS)].name);
	else
		any_text(n->s, 6);
	for (i = 0; n->s[i] != '\0'; i++) {
		if (n->s[i] == '*' && one_in(2))
			n->s[i] = 1;
		else if (one_in(4))
			n->s[i] = '*';
	}
	return n;
}

/* A comparison of text, or of an enumeration with text. */
static struct node *
make_text_test(void)
{
	struct node *n = new_node(BINARY);
	const size_t i = any((unsigned int)nfields);

	n->op = one_in(2) ? "==" : "!=";
	if (fields[i].kind == UT_KIND_ENUM) {
		n->left = new_node(FIELD);
		n->left->field = i;
	} else
		n->left = make_operand(true);
	n->right = one_in(3) && fields[i].kind != UT_KIND_ENUM ?
	    make_operand(true) : make_const();
	if (one_in(3)) {
		struct node *l = n->left;

		n->left = n->right;
		n->right = l;
	}
	return n;
}

static struct node *
make_tree(unsigned int depth)
{
	struct node *n;

	if (one_in(12))
		return make_text_test();
	if (depth == 0 || one_in(7))
		return one_in(150) ? make_operand(true) : make_operand(false);
	if (one_in(5)) {
		n = new_node(UNARY);
		n->op = &"!\0~\0-\0+"[any(4) * 2];
		n->left = make_tree(depth - 1);
		return n;
	}
	n = new_node(BINARY);
	n->op = binaries[any(NBINARIES)].op;
	n->left = make_tree(depth - 1);
	n->right = make_tree(depth - 1);
	return n;
}

/* One field, one constant. */
static struct node *
make_range(void)
{
	struct node *n, *f, *c;
	const size_t i = any((unsigned int)nfields);

	if (fields[i].kind != UT_KIND_INT && fields[i].kind != UT_KIND_ENUM)
		return make_tree(2);
	if (fields[i].kind == UT_KIND_ENUM && one_in(2))
		return make_text_test();
	f = new_node(FIELD);
	f->field = i;
	c = new_node(INT);
	c->n = one_in(2) ? values[i].n + any(3) - 1 : any_number();
	if (one_in(4)) {
		n = new_node(UNARY);
		n->op = "-";
		n->left = c;
		c->n = 0 - c->n;
		c = n;
	}
	n = new_node(BINARY);
	n->op = binaries[5 + any(6)].op;
	n->left = one_in(2) ? f : c;
	n->right = n->left == f ? c : f;
	return n;
}

static int
level_of(const struct node *n)
{
	size_t i;

	if (n->kind != BINARY)
		return n->kind == UNARY ? 11 : 12;
	for (i = 0; strcmp(binaries[i].op, n->op) != 0; i++)
		continue;
	return binaries[i].level;
}

static char text[TEXT_MAX];
static size_t ntext;

static void
say(const char *s)
{
	if (one_in(6) && ntext < sizeof(text) - 2)
		text[ntext++] = " \t\n "[any(4)];
	for (; *s != '\0' && ntext < sizeof(text) - 1; s++)
		text[ntext++] = *s;
	text[ntext] = '\0';
}

static void
say_leaf(const struct node *n)
{
	static const char *const how[] = {
		"%" PRIu64, "0x%" PRIx64, "0%" PRIo64
	};
	char s[64];
	size_t i, k = 0;

	switch (n->kind) {
	case INT:
		snprintf(s, sizeof(s), how[one_in(2) ? 0 : any(3)], n->n);
		break;
	case REAL:
		snprintf(s, sizeof(s) - 2, "%.17g", n->d);
		if (strpbrk(s, ".e") == NULL)
			strcat(s, one_in(2) ? "." : ".0");
		break;
	case CONST:
		s[k++] = '"';
		for (i = 0; n->s[i] != '\0'; i++) {
			if (n->s[i] == '"' || n->s[i] == '\\' || n->s[i] == 1)
				s[k++] = '\\';
			s[k++] = n->s[i] == 1 ? '*' : n->s[i];
		}
		s[k++] = '"';
		s[k] = '\0';
		break;
	default:
		snprintf(s, sizeof(s), "%s", n->kind == FIELD ?
		    names[n->field] : n->op);
		break;
	}
	say(s);
}

/* In parentheses if it binds less. */
static void
say_tree(const struct node *n, int least)
{
	const int level = level_of(n);
	const bool parens = n->parens || level < least;

	if (parens)
		say("(");
	if (n->kind == UNARY) {
		say(n->op);
		say_tree(n->left, 11);
	} else if (n->kind == BINARY) {
		say_tree(n->left, level);
		say(n->op);
		say_tree(n->right, level + 1);
	} else
		say_leaf(n);
	if (parens)
		say(")");
}

/*
 * What it is worth.
 */

enum type { NONE, SIGNED, UNSIGNED, DOUBLE, STRING };

struct worth {
	enum type	 type;
	wide		 w;
	double		 d;
	const char	*s;
};

static bool
matches(const char *pattern, const char *s)
{
	if (*pattern == '\0')
		return *s == '\0';
	if (*pattern == '*')
		return matches(pattern + 1, s) ||
		    (*s != '\0' && matches(pattern, s + 1));
	return *s != '\0' && (*pattern == 1 ? '*' : *pattern) == *s &&
	    matches(pattern + 1, s + 1);
}

static bool
is_op(const struct node *n, const char *ops)
{
	const char *p = strstr(ops, n->op);

	/* Each in the list has a blank around it. */
	return p != NULL && p[-1] == ' ' && p[strlen(n->op)] == ' ';
}

static bool
is_enum(const struct node *n)
{
	return n->kind == FIELD && fields[n->field].kind == UT_KIND_ENUM;
}

static bool
has_label(const struct node *n)
{
	size_t i;

	for (i = 0; i < NLABELS; i++)
		if (matches(n->s, labels[i].name))
			return true;
	return false;
}

static enum type
field_type(const struct expr_field *f)
{
	switch (f->kind) {
	case UT_KIND_INT:
	case UT_KIND_ENUM:
		return f->size == 8 && (f->flags & UT_F_SIGNED) == 0 ?
		    UNSIGNED : SIGNED;
	case UT_KIND_FLOAT:
		return DOUBLE;
	case UT_KIND_STRING:
	case UT_KIND_TEXT:
		return STRING;
	case UT_KIND_SEQ:
		return (f->flags & UT_F_TEXT) != 0 ? STRING : NONE;
	default:
		return NONE;
	}
}

static enum type	 type_of(const struct node *);

static enum type
type_of_binary(const struct node *n)
{
	const enum type l = type_of(n->left), r = type_of(n->right);

	if (l == NONE || r == NONE)
		return NONE;
	if (is_op(n, " == != ") && (l == STRING || r == STRING)) {
		if (n->left->kind == CONST && n->right->kind == CONST)
			return NONE;
		if (n->left->kind == CONST && is_enum(n->right))
			return has_label(n->left) ? SIGNED : NONE;
		if (n->right->kind == CONST && is_enum(n->left))
			return has_label(n->right) ? SIGNED : NONE;
		return l == r ? SIGNED : NONE;
	}
	if (l == STRING || r == STRING)
		return NONE;
	if (is_op(n, " == != < <= > >= && || "))
		return SIGNED;
	if (is_op(n, " % & | ^ << >> ") && (l == DOUBLE || r == DOUBLE))
		return NONE;
	if (l == DOUBLE || r == DOUBLE)
		return DOUBLE;
	if (is_op(n, " >> "))
		return l;
	return l == UNSIGNED || r == UNSIGNED ? UNSIGNED : SIGNED;
}

/* The constant that has no positive counterpart. */
static bool
is_least(const struct node *n)
{
	return n->kind == UNARY && is_op(n, " - ") && n->left->kind == INT &&
	    !n->left->parens && n->left->n == UINT64_C(1) << 63;
}

static enum type
type_of(const struct node *n)
{
	enum type t;

	switch (n->kind) {
	case INT:
		return n->n > INT64_MAX ? UNSIGNED : SIGNED;
	case REAL:
		return DOUBLE;
	case CONST:
		return STRING;
	case FIELD:
		return field_type(&fields[n->field]);
	case ENV:
		return strcmp(n->op, "$program") == 0 ? STRING : SIGNED;
	case BINARY:
		return type_of_binary(n);
	default:
		break;
	}
	if ((t = type_of(n->left)) == STRING ||
	    (t == DOUBLE && is_op(n, " ~ ")))
		return NONE;
	if (is_least(n))
		return SIGNED;
	return t != NONE && is_op(n, " ! ") ? SIGNED : t;
}

static bool	 worth_of(const struct node *, struct worth *);

static struct worth
integer(uint64_t bits, enum type type)
{
	struct worth v = { type, wide_of(bits, type == UNSIGNED), 0, NULL };

	return v;
}

static bool
is_true(const struct worth *v)
{
	if (v->type == DOUBLE)
		return !(v->d == 0);
	return wide_bits(v->w) != 0;
}

static void
to_double(struct worth *v)
{
	if (v->type != DOUBLE)
		v->d = wide_double(v->w);
	v->type = DOUBLE;
}

static bool
labelled(const struct node *text_node, const struct node *field,
    const struct worth *v)
{
	const struct expr_field *f = &fields[field->field];
	const bool is_unsigned = f->flags == 0;
	size_t i;

	for (i = 0; i < NLABELS; i++)
		if (wide_order(v->w, wide_of((uint64_t)f->values[i].low,
		    is_unsigned)) >= 0 && wide_order(v->w, wide_of(
		    (uint64_t)f->values[i].high, is_unsigned)) <= 0 &&
		    matches(text_node->s, f->values[i].name))
			return true;
	return false;
}

static bool
text_equal(const struct node *n, const struct worth *l, const struct worth *r)
{
	if (is_enum(n->left))
		return labelled(n->right, n->left, l);
	if (is_enum(n->right))
		return labelled(n->left, n->right, r);
	if (n->left->kind == CONST)
		return matches(n->left->s, r->s);
	if (n->right->kind == CONST)
		return matches(n->right->s, l->s);
	return strcmp(l->s, r->s) == 0;
}

/* Is that order (2: none) what the operator asks for? */
static bool
asked(const struct node *n, int order)
{
	if (is_op(n, " == "))
		return order == 0;
	if (is_op(n, " != "))
		return order != 0;
	return (order == -1 && is_op(n, " < <= ")) ||
	    (order == 1 && is_op(n, " > >= ")) ||
	    (order == 0 && is_op(n, " <= >= "));
}

static bool
worth_of_doubles(const struct node *n, double a, double b, struct worth *v)
{
	if (is_op(n, " == != < <= > >= ")) {
		*v = integer(asked(n, a < b ? -1 : a > b ? 1 : a == b ? 0 : 2),
		    SIGNED);
		return true;
	}
	v->type = DOUBLE;
	v->d = *n->op == '+' ? a + b : *n->op == '-' ? a - b :
	    *n->op == '*' ? a * b : a / b;
	return true;
}

static bool
worth_of_integers(const struct node *n, const struct worth *a,
    const struct worth *b, struct worth *v)
{
	const enum type t = type_of(n);
	const uint64_t x = wide_bits(a->w), y = wide_bits(b->w);

	if (is_op(n, " == != < <= > >= "))
		*v = integer(asked(n, wide_order(a->w, b->w)), SIGNED);
	else if (is_op(n, " << >> ")) {
		if (wide_order(b->w, wide_of(0, false)) < 0 ||
		    wide_order(b->w, wide_of(63, false)) > 0)
			return false;
		*v = integer(wide_shift(*n->op, a->w, (unsigned int)y), t);
	} else if (is_op(n, " & | ^ "))
		*v = integer(*n->op == '&' ? x & y : *n->op == '|' ? x | y :
		    (x | y) & ~(x & y), t);
	else if (is_op(n, " / % ")) {
		if (y == 0)
			return false;
		*v = integer(wide_calc(*n->op, wide_of(x, t == UNSIGNED),
		    wide_of(y, t == UNSIGNED)), t);
	} else
		*v = integer(wide_calc(*n->op, a->w, b->w), t);
	return true;
}

static bool
worth_of_binary(const struct node *n, struct worth *v)
{
	struct worth l, r;

	if (!worth_of(n->left, &l))
		return false;
	if (is_op(n, " && || ")) {
		if (is_true(&l) == (*n->op == '|')) {
			*v = integer(*n->op == '|', SIGNED);
			return true;
		}
		if (!worth_of(n->right, &r))
			return false;
		*v = integer(is_true(&r), SIGNED);
		return true;
	}
	if (!worth_of(n->right, &r))
		return false;
	if (l.type == STRING || r.type == STRING) {
		*v = integer(text_equal(n, &l, &r) == is_op(n, " == "),
		    SIGNED);
		return true;
	}
	if (l.type == DOUBLE || r.type == DOUBLE) {
		to_double(&l);
		to_double(&r);
		return worth_of_doubles(n, l.d, r.d, v);
	}
	return worth_of_integers(n, &l, &r, v);
}

static bool
worth_of_unary(const struct node *n, struct worth *v)
{
	if (is_least(n)) {
		*v = integer(UINT64_C(1) << 63, SIGNED);
		return true;
	}
	if (!worth_of(n->left, v))
		return false;
	if (*n->op == '!')
		*v = integer(!is_true(v), SIGNED);
	else if (*n->op == '-' && v->type == DOUBLE)
		v->d = -v->d;
	else if (*n->op == '-')
		*v = integer(wide_calc('-', wide_of(0, false), v->w), v->type);
	else if (*n->op == '~')
		*v = integer(UINT64_MAX - wide_bits(v->w), v->type);
	return true;
}

/* False: the whole is false.  For trees that have a type. */
static bool
worth_of(const struct node *n, struct worth *v)
{
	memset(v, 0, sizeof(*v));
	switch (n->kind) {
	case UNARY:
		return worth_of_unary(n, v);
	case BINARY:
		return worth_of_binary(n, v);
	case INT:
		*v = integer(n->n, type_of(n));
		return true;
	case FIELD:
		*v = integer(values[n->field].n, type_of(n));
		v->d = values[n->field].d;
		v->s = values[n->field].s;
		return true;
	case ENV:
		*v = integer(n->op[1] == 't' ? env.tid : n->op[1] == 'c' ?
		    cpu() : env.pid, type_of(n));
		v->s = env.program;
		return true;
	default:
		v->type = type_of(n);
		v->d = n->d;
		v->s = n->s;
		return true;
	}
}

/*
 * The other opinion.
 */

static void __attribute__((noreturn))
disagree(const char *why)
{
	size_t i;

	printf("seed %" PRIu64 ", expression %lu: %s\n%s\n", seed, number, why,
	    text);
	for (i = 0; i < nfields; i++)
		printf("%s kind %u size %u flags %u: %" PRIx64 " %g '%s'\n",
		    fields[i].name, fields[i].kind, fields[i].size,
		    fields[i].flags, values[i].n, values[i].d, values[i].s);
	exit(1);
}

static unsigned long nranges, ninvalid, ntrue, nfailed;

/* Run it on the first so many bytes, and not one more is there. */
static bool
passes(const struct filter_code *code, size_t n)
{
	unsigned char *p = malloc(n + 1), *at;
	struct filter_range r;
	bool pass;

	if (p == NULL)
		err(1, NULL);
	at = p + 1;			/* not aligned */
	memcpy(at, bytes, n);
	pass = filter_run(code->b, code->len, at, n, &env);
	if (filter_is_range(code->b, code->len, &r)) {
		nranges++;
		if (filter_in_range(&r, at, n) != pass)
			disagree("the range is not what the code is");
	}
	free(p);
	return pass;
}

/* Append it; false: it is none. */
static bool
translate(struct filter_code *code, char *why, size_t n)
{
	const size_t was = code->len;
	struct expr *e = expr_parse(text, why, n);
	struct expr_why reason;
	bool good;

	if (e == NULL)
		return false;
	if (!(good = expr_compile(e, fields, nfields, code, &reason)))
		snprintf(why, n, "%s", reason.text);
	expr_free(e);
	if (!good && code->len != was)
		disagree("something is left of it");
	return good;
}

static void
compare(bool simple)
{
	static struct filter_code code;
	const struct node *tree;
	struct worth v;
	char why[256] = "";
	bool want, alone = true;

	do {
		nnodes = ntext = 0;
		tree = simple ? make_range() : make_tree(1 + any(6));
		say_tree(tree, 0);
	} while (ntext >= EXPR_MAX);
	if (!one_in(10) || code.len > 2000)
		code.len = 0;
	else
		alone = code.len == 0 || !passes(&code, nbytes);
	if (type_of(tree) == NONE || type_of(tree) == STRING) {
		if (translate(&code, why, sizeof(why)))
			disagree("it is none");
		ninvalid++;
		code.len = 0;
		return;
	}
	if (!translate(&code, why, sizeof(why)))
		disagree(why);
	if (!filter_valid(code.b, code.len))
		disagree("its code is not valid");
	want = worth_of(tree, &v);
	nfailed += !want;
	want = want && is_true(&v);
	ntrue += want;
	if (passes(&code, nbytes) != (want || !alone))
		disagree(want ? "not true" : "not false");
	if (one_in(4))
		(void)passes(&code, any((unsigned int)nbytes + 1));
}

/*
 * By hand.
 */

static void
fixed_fields(void)
{
	static const struct expr_field some[] = {
		{ "status", UT_KIND_INT, 4, UT_F_SIGNED, 0, NULL, 0 },
		{ "port", UT_KIND_INT, 2, UT_F_BE, 0, NULL, 0 },
		{ "path", UT_KIND_STRING, 1, 0, 0, NULL, 0 },
		{ "id", UT_KIND_INT, 8, 0, 0, NULL, 0 },
		{ "rows", UT_KIND_SEQ, 4, 0, 0, NULL, 0 },
		{ "load", UT_KIND_FLOAT, 8, UT_F_SIGNED, 0, NULL, 0 },
		{ "state", UT_KIND_ENUM, 4, UT_F_SIGNED, 0, labels, NLABELS },
		{ "word", UT_KIND_TEXT, 1, 0, 4, NULL, 0 },
		{ "pair", UT_KIND_ARRAY, 2, UT_F_SIGNED | UT_F_BE, 2, NULL, 0 },
		{ "real", UT_KIND_ARRAY, 8, UT_F_SIGNED | UT_F_FLOAT, 1, NULL,
		    0 },
		{ "key", UT_KIND_SEQ, 1, UT_F_TEXT, 0, NULL, 0 },
	};
	const double d = 0.5;
	uint32_t n = 2;

	nfields = sizeof(some) / sizeof(some[0]);
	memcpy(fields, some, sizeof(some));
	env.program = "nginx";
	env.pid = 7;
	env.tid = 8;
	env.cpu = cpu;
	nbytes = 0;
	add_int(503, 4, false);
	add_int(0x102, 2, true);
	add_bytes("/api/v1", 8);
	add_int(UINT64_MAX - 1, 8, false);
	add_bytes(&n, sizeof(n));
	add_int(4, 4, false);
	add_int(4294967295, 4, false);
	add_bytes(&d, sizeof(d));
	add_int(2, 4, false);
	add_bytes("full", 4);
	add_int(0x102, 2, true);
	add_int((uint64_t)-2, 2, true);
	add_bytes(&d, sizeof(d));
	n = 8;
	add_bytes(&n, sizeof(n));
	add_bytes("user:17", 8);
}

static const struct {
	const char	*text;
	int		 want;		/* 2: an error */
	const char	*why;
} table[] = {
#include "exprs.h"
};

static void
by_hand(void)
{
	static struct filter_code code;
	char why[256];
	size_t i;
	int got;

	fixed_fields();
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		number = i;
		snprintf(text, sizeof(text), "%s", table[i].text);
		code.len = 0;
		why[0] = '\0';
		if (!translate(&code, why, sizeof(why)))
			got = 2;
		else if (!filter_valid(code.b, code.len))
			disagree("its code is not valid");
		else
			got = passes(&code, nbytes);
		if (got != table[i].want)
			disagree(why);
		if (got == 2 && strcmp(why, table[i].why) != 0)
			disagree(why);
	}
}

/* Of the last field, a text with a length, all must be there. */
static void
cut(void)
{
	static struct filter_code code;
	char why[256];
	size_t n;

	fixed_fields();
	snprintf(text, sizeof(text), "key != \"x\"");
	if (!translate(&code, why, sizeof(why)))
		disagree(why);
	for (n = 0; n <= nbytes; n++)
		if (passes(&code, n) != (n == nbytes))
			disagree("a text that is cut short");
}

/* Text made of so many of the first, the middle, and so many of the last. */
static void
nested(const char *first, unsigned int n, const char *middle, const char *last)
{
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		strcat(text, first);
	strcat(text, middle);
	for (i = 0; i < n; i++)
		strcat(text, last);
}

/* What is too deep or too long is refused, and nothing below that is. */
static void
bounds(void)
{
	static const struct {
		const char	*first, *middle, *last;
		unsigned int	 most;
	} cases[] = {
		{ "(", "1", ")", EXPR_NEST },
		{ "!", "1", "", EXPR_NEST },
		{ "1+(", "1", ")", EXPR_DEPTH - 1 },
		{ "0||1&&(", "1", ")", EXPR_NEST },
		{ "1&&", "1", "", 340 },
		{ "", "1", "+1", 511 },
		{ "status == 1 || ", "1", "", 68 },
		{ "", "status == 503", " ", 1010 },
	};
	static struct filter_code code;
	char why[256];
	size_t i;

	fixed_fields();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		number = i;
		nested(cases[i].first, cases[i].most, cases[i].middle,
		    cases[i].last);
		code.len = 0;
		if (!translate(&code, why, sizeof(why)))
			disagree(why);
		if (!filter_valid(code.b, code.len) ||
		    !passes(&code, nbytes))
			disagree("at the limit");
		nested(cases[i].first, cases[i].most + 1, cases[i].middle,
		    cases[i].last);
		if (translate(&code, why, sizeof(why)))
			disagree("beyond the limit");
		if (strncmp(why, "column ", 7) != 0)
			disagree(why);
	}
	/* Code that is too long leaves what was there. */
	nested("status == 1 || ", 60, "0", "");
	for (code.len = 0; translate(&code, why, sizeof(why)); )
		if (!filter_valid(code.b, code.len) || passes(&code, nbytes))
			disagree("many");
	if (code.len < FILTER_MAX - 2000 || !filter_valid(code.b, code.len))
		disagree("full");
}

/*
 * Code that may not come from the compiler.
 */

/*
 * i, d and s push; letters below are other instructions; #1; is a byte with
 * that value, and @1; two.
 */
static const struct {
	const char	*code;
	bool		 good;
} codes[] = {
	{ "", false }, { "i", true }, { "d", false }, { "s", false },
	{ "dB", true }, { "ii", false }, { "ii+", true }, { "i+", false },
	{ "+", false }, { "id+", false }, { "di+", false }, { "iii+", false },
	{ "dd.B", true }, { "di.B", false }, { "ss~", true }, { "si~", false },
	{ "is~", false }, { "#0;", false }, { "i#0;", false },
	{ "i#255;", false }, { "ii=#3;", true }, { "ii=#4;", false },
	{ "ii=", false }, { "L#15;@0;@0;", true }, { "L#16;@0;@0;", false },
	{ "L#0;@0;#0;", false }, { "sM@0;", true }, { "sM@1;", false },
	{ "sM@1;#7;", true }, { "sM#0;", false }, { "iM@0;", false },
	{ "iN@0;", true }, { "iN@1;", false }, { "sN@0;", false },
	{ "iN@1;@0;@0;@0;@0;@0;@0;@0;@0;", true },
	{ "iN@1;@0;@0;@0;@0;@0;@0;@0;#0;", false },
	{ "iN@65535;@0;@0;@0;@0;", false }, { "sM@65535;", false },
	/* Jumps: behind an i, a d, beyond, into one, to another stack. */
	{ "i?@9;i", true }, { "i!@9;i", true }, { "d?@9;i", false },
	{ "i?@10;i", false }, { "i?@8;i", false }, { "i?@65535;i", false },
	{ "i?@0;i", false }, { "i?@9;ii+", true }, { "i?@18;ii+", false },
	{ "i?@9;d", false }, { "i?@9;dB", false }, { "i?@10;dB", true },
	{ "i?@19;ii+", true }, { "ii?@9;i+", true }, { "ii?@10;i+", false },
	{ "i?@21;i?@9;i", true }, { "i?@20;i?@9;i", false }, { "i?", false },
	{ "i?@0;", false },
	{ "T@0;@0;s~", true }, { "T@0;@0;", false }, { "T@0;#0;", false },
};

static void
assemble(struct filter_code *c, const char *s)
{
	static const char letters[] = "ids+.~B=LMN?!T";
	static const unsigned char ops[] = {
		FILTER_INT, FILTER_DOUBLE, FILTER_PROGRAM, FILTER_ADD,
		FILTER_DADD, FILTER_SAME, FILTER_DBOOL, FILTER_EQ, FILTER_LOAD,
		FILTER_MATCH, FILTER_IN, FILTER_ELSE0, FILTER_ELSE1,
		FILTER_LOAD_STRN
	};
	const size_t start = c->len;
	uint32_t n = 0;
	uint16_t two;

	for (c->len += sizeof(n); *s != '\0'; s++) {
		if (*s == '#' || *s == '@') {
			two = (uint16_t)strtoul(s + 1, NULL, 10);
			if (*s == '#')
				c->b[c->len++] = (unsigned char)two;
			else {
				memcpy(c->b + c->len, &two, sizeof(two));
				c->len += sizeof(two);
			}
			s = strchr(s, ';');
			continue;
		}
		c->b[c->len++] = ops[strchr(letters, *s) - letters];
		if (*s == 'i' || *s == 'd') {
			memset(c->b + c->len, 0, 8);
			c->len += 8;
		}
	}
	n = (uint32_t)(c->len - start - sizeof(n));
	memcpy(c->b + start, &n, sizeof(n));
}

static void
judge(const struct filter_code *c, bool good, const char *what)
{
	unsigned char *p = malloc(c->len + 1);

	if (p == NULL)
		err(1, NULL);
	memcpy(p, c->b, c->len);
	snprintf(text, sizeof(text), "%s", what);
	if (filter_valid(p, c->len) != good)
		disagree(good ? "code is refused" : "code is not refused");
	if (good)
		(void)passes(c, nbytes);
	free(p);
}

/* So many values at once, and operators; or jumps to the end. */
static void
many(struct filter_code *c, unsigned int nvalues, unsigned int nadd,
    unsigned int jumps)
{
	char s[4096] = "";
	unsigned int i;

	for (i = 0; i < nvalues; i++)
		strcat(s, "i");
	for (i = 0; i < nadd; i++)
		strcat(s, "+");
	for (i = 0; i < jumps; i++)
		sprintf(s + strlen(s), "i?@%u;", (jumps - i) * 12 - 3);
	if (jumps > 0)
		strcat(s, "i");
	c->len = 0;
	assemble(c, s);
}

static void
hostile(void)
{
	static struct filter_code c;
	size_t i;

	fixed_fields();
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		c.len = 0;
		assemble(&c, codes[i].code);
		judge(&c, codes[i].good, codes[i].code);
		/* With more than its length says, or less; beside another. */
		c.len++;
		judge(&c, false, "a byte more");
		c.len -= 2;
		judge(&c, false, "a byte less");
		c.len++;
		assemble(&c, codes[i].code);
		judge(&c, codes[i].good, codes[i].code);
		c.len = 0;
		assemble(&c, "i");
		assemble(&c, codes[i].code);
		judge(&c, codes[i].good, codes[i].code);
	}
	many(&c, FILTER_DEPTH, FILTER_DEPTH - 1, 0);
	judge(&c, true, "values");
	for (i = 0; i <= FILTER_DEPTH; i++) {
		many(&c, FILTER_DEPTH + 1, (unsigned int)i, 0);
		judge(&c, false, "too many values");
	}
	many(&c, 0, 0, FILTER_JUMPS);
	judge(&c, true, "jumps");
	many(&c, 0, 0, FILTER_JUMPS + 1);
	judge(&c, false, "jumps");
	c.len = 0;
	judge(&c, false, "nothing");
	while (c.len + 13 <= FILTER_MAX)
		assemble(&c, "i");
	judge(&c, true, "all the room");
}

int
main(int argc, char *argv[])
{
	unsigned long count = 100000;

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		count = strtoul(argv[2], NULL, 0);
	state = seed * 2 + 1;
	by_hand();
	cut();
	bounds();
	hostile();
	printf("seed %" PRIu64 "\n", seed);
	for (number = 0; number - ninvalid < count; number++) {
		make_fields();
		compare(one_in(4));
	}
	printf("%lu expressions: %lu true, %lu without a value, %lu ranges; "
	    "%lu refused\n", count, ntrue, nfailed, nranges, ninvalid);
	if (count >= 1000 && (ntrue < count / 5 || ntrue > count / 5 * 4 ||
	    nranges < count / 10 || ninvalid < count / 100 ||
	    nfailed < count / 100))
		errx(1, "that is no good choice");
	return 0;
}
