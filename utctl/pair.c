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
 * Pairs of events.  Those of a thread nest: they are on its stack until they
 * end.  Those with a key may be of any threads: they are in a table by their
 * key.  What is kept grows with what is open at a time.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair_role.h"
#include "say.h"

#define DEPTH	(1 << 18)	/* of a thread; what comes deeper is dropped */
#define KEYLEN	200		/* bytes of a key that are compared */

struct frame {
	const struct pair	*pair;
	uint64_t		 address;	/* that both have, or 0 */
	int64_t			 ns;
	int64_t			 inner;		/* ns of what is nested */
	void			*what;		/* or NULL: it is refused */
	int			 nested;
	enum pair_fit		 fit;		/* its beginning */
};

/* How often the thread is in what; a place that was used once stays. */
struct inside {
	const void		*what;
	size_t			 n;
};

struct pair_thread {
	int64_t			 pid, tid;
	int64_t			 last;		/* ns: its last event */
	struct frame		*frames;
	size_t			 n, room;
	struct inside		*inside;	/* a hash table */
	size_t			 ninside, cap;
};

struct pair_key {
	struct pair_key		*next;
	const struct pair	*pair;
	int64_t			 ns;
	void			*what;
	enum pair_fit		 fit;
	size_t			 len;
	char			 text[];
};

/*
 * What becomes of pairs.
 */

/* Neither event is refused, and the filter is true for one of them. */
static int
pair_fits(enum pair_fit begin, enum pair_fit end)
{
	return begin != PAIR_REFUSED && end != PAIR_REFUSED &&
	    (begin == PAIR_FITS || end == PAIR_FITS);
}

static void
pair_over(struct pairs *ps, const struct ctf_stream *s,
    const struct pair_end *e)
{
	if (e->begin <= ps->lossy)
		ps->lost++;
	else
		ps->ops->end(ps->arg, s, e);
}

/* Its end did not come; it may have been lost. */
static int
pair_unended(struct pairs *ps, int64_t begin, enum pair_fit fit)
{
	if (fit != PAIR_FITS)
		return 0;
	if (begin <= ps->lossy) {
		ps->lost++;
		return 0;
	}
	ps->unended++;
	return 1;
}

static void
pair_left(struct pairs *ps, int64_t begin, enum pair_fit fit, void *what)
{
	if (pair_unended(ps, begin, fit) && ps->ops->left != NULL)
		ps->ops->left(ps->arg, what);
}

static void
pair_open(struct pairs *ps, enum pair_fit fit, const struct pair_end *e)
{
	if (pair_unended(ps, e->begin, fit) && ps->ops->open != NULL)
		ps->ops->open(ps->arg, e);
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
pairs_say_missing(const struct pairs *ps)
{
	const struct pair *p;

	for (p = ps->pairs; p != NULL; p = p->next)
		if (p->begin != NULL)
			say_missing(p);
}

/*
 * Threads.
 */

static size_t
mix(uint64_t a, uint64_t b)
{
	return (size_t)((a * 31 + b) * 11400714819323198485u >> 32);
}

static struct pair_thread **
thread_place(const struct pairs *ps, int64_t pid, int64_t tid)
{
	size_t i = mix((uint64_t)pid, (uint64_t)tid) & (ps->cap - 1);

	while (ps->threads[i] != NULL && (ps->threads[i]->pid != pid ||
	    ps->threads[i]->tid != tid))
		i = (i + 1) & (ps->cap - 1);
	return &ps->threads[i];
}

static void
threads_grow(struct pairs *ps)
{
	struct pair_thread **old = ps->threads;
	const size_t n = ps->cap;
	size_t i;

	ps->cap = n == 0 ? 64 : 2 * n;
	if ((ps->threads = calloc(ps->cap, sizeof(*ps->threads))) == NULL)
		die_errno("malloc");
	for (i = 0; i < n; i++)
		if (old[i] != NULL)
			*thread_place(ps, old[i]->pid, old[i]->tid) = old[i];
	free(old);
}

/* If it is known.  Mostly it is the one that was asked for before. */
static struct pair_thread *
thread_known(struct pairs *ps, const struct ctf_who *who)
{
	struct pair_thread *t = ps->recent;

	if (t != NULL && t->pid == who->vpid && t->tid == who->vtid)
		return t;
	if (ps->cap == 0 ||
	    (t = *thread_place(ps, who->vpid, who->vtid)) == NULL)
		return NULL;
	return ps->recent = t;
}

static struct pair_thread *
thread_of(struct pairs *ps, const struct ctf_stream *s)
{
	struct pair_thread *t;
	const struct ctf_who *who;
	struct ctf_who buf;

	who = ctf_whose(s, &buf);
	if ((t = thread_known(ps, who)) != NULL)
		return t;
	if (2 * ps->nthreads >= ps->cap)
		threads_grow(ps);
	if ((t = calloc(1, sizeof(*t))) == NULL)
		die_errno("malloc");
	t->pid = who->vpid;
	t->tid = who->vtid;
	*thread_place(ps, t->pid, t->tid) = t;
	ps->nthreads++;
	return ps->recent = t;
}

/* The time of the last event, of the thread too, if it is known. */
static void
thread_seen(struct pairs *ps, const struct ctf_stream *s)
{
	struct pair_thread *t;
	struct ctf_who buf;

	ps->last = s->ns;
	if ((t = thread_known(ps, ctf_whose(s, &buf))) != NULL)
		t->last = s->ns;
}

static struct inside *
inside_place(const struct pair_thread *t, const void *what)
{
	size_t i = mix((uintptr_t)what, 0) & (t->cap - 1);

	while (t->inside[i].what != NULL && t->inside[i].what != what)
		i = (i + 1) & (t->cap - 1);
	return &t->inside[i];
}

static struct inside *
inside_of(struct pair_thread *t, const void *what)
{
	struct inside *old = t->inside, *in;
	const size_t n = t->cap;
	size_t i;

	if (2 * t->ninside >= n) {
		t->cap = n == 0 ? 16 : 2 * n;
		t->inside = calloc(t->cap, sizeof(*t->inside));
		if (t->inside == NULL)
			die_errno("malloc");
		for (i = 0; i < n; i++)
			if (old[i].what != NULL)
				*inside_place(t, old[i].what) = old[i];
		free(old);
	}
	in = inside_place(t, what);
	if (in->what == NULL) {
		in->what = what;
		t->ninside++;
	}
	return in;
}

/* Down to so many frames. */
static void
unwind(struct pair_thread *t, size_t n)
{
	const void *what;

	while (t->n > n)
		if ((what = t->frames[--t->n].what) != NULL)
			inside_place(t, what)->n--;
}

static uint64_t
address_of(const struct pair_role *r, const struct ctf_stream *s)
{
	uint64_t v = 0;

	if (r->at.type != NULL)
		(void)ctf_field_bits(&r->at, s, &v);
	return v;
}

static void
thread_begin(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	struct pair_thread *t = thread_of(ps, s);
	const uint64_t address = address_of(r, s);
	struct frame *f;
	void *what = NULL;

	if (fit != PAIR_REFUSED)
		what = ps->ops->begin(ps->arg, s, r->pair->name,
		    r->at.type == NULL ? NULL : &r->at, address);
	if (t->n == DEPTH) {
		pair_left(ps, s->ns, fit, what);
		return;
	}
	t->last = s->ns;
	if (t->n == t->room) {
		t->room = t->room == 0 ? 16 : 2 * t->room;
		f = realloc(t->frames, t->room * sizeof(*f));
		if (f == NULL)
			die_errno("malloc");
		t->frames = f;
	}
	f = &t->frames[t->n];
	f->pair = r->pair;
	f->address = address;
	f->ns = s->ns;
	f->inner = 0;
	f->what = what;
	f->nested = what != NULL && inside_of(t, what)->n++ > 0;
	f->fit = fit;
	t->n++;
}

/* The end of what is on top; its time is nested in what is below. */
static struct pair_end
frame_end(struct pair_thread *t, int64_t ns, int counts)
{
	const struct frame *f = &t->frames[t->n - 1];
	struct pair_end e;

	e.what = f->what;
	e.begin = f->ns;
	e.took = ns - f->ns;
	e.self = e.took - f->inner;
	e.nested = f->nested;
	if (t->n > 1)
		t->frames[t->n - 2].inner += counts ? e.took : f->inner;
	unwind(t, t->n - 1);
	return e;
}

/*
 * The innermost one of the same pair and address.  What is still open within it
 * was left without its end, by longjmp(3) for example; what was nested in that,
 * and has ended, is nested in this one.
 */
static void
thread_end(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	struct pair_thread *t = thread_of(ps, s);
	const uint64_t address = address_of(r, s);
	struct pair_end e;
	size_t i = t->n, k;
	int counts;

	while (i > 0 && (t->frames[i - 1].pair != r->pair ||
	    t->frames[i - 1].address != address))
		i--;
	if (i == 0) {
		ps->unbegun += fit == PAIR_FITS;
		return;
	}
	for (k = i; k < t->n; k++) {
		t->frames[i - 1].inner += t->frames[k].inner;
		pair_left(ps, t->frames[k].ns, t->frames[k].fit,
		    t->frames[k].what);
	}
	unwind(t, i);
	counts = pair_fits(t->frames[i - 1].fit, fit);
	e = frame_end(t, s->ns, counts);
	if (counts)
		pair_over(ps, s, &e);
}

/* What the thread has open yet. */
static void
thread_finish(struct pairs *ps, struct pair_thread *t)
{
	struct pair_end e;
	enum pair_fit fit;

	while (t->n > 0) {
		fit = t->frames[t->n - 1].fit;
		e = frame_end(t, t->last, fit == PAIR_FITS);
		pair_open(ps, fit, &e);
	}
}

/*
 * Keys.
 */

static struct pair_key **
key_place(const struct pairs *ps, const struct pair *p, const char *text,
    size_t len)
{
	struct pair_key **kp;
	uint64_t h = (uintptr_t)p;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	kp = &ps->keys[mix(h, len) & (ps->kcap - 1)];
	while (*kp != NULL && ((*kp)->pair != p || (*kp)->len != len ||
	    memcmp((*kp)->text, text, len) != 0))
		kp = &(*kp)->next;
	return kp;
}

static void
keys_grow(struct pairs *ps)
{
	struct pair_key **old = ps->keys, *k, *next;
	const size_t n = ps->kcap;
	size_t i;

	ps->kcap = n == 0 ? 64 : 2 * n;
	if ((ps->keys = calloc(ps->kcap, sizeof(*ps->keys))) == NULL)
		die_errno("malloc");
	for (i = 0; i < n; i++)
		for (k = old[i]; k != NULL; k = next) {
			next = k->next;
			k->next = NULL;
			*key_place(ps, k->pair, k->text, k->len) = k;
		}
	free(old);
}

static void
key_begin(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	char text[KEYLEN];
	const size_t len = ctf_field_text(&r->at, s, text, sizeof(text));
	struct pair_key **kp, *k;

	if (ps->nkeys >= ps->kcap)
		keys_grow(ps);
	kp = key_place(ps, r->pair, text, len);
	if ((k = *kp) != NULL) {
		/* The key is used again. */
		pair_left(ps, k->ns, k->fit, k->what);
	} else {
		if ((k = malloc(sizeof(*k) + len)) == NULL)
			die_errno("malloc");
		k->next = NULL;
		k->pair = r->pair;
		k->len = len;
		memcpy(k->text, text, len);
		*kp = k;
		ps->nkeys++;
	}
	k->ns = s->ns;
	k->fit = fit;
	if (fit == PAIR_REFUSED)
		k->what = NULL;
	else if (ps->ops->begin_key != NULL)
		k->what = ps->ops->begin_key(ps->arg, s, r->pair->name);
	else
		k->what = ps->ops->begin(ps->arg, s, r->pair->name, NULL, 0);
}

static struct pair_end
key_took(const struct pair_key *k, int64_t ns)
{
	struct pair_end e;

	e.what = k->what;
	e.begin = k->ns;
	e.took = e.self = ns - k->ns;
	e.nested = 0;
	return e;
}

static void
key_end(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	char text[KEYLEN];
	const size_t len = ctf_field_text(&r->at, s, text, sizeof(text));
	struct pair_key **kp, *k;
	struct pair_end e;
	int counts;

	if (ps->kcap == 0 ||
	    (k = *(kp = key_place(ps, r->pair, text, len))) == NULL) {
		ps->unbegun += fit == PAIR_FITS;
		return;
	}
	e = key_took(k, s->ns);
	counts = pair_fits(k->fit, fit);
	*kp = k->next;
	free(k);
	ps->nkeys--;
	if (counts)
		pair_over(ps, s, &e);
}

static void
keys_finish(struct pairs *ps)
{
	const struct pair_key *k;
	struct pair_end e;
	size_t i;

	for (i = 0; i < ps->kcap; i++)
		for (k = ps->keys[i]; k != NULL; k = k->next) {
			e = key_took(k, ps->last);
			pair_open(ps, k->fit, &e);
		}
}

void
pairs_event(struct pairs *ps, const struct ctf_stream *s, enum pair_fit fit)
{
	const struct pair_role *r;

	thread_seen(ps, s);
	for (r = s->event->pairs; r != NULL; r = r->next) {
		if (r->pair->key == NULL) {
			if (r->ends)
				thread_end(ps, r, s, fit);
			else
				thread_begin(ps, r, s, fit);
		} else if (r->at.type != NULL) {
			if (r->ends)
				key_end(ps, r, s, fit);
			else
				key_begin(ps, r, s, fit);
		}
	}
}

/* What was open while events were lost may have ended. */
size_t
pairs_depth(struct pairs *ps, const struct ctf_stream *s, size_t most)
{
	const struct pair_thread *t = thread_of(ps, s);
	size_t i = t->n, n = 0;

	while (i > 0 && n < most && t->frames[i - 1].ns > ps->lossy) {
		i--;
		n++;
	}
	return n;
}

/* Of those that were refused, nothing is counted. */
void *
pairs_top(struct pairs *ps, const struct ctf_stream *s)
{
	const struct pair_thread *t = thread_of(ps, s);
	size_t i = t->n;

	while (i > 0 && t->frames[i - 1].what == NULL)
		i--;
	return i == 0 ? NULL : t->frames[i - 1].what;
}

static void
thread_cut(struct pairs *ps, struct pair_thread *t)
{
	const struct frame *f;

	while (t->n > 0) {
		f = &t->frames[t->n - 1];
		pair_left(ps, f->ns, f->fit, f->what);
		unwind(t, t->n - 1);
	}
}

void
pairs_cut(struct pairs *ps)
{
	struct pair_key *k;
	size_t i;

	for (i = 0; i < ps->cap; i++)
		if (ps->threads[i] != NULL)
			thread_cut(ps, ps->threads[i]);
	for (i = 0; i < ps->kcap; i++)
		while ((k = ps->keys[i]) != NULL) {
			ps->keys[i] = k->next;
			pair_left(ps, k->ns, k->fit, k->what);
			free(k);
		}
	ps->nkeys = 0;
}

/*
 * A packet tells of the events that were lost before, whosever they are.  The
 * end of what was open then may be among them, and a later end would be taken
 * for it.  Losses come in the order of the times when they begin: at any end,
 * all are known that began before.
 */
void
pairs_lose(struct pairs *ps, int64_t until)
{
	if (until > ps->lossy)
		ps->lossy = until;
}

void
pairs_finish(struct pairs *ps)
{
	size_t i;

	for (i = 0; i < ps->cap; i++)
		if (ps->threads[i] != NULL)
			thread_finish(ps, ps->threads[i]);
	keys_finish(ps);
}

void
pairs_free(struct pairs *ps)
{
	struct pair_key *k;
	struct pair *p;
	size_t i;

	for (i = 0; i < ps->cap; i++)
		if (ps->threads[i] != NULL) {
			free(ps->threads[i]->frames);
			free(ps->threads[i]->inside);
			free(ps->threads[i]);
		}
	free(ps->threads);
	for (i = 0; i < ps->kcap; i++)
		while ((k = ps->keys[i]) != NULL) {
			ps->keys[i] = k->next;
			free(k);
		}
	free(ps->keys);
	while ((p = ps->pairs) != NULL) {
		ps->pairs = p->next;
		free(p->name);
		free(p->begin);
		free(p->end);
		free(p->key);
		free(p);
	}
}
