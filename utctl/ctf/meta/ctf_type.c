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
 * The types of TSDL, of which those with members are here.  A wrong one gives
 * NULL and an error said by ctf_error(), after which every token is TOK_END: no
 * loop goes on.
 */

#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "ctf_parse.h"


/* The fields of a struct or variant while they are read. */
struct fields {
	struct ctf_field	*list;
	size_t			 n, cap;
	struct map		 names;	/* one more than the index */
	size_t			 nnames;
	struct fields		*parent;	/* the struct around's */
	int			 outside;	/* fields of that are named */
	int			 isvariant;	/* none of its own can be */
};

/* The result of a function of ctf_make.c. */
static struct ctf_type *
type_made(struct ctf_parse *p, struct ctf_type *t, const char *why)
{
	if (why == NULL)
		return t;
	ctf_error(p, "%s", why);
	return NULL;
}

static struct ctf_type *
type_array(struct ctf_parse *p, struct ctf_type *elem, enum ctf_kind kind,
    uint64_t n)
{
	struct ctf_type *t = type_new(p, kind);

	t->count = n;
	t->text = elem->kind == CTF_INT && elem->text && elem->fixed == 1;
	return type_made(p, t, make_array(t, elem));
}

/* The last field of that name: one more than its index; 0: there is none. */
static size_t
field_find(struct fields *fs, const char *name)
{
	for (; fs->nnames < fs->n; fs->nnames++)
		map_put(&fs->names, name_key(fs->list[fs->nnames].raw),
		    (void *)(uintptr_t)(fs->nnames + 1));
	return (size_t)(uintptr_t)map_get(&fs->names, name_key(name));
}

/*
 * The field that a relative path names, from the inside out; or NULL.  What is
 * in a struct beside it gets a slot of its own: see ctf_make.c.
 */
static struct ctf_field *
field_meant(struct ctf_parse *p, const char *path, uint32_t **slot)
{
	const char *dot = strchr(path, '.');
	struct fields *fs;
	struct ctf_field *f;
	size_t i = 0;
	char *first;

	first = ctf_strdup(p->trace, path, dot == NULL ? strlen(path) :
	    (size_t)(dot - path));
	for (fs = p->scope; fs != NULL; fs = fs->parent) {
		if (!fs->isvariant && (i = field_find(fs, first)) != 0)
			break;
		fs->outside = 1;
	}
	if (fs == NULL)
		return NULL;
	f = &fs->list[i - 1];
	*slot = &f->slot;
	if (dot == NULL)
		return f;
	if (f->type->kind != CTF_STRUCT)
		return NULL;
	f->type = make_own(p->trace, f->type);
	if ((f = make_path(p->trace, f->type, dot + 1)) != NULL)
		*slot = &f->outer;
	return f;
}

/*
 * Note where the length or the tag is, which is returned; or NULL: it was said
 * why, or all that follows from it is left to ctf_scope.c.
 */
static struct ctf_field *
slot_set(struct ctf_parse *p, struct ctf_type *t, const char *path)
{
	struct ctf_field *f;
	uint32_t *slot;

	if (ctf_scope_of(path) != -1) {
		t->path = path;
		p->trace->haspaths = 1;
		return NULL;
	}
	if ((f = field_meant(p, path, &slot)) == NULL) {
		ctf_error(p, "no field '%.64s' before this", path);
		return NULL;
	}
	if (*slot == 0)
		*slot = ++p->trace->nslots;
	t->slot = *slot;
	return f;
}

static struct ctf_type *
type_seq(struct ctf_parse *p, struct ctf_type *elem, const char *path)
{
	struct ctf_type *t = type_array(p, elem, CTF_SEQ, 0);
	const struct ctf_field *f;
	const char *why;

	if (t == NULL || (f = slot_set(p, t, path)) == NULL ||
	    (why = ctf_slot_isbad(t, f)) == NULL)
		return t;
	ctf_error(p, "'%.64s' %s", path, why);
	return NULL;
}

/* A length that env tells is a number. */
static void
dim_env(struct ctf_parse *p, struct ctf_value *dim)
{
	const uint64_t *num;

	if (strncmp(dim->str, "env.", 4) != 0 ||
	    (num = map_get(&p->trace->env, name_key(dim->str + 4))) == NULL)
		return;
	dim->tok = TOK_NUM;
	dim->num = *num;
}

/* The brackets after a field's name: the last is the innermost. */
static struct ctf_type *
field_dims(struct ctf_parse *p, struct ctf_type *t)
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
		if (p->tok == TOK_IDENT) {
			dims[n].str = ctf_path(p);
			dim_env(p, &dims[n]);
		} else
			ctf_expect(p, TOK_NUM, "a length");
		n++;
		ctf_expect(p, ']', "']'");
	}
	while (n-- > 0 && !p->bad && t != NULL)
		t = dims[n].tok == TOK_NUM ? type_array(p, t, CTF_ARRAY,
		    dims[n].num) : type_seq(p, t, dims[n].str);
	return t;
}

static void
field_add(struct ctf_parse *p, struct ctf_type *t, const char *name)
{
	struct fields *fs = p->scope;
	struct ctf_field *list, *f;

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
	f->raw = name;
	f->name = name[0] == '_' && name[1] != '\0' ? name + 1 : name;
}

/* One of the names behind a type. */
static void
field_name(struct ctf_parse *p, struct ctf_type *t)
{
	const char *name = p->str;

	ctf_expect(p, TOK_IDENT, "a field's name");
	t = field_dims(p, t);
	if (p->bad || t == NULL)
		return;
	if (t->kind == CTF_VARIANT && t->slot == 0 && t->path == NULL)
		ctf_error(p, "a variant without tag");
	else if (t->kind == CTF_SEQ && p->scope->n != 0)
		make_length(&p->scope->list[p->scope->n - 1], name);
	field_add(p, t, name);
}

/* type name, name[n], ...; */
static void
field_read(struct ctf_parse *p)
{
	struct ctf_type *t;

	if (ctf_typealias_here(p) || (t = ctf_type(p)) == NULL)
		return;
	do
		field_name(p, t);
	while (ctf_accept(p, ','));
	ctf_expect(p, ';', "';'");
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

/* { type name; ... } */
static void
fields_read(struct ctf_parse *p, struct fields *fs, int isvariant)
{
	struct ctf_alias *outside = p->trace->newest;

	memset(fs, 0, sizeof(*fs));
	fs->isvariant = isvariant;
	fs->parent = p->scope;
	p->scope = fs;
	p->nscopes++;
	ctf_expect(p, '{', "'{'");
	while (p->tok != '}' && !p->bad)
		field_read(p);
	ctf_expect(p, '}', "'}'");
	p->scope = fs->parent;
	type_leave(p, outside);
}

/*
 * The name is for whoever has the type elsewhere: but not if it means fields
 * around it, which are not there.
 */
static void
fields_end(struct ctf_parse *p, struct fields *fs, const char *tag,
    struct ctf_type *t)
{
	if (tag != NULL && !fs->outside)
		type_name(p, tag, t);
	free(fs->list);
	map_free(&fs->names);
}

static struct ctf_type *
type_struct(struct ctf_parse *p)
{
	struct fields fs;
	struct ctf_type *t;
	const char *tag = type_tag(p, "struct");

	if (tag != NULL && p->tok != '{')
		return type_find(p, tag);
	t = type_new(p, CTF_STRUCT);
	fields_read(p, &fs, 0);
	if (p->tok == TOK_IDENT && strcmp(p->str, "align") == 0)
		t->align = struct_align(p);
	if (!p->bad)
		type_made(p, t, make_struct(p->trace, t, fs.list, fs.n));
	fields_end(p, &fs, tag, t);
	return t;
}

/* A variant of those options, whose tag may be elsewhere for each. */
static struct ctf_type *
variant_tagged(struct ctf_parse *p, const struct ctf_type *of,
    const char *path)
{
	struct ctf_type *t = type_new(p, CTF_VARIANT), *next = t->next;
	const struct ctf_field *f;
	const char *why;

	if (p->bad)
		return NULL;
	*t = *of;
	t->next = next;
	if ((f = slot_set(p, t, path)) == NULL)
		return t;
	if ((why = ctf_slot_isbad(t, f)) != NULL)
		ctf_error(p, "'%.64s' %s", path, why);
	else
		ctf_slot_labels(p->trace, t, f->type);
	if (p->trace->steps > CTF_STEPS)
		ctf_error(p, "too many labels of tags");
	return t;
}

/* variant [name] [<tag>] [{ type option; ... }] */
static struct ctf_type *
type_variant(struct ctf_parse *p)
{
	const char *name = NULL, *path = NULL;
	struct fields fs;
	struct ctf_type *t;

	if (p->tok == TOK_IDENT)
		name = type_tag(p, "variant");
	if (ctf_accept(p, '<')) {
		path = ctf_path(p);
		ctf_expect(p, '>', "'>'");
	}
	if (p->tok == '{') {
		t = type_new(p, CTF_VARIANT);
		fields_read(p, &fs, 1);
		if (!p->bad)
			type_made(p, t, make_variant(p->trace, t, fs.list,
			    fs.n));
		fields_end(p, &fs, name, t);
	} else if (name == NULL) {
		ctf_error(p, "a variant's options expected");
		return NULL;
	} else
		t = type_find(p, name);
	return path == NULL || t == NULL ? t : variant_tagged(p, t, path);
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
		{ "struct", type_struct },
		{ "variant", type_variant }
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

/* Behind typealias: type := name; behind typedef: type name, name[n], ... */
void
ctf_typealias(struct ctf_parse *p, int isdef)
{
	struct ctf_type *t = ctf_type(p);
	const char *name;

	if (t != NULL && !isdef)
		ctf_expect(p, TOK_ASSIGN, "':='");
	do {
		if (t == NULL || p->tok != TOK_IDENT) {
			ctf_error(p, "a type's name expected");
			return;
		}
		name = type_words(p);
		type_name(p, name, isdef ? field_dims(p, t) : t);
	} while (isdef && ctf_accept(p, ','));
}

/* Is it one of these? */
int
ctf_typealias_here(struct ctf_parse *p)
{
	int isdef;

	if (p->tok != TOK_IDENT || ((isdef = strcmp(p->str, "typedef") == 0)
	    == 0 && strcmp(p->str, "typealias") != 0))
		return 0;
	ctf_next(p);
	ctf_typealias(p, isdef);
	ctf_expect(p, ';', "';'");
	return 1;
}
