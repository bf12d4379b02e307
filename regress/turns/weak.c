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
 * Memory as the weakest machine that C11 allows, except that no load sees what
 * is stored later.  The compiler's hooks for a thread sanitizer call this.
 *
 * Each location has its last stores, in their order.  An actor has a view: for
 * each location, the oldest store that it may still load.  To load a store with
 * acquire order that was made with release order joins the views.  A load takes
 * any store that the view allows.  Fences are as in C11; all fences of
 * sequential consistency have one view in common.  This is the usual machine
 * of views, as in Kang et al., "A promising semantics for relaxed-memory
 * concurrency" (POPL 2017), without its promises.
 *
 * The bytes of events are plain: they must be read, or written, by who has seen
 * all that was written and read there before.
 */

#include <stdio.h>
#include <string.h>

#include "turns.h"

#define NLOCS		384
#define DEPTH		8		/* stores that are remembered */
#define LIBUT_MAX	65536u		/* bytes of its variables */
#define NVIEWS		262144
#define WRITTEN		1		/* locations of grains */
#define READ		(WRITTEN + NGRAINS)
#define FIRST		(READ + NGRAINS)

enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
#define ACQUIRES(o)	((o) != RELAXED && (o) != RELEASE)
#define RELEASES(o)	((o) >= RELEASE)

typedef uint16_t stamp;
struct view {
	_Alignas(32) stamp at[NLOCS];
};

struct message {
	uint64_t	 value;
	uint32_t	 view;		/* 0: none */
};

/* Of an actor: now; what relaxed loads got; at the last release fence. */
struct sight {
	struct view	 now, got;
	uint32_t	 given;		/* 0: no fence yet */
	bool		 any;		/* got anything */
};

static struct weak {
	struct message	 last[NLOCS][DEPTH];
	struct view	 latest, settled, sc, bell;
	struct sight	 sights[NACTORS];
	uint32_t	 nviews;
	struct view	 views[NVIEWS];
} weak, *const W = &weak;

/* Numbers of locations, given once for all runs. */
static struct places {
	uint16_t	 shared[sizeof(struct memory) / 4];
	uint16_t	 libut[LIBUT_MAX / 4];
	void		*at[NLOCS];
	unsigned char	 size[NLOCS];
	unsigned int	 n;
} places, *const P = &places;

/* Memory that is shared with nobody, or the latest store to what is. */
static uint64_t
load_plain(const void *at, unsigned int size)
{
	switch (size) {
	case 1:
		return *(const volatile uint8_t *)at;
	case 2:
		return *(const volatile uint16_t *)at;
	case 4:
		return *(const volatile uint32_t *)at;
	default:
		return *(const volatile uint64_t *)at;
	}
}

static void
store_plain(void *at, unsigned int size, uint64_t v)
{
	switch (size) {
	case 1:
		*(volatile uint8_t *)at = (uint8_t)v;
		break;
	case 2:
		*(volatile uint16_t *)at = (uint16_t)v;
		break;
	case 4:
		*(volatile uint32_t *)at = (uint32_t)v;
		break;
	default:
		*(volatile uint64_t *)at = v;
	}
}

static unsigned int
place_new(uint16_t *n, void *at, unsigned int size)
{
	if (P->n == NLOCS)
		wrong("too many locations");
	*n = (uint16_t)P->n++;
	P->at[*n] = at;
	P->size[*n] = (unsigned char)size;
	W->last[*n][0].value = load_plain(at, size);
	return *n;
}

/* The number of the location, or 0: nobody else knows of it. */
static unsigned int
place(void *at, unsigned int size)
{
	uintptr_t d;
	uint16_t *n;

	if (T == NULL || T->current == NACTORS)
		return 0;
	if ((d = (uintptr_t)at - (uintptr_t)T->memory) < sizeof(*T->memory))
		n = &P->shared[d / 4];
	else if ((d = (uintptr_t)at - (uintptr_t)bss_libut) <
	    (uintptr_t)bss_consumer - (uintptr_t)bss_libut)
		n = &P->libut[d / 4];
	else
		return 0;
	return *n != 0 ? *n : place_new(n, at, size);
}

static void
join(struct view *a, const struct view *b)
{
	unsigned int i;

	for (i = 0; i < NLOCS; i++)
		a->at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
}

static uint32_t
view_save(const struct view *v)
{
	if (W->nviews == NVIEWS)
		wrong("too many views");
	W->views[W->nviews] = *v;
	return W->nviews++;
}

static struct sight *
mine(void)
{
	return &W->sights[T->current];
}

void
weak_reset(void)
{
	unsigned int i;

	if (P->n == 0)
		P->n = FIRST;
	if (bss_consumer - bss_libut > LIBUT_MAX)
		wrong("libut has more variables");
	memset(W, 0, offsetof(struct weak, nviews));
	W->nviews = 1;
	for (i = FIRST; i < P->n; i++)
		W->last[i][0].value = load_plain(P->at[i], P->size[i]);
}

/* So much time has passed that whatever was stored can be seen. */
void
weak_settle(void)
{
	W->settled = W->latest;
}

/* The system has told one actor that the other has ended. */
void
weak_heard(unsigned int by, unsigned int of)
{
	join(&W->sights[by].now, &W->sights[of].now);
}

/* The system orders a ring before the waking. */
void
weak_ring(bool wakes)
{
	if (wakes)
		join(&mine()->now, &W->bell);
	else
		join(&W->bell, &mine()->now);
}

/* The actor has loaded that store. */
static uint64_t
got(struct sight *s, unsigned int n, stamp at, int order)
{
	const struct message *m = &W->last[n][at % DEPTH];

	s->now.at[n] = at;
	if (m->view != 0 && ACQUIRES(order)) {
		join(&s->now, &W->views[m->view]);
	} else if (m->view != 0) {
		join(&s->got, &W->views[m->view]);
		s->any = true;
	}
	return m->value;
}

static uint64_t
load(unsigned int n, int order)
{
	struct sight *s = mine();
	const stamp latest = W->latest.at[n];
	stamp least = s->now.at[n];

	if (least < W->settled.at[n])
		least = W->settled.at[n];
	if (order == SEQ_CST && least < W->sc.at[n])
		least = W->sc.at[n];
	if (latest - least >= DEPTH)
		least = latest - DEPTH + 1;
	if (latest == least || random_below(16) >= T->stale)
		return got(s, n, latest, order);
	return got(s, n, (stamp)(least + random_below(latest - least + 1u)),
	    order);
}

/* The view that a store with that order passes on, besides `with'. */
static uint32_t
passed(struct sight *s, int order, uint32_t with)
{
	uint32_t v = s->given;

	if (RELEASES(order))
		v = view_save(&s->now);
	if (with == 0 || v == 0)
		return with | v;
	v = view_save(&W->views[v]);
	join(&W->views[v], &W->views[with]);
	return v;
}

/* A store, or the second half of an exchange of what has the view `with'. */
static void
put(unsigned int n, uint64_t v, int order, uint32_t with)
{
	struct sight *s = mine();
	const stamp at = ++W->latest.at[n];
	struct message *m = &W->last[n][at % DEPTH];

	s->now.at[n] = at;
	m->view = passed(s, order, with);
	m->value = v;
	if (order == SEQ_CST)
		W->sc.at[n] = at;
}

/* With -v: what each step was. */
static void
say(const char *what, const void *at, int order, uint64_t v)
{
	static const char *const orders[] = { "relaxed", "consume", "acquire",
	    "release", "acq_rel", "seq_cst" };
	const struct memory *m = T->memory;
	const size_t d = (size_t)((const char *)at - (const char *)m);
	const size_t slots = offsetof(struct memory, slots);
	const size_t subs = offsetof(struct memory, subs);

	if (!T->verbose)
		return;
	printf("%5u %u %s ", T->steps, T->current, what);
	if (at == NULL)
		printf("-");
	else if (d < slots)
		printf("header+%zu", d);
	else if (d < subs)
		printf("slot %zu+%zu", (d - slots) / sizeof(*m->slots),
		    (d - slots) % sizeof(*m->slots));
	else if (d < offsetof(struct memory, data))
		printf("sub %zu+%zu", (d - subs) / sizeof(*m->subs),
		    (d - subs) % sizeof(*m->subs));
	else if (d < sizeof(*m))
		printf("users+%zu", d - offsetof(struct memory, users));
	else
		printf("own");
	printf(" %s %llx\n", orders[order], (unsigned long long)v);
}

static struct ut_subbuf *
state_of(void *at)
{
	const uintptr_t d = (uintptr_t)at - (uintptr_t)T->memory->subs;

	return d < sizeof(T->memory->subs) && d % sizeof(struct ut_subbuf) ==
	    offsetof(struct ut_subbuf, state) ? (struct ut_subbuf *)at : NULL;
}

static uint64_t
weak_load(void *at, unsigned int size, int order)
{
	unsigned int n = place(at, size);
	uint64_t v;

	if (n == 0)
		return load_plain(at, size);
	step();
	v = load(n, order);
	say("load", at, order, v);
	return v;
}

static void
stored(void *at, unsigned int size, uint64_t old, uint64_t v, bool swapped)
{
	struct ut_subbuf *sub = state_of(at);

	if (sub != NULL)
		rule_state(sub, old, v, swapped);
	store_plain(at, size, v);
}

static void
weak_store(void *at, unsigned int size, uint64_t v, int order)
{
	unsigned int n = place(at, size);

	if (n == 0) {
		store_plain(at, size, v);
		return;
	}
	step();
	say("store", at, order, v);
	stored(at, size, load_plain(at, size), v, false);
	put(n, v, order, 0);
}

/* An exchange loads the latest store, and nothing comes in between. */
static uint64_t
exchange(void *at, unsigned int size, unsigned int n, uint64_t v, int order)
{
	const uint32_t view = W->last[n][W->latest.at[n] % DEPTH].view;
	const uint64_t old = got(mine(), n, W->latest.at[n], order);

	say("swap", at, order, v);
	stored(at, size, old, v, true);
	put(n, v, order, view);
	return old;
}

static uint64_t
weak_swap(void *at, unsigned int size, uint64_t v, int order)
{
	unsigned int n = place(at, size);
	uint64_t old;

	if (n != 0) {
		step();
		return exchange(at, size, n, v, order);
	}
	old = load_plain(at, size);
	store_plain(at, size, v);
	return old;
}

enum how { ADD, AND };

static uint64_t
weak_change(void *at, unsigned int size, enum how how, uint64_t v, int order)
{
	unsigned int n = place(at, size);
	uint64_t old;

	if (n != 0)
		step();
	old = load_plain(at, size);
	v = how == ADD ? old + v : old & v;
	if (size == 4)
		v = (uint32_t)v;
	if (n != 0)
		return exchange(at, size, n, v, order);
	store_plain(at, size, v);
	return old;
}

/*
 * An exchange that fails is a load, which may find an old store.  A weak one
 * may fail without a reason.
 */
static bool
weak_cas(void *at, unsigned int size, uint64_t *was, uint64_t v, int order,
    int failed, bool weak)
{
	unsigned int n = place(at, size);
	uint64_t old, seen;

	if (n != 0)
		step();
	old = load_plain(at, size);
	if (n == 0) {
		if (old == *was)
			store_plain(at, size, v);
		seen = old;
	} else if (old != *was) {
		seen = load(n, failed);
		if (seen == *was)
			seen = got(mine(), n, W->latest.at[n], failed);
	} else if (weak && random_below(64) < T->stale) {
		return false;
	} else {
		(void)exchange(at, size, n, v, order);
		return true;
	}
	if (seen == *was)
		return true;
	*was = seen;
	return false;
}

static void
weak_fence(int order)
{
	struct sight *s;

	if (T == NULL || T->current == NACTORS)
		return;
	step();
	say("fence", NULL, order, 0);
	s = mine();
	if (ACQUIRES(order) && s->any) {
		join(&s->now, &s->got);
		memset(&s->got, 0, sizeof(s->got));
		s->any = false;
	}
	if (order == SEQ_CST) {
		join(&s->now, &W->sc);
		W->sc = s->now;
	}
	if (RELEASES(order))
		s->given = view_save(&s->now);
}

static bool
grains(const void *p, size_t n, unsigned int *from, unsigned int *to)
{
	const uintptr_t d = T == NULL || T->current == NACTORS ? UINTPTR_MAX :
	    (uintptr_t)p - (uintptr_t)T->memory->data;

	if (n == 0 || d >= sizeof(T->memory->data))
		return false;
	*from = (unsigned int)(d / GRAIN);
	*to = (unsigned int)((d + n - 1) / GRAIN);
	return true;
}

/* The actor writes there. */
void
weak_write(const void *p, size_t n)
{
	struct view *now, *latest = &W->latest;
	unsigned int i, end;

	if (!grains(p, n, &i, &end))
		return;
	now = &mine()->now;
	for (; i <= end; i++) {
		if (now->at[WRITTEN + i] != latest->at[WRITTEN + i] ||
		    now->at[READ + i] != latest->at[READ + i])
			wrong("one owner: sub-buffer %u is written by who has "
			    "not seen the end of its last use", i * GRAIN /
			    SUBSIZE);
		now->at[WRITTEN + i] = ++latest->at[WRITTEN + i];
	}
}

void
weak_read(const void *p, size_t n)
{
	struct view *now, *latest = &W->latest;
	unsigned int i, end;

	if (!grains(p, n, &i, &end))
		return;
	now = &mine()->now;
	for (; i <= end; i++) {
		if (now->at[WRITTEN + i] != latest->at[WRITTEN + i])
			wrong("whole events: sub-buffer %u is read where "
			    "another may be writing", i * GRAIN / SUBSIZE);
		now->at[READ + i] = ++latest->at[READ + i];
	}
}

/*
 * The hooks.
 */
#define HOOKS(bits, type)						\
type __tsan_atomic##bits##_load(const volatile type *, int);		\
void __tsan_atomic##bits##_store(volatile type *, type, int);		\
type __tsan_atomic##bits##_exchange(volatile type *, type, int);	\
type __tsan_atomic##bits##_fetch_add(volatile type *, type, int);	\
type __tsan_atomic##bits##_fetch_and(volatile type *, type, int);	\
int __tsan_atomic##bits##_compare_exchange_strong(volatile type *,	\
    type *, type, int, int);						\
int __tsan_atomic##bits##_compare_exchange_weak(volatile type *,	\
    type *, type, int, int);						\
type									\
__tsan_atomic##bits##_load(const volatile type *at, int order)		\
{									\
	return (type)weak_load((void *)(uintptr_t)at, bits / 8, order);	\
}									\
void									\
__tsan_atomic##bits##_store(volatile type *at, type v, int order)	\
{									\
	weak_store((void *)(uintptr_t)at, bits / 8, v, order);		\
}									\
type									\
__tsan_atomic##bits##_exchange(volatile type *at, type v, int order)	\
{									\
	return (type)weak_swap((void *)(uintptr_t)at, bits / 8, v, order); \
}									\
type									\
__tsan_atomic##bits##_fetch_add(volatile type *at, type v, int order)	\
{									\
	return (type)weak_change((void *)(uintptr_t)at, bits / 8, ADD, v, \
	    order);							\
}									\
type									\
__tsan_atomic##bits##_fetch_and(volatile type *at, type v, int order)	\
{									\
	return (type)weak_change((void *)(uintptr_t)at, bits / 8, AND, v, \
	    order);							\
}									\
static int								\
cas##bits(volatile type *at, type *was, type v, int order, int failed,	\
    bool weak)								\
{									\
	uint64_t seen = *was;						\
	const bool ok = weak_cas((void *)(uintptr_t)at, bits / 8, &seen, v, \
	    order, failed, weak);					\
									\
	*was = (type)seen;						\
	return ok;							\
}									\
int									\
__tsan_atomic##bits##_compare_exchange_strong(volatile type *at,	\
    type *was, type v, int order, int failed)				\
{									\
	return cas##bits(at, was, v, order, failed, false);		\
}									\
int									\
__tsan_atomic##bits##_compare_exchange_weak(volatile type *at,		\
    type *was, type v, int order, int failed)				\
{									\
	return cas##bits(at, was, v, order, failed, true);		\
}

HOOKS(8, uint8_t)
HOOKS(16, uint16_t)
HOOKS(32, uint32_t)
HOOKS(64, uint64_t)

#define PLAIN(name, bytes)						\
void __tsan_##name##read##bytes(void *);				\
void __tsan_##name##write##bytes(void *);				\
void									\
__tsan_##name##read##bytes(void *p)					\
{									\
	weak_read(p, bytes);						\
}									\
void									\
__tsan_##name##write##bytes(void *p)					\
{									\
	weak_write(p, bytes);						\
}

PLAIN(, 1)
PLAIN(, 2)
PLAIN(, 4)
PLAIN(, 8)
PLAIN(, 16)
PLAIN(unaligned_, 2)
PLAIN(unaligned_, 4)
PLAIN(unaligned_, 8)
PLAIN(unaligned_, 16)

void	 __tsan_init(void);
void	 __tsan_read_range(void *, size_t);
void	 __tsan_write_range(void *, size_t);
void	 __tsan_func_entry(void *);
void	 __tsan_func_exit(void);
void	 __tsan_vptr_update(void **, void *);
void	 __tsan_atomic_thread_fence(int);
void	 __tsan_atomic_signal_fence(int);

void
__tsan_init(void)
{
}

void
__tsan_read_range(void *p, size_t n)
{
	weak_read(p, n);
}

void
__tsan_write_range(void *p, size_t n)
{
	weak_write(p, n);
}

void
__tsan_func_entry(void *p)
{
	(void)p;
}

void
__tsan_func_exit(void)
{
}

void
__tsan_atomic_thread_fence(int order)
{
	weak_fence(order);
}

/* The compiler alone. */
void
__tsan_atomic_signal_fence(int order)
{
	(void)order;
}
