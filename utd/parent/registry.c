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
 * A registry: the events of one channel, UID and ABI, and their IDs, which
 * begin at 1 and are never used again.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define BYTES_MAX	(64u << 20)	/* of descriptions */

void
registry_init(struct registry *r, struct user *u)
{
	memset(r, 0, sizeof(*r));
	r->user = u;
	r->last = &r->first;
}

void
registry_free(struct registry *r)
{
	struct entry *e;

	while ((e = r->first) != NULL) {
		r->first = e->after;
		desc_unref(e->desc);
		free(e);
	}
	free(r->buckets);
	user_give(r->user, QUOTA_EVENTS, r->taken);
	memset(r, 0, sizeof(*r));
}

static uint32_t
hash_name(const char *s)
{
	return hash_bytes(0, s, strlen(s));
}

/* As many buckets as entries, or more. */
static void
grow(struct registry *r)
{
	struct entry *e;
	uint32_t n = r->nbuckets == 0 ? 64 : r->nbuckets * 4, h;

	free(r->buckets);
	r->buckets = xcalloc(n, sizeof(*r->buckets));
	r->nbuckets = n;
	for (e = r->first; e != NULL; e = e->after) {
		h = hash_name(e->desc->name) % n;
		e->next = r->buckets[h];
		r->buckets[h] = e;
	}
}

/* The one name that comes in every level: UT_LOG. */
static bool
same_event(const struct desc *a, const struct desc *b)
{
	return strcmp(a->name, b->name) == 0 && (a->level == b->level ||
	    strcmp(a->name, "ut:log") != 0);
}

static struct entry *
find(const struct registry *r, const struct desc *d)
{
	struct entry *e;

	if (r->nbuckets == 0)
		return NULL;
	e = r->buckets[hash_name(d->name) % r->nbuckets];
	while (e != NULL && !same_event(e->desc, d))
		e = e->next;
	return e;
}

static void
conflict(const struct entry *e, const struct desc *d, const char *program,
    char *why, size_t n)
{
	if (!desc_same_fields(e->desc, d))
		snprintf(why, n, "event %s of %s has other fields than that "
		    "of %s: not recorded", d->name, program, e->program);
	else
		snprintf(why, n, "event %s of %s has level %s, that of %s "
		    "has %s: not recorded", d->name, program,
		    level_name(d->level), e->program,
		    level_name(e->desc->level));
}

struct entry *
registry_get(struct registry *r, struct desc *d, const char *program,
    uint32_t rule, bool *isnew, char *why, size_t n)
{
	const size_t size = sizeof(struct entry) + d->len;
	struct entry *e;
	uint32_t h;

	*isnew = false;
	if ((e = find(r, d)) != NULL) {
		if (e->desc == d) {
			if (e->rule < rule)
				e->rule = rule;
			return e;
		}
		conflict(e, d, program, why, n);
		errno = EEXIST;
		return NULL;
	}
	if (r->nentries == UT_ID_MAX || r->bytes > BYTES_MAX) {
		snprintf(why, n, "event %s of %s: there are %u events "
		    "already: not recorded", d->name, program, r->nentries);
		errno = ENOSPC;
		return NULL;
	}
	if (!user_take(r->user, QUOTA_EVENTS, size)) {
		snprintf(why, n, "no memory for more events of uid %lu: not "
		    "recorded", (unsigned long)r->user->uid);
		errno = ENOMEM;
		return NULL;
	}
	r->taken += size;
	if (r->nentries >= r->nbuckets)
		grow(r);
	e = xcalloc(1, sizeof(*e));
	e->desc = desc_ref(d);
	r->bytes += d->len;
	e->id = ++r->nentries;
	e->rule = rule;
	snprintf(e->program, sizeof(e->program), "%s", program);
	h = hash_name(d->name) % r->nbuckets;
	e->next = r->buckets[h];
	r->buckets[h] = e;
	*r->last = e;
	r->last = &e->after;
	*isnew = true;
	return e;
}
