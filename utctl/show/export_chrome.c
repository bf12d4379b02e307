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
 * utctl export -F chrome: JSON that Perfetto, chrome://tracing and speedscope
 * read.  The document "Trace Event Format" of the Chromium project describes
 * it.
 *
 * Pairs of a thread are B and E, which nest; each B that is written gets its E
 * when the pair ends, is left, or events are lost.  Pairs with a key are b and
 * e, with an ID.  Every other event is an instant, and so is a beginning in the
 * time of a loss, which may have the end of it.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../map.h"
#include "../say.h"
#include "../when.h"
#include "chrome_samples.h"
#include "export.h"
#include "pair_role.h"
#include "print.h"

/*
 * A pair that a b began, for its end; or all B of that name of a thread, as
 * readers such as speedscope want the name again in each E.
 */
struct open {
	struct open	*next;		/* with the same hash */
	struct track	*track;
	const char	*pair;
	uint64_t	 id;		/* 0: B */
	char		 name[];
};

#define NS_US		1000
#define STANDINS	(1 << 22)	/* no process has such an ID */

/*
 * A thread, or a process, that a reader has been told the name of.  Readers
 * know both by their IDs alone.  So the process of another host with the same
 * ID gets a number instead, and so does the thread of another program.
 */
struct track {
	struct track	*next;		/* with the same hash */
	uint64_t	 of;		/* origin of its trace, or process */
	int64_t		 id;
	int64_t		 number;	/* the ID for readers */
	char		 name[sizeof(((struct ctf_who *)0)->name)];
	char		 who[64];	/* the members of JSON */
	struct samples	 samples;
};

struct chrome {
	struct reader		*reader;
	struct pairs		*pairs;
	struct map		 processes, threads, opens;
	struct map		 used;		/* numbers of tracks */
	int64_t			 standin;	/* the last one */
	const struct ctf_stream	*stream;	/* the last event's */
	uint64_t		 pkt;		/* the packet of track */
	struct track		*track;
	uint64_t		 ids;
	uint64_t		 profiles;
	struct sites		 sites;
	int			 any;		/* something was written */
	int64_t			 first;		/* ns: when that was */
	int64_t			 now;
	int			 selected;	/* the event is */
};

static struct chrome run;

/* After it there is ROOM less some 100 bytes. */
static char *
put_head(char ph, int64_t ns, const char *who)
{
	char *p = out_begin();

	if (!run.any)
		run.first = ns;
	p = out_text(p, run.any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	run.any = 1;
	*p++ = ph;
	p = put_us(out_text(p, "\",\"ts\":"), ns - run.first);
	return out_text(p, who);
}

static char *
put_text(char *p, const char *before, const char *text)
{
	p = out_text(p, before);
	return put_string(p, (const uint8_t *)text, strlen(text));
}

/*
 * Threads and processes.
 */

static void
tell_name(struct track *t, const char *kind, const char *host, const char *name)
{
	char id[24] = "", *full, *text, *p;

	memcpy(t->name, name, sizeof(t->name));
	if (name[0] == '\0')
		return;
	if (t->number != t->id)
		snprintf(id, sizeof(id), "[%" PRId64 "]", t->id);
	full = host_name(host, name);
	text = format("%s%s", full, id);
	p = put_text(put_head('M', run.now, t->who), ",\"name\":", kind);
	p = put_text(p, ",\"args\":{\"name\":", text);
	out_end(out_text(p, "}}"));
	free(text);
	free(full);
}

/* Take the number that is the ID, or else one that no track of them has. */
static int64_t
number_take(uint64_t of, struct track *t)
{
	int64_t n = t->id;
	uint64_t key;

	while (key = map_bytes(of, &n, sizeof(n)),
	    map_get(&run.used, key) != NULL)
		n = STANDINS + ++run.standin;
	map_put(&run.used, key, t);
	return n;
}

static struct track *
track_new(struct map *m, uint64_t key, const struct track *process, uint64_t of,
    int64_t id)
{
	struct track *t = calloc(1, sizeof(*t));
	char *p;

	if (t == NULL)
		die_errno("malloc");
	t->of = of;
	t->id = id;
	t->number = number_take((uintptr_t)process, t);
	p = ctf_put_i64(stpcpy(t->who, ",\"pid\":"),
	    process == NULL ? t->number : process->number);
	p = ctf_put_i64(stpcpy(p, ",\"tid\":"), t->number);
	*p = '\0';
	t->next = map_get(m, key);
	map_put(m, key, t);
	return t;
}

/* Get the track; tell readers if its name changed.  NULL: for a process. */
static struct track *
track_get(struct map *m, const struct track *process, uint64_t of, int64_t id,
    const char *host, const char *name)
{
	const uint64_t key = map_bytes(of, &id, sizeof(id));
	struct track *t = map_get(m, key);

	while (t != NULL && (t->of != of || t->id != id))
		t = t->next;
	if (t == NULL)
		t = track_new(m, key, process, of, id);
	if (strcmp(t->name, name) != 0)
		tell_name(t, process == NULL ? "process_name" : "thread_name",
		    host, name);
	return t;
}

static struct track *
track_of(const struct ctf_stream *s)
{
	const struct process *p;
	const struct ctf_who *w;
	struct track *t;
	struct ctf_who buf;

	if (run.stream == s && run.pkt == s->pkt && !s->class->eventwho)
		return run.track;
	p = processes_get(&run.pairs->processes, s);
	w = ctf_whose(s, &buf);
	t = track_get(&run.processes, NULL, s->trace->origin, w->vpid,
	    s->trace->label, p->name);
	run.track = track_get(&run.threads, t, (uintptr_t)p, w->vtid, NULL,
	    w->thread[0] == '\0' ? w->name : w->thread);
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
 * Pairs.
 */

static char *
put_id(char *p, const struct open *o)
{
	p = ctf_put_u64(out_text(p, ",\"id\":\""), o->id);
	p = put_text(p, "\",\"cat\":", o->pair);
	return put_text(p, ",\"name\":", o->pair);
}

static void
put_args(char *p, const struct ctf_stream *s)
{
	p = put_fields(out_text(out_room(p, ROOM), ",\"args\":{"), s);
	out_end(out_text(p, "}}"));
}

static struct open *
open_new(struct track *t, const char *pair, const char *name)
{
	const size_t len = strlen(name);
	struct open *o = calloc(1, sizeof(*o) + len + 1);

	if (o == NULL)
		die_errno("malloc");
	o->track = t;
	o->pair = pair;
	memcpy(o->name, name, len);
	return o;
}

static struct open *
open_of(struct track *t, const char *pair, const char *name)
{
	const uint64_t key = map_bytes((uintptr_t)t, name, strlen(name));
	struct open *o;

	o = map_get(&run.opens, key);
	while (o != NULL && (o->track != t || strcmp(o->name, name) != 0))
		o = o->next;
	if (o == NULL) {
		o = open_new(t, pair, name);
		o->next = map_get(&run.opens, key);
		map_put(&run.opens, key, o);
	}
	return o;
}

static void
opens_free(void)
{
	struct open *o, *next;
	size_t i;

	for (i = 0; i < run.opens.cap; i++)
		for (o = run.opens.v[i].value; o != NULL; o = next) {
			next = o->next;
			free(o);
		}
	map_free(&run.opens);
}

/* Is it not known how what begins now, with a key or without, ends? */
static int
unsure(const struct ctf_stream *s, int keyed)
{
	struct processes *ps = &run.pairs->processes;

	return origin_unsure(keyed ? &ps->any : processes_get(ps, s)->origin,
	    s->ns);
}

/* Write a B, unless the filter refuses the event. */
static void *
chrome_begin(void *arg, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address)
{
	char buf[PAIR_NAME], *p;
	struct open *o;

	(void)arg;
	if (!run.selected || unsure(s, 0))
		return NULL;
	o = open_of(track_of(s), pair, pair_name(buf, s, pair, at, address));
	p = put_head('B', s->ns, o->track->who);
	if (at != NULL)
		p = put_text(p, ",\"cat\":", pair);
	put_args(put_text(p, ",\"name\":", o->name), s);
	return o;
}

static void *
begin_key(void *arg, const struct ctf_stream *s, const char *pair)
{
	struct open *o;

	(void)arg;
	if (!run.selected || unsure(s, 1))
		return NULL;
	o = open_new(track_of(s), pair, pair);
	o->id = ++run.ids;
	put_args(put_id(put_head('b', s->ns, o->track->who), o), s);
	return o;
}

static char *
put_end(const struct open *o)
{
	char *p = put_head(o->id == 0 ? 'E' : 'e', run.now, o->track->who);

	return o->id == 0 ? put_text(p, ",\"name\":", o->name) :
	    put_id(p, o);
}

static void
open_free(struct open *o)
{
	if (o->id != 0)
		free(o);
}

/* The fields of the end have a name of their own beside those of its begin. */
static void
chrome_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	char *p;

	(void)arg;
	if (e->what == NULL)
		return;
	p = out_room(put_end(e->what), ROOM);
	p = put_fields(out_text(p, ",\"args\":{\"end\":{"), s);
	out_end(out_text(p, "}}}"));
	open_free(e->what);
}

static void
chrome_left(void *arg, void *what)
{
	(void)arg;
	out_end(out_text(put_end(what), "}"));
	open_free(what);
}

/* Leave the pair open: readers show that. */
static void
still_open(void *arg, const struct pair_end *e)
{
	(void)arg;
	open_free(e->what);
}

/* Write an X, which has its duration and so needs no E. */
static void
chrome_whole(void *arg, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address, int64_t took)
{
	const int64_t begin = when_sum(s->ns, -took);
	const struct track *t = track_of(s);
	char buf[PAIR_NAME], *p;

	(void)arg;
	p = put_head('X', begin, t->who);
	p = put_us(out_text(p, ",\"dur\":"), took);
	p = put_text(p, ",\"cat\":", pair);
	put_args(put_text(p, ",\"name\":", pair_name(buf, s, pair, at,
	    address)), s);
}

/*
 * Events and traces, as they are read.
 */

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
chrome_take(const struct ctf_stream *s, int selected, enum pair_fit fit)
{
	run.now = s->ns;
	run.selected = selected;
	if (s->event->pairs != NULL)
		pairs_event(run.pairs, s, fit);
}

/* Put a sample; 0: the event is none. */
static int
put_sample(struct track *t, const struct ctf_stream *s)
{
	const struct site *site;
	int64_t us;

	if (s->event->stack == NULL || !s->event->stack->sample ||
	    (site = site_get(&run.sites, s, processes_get(
	    &run.pairs->processes, s)->serial)) == NULL)
		return 0;
	us = (s->ns - (run.any ? run.first : s->ns)) / NS_US;
	if (t->samples.id == 0)
		out_end(samples_begin(put_head('P', s->ns, t->who),
		    &t->samples, ++run.profiles, us));
	out_end(samples_add(put_head('P', s->ns, t->who), &t->samples, site,
	    us));
	return 1;
}

static void
chrome_event(void *arg, struct ctf_stream *s)
{
	struct track *t;

	(void)arg;
	chrome_take(s, 1, PAIR_FITS);
	if (is_pair(s))
		return;
	t = track_of(s);
	if (put_sample(t, s))
		return;
	put_args(put_text(put_head('i', s->ns, t->who), ",\"s\":\"t\","
	    "\"name\":", s->event->name), s);
}

/* An end goes with its beginning, whatever the filter says of it alone. */
static void
refused(void *arg, struct ctf_stream *s)
{
	(void)arg;
	chrome_take(s, 0, PAIR_OPEN);
}

/*
 * Write how many were lost, until when.  The ends of open pairs of the trace's
 * programs may be among them.
 */
static void
chrome_lose(const struct ctf_stream *s, const char *what, uint64_t n)
{
	const int64_t until = ctf_lost_until(s);
	char *p;

	run.now = s->ns;
	pairs_cut(run.pairs, s);
	pairs_lose(run.pairs, s);
	p = put_text(put_head('i', s->ns, ",\"pid\":0,\"tid\":0"),
	    ",\"s\":\"g\",\"name\":", what);
	p = out_text(p, ",\"args\":{\"count\":");
	p = n == 0 ? out_text(p, "null") : ctf_put_u64(p, n);
	p = put_us(out_text(p, ",\"until\":"), until - run.first);
	out_end(out_text(p, "}}"));
}

static void
discarded(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	chrome_lose(s, s->ndiscarded == 0 ? "events may be discarded" :
	    "events discarded", s->ndiscarded);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	chrome_lose(s, "packets lost", s->nlost);
}

static void
gone(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	if (s->gonefrom > INT64_MIN)
		run.now = s->ns;
	pairs_cut(run.pairs, s);
	pairs_lose(run.pairs, s);
}

static void
module(void *arg, struct ctf_stream *s)
{
	(void)arg;
	(void)s;
	run.stream = NULL;	/* the process may be another now */
}

static void
chrome_trace(struct ctf_trace *tr)
{
	text_trace(tr);
	pairs_trace(run.pairs, tr);
}

/* Write what is known only at the end. */
static void
put_tail(void)
{
	char *p = out_text(out_begin(), "\n],\"otherData\":{");

	if (run.any) {
		p = ctf_put_i64(out_text(p, "\"start_ns\":\""), run.first);
		p = put_time(out_text(p, "\",\"start\":\""), run.first);
		p = out_text(put_zone(p), "\",");
	}
	p = ctf_put_u64(out_text(p, "\"discarded\":"), run.reader->ndiscarded);
	p = ctf_put_u64(out_text(p, ",\"lost_packets\":"), run.reader->nlost);
	out_end(out_text(p, "}}\n"));
}

void
export_chrome(struct reader *rd, struct pairs *ps)
{
	static const struct reader_ops ops = { chrome_event, discarded, lost,
	    chrome_trace, module, refused, gone };
	static const struct pair_ops mine = { chrome_begin, chrome_end,
	    chrome_left, still_open, begin_key, NULL, chrome_whole };

	memset(&run, 0, sizeof(run));
	run.reader = rd;
	run.pairs = ps;
	ps->ops = &mine;
	ps->need_end = ps->ignore_filter_at_end = 1;
	rd->refused = rd->select != NULL;
	rd->stacks = 1;
	run.sites.functions = 1;
	symbols_use(rd, &ps->processes);
	ctf_print_init(1);
	out_end(out_text(out_begin(), "{\"displayTimeUnit\":\"ns\","
	    "\"traceEvents\":["));
	reader_run(rd, &ops, NULL);
	pairs_finish(ps);
	put_tail();
	ctf_print_flush();
	tracks_free(&run.processes);
	tracks_free(&run.threads);
	map_free(&run.used);
	sites_free(&run.sites);
	samples_free();
	opens_free();
}
