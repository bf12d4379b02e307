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
 * The call stacks of events: see ctf_stack.h.
 *
 * A definition gives the frames by which it differs from the one before, in the
 * same packet.  So what is wrong in one may spoil the next ones, and of none of
 * these is the stack known.  If a packet ends while a thread records an event,
 * the definition may be in the packet before: what older packets have defined
 * is looked up last.
 */

#include <stdlib.h>
#include <string.h>

#include "../map.h"
#include "../say.h"
#include "ctf_stack.h"

#define LEAST	64			/* entries */
#define FRAMES	(64 << 20)		/* all stacks have: 512 MB */

/* The stack of an ID, as a packet defines it. */
struct entry {
	uint64_t		 id;
	uint64_t		 pkt;		/* there + 1; else not used */
	const struct stack	*stack;		/* NULL: not known */
};

/* The definitions of the packet that a stream is in. */
struct stack_dict {
	uint64_t		 pkt;		/* there + 1 */
	const struct stack	*last;		/* the newest; NULL: none */
	struct entry		*v;		/* a hash table */
	size_t			 used, cap;
};

static struct map	 stacks;		/* by the hash of all */
static struct stack	**list;			/* by number */
static size_t		 nstacks, room;
static uint64_t		 nframes;		/* all have */
static struct map	 older;			/* by trace and ID */
static int		 told;			/* one is not known */

/*
 * All stacks.
 */

static struct stack *
stack_new(const uint64_t *frames, uint32_t n, enum stack_end end)
{
	struct stack *st;

	if (nstacks == room) {
		room = room == 0 ? LEAST : 2 * room;
		if ((list = realloc(list, room * sizeof(*list))) == NULL)
			die_errno("malloc");
	}
	if ((st = malloc(sizeof(*st) + n * sizeof(*frames))) == NULL)
		die_errno("malloc");
	st->number = (uint32_t)nstacks;
	st->n = n;
	st->end = end;
	memcpy(st->frames, frames, n * sizeof(*frames));
	nframes += n;
	return list[nstacks++] = st;
}

static const struct stack *
stack_get(const uint64_t *frames, uint32_t n, enum stack_end end)
{
	const uint64_t key = map_bytes(end, frames, n * sizeof(*frames));
	struct stack *first = map_get(&stacks, key), *st;

	for (st = first; st != NULL; st = st->same)
		if (st->n == n && st->end == end &&
		    memcmp(st->frames, frames, n * sizeof(*frames)) == 0)
			return st;
	if (nframes + n > FRAMES)
		return NULL;
	st = stack_new(frames, n, end);
	st->same = first;
	map_put(&stacks, key, st);
	return st;
}

void
stack_free(void)
{
	while (nstacks > 0)
		free(list[--nstacks]);
	free(list);
	list = NULL;
	room = 0;
	nframes = 0;
	told = 0;
	map_free(&stacks);
	map_free(&older);
}

/*
 * The definitions of a packet.
 */

static struct entry *
dict_place(const struct stack_dict *d, uint64_t id)
{
	size_t i = map_hash(id) & (d->cap - 1);

	while (d->v[i].pkt == d->pkt && d->v[i].id != id)
		i = (i + 1) & (d->cap - 1);
	return &d->v[i];
}

static void
dict_grow(struct stack_dict *d)
{
	const struct stack_dict old = *d;
	size_t i;

	d->cap = old.cap == 0 ? LEAST : 2 * old.cap;
	if ((d->v = calloc(d->cap, sizeof(*d->v))) == NULL)
		die_errno("malloc");
	for (i = 0; i < old.cap; i++)
		if (old.v[i].pkt == d->pkt)
			*dict_place(d, old.v[i].id) = old.v[i];
	free(old.v);
}

/* The definitions of the packet in which the stream is. */
static struct stack_dict *
dict_of(struct ctf_stream *s)
{
	struct stack_dict *d = s->stacks;

	if (d == NULL &&
	    (d = s->stacks = calloc(1, sizeof(*d))) == NULL)
		die_errno("malloc");
	if (d->pkt != s->pkt + 1) {
		d->pkt = s->pkt + 1;
		d->last = NULL;
		d->used = 0;
	}
	return d;
}

static void
dict_put(struct stack_dict *d, uint64_t id, const struct stack *st)
{
	struct entry *e;

	if (2 * d->used >= d->cap)
		dict_grow(d);
	e = dict_place(d, id);
	d->used += e->pkt != d->pkt;
	e->id = id;
	e->pkt = d->pkt;
	e->stack = st;
}

void
stack_drop(struct ctf_stream *s)
{
	if (s->stacks != NULL)
		free(s->stacks->v);
	free(s->stacks);
	s->stacks = NULL;
}

/* IDs are the same in all files of a session on one host. */
static uint64_t
older_key(const struct ctf_stream *s, uint64_t id)
{
	return map_bytes(s->trace->origin, &id, sizeof(id));
}

void
stack_define(struct ctf_stream *s)
{
	const struct stack_at *at = s->event->stack;
	uint64_t frames[STACK_MAX], id, keep, end;
	const struct stack *last;
	struct stack_dict *d;
	size_t n;

	if (at == NULL || !at->defines)
		return;
	d = dict_of(s);
	last = d->last;
	d->last = NULL;
	n = ctf_field_words(&at->frames, s, frames, STACK_MAX);
	if (!ctf_field_bits(&at->context, s, &id))
		return;
	if (ctf_field_bits(&at->keep, s, &keep) &&
	    ctf_field_bits(&at->end, s, &end) && n <= STACK_MAX &&
	    keep <= (last == NULL ? 0 : last->n) && keep <= STACK_MAX - n &&
	    n + keep > 0 && end < STACK_ENDS) {
		if (keep > 0)
			memcpy(frames + n, last->frames + last->n - keep,
			    (size_t)keep * sizeof(*frames));
		d->last = stack_get(frames, (uint32_t)(n + keep),
		    (enum stack_end)end);
	}
	dict_put(d, id, d->last);
	if (d->last != NULL)
		map_put(&older, older_key(s, id), list[d->last->number]);
}

static const struct stack *
stack_find(const struct ctf_stream *s, uint64_t id)
{
	const struct stack_dict *d = s->stacks;
	const struct entry *e;

	if (d != NULL && d->pkt == s->pkt + 1 && d->cap > 0 &&
	    (e = dict_place(d, id))->pkt == d->pkt)
		return e->stack;
	return map_get(&older, older_key(s, id));
}

/* The frames that are in the event; the kernel's end with an all-ones. */
static const struct stack *
stack_here(const struct stack_at *at, const struct ctf_stream *s)
{
	uint64_t frames[STACK_MAX];
	const size_t all = ctf_field_words(&at->context, s, frames, STACK_MAX);
	size_t n = all < STACK_MAX ? all : STACK_MAX;

	while (n > 0 && frames[n - 1] == UINT64_MAX)
		n--;
	return n == 0 ? NULL : stack_get(frames, (uint32_t)n,
	    all > STACK_MAX ? STACK_DEPTH : STACK_DONE);
}

const struct stack *
stack_of(const struct ctf_stream *s)
{
	const struct stack_at *at = s->event->stack;
	const struct stack *st;
	uint64_t id;

	if (at != NULL && at->whole)
		return stack_here(at, s);
	if (at == NULL || !ctf_field_bits(&at->context, s, &id) || id == 0)
		return NULL;
	if ((st = stack_find(s, id)) == NULL && !told) {
		told = 1;
		ctf_warn(s->path, "event at byte %llu: its call stack is not "
		    "known, for no definition of it is there, and perhaps not "
		    "of others", (unsigned long long)s->at);
	}
	return st;
}

uint64_t
stack_time(const struct ctf_stream *s)
{
	const struct stack_at *at = s->event->stack;
	uint64_t ns;

	return at != NULL && at->time.type != NULL &&
	    ctf_field_bits(&at->time, s, &ns) ? ns : 0;
}

int
stack_unsampled(const struct ctf_stream *s)
{
	return s->event->stack != NULL && s->event->stack->unsampled;
}

enum ctf_address
stack_kind(const struct ctf_stream *s, size_t i)
{
	return i == 0 && s->event->stack->exact ? ADDRESS_EXACT :
	    ADDRESS_RETURN;
}

/*
 * The stacks of a trace.
 */

static int
is_words(const struct ctf_type *t)
{
	return (t->kind == CTF_SEQ || t->kind == CTF_ARRAY) &&
	    t->elem->kind == CTF_INT && !t->elem->sign;
}

/* The place of a stack in the events of a class; NULL: none. */
static struct stack_at *
at_find(struct ctf_trace *tr, const struct ctf_sclass *sc,
    const struct ctf_eclass *ev)
{
	struct stack_at at, *new;

	memset(&at, 0, sizeof(at));
	at.defines = strcmp(ev->name, "ut:stack") == 0;
	if (at.defines && !(ctf_field_find(&at.keep, sc, ev, "keep") &&
	    ctf_field_find(&at.end, sc, ev, "end") &&
	    ctf_field_find(&at.frames, sc, ev, "frames") &&
	    is_words(at.frames.type)))
		return NULL;
	at.whole = ctf_field_find(&at.context, sc, ev, "$callstack_user");
	if (at.whole ? !is_words(at.context.type) :
	    !tr->ours || !ctf_field_find(&at.context, sc, ev, "$stack"))
		return NULL;
	at.sample = strcmp(ev->name, "cpu:sample") == 0;
	at.unsampled = strcmp(ev->name, "cpu:unsampled") == 0;
	if ((at.sample || at.unsampled) &&
	    ctf_field_find(&at.time, sc, ev, "time") &&
	    (at.time.type->kind != CTF_INT || at.time.type->sign))
		at.time.type = NULL;
	at.exact = at.whole || at.sample;
	new = ctf_alloc(tr, sizeof(*new));
	*new = at;
	return new;
}

void
stack_trace(struct ctf_trace *tr, int asked)
{
	const struct ctf_sclass *sc;
	struct ctf_eclass *ev;

	for (ev = tr->events; ev != NULL; ev = ev->next) {
		ev->noted = ev->module != NULL;
		sc = ctf_sclass(tr, ev->stream);
		if (sc == NULL || (ev->stack = at_find(tr, sc, ev)) == NULL ||
		    !ev->stack->defines)
			continue;
		ev->stack->hidden = !asked;
		ev->noted = tr->stacks = 1;
	}
}
