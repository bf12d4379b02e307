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
 * The field classes of CTF 2 become types.
 *
 * An alias is read anew wherever it stands, so that each type is of one place
 * only, and a field location can mean a single field of it.
 */

#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "ctf_json.h"

#define ALIGN_MAX	(1 << 20)	/* bits */
#define TYPES_MAX	(1 << 18)	/* all fragments', and ranges */

enum flavour {
	PLAIN,
	SIGNED,
	UNSIGNED,
	BOOLEAN,
	BITS,
	FLAGS,
	TEXT
};

struct fclass {
	const char	*name;
	void		(*read)(struct ctf_json_parse *,
			    const struct ctf_json *, struct ctf_field *,
			    const struct fclass *);
	enum ctf_kind	 kind;
	enum flavour	 flavour;
};

static void	 fclass(struct ctf_json_parse *, const struct ctf_json *,
		    const char *, struct ctf_field *);

/* The result of a function of ctf_make.c. */
static void
made(struct ctf_json_parse *q, const struct ctf_json *j, const char *why)
{
	if (why != NULL)
		ctf_json_wrong(q, j, "%s", why);
}

static struct ctf_type *
class_new(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, enum ctf_kind kind)
{
	if (++q->nodes > CTF_NODES || ++q->allnodes > TYPES_MAX)
		ctf_json_wrong(q, j, "too many fields");
	f->type = make_type(q->p.trace, kind, q->p.line);
	return f->type;
}

/* The index of what a member says. */
static int
choice(struct ctf_json_parse *q, const struct ctf_json *j, const char *key,
    const char *const *all, const char *without)
{
	const char *word = ctf_json_word(q, j, key, without);
	int i;

	for (i = 0; all[i] != NULL; i++)
		if (strcmp(word, all[i]) == 0)
			return i;
	ctf_json_wrong(q, j, "no %s '%.64s'", key, word);
	return 0;
}

/* Bits, a power of 2. */
static uint32_t
alignment(struct ctf_json_parse *q, const struct ctf_json *j, const char *key)
{
	const uint64_t n = ctf_json_number(q, j, key, ALIGN_MAX, 1);

	if (n == 0 || (n & (n - 1)) != 0)
		ctf_json_wrong(q, j, "'%s' is no power of 2", key);
	return (uint32_t)n;
}

/* A bound of a range, as bits of that sign. */
static uint64_t
bound(struct ctf_json_parse *q, const struct ctf_json *v, int sign)
{
	if (v->kind != JSON_INT || (v->neg && !sign) ||
	    (sign && !v->neg && v->num > INT64_MAX))
		ctf_json_wrong(q, v, "no bound of a range");
	return v->neg ? 0 - v->num : v->num;
}

/* Add the ranges that have a label, or choose an option; there is room. */
static void
ranges(struct ctf_json_parse *q, struct ctf_type *t, const char *name,
    size_t option, const struct ctf_json *all)
{
	const struct ctf_json *r;
	struct ctf_label *l;

	if (all->kind != JSON_ARRAY || all->n == 0)
		ctf_json_wrong(q, all, "no ranges");
	for (r = all->child; r != NULL && !q->p.bad; r = r->next) {
		if (r->kind != JSON_ARRAY || r->n != 2) {
			ctf_json_wrong(q, r, "no range");
			return;
		}
		l = &t->labels[t->nlabels++];
		l->name = name;
		l->option = option;
		l->lo = bound(q, r->child, t->sign);
		l->hi = bound(q, r->child->next, t->sign);
		if (t->sign ? (int64_t)l->lo > (int64_t)l->hi : l->lo > l->hi)
			ctf_json_wrong(q, r, "a range ends before it begins");
	}
}

/* Mappings or flags: an object of ranges. */
static void
mappings(struct ctf_json_parse *q, const struct ctf_json *all,
    struct ctf_type *t)
{
	const struct ctf_json *v;
	size_t n = 0;

	if (all == NULL || all->child == NULL)
		return;
	t->kind = CTF_ENUM;
	for (v = all->child; v != NULL; v = v->next)
		n += v->n;
	if (n > CTF_LABELS || (q->allnodes += n) > TYPES_MAX)
		ctf_json_wrong(q, all, "too many ranges");
	else
		t->labels = ctf_alloc(q->p.trace, n * sizeof(*t->labels));
	for (v = all->child; v != NULL && !q->p.bad; v = v->next)
		ranges(q, t, ctf_json_copy(q, v, v->key), 0, v);
	if (!q->p.bad && !t->ismap)
		ctf_label_sort(q->p.trace, t);
}

/* The members that flavours of numbers have. */
static void
number(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, enum flavour flavour)
{
	struct ctf_type *t = f->type;
	size_t i;

	t->ismap = flavour == FLAGS;
	t->sign = flavour == SIGNED;
	if (flavour == BITS || flavour == FLAGS)
		t->base = 16;
	if (flavour == FLAGS)
		mappings(q, ctf_json_need(q, j, "flags", JSON_OBJECT), t);
	for (i = 0; t->ismap && i < t->nlabels; i++)
		if (t->labels[i].hi >= t->bits)
			ctf_json_wrong(q, j, "a flag of no bit");
	if (flavour != SIGNED && flavour != UNSIGNED)
		return;
	mappings(q, ctf_json_get(q, j, "mappings", JSON_OBJECT), t);
	t->base = (int)ctf_json_number(q, j, "preferred-display-base", 16, 10);
	if (t->base != 2 && t->base != 8 && t->base != 10 && t->base != 16)
		ctf_json_wrong(q, j, "no display base");
	if (flavour == UNSIGNED)
		ctf_json_role(q, j, f);
}

static void
fixed(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	static const char *const orders[] = { "little-endian", "big-endian",
	    NULL }, *const bits[] = { "first-to-last", "last-to-first", NULL };
	struct ctf_type *t = class_new(q, j, f, k->kind);
	int big;

	t->bits = (uint32_t)ctf_json_number(q, j, "length", UINT32_MAX,
	    JSON_NEEDED);
	big = choice(q, j, "byte-order", orders, NULL);
	t->order = big ? ORDER_BE : ORDER_LE;
	t->turned = choice(q, j, "bit-order", bits, bits[big]) != big;
	t->align = alignment(q, j, "alignment");
	if (k->kind == CTF_FLOAT && t->bits != 32 && t->bits != 64)
		ctf_json_wrong(q, j, "floating-point numbers of %u bits are "
		    "not read here", t->bits);
	else if (t->bits == 0 || t->bits > 64)
		ctf_json_wrong(q, j, "a number has 1 to 64 bits");
	if (q->p.bad)
		return;
	t->isbool = k->flavour == BOOLEAN;
	make_number(t);
	number(q, j, f, k->flavour);
}

static void
variable(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	struct ctf_type *t = class_new(q, j, f, k->kind);

	t->leb = 1;
	t->bits = 64;
	t->align = 8;
	make_number(t);
	number(q, j, f, k->flavour);
}

static void
encoding(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_type *t)
{
	static const char *const all[] = { "utf-8", "utf-16le", "utf-16be",
	    "utf-32le", "utf-32be", NULL };
	const int i = choice(q, j, "encoding", all, all[0]);

	t->wide = i == 0 ? 0 : i < 3 ? 2 : 4;
	t->order = i % 2 == 0 ? ORDER_BE : ORDER_LE;
}

static void
string(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	struct ctf_type *t = class_new(q, j, f, k->kind);

	encoding(q, j, t);
	if (t->wide)
		t->min = 8 * (uint64_t)t->wide;
}

/* So many of the same. */
static void
elements(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_type *t, struct ctf_type *elem)
{
	if (t->kind == CTF_ARRAY)
		t->count = ctf_json_number(q, j, "length", INT64_MAX,
		    JSON_NEEDED);
	if (!q->p.bad)
		made(q, j, make_array(t, elem));
	if (!q->p.bad && t->kind == CTF_SEQ)
		(void)ctf_json_locate(q, j, "length-field-location", t);
}

static void
bytes(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	struct ctf_type *t = class_new(q, j, f, k->kind);
	struct ctf_field byte;

	(void)class_new(q, j, &byte, CTF_INT);
	byte.type->bits = byte.type->align = 8;
	byte.type->base = 16;
	byte.type->text = t->text = k->flavour == TEXT;
	make_number(byte.type);
	if (t->text)
		encoding(q, j, t);
	elements(q, j, t, byte.type);
	if (!q->p.bad && !t->text)
		ctf_json_role(q, j, f);
}

/* A type with others in it, at most n, is open until type_close(). */
static void
type_open(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_type *t, size_t n)
{
	if (q->nopen == 0)
		q->scopes[q->scope] = t;
	if (q->nopen == CTF_DEPTH || n > CTF_NODES)
		ctf_json_wrong(q, j, "too deep, or too many fields");
	else {
		q->open[q->nopen++] = t;
		t->fields = calloc(n + 1, sizeof(*t->fields));
		if (t->fields == NULL)
			die_errno("malloc");
	}
}

static void
type_close(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_type *t)
{
	struct ctf_field *list = t->fields;

	q->nopen--;
	if (q->p.bad)
		t->nfields = 0;
	else if (t->kind == CTF_STRUCT)
		made(q, j, make_struct(q->p.trace, t, list, t->nfields));
	else if (t->kind == CTF_VARIANT)
		made(q, j, make_variant(q->p.trace, t, list, t->nfields));
	else
		t->fields = NULL;
	free(list);
}

static void
array(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	struct ctf_type *t = class_new(q, j, f, k->kind);
	struct ctf_field elem;

	memset(&elem, 0, sizeof(elem));
	t->align = alignment(q, j, "minimum-alignment");
	type_open(q, j, t, 0);
	fclass(q, j, "element-field-class", &elem);
	type_close(q, j, t);
	if (!q->p.bad)
		elements(q, j, t, elem.type);
}

/* A field's name, as it is. */
static void
name(struct ctf_json_parse *q, const struct ctf_json *j, struct ctf_field *f,
    const char *without)
{
	f->name = f->raw = ctf_json_copy(q, j,
	    ctf_json_word(q, j, "name", without));
	q->allnodes += strlen(f->name) / 256;
	ctf_json_extensions(q, j);
}

static void
structure(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	const struct ctf_json *all = ctf_json_get(q, j, "member-classes",
	    JSON_ARRAY), *m = all == NULL ? NULL : all->child;
	struct ctf_type *t = class_new(q, j, f, k->kind);

	t->align = alignment(q, j, "minimum-alignment");
	type_open(q, j, t, all == NULL ? 0 : all->n);
	for (; m != NULL && !q->p.bad; m = m->next) {
		f = &t->fields[t->nfields++];
		name(q, m, f, NULL);
		fclass(q, m, "field-class", f);
		if (!q->p.bad && f->type->kind == CTF_SEQ && f > t->fields)
			make_length(f - 1, f->name);
	}
	type_close(q, j, t);
}

/* The selector's values of an option; without ranges it is true. */
static void
option(struct ctf_json_parse *q, const struct ctf_json *j, struct ctf_type *t)
{
	struct ctf_field *f = &t->fields[t->nfields++];
	const struct ctf_json *all = ctf_json_get(q, j,
	    "selector-field-ranges", JSON_ARRAY);
	struct ctf_label *l;

	name(q, j, f, "");
	if (all != NULL)
		ranges(q, t, f->name, t->nfields - 1, all);
	else {
		l = &t->labels[t->nlabels++];
		l->name = f->name;
		l->lo = 1;
		l->hi = UINT64_MAX;
	}
	fclass(q, j, "field-class", f);
}

/* A variant; or an optional, which is like one of a single option. */
static void
variant(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f, const struct fclass *k)
{
	const int optional = strcmp(k->name, "optional") == 0;
	const struct ctf_json *all = optional ? NULL :
	    ctf_json_need(q, j, "options", JSON_ARRAY), *o, *r;
	struct ctf_type *t = class_new(q, j, f, k->kind);
	const struct ctf_type *selector;
	size_t n = 0;

	selector = ctf_json_locate(q, j, "selector-field-location", t);
	for (o = optional ? j : all == NULL ? NULL : all->child;
	    o != NULL && !q->p.bad; o = optional ? NULL : o->next) {
		r = ctf_json_get(q, o, "selector-field-ranges", JSON_ARRAY);
		if ((r == NULL) != selector->isbool ||
		    (selector->isbool && !optional))
			ctf_json_wrong(q, o, "a boolean selector has no "
			    "ranges, and any other has some");
		n += r == NULL ? 1 : r->n;
	}
	if (n == 0 || n > CTF_LABELS)
		ctf_json_wrong(q, j, "no options, or too many ranges");
	if (q->p.bad)
		return;
	t->optional = optional;
	t->sign = selector->sign;
	t->labels = ctf_alloc(q->p.trace, n * sizeof(*t->labels));
	type_open(q, j, t, optional ? 1 : all->n);
	for (o = optional ? j : all->child; o != NULL && !q->p.bad;
	    o = optional ? NULL : o->next)
		option(q, o, t);
	if (!q->p.bad)
		ctf_label_sort(q->p.trace, t);
	type_close(q, j, t);
}

/* The alias that a string means; NULL: an error was said. */
static const struct ctf_json_alias *
alias_find(struct ctf_json_parse *q, const struct ctf_json *v)
{
	const struct ctf_json_alias *a;

	if (q->p.bad)
		return NULL;
	a = map_get(&q->aliases, name_key(v->str));
	for (; a != NULL; a = a->next)
		if (strcmp(a->name, v->str) == 0 && a->index < q->visible)
			return a;
	ctf_json_wrong(q, v, "no alias '%.64s' before this", v->str);
	return NULL;
}

/* A field class, or the alias of one that is older than the present one. */
static void
fclass_read(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f)
{
	static const struct fclass all[] = {
		{ "fixed-length-bit-array", fixed, CTF_INT, BITS },
		{ "fixed-length-bit-map", fixed, CTF_INT, FLAGS },
		{ "fixed-length-boolean", fixed, CTF_INT, BOOLEAN },
		{ "fixed-length-unsigned-integer", fixed, CTF_INT, UNSIGNED },
		{ "fixed-length-signed-integer", fixed, CTF_INT, SIGNED },
		{ "fixed-length-floating-point-number", fixed, CTF_FLOAT,
		    PLAIN },
		{ "variable-length-unsigned-integer", variable, CTF_INT,
		    UNSIGNED },
		{ "variable-length-signed-integer", variable, CTF_INT,
		    SIGNED },
		{ "null-terminated-string", string, CTF_STRING, TEXT },
		{ "static-length-string", bytes, CTF_ARRAY, TEXT },
		{ "dynamic-length-string", bytes, CTF_SEQ, TEXT },
		{ "static-length-blob", bytes, CTF_ARRAY, PLAIN },
		{ "dynamic-length-blob", bytes, CTF_SEQ, PLAIN },
		{ "static-length-array", array, CTF_ARRAY, PLAIN },
		{ "dynamic-length-array", array, CTF_SEQ, PLAIN },
		{ "structure", structure, CTF_STRUCT, PLAIN },
		{ "optional", variant, CTF_VARIANT, PLAIN },
		{ "variant", variant, CTF_VARIANT, PLAIN }
	};
	const size_t visible = q->visible;
	const struct ctf_json_alias *a;
	const char *type;
	size_t i;

	if (j->kind == JSON_STRING) {
		if ((a = alias_find(q, j)) == NULL)
			return;
		q->visible = a->index;
		fclass_read(q, a->fclass, f);
		q->visible = visible;
		return;
	}
	type = ctf_json_word(q, j, "type", NULL);
	ctf_json_extensions(q, j);
	for (i = 0; i < sizeof(all) / sizeof(all[0]) && !q->p.bad; i++)
		if (strcmp(type, all[i].name) == 0) {
			all[i].read(q, j, f, &all[i]);
			return;
		}
	ctf_json_wrong(q, j, "no field class '%.64s'", type);
}

/* The member of that name, which is there. */
static void
fclass(struct ctf_json_parse *q, const struct ctf_json *o, const char *key,
    struct ctf_field *f)
{
	const struct ctf_json *j = ctf_json_need(q, o, key, JSON_ANY);

	if (j != NULL)
		fclass_read(q, j, f);
}

/* The struct that a scope is; NULL: there is none, or an error was said. */
struct ctf_type *
ctf_fclass(struct ctf_json_parse *q, const struct ctf_json *o,
    const char *key, enum ctf_scope scope)
{
	const struct ctf_json *j = ctf_json_get(q, o, key, JSON_ANY);
	struct ctf_field f;

	memset(&f, 0, sizeof(f));
	q->scope = scope;
	q->scopes[scope] = NULL;
	q->nodes = 0;
	q->nopen = 0;
	q->visible = q->naliases;
	if (j == NULL)
		return NULL;
	fclass_read(q, j, &f);
	if (!q->p.bad && f.type->kind != CTF_STRUCT)
		ctf_json_wrong(q, j, "a structure expected");
	return q->p.bad ? NULL : f.type;
}

/* The fragment field-class-alias. */
void
ctf_fclass_alias(struct ctf_json_parse *q, const struct ctf_json *o)
{
	const char *name = ctf_json_word(q, o, "name", NULL);
	const struct ctf_json *v = ctf_json_need(q, o, "field-class",
	    JSON_ANY);
	const uint64_t key = name_key(name);
	struct ctf_json_alias *a = ctf_alloc(&q->tree, sizeof(*a));

	a->name = name;
	a->fclass = v;
	a->index = q->naliases++;
	a->next = map_get(&q->aliases, key);
	if (a->next != NULL && strcmp(a->next->name, name) == 0)
		ctf_json_wrong(q, o, "a second alias '%.64s'", name);
	map_put(&q->aliases, key, a);
	ctf_alloc_move(&q->kept, &q->tree);
}
