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
 * The lines of a unit: .debug_line.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "demangle.h"
#include "dwarf_priv.h"

#define FORMATS		16		/* an entry of DWARF 5 has */
#define PATHMAX		4096		/* PLACE_MAX of symbols.h */

/* Parts of an entry. */
#define CONTENT_PATH	1
#define CONTENT_DIR	2

enum {
	LNS_SPECIAL, LNS_COPY, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_FILE,
	LNS_COLUMN, LNS_STMT, LNS_BLOCK, LNS_CONST_PC, LNS_FIXED_PC
};
enum { LNE_END = 1, LNE_ADDRESS };

/* A program, and the registers of its machine. */
struct program {
	struct dwarf	*d;
	struct unit	*u;
	struct cursor	 c;
	unsigned int	 offsize;
	uint64_t	 step;		/* bytes of an instruction */
	int		 line_base;
	unsigned int	 line_range, opcodes;
	const uint8_t	*lengths;	/* standard opcodes' operands */
	uint64_t	 addr, file, line;
	size_t		 begin;		/* the sequence's first row */
};

static void
row_put(struct program *p, uint32_t file)
{
	struct unit *u = p->u;
	struct row *r = u->nrows > p->begin ? &u->rows[u->nrows - 1] : NULL;

	if (r == NULL || r->addr != p->addr) {
		r = table_more(p->d, u->rows, u->nrows, &u->rowroom,
		    sizeof(*r));
		if (r == NULL) {
			p->c.bad = 1;
			return;
		}
		u->rows = r;
		r += u->nrows++;
	}
	r->addr = p->addr;
	r->file = file;
	r->line = p->line > UINT32_MAX ? 0 : (uint32_t)p->line;
}

static void
sequence_begin(struct program *p)
{
	p->addr = 0;
	p->file = p->line = 1;
	p->begin = p->u->nrows;
}

/* A sequence that the linker has left out begins at 0 or 1. */
static void
sequence_end(struct program *p)
{
	row_put(p, NOTHING);
	if (p->u->nrows > p->begin && p->u->rows[p->begin].addr <= 1)
		p->u->nrows = p->begin;
	sequence_begin(p);
}

static void
extended(struct program *p)
{
	const uint64_t n = get_uleb(&p->c);
	const uint8_t *from = p->c.p;
	unsigned int op;

	if (n == 0 || n > (uint64_t)(p->c.end - from)) {
		p->c.bad = 1;
		return;
	}
	op = (unsigned int)get(&p->c, 1);
	if (op == LNE_END)
		sequence_end(p);
	else if (op == LNE_ADDRESS && n - 1 <= 8)
		p->addr = get(&p->c, (size_t)n - 1);
	p->c.p = from + n;
}

static void
standard(struct program *p, unsigned int op)
{
	unsigned int i;

	switch (op) {
	case LNS_COPY:
		row_put(p, (uint32_t)p->file);
		break;
	case LNS_ADVANCE_PC:
		p->addr += get_uleb(&p->c) * p->step;
		break;
	case LNS_ADVANCE_LINE:
		p->line += (uint64_t)get_sleb(&p->c);
		break;
	case LNS_FILE:
		p->file = get_uleb(&p->c);
		if (p->file >= NOTHING)
			p->file = NOTHING - 1;
		break;
	case LNS_CONST_PC:
		p->addr += (255 - p->opcodes) / p->line_range * p->step;
		break;
	case LNS_FIXED_PC:
		p->addr += get(&p->c, 2);
		break;
	default:
		for (i = 0; i < p->lengths[op - 1]; i++)
			(void)get_uleb(&p->c);
	}
}

static void
run(struct program *p)
{
	unsigned int op;

	sequence_begin(p);
	while (!p->c.bad && p->c.p < p->c.end && spend(p->d, 1)) {
		op = (unsigned int)get(&p->c, 1);
		if (op == 0)
			extended(p);
		else if (op < p->opcodes)
			standard(p, op);
		else {
			op -= p->opcodes;
			p->addr += op / p->line_range * p->step;
			p->line += (uint64_t)(int64_t)(p->line_base +
			    (int)(op % p->line_range));
			row_put(p, (uint32_t)p->file);
		}
	}
	p->u->nrows = p->begin;		/* no rows that have no end */
}

/*
 * Directories and files.
 */

static int
dir_add(struct program *p, const char *name)
{
	struct unit *u = p->u;
	const char **v = table_more(p->d, u->dirs, u->ndirs, &u->dirroom,
	    sizeof(*v));

	if (v == NULL)
		return -1;
	u->dirs = v;
	v[u->ndirs++] = name;
	return 0;
}

static int
file_add(struct program *p, const char *name, uint64_t dir)
{
	struct unit *u = p->u;
	struct file *v = table_more(p->d, u->files, u->nfiles,
	    &u->fileroom, sizeof(*v));

	if (v == NULL)
		return -1;
	u->files = v;
	v += u->nfiles++;
	v->name = name;
	v->dir = dir;
	v->path = NULL;
	return 0;
}

/* Until DWARF 4, both begin with number 1: 0 is what was compiled. */
static void
names_old(struct program *p)
{
	struct cursor *c = &p->c;
	const char *name;

	(void)dir_add(p, NULL);
	while ((name = get_string(c)) != NULL && *name != '\0' &&
	    spend(p->d, 1))
		if (dir_add(p, name) == -1)
			c->bad = 1;
	(void)file_add(p, NULL, 0);
	while ((name = get_string(c)) != NULL && *name != '\0' &&
	    spend(p->d, 1)) {
		if (file_add(p, name, get_uleb(c)) == -1)
			c->bad = 1;
		(void)get_uleb(c);
		(void)get_uleb(c);
	}
}

/* One of the two tables of DWARF 5. */
static void
names_new(struct program *p, int dirs)
{
	struct unit form = *p->u;
	struct cursor *c = &p->c;
	uint64_t what[FORMATS], forms[FORMATS], n, dir;
	size_t nformats = (size_t)get(c, 1), i;
	const char *name;
	struct value v;

	form.offsize = (uint8_t)p->offsize;
	if (nformats > FORMATS)
		c->bad = 1;
	for (i = 0; i < nformats && !c->bad; i++) {
		what[i] = get_uleb(c);
		forms[i] = get_uleb(c);
	}
	for (n = get_uleb(c); n > 0 && !c->bad && spend(p->d, 1); n--) {
		name = NULL;
		dir = 0;
		for (i = 0; i < nformats; i++) {
			value_read(c, &form, (unsigned int)forms[i], 0, &v);
			if (what[i] == CONTENT_PATH && !c->bad)
				name = v.form == FORM_STRING ? (const char *)
				    c->base + v.n : value_string(p->d, &form,
				    &v);
			else if (what[i] == CONTENT_DIR)
				dir = v.n;
		}
		if ((dirs ? dir_add(p, name) : file_add(p, name,
		    dir)) == -1)
			c->bad = 1;
	}
}

/* Read the header: 0, or -1 if the program cannot be run. */
static int
header_read(struct program *p)
{
	struct cursor *c = &p->c;
	unsigned int version, operations = 1;
	const uint8_t *program;
	uint64_t n;

	p->offsize = get_length(c);
	version = (unsigned int)get(c, 2);
	if (version < 2 || version > 5)
		return -1;
	if (version == 5)
		skip(c, 2);
	n = get(c, p->offsize);
	if (c->bad || n > (uint64_t)(c->end - c->p))
		return -1;
	program = c->p + n;
	p->step = get(c, 1);
	if (version >= 4)
		operations = (unsigned int)get(c, 1);
	(void)get(c, 1);		/* default_is_stmt */
	p->line_base = (int8_t)get(c, 1);
	p->line_range = (unsigned int)get(c, 1);
	p->opcodes = (unsigned int)get(c, 1);
	p->lengths = c->p;
	skip(c, p->opcodes - 1);
	if (c->bad || operations > 1 || p->line_range == 0 ||
	    p->opcodes <= LNS_FIXED_PC)
		return -1;
	if (version == 5) {
		names_new(p, 1);
		names_new(p, 0);
	} else
		names_old(p);
	if (c->bad)
		return -1;
	c->p = program;
	return 0;
}

/* An end is before what begins there. */
static int
compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (y->file == NOTHING) - (x->file == NOTHING);
}

void
lines_read(struct dwarf *d, struct unit *u)
{
	struct program p;

	if (u->lines.form == 0)
		return;
	memset(&p, 0, sizeof(p));
	p.d = d;
	p.u = u;
	p.c = dwarf_section(d, SEC_LINE, u->lines.n);
	if (header_read(&p) == -1)
		return;
	run(&p);
	if (u->nrows > 1)
		qsort(u->rows, u->nrows, sizeof(*u->rows), compare);
}

const struct row *
lines_find(const struct unit *u, uint64_t addr)
{
	size_t lo = 0, hi = u->nrows, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (u->rows[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && u->rows[lo - 1].file != NOTHING ? &u->rows[lo - 1] :
	    NULL;
}

/* The path behind others, unless it is absolute. */
static void
path_add(char *path, const char *part)
{
	const size_t n = part != NULL && part[0] == '/' ? 0 : strlen(path);

	if (part != NULL)
		snprintf(path + n, PATHMAX - n, "%s%s", n > 0 &&
		    path[n - 1] != '/' ? "/" : "", part);
}

const char *
lines_file(struct dwarf *d, struct unit *u, uint64_t i)
{
	struct file *f = i < u->nfiles ? &u->files[i] : NULL;
	char path[PATHMAX] = "";

	if (f == NULL || f->name == NULL)
		return NULL;
	if (f->path == NULL) {
		path_add(path, value_string(d, u, &u->dir));
		if (f->dir < u->ndirs)
			path_add(path, u->dirs[f->dir]);
		path_add(path, f->name);
		f->path = intern(path);
	}
	return f->path;
}
