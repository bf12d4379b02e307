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
 * Time lines, for utctl export.
 *
 * Pairs of a thread are bars, which nest; each ends when the pair ends, is
 * left, or events are lost.  Pairs with a key are bars elsewhere, with an ID.
 * Every other event is an instant, and so is a beginning in the time of a loss,
 * which may have the end of it.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../held/locks.h"
#include "../map.h"
#include "../say.h"
#include "../show/pair_role.h"
#include "../show/print.h"
#include "../when.h"
#include "timeline.h"

#define IDLE		INT64_MIN	/* key for CPU 0; 1 is + 1, ... */
#define STANDINS	(1 << 22)	/* no process has such an ID */
#define KEPT_MOST	(16 << 20)	/* bytes of fields of open pairs */

struct timeline timeline;

static struct {
	struct pairs		*pairs;
	struct locks_run	 locks;
	const char		*value;		/* the field of counters */
	int			 found;		/* an event has it */
	struct map		 values;	/* where, by class of events */
	struct map		 processes, threads;
	struct map		 used;		/* numbers of tracks */
	int64_t			 standin;	/* the last one */
	const struct ctf_stream	*stream;	/* the last event's */
	uint64_t		 pkt;		/* the packet of track */
	struct track		*track;
	uint64_t		 ids, serial;
	size_t			 kept;		/* bytes of fields */
	struct sites		 sites;
	int			 selected;	/* the event is */
} run;

uint64_t
timeline_serial(void)
{
	return ++run.serial;
}

uint64_t
timeline_date(int64_t ns, const char *format)
{
	if (ns < 0)
		die("-F %s: no date before 1970 can be written: give the "
		    "directory an offset, or select later events with -b",
		    format);
	return (uint64_t)ns;
}

/*
 * Threads and processes.
 */

int64_t
track_tid(const struct track *t)
{
	return t->id < IDLE + CTF_CPUS ? 0 : t->id;
}

/*
 * The key of the event's thread in its process.  A kernel has an idle thread
 * for each CPU, and all of them have the ID 0.
 */
static int64_t
thread_key(const struct ctf_stream *s, const struct ctf_who *w)
{
	if (!s->trace->kernel && !s->trace->lttng)
		return w->vtid;
	if (!(w->has & 1 << ROLE_VTID))
		return CTF_NOBODY;
	return s->trace->kernel && w->vtid == 0 ?
	    IDLE + (int64_t)(w->cpu % CTF_CPUS) : w->vtid;
}

/* Events whose thread nobody knows are not under the name of any other. */
static const char *
thread_name(int64_t key, const struct ctf_who *w)
{
	static const char unknown[sizeof(w->name)] = "unknown thread";

	return key == CTF_NOBODY ? unknown : w->thread[0] == '\0' ? w->name :
	    w->thread;
}

static void
tell_name(struct track *t, const char *host, const char *name)
{
	char id[24] = "", *full, *text;

	memcpy(t->name, name, sizeof(t->name));
	t->told = 1;
	if (t->number != t->id && t->id != CTF_NOBODY)
		snprintf(id, sizeof(id), "[%" PRId64 "]", track_tid(t));
	full = host_name(host, name);
	text = format("%s%s", name[0] == '\0' ? "" : full, id);
	if (timeline.ops->name != NULL)
		timeline.ops->name(t, text);
	free(text);
	free(full);
}

/* Take the number that is the ID, or else one that no track of them has. */
static int64_t
number_take(uint64_t of, struct track *t)
{
	int64_t n = t->id;
	uint64_t key;

	while (key = map_bytes(of, &n, sizeof(n)), n < 0 || n > INT32_MAX ||
	    map_get(&run.used, key) != NULL)
		n = STANDINS + ++run.standin;
	map_put(&run.used, key, t);
	return n;
}

static struct track *
track_find(const struct map *m, uint64_t of, int64_t id)
{
	struct track *t = map_get(m, map_bytes(of, &id, sizeof(id)));

	while (t != NULL && (t->of != of || t->id != id))
		t = t->next;
	return t;
}

static struct track *
track_new(struct map *m, const struct track *process, uint64_t of, int64_t id)
{
	const uint64_t key = map_bytes(of, &id, sizeof(id));
	struct track *t = xcalloc(1, sizeof(*t));

	t->process = process;
	t->of = of;
	t->id = id;
	t->number = number_take((uintptr_t)process, t);
	t->serial = timeline_serial();
	t->next = map_get(m, key);
	map_put(m, key, t);
	return t;
}

/* Get the track; tell readers if its name changed.  NULL: for a process. */
static struct track *
track_get(struct map *m, const struct track *process, uint64_t of, int64_t id,
    const char *host, const char *name)
{
	struct track *t = track_find(m, of, id);

	if (t == NULL)
		t = track_new(m, process, of, id);
	if (!t->told || strcmp(t->name, name) != 0)
		tell_name(t, host, name);
	return t;
}

static struct track *
track_of(const struct ctf_stream *s)
{
	const struct process *p;
	const struct ctf_who *w;
	struct track *t;
	struct ctf_who buf;
	int64_t key;

	if (run.stream == s && run.pkt == s->pkt && !s->class->eventwho)
		return run.track;
	p = processes_get(&run.pairs->processes, s);
	w = ctf_whose(s, &buf);
	t = track_get(&run.processes, NULL, s->trace->origin, w->vpid,
	    s->trace->label, p->name);
	key = thread_key(s, w);
	run.track = track_get(&run.threads, t, (uintptr_t)p, key, NULL,
	    thread_name(key, w));
	run.stream = s;
	run.pkt = s->pkt;
	return run.track;
}

static void
tracks_free(struct map *m)
{
	struct track *t, *next;
	size_t i;

	for (i = 0; i < m->cap; i++)
		for (t = m->v[i].value; t != NULL; t = next) {
			next = t->next;
			free(t);
		}
	map_free(m);
}

/*
 * Members of JSON.
 */

size_t
member_len(const char *s, size_t n)
{
	int depth = 0, quoted = 0;
	size_t i;

	for (i = 0; i < n && (quoted || depth > 0 || s[i] != ','); i++)
		if (s[i] == '"')
			quoted = !quoted;
		else if (quoted)
			i += s[i] == '\\';
		else
			depth += (s[i] == '{' || s[i] == '[') -
			    (s[i] == '}' || s[i] == ']');
	return i < n ? i : n;
}

static int
bar_has(const struct bar *b, const char *member, size_t n)
{
	size_t i, k;

	for (i = 0; i < b->nargs; i += k + 1) {
		k = member_len(b->args + i, b->nargs - i);
		if (k == n && memcmp(b->args + i, member, n) == 0)
			return 1;
	}
	return 0;
}

/* Has the beginning a field of that name? */
static int
bar_names(const struct bar *b, const char *name)
{
	const size_t len = strlen(name);
	size_t i;

	for (i = 0; i + len + 2 < b->nargs;
	    i += member_len(b->args + i, b->nargs - i) + 1)
		if (memcmp(b->args + i + 1, name, len) == 0 &&
		    b->args[i + 1 + len] == '"')
			return 1;
	return 0;
}

const char *
bar_member(const struct bar *b, const char *name)
{
	static char text[64];
	size_t n = strlen(name);

	memcpy(text, name, n + 1);
	while (n + 1 < sizeof(text) && bar_names(b, text)) {
		text[n++] = '_';
		text[n] = '\0';
	}
	return text;
}

/* Leave out what the beginning has, too: the bytes that are left. */
static size_t
differing(const struct bar *b, char *text, size_t n)
{
	size_t i, k, len = 0;

	if (n == b->nargs && memcmp(text, b->args, n) == 0)
		return 0;
	for (i = 0; i < n; i += k + 1) {
		k = member_len(text + i, n - i);
		if (bar_has(b, text + i, k))
			continue;
		if (len > 0)
			text[len++] = ',';
		memmove(text + len, text + i, k);
		len += k;
	}
	return len;
}

/* The bar's name tells the function, and the bar around it the caller. */
static char *
args_of(const struct ctf_stream *s, int isfunction, size_t *n)
{
	char *text = out_held(put_members(out_hold(), s, isfunction ?
	    ADDRESSES_LESS : ADDRESSES_NAMES), n);

	*n -= *n > 0 && text[*n - 1] == ',';
	return text;
}

/*
 * Pairs.
 */

static struct bar *
bar_new(const struct ctf_stream *s, int64_t ns, const char *name, uint64_t id,
    int isfunction)
{
	const size_t len = strlen(name) + 1;
	struct track *t = track_of(s);
	struct bar *b;
	char *args;
	size_t n;
	int kept;

	args = args_of(s, isfunction, &n);
	kept = n <= KEPT_MOST - run.kept;
	b = xcalloc(1, sizeof(*b) + len + (kept ? n + 1 : 0));
	b->track = t;
	b->id = id;
	b->ns = ns;
	b->isfunction = isfunction;
	b->whole = ns != s->ns;
	memcpy(b->name, name, len);
	b->args = b->name + len;
	if ((b->kept = kept)) {
		memcpy(b->name + len, args, b->nargs = n);
		run.kept += n;
	}
	timeline.ops->begin(b, args, n);
	return b;
}

static void
bar_free(struct bar *b)
{
	run.kept -= b->nargs;
	free(b);
}

/* Is it not known how what begins now, with a key or without, ends? */
static int
unsure(const struct ctf_stream *s, int keyed)
{
	struct processes *ps = &run.pairs->processes;

	return origin_unsure(keyed ? &ps->any : processes_get(ps, s)->origin,
	    s->ns);
}

/* Begin a bar, unless the filter refuses the event. */
static void *
timeline_begin(void *arg, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address)
{
	char buf[PAIR_NAME];

	(void)arg;
	if (!run.selected || unsure(s, 0))
		return NULL;
	return bar_new(s, s->ns, pair_name(buf, s, pair, at, address), 0,
	    at != NULL);
}

static void *
begin_key(void *arg, const struct ctf_stream *s, const char *pair)
{
	(void)arg;
	if (!run.selected || unsure(s, 1))
		return NULL;
	return bar_new(s, s->ns, pair, ++run.ids, 0);
}

static void
timeline_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct bar *b = e->what;
	struct track *t;
	char *args;
	size_t n;

	(void)arg;
	if (b == NULL)
		return;
	args = args_of(s, b->isfunction, &n);
	timeline.ops->end(b, 1, args, differing(b, args, n));
	if (timeline.ops->arrow != NULL && b->id != 0 &&
	    (t = track_of(s)) != b->track)
		timeline.ops->arrow(b->name, b->track, b->ns, t, s->ns, 1);
	bar_free(b);
}

static void
timeline_left(void *arg, void *what)
{
	(void)arg;
	timeline.ops->end(what, 0, "", 0);
	bar_free(what);
}

/* Leave the pair open: readers show that. */
static void
still_open(void *arg, const struct pair_end *e)
{
	(void)arg;
	if (timeline.ops->open != NULL)
		timeline.ops->open(e->what);
	bar_free(e->what);
}

static void
timeline_whole(void *arg, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address, int64_t took)
{
	char buf[PAIR_NAME];
	struct bar *b;

	(void)arg;
	b = bar_new(s, when_sum(s->ns, -took), pair_name(buf, s, pair, at,
	    address), 0, 1);
	timeline.ops->end(b, 1, "", 0);
	bar_free(b);
}

/* A thread got a lock that another one has released for it. */
static void
passed(const struct lock_event *e, const struct lock *l)
{
	const struct track *to = track_of(e->stream);
	const struct track *from = track_find(&run.threads, to->of, l->leftby);

	if (from != NULL)
		timeline.ops->arrow("lock", from, l->left, to, e->stream->ns,
		    0);
}

/*
 * Counters.
 */

static const struct ctf_field_at *
value_at(const struct ctf_stream *s)
{
	const uint64_t key = (uintptr_t)s->event;
	struct ctf_field_at *at = map_get(&run.values, key);

	if (at != NULL)
		return at;
	at = xcalloc(1, sizeof(*at));
	run.found |= ctf_field_find(at, s->class, s->event, run.value) ||
	    ctf_field_is_cpu(run.value, s->class);
	map_put(&run.values, key, at);
	return at;
}

static void
count(const struct ctf_stream *s)
{
	const struct ctf_field_at *at = value_at(s);
	char *name;
	double v;

	if (!ctf_field_value(at, s, run.value, &v) || !isfinite(v))
		return;
	name = format("%s %s", s->event->name, run.value);
	timeline.ops->counter(track_of(s), name, s->ns, v);
	free(name);
}

void
timeline_say(const struct reader *rd, const char *value)
{
	char *other;

	if (value == NULL || run.found || rd->nevents == 0)
		return;
	other = ctf_field_other(rd->traces, value);
	say("-v %s: no field of any event%s", value, other);
	free(other);
}

/*
 * Events and traces, as they are read.
 */

static void
begin_at(int64_t ns)
{
	if (!timeline.any)
		timeline.first = ns;
	timeline.any = 1;
}

/* Is the event a part of pairs, and does it begin none that is not shown? */
static int
is_pair(const struct ctf_stream *s)
{
	const struct pair_role *r;
	int is = 0;

	for (r = s->event->pairs; r != NULL; r = r->next)
		if (pair_role_counts(run.pairs, r)) {
			if (!r->ends && unsure(s, r->pair->key != NULL))
				return 0;
			is = 1;
		}
	return is;
}

static void
take(const struct ctf_stream *s, int selected, enum pair_fit fit)
{
	timeline.now = s->ns;
	timeline.stream = s;
	run.selected = selected;
	if (s->event->pairs != NULL)
		pairs_event(run.pairs, s, fit);
}

static void
timeline_event(void *arg, struct ctf_stream *s)
{
	const struct site *site;
	const char *args;
	struct track *t;
	size_t n;

	(void)arg;
	begin_at(s->ns);
	take(s, 1, PAIR_FITS);
	if (s->event->call != NULL)
		locks_call(&run.locks.processes, s);
	if (run.value != NULL)
		count(s);
	if (is_pair(s))
		return;
	t = track_of(s);
	if (timeline.ops->sample != NULL && s->event->stack != NULL &&
	    s->event->stack->sample && (site = site_get(&run.sites, s,
	    processes_get(&run.pairs->processes, s)->serial)) != NULL) {
		timeline.ops->sample(t, s, site);
		return;
	}
	args = args_of(s, 0, &n);
	timeline.ops->instant(t, s->event->name, s->ns, args, n);
}

/* An end goes with its beginning, whatever the filter says of it alone. */
static void
refused(void *arg, struct ctf_stream *s)
{
	(void)arg;
	take(s, 0, PAIR_OPEN);
}

/*
 * Write how many were lost, until when.  The ends of open pairs of the trace's
 * programs may be among them.
 */
static void
lose(const struct ctf_stream *s, const char *what, uint64_t n)
{
	begin_at(s->ns);
	timeline.now = s->ns;
	pairs_cut(run.pairs, s);
	pairs_lose(run.pairs, s);
	processes_lose(&run.locks.processes, s);
	if (what != NULL)
		timeline.ops->lose(s, what, n, ctf_lost_until(s));
}

static void
discarded(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	lose(s, s->ndiscarded == 0 ? "events may be discarded" :
	    "events discarded", s->ndiscarded);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	lose(s, "packets lost", s->nlost);
}

static void
gone(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	if (s->gonefrom > INT64_MIN)
		timeline.now = s->ns;
	pairs_cut(run.pairs, s);
	pairs_lose(run.pairs, s);
	processes_lose(&run.locks.processes, s);
}

static void
module(void *arg, struct ctf_stream *s)
{
	(void)arg;
	(void)s;
	run.stream = NULL;	/* the process may be another now */
}

static void
timeline_trace(struct ctf_trace *tr)
{
	text_trace(tr);
	pairs_trace(run.pairs, tr);
	processes_trace(&run.locks.processes, tr);
}

void
timeline_run(struct reader *rd, struct pairs *ps, const char *value,
    const struct timeline_ops *ops)
{
	static const struct reader_ops reading = { timeline_event, discarded,
	    lost, timeline_trace, module, refused, gone };
	static const struct pair_ops mine = { timeline_begin, timeline_end,
	    timeline_left, still_open, begin_key, NULL, timeline_whole };

	memset(&run, 0, sizeof(run));
	memset(&timeline, 0, sizeof(timeline));
	timeline.ops = ops;
	timeline.reader = rd;
	run.pairs = ps;
	run.value = value;
	ps->ops = &mine;
	ps->need_end = ps->ignore_filter_at_end = ps->waits = 1;
	rd->refused = rd->select != NULL;
	rd->stacks = ops->sample != NULL;
	run.sites.functions = 1;
	locks_init(&run.locks);
	run.locks.passed = ops->arrow != NULL ? passed : NULL;
	run.locks.processes.kept = 1;
	run.locks.processes.numbers = rd->names == NULL;
	symbols_use(rd, &ps->processes);
	reader_run(rd, &reading, NULL);
	pairs_finish(ps);
}

void
timeline_free(void)
{
	tracks_free(&run.processes);
	tracks_free(&run.threads);
	map_free(&run.used);
	map_release(&run.values);
	sites_free(&run.sites);
	processes_free(&run.locks.processes);
}
