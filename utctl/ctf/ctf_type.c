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
 * The types of TSDL.  A wrong one gives NULL and an error said by
 * ctf_error(), after which every token is TOK_END: no loop goes on.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "ctf_parse.h"

/* The fields of a struct while they are read. */
struct fields {
	struct ctf_field	*list;
	size_t			 n, cap;
	struct map		 names;	/* one more than the index */
	size_t			 nnames;
};

struct labels {
	struct ctf_type		*type;
	struct ctf_label	*list;
	size_t			 n, cap;
	uint64_t		 next;		/* a label's without value */
};

static struct ctf_type *
type_new(struct ctf_parse *p, enum ctf_kind kind)
{
	struct ctf_type *t;

	t = ctf_alloc(p->trace, sizeof(*t));
	t->kind = kind;
	t->align = 1;
	t->base = 10;
	t->depth = 1;
	t->nodes = 1;
	t->line = p->line;
	t->next = p->trace->types;
	p->trace->types = t;
	return t;
}

/* { key = value; ... } */
void
ctf_block(struct ctf_parse *p, ctf_key *key, void *arg)
{
	const char *name;

	ctf_expect(p, '{', "'{'");
	while (p->tok != '}' && !p->bad) {
		if (p->tok == TOK_IDENT && strcmp(p->str, "typealias") == 0)
			ctf_typealias(p);
		else {
			name = ctf_path(p);
			if (!p->bad)
				key(p, name, arg);
		}
		ctf_expect(p, ';', "';'");
	}
	ctf_expect(p, '}', "'}'");
}

static void
int_size(struct ctf_parse *p, struct ctf_type *t, const struct ctf_value *v)
{
	if (v->tok != TOK_NUM || v->neg || v->num == 0 || v->num > 64 ||
	    v->num % 8 != 0)
		ctf_error(p, "an integer's size must be 8, 16, ... 64");
	else
		t->nbytes = (uint32_t)v->num / 8;
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
		ctf_error(p, "unknown attribute '%.64s'", key);
}

static struct ctf_type *
type_int(struct ctf_parse *p)
{
	struct ctf_type *t = type_new(p, CTF_INT);

	ctf_block(p, int_key, t);
	if (t->nbytes == 0)
		ctf_error(p, "an integer without size");
	t->shift = 64 - 8 * t->nbytes;
	t->fixed = t->align == 1 ? t->nbytes : 0;
	t->min = t->nbytes;
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
		t->nbytes = v.num == 24 ? 4 : 8;
	} else if (strcmp(key, "align") == 0)
		t->align = ctf_value_align(p, &v);
	else if (strcmp(key, "byte_order") == 0)
		t->order = ctf_value_order(p, &v);
	else
		ctf_error(p, "unknown attribute '%.64s'", key);
}

static struct ctf_type *
type_float(struct ctf_parse *p)
{
	struct ctf_type *t = type_new(p, CTF_FLOAT);

	ctf_block(p, float_key, t);
	if (t->nbytes == 0 || t->count != (t->nbytes == 4 ? 8 : 11))
		ctf_error(p, "exp_dig and mant_dig are not of a float");
	t->shift = 64 - 8 * t->nbytes;
	t->fixed = t->align == 1 ? t->nbytes : 0;
	t->min = t->nbytes;
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
		ctf_error(p, "unknown attribute '%.64s'", key);
}

static struct ctf_type *
type_string(struct ctf_parse *p)
{
	struct ctf_type *t = type_new(p, CTF_STRING);

	if (p->tok == '{')
		ctf_block(p, string_key, NULL);
	t->min = 1;
	return t;
}

static uint64_t
name_key(const char *name)
{
	return map_bytes(0, name, strlen(name));
}

static struct ctf_type *
type_find(struct ctf_parse *p, const char *name)
{
	struct ctf_alias *a = map_get(&p->trace->aliases, name_key(name));

	for (; a != NULL; a = a->next)
		if (strcmp(a->name, name) == 0)
			return a->type;
	ctf_error(p, "unknown type '%.64s'", name);
	return NULL;
}

static void
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
	a = ctf_alloc(p->trace, sizeof(*a));
	a->name = name;
	a->type = t;
	a->next = map_get(&p->trace->aliases, key);
	map_put(&p->trace->aliases, key, a);
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

/* "struct NAME" or "enum NAME", NULL if there is no name. */
static const char *
type_tag(struct ctf_parse *p, const char *what)
{
	const char *tag;

	if (p->tok != TOK_IDENT)
		return NULL;
	tag = type_join(p, what, p->str);
	ctf_next(p);
	return tag;
}

/* A label's value, which must fit its integer. */
static uint64_t
label_value(struct ctf_parse *p, const struct ctf_type *t)
{
	struct ctf_value v;
	uint64_t max = UINT64_MAX >> t->shift >> (t->sign != 0);

	v.neg = p->tok == '-';
	if (v.neg)
		ctf_next(p);
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
	}
	label_add(l, &new);
}

static struct ctf_type *
enum_new(struct ctf_parse *p)
{
	struct ctf_type *t, *of, *next;

	if (ctf_accept(p, ':'))
		of = ctf_type(p);
	else
		of = type_find(p, "int");
	if (of == NULL)
		return NULL;
	if (of->kind != CTF_INT) {
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

static struct ctf_type *
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
	l.type->labels = ctf_alloc(p->trace, l.n * sizeof(*l.list));
	if (l.n != 0)
		memcpy(l.type->labels, l.list, l.n * sizeof(*l.list));
	l.type->nlabels = l.n;
	free(l.list);
	ctf_label_sort(p->trace, l.type);
	if (tag != NULL)
		type_name(p, tag, l.type);
	return l.type;
}

/* An array or a sequence; none of its elements may be nothing at all. */
static struct ctf_type *
type_many(struct ctf_parse *p, struct ctf_type *elem, enum ctf_kind kind)
{
	struct ctf_type *t;

	if (elem->min == 0)
		ctf_error(p, "an array of what may be empty");
	else if (elem->depth == CTF_DEPTH)
		ctf_error(p, "too deep");
	if (p->bad)
		return NULL;
	t = type_new(p, kind);
	t->elem = elem;
	t->align = elem->align;
	t->text = elem->kind == CTF_INT && elem->nbytes == 1 && elem->text &&
	    elem->align == 1;	/* no padding between */
	t->depth = elem->depth + 1;
	t->nodes = elem->nodes + 1;
	t->empty = elem->empty + 1;
	return t;
}

static struct ctf_type *
type_array(struct ctf_parse *p, struct ctf_type *elem, uint64_t n)
{
	struct ctf_type *t;

	if ((t = type_many(p, elem, CTF_ARRAY)) == NULL)
		return NULL;
	if (n > CTF_EVENTMAX / elem->min) {
		ctf_error(p, "too large an array");
		return NULL;
	}
	t->count = n;
	t->min = n * elem->min;
	if (t->min > 0)
		t->empty--;
	t->fixed = n * elem->fixed;
	return t;
}

/* The last field of that name: one more than its index; 0: there is none. */
static size_t
field_find(struct fields *fs, const char *name)
{
	for (; fs->nnames < fs->n; fs->nnames++)
		map_put(&fs->names, name_key(fs->list[fs->nnames].name),
		    (void *)(uintptr_t)(fs->nnames + 1));
	return (size_t)(uintptr_t)map_get(&fs->names, name_key(name));
}

/* A sequence, whose length is in an earlier field of the same struct. */
static struct ctf_type *
type_seq(struct ctf_parse *p, struct ctf_type *elem, const char *len,
    struct fields *fs)
{
	const size_t i = field_find(fs, len);
	struct ctf_type *t;

	if (i == 0) {
		ctf_error(p, "no field '%.64s' before this", len);
		return NULL;
	}
	t = fs->list[i - 1].type;
	if (t->kind != CTF_INT || t->sign) {
		ctf_error(p, "'%.64s' is no unsigned integer", len);
		return NULL;
	}
	if ((t = type_many(p, elem, CTF_SEQ)) == NULL)
		return NULL;
	fs->list[i - 1].islen = 1;
	t->lenidx = i - 1;
	return t;
}

/* The brackets after a field's name: the last is the innermost. */
static struct ctf_type *
field_dims(struct ctf_parse *p, struct ctf_type *t, struct fields *fs)
{
	struct ctf_value dims[CTF_DEPTH];
	int n = 0;

	while (ctf_accept(p, '[')) {
		if (n == CTF_DEPTH) {
			ctf_error(p, "too many dimensions");
			return NULL;
		}
		dims[n].tok = p->tok;
		dims[n].num = p->num;
		dims[n++].str = p->str;
		if (p->tok != TOK_NUM && p->tok != TOK_IDENT)
			ctf_error(p, "a length expected");
		ctf_next(p);
		ctf_expect(p, ']', "']'");
	}
	while (n-- > 0 && !p->bad && t != NULL)
		t = dims[n].tok == TOK_NUM ? type_array(p, t, dims[n].num) :
		    type_seq(p, t, dims[n].str, fs);
	return t;
}

static void
field_read(struct ctf_parse *p, struct fields *fs)
{
	struct ctf_field *list, *f;
	struct ctf_type *t;
	const char *name;

	if ((t = ctf_type(p)) == NULL)
		return;
	name = p->str;
	ctf_expect(p, TOK_IDENT, "a field's name");
	t = field_dims(p, t, fs);
	ctf_expect(p, ';', "';'");
	if (p->bad || t == NULL)
		return;
	if (fs->n == CTF_NODES) {
		ctf_error(p, "too large a struct");
		return;
	}
	if (fs->n == fs->cap) {
		fs->cap = fs->cap == 0 ? 8 : 2 * fs->cap;
		if ((list = realloc(fs->list, fs->cap * sizeof(*f))) == NULL)
			die_errno("malloc");
		fs->list = list;
	}
	f = &fs->list[fs->n++];
	memset(f, 0, sizeof(*f));
	f->type = t;
	f->name = name;
}

/* Set what is known of a struct from its fields. */
static void
struct_sizes(struct ctf_parse *p, struct ctf_type *t)
{
	struct ctf_field *f;
	int fixed = 1;

	for (f = t->fields; f < t->fields + t->nfields; f++) {
		if (f->type->align > t->align)
			t->align = f->type->align;
		if (f->type->depth >= t->depth)
			t->depth = f->type->depth + 1;
		t->nodes += f->type->nodes;
		t->empty += f->type->empty;
		t->min += f->type->min;
		t->fixed += f->type->fixed;
		if (f->type->fixed == 0)
			fixed = 0;
		if (t->depth > CTF_DEPTH || t->nodes > CTF_NODES ||
		    t->min > CTF_EVENTMAX) {
			ctf_error(p, "too large a struct");
			return;
		}
	}
	if (!fixed || t->align > 1)
		t->fixed = 0;
	t->empty += t->min == 0;
	if (t->empty > CTF_EMPTY)
		ctf_error(p, "more than %d fields that may be empty",
		    CTF_EMPTY);
}

static void
struct_close(struct ctf_parse *p, struct ctf_type *t, struct fields *fs)
{
	struct ctf_type *a;
	size_t i;

	t->fields = ctf_alloc(p->trace, fs->n * sizeof(*fs->list));
	t->nfields = fs->n;
	for (i = 0; i < fs->n; i++) {
		t->fields[i] = fs->list[i];
		if (t->fields[i].name[0] == '_' && t->fields[i].name[1] != '\0')
			t->fields[i].name++;
		for (a = t->fields[i].type; a->kind == CTF_ARRAY ||
		    a->kind == CTF_SEQ; a = a->elem)
			if (a->kind == CTF_SEQ && a->len == NULL)
				a->len = &t->fields[a->lenidx];
	}
	struct_sizes(p, t);
}

/* align ( bits ) */
static uint32_t
struct_align(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_next(p);
	ctf_expect(p, '(', "'('");
	v.tok = p->tok;
	v.neg = 0;
	v.num = p->num;
	ctf_expect(p, TOK_NUM, "a number");
	ctf_expect(p, ')', "')'");
	return p->bad ? 1 : ctf_value_align(p, &v);
}

static struct ctf_type *
type_struct(struct ctf_parse *p)
{
	struct fields fs;
	struct ctf_type *t;
	const char *tag = type_tag(p, "struct");

	if (tag != NULL && p->tok != '{')
		return type_find(p, tag);
	memset(&fs, 0, sizeof(fs));
	t = type_new(p, CTF_STRUCT);
	ctf_expect(p, '{', "'{'");
	while (p->tok != '}' && !p->bad)
		field_read(p, &fs);
	ctf_expect(p, '}', "'}'");
	if (p->tok == TOK_IDENT && strcmp(p->str, "align") == 0)
		t->align = struct_align(p);
	if (!p->bad)
		struct_close(p, t, &fs);
	free(fs.list);
	map_free(&fs.names);
	if (tag != NULL)
		type_name(p, tag, t);
	return t;
}

/* Is it a word that C makes its types of?  These join to one name. */
static int
type_isword(const char *s)
{
	static const char *const words[] = { "unsigned", "signed", "long",
	    "short", "int", "char", "const", "float", "double" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(s, words[i]) == 0)
			return 1;
	return 0;
}

static const char *
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
	return name;
}

static struct ctf_type *
type_any(struct ctf_parse *p)
{
	static const struct {
		const char	*name;
		struct ctf_type	*(*read)(struct ctf_parse *);
	} kinds[] = {
		{ "integer", type_int },
		{ "floating_point", type_float },
		{ "string", type_string },
		{ "enum", type_enum },
		{ "struct", type_struct }
	};
	size_t i;

	if (p->tok != TOK_IDENT) {
		ctf_error(p, "a type expected");
		return NULL;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(p->str, kinds[i].name) == 0) {
			ctf_next(p);
			return kinds[i].read(p);
		}
	return type_find(p, type_words(p));
}

struct ctf_type *
ctf_type(struct ctf_parse *p)
{
	struct ctf_type *t;

	if (p->depth == CTF_DEPTH) {
		ctf_error(p, "too deep");
		return NULL;
	}
	p->depth++;
	t = type_any(p);
	p->depth--;
	return p->bad ? NULL : t;
}

/* typealias type := name */
void
ctf_typealias(struct ctf_parse *p)
{
	struct ctf_type *t;
	const char *name;

	ctf_next(p);
	if ((t = ctf_type(p)) == NULL)
		return;
	ctf_expect(p, TOK_ASSIGN, "':='");
	if (p->tok != TOK_IDENT) {
		ctf_error(p, "a type's name expected");
		return;
	}
	name = type_words(p);
	type_name(p, name, t);
}
