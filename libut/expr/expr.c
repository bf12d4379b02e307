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
 * The parser of filters: see expr.h.  It finds what can be found without the
 * fields, and says where.
 */

#include <float.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/context.h"
#include "expr.h"

/* The type of a node, as far as it is known; a field has any. */
enum { ANY, INTEGER, REAL, NUMBER, TEXT, CONSTANT_TEXT };

enum token { END, OPERAND, OPERATOR, OPEN, CLOSE, BAD };

struct parser {
	const char	*text;		/* all of it */
	const char	*p;		/* behind the token */
	enum token	 token;
	const char	*start;		/* where the token begins */
	uint8_t		 op;		/* if OPERATOR */
	struct expr_node node;		/* if OPERAND */
	struct expr	*e;
	unsigned int	 nest;
	bool		 bad;
	char		*why;
	size_t		 n;
	bool		 any;		/* contexts may be other tracers' */
};

/* Longer ones first.  Those of one operand only have no precedence. */
static const struct {
	char		 symbol[3];
	uint8_t		 op;
	uint8_t		 precedence;
} operators[] = {
	{ "||", EXPR_OROR, 1 }, { "&&", EXPR_ANDAND, 2 },
	{ "==", EXPR_EQ, 6 }, { "!=", EXPR_NE, 6 },
	{ "<=", EXPR_LE, 7 }, { ">=", EXPR_GE, 7 },
	{ "<<", EXPR_SHL, 8 }, { ">>", EXPR_SHR, 8 },
	{ "|", EXPR_OR, 3 }, { "^", EXPR_XOR, 4 }, { "&", EXPR_AND, 5 },
	{ "<", EXPR_LT, 7 }, { ">", EXPR_GT, 7 },
	{ "+", EXPR_ADD, 9 }, { "-", EXPR_SUB, 9 },
	{ "*", EXPR_MUL, 10 }, { "/", EXPR_DIV, 10 }, { "%", EXPR_MOD, 10 },
	{ "!", EXPR_NOT, 0 }, { "~", EXPR_INV, 0 },
	{ "-", EXPR_NEG, 0 }, { "+", EXPR_PLUS, 0 },
};

#define NOPERATORS	(sizeof(operators) / sizeof(operators[0]))

const char *
expr_symbol(uint8_t op)
{
	size_t i;

	for (i = 0; i < NOPERATORS - 1 && operators[i].op != op; i++)
		continue;
	return operators[i].symbol;
}

static unsigned int
precedence(uint8_t op)
{
	size_t i;

	for (i = 0; i < NOPERATORS - 1 && operators[i].op != op; i++)
		continue;
	return operators[i].precedence;
}

/* In characters of UTF-8: others than what continues one. */
static uint16_t
column(const struct parser *p, const char *at)
{
	const char *s;
	uint16_t n = 1;

	for (s = p->text; s < at; s++)
		if ((*s & 0xc0) != 0x80)
			n++;
	return n;
}

/* Only the first error is told. */
static void __attribute__((format(printf, 3, 4)))
complain(struct parser *p, uint16_t where, const char *fmt, ...)
{
	char what[128];
	va_list ap;

	p->token = BAD;
	if (p->bad)
		return;
	p->bad = true;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(p->why, p->n, "column %u: %s", where, what);
}

/*
 * Tokens.
 */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The value of a hexadecimal digit; 16 if it is none. */
static unsigned int
digit(char c)
{
	if (is_digit(c))
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A' + 10);
	return 16;
}

static const char *
skip_digits(const char *s)
{
	while (is_digit(*s))
		s++;
	return s;
}

/* Behind what looks like a number with a point or an exponent, or NULL. */
static const char *
real_end(const char *s)
{
	const char *end = skip_digits(s);
	bool real = false;

	if (*end == '.') {
		real = true;
		end = skip_digits(end + 1);
	}
	if (*end == 'e' || *end == 'E') {
		real = true;
		end++;
		if (*end == '+' || *end == '-')
			end++;
		end = skip_digits(end);
	}
	return real ? end : NULL;
}

static void
lex_real(struct parser *p, const char *end)
{
	char *stop;

	p->node.op = EXPR_DOUBLE;
	p->node.type = REAL;
	p->node.d = strtod(p->start, &stop);
	p->p = end;
	if (stop != end || is_letter(*end) || *end == '.')
		complain(p, p->node.column, "not a number");
	else if (p->node.d > DBL_MAX)
		complain(p, p->node.column, "the number is too large");
}

static void
lex_integer(struct parser *p)
{
	unsigned int base = 10, d;
	const char *s = p->start;
	uint64_t n = 0;

	if (*s == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16) {
		base = 16;
		s += 2;
	} else if (*s == '0')
		base = 8;
	for (; (d = digit(*s)) < base; s++) {
		if (n > (UINT64_MAX - d) / base) {
			complain(p, p->node.column, "the number is too large");
			return;
		}
		n = n * base + d;
	}
	p->p = s;
	if (is_digit(*s) || is_letter(*s))
		complain(p, p->node.column, base == 8 && is_digit(*s) ?
		    "not a number: with a 0 in front it is octal" :
		    "not a number");
	p->node.op = EXPR_INT;
	p->node.type = INTEGER;
	p->node.n = n;
	p->node.is_unsigned = n > INT64_MAX;
}

/* There is room for what the text has, and a NUL behind each. */
static void
put(struct parser *p, char c)
{
	p->e->strings[p->e->used++] = c;
}

/* Several are one. */
static void
put_star(struct parser *p)
{
	if (p->e->used == p->node.s.at ||
	    p->e->strings[p->e->used - 1] != '\0')
		put(p, '\0');
}

static void
lex_string(struct parser *p)
{
	const char *s = p->start + 1;

	p->node.op = EXPR_STRING;
	p->node.type = CONSTANT_TEXT;
	p->node.s.at = p->e->used;
	for (; *s != '"'; s++) {
		if (*s == '\0') {
			complain(p, p->node.column, "the text has no end");
			return;
		}
		if (*s == '*') {
			put_star(p);
			continue;
		}
		if (*s == '\\' && *++s != '"' && *s != '\\' && *s != '*') {
			complain(p, column(p, s - 1),
			    "only \\\", \\\\ and \\* can be in a text");
			return;
		}
		put(p, *s);
	}
	p->node.s.len = (uint16_t)(p->e->used - p->node.s.at);
	p->p = s + 1;
}

/* The number of an element, in brackets, behind the name of a field. */
static const char *
lex_element(struct parser *p, const char *s)
{
	uint64_t n = 0;

	for (s++; is_digit(*s) && n < UINT32_MAX; s++)
		n = n * 10 + digit(*s);
	if (!is_digit(s[-1]) || *s != ']' || n >= UINT32_MAX)
		complain(p, column(p, s), "the number of an element, from 0 "
		    "on, and a ] are missing");
	p->node.s.nth = (uint32_t)n + 1;
	return s + (*s == ']');
}

static void
lex_name(struct parser *p)
{
	const char *s = p->start;

	p->node.op = EXPR_FIELD;
	p->node.type = ANY;
	p->node.s.at = p->e->used;
	while (is_letter(*s) || is_digit(*s))
		put(p, *s++);
	p->node.s.len = (uint16_t)(s - p->start);
	put(p, '\0');
	p->p = *s == '[' ? lex_element(p, s) : s;
}

/* Names keep their $; the token is the last one. */
static void
put_dollar(struct parser *p, size_t len)
{
	p->node.s.at = p->e->used;
	p->node.s.len = (uint16_t)len;
	put(p, '$');
	while (--len > 0)
		put(p, p->p[-(ptrdiff_t)len]);
	put(p, '\0');
}

static bool
lex_context(struct parser *p, size_t len)
{
	char name[CONTEXT_NAME] = "";
	bool known;

	if (len - 1 < sizeof(name))
		memcpy(name, p->start + 1, len - 1);
	known = context_kind(name) != -1;
	if (!known && (!p->any || len == 1))
		return false;
	p->node.op = EXPR_FIELD;
	p->node.type = known ? INTEGER : ANY;
	put_dollar(p, len);
	return true;
}

static void
lex_dollar(struct parser *p)
{
	static const struct {
		const char	*name;
		uint8_t		 op, type;
	} names[] = {
		{ "$pid", EXPR_PID, INTEGER }, { "$tid", EXPR_TID, INTEGER },
		{ "$cpu", EXPR_CPU, INTEGER },
		{ "$program", EXPR_PROGRAM, TEXT },
		{ "$vpid", EXPR_PID, INTEGER }, { "$vtid", EXPR_TID, INTEGER },
		{ "$procname", EXPR_PROGRAM, TEXT },
	};
	const char *s;
	size_t i, n;

	if (strncmp(p->start, "$ctx.", 5) == 0)
		p->start += 4;
	s = p->start + 1;
	while (is_letter(*s) || is_digit(*s))
		s++;
	n = (size_t)(s - p->start);
	p->p = s;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (n != strlen(names[i].name) ||
		    memcmp(names[i].name + 1, p->start + 1, n - 1) != 0)
			continue;
		p->node.op = names[i].op;
		p->node.type = names[i].type;
		put_dollar(p, n);
		return;
	}
	if (!lex_context(p, n))
		complain(p, p->node.column, "no $%.*s: there are $pid, $tid, "
		    "$cpu, $program, contexts, and $app_NAME of programs",
		    (int)(n > 40 ? 40 : n) - 1, p->start + 1);
}

static void
lex_operator(struct parser *p)
{
	const unsigned char c = (unsigned char)*p->start;
	size_t i;

	p->token = OPERATOR;
	for (i = 0; i < NOPERATORS; i++) {
		const size_t n = strlen(operators[i].symbol);

		if (strncmp(p->start, operators[i].symbol, n) != 0)
			continue;
		p->op = operators[i].op;
		p->p = p->start + n;
		return;
	}
	if (c == '\'')
		complain(p, column(p, p->start),
		    "text stands between double quotes");
	else if (c == '=')
		complain(p, column(p, p->start), "to compare, write %s",
		    p->start[1] == '>' ? ">=" : p->start[1] == '<' ? "<=" :
		    "==");
	else if (c > ' ' && c < 0x7f)
		complain(p, column(p, p->start), "%c is unexpected", c);
	else
		complain(p, column(p, p->start), "\\x%02x is unexpected",
		    c);
}

static void
next(struct parser *p)
{
	const char *s = p->p, *end;

	if (p->bad)
		return;
	while (*s == ' ' || *s == '\t' || *s == '\n')
		s++;
	p->start = p->p = s;
	memset(&p->node, 0, sizeof(p->node));
	p->node.column = column(p, s);
	p->node.depth = 1;
	p->token = OPERAND;
	if (*s == '\0')
		p->token = END;
	else if (*s == '(' || *s == ')') {
		p->token = *s == '(' ? OPEN : CLOSE;
		p->p++;
	} else if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) {
		if ((end = real_end(s)) != NULL)
			lex_real(p, end);
		else
			lex_integer(p);
	} else if (*s == '"')
		lex_string(p);
	else if (is_letter(*s))
		lex_name(p);
	else if (*s == '$')
		lex_dollar(p);
	else
		lex_operator(p);
}

/*
 * The tree.  Functions that parse return the index of a node, of no use after
 * an error.
 */

static uint16_t	 parse(struct parser *, unsigned int);

static struct expr_node *
node(struct parser *p, uint16_t i)
{
	return &p->e->nodes[i];
}

/* There are fewer nodes than bytes in the text, and a token for each. */
static uint16_t
add(struct parser *p, const struct expr_node *n)
{
	p->e->nodes[p->e->nnodes] = *n;
	return p->e->nnodes++;
}

static bool
is_text(uint8_t type)
{
	return type == TEXT || type == CONSTANT_TEXT;
}

static bool
wants_integers(uint8_t op)
{
	return op == EXPR_INV || op == EXPR_OR || op == EXPR_XOR ||
	    op == EXPR_AND || op == EXPR_SHL || op == EXPR_SHR ||
	    op == EXPR_MOD;
}

/* Is that an operand for the operator, which is not for text? */
static void
check(struct parser *p, uint8_t op, const struct expr_node *n)
{
	if (is_text(n->type))
		complain(p, n->column, op == EXPR_ANDAND || op == EXPR_OROR ||
		    op == EXPR_NOT ? "text is not a condition" :
		    "text cannot be used with %s", expr_symbol(op));
	else if (n->type == REAL && wants_integers(op))
		complain(p, n->column, "a number with a fraction cannot be "
		    "used with %s", expr_symbol(op));
}

/* The type of the result of an operator for numbers. */
static uint8_t
result(uint8_t op, uint8_t left, uint8_t right)
{
	if (op == EXPR_NOT || (op >= EXPR_OROR && op <= EXPR_ANDAND) ||
	    (op >= EXPR_EQ && op <= EXPR_GE) || wants_integers(op))
		return INTEGER;
	if (left == REAL || right == REAL)
		return REAL;
	return left == INTEGER && right == INTEGER ? INTEGER : NUMBER;
}

static void
check_equal(struct parser *p, uint16_t where, const struct expr_node *l,
    const struct expr_node *r)
{
	if (l->type == CONSTANT_TEXT && r->type == CONSTANT_TEXT)
		complain(p, where, "two constant texts are compared");
	else if ((is_text(l->type) && !is_text(r->type) && r->type != ANY) ||
	    (is_text(r->type) && !is_text(l->type) && l->type != ANY))
		complain(p, where, "text and a number are compared");
}

static uint16_t
unary(struct parser *p, uint8_t op, uint16_t where, uint16_t operand)
{
	const struct expr_node *of = node(p, operand);
	struct expr_node n;

	check(p, op, of);
	memset(&n, 0, sizeof(n));
	n.op = op;
	n.type = result(op, of->type, of->type);
	n.depth = of->depth;
	n.column = where;
	n.of.left = operand;
	return add(p, &n);
}

static uint16_t
binary(struct parser *p, uint8_t op, uint16_t where, uint16_t left,
    uint16_t right)
{
	const struct expr_node *l = node(p, left), *r = node(p, right);
	struct expr_node n;

	if ((op == EXPR_EQ || op == EXPR_NE) &&
	    (is_text(l->type) || is_text(r->type)))
		check_equal(p, where, l, r);
	else {
		check(p, op, l);
		check(p, op, r);
	}
	memset(&n, 0, sizeof(n));
	n.op = op;
	n.type = result(op, l->type, r->type);
	n.column = where;
	n.of.left = left;
	n.of.right = right;
	/* The left one is there while the right one is made. */
	n.depth = r->depth;
	if (op != EXPR_ANDAND && op != EXPR_OROR)
		n.depth++;
	if (n.depth < l->depth)
		n.depth = l->depth;
	if (n.depth > EXPR_DEPTH)
		complain(p, where, "too deep in parentheses");
	return add(p, &n);
}

static void
deeper(struct parser *p)
{
	if (++p->nest > EXPR_NEST)
		complain(p, column(p, p->start), "too deep in parentheses or "
		    "operators");
}

/* The constant behind a minus that is one too large for a signed one. */
static bool
is_least(const struct parser *p)
{
	return p->token == OPERAND && p->node.op == EXPR_INT &&
	    p->node.n == UINT64_C(1) << 63;
}

static uint16_t
parse_unary(struct parser *p, uint8_t op)
{
	const uint16_t where = column(p, p->start);
	uint16_t i;

	op = op == EXPR_SUB ? EXPR_NEG : op == EXPR_ADD ? EXPR_PLUS : op;
	if (op < EXPR_NOT || op > EXPR_PLUS) {
		complain(p, where, "a value is missing before %s",
		    expr_symbol(op));
		return 0;
	}
	deeper(p);
	next(p);
	if (op == EXPR_NEG && is_least(p)) {
		p->node.is_unsigned = 0;
		p->node.column = where;
		i = add(p, &p->node);
		next(p);
	} else {
		i = parse(p, UINT8_MAX);
		if (!p->bad)
			i = unary(p, op, where, i);
	}
	p->nest--;
	return i;
}

static uint16_t
parse_operand(struct parser *p)
{
	uint16_t i = 0;

	switch (p->token) {
	case OPERAND:
		i = add(p, &p->node);
		next(p);
		break;
	case OPEN:
		deeper(p);
		next(p);
		i = parse(p, 1);
		if (p->token != CLOSE)
			complain(p, column(p, p->start), p->token == END ?
			    "a ) is missing" : "an operator or a ) is missing");
		next(p);
		p->nest--;
		break;
	case OPERATOR:
		i = parse_unary(p, p->op);
		break;
	default:
		complain(p, column(p, p->start), "a value is missing");
		break;
	}
	return i;
}

/* An operand, and what follows of operators of at least that precedence. */
static uint16_t
parse(struct parser *p, unsigned int least)
{
	uint16_t i = parse_operand(p), right, where;
	unsigned int level;
	uint8_t op;

	while (!p->bad && p->token == OPERATOR &&
	    (level = precedence(p->op)) >= least && level > 0) {
		op = p->op;
		where = column(p, p->start);
		next(p);
		right = parse(p, level + 1);
		if (!p->bad)
			i = binary(p, op, where, i, right);
	}
	return i;
}

static void
parse_all(struct parser *p)
{
	next(p);
	if (p->token == END)
		complain(p, 1, "the filter is empty");
	p->e->root = parse(p, 1);
	if (p->token == CLOSE)
		complain(p, column(p, p->start), "a ) without a (");
	else if (p->token != END)
		complain(p, column(p, p->start), "an operator is missing");
	if (!p->bad && is_text(node(p, p->e->root)->type))
		complain(p, node(p, p->e->root)->column,
		    "text is not a condition");
}

static struct expr *
parse_text(const char *text, char *why, size_t n, bool any)
{
	const size_t len = strlen(text);
	struct parser p;

	memset(&p, 0, sizeof(p));
	p.text = p.p = p.start = text;
	p.why = why;
	p.n = n;
	p.any = any;
	if (len >= EXPR_MAX) {
		complain(&p, EXPR_MAX, "longer than %d bytes", EXPR_MAX - 1);
		return NULL;
	}
	/* One that is none is not used, but has a place. */
	p.e = calloc(1, sizeof(*p.e) + (len + 1) * sizeof(p.e->nodes[0]));
	if (p.e == NULL) {
		complain(&p, 1, "no memory");
		return NULL;
	}
	parse_all(&p);
	if (!p.bad)
		return p.e;
	expr_free(p.e);
	return NULL;
}

struct expr *
expr_parse(const char *text, char *why, size_t n)
{
	return parse_text(text, why, n, false);
}

struct expr *
expr_parse_any(const char *text, char *why, size_t n)
{
	return parse_text(text, why, n, true);
}

void
expr_free(struct expr *e)
{
	free(e);
}
