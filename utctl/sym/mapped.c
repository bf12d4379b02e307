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
 * What processes have mapped, as their events tell: see mapped.h.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "mapped.h"

#define PROCESSES	4096		/* the others are forgotten */
#define MODULES		(1u << 18)	/* of all of them */
#define NHASH		1024

struct process {
	struct process	*next;
	uint64_t	 key;		/* ctf_process() */
	struct mapping	*modules;	/* in the order of addresses */
	size_t		 n, room;
	uint64_t	 serial;	/* another one after each change */
	uint64_t	 used;		/* when it was last */
};

static struct process	*processes[NHASH];
static size_t		 nprocesses, nmodules;
static uint64_t		 serials, uses;

/* The process of the last event that was asked for. */
static struct process	*last;

/*
 * Processes.
 */

static struct process **
list_of(uint64_t key)
{
	return &processes[(key * 11400714819323198485u >> 32) % NHASH];
}

static struct process *
find(uint64_t key)
{
	struct process *p = last;

	if (p != NULL && p->key == key)
		return p;
	for (p = *list_of(key); p != NULL && p->key != key; p = p->next)
		;
	if (p != NULL) {
		p->used = ++uses;
		last = p;
	}
	return p;
}

static void
forget(struct process *p)
{
	nmodules -= p->n;
	p->n = 0;
	p->serial = ++serials;
}

/* The one that was not asked for since the longest time. */
static void
oldest_free(void)
{
	struct process **pp, **oldest = NULL, *p;
	size_t i;

	for (i = 0; i < NHASH; i++)
		for (pp = &processes[i]; *pp != NULL; pp = &(*pp)->next)
			if (oldest == NULL || (*pp)->used < (*oldest)->used)
				oldest = pp;
	if (oldest == NULL)
		return;
	last = NULL;
	p = *oldest;
	*oldest = p->next;
	forget(p);
	nprocesses--;
	free(p->modules);
	free(p);
}

static struct process *
get(const struct ctf_stream *s, const struct ctf_who *who)
{
	const uint64_t key = ctf_process(s->trace, who);
	struct process *p = find(key), **list;

	if (p != NULL)
		return p;
	if (nprocesses == PROCESSES)
		oldest_free();
	if ((p = calloc(1, sizeof(*p))) == NULL)
		die_errno("malloc");
	p->key = key;
	p->serial = ++serials;
	p->used = ++uses;
	list = list_of(key);
	p->next = *list;
	*list = p;
	nprocesses++;
	return p;
}

/*
 * Modules.
 */

/* The first one that ends behind the address. */
static size_t
module_place(const struct process *p, uint64_t addr)
{
	size_t lo = 0, hi = p->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (addr >= p->modules[mid].start &&
		    addr - p->modules[mid].start >= p->modules[mid].size)
			lo = mid + 1;
		else if (addr < p->modules[mid].start)
			hi = mid;
		else
			return mid;
	}
	return lo;
}

static void
remove_span(struct process *p, uint64_t start, uint64_t size)
{
	const size_t from = module_place(p, start);
	size_t to = from;

	while (to < p->n && (p->modules[to].start < start ||
	    p->modules[to].start - start < size))
		to++;
	if (to == from)
		return;
	memmove(&p->modules[from], &p->modules[to],
	    (p->n - to) * sizeof(*p->modules));
	p->n -= to - from;
	nmodules -= to - from;
	p->serial = ++serials;
}

static int
is_known(const struct process *p, const struct mapping *m)
{
	const size_t i = module_place(p, m->start);

	return i < p->n && p->modules[i].start == m->start &&
	    p->modules[i].size == m->size && p->modules[i].base == m->base &&
	    p->modules[i].image == m->image;
}

/*
 * A process that has executed another program, or another process with the
 * same ID, has other modules in the place of old ones, or old ones in other
 * places.
 */
static int
is_another(const struct process *p, const struct mapping *m)
{
	size_t i = module_place(p, m->start);

	if (i < p->n && (p->modules[i].start <= m->start ||
	    p->modules[i].start - m->start < m->size))
		return 1;
	for (i = 0; i < p->n; i++)
		if (p->modules[i].image == m->image)
			return 1;
	return 0;
}

static void
module_add(struct process *p, const struct mapping *m)
{
	struct mapping *v;
	size_t i;

	if (p->n == p->room) {
		p->room = p->room == 0 ? 8 : 2 * p->room;
		v = realloc(p->modules, p->room * sizeof(*v));
		if (v == NULL)
			die_errno("malloc");
		p->modules = v;
	}
	i = module_place(p, m->start);
	memmove(&p->modules[i + 1], &p->modules[i],
	    (p->n - i) * sizeof(*p->modules));
	p->modules[i] = *m;
	p->n++;
	nmodules++;
	p->serial = ++serials;
}

void
mapped_add(const struct ctf_stream *s, const struct ctf_who *who,
    const struct mapping *m)
{
	struct process *p = get(s, who);

	if (is_known(p, m))
		return;
	if (is_another(p, m))
		forget(p);
	if (nmodules < MODULES)
		module_add(p, m);
	else
		forget(p);
}

void
mapped_gone(const struct ctf_stream *s, const struct ctf_who *who,
    uint64_t start, uint64_t size)
{
	struct process *p = find(ctf_process(s->trace, who));

	if (p != NULL)
		remove_span(p, start, size);
}

const struct mapping *
mapped_find(const struct process *p, uint64_t addr)
{
	const size_t i = module_place(p, addr);

	return i < p->n && p->modules[i].start <= addr ? &p->modules[i] : NULL;
}

const struct process *
mapped_process(const struct ctf_stream *s, const struct ctf_who *who)
{
	return nprocesses == 0 ? NULL : find(ctf_process(s->trace, who));
}

uint64_t
mapped_serial(const struct process *p)
{
	return p->serial;
}

void
mapped_free(void)
{
	while (nprocesses > 0)
		oldest_free();
}
