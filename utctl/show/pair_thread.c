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
 * The pairs of a thread nest: they are on its stack until they end.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../when.h"
#include "pair_role.h"

#define DEPTH	(1 << 18)	/* frames of a thread; others are dropped */
#define NOTHING	SIZE_MAX	/* no frame */

/*
 * A frame's end says whether the frame is counted: events may be lost before,
 * and the end may never come.  So a frame has the time of what was counted
 * within as long as it is not counted itself.  If it never is, that time goes
 * to the next frame around it with the same what, or in the end to that what.
 */
struct frame {
	const struct pair	*pair;
	uint64_t		 address;	/* both events', or 0 */
	struct event_place	 place;
	int64_t			 ns;
	int64_t			 inner;		/* ns of what is nested */
	void			*what;		/* NULL: refused */
	size_t			 top;		/* nearest that has a what */
	size_t			 outer;		/* next that has this what */
	int64_t			 ended;		/* ns of this what, within */
	int64_t			 open;		/* ns of it that is open yet */
	enum pair_fit		 fit;		/* the beginning's */
};

/*
 * How often a pair of an address is open in the thread, or something that pairs
 * are counted for, without an address.
 */
struct inside {
	const void		*of;
	uint64_t		 address;
	size_t			 n;
	size_t			 last;		/* the innermost frame */
};

/* A packet of the thread's events. */
struct packet {
	size_t			 file;		/* index + 1, or 0: none */
	uint64_t		 at;
	int64_t			 end;		/* ns */
};

/* The packets of a class of streams: a thread has one of these at a time. */
struct packets {
	struct packets		*next;
	uint64_t		 class;
	struct packet		 now;		/* the last event's */
	struct packet		 before;	/* may have more events */
};

struct pair_thread {
	struct pair_thread	*next;		/* with the same key */
	struct pair_thread	*later;		/* the one that came next */
	int			 listed;	/* in origin.begun */
	struct pair_thread	*before;	/* in origin.begun */
	const struct process	*process;
	int64_t			 tid;
	struct packets		*packets;
	int			 overlaps;	/* they do */
	int64_t			 last;		/* ns: its last event */
	struct frame		*frames;
	size_t			 n, room;
	struct inside		*inside;	/* a hash table */
	size_t			 ninside, cap;
};

static struct pair_thread *
thread_add(struct pairs *ps, const struct process *p, int64_t tid, uint64_t key)
{
	struct pair_thread *t;

	t = xcalloc(1, sizeof(*t));
	t->process = p;
	t->tid = tid;
	t->next = map_get(&ps->threads, key);
	map_put(&ps->threads, key, t);
	if (ps->newest != NULL)
		ps->newest->later = t;
	else
		ps->oldest = t;
	return ps->newest = t;
}

static struct packets *
packets_of(struct pair_thread *t, uint64_t class)
{
	struct packets *p = t->packets;

	while (p != NULL && p->class != class)
		p = p->next;
	if (p != NULL)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->class = class;
	p->next = t->packets;
	return t->packets = p;
}

static int
is_packet(const struct packet *p, const struct ctf_stream *s)
{
	return p->file == s->index + 1 && p->at == s->pkt;
}

/* A CPU of a kernel that is idle, or whose thread is not known, is a thread. */
int64_t
pair_tid(const struct ctf_trace *tr, const struct ctf_who *who)
{
	return tr->kernel && who->vtid == 0 ? -1 - (int64_t)who->cpu :
	    who->vtid;
}

/*
 * A thread ID says nothing by itself: processes of several PID namespaces,
 * users or hosts have threads with the same IDs.  Mostly the thread is the one
 * that was asked for before.
 */
struct pair_thread *
pair_thread_of(struct pairs *ps, const struct ctf_stream *s)
{
	const struct process *p = processes_get(&ps->processes, s);
	struct pair_thread *t = ps->recent;
	struct ctf_who buf;
	const int64_t tid = pair_tid(s->trace, ctf_whose(s, &buf));
	uint64_t key;

	if (t == NULL || t->process != p || t->tid != tid) {
		key = map_bytes((uintptr_t)p, &tid, sizeof(tid));
		t = map_get(&ps->threads, key);
		while (t != NULL && (t->process != p || t->tid != tid))
			t = t->next;
		if (t == NULL)
			t = thread_add(ps, p, tid, key);
		ps->recent = t;
	}
	t->last = s->ns;
	return t;
}

static struct inside *
inside_place(const struct pair_thread *t, const void *of, uint64_t address)
{
	size_t i = map_hash((uintptr_t)of * 31 + address) & (t->cap - 1);

	while (t->inside[i].of != NULL && (t->inside[i].of != of ||
	    t->inside[i].address != address))
		i = (i + 1) & (t->cap - 1);
	return &t->inside[i];
}

/* Make room, and forget what is open no more. */
static void
inside_grow(struct pair_thread *t)
{
	struct inside *old = t->inside;
	const size_t n = t->cap;
	size_t i;

	t->ninside = 0;
	for (i = 0; i < n; i++)
		t->ninside += old[i].n > 0;
	if (4 * t->ninside >= n)
		t->cap = n == 0 ? 16 : 2 * n;
	t->inside = xcalloc(t->cap, sizeof(*t->inside));
	for (i = 0; i < n; i++)
		if (old[i].n > 0)
			*inside_place(t, old[i].of, old[i].address) = old[i];
	free(old);
}

static struct inside *
inside_add(struct pair_thread *t, const void *of, uint64_t address)
{
	struct inside *in;

	if (2 * t->ninside >= t->cap)
		inside_grow(t);
	in = inside_place(t, of, address);
	if (in->of == NULL) {
		in->of = of;
		in->address = address;
		in->last = NOTHING;
		t->ninside++;
	}
	in->n++;
	return in;
}

static uint64_t
address_of(const struct pair_role *r, const struct ctf_stream *s)
{
	uint64_t v = 0;

	if (r->at.type != NULL)
		(void)ctf_field_bits(&r->at, s, &v);
	return v;
}

static struct frame *
push(struct pair_thread *t)
{
	struct frame *f;

	if (t->n == t->room) {
		t->room = t->room == 0 ? 16 : 2 * t->room;
		f = xrealloc(t->frames, t->room * sizeof(*f));
		t->frames = f;
	}
	return &t->frames[t->n++];
}

/* Drop the top frame, of which so many ns are nested in the one below. */
static void
frame_pop(struct pairs *ps, struct pair_thread *t, int64_t ns)
{
	const struct frame *f = &t->frames[--t->n];
	struct frame *around;
	struct inside *in;

	if (t->n > 0) {
		around = &t->frames[t->n - 1];
		around->inner = when_sum(around->inner, ns);
	}
	inside_place(t, f->pair, f->address)->n--;
	if (f->what == NULL)
		return;
	in = inside_place(t, f->what, 0);
	in->n--;
	in->last = f->outer;
	if (f->outer == NOTHING)
		pair_total(ps, f->what, f->ended, f->open);
	else {
		around = &t->frames[f->outer];
		around->ended = when_sum(around->ended, f->ended);
		around->open = when_sum(around->open, f->open);
	}
}

/* Note which frames are around it: any, and one with the same what. */
static void
frame_link(struct pair_thread *t, size_t i)
{
	struct frame *f = &t->frames[i];
	struct inside *in;

	f->top = i == 0 ? NOTHING : t->frames[i - 1].top;
	f->outer = NOTHING;
	if (f->what == NULL)
		return;
	in = inside_place(t, f->what, 0);
	f->top = i;
	f->outer = in->last;
	in->last = i;
}

/*
 * If a packet goes on after an event of another one, they are of two threads,
 * such as those of two PID namespaces; or of two copies of libut in a process,
 * of which mostly one has pairs.  So only the events of pairs count.
 */
static void
note_packet(struct pairs *ps, struct pair_thread *t,
    const struct ctf_stream *s)
{
	struct packets *p;

	if (t->overlaps || s->class->eventwho)
		return;
	p = packets_of(t, s->class->id);
	if (is_packet(&p->now, s))
		return;
	if (is_packet(&p->before, s)) {
		t->overlaps = 1;
		if (ps->noverlaps++ == 0)
			ps->overlapping = t;
	}
	if (p->before.file == 0 || p->now.end > p->before.end)
		p->before = p->now;
	p->now.file = s->index + 1;
	p->now.at = s->pkt;
	p->now.end = s->end;
}

void
pair_thread_begin(struct pairs *ps, struct pair_thread *t,
    const struct pair_role *r, const struct ctf_stream *s, enum pair_fit fit)
{
	const uint64_t address = address_of(r, s);
	const uint64_t match = r->blind ? 0 : address;
	struct origin *o = t->process->origin;
	void *what = NULL;
	struct frame *f;

	note_packet(ps, t, s);
	if (fit != PAIR_REFUSED)
		what = ps->ops->begin(ps->arg, s, r->name,
		    r->at.type == NULL ? NULL : &r->at, address);
	if (t->n == DEPTH) {
		pair_left(ps, o, s->ns, fit, what);
		return;
	}
	if (!t->listed) {
		t->listed = 1;
		t->before = o->begun;
		o->begun = t;
	}
	f = push(t);
	f->pair = r->pair;
	f->address = match;
	f->place = event_place(s);
	f->ns = s->ns;
	f->inner = f->ended = f->open = 0;
	f->what = what;
	f->fit = fit;
	if (what != NULL)
		(void)inside_add(t, what, 0);
	frame_link(t, t->n - 1);
	(void)inside_add(t, r->pair, match);
}

/* Leave the top frame without an end; time nested in it goes to the next. */
static void
frame_leave(struct pairs *ps, struct pair_thread *t)
{
	const struct frame *f = &t->frames[t->n - 1];

	pair_left(ps, t->process->origin, f->ns, f->fit, f->what);
	frame_pop(ps, t, f->inner);
}

/* The frame on top ends then. */
static struct pair_end
top_end(const struct frame *f, int64_t ns)
{
	struct pair_end e;

	e.what = f->what;
	e.place = f->place;
	e.begin = e.at = f->ns;
	e.took = when_sum(ns, -f->ns);
	e.self = when_sum(e.took, -f->inner);
	return e;
}

/*
 * Find the innermost one of the pair and the address; NOTHING: none is open,
 * which is known without a look at all that is open.
 */
static size_t
frame_find(const struct pair_thread *t, const struct pair *p, uint64_t address)
{
	size_t i = t->n;

	if (i == 0 || inside_place(t, p, address)->n == 0)
		return NOTHING;
	while (i--, t->frames[i].pair != p || t->frames[i].address != address)
		;
	return i;
}

/* Did one event begin both? */
static int
is_twin(const struct frame *a, const struct frame *b)
{
	return a->place.stream == b->place.stream &&
	    a->place.bit == b->place.bit;
}

/*
 * Move the frame above those that the same event began.  Only the top one has
 * time that is nested: now the frame is inside of the others.
 */
static void
frame_raise(struct pair_thread *t, size_t i)
{
	const size_t top = t->n - 1;
	struct frame *v = t->frames, f = v[i], *last;
	size_t k;

	if (i == top)
		return;
	f.inner = v[top].inner;
	v[top].inner = 0;
	if (f.what != NULL) {
		last = &v[inside_place(t, f.what, 0)->last];
		f.ended = last->ended;
		last->ended = 0;
	}
	for (k = t->n; k-- > i;)
		if (v[k].what != NULL)
			inside_place(t, v[k].what, 0)->last = v[k].outer;
	memmove(v + i, v + i + 1, (top - i) * sizeof(*v));
	v[top] = f;
	for (k = i; k <= top; k++)
		frame_link(t, k);
}

/* The event's ends: those of inner pairs come before those of outer ones. */
struct pair_role *
pair_thread_ends(const struct pair_thread *t, const struct ctf_stream *s)
{
	struct pair_role *r, *sorted = NULL, **rp;

	for (r = s->event->pairs; r != NULL && r->ends; r = r->next) {
		r->depth = r->pair->key != NULL ? 0 :
		    frame_find(t, r->pair, address_of(r, s)) + 1;
		rp = &sorted;
		while (*rp != NULL && (*rp)->depth >= r->depth)
			rp = &(*rp)->outer;
		r->outer = *rp;
		*rp = r;
	}
	return sorted;
}

/*
 * The innermost one of the same pair and address.  What is still open within it
 * was left without its end, by longjmp(3) for example, unless the same event
 * began it.
 */
void
pair_thread_end(struct pairs *ps, struct pair_thread *t,
    const struct pair_role *r, const struct ctf_stream *s, enum pair_fit fit)
{
	const size_t i = frame_find(t, r->pair, address_of(r, s));
	struct pair_end e;
	struct frame *f;
	int counts;

	note_packet(ps, t, s);
	if (i == NOTHING) {
		pair_unbegun(ps, t->process->origin, fit);
		return;
	}
	while (!is_twin(&t->frames[t->n - 1], &t->frames[i]))
		frame_leave(ps, t);
	frame_raise(t, i);
	f = &t->frames[t->n - 1];
	counts = pair_fits(f->fit, fit);
	e = top_end(f, s->ns);
	if (counts && pair_over(ps, t->process->origin, s, &e))
		f->ended = e.took;
	frame_pop(ps, t, counts ? e.took : f->inner);
}

/* The ns in a field of the event, which are at most those of all time. */
static int64_t
ns_of(const struct ctf_field_at *at, const struct ctf_stream *s, int64_t most)
{
	uint64_t v;

	return at->type == NULL || !ctf_field_bits(at, s, &v) ||
	    v > (uint64_t)most ? most : (int64_t)v;
}

/* Losses do not matter: the event tells it all. */
void
pair_thread_whole(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s)
{
	const struct ctf_field_at *at = r->at.type == NULL ? NULL : &r->at;
	const uint64_t address = address_of(r, s);
	struct pair_end e;

	e.took = ns_of(&r->took, s, INT64_MAX);
	if (ps->ops->whole != NULL) {
		ps->ops->whole(ps->arg, s, r->name, at, address, e.took);
		return;
	}
	e.what = ps->ops->begin(ps->arg, s, r->name, at, address);
	e.place = event_place(s);
	e.at = s->ns;
	e.begin = when_sum(s->ns, -e.took);
	e.self = ns_of(&r->self, s, e.took);
	ps->ops->end(ps->arg, s, &e);
	if (ns_of(&r->nested, s, 1) == 0 || r->nested.type == NULL)
		pair_total(ps, e.what, e.took, 0);
}

/* Skip pairs that may have ended among lost events. */
size_t
pairs_depth(struct pairs *ps, const struct ctf_stream *s, size_t most)
{
	const struct pair_thread *t = pair_thread_of(ps, s);
	size_t n = 0;

	while (n < t->n && n < most &&
	    !origin_unsure(t->process->origin, t->frames[t->n - 1 - n].ns))
		n++;
	return n;
}

/* The frame on top may be refused: the next one below that is not counts. */
void *
pairs_top(struct pairs *ps, const struct ctf_stream *s)
{
	const struct pair_thread *t = pair_thread_of(ps, s);
	const size_t top = t->n == 0 ? NOTHING : t->frames[t->n - 1].top;

	if (top == NOTHING ||
	    origin_unsure(t->process->origin, t->frames[top].ns))
		return NULL;
	return t->frames[top].what;
}

/* End the thread's open pairs with its last event. */
static void
thread_finish(struct pairs *ps, struct pair_thread *t)
{
	struct pair_end e;
	struct frame *f;

	while (t->n > 0) {
		f = &t->frames[t->n - 1];
		e = top_end(f, t->last);
		if (pair_open(ps, t->process->origin, f->fit, &e))
			f->open = e.took;
		frame_pop(ps, t, f->fit == PAIR_FITS ? e.took : f->inner);
	}
}

/* Say which threads may be several that have the same IDs. */
void
pair_threads_say(const struct pairs *ps)
{
	const struct pair_thread *t = ps->overlapping;
	char *shown;

	if (t == NULL)
		return;
	shown = ids_text(t->process->host, t->process->name,
	    t->process->vpid, &t->tid);
	say("%zu thread%s, such as %s: the pairs are not certain, because "
	    "packets overlap as if several threads had the same IDs",
	    ps->noverlaps, many(ps->noverlaps), shown);
	free(shown);
}

static void
thread_free(struct pairs *ps, struct pair_thread *t)
{
	struct packets *p;

	(void)ps;
	while ((p = t->packets) != NULL) {
		t->packets = p->next;
		free(p);
	}
	free(t->frames);
	free(t->inside);
	free(t);
}

static void
each(struct pairs *ps, void (*call)(struct pairs *, struct pair_thread *))
{
	struct pair_thread *t, *later;

	for (t = ps->oldest; t != NULL; t = later) {
		later = t->later;
		call(ps, t);
	}
}

/* Leave all open pairs of the origin: only threads in begun have any. */
void
pair_threads_cut(struct pairs *ps, struct origin *o)
{
	struct pair_thread *t;

	for (; (t = o->begun) != NULL; o->begun = t->before) {
		while (t->n > 0)
			frame_leave(ps, t);
		t->listed = 0;
	}
}

void
pair_threads_finish(struct pairs *ps)
{
	each(ps, thread_finish);
}

void
pair_threads_free(struct pairs *ps)
{
	each(ps, thread_free);
	map_free(&ps->threads);
}
