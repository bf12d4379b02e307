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
 * Weights of call stacks: see weigh.h.  Of a pair of events, the stack is that
 * of its beginning.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "heap.h"
#include "show.h"
#include "weigh.h"

/* The values of a stack. */
struct load {
	const struct site	*site;
	char			*program;
	uint64_t		 values[WEIGH_VALUES];
};

struct weigh {
	struct pairs	*pairs;		/* NULL: of all events */
	struct sites	 sites;
	struct load	**loads;	/* by the site's number */
	size_t		 n;
};

static struct processes	 processes;	/* for events */
static struct heap_run	 run;		/* for allocations */

static const struct {
	const char	*name, *what;
} weights[] = {
	[WEIGH_EVENTS] = { "events", "how many events have the stack" },
	[WEIGH_BLOCKS] = { "blocks", "blocks that are not freed" },
	[WEIGH_BYTES] = { "bytes", "bytes that are not freed" },
	[WEIGH_TIME] = { "time", "time of the pairs that begin there" },
	[WEIGH_WAIT] = { "wait", "time that threads wait for locks there" }
};

#define NWEIGHTS	(sizeof(weights) / sizeof(weights[0]))

const char *
weight_name(size_t i)
{
	return i < NWEIGHTS ? weights[i].name : NULL;
}

const char *
weight_what(size_t i)
{
	return weights[i].what;
}

enum weight
weight_of(const char *name)
{
	size_t i;

	for (i = 0; i < NWEIGHTS; i++)
		if (strcmp(name, weights[i].name) == 0)
			return (enum weight)i;
	die("-w %s: there are %s", name, names_text(weight_name));
}

/* A site belongs to one process: the modules are of that. */
static struct load *
load_get(struct weigh *w, const struct ctf_stream *s, struct process *p)
{
	const struct site *site = site_get(&w->sites, s, p->serial);
	struct load *l;
	size_t n = w->n;

	if (site == NULL)
		return NULL;
	if (site->number >= n) {
		w->n = 2 * n + 64;
		w->loads = realloc(w->loads, w->n * sizeof(l));
		if (w->loads == NULL)
			die_errno("malloc");
		memset(w->loads + n, 0, (w->n - n) * sizeof(l));
	}
	if ((l = w->loads[site->number]) != NULL)
		return l;
	if ((l = calloc(1, sizeof(*l))) == NULL)
		die_errno("malloc");
	l->site = site;
	l->program = host_name(p->host, p->name);
	return w->loads[site->number] = l;
}

static void
loads_give(struct weigh *w, weigh_fn *give, void *arg)
{
	struct load *l;
	size_t i;

	for (i = 0; i < w->n; i++) {
		if ((l = w->loads[i]) == NULL)
			continue;
		give(arg, l->program, l->site, l->values);
		free(l->program);
		free(l);
	}
	free(w->loads);
	sites_free(&w->sites);
}

/*
 * Events.
 */

static void
event(void *arg, struct ctf_stream *s)
{
	struct load *l = load_get(arg, s, processes_get(&processes, s));

	if (l != NULL)
		l->values[0]++;
}

static void
weigh_events(struct reader *rd, char **dirs, weigh_fn *give, void *arg)
{
	static const struct process_ops none = { .size =
	    sizeof(struct process) };
	static const struct reader_ops ops = { .event = event };
	struct weigh w;

	memset(&w, 0, sizeof(w));
	processes_init(&processes, &none);
	symbols_use(rd, &processes);
	reader_open_all(rd, dirs);
	reader_run(rd, &ops, &w);
	loads_give(&w, give, arg);
}

/*
 * Pairs.
 */

static void *
pair_begin(void *arg, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address)
{
	struct weigh *w = arg;

	(void)pair;
	(void)at;
	(void)address;
	return load_get(w, s, processes_get(&w->pairs->processes, s));
}

static void *
pair_begin_key(void *arg, const struct ctf_stream *s, const char *pair)
{
	return pair_begin(arg, s, pair, NULL, 0);
}

static void
pair_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct load *l = e->what;

	(void)arg;
	(void)s;
	if (l == NULL)
		return;
	l->values[0]++;
	l->values[1] += e->took > 0 ? (uint64_t)e->took : 0;
}

static int
has_event(const struct reader *rd, const char *name)
{
	const struct ctf_trace *tr;
	const struct ctf_eclass *ev;

	for (tr = rd->traces; tr != NULL; tr = tr->next)
		for (ev = tr->events; ev != NULL; ev = ev->next)
			if (strcmp(ev->name, name) == 0)
				return 1;
	return 0;
}

static void
add_locks(const struct reader *rd, struct pairs *ps)
{
	static const char *const pairs[][2] = {
	    { "pthread:mutex_request",
	    "pthread:mutex_request,pthread:mutex_acquired" },
	    { "pthread:rdlock_request",
	    "pthread:rdlock_request,pthread:rdlock_acquired" },
	    { "pthread:wrlock_request",
	    "pthread:wrlock_request,pthread:wrlock_acquired" } };
	size_t i;

	ps->named = 0;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (has_event(rd, pairs[i][0]))
			pairs_add(ps, pairs[i][1]);
}

static void
weigh_pairs(struct reader *rd, char **dirs, struct pairs *ps, int locks,
    weigh_fn *give, void *arg)
{
	static const struct pair_ops mine = { pair_begin, pair_end, NULL, NULL,
	    pair_begin_key, NULL, NULL };
	struct weigh w;

	memset(&w, 0, sizeof(w));
	w.pairs = ps;
	ps->ops = &mine;
	ps->arg = &w;
	reader_open_all(rd, dirs);
	if (locks)
		add_locks(rd, ps);
	pairs_read(ps, rd);
	loads_give(&w, give, arg);
	if (ps->lost > 0)
		say("%" PRIu64 " pair%s left out: events were lost meanwhile",
		    ps->lost, many(ps->lost));
}

/*
 * Allocations.
 */

static void
weigh_heap(struct reader *rd, char **dirs, weigh_fn *give, void *arg)
{
	static const struct process_ops ops = { heap_calls, heap_call,
	    sizeof(struct heap), NULL, heap_release };
	const struct heap_use *u;
	const struct heap *h;
	struct process *p;
	char *program;
	size_t i;

	heap_init(&run, &ops);
	processes_read(&run.processes, rd, dirs);
	for (p = run.processes.first; p != NULL; p = p->next) {
		h = (const struct heap *)p;
		program = host_name(p->host, p->name);
		for (i = 0; i < h->sites.n && i < h->by_site.n; i++) {
			u = &h->by_site.v[i];
			give(arg, program, h->sites.v[i], (uint64_t[]) {
			    u->blocks, u->bytes, u->calls, u->allocated });
		}
		free(program);
	}
	processes_say(&run.processes, rd, "what is live");
}

void
weigh(enum weight what, struct reader *rd, char **dirs, struct pairs *ps,
    weigh_fn *give, void *arg)
{
	rd->stacks = 1;
	if (what == WEIGH_EVENTS)
		weigh_events(rd, dirs, give, arg);
	else if (what == WEIGH_BLOCKS || what == WEIGH_BYTES)
		weigh_heap(rd, dirs, give, arg);
	else
		weigh_pairs(rd, dirs, ps, what == WEIGH_WAIT, give, arg);
}

void
weigh_end(void)
{
	processes_free(&processes);
	heap_free(&run);
}
