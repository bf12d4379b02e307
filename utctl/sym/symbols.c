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
 * Names for addresses: see symbols.h.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/ctf_field.h"
#include "../ctf/reader.h"
#include "../say.h"
#include "demangle.h"
#include "process.h"
#include "symbols.h"

#define NCACHE	4096		/* names that were made last */
#define PATHMAX	4096

enum module_what {
	MODULE,			/* loaded */
	MODULE_GONE,
	MODULE_ID,		/* the build ID of what was loaded there */
	MODULE_NONE		/* all that there are come again */
};

/* Events of modules, and what their fields are called; NULL: there is none. */
static const struct module_kind {
	const char		*event;
	enum module_what	 what;
	const char		*base, *start, *size, *path, *id;
} kinds[] = {
#define LTTNG	"baddr", "baddr", "memsz", "path", NULL
#define ONLY	"baddr", "baddr", NULL, NULL
	{ "ut:module", MODULE, "base", "start", "size", "path", "build_id" },
	{ "ut:unload", MODULE_GONE, "base", "start", "size", NULL, NULL },
	{ "lttng_ust_statedump:start", MODULE_NONE, NULL, NULL, NULL, NULL,
	    NULL },
	{ "lttng_ust_statedump:bin_info", MODULE, LTTNG },
	{ "lttng_ust_statedump:build_id", MODULE_ID, ONLY, "build_id" },
	{ "lttng_ust_lib:load", MODULE, LTTNG },
	{ "lttng_ust_lib:build_id", MODULE_ID, ONLY, "build_id" },
	{ "lttng_ust_lib:unload", MODULE_GONE, ONLY, NULL },
	{ "lttng_ust_dl:dlopen", MODULE, LTTNG },
	{ "lttng_ust_dl:dlmopen", MODULE, LTTNG },
	{ "lttng_ust_dl:build_id", MODULE_ID, ONLY, "build_id" },
	{ "lttng_ust_dl:dlclose", MODULE_GONE, ONLY, NULL }
#undef LTTNG
#undef ONLY
};

#define NKINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Where an event of a module has its fields. */
struct module_at {
	enum module_what	 what;
	int			 ours;
	struct ctf_field_at	 base, start, size, path, id;
	struct ctf_field_at	 pic;		/* false: the base is 0 */
};

struct named {
	uint64_t	 addr;
	uint64_t	 serial;	/* the process's; 0: empty */
	enum ctf_address kind;
	struct symbol	 symbol;	/* no text: it has no name */
	struct place	*places;	/* NULL: nobody asked for them yet */
	size_t		 nplaces;
	struct symbol	 lines;		/* no text: they are not known */
};

static int		 off;		/* -N */
static int		 recorded;	/* some trace can have modules */
static int		 events;	/* ... and has classes for them */
static const char	*why, *remedy;	/* if a trace has none */
static struct named	*cache;
static struct processes	 own, *table;	/* processes with modules */

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
	static const struct process_ops none = { .size =
	    sizeof(struct process) };

	processes_init(&own, &none);
	table = &own;
	why = "modules are not in the trace";
	remedy = ", see utctl-view(1)";
	if (!off)
		demangle_ready();
	return !off;
}

void
symbols_use(struct reader *rd, struct processes *ps)
{
	rd->names = &symbols_names;
	table = ps;
}

/* false: the path is too long, or the build ID. */
static int
image_of(const struct module_at *at, const struct ctf_stream *s,
    const char *path, struct mapping *m)
{
	const size_t n = strlen(path);
	uint8_t id[ELF_IDMAX + 1];
	size_t idlen = 0;

	if (at->id.type != NULL)
		idlen = ctf_field_bytes(&at->id, s, id, sizeof(id));
	if (n == 0 || n == PATHMAX || idlen > ELF_IDMAX)
		return 0;
	m->image = image_get(path, id, idlen);
	return m->image != NULL;
}

/* More that LTTng tells of a module that it told of before. */
static void
module_more(struct process *p, const struct module_at *at,
    const struct ctf_stream *s, uint64_t start)
{
	const struct mapping *known = process_mapping(p, start);
	struct mapping m;

	if (known == NULL || known->start != start)
		return;
	m = *known;
	process_unmap(p, m.start, m.size);
	if (at->what == MODULE_ID && image_of(at, s, image_path(m.image), &m))
		process_map(p, &m);
}

/*
 * The process of the event.  The first module of ours is the program; LTTng
 * tells of modules in any order, but the kernel's, [linux-vdso.so.1], lies
 * elsewhere in another program, too.
 */
static struct process *
process_of(const struct module_at *at, const struct ctf_stream *s,
    uint64_t base, char *path)
{
	if (at->what != MODULE)
		return processes_get(table, s);
	path[ctf_field_text(&at->path, s, path, PATHMAX)] = '\0';
	return at->ours || path[0] == '[' ?
	    processes_load(table, s, base, path) : processes_get(table, s);
}

static void
symbols_event(const struct ctf_stream *s)
{
	const struct module_at *at = s->event->module;
	char path[PATHMAX + 1] = "";
	struct mapping m = { .base = 0 };
	struct process *p;
	uint64_t pic;

	if (at == NULL || (at->base.type != NULL &&
	    !ctf_field_bits(&at->base, s, &m.base)))
		return;
	p = process_of(at, s, m.base, path);
	p->callers.modules++;
	if (!off && at->what == MODULE_NONE)
		process_unmap(p, 0, UINT64_MAX);
	if (off || at->start.type == NULL ||
	    !ctf_field_bits(&at->start, s, &m.start))
		return;
	if (at->size.type == NULL) {
		module_more(p, at, s, m.start);
		return;
	}
	if (!ctf_field_bits(&at->size, s, &m.size) ||
	    m.size == 0 || m.size - 1 > UINT64_MAX - m.start)
		return;
	if (at->pic.type != NULL && ctf_field_bits(&at->pic, s, &pic) &&
	    pic == 0)
		m.base = 0;
	m.ns = s->ns;
	if (at->what == MODULE && image_of(at, s, path, &m))
		process_map(p, &m);
	else
		process_unmap(p, m.start, m.size);
}

/*
 * Names.
 */

const char *
base_name(const char *path)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Take the text, or NULL. */
static void
symbol_set(struct symbol *sym, char *text)
{
	size_t i;

	free(sym->text);
	sym->text = text;
	sym->len = text == NULL ? 0 : strlen(text);
	for (i = 0; i < sym->len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' ||
		    text[i] == '\\')
			break;
	sym->plain = i == sym->len;
}

/* Call an address without a name by where it is in its file. */
static char *
nameless_text(const struct mapping *m, uint64_t at)
{
	return format("%.150s+0x%llx", base_name(image_path(m->image)),
	    (unsigned long long)at);
}

/* The text of a name, as symbols.h says. */
static char *
name_make(const struct process *p, uint64_t addr, enum ctf_address kind)
{
	const uint64_t look = kind == ADDRESS_RETURN ? addr - 1 : addr;
	const struct mapping *m = process_mapping(p, look);
	char raw[ELF_NAMEMAX], name[SYMBOLS_MAX - 200];
	const char *file;
	uint64_t start;

	if (m == NULL)
		return NULL;
	file = base_name(image_path(m->image));
	if (!image_find(m, kind == ADDRESS_DATA ? ELF_DATA : ELF_CODE, look,
	    raw, &start))
		return nameless_text(m, addr - m->base);
	if (!demangle(raw, name, sizeof(name)))
		cut_text(name, sizeof(name), raw);
	if (addr == start)
		return format("%s (%.150s)", name, file);
	return format("%s+0x%llx (%.150s)", name,
	    (unsigned long long)(addr - start), file);
}

/* The function of an address: its symbol's, or of its debugging information. */
static const char *
function_make(const struct named *n, const struct mapping *m, uint64_t look,
    const char *debug, const char **exact)
{
	const size_t len = debug == NULL ? 0 : strlen(debug);
	char raw[ELF_NAMEMAX];
	const char *function;
	char *text;
	uint64_t start;

	/*
	 * Parts of it, such as f.cold, are the function.  Names of C++ have no
	 * dot, but those of Go have.
	 */
	if (image_find(m, n->kind == ADDRESS_DATA ? ELF_DATA : ELF_CODE, look,
	    raw, &start) && (debug == NULL || strncmp(raw, debug, len) != 0 ||
	    raw[len] != '.')) {
		if (debug != NULL && strncmp(raw, "_Z", 2) == 0)
			raw[strcspn(raw, ".")] = '\0';
		return intern_name(raw);
	}
	if (debug != NULL)
		return intern_name(debug);
	image_nameless(m);
	function = *exact = intern(n->symbol.text);
	if (n->kind != ADDRESS_DATA && image_function(m, look, &start)) {
		function = intern(text = nameless_text(m, start));
		free(text);
	}
	return function;
}

/* The places of an address that a module has. */
static void
places_make(struct named *n, const struct process *p)
{
	const uint64_t look = n->kind == ADDRESS_RETURN ? n->addr - 1 : n->addr;
	const struct mapping *m = process_mapping(p, look);
	struct dwarf_place found[DWARF_PLACES] = { { NULL, NULL, 0 } };
	struct place *to;
	size_t i, k = 0;

	if (n->kind != ADDRESS_DATA)
		k = image_places(m, look, found);
	n->nplaces = k == 0 ? 1 : k;
	n->places = xcalloc(n->nplaces, sizeof(*n->places));
	for (i = 0; i < n->nplaces; i++) {
		to = &n->places[i];
		to->file = found[i].file;
		to->line = found[i].line;
		to->inlined = i + 1 < n->nplaces;
		if (!to->inlined)
			to->function = function_make(n, m, look,
			    found[i].function, &to->exact);
		else
			to->function = found[i].function == NULL ?
			    intern("?") : intern_name(found[i].function);
	}
	symbol_set(&n->lines, places_text(n->places, n->nplaces));
}

/*
 * Each inlined function with the line within it, and the line within the
 * function that has them: f f.c:1 <- g f.c:2 <- f.c:3.
 */
char *
places_text(const struct place *v, size_t n)
{
	char *text = NULL, *before, line[16], cut[SYMBOLS_MAX];
	const struct place *p;
	int known = 0;

	for (p = v; p < v + n; p++) {
		snprintf(line, sizeof(line), p->line == 0 ? "?" : "%u",
		    p->line);
		before = text;
		text = format("%s%s%.100s%s%.150s%s%s", before == NULL ? "" :
		    before, before == NULL ? "" : " <- ", p->inlined ?
		    p->function : "", p->inlined ? " " : "", p->file == NULL ?
		    "?" : base_name(p->file), p->file == NULL ? "" : ":",
		    p->file == NULL ? "" : line);
		known |= p->file != NULL;
		free(before);
	}
	cut_text(cut, sizeof(cut), text);
	free(text);
	return known ? format("%s", cut) : NULL;
}

static void
name_put(struct named *n, const struct process *p, uint64_t addr,
    enum ctf_address kind)
{
	free(n->places);
	n->places = NULL;
	symbol_set(&n->symbol, name_make(p, addr, kind));
	n->serial = p->serial;
	n->addr = addr;
	n->kind = kind;
}

/* The cache's entry of the address; NULL: no module has it. */
static struct named *
named_of(const struct ctf_stream *s, uint64_t addr, enum ctf_address kind)
{
	struct process *p;
	struct named *n;
	uint64_t h, serial;

	if (addr == 0 || off || table == NULL)
		return NULL;
	p = processes_get(table, s);
	if (p->nmodules == 0) {
		p->nameless = recorded;
		return NULL;
	}
	if (cache == NULL &&
	    (cache = calloc(NCACHE, sizeof(*cache))) == NULL)
		die_errno("malloc");
	serial = p->serial;
	h = (addr ^ serial << 40) * 11400714819323198485u >> 32;
	n = &cache[(h + (uint64_t)kind) % NCACHE];
	if (n->serial != serial || n->addr != addr || n->kind != kind)
		name_put(n, p, addr, kind);
	return n->symbol.text == NULL ? NULL : n;
}

static const struct symbol *
symbol_of(const struct ctf_stream *s, uint64_t addr, enum ctf_address kind)
{
	const struct named *n = named_of(s, addr, kind);

	return n == NULL ? NULL : &n->symbol;
}

const char *
symbols_name(const struct ctf_stream *s, uint64_t addr, enum ctf_address kind)
{
	const struct symbol *sym = symbol_of(s, addr, kind);

	return sym == NULL ? NULL : sym->text;
}

static enum ctf_address
kind_of(const struct ctf_stream *s, const struct ctf_field *f)
{
	return f->address != ADDRESS_NONE && s->event->exact &&
	    strcmp(f->name, "ip") == 0 ? ADDRESS_EXACT : f->address;
}

const struct symbol *
symbols_field(const struct ctf_stream *s, const struct ctf_field *f,
    uint64_t v)
{
	return f->address == ADDRESS_NONE ? NULL :
	    symbol_of(s, v, kind_of(s, f));
}

const char *
symbols_at(const struct ctf_field_at *at, const struct ctf_stream *s)
{
	const struct symbol *sym;
	uint64_t v;

	if (at->type == NULL || !ctf_field_bits(at, s, &v))
		return NULL;
	sym = symbols_field(s, &at->parts[at->part]->fields[at->index], v);
	return sym == NULL ? NULL : sym->text;
}

static struct named *
placed(const struct ctf_stream *s, uint64_t addr, enum ctf_address kind)
{
	struct named *n = named_of(s, addr, kind);

	if (n != NULL && n->places == NULL)
		places_make(n, processes_get(table, s));
	return n;
}

size_t
symbols_places(const struct ctf_stream *s, uint64_t addr,
    enum ctf_address kind, const struct place **places)
{
	const struct named *n = placed(s, addr, kind);

	*places = n == NULL ? NULL : n->places;
	return n == NULL ? 0 : n->nplaces;
}

const struct symbol *
symbols_lines(const struct ctf_stream *s, const struct ctf_field *f,
    uint64_t v, const struct place **places, size_t *nplaces)
{
	const struct named *n = f->address == ADDRESS_NONE ? NULL :
	    placed(s, v, kind_of(s, f));

	if (n == NULL || n->lines.text == NULL)
		return NULL;
	*places = n->places;
	*nplaces = n->nplaces;
	return &n->lines;
}

const struct mapping *
symbols_mapping(const struct ctf_stream *s, uint64_t addr,
    enum ctf_address kind)
{
	return off || table == NULL ? NULL :
	    process_mapping(processes_get(table, s),
	    kind == ADDRESS_RETURN ? addr - 1 : addr);
}

/*
 * One line names the first program, and tells how many there are.  If not all
 * was read, modules may come later.
 */
void
symbols_say(int all)
{
	const struct process *p, *first = NULL;
	char *name, *others;
	size_t n = 0;

	images_say();
	for (p = table == NULL ? NULL : table->first; p != NULL; p = p->next)
		if (p->nameless && p->callers.modules == 0 && n++ == 0)
			first = p;
	if (n == 0 || (events && !all))
		return;
	name = process_text(first);
	others = n == 1 ? format("%s", "") : format(" and %zu other%s", n - 1,
	    many(n - 1));
	if (table->dropped)
		say("%s%s: modules are forgotten where thousands of processes "
		    "come in between: no names of functions", name, others);
	else
		say("%s%s: %s: no names of functions%s", name, others, why,
		    remedy);
	free(others);
	free(name);
}

void
symbols_end(void)
{
	size_t i;

	processes_free(&own);
	table = NULL;
	for (i = 0; cache != NULL && i < NCACHE; i++) {
		free(cache[i].symbol.text);
		free(cache[i].lines.text);
		free(cache[i].places);
	}
	free(cache);
	cache = NULL;
	images_free();
	demangle_end();
	off = recorded = events = 0;
}

/*
 * Addresses in a trace, and events of modules.
 */

static int
find_number(struct ctf_field_at *at, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev, const char *name)
{
	return name == NULL || (ctf_field_find(at, sc, ev, name) &&
	    at->type->kind == CTF_INT && !at->type->sign);
}

static struct module_at *
module_find(struct ctf_trace *tr, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev, const struct module_kind *k)
{
	struct module_at at, *new;

	memset(&at, 0, sizeof(at));
	at.what = k->what;
	at.ours = strncmp(k->event, "ut:", 3) == 0;
	if (!find_number(&at.base, sc, ev, k->base) ||
	    !find_number(&at.start, sc, ev, k->start) ||
	    !find_number(&at.size, sc, ev, k->size))
		return NULL;
	if (k->path != NULL && (!ctf_field_find(&at.path, sc, ev, k->path) ||
	    at.path.type->kind != CTF_STRING))
		return NULL;
	if (k->id != NULL && (!ctf_field_find(&at.id, sc, ev, k->id) ||
	    !ctf_field_is_bytes(&at.id)))
		return NULL;
	if (!at.ours)
		(void)ctf_field_find(&at.pic, sc, ev, "is_pic");
	new = ctf_alloc(tr, sizeof(*new));
	*new = at;
	return new;
}

static struct module_at *
module_event(struct ctf_trace *tr, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev)
{
	size_t i;

	for (i = 0; i < NKINDS; i++)
		if (strcmp(ev->name, kinds[i].event) == 0)
			return module_find(tr, sc, ev, &kinds[i]);
	return NULL;
}

/* Is the integer as long as a pointer of those programs, and hexadecimal? */
static int
is_address(const struct ctf_type *t, uint32_t nbytes, int decimal)
{
	return t->kind == CTF_INT && (t->base == 16 || decimal) && !t->sign &&
	    (t->bits == 64 || t->bits == 8 * nbytes);
}

/* LTTng's context ip is mostly decimal. */
static void
addresses_mark(const struct ctf_type *t, uint32_t nbytes, int func,
    int decimal)
{
	struct ctf_field *f;

	for (f = t == NULL ? NULL : t->fields;
	    t != NULL && f < t->fields + t->nfields; f++) {
		if (!is_address(f->type, nbytes, decimal))
			continue;
		if (strcmp(f->name, "caller") == 0 ||
		    strcmp(f->name, "ip") == 0 ||
		    (func && strcmp(f->name, "call_site") == 0))
			f->address = ADDRESS_RETURN;
		else if (func && (strcmp(f->name, "addr") == 0 ||
		    strcmp(f->name, "pc") == 0))
			f->address = ADDRESS_EXACT;
	}
}

/* Are the processes of the class's events known, which have the modules? */
static int
has_process(const struct ctf_trace *tr, const struct ctf_sclass *sc)
{
	return !tr->lttng || ((sc->who | tr->who.has) & 1 << ROLE_VPID) != 0;
}

/* A trace of LTTng's can have names, if it was recorded so. */
static void
note_remedy(const struct ctf_trace *tr, int any)
{
	const struct ctf_sclass *sc = tr->sclasses;

	while (sc != NULL && has_process(tr, sc))
		sc = sc->next;
	if (sc != NULL) {
		why = "the trace does not tell processes apart";
		remedy = ": record with lttng add-context -u -t vpid";
	} else if (!any)
		remedy = ": record with lttng enable-event -u "
		    "'lttng_ust_statedump:*'";
	recorded = 1;
}

static int
is_func(const char *name)
{
	return strncmp(name, "func:", 5) == 0 ||
	    strcmp(name, "cpu:sample") == 0 ||
	    strncmp(name, "lttng_ust_cyg_profile", 21) == 0;
}

static void
symbols_trace(struct ctf_trace *tr)
{
	struct ctf_sclass *sc;
	struct ctf_eclass *ev;
	uint32_t nbytes = 0;
	int func;

	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = ctf_sclass(tr, ev->stream);
		if (sc == NULL || !has_process(tr, sc) ||
		    (ev->module = module_event(tr, sc, ev)) == NULL)
			continue;
		sc->needed = recorded = events = 1;
		if (ev->module->start.type != NULL)
			nbytes = ev->module->start.type->bits / 8;
	}
	if (tr->lttng) {
		note_remedy(tr, nbytes != 0);
		if (nbytes == 0)
			nbytes = 8;
	}
	for (ev = tr->events; nbytes != 0 && ev != NULL; ev = ev->next) {
		func = is_func(ev->name);
		ev->exact = func && tr->lttng;
		addresses_mark(ev->context, nbytes, 0, tr->lttng);
		addresses_mark(ev->fields, nbytes, func, 0);
	}
	for (sc = tr->sclasses; nbytes != 0 && sc != NULL; sc = sc->next)
		addresses_mark(sc->context, nbytes, 0, tr->lttng);
}

const struct reader_names symbols_names = { symbols_trace, symbols_event };
