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
registry_free(struct registry *r)
{
	for (; r->last > 0; r->last--)
		event_unref(r->entries[r->last].event);
	free(r->entries);
	free(r->slots);
	user_give(r->user, QUOTA_EVENTS, r->taken);
	memset(r, 0, sizeof(*r));
}

/* The one name that comes in every level: UT_LOG. */
static bool
same_event(const struct event *a, const struct event *b)
{
	return strcmp(a->name, b->name) == 0 && (a->level == b->level ||
	    strcmp(a->name, "ut:log") != 0);
}

/* The slot of the event, which is empty if there is no such event. */
static uint16_t *
slot(const struct registry *r, const struct event *e)
{
	uint32_t h = hash_bytes(0, e->name, strlen(e->name));

	while (r->slots[h %= r->nslots] != 0 &&
	    !same_event(r->entries[r->slots[h]].event, e))
		h++;
	return &r->slots[h];
}

/* Make room for twice as many events: half of the slots stay empty. */
static void
grow(struct registry *r)
{
	const uint32_t n = r->nslots == 0 ? 128 : r->nslots * 2;
	uint32_t id;

	r->entries = xrealloc(r->entries, (n / 2 + 1) * sizeof(*r->entries));
	free(r->slots);
	r->slots = xcalloc(n, sizeof(*r->slots));
	r->nslots = n;
	for (id = 1; id <= r->last; id++)
		*slot(r, r->entries[id].event) = (uint16_t)id;
}

static void
conflict(const struct entry *had, const struct event *e, const char *program,
    char *why, size_t n)
{
	if (!event_same_fields(had->event, e))
		snprintf(why, n, "event %s of %s has other fields than that "
		    "of %s: not recorded", e->name, program, had->program);
	else
		snprintf(why, n, "event %s of %s has level %s, that of %s "
		    "has %s: not recorded", e->name, program,
		    level_name(e->level), had->program,
		    level_name(had->event->level));
}

uint32_t
registry_get(struct registry *r, struct event *e, const char *program,
    uint32_t rule, char *why, size_t n)
{
	const size_t size = sizeof(struct entry) + e->len;
	struct entry *entry;
	uint16_t *id;

	if (r->last * 2 == r->nslots)
		grow(r);
	id = slot(r, e);
	entry = &r->entries[*id];
	if (*id != 0 && entry->event != e) {
		conflict(entry, e, program, why, n);
		errno = EEXIST;
		return 0;
	}
	if (*id != 0) {
		if (entry->rule < rule)
			entry->rule = rule;
		return *id;
	}
	if (r->last == UT_ID_MAX || r->bytes > BYTES_MAX) {
		snprintf(why, n, "event %s of %s: there are %u events "
		    "already: not recorded", e->name, program, r->last);
		errno = ENOSPC;
		return 0;
	}
	if (!user_take(r->user, QUOTA_EVENTS, size)) {
		snprintf(why, n, "no memory for more events of uid %lu: not "
		    "recorded", (unsigned long)r->user->uid);
		errno = ENOMEM;
		return 0;
	}
	r->taken += size;
	r->bytes += e->len;
	*id = (uint16_t)++r->last;
	entry = &r->entries[*id];
	entry->event = event_ref(e);
	entry->rule = rule;
	snprintf(entry->program, sizeof(entry->program), "%s", program);
	return *id;
}
