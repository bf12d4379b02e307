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
 * Events, as programs tell of them: checked once, then kept once, however many
 * programs offer the same.
 */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/hash.h"
#include "event.h"

#define BUCKETS		16384
#define VALUES_MAX	4096
#define COUNT_MAX	UT_SUBSIZE_MAX

static struct event *buckets[BUCKETS];

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
provider_event(const char *s)
{
	char name[NAME_MAXLEN], *colon;

	snprintf(name, sizeof(name), "%s", s);
	if ((colon = strchr(name, ':')) == NULL)
		return false;
	*colon = '\0';
	return identifier(name) && identifier(colon + 1);
}

/* The reason why the event that was looked at last is refused. */
static char why[256];

static bool __attribute__((format(printf, 1, 2)))
invalid(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return false;
}

/* Read a value, whose label goes to name, of NAME_MAXLEN bytes. */
void
event_value(struct ut_msg *m, struct ut_value *v, char *name)
{
	bool range;

	ut_msg_get_str(m, name, NAME_MAXLEN);
	v->name = name;
	range = ut_msg_get_u8(m);
	v->low = (int64_t)ut_msg_get_u64(m);
	v->high = range ? (int64_t)ut_msg_get_u64(m) : v->low;
}

/* Pass over the field's values. */
void
event_skip(struct ut_msg *m, const struct field *f)
{
	struct ut_value v;
	char name[NAME_MAXLEN];
	uint32_t n;

	for (n = 0; n < f->nvalues; n++)
		event_value(m, &v, name);
}

/* A value of a field with these flags as text. */
const char *
event_number(uint8_t flags, int64_t v, char *s, size_t n)
{
	if ((flags & UT_F_SIGNED) != 0)
		snprintf(s, n, "%lld", (long long)v);
	else
		snprintf(s, n, "%llu", (unsigned long long)v);
	return s;
}

void
event_field(struct ut_msg *m, struct field *f)
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
	if (f->kind == UT_KIND_STRING || f->kind == UT_KIND_TEXT ||
	    f->flags & UT_F_TEXT)
		return f->size == 1;
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

static bool
type_valid(const struct field *f)
{
	return f->kind >= UT_KIND_INT && f->kind <= UT_KIND_ENUM &&
	    size_valid(f) && ((f->flags & UT_F_TEXT) == 0 ||
	    (f->kind == UT_KIND_SEQ && f->flags == UT_F_TEXT)) &&
	    (f->kind != UT_KIND_ENUM || (f->flags & ~UT_F_SIGNED) == 0);
}

static bool
field_valid(const struct field *f)
{
	if (!identifier(f->name))
		return invalid("field %s: the name has other characters than "
		    "letters, digits and '_'", f->name);
	if (!type_valid(f))
		return invalid("field %s: of no type that is known", f->name);
	if (f->count > COUNT_MAX / f->size)
		return invalid("field %s: more than %u bytes", f->name,
		    COUNT_MAX);
	if (f->kind == UT_KIND_ENUM &&
	    (f->nvalues < 1 || f->nvalues > VALUES_MAX))
		return invalid("field %s: %u labels, not 1 to %d", f->name,
		    f->nvalues, VALUES_MAX);
	return true;
}

/*
 * Values are counted from the least of the field's type, so that signed ones
 * are in order, too.
 */
static bool
value_valid(const struct field *f, const struct ut_value *v)
{
	const uint64_t max = UINT64_MAX >> (64 - f->size * 8u);
	const uint64_t least = (f->flags & UT_F_SIGNED) != 0 ? ~(max >> 1) : 0;
	const uint64_t low = (uint64_t)v->low - least;
	const uint64_t high = (uint64_t)v->high - least;
	const int fits = low <= max && high <= max;
	char s[24], t[24];

	/* A label below 0 was written so, whatever the field's type is. */
	event_number(fits ? f->flags : UT_F_SIGNED, v->low, s, sizeof(s));
	event_number(fits ? f->flags : UT_F_SIGNED, v->high, t, sizeof(t));
	if (!fits)
		return invalid("field %s: label '%s' is %s%s%s, not of "
		    "%sint%u", f->name, v->name, s, v->low == v->high ? "" :
		    " to ", v->low == v->high ? "" : t, least != 0 ? "" : "u",
		    f->size * 8u);
	if (low > high)
		return invalid("field %s: label '%s' is from %s down to %s",
		    f->name, v->name, s, t);
	return true;
}

static bool
values_valid(struct ut_msg *m, const struct field *f)
{
	struct ut_value v;
	char name[NAME_MAXLEN];
	uint32_t n;

	for (n = 0; n < f->nvalues; n++) {
		event_value(m, &v, name);
		if (m->bad)
			return invalid("field %s: label %u has more than %d "
			    "bytes", f->name, n + 1, NAME_MAXLEN - 1);
		if (!value_valid(f, &v))
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
fields_valid(struct ut_msg *m)
{
	static struct field f[FIELDS_MAX];
	const uint32_t n = ut_msg_get_u32(m);
	uint32_t i, k;

	if (n == UINT32_MAX)
		return invalid("names and labels of more than a message of %u "
		    "bytes can hold", UT_MSG_MAX);
	if (m->bad || n > FIELDS_MAX)
		return invalid("%u fields, more than %d", n, FIELDS_MAX);
	for (i = 0; i < n; i++) {
		event_field(m, &f[i]);
		if (m->bad)
			return invalid("field %u: a name of more than %d bytes",
			    i + 1, NAME_MAXLEN - 1);
		if (!field_valid(&f[i]) || !values_valid(m, &f[i]))
			return false;
		for (k = 0; k < i; k++)
			if (same_name(&f[k], &f[i]))
				return invalid("fields %s and %s: readers "
				    "mix them up", f[k].name, f[i].name);
	}
	return true;
}

static bool
event_valid(const char *name, uint32_t level, struct ut_msg *fields)
{
	if (strlen(name) >= NAME_MAXLEN)
		return invalid("a name of more than %d bytes", NAME_MAXLEN - 1);
	if (!provider_event(name))
		return invalid("the name is not provider:event, of letters, "
		    "digits and '_'");
	if (level > UT_DEBUG)
		return invalid("level %u", level);
	return fields == NULL || fields_valid(fields);
}

/* The reason why an event is refused. */
const char *
event_why(const struct event *e)
{
	return (const char *)e->body;
}

/* Is a the event that is like b, with that name and these fields? */
static bool
is_same(const struct event *a, const struct event *b, const char *name,
    const void *body)
{
	return a->hash == b->hash && a->state == b->state &&
	    a->level == b->level && a->len == b->len &&
	    strcmp(a->name, name) == 0 && memcmp(a->body, body, a->len) == 0;
}

static struct event *
event_new(const struct event *like, const char *name, const void *body)
{
	const size_t size = strlen(name) + 1;
	struct event *e, **first = &buckets[like->hash % BUCKETS];

	if ((e = malloc(sizeof(*e) + size + like->len)) == NULL)
		return NULL;
	*e = *like;
	memcpy(e->name, name, size);
	e->body = (unsigned char *)e->name + size;
	memcpy(e->body, body, e->len);
	e->refs = 1;
	e->next = *first;
	return *first = e;
}

struct event *
event_get(const char *name, uint32_t level, struct ut_msg *m)
{
	const void *body = m == NULL ? "" : (const void *)m->body;
	struct event like = { .state = EVENT_NAMED, .level = level }, *e;

	if (!event_valid(name, level, m)) {
		like.state = EVENT_REFUSED;
		body = why;
		like.len = (uint32_t)strlen(why) + 1;
	} else if (m != NULL) {
		like.state = EVENT_DESCRIBED;
		like.len = m->h.len - (uint32_t)sizeof(m->h);
	}
	like.hash = hash_bytes(hash_bytes(0, name, strlen(name)), body,
	    like.len);
	for (e = buckets[like.hash % BUCKETS]; e != NULL; e = e->next)
		if (is_same(e, &like, name, body))
			return event_ref(e);
	return event_new(&like, name, body);
}

static void
put_field(struct ut_msg *m, const char *name, uint8_t kind, uint8_t size,
    uint8_t flags)
{
	ut_msg_str(m, name);
	ut_msg_u8(m, kind);
	ut_msg_u8(m, size);
	ut_msg_u8(m, flags);
	ut_msg_u32(m, 0);
}

/*
 * A reference to ut:stack, which defines the IDs of call stacks.  Programs
 * record it where they are told of the context stack, and do not describe it.
 */
struct event *
event_stack(void)
{
	static const char *const ends[STACK_ENDS] = {
		[STACK_DONE] = "done", [STACK_DEPTH] = "depth",
		[STACK_CUT] = "cut"
	};
	static struct ut_msg m;
	uint32_t i;

	ut_msg_init(&m, 0, 0, 0);
	ut_msg_u32(&m, 3);
	put_field(&m, "keep", UT_KIND_INT, 1, 0);
	put_field(&m, "end", UT_KIND_ENUM, 1, UT_F_SIGNED);
	ut_msg_str(&m, "");
	ut_msg_u32(&m, STACK_ENDS);
	for (i = 0; i < STACK_ENDS; i++) {
		ut_msg_str(&m, ends[i]);
		ut_msg_u8(&m, 0);
		ut_msg_u64(&m, i);
	}
	put_field(&m, "frames", UT_KIND_SEQ, 8, UT_F_HEX);
	return event_get("ut:stack", UT_DEBUG, &m);
}

struct event *
event_ref(struct event *e)
{
	e->refs++;
	return e;
}

void
event_unref(struct event *e)
{
	if (e == NULL || --e->refs > 0)
		return;
	LIST_DEL(struct event, &buckets[e->hash % BUCKETS], e, next);
	free(e);
}

/* Set m to read the fields of e one by one; there are n. */
void
event_open(const struct event *e, struct ut_msg *m, uint32_t *n)
{
	ut_msg_init(m, 0, 0, 0);
	memcpy(m->body, e->body, e->len);
	m->h.len += e->len;
	*n = ut_msg_get_u32(m);
}

/* The name that people have for the type. */
void
event_type(const struct field *f, char *s, size_t n)
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
		snprintf(s, n, "%s[]", f->flags & UT_F_TEXT ? "text" :
		    element);
		break;
	case UT_KIND_ENUM:
		snprintf(s, n, "enum");
		break;
	default:
		snprintf(s, n, "%s", element);
		break;
	}
}

/*
 * A hash of what programs of any user have chosen: nobody can choose many of
 * one bucket, as the key is this process's secret.
 */

static uint64_t key[2];

static void
key_make(void)
{
	random_bytes(key, sizeof(key));
	key[0] |= 1;			/* made */
}

/* A hash of bytes that follow those whose hash is `before'; or 0: none. */
uint32_t
hash_bytes(uint32_t before, const void *bytes, size_t n)
{
	if (key[0] == 0)
		key_make();
	return (uint32_t)hash_keyed(key, before, bytes, n);
}
