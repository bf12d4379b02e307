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
 * The fields of events and their contexts as text or JSON.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../sym/symbols.h"
#include "print.h"

static const struct ctf_stream *current;	/* the event that is printed */

/* The bits of an integer, by 1, 3 or 4. */
static char *
put_bits(char *p, const struct ctf_type *t, uint64_t v)
{
	char tmp[64], *s = tmp + sizeof(tmp);
	int shift = t->base == 16 ? 4 : t->base == 8 ? 3 : 1;
	size_t n;

	v = v << t->shift >> t->shift;
	*p++ = '0';
	if (t->base != 8)
		*p++ = t->base == 16 ? 'x' : 'b';
	do {
		*--s = "0123456789abcdef"[v & (((uint64_t)1 << shift) - 1)];
		v >>= shift;
	} while (v != 0);
	n = (size_t)(tmp + sizeof(tmp) - s);
	memcpy(p, s, n);
	return p + n;
}

char *
put_hex(char *p, uint64_t v)
{
	static const struct ctf_type word = { .base = 16 };

	return put_bits(p, &word, v);
}

/* Many readers of JSON have doubles only: more than they hold is text. */
static int
is_large(const struct ctf_type *t, uint64_t v)
{
	if (t->sign && v > INT64_MAX)
		v = 0 - v;
	return v > (uint64_t)1 << 53;
}

static char *
put_int(char *p, const struct ctf_type *t, uint64_t v)
{
	const int quoted = style.json && !style.typed && is_large(t, v);

	if (t->isbool)
		return out_text(p, v != 0 ? "true" : "false");
	if (t->base != 10 && !style.json)
		return put_bits(p, t, v);
	if (quoted)
		*p++ = '"';
	p = t->sign ? ctf_put_i64(p, (int64_t)v) : ctf_put_u64(p, v);
	if (quoted)
		*p++ = '"';
	return p;
}

static char *
put_float(char *p, const struct ctf_type *t, uint64_t v)
{
	const double d = ctf_real(t, v);

	if (isfinite(d) && style.typed)
		return p + snprintf(p, ROOM, "%.*e", t->bits == 32 ? 8 : 16,
		    d);
	if (isfinite(d))
		return ctf_put_real(p, d, t->bits == 32);
	return out_text(p, style.json ? "null" : isnan(d) ? "nan" :
	    d < 0 ? "-inf" : "inf");
}

/* A label of flags is of the bits from lo to hi. */
static uint64_t
flag_bits(const struct ctf_label *l)
{
	return l->hi > 63 || l->lo > l->hi ? 0 :
	    UINT64_MAX >> (63 - l->hi) & UINT64_MAX << l->lo;
}

/* The flags that are set, of which each label is some bits. */
static char *
put_flags(char *p, const struct ctf_type *t, uint64_t v)
{
	const struct ctf_label *l, *end = t->labels + t->nlabels;
	const char *between = "", *last = NULL;

	if (style.json) {
		p = put_int(out_text(p, "{\"value\":"), t, v);
		p = out_text(p, ",\"labels\":[");
	}
	for (l = t->labels; l < end; l++) {
		if ((v & flag_bits(l)) == 0 || l->name == last)
			continue;
		last = l->name;		/* others of its ranges are next */
		p = out_text(out_text(p, between), l->text);
		between = style.json ? "," : "|";
	}
	if (style.json)
		return out_text(p, "]}");
	return between[0] == '\0' ? put_int(p, t, v) : p;
}

static char *
put_enum(char *p, const struct ctf_type *t, uint64_t v)
{
	const struct ctf_label *l = ctf_label(t, v);
	const char *name = l != NULL ? l->text : NULL;

	if (t->ismap)
		return put_flags(p, t, v);
	if (style.json) {
		memcpy(p, "{\"value\":", 9);
		p = put_int(p + 9, t, v);
		if (name == NULL)
			name = ",\"label\":null}";
	}
	return name == NULL ? put_int(p, t, v) : out_put(p, name, strlen(name));
}

/*
 * Bytes in hexadecimal, and once more as text between bars, with a dot for each
 * that is no printable character of ASCII.
 */
static char *
put_bytes(char *p, const uint8_t *s, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		p = out_room(p, ROOM);
		*p++ = "0123456789abcdef"[s[i] >> 4];
		*p++ = "0123456789abcdef"[s[i] & 15];
		*p++ = ' ';
	}
	p = out_text(p, "|");
	for (i = 0; i < n; i++) {
		p = out_room(p, ROOM);
		*p++ = s[i] >= ' ' && s[i] <= '~' ? (char)s[i] : '.';
	}
	return out_text(p, "|");
}

static int
is_byte(const struct ctf_type *t)
{
	return t->kind == CTF_INT && t->fixed == 1 && t->base == 16 &&
	    !t->sign && !t->isbool;
}

static char *
put_text(char *p, struct ctf_cur *c, const struct ctf_type *t)
{
	size_t len;
	const uint8_t *s = ctf_text(c, t, &len);

	return put_string(p, s, len);
}

static char	*put_value(char *, struct ctf_cur *, const struct ctf_type *);

static char *
put_elems(char *p, struct ctf_cur *c, const struct ctf_type *t)
{
	const uint64_t n = ctf_count(c, t);
	uint64_t i;

	if (t->text)
		return put_text(p, c, t);
	ctf_to(c, t);
	if (!style.json && is_byte(t->elem)) {
		p = put_bytes(p, c->p, n);
		c->p += n;
		return p;
	}
	p = out_text(p, "[");
	for (i = 0; i < n; i++) {
		if (i != 0)
			p = out_put(p, ", ", style.json ? 1 : 2);
		p = put_value(p, c, t->elem);
	}
	return out_text(p, "]");
}

/* A member of JSON, for the places of an address. */
static char *
put_places(char *p, const struct ctf_field *f, const struct place *v,
    size_t n)
{
	size_t i;

	p = out_room(out_put(p, f->key, f->keylen - 2), ROOM);
	p = out_text(p, "_lines\":[");
	for (i = 0; i < n; i++) {
		p = out_text(out_room(p, ROOM), i == 0 ? "{" : ",{");
		p = put_member(p, "\"function\":\"", v[i].function);
		p = put_member(p, ",\"file\":\"", v[i].file);
		p = out_room(p, ROOM);
		if (v[i].line != 0)
			p = ctf_put_u64(out_text(p, ",\"line\":"),
			    v[i].line);
		*p++ = '}';
	}
	return out_text(p, "]");
}

/*
 * Put a name without the file, if that is the program, and without the offset,
 * unless it is of a variable.
 */
static char *
put_alone(char *p, const char *name, enum ctf_address kind)
{
	const char *end = name + strlen(name), *file = end, *at;
	struct ctf_who buf;
	char *text;

	while (file > name && strncmp(file, " (", 2) != 0)
		file--;
	if (file == name)
		file = end;
	for (at = file; at > name && strncmp(at, "+0x", 3) != 0;)
		at--;
	if (at == name || file == end || kind == ADDRESS_DATA)
		at = file;
	text = format(" (%s)", ctf_whose(current, &buf)->name);
	if (strcmp(file, text) == 0)
		file = end;
	free(text);
	text = format("%.*s%s", (int)(at - name), name, file);
	p = put_string(p, (const uint8_t *)text, strlen(text));
	free(text);
	return out_room(p, ROOM);
}

/* Is it like an address, which may be that of a variable? */
static int
is_pointer(const struct ctf_field *f)
{
	return f->type->kind == CTF_INT && f->type->base == 16 &&
	    !f->type->sign && (f->type->bits == 64 || f->type->bits == 32) &&
	    f->slot == 0 && f->outer == 0;
}

/* An address: the name instead of the number; in JSON, both. */
static char *
put_address(char *p, struct ctf_cur *c, const struct ctf_field *f)
{
	const struct symbol *name, *lines;
	const struct place *places;
	uint64_t v;
	size_t n;

	v = ctf_take(c, f->type);
	name = style.numbers ? NULL : symbols_field(current, f, v);
	p = out_room(p, ROOM);
	if (name != NULL && style.addresses == ADDRESSES_NAMES)
		return put_alone(p, name->text, f->address);
	if (name == NULL || style.json)
		p = put_int(p, f->type, v);
	if (name == NULL)
		return p;
	lines = symbols_lines(current, f, v, &places, &n);
	if (!style.json) {
		p = put_symbol(p, name);
		return lines == NULL ? p :
		    put_symbol(out_text(out_room(p, ROOM), " "), lines);
	}
	p = out_room(out_put(p, f->key, f->keylen - 2), ROOM);
	p = out_room(put_symbol(out_text(p, "_sym\":\""), name), ROOM);
	*p++ = '"';
	return lines == NULL ? p : put_places(p, f, places, n);
}

static int
is_who(const struct ctf_field *f)
{
	return ((f->role == ROLE_VPID || f->role == ROLE_VTID) &&
	    f->name[0] == 'v') || f->role == ROLE_PROCNAME;
}

/* There is room for a number, or to begin a string. */
static inline char *
put_field(char *p, struct ctf_cur *c, const struct ctf_field *f)
{
	switch (f->how) {
	case HOW_UNSIGNED:
		return ctf_put_u64(p, ctf_take(c, f->type));
	case HOW_SIGNED:
		return ctf_put_i64(p, (int64_t)ctf_take(c, f->type));
	case HOW_STRING:
		ctf_to(c, f->type);
		return put_zstring(p, c);
	case HOW_SPECIAL:
		if (f->slot != 0 || f->outer != 0)
			ctf_note(c, f);
		if (f->address != ADDRESS_NONE)
			return put_address(p, c, f);
		break;
	}
	return put_value(p, c, f->type);
}

static char *
put_pointer(char *p, struct ctf_cur *c, const struct ctf_field *f)
{
	const char *name;
	uint64_t v;

	if (f->address != ADDRESS_NONE)
		return put_field(p, c, f);
	v = ctf_take(c, f->type);
	name = symbols_name(current, v, ADDRESS_DATA);
	return name == NULL || name[strlen(name) - 1] != ')' ?
	    put_int(p, f->type, v) : put_alone(p, name, ADDRESS_DATA);
}

/* Skip the members that were printed before, if context is set. */
static char *
put_all(char *p, struct ctf_cur *c, const struct ctf_type *t, int context,
    int *any)
{
	struct ctf_field *f = t->fields, *end = f + t->nfields;
	size_t skip = style.json ? 1 : 2;	/* no comma before the first */

	ctf_to(c, t);
	for (; f < end; f++) {
		if (f->hidden || (context && is_who(f)) || (is_pointer(f) &&
		    style.addresses == ADDRESSES_LESS)) {
			(void)ctf_walk_field(c, f);
			continue;
		}
		p = out_short(out_room(p, ROOM), f->key + skip,
		    f->keylen - skip);
		p = style.addresses == ADDRESSES_NAMES && is_pointer(f) ?
		    put_pointer(p, c, f) : put_field(p, c, f);
		skip = 0;
	}
	*any = skip == 0;
	return out_room(p, ROOM);
}

static char *
put_struct(char *p, struct ctf_cur *c, const struct ctf_type *t, int context)
{
	int any;

	p = out_room(p, ROOM);
	*p++ = '{';
	if (!style.json)
		*p++ = ' ';
	p = put_all(p, c, t, context, &any);
	if (!style.json && any)
		*p++ = ' ';
	*p++ = '}';
	return p;
}

static char *
put_value(char *p, struct ctf_cur *c, const struct ctf_type *t)
{
	const struct ctf_field *f;
	uint64_t v;

	p = out_room(p, ROOM);
	switch (t->kind) {
	case CTF_STRING:
		return put_text(p, c, t);
	case CTF_ARRAY:
	case CTF_SEQ:
		return put_elems(p, c, t);
	case CTF_STRUCT:
		return put_struct(p, c, t, 0);
	case CTF_VARIANT:
		if ((f = ctf_option(c, t)) == NULL)
			return out_text(p, style.json ? "null" : "none");
		if (f->outer != 0)
			ctf_note(c, f);
		return put_value(p, c, f->type);
	case CTF_INT:
	case CTF_ENUM:
	case CTF_FLOAT:
		break;
	}
	v = ctf_take(c, t);
	return t->kind == CTF_INT ? put_int(p, t, v) : t->kind == CTF_ENUM ?
	    put_enum(p, t, v) : put_float(p, t, v);
}

/* The blocks of the contexts, if they hold more than who it is. */
static char *
put_context(char *p, struct ctf_cur *c, const struct ctf_type *t,
    const char *name)
{
	size_t i;

	for (i = 0; i < t->nfields; i++)
		if (!is_who(&t->fields[i]))
			break;
	if (i == t->nfields) {
		(void)ctf_walk(c, t, NULL);
		return p;
	}
	if (style.json)
		p = out_text(p, name);
	p = put_struct(p, c, t, 1);
	return out_text(p, style.json ? "," : ", ");
}

char *
put_fields(char *p, const struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;
	struct ctf_cur c;

	current = s;
	ctf_cur(&c, s);
	if (s->class->context != NULL)
		p = put_context(p, &c, s->class->context, "\"context\":");
	if (ev->context != NULL)
		p = put_context(p, &c, ev->context, "\"event_context\":");
	if (style.json)
		p = out_text(p, "\"fields\":");
	if (ev->fields != NULL)
		return put_struct(p, &c, ev->fields, 0);
	return out_text(p, style.json ? "{}" : "{ }");
}

static int
has_field(const struct ctf_type *t, const char *name)
{
	size_t i;

	for (i = 0; t != NULL && i < t->nfields; i++)
		if (strcmp(t->fields[i].name, name) == 0)
			return 1;
	return 0;
}

/* The block of a context beside the fields, one of which may have its name. */
static char *
put_beside(char *p, struct ctf_cur *c, const struct ctf_type *t,
    const struct ctf_type *fields, const char *name)
{
	char text[64] = "\"", *end = stpcpy(text + 1, name);

	while (end < text + 60 && has_field(fields, text + 1))
		end = stpcpy(end, "_");
	stpcpy(end, "\":");
	return put_context(p, c, t, text);
}

char *
put_members(char *p, const struct ctf_stream *s, enum addresses how)
{
	const struct ctf_eclass *ev = s->event;
	struct ctf_cur c;
	int any = 0;

	current = s;
	style.addresses = how;
	ctf_cur(&c, s);
	if (s->class->context != NULL)
		p = put_beside(p, &c, s->class->context, ev->fields,
		    "$context");
	if (ev->context != NULL)
		p = put_beside(p, &c, ev->context, ev->fields,
		    "$event_context");
	if (ev->fields != NULL)
		p = put_all(p, &c, ev->fields, 0, &any);
	style.addresses = ADDRESSES_ALL;
	return any ? out_text(p, ",") : p;
}
