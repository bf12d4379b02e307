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
 * The calls of processes: which events they are, from where the functions were
 * called, and whether several channels have events of one call.
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

#define OLDER	64	/* names that an address had: more are forgotten */

/*
 * Callers.  An address is given a name when it is first seen.  When modules are
 * loaded or unloaded, the same address may become that of another function:
 * then it is looked up again, and is another caller if it has another name.  If
 * it had this name before, as with plugins that are loaded in turn, it is the
 * caller of then.
 */

static const char *
name_of(const struct callers *cs, const struct ctf_stream *s, uint64_t address)
{
	return cs->numbers ? NULL : symbols_name(s, address,
	    ADDRESS_RETURN);
}

/* Note a name, and the lines of the source. */
static void
caller_name(struct caller *c, const struct ctf_stream *s, const char *name)
{
	const struct place *places;
	size_t n;

	c->name = name == NULL ? NULL : format("%s", name);
	if (name == NULL || s == NULL)
		return;
	n = symbols_places(s, c->address, ADDRESS_RETURN, &places);
	if ((c->lines = places_text(places, n)) == NULL)
		return;
	c->places = xcalloc(n, sizeof(*places));
	memcpy(c->places, places, n * sizeof(*places));
	c->nplaces = n;
}

static struct caller *
caller_add(struct callers *cs, const struct ctf_stream *s, uint64_t address,
    const char *name)
{
	struct caller *c;

	cs->v = xgrow(cs->v, cs->n, &cs->room, sizeof(struct caller *));
	c = xcalloc(1, sizeof(*c));
	c->address = address;
	caller_name(c, s, name);
	c->modules = cs->modules;
	c->id = (uint32_t)cs->n;
	cs->v[cs->n++] = c;
	return c;
}

/* Modules have changed since: is it the same place, or one that it was once? */
static struct caller *
caller_again(struct callers *cs, const struct ctf_stream *s, struct caller *c)
{
	const char *name = name_of(cs, s, c->address);
	struct caller **cp, *known;
	int n = 0;

	c->modules = cs->modules;
	if (name == NULL)
		return c;
	if (c->name == NULL)
		caller_name(c, s, name);	/* known only now */
	for (cp = &c; *cp != NULL && n < OLDER &&
	    strcmp((*cp)->name, name) != 0; n++)
		cp = &(*cp)->older;
	if ((known = *cp) == NULL || n == OLDER)
		known = caller_add(cs, s, c->address, name);
	else
		*cp = known->older;
	known->older = c;
	known->modules = cs->modules;
	map_put(&cs->addresses, known->address, known);
	return known;
}

/* The number of a return address. */
static uint32_t
callers_get(struct callers *cs, const struct ctf_stream *s, uint64_t address)
{
	struct caller *c = map_get(&cs->addresses, address);

	if (c == NULL) {
		c = caller_add(cs, s, address, name_of(cs, s, address));
		map_put(&cs->addresses, address, c);
	} else if (c->modules != cs->modules)
		c = caller_again(cs, s, c);
	return c->id;
}

/* An event of that name does not tell its caller. */
static uint32_t
callers_event(struct callers *cs, const char *event)
{
	struct caller *c = map_get(&cs->events, (uintptr_t)event);

	if (c == NULL) {
		c = caller_add(cs, NULL, 0, event);
		map_put(&cs->events, (uintptr_t)event, c);
	}
	return c->id;
}

const char *
callers_text(const struct callers *cs, uint32_t id, char *text)
{
	const struct caller *c = cs->v[id];
	char *shown, *all;

	if (c->name == NULL) {
		snprintf(text, CALLER_TEXT, "0x%" PRIx64, c->address);
		return text;
	}
	all = format("%s%s%s", c->name, c->lines == NULL ? "" : " ",
	    c->lines == NULL ? "" : c->lines);
	cut_text(text, CALLER_TEXT, shown = clean(all));
	free(shown);
	free(all);
	return text;
}

void
callers_json(const struct callers *cs, uint32_t id)
{
	const struct caller *c = cs->v[id];
	size_t i;

	json_address("caller", c->address);
	json_string("caller_sym", c->name);
	if (c->lines == NULL)
		return;
	json_array("caller_lines");
	for (i = 0; i < c->nplaces; i++) {
		json_object(NULL);
		json_string("function", c->places[i].function);
		json_string("file", c->places[i].file);
		if (c->places[i].line != 0)
			json_u64("line", c->places[i].line);
		json_end();
	}
	json_end();
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

/* LTTng's names began with ust_ once. */
static int
is_kind(const char *name, const char *event)
{
	return strcmp(name, event) == 0 || (strncmp(event, "lttng_ust_", 10) ==
	    0 && strcmp(name, event + 6) == 0);
}

int
call_field(const struct call *c, size_t i, const struct ctf_stream *s,
    uint64_t *v)
{
	return c->at[i].type != NULL && ctf_field_bits(&c->at[i], s, v);
}

/* Ours has two classes of streams: see CTF_STREAM in utd.h. */
static uint32_t
channel_of(const struct ctf_trace *tr, uint64_t stream)
{
	return (uint32_t)(tr->ours ? stream / 2 : stream);
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
			ps->channel = channel_of(tr, ev->stream);
		else if (ps->channel != channel_of(tr, ev->stream))
			ps->several = 1;
	}
}

void
processes_trace(struct processes *ps, struct ctf_trace *tr)
{
	const struct call_kind *k;
	struct ctf_eclass *ev;

	for (ev = tr->events; ev != NULL; ev = ev->next)
		for (k = ps->ops->calls; k->event != NULL; k++)
			if (is_kind(ev->name, k->event))
				call_add(tr, ev, k);
	note_channels(ps, tr);
}

static void
calls_event(void *arg, struct ctf_stream *s)
{
	struct processes *ps = arg;

	if (ps->begin == INT64_MIN)
		ps->begin = s->ns;
	ps->end = s->ns;
	if (s->event->call == NULL)
		return;
	ps->unknown |= s->trace->lttng && !((s->class->who |
	    s->trace->who.has) & 1 << ROLE_VPID);
	ps->ops->call(ps, s);
}

void
calls_say_none(const struct reader *rd, const char *what, const char *lttng,
    const char *library)
{
	const struct ctf_trace *tr;
	const struct ctf_eclass *ev;
	int ours = 0, ust = 0, known = 0;

	for (tr = rd->traces; tr != NULL; tr = tr->next) {
		ours |= tr->ours;
		ust |= tr->lttng;
		for (ev = tr->events; ev != NULL; ev = ev->next)
			known |= ev->call != NULL;
	}
	if (known)
		say("no %s in the trace: it could have had some, but no "
		    "program made such a call", what);
	else if (ust)
		say("no %s in the trace: was it recorded with lttng "
		    "enable-event -u 'lttng_ust_%s:*', of a program with "
		    "LD_PRELOAD=liblttng-ust-%s-wrapper.so?", what, lttng,
		    lttng);
	else if (ours)
		say("no %s in the trace: was it recorded with -w %s?", what,
		    library);
	else
		say("no %s in the trace: only utctl record -w %s and "
		    "LTTng-UST record them", what, library);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	processes_lose(arg, s);
}

void
processes_read(struct processes *ps, struct reader *rd, struct reader_dir *dirs)
{
	static const struct reader_ops ops = { calls_event, lost, lost, NULL,
	    NULL, NULL, lost };
	struct ctf_trace *tr;

	ps->numbers = rd->names == NULL;
	ps->kept = 1;
	symbols_use(rd, ps);
	if (dirs != NULL)
		reader_open_all(rd, dirs);
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		processes_trace(ps, tr);
	if (ps->opened != NULL)
		ps->opened(ps, rd);
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
			if (ev->call != NULL &&
			    (ev->unwanted || select_within(rd->select)))
				return 1;
	return 0;
}

static struct process_call *
last_call(struct process *p, int64_t thread)
{
	struct process_call *last = map_get(&p->calls, (uint64_t)thread);

	if (last != NULL)
		return last;
	last = xcalloc(1, sizeof(*last));
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
	const uint32_t channel = channel_of(s->trace, s->class->id);
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
	if (ps->unknown)
		say("the trace does not tell of which process calls are: all "
		    "are taken for one's; record with lttng add-context -u "
		    "-t vpid");
	if (ps->clocks)
		say("channels of one program have different clocks: the "
		    "order of calls is not certain, and some may count twice");
}
