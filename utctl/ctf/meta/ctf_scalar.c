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
 * The types of TSDL that have no members, and the names of types.
 */

#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "ctf_parse.h"

#define WARNINGS	16		/* a trace has at most */
#define KEYS		16		/* compared in a block */

struct labels {
	struct ctf_type		*type;
	struct ctf_label	*list;
	size_t			 n, cap;
	uint64_t		 next;		/* a label's without value */
};

struct ctf_type *
type_new(struct ctf_parse *p, enum ctf_kind kind)
{
	return make_type(p->trace, kind, p->line);
}

/* Attributes that say nothing to us are passed over. */
static void
attr_unknown(struct ctf_parse *p, const char *key)
{
	if (!p->bad && p->nwarned++ < WARNINGS)
		ctf_warn(p->trace->file, "line %lu: unknown attribute '%.64s'",
		    p->line, key);
}

struct ctf_type *
type_find(struct ctf_parse *p, const char *name)
{
	struct ctf_alias *a = map_get(&p->trace->aliases, name_key(name));

	for (; a != NULL; a = a->next)
		if (!a->gone && strcmp(a->name, name) == 0)
			return a->type;
	ctf_error(p, "unknown type '%.64s'", name);
	return NULL;
}

void
type_name(struct ctf_parse *p, const char *name, struct ctf_type *t)
{
	const uint64_t key = name_key(name);
	struct ctf_alias *a;

	if (p->bad)
		return;
	if (p->trace->nnames++ == CTF_NAMES) {
		ctf_error(p, "too many types");
		return;
	}
	for (a = map_get(&p->trace->aliases, key); a != NULL; a = a->next)
		if (!a->gone && a->depth == p->nscopes)
			ctf_error(p, "a second type '%.64s'", name);
	a = ctf_alloc(p->trace, sizeof(*a));
	a->name = name;
	a->type = t;
	a->depth = p->nscopes;
	a->next = map_get(&p->trace->aliases, key);
	map_put(&p->trace->aliases, key, a);
	a->older = p->trace->newest;
	p->trace->newest = a;
}

/* Leave a scope: names that are newer are of it alone. */
void
type_leave(struct ctf_parse *p, const struct ctf_alias *newest)
{
	struct ctf_alias *a;

	p->nscopes--;
	for (a = p->trace->newest; a != newest; a = a->older)
		a->gone = 1;
	p->trace->newest = a;
}

static const char *
type_join(struct ctf_parse *p, const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	char *s;

	s = ctf_alloc(p->trace, n + m + 2);
	memcpy(s, a, n);
	s[n] = ' ';
	memcpy(s + n + 1, b, m + 1);
	return s;
}

/* "struct NAME" and the like; NULL if there is no name. */
const char *
type_tag(struct ctf_parse *p, const char *what)
{
	const char *tag;

	if (p->tok != TOK_IDENT)
		return NULL;
	tag = type_join(p, what, p->str);
	ctf_next(p);
	return tag;
}

/* Note a key of a block, which is there once: all are among the first few. */
static void
key_seen(struct ctf_parse *p, const char **seen, const char *key)
{
	int i;

	for (i = 0; i < KEYS && seen[i] != NULL; i++)
		if (strcmp(seen[i], key) == 0)
			ctf_error(p, "a second '%.64s'", key);
	if (i < KEYS && strncmp(key, "type", 4) != 0)
		seen[i] = key;
}

/* { key = value; ... }, in env any key as often as it likes. */
void
ctf_block(struct ctf_parse *p, ctf_key *key, void *arg)
{
	struct ctf_alias *outside = p->trace->newest;
	const char *name, *seen[KEYS] = { NULL };

	p->nscopes++;
	ctf_expect(p, '{', "'{'");
	while (p->tok != '}' && !p->bad) {
		name = ctf_path(p);
		if (arg != p->trace)
			key_seen(p, seen, name);
		if (!p->bad)
			key(p, name, arg);
		ctf_expect(p, ';', "';'");
	}
	ctf_expect(p, '}', "'}'");
	type_leave(p, outside);
}

static void
int_size(struct ctf_parse *p, struct ctf_type *t, const struct ctf_value *v)
{
	if (v->tok != TOK_NUM || v->neg || v->num == 0 || v->num > 64)
		ctf_error(p, "an integer's size must be 1 to 64");
	else
		t->bits = (uint32_t)v->num;
}

static void
int_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_type *t = arg;
	struct ctf_value v;

	ctf_value(p, &v);
	if (p->bad)
		return;
	if (strcmp(key, "size") == 0)
		int_size(p, t, &v);
	else if (strcmp(key, "align") == 0)
		t->align = ctf_value_align(p, &v);
	else if (strcmp(key, "signed") == 0)
		t->sign = ctf_value_bool(p, &v);
	else if (strcmp(key, "byte_order") == 0)
		t->order = ctf_value_order(p, &v);
	else if (strcmp(key, "base") == 0)
		t->base = ctf_value_base(p, &v);
	else if (strcmp(key, "encoding") == 0)
		t->text = ctf_value_isutf8(p, &v);
	else if (strcmp(key, "map") == 0)
		t->map = ctf_value_clock(p, &v);
	else
		attr_unknown(p, key);
}

struct ctf_type *
type_int(struct ctf_parse *p)
{
	struct ctf_type *t = type_new(p, CTF_INT);

	t->align = 0;
	ctf_block(p, int_key, t);
	if (t->bits == 0)
		ctf_error(p, "an integer without size");
	if (t->align == 0)
		t->align = t->bits % 8 == 0 ? 8 : 1;
	make_number(t);
	return t;
}

static void
float_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_type *t = arg;
	struct ctf_value v;

	ctf_value(p, &v);
	if (p->bad)
		return;
	if (strcmp(key, "exp_dig") == 0) {
		if (v.tok != TOK_NUM || (v.num != 8 && v.num != 11))
			ctf_error(p, "exp_dig must be 8 or 11");
		t->count = v.num;
	} else if (strcmp(key, "mant_dig") == 0) {
		if (v.tok != TOK_NUM || (v.num != 24 && v.num != 53))
			ctf_error(p, "mant_dig must be 24 or 53");
		t->bits = v.num == 24 ? 32 : 64;
	} else if (strcmp(key, "align") == 0)
		t->align = ctf_value_align(p, &v);
	else if (strcmp(key, "byte_order") == 0)
		t->order = ctf_value_order(p, &v);
	else
		attr_unknown(p, key);
}

struct ctf_type *
type_float(struct ctf_parse *p)
{
	struct ctf_type *t = type_new(p, CTF_FLOAT);

	t->align = 8;
	ctf_block(p, float_key, t);
	if (t->bits == 0 || t->count != (t->bits == 32 ? 8 : 11))
		ctf_error(p, "exp_dig and mant_dig are not of a float");
	make_number(t);
	return t;
}

static void
string_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_value v;

	(void)arg;
	ctf_value(p, &v);
	if (p->bad)
		return;
	if (strcmp(key, "encoding") == 0)
		ctf_value_isutf8(p, &v);
	else
		attr_unknown(p, key);
}

struct ctf_type *
type_string(struct ctf_parse *p)
{
	struct ctf_type *t = type_new(p, CTF_STRING);

	if (p->tok == '{')
		ctf_block(p, string_key, NULL);
	return t;
}

/* A label's value, which must fit its integer. */
static uint64_t
label_value(struct ctf_parse *p, const struct ctf_type *t)
{
	struct ctf_value v;
	uint64_t max = UINT64_MAX >> t->shift >> (t->sign != 0);

	v.neg = ctf_sign(p);
	v.num = p->num;
	if (p->tok != TOK_NUM)
		ctf_error(p, "a label's value must be a number");
	else if (v.neg ? !t->sign || v.num > max + 1 : v.num > max)
		ctf_error(p, "a label's value does not fit");
	ctf_next(p);
	return v.neg ? 0 - v.num : v.num;
}

static void
label_add(struct labels *l, const struct ctf_label *new)
{
	struct ctf_label *list;

	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 8 : 2 * l->cap;
		if ((list = realloc(l->list, l->cap * sizeof(*list))) == NULL)
			die_errno("malloc");
		l->list = list;
	}
	l->list[l->n++] = *new;
	l->next = new->hi + 1;
}

/* label [= value [... value]] */
static void
label_read(struct ctf_parse *p, struct labels *l)
{
	struct ctf_label new;

	if (p->tok != TOK_IDENT && p->tok != TOK_STR) {
		ctf_error(p, "a label expected");
		return;
	}
	if (l->n == CTF_LABELS) {
		ctf_error(p, "more than %d labels", CTF_LABELS);
		return;
	}
	new.name = p->str;
	new.lo = new.hi = l->next;
	ctf_next(p);
	if (ctf_accept(p, '=')) {
		new.lo = new.hi = label_value(p, l->type);
		if (ctf_accept(p, TOK_DOTS))
			new.hi = label_value(p, l->type);
		if (l->type->sign ? (int64_t)new.lo > (int64_t)new.hi :
		    new.lo > new.hi)
			ctf_error(p, "a range ends before it begins");
	}
	label_add(l, &new);
}

/* Is it a word that C makes its types of?  These join to one name. */
static int
type_isword(const char *s)
{
	static const char *const words[] = { "unsigned", "signed", "long",
	    "short", "int", "char", "const", "float", "double", "void" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(s, words[i]) == 0)
			return 1;
	return 0;
}

const char *
type_words(struct ctf_parse *p)
{
	const char *name = p->str;
	int more = type_isword(name);

	ctf_next(p);
	while (more && p->tok == TOK_IDENT && type_isword(p->str) &&
	    strlen(name) < 64) {
		name = type_join(p, name, p->str);
		ctf_next(p);
	}
	while (p->tok == '*' && strlen(name) < 64) {
		name = type_join(p, name, "*");
		ctf_next(p);
	}
	return name;
}

static struct ctf_type *
enum_new(struct ctf_parse *p)
{
	struct ctf_type *t, *of, *next;

	if (!ctf_accept(p, ':'))
		of = type_find(p, "int");
	else if (p->tok == TOK_IDENT && strcmp(p->str, "integer") == 0) {
		ctf_next(p);
		of = type_int(p);
	} else if (p->tok == TOK_IDENT)
		of = type_find(p, type_words(p));
	else
		of = NULL;
	if (of == NULL || of->kind != CTF_INT) {
		ctf_error(p, "an enum of no integer");
		return NULL;
	}
	t = type_new(p, CTF_ENUM);
	next = t->next;
	*t = *of;
	t->next = next;
	t->kind = CTF_ENUM;
	return t;
}

struct ctf_type *
type_enum(struct ctf_parse *p)
{
	struct labels l;
	const char *tag = type_tag(p, "enum");

	if (tag != NULL && p->tok != '{' && p->tok != ':')
		return type_find(p, tag);
	memset(&l, 0, sizeof(l));
	if ((l.type = enum_new(p)) == NULL)
		return NULL;
	ctf_expect(p, '{', "'{'");
	while (p->tok != '}' && !p->bad) {
		label_read(p, &l);
		if (!ctf_accept(p, ','))
			break;
	}
	ctf_expect(p, '}', "'}'");
	if (l.n == 0)
		ctf_error(p, "an enum without labels");
	make_labels(p->trace, l.type, l.list, l.n);
	free(l.list);
	if (tag != NULL)
		type_name(p, tag, l.type);
	return l.type;
}
