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
 * TSDL: values, and what those of a type's attributes mean.
 */

#include <string.h>

#include "ctf_parse.h"

/* a.b.c */
const char *
ctf_path(struct ctf_parse *p)
{
	const char *s = p->str;
	char *join;

	ctf_expect(p, TOK_IDENT, "a name");
	while (!p->bad && strlen(s) < 256 && ctf_accept(p, '.')) {
		if (p->tok != TOK_IDENT)
			break;
		join = ctf_alloc(p->trace, strlen(s) + strlen(p->str) + 2);
		strcpy(join, s);
		strcat(join, ".");
		strcat(join, p->str);
		s = join;
		ctf_next(p);
	}
	return s;
}

/* Past a sign: is it a minus? */
int
ctf_sign(struct ctf_parse *p)
{
	const int neg = p->tok == '-';

	if (neg || p->tok == '+')
		ctf_next(p);
	return neg;
}

/* = value */
void
ctf_value(struct ctf_parse *p, struct ctf_value *v)
{
	ctf_expect(p, '=', "'='");
	v->neg = ctf_sign(p);
	v->tok = p->tok;
	v->num = p->num;
	v->str = p->str;
	if (p->tok == TOK_IDENT && !v->neg)
		v->str = ctf_path(p);
	else if (p->tok == TOK_NUM || (p->tok == TOK_STR && !v->neg))
		ctf_next(p);
	else
		ctf_error(p, "a value expected");
}

static int
is_one(const struct ctf_value *v, const char *a, const char *b,
    const char *c)
{
	return strcmp(v->str, a) == 0 || strcmp(v->str, b) == 0 ||
	    strcmp(v->str, c) == 0;
}

int
ctf_value_base(struct ctf_parse *p, const struct ctf_value *v)
{
	if (v->tok == TOK_NUM && !v->neg && (v->num == 2 || v->num == 8 ||
	    v->num == 10 || v->num == 16))
		return (int)v->num;
	if (v->tok != TOK_NUM) {
		if (is_one(v, "decimal", "dec", "d") ||
		    is_one(v, "i", "u", "u"))
			return 10;
		if (is_one(v, "hexadecimal", "hex", "x") ||
		    is_one(v, "X", "p", "p"))
			return 16;
		if (is_one(v, "octal", "oct", "o"))
			return 8;
		if (is_one(v, "binary", "bin", "b"))
			return 2;
	}
	ctf_error(p, "no base");
	return 10;
}

int
ctf_value_isutf8(struct ctf_parse *p, const struct ctf_value *v)
{
	if (v->tok != TOK_NUM) {
		if (is_one(v, "UTF8", "utf8", "UTF-8") ||
		    is_one(v, "ASCII", "ascii", "utf-8"))
			return 1;
		if (is_one(v, "none", "NONE", "None"))
			return 0;
	}
	ctf_error(p, "no encoding");
	return 0;
}

enum ctf_order
ctf_value_order(struct ctf_parse *p, const struct ctf_value *v)
{
	if (v->tok != TOK_NUM) {
		if (is_one(v, "be", "network", "be"))
			return ORDER_BE;
		if (strcmp(v->str, "le") == 0)
			return ORDER_LE;
		if (strcmp(v->str, "native") == 0)
			return ORDER_NATIVE;
	}
	ctf_error(p, "no byte order");
	return ORDER_NATIVE;
}

int
ctf_value_bool(struct ctf_parse *p, const struct ctf_value *v)
{
	if (v->tok == TOK_NUM)
		return v->num != 0;
	if (is_one(v, "true", "TRUE", "True"))
		return 1;
	if (!is_one(v, "false", "FALSE", "False"))
		ctf_error(p, "neither true nor false");
	return 0;
}

/* Bits, a power of 2. */
uint32_t
ctf_value_align(struct ctf_parse *p, const struct ctf_value *v)
{
	if (v->tok != TOK_NUM || v->neg || v->num == 0 || v->num > 4096 ||
	    (v->num & (v->num - 1)) != 0) {
		ctf_error(p, "no alignment");
		return 1;
	}
	return (uint32_t)v->num;
}

/* "clock.NAME.value" */
const char *
ctf_value_clock(struct ctf_parse *p, const struct ctf_value *v)
{
	const char *dot;

	if (v->tok == TOK_IDENT && strncmp(v->str, "clock.", 6) == 0 &&
	    (dot = strchr(v->str + 6, '.')) != NULL &&
	    strcmp(dot, ".value") == 0)
		return ctf_strdup(p->trace, v->str + 6,
		    (size_t)(dot - v->str) - 6);
	ctf_error(p, "no clock to map to");
	return NULL;
}
