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
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define EVENTS_MAX	131072		/* of one program */
#define TABLE_MAX	(64u << 20)	/* bytes of descriptions */
#define KEPT_MAX	32		/* tables that no program has */
#define KEPT_BYTES	(16u << 20)	/* of them all */

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
weight(const struct event *e)
{
	return e == NULL ? 0 : sizeof(*e) + strlen(e->name) + e->len;
}

/*
 * The event of that number is e now, a reference that we take.  False and
 * ENOMEM if there is no room, or no event.
 */
static bool
set(struct table *t, uint32_t number, struct event *e)
{
	struct event **at = &t->events[number];

	if (e == NULL || !table_grow(t, weight(e) - weight(*at))) {
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
		    !set(t, i, event_ref(older->events[i])))
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
		    !set(t, m->h.a + i, event_get(name, level, NULL)))
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
	return set(t, number, event_get(e->name, e->level, fields));
}
