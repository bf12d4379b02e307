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
 * Debugging information: see dwarf.h.  A file's units are told apart by their
 * addresses when the first of these is looked for.  A unit is read when an
 * address of it is looked for.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "dwarf_priv.h"

#define UNITS		(1u << 18)	/* a file has at most */
#define UNIT_STEPS	32		/* a unit costs */
#define DEPTH		1024		/* entries in each other */
#define HOPS		16		/* from an entry to its name */

#define UNIT_TYPE	2		/* kinds of units of DWARF 5 */
#define UNIT_SKELETON	4
#define UNIT_SPLIT_TYPE	6

struct dwarf *
dwarf_new(struct elf *e)
{
	struct dwarf *d;

	d = xcalloc(1, sizeof(*d));
	d->elf = *e;
	elf_rest(&d->elf);
	return d;
}

void
dwarf_common(struct dwarf *d, struct elf *e)
{
	d->common = dwarf_new(e);
}

int
dwarf_split(const struct dwarf *d)
{
	return d->split;
}

static void
unit_free(struct unit *u)
{
	abbrevs_free(u);
	free(u->rows);
	free(u->dirs);
	free(u->files);
	free(u->functions);
	free(u->spans.v);
}

void
dwarf_free(struct dwarf *d)
{
	size_t i;

	if (d == NULL)
		return;
	dwarf_free(d->common);
	for (i = 0; i < d->nunits; i++)
		unit_free(&d->units[i]);
	free(d->units);
	free(d->spans.v);
	for (i = 0; i < NSECTIONS; i++)
		elf_unload(&d->sections[i]);
	elf_close(&d->elf);
	free(d);
}

/*
 * Units.
 */

/* Read a unit's header: 0, or -1 if it is none. */
static int
unit_header(struct unit *u, struct cursor *c)
{
	unsigned int kind = 0;

	u->offsize = (uint8_t)get_length(c);
	u->end = (size_t)(c->end - c->base);
	u->version = (uint8_t)get(c, 2);
	if (u->version >= 5) {
		kind = (unsigned int)get(c, 1);
		u->addrsize = (uint8_t)get(c, 1);
	}
	u->abbrevs_at = (size_t)get(c, u->offsize);
	if (u->version < 5)
		u->addrsize = (uint8_t)get(c, 1);
	else if (kind == UNIT_TYPE || kind == UNIT_SPLIT_TYPE)
		skip(c, 8 + u->offsize);
	else if (kind >= UNIT_SKELETON)
		skip(c, 8);
	u->die = (size_t)(c->p - c->base);
	return !c->bad && u->version >= 2 && u->version <= 5 &&
	    (u->addrsize == 4 || u->addrsize == 8) ? 0 : -1;
}

/* A cursor for entries of the unit, from that one on. */
static struct cursor
unit_cursor(struct dwarf *d, const struct unit *u, size_t at)
{
	struct cursor c = dwarf_section(d, SEC_INFO, at);

	if (!c.bad)
		c.end = c.base + u->end;
	return c;
}

/* Read a unit's first entry, which has its addresses. */
static void
unit_root(struct dwarf *d, struct unit *u)
{
	struct cursor c = unit_cursor(d, u, u->die);
	const uint64_t code = get_uleb(&c);
	struct value v[NATTRS];
	const struct abbrev *ab;

	abbrevs_read(d, u, code);
	ab = code == 0 ? NULL : abbrev_find(d, u, code);
	if (ab != NULL) {
		die_read(&c, u, ab, v);
		u->lines = v[A_LINES];
		u->dir = v[A_DIR];
		u->str_base = v[A_STR_BASE];
		u->addr_base = v[A_ADDR_BASE];
		u->ranges_base = v[A_RANGES_BASE];
		if (!value_address(d, u, &v[A_LOW], &u->low))
			u->low = 0;
		d->split |= v[A_DWO].form != 0;
		if (u->lines.form != 0)
			(void)spans_add(&d->spans, d, u, v,
			    (uint32_t)(u - d->units));
	}
	abbrevs_free(u);
}

static void
units_read(struct dwarf *d)
{
	struct cursor all_of = dwarf_section(d, SEC_INFO, 0), c;
	struct unit *u;

	d->indexed = 1;
	while (all_of.p < all_of.end && d->nunits < UNITS &&
	    spend(d, UNIT_STEPS)) {
		u = table_more(d, d->units, d->nunits, &d->unitroom,
		    sizeof(*u));
		if (u == NULL)
			break;
		d->units = u;
		u += d->nunits;
		memset(u, 0, sizeof(*u));
		u->off = (size_t)(all_of.p - all_of.base);
		c = all_of;
		if (unit_header(u, &c) == 0) {
			d->nunits++;
			unit_root(d, u);
		}
		if (c.bad)
			break;
		all_of.p = c.end;
	}
	spans_sort(d, &d->spans);
}

/* The unit that has the entry, ready for it; NULL: none has it. */
static struct unit *
unit_of(struct dwarf *d, uint64_t die)
{
	size_t lo = 0, hi, mid;
	struct unit *u;

	if (!d->indexed)
		units_read(d);
	hi = d->nunits;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (d->units[mid].off <= die)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	u = &d->units[lo - 1];
	if (die < u->die || die >= u->end)
		return NULL;
	if (u->nabbrevs == 0)
		abbrevs_read(d, u, 0);
	return u;
}

/*
 * Functions.
 */

/* While the entries of a unit are read. */
struct walk {
	struct dwarf	*d;
	struct unit	*u;
	struct cursor	 c;
	uint32_t	 in[DEPTH];	/* functions that have the entries */
	unsigned int	 depth;
};

static uint32_t
number(const struct value *v)
{
	return v->form == 0 || v->n >= NOTHING ? 0 : (uint32_t)v->n;
}

/*
 * Add a function, if it has code: what its children are in.  The linker may
 * have left out the function that an inlined one is in.
 */
static uint32_t
function_add(struct walk *w, const struct abbrev *ab, size_t die, uint32_t in)
{
	struct unit *u = w->u;
	struct value v[NATTRS];
	struct function *f;

	die_read(&w->c, u, ab, v);
	if (ab->tag == TAG_SUBPROGRAM)
		in = NOTHING;
	else if (in == NOTHING)
		return in;
	f = table_more(w->d, u->functions, u->nfunctions, &u->funcroom,
	    sizeof(*f));
	if (f == NULL)
		return in;
	u->functions = f;
	if (w->c.bad || !spans_add(&u->spans, w->d, u, v,
	    (uint32_t)u->nfunctions))
		return in;
	f += u->nfunctions;
	f->named = 0;
	f->die = die;
	f->inlined = ab->tag == TAG_INLINED;
	f->in = in;
	f->call_file = number(&v[A_CALL_FILE]);
	f->call_line = number(&v[A_CALL_LINE]);
	return (uint32_t)u->nfunctions++;
}

/* Read an entry; 0: this was the last one. */
static int
entry_read(struct walk *w)
{
	const size_t die = (size_t)(w->c.p - w->c.base);
	const uint64_t code = get_uleb(&w->c);
	const struct abbrev *ab;
	uint32_t in;

	if (code == 0)
		return w->depth-- > 1;
	if ((ab = abbrev_find(w->d, w->u, code)) == NULL ||
	    !spend(w->d, 1 + ab->n / 4))
		return 0;
	in = w->depth == 0 ? NOTHING : w->in[w->depth - 1];
	if (ab->tag == TAG_SUBPROGRAM || ab->tag == TAG_INLINED)
		in = function_add(w, ab, die, in);
	else
		die_read(&w->c, w->u, ab, NULL);
	if (ab->children) {
		if (w->depth == DEPTH)
			return 0;
		w->in[w->depth++] = in;
	}
	return w->depth > 0;
}

static void
functions_read(struct dwarf *d, struct unit *u)
{
	struct walk w;

	w.d = d;
	w.u = u;
	w.c = unit_cursor(d, u, u->die);
	w.depth = 0;
	while (w.c.p < w.c.end && entry_read(&w))
		continue;
	spans_sort(d, &u->spans);
}

/*
 * The name of a function: for C++, the one that the linker knows.  It may be in
 * another entry, of which this one is an instance, or which declared it.
 */
static const char *
function_name(struct dwarf *d, uint64_t die)
{
	const char *name = NULL, *other;
	struct value v[NATTRS], *origin = &v[A_ORIGIN];
	const struct abbrev *ab;
	struct cursor c;
	struct unit *u;
	int hops;

	for (hops = 0; hops < HOPS && (u = unit_of(d, die)) != NULL; hops++) {
		c = unit_cursor(d, u, (size_t)die);
		if ((ab = abbrev_find(d, u, get_uleb(&c))) == NULL ||
		    !spend(d, UNIT_STEPS))
			break;
		die_read(&c, u, ab, v);
		other = value_string(d, u, &v[A_LINKAGE]);
		if (other != NULL && strncmp(other, "_Z", 2) == 0)
			return other;
		if (name == NULL)
			name = value_string(d, u, &v[A_NAME]);
		die = origin->n;
		if (origin->form == FORM_REF_SUP4 ||
		    origin->form == FORM_REF_SUP8 ||
		    origin->form == FORM_GNU_REF_ALT)
			d = d->common;
		else if (origin->form < FORM_REF_ADDR ||
		    origin->form > FORM_REF_UDATA)
			break;
		if (d == NULL)
			break;
	}
	return name;
}

/*
 * Places.
 */

static struct unit *
unit_at(struct dwarf *d, uint64_t addr)
{
	struct unit *u;
	uint32_t i;

	if (!d->indexed)
		units_read(d);
	if ((i = spans_find(&d->spans, addr)) == NOTHING)
		return NULL;
	u = &d->units[i];
	if (!u->read && spend(d, 1)) {
		u->read = 1;
		abbrevs_read(d, u, 0);
		lines_read(d, u);
		functions_read(d, u);
		/* Tables that are not whole would be wrong. */
		if (!spend(d, 1)) {
			unit_free(u);
			memset(u, 0, sizeof(*u));
		}
	}
	return u->read ? u : NULL;
}

size_t
dwarf_find(struct dwarf *d, uint64_t addr, struct dwarf_place *places)
{
	struct unit *u = unit_at(d, addr);
	struct function *f;
	const struct row *row;
	size_t n = 0;
	uint32_t i;

	if (u == NULL)
		return 0;
	row = lines_find(u, addr);
	places[0].file = row == NULL ? NULL : lines_file(d, u, row->file);
	places[0].line = row == NULL ? 0 : row->line;
	for (i = spans_find(&u->spans, addr); i != NOTHING; i = f->in) {
		f = &u->functions[i];
		if (!f->named) {
			f->named = 1;
			f->name = function_name(d, f->die);
		}
		places[n].function = f->name;
		if (!f->inlined)
			break;
		if (n < DWARF_PLACES - 1)
			n++;
		places[n].file = lines_file(d, u, f->call_file);
		places[n].line = f->call_line;
	}
	if (i == NOTHING)
		places[n].function = NULL;
	elf_rest(&d->elf);
	if (d->common != NULL)
		elf_rest(&d->common->elf);
	return n + 1;
}
