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
 * got the ID of one that ended, unless its program lies where that one's did, as
 * in two forks of one parent.  No event tells these two apart: modules are also
 * told again for another channel, after `clear', and to the next utd.  A trace
 * of one process has another origin.  The name is part of what a process is
 * known by, since processes of several PID namespaces may have the same ID.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ctf/select.h"
#include "../json.h"
#include "../say.h"
#include "process.h"
#include "symbols.h"

#define MODULE_LOAD	(-1)
#define MODULE_UNLOAD	(-2)

static const struct call_kind modules[] = {
	{ "ut:module", MODULE_LOAD, { "base", "path" } },
	{ "ut:unload", MODULE_UNLOAD, { "base" } },
	{ NULL, 0, { NULL } }
};

/*
 * Calls.
 */

static void
call_add(struct ctf_trace *tr, struct ctf_eclass *ev, const struct call_kind *k)
{
	const struct ctf_sclass *sc = ctf_sclass(tr, ev->stream);
	struct call *c;
	size_t i;

	if (sc == NULL)
		return;
	c = ctf_alloc(tr, sizeof(*c));
	memset(c, 0, sizeof(*c));
	c->kind = k;
	for (i = 0; i < CALL_FIELDS; i++)
		if (k->fields[i] != NULL)
			(void)ctf_field_find(&c->at[i], sc, ev, k->fields[i]);
	ev->call = c;
}

static void
call_trace(struct ctf_trace *tr, const struct call_kind *table)
{
	const struct call_kind *k;
	struct ctf_eclass *ev;

	for (ev = tr->events; ev != NULL; ev = ev->next)
		for (k = table; k->event != NULL; k++)
			if (strcmp(ev->name, k->event) == 0)
				call_add(tr, ev, k);
}

int
call_field(const struct call *c, size_t i, const struct ctf_stream *s,
    uint64_t *v)
{
	return c->at[i].type != NULL && ctf_field_bits(&c->at[i], s, v);
}

/*
 * Processes.
 */

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

void
processes_trace(struct ctf_trace *tr)
{
	call_trace(tr, modules);
}

/* A channel has two classes of streams: see CTF_STREAM in utd.h. */
static uint32_t
channel_of(uint64_t stream)
{
	return (uint32_t)(stream / 2);
}

/* Do several channels have calls?  No channel of ours is UINT32_MAX. */
static void
note_channels(struct processes *ps, const struct ctf_trace *tr)
{
	const struct ctf_eclass *ev;

	for (ev = tr->events; ev != NULL; ev = ev->next) {
		if (ev->call == NULL)
			continue;
		if (ps->channel == UINT32_MAX)
			ps->channel = channel_of(ev->stream);
		else if (ps->channel != channel_of(ev->stream))
			ps->several = 1;
	}
}

static void
event(void *arg, struct ctf_stream *s)
{
	struct processes *ps = arg;

	if (ps->begin == INT64_MIN)
		ps->begin = s->ns;
	ps->end = s->ns;
	if (s->event->call != NULL && s->event->call->kind->what >= 0)
		ps->ops->call(ps, s);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	processes_lose(arg, s);
}

static void
module(void *arg, struct ctf_stream *s)
{
	processes_module(arg, s);
}

void
processes_read(struct processes *ps, struct reader *rd, char **dirs)
{
	static const struct reader_ops ops = { event, lost, lost, NULL, module,
	    NULL, lost };
	struct ctf_trace *tr;

	ps->numbers = rd->names == NULL;
	rd->names = &symbols_names;	/* modules are read also with -N */
	reader_open_all(rd, dirs);
	for (tr = rd->traces; tr != NULL; tr = tr->next) {
		call_trace(tr, ps->ops->calls);
		note_channels(ps, tr);
		processes_trace(tr);
	}
	reader_run(rd, &ops, ps);
}

/* Do the options perhaps leave out some of the calls of a process? */
static int
is_partial(const struct reader *rd)
{
	const struct ctf_trace *tr;
	const struct ctf_eclass *ev;

	if (rd->select == NULL)
		return 0;
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		for (ev = tr->events; ev != NULL; ev = ev->next)
			if (ev->call != NULL && ev->call->kind->what >= 0 &&
			    (ev->unwanted || select_within(rd->select)))
				return 1;
	return 0;
}

struct origin *
processes_origin(struct processes *ps, const struct ctf_stream *s)
{
	struct origin *o = map_get(&ps->origins, s->trace->origin);

	if (o != NULL)
		return o;
	if ((o = calloc(1, sizeof(*o))) == NULL)
		die_errno("malloc");
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
		if (ev->pairs != NULL ||
		    (ev->call != NULL && ev->call->kind->what >= 0))
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

static struct process *
add(struct processes *ps, const struct ctf_stream *s,
    const struct ctf_who *who)
{
	struct process *p;

	if ((p = calloc(1, ps->ops->size)) == NULL)
		die_errno("malloc");
	p->origin = processes_origin(ps, s);
	p->host = s->trace->label;
	p->vpid = who->vpid;
	memcpy(p->name, who->name, sizeof(p->name));
	p->callers.numbers = ps->numbers;
	*ps->last = p;
	ps->last = &p->next;
	map_put(&ps->map, ctf_process(s->trace, who), p);
	return p;
}

struct process *
processes_get(struct processes *ps, const struct ctf_stream *s)
{
	const struct ctf_who *who;
	struct ctf_who buf;
	uint64_t key;

	if (s == ps->stream && s->pkt == ps->pkt && !s->class->eventwho)
		return ps->process;
	who = ctf_whose(s, &buf);
	key = ctf_process(s->trace, who);
	if ((ps->process = map_get(&ps->map, key)) == NULL)
		ps->process = add(ps, s, who);
	ps->stream = s;
	ps->pkt = s->pkt;
	return ps->process;
}

static struct process_call *
last_call(struct process *p, int64_t thread)
{
	struct process_call *last = map_get(&p->calls, (uint64_t)thread);

	if (last != NULL)
		return last;
	if ((last = calloc(1, sizeof(*last))) == NULL)
		die_errno("malloc");
	map_put(&p->calls, (uint64_t)thread, last);
	return last;
}

/* Is the event of the same call as the thread's last event, by its fields? */
static int
is_same(const struct process_call *last, const struct process_call *c)
{
	return last->kind == c->kind &&
	    memcmp(last->fields, c->fields, sizeof(c->fields)) == 0;
}

static int
has_channel(const struct process_call *c, uint32_t channel)
{
	size_t i;

	for (i = 0; i < c->nchannels; i++)
		if (c->channels[i] == channel)
			return 1;
	return c->nchannels == PROCESS_CHANNELS;
}

/* Events of one call come together only if one clock gives their times. */
static void
note_clock(struct processes *ps, struct process *p, const struct ctf_sclass *sc)
{
	const char *name = sc->clock != NULL ? sc->clock->name : "";

	if (p->clock == NULL)
		p->clock = name;
	else if (p->clock != name && strcmp(p->clock, name) != 0)
		ps->clocks = 1;
}

/*
 * A call that several channels record is an event of each.  A thread records
 * these events one after the other, with nothing in between, and once in each
 * channel; they even have the same time, unless a sub-buffer was full.  So an
 * event is of another call than the thread's event before it if the name or a
 * field differs, or if its channel has the call already.  It does not matter
 * if a channel records only for a time, or only some calls, or has lost some;
 * but two equal calls in a row count once if each is in one channel alone.
 */
int
processes_again(struct processes *ps, const struct ctf_stream *s)
{
	const uint32_t channel = channel_of(s->class->id);
	struct process_call c, *last;
	struct process *p;
	struct ctf_who buf;
	int again;
	size_t i;

	if (!ps->several)
		return 0;
	p = processes_get(ps, s);
	note_clock(ps, p, s->class);
	last = last_call(p, ctf_whose(s, &buf)->vtid);
	c.kind = s->event->call->kind;
	for (i = 0; i < CALL_FIELDS; i++)
		if (!call_field(s->event->call, i, s, &c.fields[i]))
			c.fields[i] = 0;
	again = is_same(last, &c) && !has_channel(last, channel);
	if (again)
		ps->again++;
	else {
		last->kind = c.kind;
		memcpy(last->fields, c.fields, sizeof(c.fields));
		last->nchannels = 0;
	}
	last->channels[last->nchannels++] = channel;
	return again;
}

void
processes_say(const struct processes *ps, const struct reader *rd,
    const char *uncertain)
{
	if (ps->n > 0 && is_partial(rd))
		say("-e, -x, -l, -L, -f or -t may leave out calls: %s, is not "
		    "certain", uncertain);
	if (ps->again > 0)
		say("%" PRIu64 " events were left out: another channel has "
		    "an event of the same call", ps->again);
	if (ps->clocks)
		say("channels of one program have different clocks: the "
		    "order of calls is not certain, and some may count twice");
}

/* A module is loaded; the first one that comes is the program. */
static void
load(struct processes *ps, const struct ctf_stream *s, uint64_t base)
{
	const struct ctf_field_at *path = &s->event->call->at[1];
	struct process *p = processes_get(ps, s);
	char text[4096];
	struct ctf_who buf;

	if (path->type == NULL)
		return;
	text[ctf_field_text(path, s, text, sizeof(text) - 1)] = '\0';
	if (p->program != NULL && p->base != base &&
	    strcmp(p->program, text) == 0) {
		if (ps->ops->over != NULL)
			ps->ops->over(p);
		p = ps->process = add(ps, s, ctf_whose(s, &buf));
	}
	if (p->program == NULL) {
		p->program = format("%s", text);
		p->base = base;
	}
}

void
processes_module(struct processes *ps, const struct ctf_stream *s)
{
	const struct call *c = s->event->call;
	uint64_t base;

	if (c == NULL)
		return;
	if (c->kind->what == MODULE_LOAD && call_field(c, 0, s, &base))
		load(ps, s, base);
	processes_get(ps, s)->callers.modules++;
}

uint32_t
process_caller(struct process *p, const struct ctf_stream *s, size_t field)
{
	const struct call *c = s->event->call;
	uint64_t address;

	if (call_field(c, field, s, &address))
		return callers_get(&p->callers, s, address);
	return callers_event(&p->callers, c->kind->event);
}

char *
process_text(const struct process *p)
{
	char *name = host_name(p->host, p->name);
	char *shown = clean(name);

	free(name);
	return shown;
}

void
process_print(const struct process *p)
{
	char *shown = process_text(p);

	printf("%s[%" PRId64 "]", shown, p->vpid);
	free(shown);
}

void
process_json(const struct process *p)
{
	json_string("host", p->host);
	json_string("procname", p->name);
	json_i64("vpid", p->vpid);
}

void
processes_free(struct processes *ps)
{
	struct process *p;
	size_t i;

	while ((p = ps->first) != NULL) {
		ps->first = p->next;
		if (ps->ops->release != NULL)
			ps->ops->release(p);
		for (i = 0; i < p->calls.cap; i++)
			free(p->calls.v[i].value);
		map_free(&p->calls);
		callers_free(&p->callers);
		free(p->program);
		free(p);
	}
	map_free(&ps->map);
	for (i = 0; i < ps->origins.cap; i++)
		free(ps->origins.v[i].value);
	map_free(&ps->origins);
}
