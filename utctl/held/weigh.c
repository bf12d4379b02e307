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
#include "../show/show.h"
#include "heap.h"
#include "locks.h"
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
	int		 samples;	/* only of these */
};

static struct processes	 processes;	/* for events */
static struct heap_run	 run;		/* for allocations */
static struct locks_run	 locks;		/* for waits */
static int		 sampled;

static const struct {
	const char	*name, *what, *none;
} weights[] = {
	[WEIGH_EVENTS] = { "events", "how many events have the stack",
	    "no event has a call stack: was it recorded with -g?" },
	[WEIGH_BLOCKS] = { "blocks", "blocks that are not freed",
	    "nothing is allocated: was it recorded with -g -w malloc?" },
	[WEIGH_BYTES] = { "bytes", "bytes that are not freed",
	    "nothing is allocated: was it recorded with -g -w malloc?" },
	[WEIGH_TIME] = { "time", "time of samples, or of pairs that begin "
	    "there", "no samples, and no pairs of events with call stacks: "
	    "was it recorded with -w cpu, or -g?" },
	[WEIGH_WAIT] = { "wait", "time that threads wait for locks there",
	    "no thread had to wait for a lock, or it was not recorded with "
	    "-g -w pthread" }
};

/* The function that is given the stacks. */
struct taker {
	weigh_fn	*give;
	void		*arg;
	int		 any;		/* does one weigh anything? */
};

#define SAMPLE		"cpu:sample"
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

	if (site == NULL)
		return NULL;
	w->loads = xgrow(w->loads, site->number, &w->n, sizeof(l));
	if ((l = w->loads[site->number]) != NULL)
		return l;
	l = xcalloc(1, sizeof(*l));
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
	struct weigh *w = arg;
	struct load *l;

	if (stack_unsampled(s) ||
	    (w->samples && strcmp(s->event->name, SAMPLE) != 0))
		return;
	if ((l = load_get(w, s, processes_get(&processes, s))) == NULL)
		return;
	l->values[0]++;
	l->values[1] += stack_time(s);
}

static int
has_samples(const struct reader *rd)
{
	const struct ctf_trace *tr;
	const struct ctf_eclass *ev;
	const struct ctf_sclass *sc;
	struct ctf_field_at at;

	for (tr = rd->traces; tr != NULL; tr = tr->next)
		for (ev = tr->events; ev != NULL; ev = ev->next)
			if (strcmp(ev->name, SAMPLE) == 0 &&
			    (sc = ctf_sclass(tr, ev->stream)) != NULL &&
			    ctf_field_find(&at, sc, ev, "time"))
				return 1;
	return 0;
}

static void
weigh_events(struct reader *rd, int samples, weigh_fn *give, void *arg)
{
	static const struct process_ops none = { .size =
	    sizeof(struct process) };
	static const struct reader_ops ops = { .event = event };
	struct weigh w;

	memset(&w, 0, sizeof(w));
	w.samples = samples;
	processes_init(&processes, &none);
	symbols_use(rd, &processes);
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

static void
weigh_pairs(struct reader *rd, struct pairs *ps, weigh_fn *give, void *arg)
{
	static const struct pair_ops mine = { pair_begin, pair_end, NULL, NULL,
	    pair_begin_key, NULL, NULL };
	struct weigh w;

	memset(&w, 0, sizeof(w));
	w.pairs = ps;
	ps->ops = &mine;
	ps->arg = &w;
	pairs_read(ps, rd);
	loads_give(&w, give, arg);
	if (ps->lost > 0)
		say("%" PRIu64 " pair%s left out: %s", ps->lost,
		    many(ps->lost), pairs_why_lost(ps));
}

/*
 * Allocations.
 */

static void
weigh_heap(struct reader *rd, struct reader_dir *dirs, weigh_fn *give,
    void *arg)
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

/*
 * Locks.
 */

static void
weigh_locks(struct reader *rd, struct reader_dir *dirs, weigh_fn *give,
    void *arg)
{
	const struct lock_stat *st;
	const struct locks *ls;
	struct process *p;
	char *program;
	size_t i;

	locks_init(&locks);
	locks.graphs = 1;
	processes_read(&locks.processes, rd, dirs);
	for (p = locks.processes.first; p != NULL; p = p->next) {
		ls = (const struct locks *)p;
		program = host_name(p->host, p->name);
		for (i = 0; 2 * i + 1 < ls->ncallers && i < ls->sites.n; i++)
			if ((st = ls->callers[2 * i + 1]) != NULL)
				give(arg, program, ls->sites.v[i],
				    (uint64_t[WEIGH_VALUES]) { st->contended,
				    st->waited });
		free(program);
	}
	processes_say(&locks.processes, rd, "how long threads waited");
}

static void
pass(void *arg, const char *program, const struct site *site,
    const uint64_t *values)
{
	struct taker *t = arg;
	size_t i;

	for (i = 0; i < WEIGH_VALUES; i++)
		t->any |= values[i] != 0;
	t->give(t->arg, program, site, values);
}

int
weigh_sampled(void)
{
	return sampled;
}

int
weigh(enum weight what, struct reader *rd, struct reader_dir *dirs,
    struct pairs *ps, weigh_fn *give, void *arg)
{
	struct taker to = { give, arg, 0 };

	rd->stacks = 1;
	if (what == WEIGH_BLOCKS || what == WEIGH_BYTES)
		weigh_heap(rd, dirs, pass, &to);
	else if (what == WEIGH_WAIT)
		weigh_locks(rd, dirs, pass, &to);
	else {
		reader_open_all(rd, dirs);
		sampled = has_samples(rd) &&
		    (what == WEIGH_EVENTS || ps->given == NULL);
		if (what == WEIGH_EVENTS || sampled)
			weigh_events(rd, what == WEIGH_TIME, pass, &to);
		else
			weigh_pairs(rd, ps, pass, &to);
	}
	if (!to.any)
		say("-w %s: %s", weights[what].name, weights[what].none);
	return !to.any;
}

void
weigh_end(void)
{
	processes_free(&processes);
	heap_free(&run);
	processes_free(&locks.processes);
}
