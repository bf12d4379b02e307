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
 * JSON (RFC 8259), of which CTF 2's metadata are a sequence (RFC 7464), as a
 * tree; and what its values say.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "common/escape.h"
#include "ctf_json.h"

#define JSON_DEPTH	256		/* nested arrays and objects */

static struct ctf_json	*json_value(struct ctf_json_parse *);

/* Tell what is wrong where the text is read. */
static void
json_wrong(struct ctf_json_parse *q, const char *what)
{
	q->p.at = q->p.p;
	ctf_error(&q->p, "%s", what);
}

/* Past spaces: the next character; '\0': there is none, or an error. */
static char
json_peek(struct ctf_json_parse *q)
{
	struct ctf_parse *p = &q->p;

	while (p->p < p->end && *p->p != '\0' && strchr(" \t\r\n", *p->p))
		p->p++;
	return !p->bad && p->p < p->end ? *p->p : '\0';
}

static int
json_accept(struct ctf_json_parse *q, char c)
{
	if (json_peek(q) != c)
		return 0;
	q->p.p++;
	return 1;
}

static void
json_word(struct ctf_json_parse *q, const char *word)
{
	struct ctf_parse *p = &q->p;

	for (; *word != '\0' && p->p < p->end && *p->p == *word; word++)
		p->p++;
	if (*word != '\0')
		json_wrong(q, "no value of JSON");
}

/* Past digits, of which there is at least one; 0: the number is too large. */
static int
json_digits(struct ctf_json_parse *q, uint64_t *num)
{
	struct ctf_parse *p = &q->p;
	const char *from = p->p;
	int fits = 1, d;

	for (; p->p < p->end && (d = ctf_digit(*p->p)) < 10; p->p++) {
		if (*num > (UINT64_MAX - (uint64_t)d) / 10)
			fits = 0;
		*num = *num * 10 + (uint64_t)d;
	}
	if (p->p == from)
		json_wrong(q, "a digit expected");
	return fits;
}

/* An integer; or a number with a fraction or an exponent, which is not kept. */
static void
json_number(struct ctf_json_parse *q, struct ctf_json *v)
{
	struct ctf_parse *p = &q->p;
	uint64_t rest = 0;
	int fits = 1;

	v->kind = JSON_INT;
	v->neg = *p->p == '-';
	p->p += v->neg;
	if (p->p < p->end && *p->p == '0')
		p->p++;
	else
		fits = json_digits(q, &v->num);
	while (p->p < p->end && strchr(v->kind == JSON_INT ? ".eE" : "eE",
	    *p->p) != NULL && *p->p != '\0' && !p->bad) {
		v->kind = JSON_REAL;
		if (*p->p++ != '.' && p->p < p->end &&
		    (*p->p == '+' || *p->p == '-'))
			p->p++;
		(void)json_digits(q, &rest);
	}
	if (v->num == 0)
		v->neg = 0;
	if (v->kind == JSON_INT && (!fits ||
	    (v->neg && v->num > (uint64_t)1 << 63)))
		json_wrong(q, "too large a number");
}

/* After \u: four hexadecimal digits; 0: these are none. */
static uint32_t
json_hex(const char *s, const char *end)
{
	uint32_t c = 0;
	int i;

	for (i = 0; i < 4; i++, s++) {
		if (s >= end || ctf_digit(*s) == 16)
			return 0;
		c = c << 4 | (uint32_t)ctf_digit(*s);
	}
	return c;
}

/* After a backslash: write what it means, and return what is behind; or NULL */
static const char *
json_escape(const char *s, const char *end, char **to)
{
	static const char from[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *f = memchr(from, *s, sizeof(from) - 1);
	uint32_t c, low;

	if (f != NULL) {
		*(*to)++ = means[f - from];
		return s + 1;
	}
	if (*s != 'u' || (c = json_hex(s + 1, end)) == 0)
		return NULL;
	s += 5;
	if (c >= 0xd800 && c < 0xe000) {
		if (c >= 0xdc00 || end - s < 6 || memcmp(s, "\\u", 2) != 0 ||
		    (low = json_hex(s + 2, end)) < 0xdc00 || low >= 0xe000)
			return NULL;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		s += 6;
	}
	*to = (char *)ctf_put_char((uint8_t *)*to, c);
	return s;
}

/* A text never becomes longer by what its escapes mean. */
static const char *
json_string(struct ctf_json_parse *q)
{
	struct ctf_parse *p = &q->p;
	const char *s = p->p + 1, *e, *from;
	char *str, *to;

	for (e = s; e < p->end && *e != '"' && (unsigned char)*e >= ' '; e++)
		if (*e == '\\' && e + 1 < p->end)
			e++;
	if (e == p->end || *e != '"') {
		p->p = e;
		json_wrong(q, "a string without end");
		return "";
	}
	to = str = ctf_alloc(&q->tree, (size_t)(e - s) + 1);
	while (!p->bad && s < e) {
		p->p = from = s;
		if (*s == '\\') {
			if ((s = json_escape(s + 1, e, &to)) == NULL)
				json_wrong(q, "no escape of JSON, or a NUL");
			continue;
		}
		if (utf8_next((const unsigned char **)&s,
		    (const unsigned char *)e) == -1)
			json_wrong(q, "no UTF-8");
		memcpy(to, from, (size_t)(s - from));
		to += s - from;
	}
	p->p = e + 1;
	return str;
}

static int
key_cmp(const void *a, const void *b)
{
	const struct ctf_json *x = *(struct ctf_json *const *)a;
	const struct ctf_json *y = *(struct ctf_json *const *)b;

	return strcmp(x->key, y->key);
}

/* No two values have the same key. */
static void
json_unique(struct ctf_json_parse *q, const struct ctf_json *o)
{
	struct ctf_json **all, *v;
	size_t i, n = 0;

	if (q->p.bad || o->n < 2)
		return;
	if ((all = calloc(o->n, sizeof(*all))) == NULL)
		die_errno("malloc");
	for (v = o->child; v != NULL; v = v->next)
		all[n++] = v;
	qsort(all, n, sizeof(*all), key_cmp);
	for (i = 1; i < n; i++)
		if (strcmp(all[i]->key, all[i - 1]->key) == 0)
			ctf_json_wrong(q, all[i], "'%.64s' is there twice",
			    all[i]->key);
	free(all);
}

/* The values of an array, or the members of an object. */
static void
json_children(struct ctf_json_parse *q, struct ctf_json *v, char close)
{
	struct ctf_json **next = &v->child;
	const char *key = NULL;

	q->p.p++;
	if (json_accept(q, close))
		return;
	do {
		if (close == '}') {
			if (json_peek(q) != '"')
				json_wrong(q, "a name expected");
			else
				key = json_string(q);
			if (!json_accept(q, ':'))
				json_wrong(q, "':' expected");
		}
		if (q->p.bad || (*next = json_value(q)) == NULL)
			return;
		(*next)->key = key;
		next = &(*next)->next;
		v->n++;
	} while (json_accept(q, ','));
	if (!json_accept(q, close))
		json_wrong(q, close == '}' ? "',' or '}' expected" :
		    "',' or ']' expected");
	else if (close == '}')
		json_unique(q, v);
}

static struct ctf_json *
json_value(struct ctf_json_parse *q)
{
	const char c = json_peek(q);
	struct ctf_json *v;

	if (q->p.depth++ == JSON_DEPTH) {
		json_wrong(q, "too deep");
		return NULL;
	}
	v = ctf_alloc(&q->tree, sizeof(*v));
	v->at = q->p.p;
	if (c == '{' || c == '[') {
		v->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
		json_children(q, v, c == '{' ? '}' : ']');
	} else if (c == '"') {
		v->kind = JSON_STRING;
		v->str = json_string(q);
	} else if (c == '-' || ctf_digit(c) < 10)
		json_number(q, v);
	else
		json_word(q, c == 't' ? "true" : c == 'f' ? "false" : "null");
	q->p.depth--;
	return q->p.bad ? NULL : v;
}

struct ctf_json *
ctf_json(struct ctf_json_parse *q)
{
	struct ctf_json *v = NULL;

	q->p.depth = 0;
	if (json_peek(q) != '{')
		json_wrong(q, "an object expected");
	else if ((v = json_value(q)) != NULL &&
	    (json_peek(q) != '\0' || q->p.p < q->p.end))
		json_wrong(q, "more than an object");
	return q->p.bad ? NULL : v;
}

void
ctf_json_wrong(struct ctf_json_parse *q, const struct ctf_json *v,
    const char *fmt, ...)
{
	char msg[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (!q->p.bad)
		q->p.at = v->at;
	ctf_error(&q->p, "%s", msg);
}

const struct ctf_json *
ctf_json_get(struct ctf_json_parse *q, const struct ctf_json *o,
    const char *key, enum ctf_json_kind kind)
{
	static const char *const kinds[] = { "a name", "an integer",
	    "a number", "a string", "an array", "an object" };
	const struct ctf_json *v;

	if (o->kind != JSON_OBJECT)
		ctf_json_wrong(q, o, "an object expected");
	if (q->p.bad)
		return NULL;
	for (v = o->child; v != NULL; v = v->next)
		if (strcmp(v->key, key) == 0)
			break;
	if (v == NULL || v->kind == kind || kind == JSON_ANY)
		return v;
	ctf_json_wrong(q, v, "'%s' is not %s", key, kinds[kind]);
	return NULL;
}

const struct ctf_json *
ctf_json_need(struct ctf_json_parse *q, const struct ctf_json *o,
    const char *key, enum ctf_json_kind kind)
{
	const struct ctf_json *v = ctf_json_get(q, o, key, kind);

	if (v == NULL)
		ctf_json_wrong(q, o, "no '%s'", key);
	return v;
}

const char *
ctf_json_word(struct ctf_json_parse *q, const struct ctf_json *o,
    const char *key, const char *without)
{
	const struct ctf_json *v;

	v = without == NULL ? ctf_json_need(q, o, key, JSON_STRING) :
	    ctf_json_get(q, o, key, JSON_STRING);
	return v != NULL ? v->str : without != NULL ? without : "";
}

const char *
ctf_json_copy(struct ctf_json_parse *q, const struct ctf_json *v,
    const char *s)
{
	const size_t n = strlen(s);

	if (n > CTF_TEXT)
		ctf_json_wrong(q, v, "a string of more than %d bytes",
		    CTF_TEXT);
	return q->p.bad ? "" : ctf_strdup(q->p.trace, s, n);
}

uint64_t
ctf_json_number(struct ctf_json_parse *q, const struct ctf_json *o,
    const char *key, uint64_t max, uint64_t without)
{
	const struct ctf_json *v;

	v = without == JSON_NEEDED ? ctf_json_need(q, o, key, JSON_INT) :
	    ctf_json_get(q, o, key, JSON_INT);
	if (v == NULL)
		return without;
	if (v->neg || v->num > max)
		ctf_json_wrong(q, v, "'%s' is out of range", key);
	return v->num;
}

void
ctf_json_extensions(struct ctf_json_parse *q, const struct ctf_json *o)
{
	const struct ctf_json *x = ctf_json_get(q, o, "extensions",
	    JSON_OBJECT), *name;

	if (x == NULL || (x = x->child) == NULL)
		return;
	name = x->kind == JSON_OBJECT && x->child != NULL ? x->child : x;
	ctf_json_wrong(q, name, "the extension '%.64s' of '%.64s' is not "
	    "known here", name->key, x->key);
}
