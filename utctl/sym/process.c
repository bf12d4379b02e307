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
 * The processes of traces: see process.h.
 *
 * A process is known by its ID, its name, and the origin of its trace: see
 * ctf_process().  The parts of a session that was rotated are traces of their
 * own, but have the same origin, and so the same processes.
 *
 * After execve(2) the ID is that of another program, which has nothing of what
 * the process had before.  The trace shows that by another name of the program,
 * or, where modules are recorded, by the first module, which is the program
 * itself: it comes again and lies elsewhere.  The same holds for a process that
 * got the ID of one that ended, unless its program lies where that one's did,
 * as in two forks of one parent.  No event tells these two apart: modules are
 * also told again for another channel, after `clear', and to the next utd.  A
 * trace of one process has another origin.  The name is part of what a process
 * is known by, since processes of several PID namespaces may have the same ID.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json.h"
#include "../say.h"
#include "process.h"

#define PROCESSES	4096		/* kept in any case */
#define MODULES		(1u << 19)	/* all processes together */
#define FRESH		(48 * PROCESSES) /* new modules, until some go */

static size_t	nmodules, fresh;
static uint64_t	serials;

void
processes_init(struct processes *ps, const struct process_ops *ops)
{
	memset(ps, 0, sizeof(*ps));
	ps->ops = ops;
	ps->begin = ps->end = INT64_MIN;
	ps->last = &ps->first;
	ps->channel = UINT32_MAX;
	ps->any.lossy = INT64_MIN;
}

struct origin *
processes_origin(struct processes *ps, const struct ctf_stream *s)
{
	struct origin *o = map_get(&ps->origins, s->trace->origin);

	if (o != NULL)
		return o;
	o = xcalloc(1, sizeof(*o));
	o->lossy = INT64_MIN;
	map_put(&ps->origins, s->trace->origin, o);
	return o;
}

/* Has the class events of calls or of pairs? */
static int
counts(const struct ctf_sclass *sc)
{
	const struct ctf_eclass *ev;
	size_t i;

	for (i = 0; sc != NULL && i < sc->nevents; i++) {
		ev = sc->events[i];
		if (ev->pairs != NULL || ev->call != NULL)
			return 1;
	}
	return 0;
}

/*
 * A packet tells of the events that were lost before, of whatever thread of the
 * trace's origin.  The end of what was open then may be among them, and a
 * later end would be taken for it.  Losses come in the order of the times when
 * they begin: at any end, all are known that began before.
 *
 * Where packets are gone, a thread's events may have been in several streams,
 * one after the other, and whose those were is not known.  But streams have
 * events of their own class only.
 */
void
processes_lose(struct processes *ps, const struct ctf_stream *s)
{
	const int64_t until = ctf_lost_until(s);
	struct origin *o;

	if (s->item == ITEM_GONE && !counts(s->class))
		return;
	o = processes_origin(ps, s);
	o->losses |= s->item != ITEM_GONE;
	ps->any.losses |= s->item != ITEM_GONE;
	if (until > o->lossy)
		o->lossy = until;
	if (until > ps->any.lossy)
		ps->any.lossy = until;
}

int
origin_unsure(const struct origin *o, int64_t ns)
{
	return o->lossy != INT64_MIN && ns <= o->lossy;
}

static void
modules_free(struct process *p)
{
	nmodules -= p->nmodules;
	free(p->modules);
	p->modules = NULL;
	p->nmodules = p->room = 0;
	p->serial = ++serials;
}

static void
process_free(const struct processes *ps, struct process *p)
{
	size_t i;

	if (ps->ops->release != NULL)
		ps->ops->release(p);
	map_release(&p->calls);
	for (i = 0; i < p->callers.n; i++) {
		free(p->callers.v[i]->name);
		free(p->callers.v[i]->lines);
		free(p->callers.v[i]->places);
		free(p->callers.v[i]);
	}
	free(p->callers.v);
	map_free(&p->callers.addresses);
	map_free(&p->callers.events);
	modules_free(p);
	free(p->program);
	free(p);
}

/*
 * Drop the processes that had no event since the last time.  This is done once
 * for so many new ones, or so many modules.  If somebody keeps something of the
 * processes, they only lose their modules: else new ones would find no room.
 */
static void
processes_drop(struct processes *ps)
{
	struct process **pp = &ps->first, *p;

	map_free(&ps->map);
	ps->fresh = fresh = 0;
	while ((p = *pp) != NULL) {
		ps->dropped |= !p->used && p->nmodules > 0;
		if (!p->used && !ps->kept) {
			*pp = p->next;
			process_free(ps, p);
			continue;
		}
		if (!p->used && p->nmodules > 0)
			modules_free(p);
		p->used = 0;
		map_put(&ps->map, p->key, p);
		pp = &p->next;
	}
	ps->last = pp;
}

static struct process *
process_add(struct processes *ps, const struct ctf_stream *s,
    const struct ctf_who *who)
{
	struct process *p;

	if (ps->fresh++ == PROCESSES || fresh >= FRESH)
		processes_drop(ps);
	p = xcalloc(1, ps->ops->size);
	p->key = ctf_process(s->trace, who);
	p->serial = ++serials;
	p->origin = processes_origin(ps, s);
	p->host = s->trace->label;
	p->vpid = ctf_who_id(who, ROLE_VPID);
	if (!s->trace->kernel || (who->has & 1 << ROLE_VPID))
		memcpy(p->name, who->name, sizeof(p->name));
	p->callers.numbers = ps->numbers;
	*ps->last = p;
	ps->last = &p->next;
	map_put(&ps->map, p->key, p);
	return p;
}

/*
 * LTTng's names are those of threads: the process has the main thread's, if
 * that has events; else the first one's, but not that of LTTng's own thread,
 * which tells of modules.
 */
static void
note_name(struct process *p, const struct ctf_stream *s,
    const struct ctf_who *who)
{
	if (who->vtid != who->vpid && (p->named || s->event->module != NULL))
		return;
	memcpy(p->name, who->name, sizeof(p->name));
	p->named = 1;
}

struct process *
processes_get(struct processes *ps, const struct ctf_stream *s)
{
	const struct ctf_who *who;
	struct ctf_who buf;

	if (s == ps->stream && s->pkt == ps->pkt && !s->class->eventwho &&
	    ctf_who_id(&s->who, ROLE_VPID) == ps->process->vpid)
		return ps->process;
	who = ctf_whose(s, &buf);
	ps->process = map_get(&ps->map, ctf_process(s->trace, who));
	if (ps->process == NULL)
		ps->process = process_add(ps, s, who);
	if (s->trace->lttng)
		note_name(ps->process, s, who);
	ps->process->used = 1;
	ps->stream = s;
	ps->pkt = s->pkt;
	return ps->process;
}

struct process *
processes_load(struct processes *ps, const struct ctf_stream *s,
    uint64_t base, const char *path)
{
	struct process *p = processes_get(ps, s), *old = p;
	struct ctf_who buf;

	if (p->program != NULL && p->base != base &&
	    strcmp(p->program, path) == 0) {
		if (ps->ops->over != NULL)
			ps->ops->over(p);
		p = ps->process = process_add(ps, s, ctf_whose(s, &buf));
		p->used = 1;
		p->modules = old->modules;
		p->nmodules = old->nmodules;
		p->room = old->room;
		old->modules = NULL;
		old->nmodules = old->room = 0;
	}
	if (p->program == NULL) {
		p->program = format("%s", path);
		p->base = base;
	}
	return p;
}

/*
 * Modules.
 */

static void
modules_forget(struct process *p)
{
	nmodules -= p->nmodules;
	p->nmodules = 0;
	p->serial = ++serials;
}

/* The first one that ends behind the address. */
static size_t
module_place(const struct process *p, uint64_t addr)
{
	size_t lo = 0, hi = p->nmodules, mid;

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

void
process_unmap(struct process *p, uint64_t start, uint64_t size)
{
	const size_t from = module_place(p, start);
	size_t to = from;

	while (to < p->nmodules && (p->modules[to].start < start ||
	    p->modules[to].start - start < size))
		to++;
	if (to == from)
		return;
	memmove(&p->modules[from], &p->modules[to],
	    (p->nmodules - to) * sizeof(*p->modules));
	p->nmodules -= to - from;
	nmodules -= to - from;
	p->serial = ++serials;
}

static int
is_known(const struct process *p, const struct mapping *m)
{
	const size_t i = module_place(p, m->start);

	return i < p->nmodules && p->modules[i].start == m->start &&
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

	if (i < p->nmodules && (p->modules[i].start <= m->start ||
	    p->modules[i].start - m->start < m->size))
		return 1;
	for (i = 0; i < p->nmodules; i++)
		if (p->modules[i].image == m->image)
			return 1;
	return 0;
}

static void
module_add(struct process *p, const struct mapping *m)
{
	size_t i;

	p->modules = xgrow(p->modules, p->nmodules, &p->room,
	    sizeof(*p->modules));
	i = module_place(p, m->start);
	memmove(&p->modules[i + 1], &p->modules[i],
	    (p->nmodules - i) * sizeof(*p->modules));
	p->modules[i] = *m;
	p->nmodules++;
	nmodules++;
	fresh++;
	p->serial = ++serials;
}

void
process_map(struct process *p, const struct mapping *m)
{
	if (is_known(p, m))
		return;
	if (is_another(p, m))
		modules_forget(p);
	if (nmodules < MODULES)
		module_add(p, m);
	else
		modules_forget(p);
}

const struct mapping *
process_mapping(const struct process *p, uint64_t addr)
{
	const size_t i = module_place(p, addr);

	return i < p->nmodules && p->modules[i].start <= addr ?
	    &p->modules[i] : NULL;
}

/*
 * Output.
 */

static char *
put_id(char *p, int64_t id)
{
	return id == CTF_NOBODY ? stpcpy(p, "-") : ctf_put_i64(p, id);
}

char *
ids_text(const char *host, const char *program, int64_t vpid,
    const int64_t *vtid)
{
	char *name = host_name(host, *program == '\0' ? "-" : program);
	char *shown = clean(name), ids[64], *p = put_id(ids, vpid), *text;

	if (vtid != NULL)
		p = put_id(stpcpy(p, ":"), *vtid);
	*p = '\0';
	text = format("%s[%s]", shown, ids);
	free(name);
	free(shown);
	return text;
}

void
ids_json(const char *host, const char *program, int64_t vpid,
    const int64_t *vtid)
{
	json_string("host", host);
	json_string("procname", *program == '\0' ? NULL : program);
	if (vpid != CTF_NOBODY)
		json_i64("vpid", vpid);
	if (vtid != NULL && *vtid != CTF_NOBODY)
		json_i64("vtid", *vtid);
}

char *
process_text(const struct process *p)
{
	return ids_text(p->host, p->name, p->vpid, NULL);
}

void
process_json(const struct process *p)
{
	ids_json(p->host, p->name, p->vpid, NULL);
}

void
processes_free(struct processes *ps)
{
	struct process *p;

	while ((p = ps->first) != NULL) {
		ps->first = p->next;
		process_free(ps, p);
	}
	map_free(&ps->map);
	map_release(&ps->origins);
}
