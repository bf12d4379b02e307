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
 * tree.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "ctf_json.h"

#define JSON_DEPTH	256		/* nested arrays and objects */

static struct ctf_json	*json_value(struct ctf_json_parse *);

/* What is wrong where the text is read. */
static void
json_wrong(struct ctf_json_parse *q, const char *what)
{
	q->p.at = q->p.p;
	ctf_error(&q->p, "%s", what);
}

/* Past spaces: the next character; '\0': there is none. */
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

static void
json_number(struct ctf_json_parse *q, struct ctf_json *v)
{
	struct ctf_parse *p = &q->p;
	uint64_t rest = 0;
	int fits;

	v->kind = JSON_INT;
	if (*p->p == '-')
		p->p++, v->neg = 1;
	if (p->p < p->end && *p->p == '0')
		p->p++, fits = 1;
	else
		fits = json_digits(q, &v->num);
	if (p->p < p->end && *p->p == '.') {
		v->kind = JSON_REAL;
		p->p++;
		(void)json_digits(q, &rest);
	}
	if (p->p < p->end && (*p->p == 'e' || *p->p == 'E')) {
		v->kind = JSON_REAL;
		p->p++;
		if (p->p < p->end && (*p->p == '+' || *p->p == '-'))
			p->p++;
		(void)json_digits(q, &rest);
	}
	if (v->num == 0)
		v->neg = 0;
	if (v->kind == JSON_INT && (!fits ||
	    (v->neg && v->num > (uint64_t)1 << 63)))
		json_wrong(q, "too large a number");
}

static uint8_t *
put_char(uint8_t *to, uint32_t c)
{
	static const uint8_t first[] = { 0, 0xc0, 0xe0, 0xf0 };
	int n = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	*to++ = (uint8_t)(first[n] | c >> 6 * n);
	while (n-- > 0)
		*to++ = (uint8_t)(0x80 | (c >> 6 * n & 0x3f));
	return to;
}

/* Four hexadecimal digits; UINT32_MAX: these are none. */
static uint32_t
json_hex(const char *s, const char *end)
{
	uint32_t c = 0;
	int i;

	for (i = 0; i < 4; i++, s++) {
		if (s >= end || ctf_digit(*s) == 16)
			return UINT32_MAX;
		c = c << 4 | (uint32_t)ctf_digit(*s);
	}
	return c;
}

/* After a backslash: write what it means, and return what is behind; or NULL */
static const char *
json_escape(const char *s, const char *end, char **top)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *f = memchr(from, *s, sizeof(from) - 1);
	uint32_t c, low;

	if (f != NULL) {
		*(*top)++ = to[f - from];
		return s + 1;
	}
	if (*s != 'u' || (c = json_hex(s + 1, end)) == UINT32_MAX || c == 0)
		return NULL;
	s += 5;
	if (c >= 0xd800 && c < 0xe000) {
		if (c >= 0xdc00 || end - s < 6 || s[0] != '\\' ||
		    s[1] != 'u' || (low = json_hex(s + 2, end)) < 0xdc00 ||
		    low >= 0xe000)
			return NULL;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		s += 6;
	}
	*top = (char *)put_char((uint8_t *)*top, c);
	return s;
}

/* The bytes of the character of UTF-8 there; 0: it is none. */
static size_t
json_utf8(const char *s, const char *end)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char first = (unsigned char)*s;
	const size_t n = first < 0x80 ? 1 : first < 0xc0 ? 0 :
	    first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
	uint32_t c = first & (n == 1 ? 0x7f : 0xff >> (n + 1));
	size_t i;

	if (n == 0 || (size_t)(end - s) < n)
		return 0;
	for (i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ?
	    0 : n;
}

/* The text of a string never becomes longer by its escapes. */
static char *
json_string(struct ctf_json_parse *q)
{
	struct ctf_parse *p = &q->p;
	const char *s = p->p + 1, *e;
	char *str, *to;
	size_t n;

	for (e = s; e < p->end && *e != '"' && (unsigned char)*e >= ' '; e++)
		if (*e == '\\' && e + 1 < p->end)
			e++;
	p->p = e;
	if (e == p->end || *e != '"') {
		json_wrong(q, "a string without end");
		return NULL;
	}
	to = str = ctf_alloc(&q->tree, (size_t)(e - s) + 1);
	while (s != NULL && s < e) {
		if (*s == '\\') {
			p->p = s;
			s = json_escape(s + 1, e, &to);
			continue;
		}
		p->p = s;
		if ((n = json_utf8(s, e)) == 0)
			break;
		memcpy(to, s, n);
		to += n;
		s += n;
	}
	if (s != e)
		json_wrong(q, s == NULL ? "no escape of JSON, or a NUL" :
		    "no UTF-8");
	else
		p->p = e + 1;
	return str;
}

/* The name of a member, or that which an element says; "" if it says none. */
static const char *
key_of(const struct ctf_json *v)
{
	if (v->key != NULL)
		return v->key;
	for (v = v->child; v != NULL; v = v->next)
		if (strcmp(v->key, "name") == 0 && v->kind == JSON_STRING)
			return v->str;
	return "";
}

static int
key_cmp(const void *a, const void *b)
{
	const struct ctf_json *x = *(struct ctf_json *const *)a;
	const struct ctf_json *y = *(struct ctf_json *const *)b;

	return strcmp(key_of(x), key_of(y));
}

void
ctf_json_unique(struct ctf_json_parse *q, const struct ctf_json *o)
{
	struct ctf_json **all, *v;
	const char *key;
	size_t i, n = 0;

	if (q->p.bad || o->n < 2)
		return;
	if ((all = calloc(o->n, sizeof(*all))) == NULL)
		die_errno("malloc");
	for (v = o->child; v != NULL; v = v->next)
		all[n++] = v;
	qsort(all, n, sizeof(*all), key_cmp);
	for (i = 1; i < n; i++) {
		key = key_of(all[i]);
		if (*key == '\0' || strcmp(key, key_of(all[i - 1])) != 0)
			continue;
		ctf_json_wrong(q, all[i], "'%.64s' is there twice", key);
		break;
	}
	free(all);
}

/* The values of an array, or the members of an object. */
static void
json_children(struct ctf_json_parse *q, struct ctf_json *v, char close)
{
	struct ctf_json **next = &v->child;
	char *key = NULL;

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
	if (close == '}')
		ctf_json_unique(q, v);
}

static struct ctf_json *
json_value(struct ctf_json_parse *q)
{
	const char c = json_peek(q);
	struct ctf_json *v;

	if (q->p.depth == JSON_DEPTH) {
		json_wrong(q, "too deep");
		return NULL;
	}
	q->p.depth++;
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
	else if (c == 'n')
		json_word(q, "null");
	else {
		v->kind = JSON_BOOL;
		v->num = c == 't';
		json_word(q, c == 't' ? "true" : "false");
	}
	q->p.depth--;
	return q->p.bad ? NULL : v;
}

/* All of a fragment: an object. */
struct ctf_json *
ctf_json(struct ctf_json_parse *q)
{
	struct ctf_json *v;

	if (json_peek(q) != '{') {
		json_wrong(q, "an object expected");
		return NULL;
	}
	q->p.depth = 0;
	v = json_value(q);
	if (json_peek(q) != '\0' || (!q->p.bad && q->p.p < q->p.end))
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
	static const char *const kinds[] = { "null", "true or false",
	    "an integer", "a number", "a string", "an array", "an object" };
	const struct ctf_json *v;

	if (q->p.bad)
		return NULL;
	if (o->kind != JSON_OBJECT) {
		ctf_json_wrong(q, o, "an object expected");
		return NULL;
	}
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

	if (n > CTF_TEXT) {
		ctf_json_wrong(q, v, "a string of more than %d bytes",
		    CTF_TEXT);
		return "";
	}
	return ctf_strdup(q->p.trace, s, n);
}

uint64_t
ctf_json_number(struct ctf_json_parse *q, const struct ctf_json *o,
    const char *key, uint64_t max, uint64_t without)
{
	const struct ctf_json *v = ctf_json_get(q, o, key, JSON_INT);

	if (v == NULL)
		return without;
	if (v->neg || v->num > max) {
		ctf_json_wrong(q, v, "'%s' is out of range", key);
		return without;
	}
	return v->num;
}

uint64_t
ctf_json_size(struct ctf_json_parse *q, const struct ctf_json *o, uint64_t max)
{
	(void)ctf_json_need(q, o, "length", JSON_INT);
	return ctf_json_number(q, o, "length", max, 0);
}

/* What is an extension may change the meaning of all: none is known. */
void
ctf_json_extensions(struct ctf_json_parse *q, const struct ctf_json *o)
{
	const struct ctf_json *x = ctf_json_get(q, o, "extensions",
	    JSON_OBJECT);

	if (x != NULL && (x = x->child) != NULL)
		ctf_json_wrong(q, x, "the extension '%.64s%s%.64s' is not "
		    "known here", x->key, x->child == NULL ||
		    x->child->key == NULL ? "" : "/", x->child == NULL ||
		    x->child->key == NULL ? "" : x->child->key);
}
