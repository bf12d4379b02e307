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
 * Descriptions of events, as programs send them: checked once, then kept
 * once, however many programs offer the same.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define BUCKETS		4096
#define FIELDS_MAX	16
#define VALUES_MAX	4096
#define COUNT_MAX	UT_SUBSIZE_MAX

static struct desc *buckets[BUCKETS];

static bool
identifier(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

/* provider:event */
static bool
event_name(const char *s)
{
	char name[NAME_MAXLEN], *colon;

	snprintf(name, sizeof(name), "%s", s);
	if ((colon = strchr(name, ':')) == NULL)
		return false;
	*colon = '\0';
	return identifier(name) && identifier(colon + 1);
}

/* Labels go between quotes in the metadata. */
static bool
label(const char *s)
{
	for (; *s != '\0'; s++)
		if (iscntrl((unsigned char)*s) || *s == '"' || *s == '\\')
			return false;
	return true;
}

void
desc_value(struct ut_msg *m, char *name, int *low, int *high)
{
	ut_msg_get_str(m, name, NAME_MAXLEN);
	*low = (int)ut_msg_get_u32(m);
	*high = (int)ut_msg_get_u32(m);
}

void
desc_field(struct ut_msg *m, struct field *f)
{
	char name[NAME_MAXLEN];

	ut_msg_get_str(m, f->name, sizeof(f->name));
	f->kind = ut_msg_get_u8(m);
	f->size = ut_msg_get_u8(m);
	f->flags = ut_msg_get_u8(m);
	f->count = ut_msg_get_u32(m);
	f->nvalues = 0;
	if (f->kind == UT_KIND_ENUM) {
		ut_msg_get_str(m, name, sizeof(name));
		f->nvalues = ut_msg_get_u32(m);
	}
}

static bool
size_valid(const struct field *f)
{
	if (f->kind == UT_KIND_FLOAT || f->flags & UT_F_FLOAT)
		return f->size == 4 || f->size == 8;
	if (f->kind == UT_KIND_ENUM)
		return f->size == 4;
	if (f->kind == UT_KIND_STRING || f->kind == UT_KIND_TEXT)
		return f->size == 1;
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

static bool
field_valid(const struct field *f)
{
	return identifier(f->name) && f->kind >= UT_KIND_INT &&
	    f->kind <= UT_KIND_ENUM && size_valid(f) &&
	    f->count <= COUNT_MAX / f->size &&
	    (f->kind != UT_KIND_ENUM || (f->flags == UT_F_SIGNED &&
	    f->nvalues >= 1 && f->nvalues <= VALUES_MAX));
}

static bool
values_valid(struct ut_msg *m, uint32_t n)
{
	char name[NAME_MAXLEN];
	int low, high;

	while (n-- > 0) {
		desc_value(m, name, &low, &high);
		if (m->bad || !label(name) || low > high)
			return false;
	}
	return true;
}

/*
 * Two fields of one name.  babeltrace2 2.0 also mixes up names that differ
 * only by underscores in front, and then refuses the trace.
 */
static bool
same_name(const struct field *a, const struct field *b)
{
	const char *s = a->name + strspn(a->name, "_");
	const char *t = b->name + strspn(b->name, "_");

	return strcmp(s, t) == 0 && (strcmp(a->name, b->name) == 0 ||
	    a->count != 0 || b->count != 0 || a->kind == UT_KIND_SEQ ||
	    b->kind == UT_KIND_SEQ);
}

static bool
fields_valid(struct ut_msg *m, uint32_t n)
{
	static struct field f[FIELDS_MAX];
	uint32_t i, k;

	if (n > FIELDS_MAX)
		return false;
	for (i = 0; i < n; i++) {
		desc_field(m, &f[i]);
		if (m->bad || !field_valid(&f[i]) ||
		    !values_valid(m, f[i].nvalues))
			return false;
		for (k = 0; k < i; k++)
			if (same_name(&f[k], &f[i]))
				return false;
	}
	return true;
}

static struct desc *
desc_new(const char *name, uint32_t level, const struct ut_msg *m,
    uint32_t len, uint32_t hash)
{
	struct desc *d;

	if ((d = calloc(1, sizeof(*d))) == NULL)
		return NULL;
	d->name = strdup(name);
	d->body = malloc(len);
	if (d->name == NULL || d->body == NULL) {
		free(d->name);
		free(d->body);
		free(d);
		return NULL;
	}
	d->level = level;
	d->hash = hash;
	d->len = len;
	d->refs = 1;
	memcpy(d->body, m->body, len);
	d->next = buckets[hash % BUCKETS];
	buckets[hash % BUCKETS] = d;
	return d;
}

bool
desc_name_valid(const char *name, uint32_t level)
{
	return strlen(name) < NAME_MAXLEN && event_name(name) &&
	    level <= UT_DEBUG;
}

/*
 * A reference to the description of an event with that name and level, and the
 * fields in the message.  NULL if that is not valid, or with ENOMEM.
 */
struct desc *
desc_get(const char *name, uint32_t level, struct ut_msg *m)
{
	const uint32_t len = m->h.len - (uint32_t)sizeof(m->h);
	struct desc *d;
	uint32_t n, hash;

	n = ut_msg_get_u32(m);
	if (m->bad || !fields_valid(m, n))
		return NULL;
	hash = hash_bytes(hash_bytes(0, name, strlen(name)), m->body, len);
	for (d = buckets[hash % BUCKETS]; d != NULL; d = d->next)
		if (d->hash == hash && d->level == level && d->len == len &&
		    strcmp(d->name, name) == 0 &&
		    memcmp(d->body, m->body, len) == 0)
			return desc_ref(d);
	return desc_new(name, level, m, len, hash);
}

struct desc *
desc_ref(struct desc *d)
{
	d->refs++;
	return d;
}

void
desc_unref(struct desc *d)
{
	struct desc **p;

	if (d == NULL || --d->refs > 0)
		return;
	for (p = &buckets[d->hash % BUCKETS]; *p != d; p = &(*p)->next)
		continue;
	*p = d->next;
	free(d->name);
	free(d->body);
	free(d);
}

/* Set m to read the fields of d one by one; there are n. */
void
desc_open(const struct desc *d, struct ut_msg *m, uint32_t *n)
{
	ut_msg_init(m, 0, 0, 0);
	memcpy(m->body, d->body, d->len);
	m->h.len += d->len;
	*n = ut_msg_get_u32(m);
}

bool
desc_same_fields(const struct desc *a, const struct desc *b)
{
	return a->len == b->len && memcmp(a->body, b->body, a->len) == 0;
}

/* What a person calls the type. */
void
desc_type(const struct field *f, char *s, size_t n)
{
	const char *what;
	char element[32];

	if (f->kind == UT_KIND_FLOAT || f->flags & UT_F_FLOAT)
		what = "float";
	else if (f->flags & UT_F_BE)
		what = "net";
	else if (f->flags & UT_F_HEX)
		what = "hex";
	else
		what = f->flags & UT_F_SIGNED ? "int" : "uint";
	snprintf(element, sizeof(element), "%s%u", what, f->size * 8u);
	switch (f->kind) {
	case UT_KIND_STRING:
		snprintf(s, n, "string");
		break;
	case UT_KIND_TEXT:
		snprintf(s, n, "text[%u]", f->count);
		break;
	case UT_KIND_ARRAY:
		snprintf(s, n, "%s[%u]", element, f->count);
		break;
	case UT_KIND_SEQ:
		snprintf(s, n, "%s[]", element);
		break;
	case UT_KIND_ENUM:
		snprintf(s, n, "enum");
		break;
	default:
		snprintf(s, n, "%s", element);
		break;
	}
}
