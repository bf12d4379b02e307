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
 * The conclusions from the metadata when all of it is read: which fields the
 * reader itself needs, which class an ID means, what can be skipped at once.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf_parse.h"

/* Names that the reader knows, wherever a struct has them. */
static enum ctf_role
role_find(const struct ctf_field *f)
{
	static const struct {
		const char	*name;
		enum ctf_role	 role;
	} roles[] = {
		{ "magic", ROLE_MAGIC },
		{ "uuid", ROLE_UUID },
		{ "stream_id", ROLE_STREAM },
		{ "stream_instance_id", ROLE_INSTANCE },
		{ "timestamp_begin", ROLE_BEGIN },
		{ "timestamp_end", ROLE_END },
		{ "content_size", ROLE_CONTENT },
		{ "packet_size", ROLE_PACKET },
		{ "packet_seq_num", ROLE_SEQ },
		{ "events_discarded", ROLE_DISCARDED },
		{ "id", ROLE_ID },
		{ "timestamp", ROLE_TIME },
		{ "vpid", ROLE_VPID },
		{ "vtid", ROLE_VTID },
		{ "procname", ROLE_PROCNAME },
		{ "thread", ROLE_THREAD },
		{ "cpu_id", ROLE_CPU }
	};
	const struct ctf_type *t = f->type;
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, f->name) == 0)
			break;
	if (i == sizeof(roles) / sizeof(roles[0]))
		return ROLE_NONE;
	if (roles[i].role == ROLE_UUID)
		return t->kind == CTF_ARRAY && t->fixed == 16 ? ROLE_UUID :
		    ROLE_NONE;
	if (roles[i].role == ROLE_PROCNAME || roles[i].role == ROLE_THREAD)
		return t->kind == CTF_STRING || (t->kind == CTF_ARRAY &&
		    t->text) ? roles[i].role : ROLE_NONE;
	return t->kind == CTF_INT || t->kind == CTF_ENUM ? roles[i].role :
	    ROLE_NONE;
}

/*
 * Set the roles of a header's or context's fields by their names, also in the
 * structs that are options of a variant.  Those before the first are told
 * otherwise.
 */
static void
roles_set(struct ctf_type *t, enum ctf_role first)
{
	struct ctf_field *f;
	enum ctf_role role;

	if (t == NULL)
		return;
	for (f = t->fields; f < t->fields + t->nfields; f++) {
		role = role_find(f);
		if (role >= first)
			f->role = role;
		if (f->type->kind == CTF_VARIANT || (t->kind == CTF_VARIANT &&
		    f->type->kind == CTF_STRUCT))
			roles_set(f->type, first);
	}
}

/*
 * The roles in a type, as bits.  A struct in which there are any is not passed
 * over as a whole.
 */
static int
roles_find(struct ctf_type *t)
{
	struct ctf_field *f;
	int has = 0, in;

	if (t == NULL || t->nfields == 0)
		return 0;
	for (f = t->fields; f < t->fields + t->nfields; f++) {
		in = roles_find(f->type);
		if (in != 0)
			f->type->fixed = 0;
		has |= in | (f->role == ROLE_NONE ? 0 : 1 << f->role);
	}
	return has;
}

static const struct ctf_type *
role_type(const struct ctf_type *t, enum ctf_role role)
{
	const struct ctf_type *in;
	size_t i;

	for (i = 0; t != NULL && i < t->nfields; i++)
		if (t->fields[i].role == role)
			return t->fields[i].type;
		else if ((in = role_type(t->fields[i].type, role)) != NULL)
			return in;
	return NULL;
}

/* The integer begins in that bit, in its order, so many bytes into a header. */
static void
bits_set(struct ctf_bits *b, const struct ctf_type *t, size_t off, uint32_t bit)
{
	b->off = off;
	b->shift = t->big ? t->shift - bit : bit;
	b->mask = UINT64_MAX >> t->shift;
}

/*
 * Note where ID and time are, if all headers have as many bytes: in the last
 * fields of these roles, as ctf_walk() leaves them.
 */
static void
header_fixed(struct ctf_sclass *sc, const struct ctf_type *t)
{
	const struct ctf_field *f;
	size_t off = 0;
	int orders = 0;

	for (f = t->fields; f < t->fields + t->nfields; f++) {
		if (f->type->fixed == 0 || f->outer != 0)
			return;
		if (f->role == ROLE_TIME && sc->headtime.mask != 0)
			return;
		if (f->role == ROLE_ID || f->role == ROLE_TIME) {
			bits_set(f->role == ROLE_ID ? &sc->headid :
			    &sc->headtime, f->type, off, 0);
			orders |= f->type->big ? 1 : 2;
			if (f->role == ROLE_ID && f->type->sign)
				return;
		}
		off += f->type->fixed;
	}
	if (orders == 3)
		return;
	sc->headbig = orders == 1;
	sc->headlen = t->fixed;
}

/*
 * Is it a header as LTTng's, whose ID is the tag of a variant, and that has the
 * time beside it unless it is that of a label for longer ones?
 */
static void
header_short(struct ctf_sclass *sc, const struct ctf_type *t)
{
	const struct ctf_field *f = t->fields;
	const struct ctf_type *id, *v, *time;

	if (t->nfields != 2 || t->align != 8 || f[0].role != ROLE_ID ||
	    f[0].outer != 0 || f[1].type->kind != CTF_VARIANT)
		return;
	id = f[0].type;
	v = f[1].type;
	if (v->slot != f[0].slot || v->nlabels != 2 || v->optional ||
	    id->sign || id->leb || id->turned || id->align > 8 ||
	    v->labels[0].lo != 0 ||
	    v->labels[1].lo != v->labels[0].hi + 1)
		return;
	t = v->fields[v->labels[0].option].type;
	if (t->kind != CTF_STRUCT || t->nfields != 1 || t->align > 8 ||
	    t->fields[0].role != ROLE_TIME || t->fields[0].outer != 0)
		return;
	time = t->fields[0].type;
	if (time->big != id->big || time->leb || time->turned ||
	    id->bits % t->align != 0 || (id->bits + time->bits) % 8 != 0 ||
	    id->bits + time->bits > 64)
		return;
	sc->headlen = (id->bits + time->bits) / 8;
	sc->longid = v->labels[1].lo;
	sc->headbig = id->big;
	bits_set(&sc->headid, id, 0, 0);
	bits_set(&sc->headtime, time, 0, id->bits);
}

struct ctf_clock *
ctf_clock_find(const struct ctf_trace *tr, const char *name)
{
	struct ctf_clock *c;

	for (c = tr->clocks; c != NULL; c = c->next)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* An integer in TSDL that names no clock means the trace's. */
static void
finish_clocks(const struct ctf_trace *tr, struct ctf_sclass *sc)
{
	const struct ctf_type *t;

	if (!tr->roles)
		sc->clock = tr->clocks;
	sc->endclock = sc->clock;
	if ((t = role_type(sc->packet, ROLE_END)) != NULL) {
		sc->endbits = t->leb ? 64 : t->bits;
		if (t->clock != NULL)
			sc->endclock = t->clock;
	}
	if ((t = role_type(sc->packet, ROLE_BEGIN)) != NULL) {
		sc->beginbits = t->leb ? 64 : t->bits;
		if (t->clock != NULL)
			sc->clock = t->clock;
	}
	if ((t = role_type(sc->header, ROLE_TIME)) != NULL &&
	    t->clock != NULL)
		sc->clock = t->clock;
}

/*
 * In a kernel's trace tid and pid are what a program's has as vtid and vpid,
 * which are another namespace's there.
 */
static void
roles_kernel(struct ctf_type *t)
{
	struct ctf_field *f, *v, *end;

	if (t == NULL)
		return;
	end = t->fields + t->nfields;
	for (f = t->fields; f < end; f++) {
		if ((strcmp(f->name, "tid") != 0 && strcmp(f->name, "pid") !=
		    0) || f->type->kind != CTF_INT)
			continue;
		f->role = f->name[0] == 't' ? ROLE_VTID : ROLE_VPID;
		for (v = t->fields; v < end; v++)
			if (v->name[0] == 'v' && strcmp(v->name + 1, f->name) ==
			    0)
				v->role = ROLE_NONE;
	}
}

/*
 * All of a header's integers of a clock are the time, the last id is the ID, in
 * whatever structs they are.  Integers of a clock that contexts and payloads
 * have are fields like others.
 */
static void
header_roles(struct ctf_type *t)
{
	struct ctf_field *f;
	size_t i;

	for (i = 0; i < t->nfields; i++) {
		f = &t->fields[i];
		if (role_find(f) == ROLE_ID)
			f->role = ROLE_ID;
		else if (f->type->clock != NULL)
			f->role = ROLE_TIME;
		header_roles(f->type);
	}
}

static void
finish_stream(struct ctf_trace *tr, struct ctf_sclass *sc)
{
	const enum ctf_role first = tr->roles ? ROLE_MAX : ROLE_MAGIC;

	roles_set(sc->header, first);
	roles_set(sc->packet, tr->roles ? ROLE_VPID : first);
	roles_set(sc->context, tr->roles ? ROLE_VPID : first);
	if (tr->kernel)
		roles_kernel(sc->context);
	if (sc->header != NULL && !tr->roles)
		header_roles(sc->header);
	roles_find(sc->header);
	sc->who = roles_find(sc->context);
	sc->eventwho = (sc->who & (1 << ROLE_VPID | 1 << ROLE_VTID |
	    1 << ROLE_PROCNAME)) != 0;
	sc->who |= roles_find(sc->packet);
	finish_clocks(tr, sc);
	sc->longid = UINT64_MAX;
	if (sc->header == NULL)
		return;
	header_fixed(sc, sc->header);
	if (sc->headlen == 0)
		header_short(sc, sc->header);
}

/* Add the type to the event's pieces; 0: it is neither fixed nor a string. */
static int
pieces_add(struct ctf_eclass *ev, const struct ctf_type *t)
{
	const struct ctf_field *f = t->fields;
	size_t i;

	if (t->fixed != 0) {
		ev->pieces[ev->npieces - 1] += t->fixed;
		return 1;
	}
	if (t->kind == CTF_STRING && !t->wide && t->align == 8 &&
	    ev->npieces < CTF_PIECES) {
		ev->npieces++;
		return 1;
	}
	if (t->kind != CTF_STRUCT || t->align > 8)
		return 0;
	for (i = 0; i < t->nfields; i++, f++)
		if (f->slot != 0 || f->outer != 0 || !pieces_add(ev, f->type))
			return 0;
	return 1;
}

static void
finish_event(const struct ctf_sclass *sc, struct ctf_eclass *ev)
{
	const struct ctf_type *all[] = { sc->context, ev->context,
	    ev->fields };
	size_t i;

	ev->npieces = 1;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] != NULL && !pieces_add(ev, all[i])) {
			ev->npieces = 0;
			break;
		}
}

static int
event_cmp(const void *a, const void *b)
{
	const struct ctf_eclass *x = *(struct ctf_eclass *const *)a;
	const struct ctf_eclass *y = *(struct ctf_eclass *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int
finish_sort(struct ctf_trace *tr, struct ctf_sclass *sc)
{
	size_t i;

	if (sc->nevents == 0)
		return 0;
	qsort(sc->events, sc->nevents, sizeof(*sc->events), event_cmp);
	for (i = 1; i < sc->nevents; i++)
		if (sc->events[i]->id == sc->events[i - 1]->id) {
			ctf_damage(tr->file, "%s %lu: a second event %llu "
			    "of one stream", tr->unit, sc->events[i]->line,
			    (unsigned long long)sc->events[i]->id);
			return -1;
		}
	return 0;
}

static uint64_t
nodes(const struct ctf_type *t)
{
	return t == NULL ? 0 : t->nodes;
}

/*
 * A type that many events share counts for each of them, as whatever is done
 * for events and their fields is done for each.
 */
static int
finish_bound(const struct ctf_trace *tr)
{
	const struct ctf_eclass *ev;
	const struct ctf_sclass *sc;
	uint64_t n = 0;

	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		n += nodes(sc->header) + nodes(sc->packet) +
		    nodes(sc->context);
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = ctf_sclass(tr, ev->stream);
		n += nodes(sc == NULL ? NULL : sc->context) +
		    nodes(ev->context) + nodes(ev->fields);
	}
	if (n <= CTF_ALLNODES)
		return 0;
	ctf_damage(tr->file, "the events have more than %d fields in all",
	    CTF_ALLNODES);
	return -1;
}

static int
finish_events(struct ctf_trace *tr)
{
	struct ctf_eclass *ev;
	struct ctf_sclass *sc;

	for (ev = tr->events; ev != NULL; ev = ev->next) {
		if ((sc = ctf_sclass(tr, ev->stream)) == NULL) {
			ctf_damage(tr->file, "line %lu: an event of no stream",
			    ev->line);
			return -1;
		}
		sc->nevents++;
	}
	for (sc = tr->sclasses; sc != NULL; sc = sc->next) {
		sc->events = ctf_alloc(tr, sc->nevents * sizeof(ev));
		sc->nevents = 0;
	}
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = ctf_sclass(tr, ev->stream);
		sc->events[sc->nevents++] = ev;
		finish_event(sc, ev);
	}
	for (sc = tr->sclasses; sc != NULL; sc = sc->next) {
		if (finish_sort(tr, sc) == -1)
			return -1;
		if (sc->nevents == 1 && role_type(sc->header, ROLE_ID) == NULL)
			sc->events[0]->id = 0;
	}
	return 0;
}

static int
finish_type(struct ctf_trace *tr, struct ctf_type *t)
{
	t->big = t->order == ORDER_BE || (t->order == ORDER_NATIVE && tr->big);
	if (t->map != NULL && (t->clock = ctf_clock_find(tr, t->map)) == NULL) {
		ctf_damage(tr->file, "line %lu: no clock '%.64s'", t->line,
		    t->map);
		return -1;
	}
	return 0;
}

/*
 * Do two numbers of a struct share a byte, and have other byte orders?  Bits
 * are counted from a place where they are known to be those of a byte.
 */
static int
fields_clash(const struct ctf_type *t)
{
	const struct ctf_type *f, *last = NULL;
	uint64_t bit = 0, n;
	int known = 1;
	size_t i;

	for (i = 0; i < t->nfields; i++) {
		f = t->fields[i].type;
		n = f->kind == CTF_ARRAY ? f->count : 1;
		if (f->kind == CTF_ARRAY)
			f = f->elem;
		bit = (bit + f->align - 1) & ~(uint64_t)(f->align - 1);
		known |= f->align >= 8;
		if (!f->isbits) {
			known &= f->bits != 0 || f->kind == CTF_STRING;
			last = NULL;
			continue;
		}
		if (known && last != NULL && bit % 8 != 0 &&
		    last->big != f->big)
			return 1;
		bit += n * f->bits;
		last = f;
	}
	return 0;
}

/* Events that name no stream are of the only one; there need be none. */
static void
finish_only(struct ctf_trace *tr)
{
	struct ctf_eclass *ev;

	if (tr->sclasses == NULL) {
		tr->sclasses = ctf_alloc(tr, sizeof(*tr->sclasses));
		map_put(&tr->byid, 0, tr->sclasses);
	}
	for (ev = tr->events; ev != NULL; ev = ev->next)
		if (!ev->hasstream && tr->sclasses->next == NULL)
			ev->stream = tr->sclasses->id;
}

/* Set what depends on blocks that may have come in any order. */
int
ctf_finish(struct ctf_trace *tr)
{
	struct ctf_sclass *sc;
	struct ctf_type *t;

	finish_only(tr);
	if (finish_bound(tr) == -1 || ctf_scope(tr) == -1)
		return -1;
	for (t = tr->types; t != NULL; t = t->next)
		if (finish_type(tr, t) == -1)
			return -1;
	roles_set(tr->header, tr->roles ? ROLE_MAX : ROLE_MAGIC);
	roles_find(tr->header);
	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		finish_stream(tr, sc);
	for (t = tr->types; t != NULL; t = t->next) {
		if (t->kind != CTF_STRUCT || !fields_clash(t))
			continue;
		ctf_damage(tr->file, "%s %lu: a byte is shared by integers of "
		    "different byte orders", tr->unit, t->line);
		return -1;
	}
	return finish_events(tr);
}
