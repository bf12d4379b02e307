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
 * Types, whichever language describes them: what follows from their members.
 * The functions return NULL, or what is wrong.
 */

#include <stdlib.h>
#include <string.h>

#include "ctf_parse.h"

#define STR(n)		#n
#define NUMBER(n)	STR(n)

struct ctf_type *
make_type(struct ctf_trace *tr, enum ctf_kind kind, unsigned long line)
{
	struct ctf_type *t;

	t = ctf_alloc(tr, sizeof(*t));
	t->kind = kind;
	t->align = t->most = kind == CTF_STRING ? 8 : 1;
	t->min = kind == CTF_STRING ? 8 : 0;
	t->base = 10;
	t->depth = 1;
	t->nodes = 1;
	t->line = line;
	t->next = tr->types;
	tr->types = t;
	return t;
}

/* A key of maps by names. */
uint64_t
name_key(const char *name)
{
	return map_bytes(0, name, strlen(name));
}

/* After its bits and its alignment are known. */
void
make_number(struct ctf_type *t)
{
	t->shift = 64 - t->bits;
	t->most = t->align;
	t->isbits = t->leb || t->turned || t->isbool || t->bits % 8 != 0 ||
	    t->align % 8 != 0;
	t->nbytes = t->isbits ? 0 : t->bits / 8;
	t->fixed = t->align == 8 ? t->nbytes : 0;
	t->min = t->leb ? 8 : t->bits;
}

/* An array of so many elements, or a sequence. */
const char *
make_array(struct ctf_type *t, struct ctf_type *elem)
{
	const uint64_t least = elem->min != 0 ? elem->min : CTF_EVENTMAX /
	    CTF_EMPTIES * 8;

	if (elem->depth == CTF_DEPTH)
		return "too deep";
	if (t->count > CTF_EVENTMAX * (uint64_t)8 / least)
		return "too large an array";
	t->elem = elem;
	if (elem->align > t->align)
		t->align = elem->align;
	t->most = elem->most > t->align ? elem->most : t->align;
	t->depth = elem->depth + 1;
	t->nodes = elem->nodes + 1;
	t->min = t->count * elem->min;
	t->empty = elem->empty + (t->min == 0);
	t->fixed = t->align == 8 ? t->count * elem->fixed : 0;
	return NULL;
}

/*
 * Where the field ends, in bits, if so many are before it and the struct begins
 * at a byte; 0: they vary.
 */
static uint64_t
end_fixed(const struct ctf_type *t, uint64_t at)
{
	if (t->align > 8)
		return 0;
	at = (at + t->align - 1) & ~(uint64_t)(t->align - 1);
	if (t->fixed != 0)
		return at + 8 * t->fixed;
	return t->isbits && !t->leb ? at + t->bits : 0;
}

/* Add what one field tells of a struct or variant. */
static const char *
field_sizes(struct ctf_type *t, const struct ctf_type *f)
{
	if (f->most > t->most)
		t->most = f->most;
	if (f->depth >= t->depth)
		t->depth = f->depth + 1;
	t->nodes += f->nodes;
	t->empty += f->empty;
	return t->depth > CTF_DEPTH || t->nodes > CTF_NODES ||
	    t->min > CTF_EVENTMAX * (uint64_t)8 ? "too large a struct" : NULL;
}

static const char *
struct_sizes(struct ctf_type *t)
{
	const struct ctf_field *f;
	const char *why;
	uint64_t at = 0;
	int fixed = 1;

	for (f = t->fields; f < t->fields + t->nfields; f++) {
		if (f->type->align > t->align)
			t->align = f->type->align;
		t->min += f->type->min;
		if (fixed && (f->slot != 0 || f->outer != 0 ||
		    (at = end_fixed(f->type, at)) == 0))
			fixed = 0;
		if ((why = field_sizes(t, f->type)) != NULL)
			return why;
	}
	if (t->align > t->most)
		t->most = t->align;
	t->fixed = fixed && t->align == 8 && at % 8 == 0 ? at / 8 : 0;
	t->empty += t->min == 0;
	return t->empty > CTF_EMPTY ? "more than "
	    NUMBER(CTF_EMPTY) " fields that may be empty" : NULL;
}

static void
fields_copy(struct ctf_trace *tr, struct ctf_type *t,
    const struct ctf_field *list, size_t n)
{
	t->fields = ctf_alloc(tr, n * sizeof(*list));
	if (n != 0)
		memcpy(t->fields, list, n * sizeof(*list));
	t->nfields = n;
}

/* Take these fields, whose names are different: or there is none. */
static const char *
fields_set(struct ctf_trace *tr, struct ctf_type *t,
    const struct ctf_field *list, size_t n)
{
	struct map names;
	uint64_t key;
	size_t i;
	int twice = 0;

	memset(&names, 0, sizeof(names));
	for (i = 0; i < n && n > 1; i++) {
		key = name_key(list[i].raw);
		twice |= list[i].raw[0] != '\0' && map_get(&names, key) != NULL;
		map_put(&names, key, t);
	}
	map_free(&names);
	fields_copy(tr, t, list, n);
	return twice ? "two fields of one name" : NULL;
}

/* A struct of these fields; its alignment is at least what it is. */
const char *
make_struct(struct ctf_trace *tr, struct ctf_type *t,
    const struct ctf_field *list, size_t n)
{
	const char *why = fields_set(tr, t, list, n);

	return why != NULL ? why : struct_sizes(t);
}

/* The length of a sequence that tells its name is not shown beside it. */
void
make_length(struct ctf_field *len, const char *name)
{
	const char *raw = len->raw + strspn(len->raw, "_");
	size_t n;

	name += strspn(name, "_");
	n = strlen(name);
	len->hidden = len->slot != 0 && strncmp(raw, name, n) == 0 &&
	    strncmp(raw + n, "_length", 7) == 0 &&
	    raw[n + 7 + strspn(raw + n + 7, "_")] == '\0';
}

/* A variant of these options, which begin where they must. */
const char *
make_variant(struct ctf_trace *tr, struct ctf_type *t,
    const struct ctf_field *list, size_t n)
{
	const char *why = fields_set(tr, t, list, n);
	size_t i;

	t->min = n == 0 || t->optional ? 0 : list[0].type->min;
	for (i = 0; i < n && why == NULL; i++) {
		if (list[i].type->min < t->min)
			t->min = list[i].type->min;
		why = field_sizes(t, list[i].type);
	}
	t->empty += t->min == 0;
	return why;
}

/* The labels of an enum, or the tag's values of a variant. */
void
make_labels(struct ctf_trace *tr, struct ctf_type *t,
    const struct ctf_label *list, size_t n)
{
	t->labels = ctf_alloc(tr, n * sizeof(*list));
	if (n != 0)
		memcpy(t->labels, list, n * sizeof(*list));
	t->nlabels = n;
	if (!t->ismap)
		ctf_label_sort(tr, t);
}

/* A copy of all of a type, in which the outer slots are others. */
static struct ctf_type *
type_copy(struct ctf_trace *tr, struct ctf_type *t, struct map *slots)
{
	struct ctf_type *copy, *next;
	struct ctf_field *f;
	void *slot;

	if (t->elem == NULL && t->nfields == 0)
		return t;
	copy = make_type(tr, t->kind, t->line);
	next = copy->next;
	*copy = *t;
	copy->next = next;
	copy->owned = 1;
	if ((slot = map_get(slots, t->slot)) != NULL)
		copy->slot = (uint32_t)(uintptr_t)slot;
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ)
		copy->elem = type_copy(tr, t->elem, slots);
	fields_copy(tr, copy, t->fields, t->nfields);
	for (f = copy->fields; f < copy->fields + copy->nfields; f++) {
		if (f->outer != 0) {
			slot = (void *)(uintptr_t)++tr->nslots;
			map_put(slots, f->outer, slot);
			f->outer = tr->nslots;
		}
		f->type = type_copy(tr, f->type, slots);
	}
	return copy;
}

/*
 * Let a struct's type be of this place only: its fields can then have an outer
 * slot, which other places of the type would overwrite.
 */
struct ctf_type *
make_own(struct ctf_trace *tr, struct ctf_type *t)
{
	struct map slots;

	if (t->owned)
		return t;
	memset(&slots, 0, sizeof(slots));
	t = type_copy(tr, t, &slots);
	map_free(&slots);
	t->fixed = 0;
	return t;
}

/*
 * The field of that path, "a.b.c", in a struct, for whoever means its value
 * from elsewhere; or NULL.  What is on the way is made the struct's own.
 */
struct ctf_field *
make_path(struct ctf_trace *tr, struct ctf_type *t, const char *path)
{
	struct ctf_field *f;
	size_t i, len;

	for (;;) {
		len = strcspn(path, ".");
		for (i = t->nfields; i > 0; i--) {
			f = &t->fields[i - 1];
			if (strlen(f->raw) == len &&
			    memcmp(f->raw, path, len) == 0)
				break;
		}
		t->fixed = 0;
		if (i == 0)
			return NULL;
		if (path[len] == '\0')
			return f;
		if (f->type->kind != CTF_STRUCT)
			return NULL;
		t = f->type = make_own(tr, f->type);
		path += len + 1;
	}
}
