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
 * Reading debugging information: numbers, forms, abbreviations.  All of it is
 * hostile: nothing is read behind a section, and each step is paid for.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "dwarf_priv.h"

#define STEPS		((uint64_t)1 << 30)	/* for all files */
#define MEMORY		((size_t)512 << 20)	/* for the tables of all */
#define STRING		65536
#define INDEX_MAX	((uint64_t)1 << 40)

/* A form takes this, if it does not take so many bytes. */
enum { ADDRESS = 32, OFFSET, ULEB, SLEB, STRING0, BLOCK1, BLOCK2, BLOCK4,
    BLOCK, CONSTANT, INDIRECT, REFADDR, BAD };

static const uint8_t forms[] = {
	BAD, ADDRESS, BAD, BLOCK2, BLOCK4, 2, 4, 8, STRING0, BLOCK, BLOCK1, 1,
	1, SLEB, OFFSET, ULEB, REFADDR, 1, 2, 4, 8, ULEB, INDIRECT, OFFSET,
	BLOCK, 0, ULEB, ULEB, 4, OFFSET, 16, OFFSET, 8, CONSTANT, ULEB, ULEB,
	8, 1, 2, 3, 4, 1, 2, 3, 4
};

static uint64_t	 steps = STEPS;
static size_t	 memory;

struct cursor
dwarf_section(struct dwarf *d, enum section sec, uint64_t off)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev",
	    ".debug_line", ".debug_str", ".debug_line_str", ".debug_ranges",
	    ".debug_rnglists", ".debug_addr", ".debug_str_offsets" };
	static const uint8_t none[1];
	const struct elf_bytes *b = &d->sections[sec];
	struct cursor c;

	if (!d->loaded[sec]) {
		d->loaded[sec] = 1;
		elf_load(&d->elf, names[sec], &d->sections[sec]);
	}
	c.bad = off >= b->n;
	c.big = d->elf.big;
	c.base = b->p == NULL ? none : b->p;
	c.end = c.base + b->n;
	c.p = c.bad ? c.end : c.base + off;
	return c;
}

static void
set_bad(struct cursor *c)
{
	c->bad = 1;
	c->p = c->end;
}

void
skip(struct cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p))
		set_bad(c);
	else
		c->p += n;
}

uint64_t
get(struct cursor *c, size_t n)
{
	uint64_t v = 0;
	size_t i;

	if (n > (size_t)(c->end - c->p)) {
		set_bad(c);
		return 0;
	}
	for (i = 0; i < n; i++)
		v = v << 8 | c->p[c->big ? i : n - 1 - i];
	c->p += n;
	return v;
}

uint64_t
get_uleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	for (; c->p < c->end; shift += 7) {
		if (shift < 64)
			v |= (uint64_t)(*c->p & 127) << shift;
		if ((*c->p++ & 128) == 0)
			return v;
	}
	set_bad(c);
	return 0;
}

int64_t
get_sleb(struct cursor *c)
{
	const uint8_t *from = c->p;
	const uint64_t v = get_uleb(c);
	const unsigned int bits = 7 * (unsigned int)(c->p - from);

	if (c->bad || bits >= 64 || (c->p[-1] & 64) == 0)
		return (int64_t)v;
	return (int64_t)(v | UINT64_MAX << bits);
}

const char *
get_string(struct cursor *c)
{
	const size_t left = (size_t)(c->end - c->p);
	const char *s = (const char *)c->p;
	const uint8_t *nul = left == 0 ? NULL : memchr(c->p, '\0',
	    left < STRING ? left : STRING);

	if (nul == NULL) {
		set_bad(c);
		return NULL;
	}
	c->p = nul + 1;
	return s;
}

unsigned int
get_length(struct cursor *c)
{
	const unsigned int size = c->end - c->p >= 4 &&
	    memcmp(c->p, "\377\377\377\377", 4) == 0 ? 8 : 4;
	uint64_t n;

	if (size == 8)
		skip(c, 4);
	n = get(c, size);
	if (n > (uint64_t)(c->end - c->p))
		set_bad(c);
	else
		c->end = c->p + n;
	return size;
}

int
spend(const struct dwarf *d, uint64_t n)
{
	if (n <= steps) {
		steps -= n;
		return 1;
	}
	if (steps != 0)
		say("lines of the source take too long: they are left out, "
		    "from some of %s on", d->elf.path);
	steps = 0;
	return 0;
}

void
dwarf_again(void)
{
	steps = STEPS;
	memory = 0;
}

void *
table_more(const struct dwarf *d, void *v, size_t n, size_t *room,
    size_t size)
{
	if (n < *room)
		return v;
	memory += (n == 0 ? 16 : n) * size;
	if (n >= TABLE_MAX || memory > MEMORY) {
		(void)spend(d, UINT64_MAX);
		return NULL;
	}
	*room = n == 0 ? 16 : 2 * n;
	v = xrealloc(v, *room * size);
	return v;
}

/*
 * Forms.
 */

static unsigned int
form_kind(unsigned int form)
{
	if (form < sizeof(forms))
		return forms[form];
	switch (form) {
	case FORM_GNU_ADDRX:
	case FORM_GNU_STRX:
		return ULEB;
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		return OFFSET;
	}
	return BAD;
}

/* Read a value that is not a number, or one of no fixed size. */
static uint64_t
odd_read(struct cursor *c, const struct unit *u, unsigned int kind,
    int64_t constant)
{
	const uint64_t at = (uint64_t)(c->p - c->base);

	switch (kind) {
	case ADDRESS:
		return get(c, u->addrsize);
	case OFFSET:
		return get(c, u->offsize);
	case REFADDR:
		return get(c, u->version == 2 ? u->addrsize : u->offsize);
	case ULEB:
		return get_uleb(c);
	case SLEB:
		return (uint64_t)get_sleb(c);
	case CONSTANT:
		return (uint64_t)constant;
	case STRING0:
		(void)get_string(c);
		return at;
	case BLOCK:
		skip(c, get_uleb(c));
		return 0;
	case BAD:
	case INDIRECT:
		set_bad(c);
		return 0;
	}
	skip(c, get(c, kind == BLOCK1 ? 1 : kind == BLOCK2 ? 2 : 4));
	return 0;
}

void
value_read(struct cursor *c, const struct unit *u, unsigned int form,
    int64_t constant, struct value *v)
{
	unsigned int kind = form_kind(form);

	if (kind == INDIRECT) {
		form = (unsigned int)get_uleb(c);
		kind = form_kind(form);
	}
	v->form = (uint16_t)form;
	if (kind <= 8)
		v->n = get(c, kind);
	else if (kind == 16) {
		skip(c, 16);
		v->n = 0;
	} else
		v->n = odd_read(c, u, kind, constant);
	if (form >= FORM_REF1 && form <= FORM_REF_UDATA)
		v->n += u->off;
}

/* An entry of a table of numbers of that size, which begins at the base. */
static int
table_get(struct dwarf *d, enum section sec, uint64_t base, uint64_t i,
    size_t size, uint64_t *v)
{
	struct cursor c;

	if (i >= INDEX_MAX || base >= INDEX_MAX)
		return 0;
	c = dwarf_section(d, sec, base + i * size);
	*v = get(&c, size);
	return !c.bad;
}

/* The base of a table: behind its header, if no attribute tells. */
static uint64_t
base_of(const struct unit *u, const struct value *base)
{
	if (base->form != 0)
		return base->n;
	return u->version < 5 ? 0 : u->offsize == 8 ? 16 : 8;
}

const char *
value_string(struct dwarf *d, const struct unit *u, const struct value *v)
{
	enum section sec = SEC_STR;
	uint64_t at = v->n;
	struct cursor c;

	switch (v->form) {
	case 0:
		return NULL;
	case FORM_STRING:
		sec = SEC_INFO;
		break;
	case FORM_STRP:
		break;
	case FORM_LINE_STRP:
		sec = SEC_LINE_STR;
		break;
	case FORM_STRP_SUP:
	case FORM_GNU_STRP_ALT:
		if ((d = d->common) == NULL)
			return NULL;
		break;
	default:
		if (!table_get(d, SEC_STR_OFFSETS, base_of(u, &u->str_base),
		    v->n, u->offsize, &at))
			return NULL;
	}
	c = dwarf_section(d, sec, at);
	return get_string(&c);
}

int
value_address(struct dwarf *d, const struct unit *u, const struct value *v,
    uint64_t *addr)
{
	if (v->form == FORM_ADDR) {
		*addr = v->n;
		return 1;
	}
	if (v->form != FORM_ADDRX && v->form != FORM_GNU_ADDRX &&
	    (v->form < FORM_ADDRX1 || v->form > FORM_ADDRX4))
		return 0;
	return table_get(d, SEC_ADDR, base_of(u, &u->addr_base), v->n,
	    u->addrsize, addr);
}

/*
 * Abbreviations.
 */

static uint8_t
attr_of(uint64_t name)
{
	static const struct {
		uint16_t	 name;
		uint8_t		 attr;
	} attrs[] = {
		{ 0x03, A_NAME }, { 0x10, A_LINES }, { 0x11, A_LOW },
		{ 0x12, A_HIGH }, { 0x1b, A_DIR }, { 0x31, A_ORIGIN },
		{ 0x47, A_ORIGIN }, { 0x55, A_RANGES }, { 0x58, A_CALL_FILE },
		{ 0x59, A_CALL_LINE }, { 0x6e, A_LINKAGE },
		{ 0x72, A_STR_BASE }, { 0x73, A_ADDR_BASE },
		{ 0x74, A_RANGES_BASE }, { 0x76, A_DWO },
		{ 0x2007, A_LINKAGE }, { 0x2130, A_DWO },
		{ 0x2133, A_ADDR_BASE }
	};
	size_t i;

	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (attrs[i].name == name)
			return attrs[i].attr;
	return A_NONE;
}

/* Read the attributes of an abbreviation: 0, or -1 if there is no room. */
static int
specs_read(struct dwarf *d, struct cursor *c, struct unit *u,
    struct abbrev *ab)
{
	struct spec *v;
	uint64_t name, form;

	for (ab->first = u->nspecs;; ab->n++) {
		name = get_uleb(c);
		form = get_uleb(c);
		if (c->bad || (name == 0 && form == 0))
			return c->bad ? -1 : 0;
		v = table_more(d, u->specs, u->nspecs, &u->specroom,
		    sizeof(*v));
		if (v == NULL)
			return -1;
		u->specs = v;
		v += u->nspecs++;
		v->attr = attr_of(name);
		v->form = form > UINT16_MAX ? 0 : (uint16_t)form;
		v->constant = form == FORM_IMPLICIT_CONST ? get_sleb(c) : 0;
	}
}

void
abbrevs_read(struct dwarf *d, struct unit *u, uint64_t last)
{
	struct cursor c = dwarf_section(d, SEC_ABBREV, u->abbrevs_at);
	struct abbrev *v;
	uint64_t code, tag;

	abbrevs_free(u);
	while ((code = get_uleb(&c)) != 0) {
		v = table_more(d, u->abbrevs, u->nabbrevs, &u->abbrevroom,
		    sizeof(*v));
		if (v == NULL)
			return;
		u->abbrevs = v;
		v += u->nabbrevs;
		memset(v, 0, sizeof(*v));
		v->code = code;
		tag = get_uleb(&c);
		v->tag = tag > UINT16_MAX ? 0 : (uint16_t)tag;
		v->children = get(&c, 1) != 0;
		if (specs_read(d, &c, u, v) == -1 || !spend(d, 1 + v->n))
			return;
		u->nabbrevs++;
		if (code == last)
			return;
	}
}

void
abbrevs_free(struct unit *u)
{
	free(u->abbrevs);
	free(u->specs);
	u->abbrevs = NULL;
	u->specs = NULL;
	u->nabbrevs = u->abbrevroom = u->nspecs = u->specroom = 0;
}

/* Compilers number them from 1. */
const struct abbrev *
abbrev_find(const struct dwarf *d, const struct unit *u, uint64_t code)
{
	size_t i;

	if (code - 1 < u->nabbrevs && u->abbrevs[code - 1].code == code)
		return &u->abbrevs[code - 1];
	for (i = 0; i < u->nabbrevs && spend(d, 1); i++)
		if (u->abbrevs[i].code == code)
			return &u->abbrevs[i];
	return NULL;
}

void
die_read(struct cursor *c, const struct unit *u, const struct abbrev *ab,
    struct value *values)
{
	const struct spec *s;
	struct value other;
	size_t i;

	if (values != NULL)
		memset(values, 0, NATTRS * sizeof(*values));
	for (i = 0; i < ab->n; i++) {
		s = &u->specs[ab->first + i];
		value_read(c, u, s->form, s->constant, values != NULL &&
		    s->attr != A_NONE ? &values[s->attr] : &other);
	}
}
