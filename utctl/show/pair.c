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
 * Pairs of events.  What is kept grows with the processes and threads that
 * come, and with what is open at a time, not with the number of events.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ctf/reader.h"
#include "../say.h"
#include "../sym/symbols.h"
#include "pair_role.h"

void
pairs_init(struct pairs *ps)
{
	/* Threads, which are kept by themselves, are all that a process has. */
	static const struct process_ops none = { .size =
	    sizeof(struct process) };

	memset(ps, 0, sizeof(*ps));
	processes_init(&ps->processes, &none);
	ps->processes.numbers = ps->processes.kept = 1;
}

static void
event_role(struct pairs *ps, struct pair_thread *t, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	if (!pair_role_counts(ps, r))
		return;
	if (r->pair->key == NULL && !r->stays && pair_thread_unknown(s)) {
		if (ps->nobody++ == 0)
			ps->nobodys = s->trace;
	} else if (r->took.type != NULL) {
		if (fit == PAIR_FITS)
			pair_thread_whole(ps, r, s);
	} else if (r->pair->key == NULL)
		(r->ends ? pair_thread_end : pair_thread_begin)(ps, t, r, s,
		    fit);
	else
		(r->ends ? pair_key_end : pair_key_begin)(ps, r, s, fit);
}

void
pairs_event(struct pairs *ps, const struct ctf_stream *s, enum pair_fit fit)
{
	struct pair_thread *t = pair_thread_of(ps, s);
	const struct pair_role *r = s->event->pairs, *end;

	ps->last = s->ns;
	if (r != NULL && r->ends && r->next != NULL && r->next->ends) {
		end = pair_thread_ends(t, s);
		for (; end != NULL; end = end->outer)
			event_role(ps, t, end, s, fit);
		while (r != NULL && r->ends)
			r = r->next;
	}
	for (; r != NULL; r = r->next)
		event_role(ps, t, r, s, fit);
}

void
pairs_cut(struct pairs *ps, const struct ctf_stream *s)
{
	pair_threads_cut(ps, processes_origin(&ps->processes, s));
	pair_keys_drop(ps, 1);
}

void
pairs_lose(struct pairs *ps, const struct ctf_stream *s)
{
	processes_lose(&ps->processes, s);
}

void
pairs_finish(struct pairs *ps)
{
	pair_threads_finish(ps);
	pair_keys_finish(ps);
}

static void
read_event(void *arg, struct ctf_stream *s)
{
	pairs_event(arg, s, PAIR_FITS);
}

/* The filter may be about what the pair's other event has. */
static void
refused(void *arg, struct ctf_stream *s)
{
	pairs_event(arg, s, s->event->unfit ? PAIR_OPEN : PAIR_REFUSED);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	struct pairs *ps = arg;

	pairs_lose(ps, s);
	if (ps->lose != NULL)
		ps->lose(ps->arg, s);
}

void
pairs_read(struct pairs *ps, struct reader *rd)
{
	static const struct reader_ops ops = { read_event, lost, lost, NULL,
	    NULL, refused, lost };
	struct ctf_trace *tr;

	symbols_use(rd, &ps->processes);
	rd->refused = rd->select != NULL;
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		pairs_trace(ps, tr);
	reader_run(rd, &ops, ps);
}

const char *
pair_name(char *buf, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address)
{
	const char *symbol;

	if (at == NULL)
		return pair;
	if ((symbol = symbols_at(at, s)) != NULL)
		return symbol;
	snprintf(buf, PAIR_NAME, "0x%" PRIx64, address);
	return buf;
}

static void
say_missing(const struct pair *p)
{
	const char *const events[] = { p->begin, p->end };
	int i;

	for (i = 0; i < 2; i++)
		if (!p->found[i])
			say("-D '%s': no event of the trace has such a name",
			    events[i]);
		else if (p->key != NULL && !p->keyed[i])
			say("-D %s: the event has no field %s", events[i],
			    p->key);
}

void
pairs_say(const struct pairs *ps)
{
	const struct pair *p;

	for (p = ps->given; p != NULL; p = p->next)
		say_missing(p);
	pair_threads_say(ps);
	if (ps->nobody > 0)
		say("%" PRIu64 " event%s left out of pairs: the trace does not "
		    "tell their threads%s", ps->nobody,
		    ps->nobody == 1 ? " was" : "s were", ps->nobodys->cpus !=
		    NULL ? " before a CPU's first sched_switch, or after a "
		    "loss" : ps->nobodys->kernel ? ": record sched_switch, "
		    "or lttng add-context -k -t tid" : ": record with lttng "
		    "add-context -u -t vtid -t vpid");
}

const char *
pairs_why_lost(const struct pairs *ps)
{
	return ps->losses ? "events were lost meanwhile" :
	    "events from then were removed, overwritten or not recorded";
}

void
pairs_say_lost(const struct pairs *ps)
{
	if (ps->lost > 0 && !ps->losses)
		say("pairs were left out, as events were removed (-W, -M), "
		    "overwritten or not recorded: a channel of their own, or "
		    "more files, keep more of them");
	else if (ps->lost > 0)
		say("pairs were left out, as events were lost: record -m block "
		    "loses none, and more or larger buffers (-n, -b) fewer");
}

static void
list_free(struct pair *p)
{
	struct pair *next;

	for (; p != NULL; p = next) {
		next = p->next;
		free(p->name);
		free(p->begin);
		free(p->end);
		free(p->key);
		free(p);
	}
}

void
pairs_free(struct pairs *ps)
{

	pair_threads_free(ps);
	pair_keys_drop(ps, 0);
	free(ps->keys);
	list_free(ps->given);
	list_free(ps->found);
	map_free(&ps->names);
	processes_free(&ps->processes);
}

void
pairs_again(struct pairs *ps)
{
	struct pair *given = ps->given;
	const int named = ps->named;

	ps->given = NULL;
	pairs_free(ps);
	pairs_init(ps);
	ps->given = given;
	ps->named = named;
}
