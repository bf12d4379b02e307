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
 * Names for addresses: see symbols.h.  What processes have mapped is kept for
 * each process, as its events tell.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf_field.h"
#include "demangle.h"
#include "image.h"
#include "say.h"
#include "symbols.h"

#define PROCESSES	4096		/* the others are forgotten */
#define MODULES		(1u << 18)	/* of all of them */
#define NHASH		1024
#define NCACHE		4096		/* names that were made last */
#define PATHMAX		4096

/* Where an event of a module has its fields. */
struct module_at {
	int			 gone;		/* ut:unload */
	struct ctf_field_at	 base, start, size, path, id;
};

struct process {
	struct process	*next;
	uint8_t		 trace[16];
	int64_t		 vpid;
	char		 name[64];
	struct mapping	*modules;	/* in the order of addresses */
	size_t		 n, room;
	uint64_t	 serial;	/* another one after each change */
	uint64_t	 used;		/* when it was last */
};

struct named {
	uint64_t	 addr;
	uint64_t	 serial;	/* of the process; 0: empty */
	int		 is_return;
	char		*text;		/* or NULL: it has no name */
};

static int		 off;		/* -N */
static struct process	*processes[NHASH];
static size_t		 nprocesses, nmodules;
static uint64_t		 serials, uses;
static struct named	*cache;

int
symbols_option(int ch)
{
	if (ch == 'N')
		off = 1;
	else if (ch == 'R')
		images_root(optarg);
	return ch == 'N' || ch == 'R';
}

int
symbols_begin(void)
{
	if (!off)
		demangle_ready();
	return !off;
}

/*
 * Processes.
 */

/* Directories of a trace that have the same UUID are one. */
static void
trace_key(uint8_t *key, const struct ctf_trace *tr)
{
	memset(key, 0, 16);
	if (tr->hasuuid)
		memcpy(key, tr->uuid, 16);
	else
		memcpy(key, &tr, sizeof(tr));
}

static struct process **
process_list(const uint8_t *key, int64_t vpid)
{
	uint64_t h = (uint64_t)vpid;
	size_t i;

	for (i = 0; i < 16; i++)
		h = h * 31 + key[i];
	return &processes[(h * 11400714819323198485u >> 32) % NHASH];
}

static struct process *
process_find(const struct ctf_stream *s, const struct ctf_who *who)
{
	struct process *p;
	uint8_t key[16];

	trace_key(key, s->trace);
	for (p = *process_list(key, who->vpid); p != NULL; p = p->next)
		if (p->vpid == who->vpid && memcmp(p->trace, key, 16) == 0) {
			p->used = ++uses;
			break;
		}
	return p;
}

static void
process_forget(struct process *p)
{
	nmodules -= p->n;
	p->n = 0;
	p->serial = ++serials;
}

/* The one that was not asked for since the longest time. */
static void
oldest_free(void)
{
	struct process **pp, **oldest = NULL, *p;
	size_t i;

	for (i = 0; i < NHASH; i++)
		for (pp = &processes[i]; *pp != NULL; pp = &(*pp)->next)
			if (oldest == NULL || (*pp)->used < (*oldest)->used)
				oldest = pp;
	if (oldest == NULL)
		return;
	p = *oldest;
	*oldest = p->next;
	process_forget(p);
	nprocesses--;
	free(p->modules);
	free(p);
}

static struct process *
process_get(const struct ctf_stream *s, const struct ctf_who *who)
{
	struct process *p = process_find(s, who), **list;

	if (p != NULL)
		return p;
	if (nprocesses == PROCESSES)
		oldest_free();
	if ((p = calloc(1, sizeof(*p))) == NULL)
		die_errno("malloc");
	trace_key(p->trace, s->trace);
	p->vpid = who->vpid;
	p->serial = ++serials;
	p->used = ++uses;
	list = process_list(p->trace, p->vpid);
	p->next = *list;
	*list = p;
	nprocesses++;
	return p;
}

/*
 * Modules.
 */

/* The first one that ends behind the address. */
static size_t
module_place(const struct process *p, uint64_t addr)
{
	size_t lo = 0, hi = p->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (addr >= p->modules[mid].start &&
		    addr - p->modules[mid].start >= p->modules[mid].size)
			lo = mid + 1;
		else if (addr < p->modules[mid].start)
			hi = mid;
		else
			return mid;
	}
	return lo;
}

static void
modules_remove(struct process *p, uint64_t start, uint64_t size)
{
	const size_t from = module_place(p, start);
	size_t to = from;

	while (to < p->n && (p->modules[to].start < start ||
	    p->modules[to].start - start < size))
		to++;
	if (to == from)
		return;
	memmove(&p->modules[from], &p->modules[to],
	    (p->n - to) * sizeof(*p->modules));
	p->n -= to - from;
	nmodules -= to - from;
	p->serial = ++serials;
}

static int
is_known(const struct process *p, const struct mapping *m)
{
	const size_t i = module_place(p, m->start);

	return i < p->n && p->modules[i].start == m->start &&
	    p->modules[i].size == m->size && p->modules[i].base == m->base &&
	    p->modules[i].image == m->image;
}

/*
 * A process that has executed another program, or another process with the
 * same ID, has other modules in the place of old ones, or old ones in other
 * places.
 */
static int
is_another(const struct process *p, const struct mapping *m)
{
	size_t i = module_place(p, m->start);

	if (i < p->n && (p->modules[i].start <= m->start ||
	    p->modules[i].start - m->start < m->size))
		return 1;
	for (i = 0; i < p->n; i++)
		if (p->modules[i].image == m->image)
			return 1;
	return 0;
}

static void
module_add(struct process *p, const struct mapping *m)
{
	struct mapping *v;
	size_t i;

	if (p->n == p->room) {
		p->room = p->room == 0 ? 8 : 2 * p->room;
		v = realloc(p->modules, p->room * sizeof(*v));
		if (v == NULL)
			die_errno("malloc");
		p->modules = v;
	}
	i = module_place(p, m->start);
	memmove(&p->modules[i + 1], &p->modules[i],
	    (p->n - i) * sizeof(*p->modules));
	p->modules[i] = *m;
	p->n++;
	nmodules++;
	p->serial = ++serials;
}

static void
module_loaded(struct process *p, const struct mapping *m,
    const struct ctf_who *who)
{
	if (strcmp(p->name, who->name) != 0) {
		process_forget(p);
		memcpy(p->name, who->name, sizeof(p->name));
	}
	if (is_known(p, m))
		return;
	if (is_another(p, m))
		process_forget(p);
	if (nmodules < MODULES)
		module_add(p, m);
	else
		process_forget(p);
}

/* false: the path is too long, or the build ID. */
static int
image_of(const struct module_at *at, const struct ctf_stream *s,
    struct mapping *m)
{
	char path[PATHMAX + 1];
	uint8_t id[ELF_IDMAX + 1];
	size_t n, idlen;

	n = ctf_field_text(&at->path, s, path, PATHMAX);
	idlen = ctf_field_bytes(&at->id, s, id, sizeof(id));
	if (n == 0 || n == PATHMAX || idlen > ELF_IDMAX)
		return 0;
	path[n] = '\0';
	m->image = image_get(path, id, idlen);
	return m->image != NULL;
}

void
symbols_event(const struct ctf_stream *s)
{
	const struct module_at *at = s->event->module;
	const struct ctf_who *who;
	struct ctf_who buf;
	struct mapping m;

	if (at == NULL || off ||
	    !ctf_field_bits(&at->base, s, &m.base) ||
	    !ctf_field_bits(&at->start, s, &m.start) ||
	    !ctf_field_bits(&at->size, s, &m.size) ||
	    m.size == 0 || m.size - 1 > UINT64_MAX - m.start)
		return;
	m.ns = s->ns;
	who = ctf_whose(s, &buf);
	if (at->gone)
		modules_remove(process_get(s, who), m.start, m.size);
	else if (image_of(at, s, &m))
		module_loaded(process_get(s, who), &m, who);
}

/*
 * Names.
 */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The text of a name, as symbols.h says. */
static char *
name_make(const struct process *p, uint64_t addr, uint64_t look)
{
	const size_t i = module_place(p, look);
	const struct mapping *m = &p->modules[i];
	char raw[ELF_NAMEMAX], name[SYMBOLS_MAX - 200];
	const char *file;
	uint64_t start;

	if (i == p->n || look < m->start)
		return NULL;
	file = base_name(image_path(m->image));
	if (!image_find(m, look, raw, &start))
		return format("%.150s+0x%llx", file,
		    (unsigned long long)(addr - m->base));
	if (!demangle(raw, name, sizeof(name))) {
		raw[sizeof(name) - 1] = '\0';
		strcpy(name, raw);
	}
	if (addr == start)
		return format("%s (%.150s)", name, file);
	return format("%s+0x%llx (%.150s)", name,
	    (unsigned long long)(addr - start), file);
}

const char *
symbols_name(const struct ctf_stream *s, uint64_t addr, int is_return)
{
	const uint64_t look = is_return ? addr - 1 : addr;
	struct process *p;
	struct ctf_who buf;
	struct named *n;
	uint64_t h;

	if (addr == 0 || nprocesses == 0 ||
	    (p = process_find(s, ctf_whose(s, &buf))) == NULL)
		return NULL;
	if (cache == NULL &&
	    (cache = calloc(NCACHE, sizeof(*cache))) == NULL)
		die_errno("malloc");
	h = (addr ^ p->serial << 40) * 11400714819323198485u >> 32;
	n = &cache[(h + (uint64_t)is_return) % NCACHE];
	if (n->serial == p->serial && n->addr == addr &&
	    n->is_return == is_return)
		return n->text;
	free(n->text);
	n->text = name_make(p, addr, look);
	n->serial = p->serial;
	n->addr = addr;
	n->is_return = is_return;
	return n->text;
}

const char *
symbols_field(const struct ctf_stream *s, const struct ctf_field *f,
    uint64_t v)
{
	if (f->address == ADDRESS_NONE)
		return NULL;
	return symbols_name(s, v, f->address == ADDRESS_RETURN);
}

void
symbols_end(void)
{
	size_t i;

	while (nprocesses > 0)
		oldest_free();
	for (i = 0; cache != NULL && i < NCACHE; i++)
		free(cache[i].text);
	free(cache);
	cache = NULL;
	images_free();
	off = 0;
}

/*
 * What is what in a trace.
 */

static int
is_number(const struct ctf_field_at *at)
{
	return at->type->kind == CTF_INT && !at->type->sign;
}

static int
is_text(const struct ctf_field_at *at)
{
	return at->type->kind == CTF_STRING;
}

static struct module_at *
module_find(struct ctf_trace *tr, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev, int gone)
{
	struct module_at at, *new;

	memset(&at, 0, sizeof(at));
	at.gone = gone;
	if (!ctf_field_find(&at.base, sc, ev, "base") ||
	    !ctf_field_find(&at.start, sc, ev, "start") ||
	    !ctf_field_find(&at.size, sc, ev, "size") ||
	    !is_number(&at.base) || !is_number(&at.start) ||
	    !is_number(&at.size))
		return NULL;
	if (!gone && (!ctf_field_find(&at.path, sc, ev, "path") ||
	    !ctf_field_find(&at.id, sc, ev, "build_id") ||
	    !is_text(&at.path) || !ctf_field_is_bytes(&at.id)))
		return NULL;
	new = ctf_alloc(tr, sizeof(*new));
	*new = at;
	return new;
}

/* Is the integer as long as a pointer of those programs, and hexadecimal? */
static int
is_address(const struct ctf_type *t, uint32_t nbytes)
{
	return t->kind == CTF_INT && t->base == 16 && !t->sign &&
	    8 * t->nbytes == 64 - t->shift &&
	    (t->nbytes == 8 || t->nbytes == nbytes);
}

static void
addresses_mark(const struct ctf_type *t, uint32_t nbytes, int func)
{
	struct ctf_field *f;

	for (f = t == NULL ? NULL : t->fields;
	    t != NULL && f < t->fields + t->nfields; f++) {
		if (!is_address(f->type, nbytes))
			continue;
		if (strcmp(f->name, "caller") == 0 ||
		    strcmp(f->name, "ip") == 0 ||
		    (func && strcmp(f->name, "call_site") == 0))
			f->address = ADDRESS_RETURN;
		else if (func && strcmp(f->name, "addr") == 0)
			f->address = ADDRESS_EXACT;
	}
}

void
symbols_trace(struct ctf_trace *tr)
{
	struct ctf_sclass *sc;
	struct ctf_eclass *ev;
	uint32_t nbytes = 0;
	int gone;

	for (ev = tr->events; ev != NULL; ev = ev->next) {
		gone = strcmp(ev->name, "ut:unload") == 0;
		if ((!gone && strcmp(ev->name, "ut:module") != 0) ||
		    (sc = ctf_sclass(tr, ev->stream)) == NULL ||
		    (ev->module = module_find(tr, sc, ev, gone)) == NULL)
			continue;
		sc->modules = 1;
		nbytes = ev->module->start.type->nbytes;
	}
	for (ev = tr->events; nbytes != 0 && ev != NULL; ev = ev->next) {
		addresses_mark(ev->context, nbytes, 0);
		addresses_mark(ev->fields, nbytes,
		    strncmp(ev->name, "func:", 5) == 0);
	}
	for (sc = tr->sclasses; nbytes != 0 && sc != NULL; sc = sc->next)
		addresses_mark(sc->context, nbytes, 0);
}
