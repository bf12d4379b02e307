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
 * Tables of what has a number: see map.h.
 */

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/hash.h"
#include "map.h"
#include "say.h"

uint64_t map_key[2];

/* Makers of traces know neither the time nor where our stack will be. */
void
map_seed(void)
{
	struct timespec real, up;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &up);
	map_key[0] = (uint64_t)real.tv_nsec << 32 ^ (uint64_t)real.tv_sec ^
	    (uint64_t)getpid() << 12;
	map_key[1] = (uint64_t)up.tv_nsec << 32 ^ (uintptr_t)&real;
}

uint64_t
map_bytes(uint64_t before, const void *bytes, size_t n)
{
	return hash_keyed(map_key, before, bytes, n);
}

static struct map_entry *
place(const struct map *m, uint64_t key)
{
	size_t i = map_hash(key) & (m->cap - 1);

	while (m->v[i].value != NULL && m->v[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->v[i];
}

void *
map_get(const struct map *m, uint64_t key)
{
	return m->cap == 0 ? NULL : place(m, key)->value;
}

static void
grow(struct map *m)
{
	const struct map old = *m;
	size_t i;

	m->cap = old.cap == 0 ? 16 : 2 * old.cap;
	if ((m->v = calloc(m->cap, sizeof(*m->v))) == NULL)
		die_errno("malloc");
	for (i = 0; i < old.cap; i++)
		if (old.v[i].value != NULL)
			*place(m, old.v[i].key) = old.v[i];
	free(old.v);
}

void
map_put(struct map *m, uint64_t key, void *value)
{
	struct map_entry *e;

	if (2 * m->n >= m->cap)
		grow(m);
	e = place(m, key);
	if (e->value == NULL)
		m->n++;
	e->key = key;
	e->value = value;
}

void **
map_sorted(const struct map *m, int (*order)(const void *, const void *))
{
	void **all;
	size_t i, n = 0;

	if ((all = calloc(m->n + 1, sizeof(*all))) == NULL)
		die_errno("malloc");
	for (i = 0; i < m->cap; i++)
		if (m->v[i].value != NULL)
			all[n++] = m->v[i].value;
	if (n > 1)
		qsort(all, n, sizeof(*all), order);
	return all;
}

void
map_free(struct map *m)
{
	free(m->v);
	m->v = NULL;
	m->n = m->cap = 0;
}

void
map_release(struct map *m)
{
	size_t i;

	for (i = 0; i < m->cap; i++)
		free(m->v[i].value);
	map_free(m);
}
