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
 * Filters on the events of a trace: see select.h.
 *
 * The machine that decides is the one that does so in programs (filter.h), so a
 * filter means the same here.  It wants fields as programs write them.  What an
 * expression names is therefore copied out of the event, which may be any
 * tracer's: integers and labels of 64 bits, doubles, arrays and sequences of
 * these, strings with their NUL.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "expr/compile.h"
#include "ctf_field.h"
#include "select.h"
#define UT_NO_EVENTS
#include "ut.h"

#define NFIELDS	(EXPR_MAX / 2)	/* at most, in one expression */

/* A field that is named. */
struct wanted {
	uint8_t		 part;
	uint8_t		 kind;		/* UT_KIND_ of the copy */
	uint8_t		 flags;		/* UT_F_ of the copy */
	size_t		 index;		/* in the part's struct */
};

struct ctf_filter {
	const struct ctf_type *parts[CTF_PARTS];
	struct wanted	*wanted;	/* in the order of the event */
	size_t		 n;
	int		 who;		/* $pid, $tid or $program is needed */
	unsigned char	*code;
	size_t		 len;
};

/* The copies of an event's fields.  One event is looked at at a time. */
static unsigned char	*copy;
static size_t		 copied, room;

static unsigned char *
copy_more(size_t n)
{
	if (n > room - copied) {
		room = 2 * (copied + n);
		if ((copy = realloc(copy, room)) == NULL)
			die_errno("malloc");
	}
	copied += n;
	return copy + copied - n;
}

static void
copy_text(const uint8_t *s, size_t n)
{
	unsigned char *to = copy_more(n + 1);

	if (n > 0)
		memcpy(to, s, n);
	to[n] = '\0';
}

/* The field there, of that kind; 0: nothing is there. */
static int
copy_field(struct ctf_cur *c, const struct ctf_type *t,
    const struct wanted *w)
{
	const int kind = w->kind;
	struct wanted e = *w;
	const uint8_t *text;
	size_t len;
	uint64_t v;
	uint32_t n;
	double d;

	if (kind == 0)
		return ctf_walk_type(c, t) == 0;	/* not used */
	if ((t = ctf_chosen(c, t)) == NULL)
		return 0;
	if (kind == UT_KIND_SEQ) {
		n = (uint32_t)ctf_count(c, t);
		memcpy(copy_more(sizeof(n)), &n, sizeof(n));
		ctf_to(c, t);
		e.kind = t->elem->kind == CTF_FLOAT ? UT_KIND_FLOAT :
		    UT_KIND_INT;
		for (; n > 0; n--)
			(void)copy_field(c, t->elem, &e);
		return 1;
	}
	if (kind == UT_KIND_STRING) {
		text = ctf_text(c, t, &len);
		copy_text(text, len);
		return 1;
	}
	v = ctf_take(c, t);
	/* Another option of the variant is signed. */
	if ((w->flags & UT_F_SIGNED) != 0 && !t->sign && v > INT64_MAX)
		v = INT64_MAX;
	if (kind == UT_KIND_FLOAT) {
		d = t->kind == CTF_FLOAT ? ctf_real(t, v) : t->sign ?
		    (double)(int64_t)v : (double)v;
		memcpy(&v, &d, sizeof(v));
	}
	memcpy(copy_more(sizeof(v)), &v, sizeof(v));
	return 1;
}

/*
 * ctf_read() has just noted the lengths of sequences.  0: a field is not in
 * this event.
 */
static int
copy_all(const struct ctf_filter *fl, struct ctf_cur *c)
{
	const struct wanted *w = fl->wanted, *end = w + fl->n;
	const struct ctf_field *f;
	size_t i;
	int part;

	copied = 0;
	for (part = 0; part < CTF_PARTS && w < end; part++) {
		if (fl->parts[part] == NULL)
			continue;
		ctf_to(c, fl->parts[part]);
		f = fl->parts[part]->fields;
		for (i = 0; i < fl->parts[part]->nfields && w < end; i++, f++)
			if (w->part == part && w->index == i) {
				if (f->slot != 0 || f->outer != 0)
					ctf_note(c, f);
				if (!copy_field(c, f->type, w++))
					return 0;
			} else
				(void)ctf_walk_field(c, f);
	}
	return 1;
}

static uint32_t	the_cpu;	/* the event's packet's */

static uint32_t
cpu_of(void)
{
	return the_cpu;
}

int
ctf_passes(const struct ctf_filter *fl, const struct ctf_stream *s)
{
	const int needed = 1 << ROLE_VPID | 1 << ROLE_VTID |
	    1 << ROLE_PROCNAME | 1 << ROLE_CPU;
	struct filter_env env = { "", 0, 0, cpu_of };
	const struct ctf_who *who;
	struct ctf_who buf;
	struct ctf_cur c;

	if (fl->who) {
		who = ctf_whose(s, &buf);
		if ((who->has & fl->who & needed) != (fl->who & needed))
			return 0;
		env.program = who->has & 1 << ROLE_PROCNAME ? who->name : "";
		env.pid = (uint32_t)who->vpid;
		env.tid = (uint32_t)who->vtid;
		the_cpu = (uint32_t)who->cpu;
	}
	ctf_cur(&c, s);
	return copy_all(fl, &c) &&
	    filter_run(fl->code, fl->len, copy, copied, &env);
}

/*
 * To compile.
 */

struct maker {
	struct ctf_trace	*tr;
	struct ctf_filter	*fl;
	const struct expr	*e;
	struct expr_field	 fields[NFIELDS];
	struct wanted		 wanted[NFIELDS];
	size_t			 n;
};

/* Is the field named, as it is in its part? */
static int
is_named(const struct expr *e, const char *name, int part)
{
	const struct expr_node *n;
	const char *s;
	uint16_t i;

	for (i = 0; i < e->nnodes; i++) {
		n = &e->nodes[i];
		if (n->op < EXPR_FIELD || n->op > EXPR_PROGRAM)
			continue;
		s = e->strings + n->s.at;
		if (part < CTF_PARTS - 1 && *s++ != '$')
			continue;
		if (strcmp(s, name) == 0)
			return 1;
	}
	return 0;
}

static void	set_field(struct maker *, struct expr_field *,
		    const struct ctf_type *);

static void
set_labels(struct maker *m, struct expr_field *f, const struct ctf_type *t)
{
	struct ut_value *v = ctf_alloc(m->tr, (t->nlabels + 1) * sizeof(*v));
	size_t i;

	f->values = v;
	f->nvalues = t->nlabels;
	for (i = 0; i < t->nlabels; i++, v++) {
		v->name = t->labels[i].name;
		v->low = (int64_t)t->labels[i].lo;
		v->high = (int64_t)t->labels[i].hi;
	}
}

/* Add an option to those of a variant: all are numbers, or all are text. */
static void
add_option(struct expr_field *f, const struct expr_field *o)
{
	const int whole = f->kind == UT_KIND_INT || f->kind == UT_KIND_ENUM;
	const int owhole = o->kind == UT_KIND_INT || o->kind == UT_KIND_ENUM;

	if (f->kind == o->kind && f->flags == o->flags && f->nvalues == 0)
		return;
	f->nvalues = f->flags = 0;
	if (whole && owhole) {
		f->kind = UT_KIND_INT;
		f->flags = UT_F_SIGNED;
	} else if ((whole || f->kind == UT_KIND_FLOAT) &&
	    (owhole || o->kind == UT_KIND_FLOAT))
		f->kind = UT_KIND_FLOAT;
	else
		f->kind = f->size = 0;
}

static void
set_variant(struct maker *m, struct expr_field *f, const struct ctf_type *t)
{
	struct expr_field option;
	size_t i;

	for (i = 0; i < t->nfields; i++) {
		set_field(m, &option, t->fields[i].type);
		if (i == 0)
			*f = option;
		else
			add_option(f, &option);
	}
	if (f->kind == UT_KIND_SEQ)
		f->kind = f->size = 0;
}

/* Set the kind and size of a field as it is copied; 0: filters have no such. */
static void
set_field(struct maker *m, struct expr_field *f, const struct ctf_type *t)
{
	memset(f, 0, sizeof(*f));
	f->size = 8;
	switch (t->kind) {
	case CTF_INT:
	case CTF_ENUM:
		f->kind = t->kind == CTF_INT || t->ismap ? UT_KIND_INT :
		    UT_KIND_ENUM;
		if (t->sign || t->bits < 64)
			f->flags = UT_F_SIGNED;
		if (f->kind == UT_KIND_ENUM)
			set_labels(m, f, t);
		break;
	case CTF_FLOAT:
		f->kind = UT_KIND_FLOAT;
		break;
	case CTF_STRING:
		f->kind = UT_KIND_STRING;
		break;
	case CTF_VARIANT:
		set_variant(m, f, t);
		break;
	case CTF_STRUCT:
		f->size = 0;
		break;
	default:
		f->kind = t->text ? UT_KIND_STRING :
		    t->elem->kind <= CTF_FLOAT ? UT_KIND_SEQ : 0;
		if (f->kind == UT_KIND_SEQ)
			f->flags = t->elem->kind == CTF_FLOAT ? UT_F_FLOAT :
			    t->elem->sign || t->elem->bits < 64 ?
			    UT_F_SIGNED : 0;
		break;
	}
}

static void
add_part(struct maker *m, int part, const struct ctf_type *t)
{
	struct expr_field *f;
	char *name;
	size_t i;

	m->fl->parts[part] = t;
	for (i = 0; t != NULL && i < t->nfields && m->n < NFIELDS; i++) {
		if (t->fields[i].hidden ||
		    !is_named(m->e, t->fields[i].name, part))
			continue;
		f = &m->fields[m->n];
		set_field(m, f, t->fields[i].type);
		name = ctf_alloc(m->tr, strlen(t->fields[i].name) + 2);
		sprintf(name, "%s%s", part < CTF_PARTS - 1 ? "$" : "",
		    t->fields[i].name);
		f->name = name;
		m->wanted[m->n].part = (uint8_t)part;
		m->wanted[m->n].kind = f->kind;
		m->wanted[m->n].flags = f->flags;
		m->wanted[m->n].index = i;
		m->n++;
	}
}

/*
 * The roles that the expression names, as bits, where no context has that name.
 * $cpu must be known.
 */
static int
needs(const struct maker *m, const struct ctf_sclass *sc, struct expr_why *why)
{
	static const int roles[] = { ROLE_VPID, ROLE_VTID, ROLE_CPU,
	    ROLE_PROCNAME };
	const struct expr_node *n;
	int has = 0;
	uint16_t i;
	size_t k;

	for (i = 0; i < m->e->nnodes; i++) {
		n = &m->e->nodes[i];
		if (n->op < EXPR_PID || n->op > EXPR_PROGRAM)
			continue;
		for (k = 0; k < m->n; k++)
			if (strcmp(m->fields[k].name, m->e->strings +
			    n->s.at) == 0)
				break;
		if (k == m->n)
			has |= 1 << roles[n->op - EXPR_PID];
	}
	if (!(has & ~sc->who & 1 << ROLE_CPU))
		return has;
	why->lacks = "$cpu";
	why->number = NULL;
	snprintf(why->text, sizeof(why->text), "no context cpu");
	return -1;
}

struct ctf_filter *
ctf_filter(struct ctf_trace *tr, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev, const struct expr *e, struct expr_why *why)
{
	static struct filter_code code;
	struct ctf_filter *fl = ctf_alloc(tr, sizeof(*fl));
	struct maker m;

	memset(fl, 0, sizeof(*fl));
	m.tr = tr;
	m.fl = fl;
	m.e = e;
	m.n = 0;
	add_part(&m, 0, sc->context);
	add_part(&m, 1, ev->context);
	add_part(&m, 2, ev->fields);
	code.len = 0;
	if ((fl->who = needs(&m, sc, why)) == -1 ||
	    !expr_compile(e, m.fields, m.n, &code, why))
		return NULL;
	fl->n = m.n;
	fl->wanted = ctf_alloc(tr, (m.n + 1) * sizeof(*fl->wanted));
	memcpy(fl->wanted, m.wanted, m.n * sizeof(*fl->wanted));
	fl->len = code.len;
	fl->code = ctf_alloc(tr, code.len);
	memcpy(fl->code, code.b, code.len);
	return fl;
}
