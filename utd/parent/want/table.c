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
 * Tables: the events that a program has, by the numbers that it gave them.
 * Programs of one UID whose events have the same fingerprint share a table,
 * so that what one has told need not be told by the next, and some are kept
 * when their last program has ended.  A program that lies about its
 * fingerprint spoils the traces of its own UID only.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define EVENTS_MAX	131072		/* events of one program */
#define TABLE_MAX	(64u << 20)	/* bytes of descriptions */
#define KEPT_MAX	32		/* tables that no program has */
#define KEPT_BYTES	(16u << 20)	/* bytes of all these tables */

static struct table *tables;		/* the one used last is the first */
static uint64_t last_serial;

static void
table_free(struct table *t)
{
	uint32_t i;

	for (i = 0; i < t->size; i++)
		event_unref(t->events[i]);
	free(t->events);
	user_give(t->user, QUOTA_TABLES, t->bytes);
	user_drop(t->user);
	free(t);
}

/* Charge n more bytes to the user; false if that is too much. */
static bool
table_grow(struct table *t, size_t n)
{
	if (!user_may(t->user, QUOTA_TABLES, n))
		return false;
	user_count(t->user, QUOTA_TABLES, n);
	t->bytes += n;
	return true;
}

static size_t
event_weight(const struct event *e)
{
	return e == NULL ? 0 : sizeof(*e) + strlen(e->name) + e->len;
}

/*
 * The event of that number is e now, a reference that we take.  False and
 * ENOMEM if there is no room, or no event.
 */
static bool
table_set(struct table *t, uint32_t number, struct event *e)
{
	struct event **at = &t->events[number];

	if (e == NULL || !table_grow(t, event_weight(e) - event_weight(*at))) {
		event_unref(e);
		errno = ENOMEM;
		return false;
	}
	event_unref(*at);
	*at = e;
	while (t->known < t->size && t->events[t->known] != NULL)
		t->known++;
	return true;
}

/* The program has more events now: copy what the older table knew. */
static bool
take_over(struct table *t, const struct table *older)
{
	uint32_t i;

	for (i = 0; i < older->known && i < t->size; i++)
		if ((t->events[i] == NULL ||
		    t->events[i]->state == EVENT_NAMED) &&
		    !table_set(t, i, event_ref(older->events[i])))
			return false;
	return true;
}

static struct table *
table_new(uid_t uid, uint64_t fingerprint, uint32_t size)
{
	const size_t bytes = size * sizeof(struct event *);
	struct table *t = calloc(1, sizeof(*t));
	struct user *u = user_get(uid);

	if (t == NULL || !user_may(u, QUOTA_TABLES, bytes) ||
	    (t->events = calloc(size + 1, sizeof(*t->events))) == NULL) {
		user_drop(u);
		free(t);
		errno = ENOMEM;
		return NULL;
	}
	t->user = u;
	t->fingerprint = fingerprint;
	t->serial = ++last_serial;
	t->size = size;
	(void)table_grow(t, bytes);
	return t;
}

/* A reference to the table; NULL if a program cannot have so many events. */
struct table *
table_get(uid_t uid, uint64_t fingerprint, uint32_t size,
    const struct table *older)
{
	struct table **p, *t;

	if (size > EVENTS_MAX)
		return NULL;
	for (p = &tables; (t = *p) != NULL; p = &t->next)
		if (t->user->uid == uid && t->fingerprint == fingerprint &&
		    t->size == size)
			break;
	if (t != NULL)
		*p = t->next;
	else if ((t = table_new(uid, fingerprint, size)) == NULL)
		return NULL;
	t->next = tables;
	tables = t;
	t->refs++;
	if (older == NULL || take_over(t, older))
		return t;
	table_drop(t);
	errno = ENOMEM;
	return NULL;
}

/* One program less.  Of the tables without a program, the oldest are freed. */
void
table_drop(struct table *drop)
{
	struct table **p = &tables, *t;
	unsigned int kept = 0;
	size_t bytes = 0;

	if (drop == NULL || --drop->refs > 0)
		return;
	while ((t = *p) != NULL) {
		if (t->refs == 0) {
			kept++;
			bytes += t->bytes;
		}
		if (t->refs == 0 && (kept > KEPT_MAX || bytes > KEPT_BYTES)) {
			kept--;
			bytes -= t->bytes;
			*p = t->next;
			table_free(t);
			continue;
		}
		p = &t->next;
	}
}

/* NAMES: false if the message is invalid, or with ENOMEM. */
bool
table_names(struct table *t, struct ut_msg *m)
{
	static char name[UT_MSG_MAX];
	uint32_t i, level;

	if (m->h.a > t->size || m->h.b > t->size - m->h.a)
		return false;
	for (i = 0; i < m->h.b; i++) {
		ut_msg_get_str(m, name, sizeof(name));
		level = ut_msg_get_u32(m);
		if (m->bad)
			return false;
		name[NAME_MAXLEN] = '\0';	/* too long as it is */
		if (t->events[m->h.a + i] == NULL &&
		    !table_set(t, m->h.a + i, event_get(name, level, NULL)))
			return false;
	}
	return true;
}

/*
 * One event of EVENTS: false if there is no such event, or with ENOMEM.  An
 * event without fields is that of a library that was unloaded.
 */
bool
table_event(struct table *t, uint32_t number, struct ut_msg *fields)
{
	const struct event *e;

	if (number >= t->known)
		return false;
	e = t->events[number];
	if (e->state != EVENT_NAMED || !ut_msg_more(fields))
		return true;
	if (t->bytes >= TABLE_MAX ||
	    !user_may(t->user, QUOTA_TABLES, UT_MSG_MAX))
		fields->bad = true;	/* too much: refused */
	return table_set(t, number, event_get(e->name, e->level, fields));
}

/*
 * A registry: the events of one channel, UID and ABI, and their IDs, which
 * begin at 1 and are never used again.
 */

#define BYTES_MAX	(64u << 20)	/* bytes of descriptions */

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

/* The slot of the event, which is empty if there is no such event. */
static uint16_t *
registry_slot(const struct registry *r, const struct event *e)
{
	uint32_t h = e->hash;

	while (r->slots[h %= r->nslots] != 0 &&
	    r->entries[r->slots[h]].event != e)
		h++;
	return &r->slots[h];
}

/* Make room for twice as many events: half of the slots stay empty. */
static void
registry_grow(struct registry *r)
{
	const uint32_t n = r->nslots == 0 ? 128 : r->nslots * 2;
	uint32_t id;

	r->entries = xrealloc(r->entries, (n / 2 + 1) * sizeof(*r->entries));
	free(r->slots);
	r->slots = xcalloc(n, sizeof(*r->slots));
	r->nslots = n;
	for (id = 1; id <= r->last; id++)
		*registry_slot(r, r->entries[id].event) = (uint16_t)id;
}

uint32_t
registry_get(struct registry *r, struct event *e, const char *program,
    uint32_t rule, char *why, size_t n)
{
	const size_t size = sizeof(struct entry) + e->len;
	struct entry *entry;
	uint16_t *id;

	if (r->last * 2 == r->nslots)
		registry_grow(r);
	id = registry_slot(r, e);
	if (*id != 0) {
		entry = &r->entries[*id];
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
	return *id;
}
