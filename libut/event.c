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
 * The events of the program.  Every module has a struct ut_event for each;
 * those of the same name and description are twins and share a struct type,
 * which utd knows by its number.
 */

#include <errno.h>
#include <string.h>

#include "common/hash.h"
#include "ut_code.h"
#include "ut_event.h"
#include "ut_prefix.h"

#define BUCKETS		1024
#define PER_CHUNK	256
#define NCHUNKS		512

#define NAME_MAX_SENT	4096
#define FIELDS_MAX_SENT	(UT_MSG_MAX - 64)


/*
 * A type outlives the modules that it came from.  If a module is loaded again,
 * its events are mapped as before.
 */
struct type {
	char		*name;
	uint64_t	 hash;		/* covers name, level and fields */
	struct ut_event	*events;	/* twins; NULL: all unloaded */
	struct type	*next;		/* in the bucket, by name */
	uint32_t	 number;
	uint32_t	 level;
	bool		 missed;	/* asked about while unloaded */
	uint16_t	 id[UT_REGIONS];
	struct filters	*filters;	/* NULL: there was never one */
};

/* Programs know these, of whatever version of ut.h. */
_Static_assert(sizeof(struct ut_event) == 128, "ut_event");
_Static_assert(sizeof(struct ut_record) <= 64, "ut_record");

static struct type *chunks[NCHUNKS];
static struct type *buckets[BUCKETS];
static struct ut_event *references[BUCKETS];	/* by name */
static uint32_t ntypes;
static uint64_t fingerprint = FNV_INIT;	/* all types, in order */

static uint64_t
hash_str(uint64_t h, const char *s)
{
	return hash_fnv(h, s, strlen(s) + 1);
}

static uint64_t
hash_event(const struct ut_event *e)
{
	const struct ut_field *f;
	const struct ut_value *v;
	uint64_t h = FNV_INIT;
	size_t i;

	h = hash_str(h, e->name);
	h = hash_fnv(h, &e->level, sizeof(e->level));
	for (f = e->fields; f->name != NULL; f++) {
		h = hash_str(h, f->name);
		h = hash_fnv(h, &f->count, sizeof(f->count));
		h = hash_fnv(h, &f->kind, sizeof(f->kind));
		h = hash_fnv(h, &f->size, sizeof(f->size));
		h = hash_fnv(h, &f->flags, sizeof(f->flags));
		if (f->enumeration == NULL)
			continue;
		h = hash_str(h, f->enumeration->name);
		for (i = 0; i < f->enumeration->nvalues; i++) {
			v = &f->enumeration->values[i];
			h = hash_str(h, v->name);
			h = hash_fnv(h, &v->low, sizeof(v->low));
			h = hash_fnv(h, &v->high, sizeof(v->high));
		}
	}
	return h;
}

static uint32_t
bucket_of(const char *name)
{
	return (uint32_t)(hash_str(FNV_INIT, name) % BUCKETS);
}

static struct type *
type_new(const struct ut_event *e, uint64_t hash)
{
	const uint32_t b = bucket_of(e->name);
	struct type *t, **chunk;
	size_t len = strlen(e->name) + 1;

	if (ntypes == NCHUNKS * PER_CHUNK)
		return NULL;
	chunk = &chunks[ntypes / PER_CHUNK];
	if (*chunk == NULL &&
	    (*chunk = ut_arena(PER_CHUNK * sizeof(**chunk))) == NULL)
		return NULL;
	t = *chunk + ntypes % PER_CHUNK;
	if ((t->name = ut_arena(len)) == NULL)
		return NULL;
	memcpy(t->name, e->name, len);
	t->level = (uint32_t)e->level;
	t->hash = hash;
	fingerprint = hash_fnv(fingerprint, &hash, sizeof(hash));
	t->number = ntypes++;
	t->next = buckets[b];
	buckets[b] = t;
	return t;
}

static struct type *
type_find(const struct ut_event *e)
{
	const uint64_t hash = hash_event(e);
	struct type *t;

	for (t = buckets[bucket_of(e->name)]; t != NULL; t = t->next)
		if (t->hash == hash && strcmp(t->name, e->name) == 0)
			return t;
	return type_new(e, hash);
}

static struct type *
type_at(uint32_t i)
{
	return i < ntypes ? chunks[i / PER_CHUNK] + i % PER_CHUNK : NULL;
}

static uint32_t
on_word(const struct ut_event *e, uint32_t mask)
{
	const struct filters *f = e->filters;
	uint32_t how = 0;
	int i;

	if (mask == 0)
		return 0;
	if ((mask & ut_prefixed) != 0)
		return ut_wants_caller(e, mask) ? ON_CALLER : ON_CONTEXTS;
	if ((mask & (mask - 1)) != 0)
		return ON_SEVERAL;
	i = __builtin_ctz(mask);
	if (f != NULL && (f->mask & mask) != 0)
		how = ON_FILTER;
	else if (ut_regions[i].clock == UT_CLOCK_CYCLES)
		how = ON_CYCLES;
	return ON_WORD((uint32_t)i, e->id[i], how);
}

/* Several events may share a semaphore; a weak one may be missing. */
static void
semaphore_count(const struct ut_event *e, bool was, bool is)
{
	unsigned short *semaphore = (unsigned short *)(uintptr_t)e->record;

	if ((e->caller & UT_SEMAPHORE) != 0 && semaphore != NULL && was != is)
		__atomic_store_n(semaphore, (unsigned short)(*semaphore +
		    (is ? 1 : -1)), __ATOMIC_RELAXED);
}

/*
 * Filter and ID first, then the bit that says so, then the word: record.c reads
 * them the other way.  Release: who sees one of these sees the region behind
 * it, and that no writer has room left from the one before.
 */
static void
event_set(struct ut_event *e, unsigned int i, uint16_t id)
{
	const uint32_t mask = id != 0 ? e->mask | 1u << i :
	    e->mask & ~(1u << i);
	const bool was = e->on != 0;
	const struct type *t = e->type;

	__atomic_store_n(&e->filters, t->filters, __ATOMIC_RELEASE);
	__atomic_store_n(&e->id[i], id, __ATOMIC_RELAXED);
	__atomic_store_n(&e->mask, mask, __ATOMIC_RELEASE);
	__atomic_store_n(&e->on, on_word(e, mask), __ATOMIC_RELEASE);
	semaphore_count(e, was, mask != 0);
}

/* A copy of the event for some of the regions; false if none listens. */
bool
ut_event_narrow(const struct ut_event *e, uint32_t regions,
    struct ut_event *copy)
{
	memcpy(copy, e, sizeof(*copy));
	copy->mask &= regions;
	copy->on = on_word(copy, copy->mask);
	return copy->on != 0;
}

/* The event and its references have that ID in the region i, or 0. */
static void
type_set(const struct type *t, unsigned int i, uint16_t id)
{
	struct ut_event *e;

	for (e = t->events; e != NULL; e = e->twin)
		event_set(e, i, id);
	for (e = references[bucket_of(t->name)]; e != NULL; e = e->twin)
		if (e->type == t)
			event_set(e, i, id);
}

static void
event_join(struct ut_event *e, struct type *t)
{
	unsigned int i;

	e->type = t;
	e->mask = 0;			/* older programs know of neither */
	e->filters = NULL;
	for (i = 0; i < UT_REGIONS; i++)
		if (t->id[i] != 0)
			event_set(e, i, t->id[i]);
}

static void
event_leave(struct ut_event *e)
{
	unsigned int i;

	for (i = 0; e->type != NULL && i < UT_REGIONS; i++)
		event_set(e, i, 0);
	e->type = NULL;
}

/*
 * An event without fields is a reference: it listens as the event of its name
 * does, in whatever module, and has its function.  That event may come later,
 * or never, and go.
 *
 * A caller loads `on', then `record', which is a function or NULL, in whatever
 * order it sees the two stored.  The function has to stay until it returns: so
 * ut_lttng(3) forbids to unload a provider whose events a thread may be in.
 */
static void
reference_bind(struct ut_event *r)
{
	struct type *t = buckets[bucket_of(r->name)];
	const struct ut_event *e;
	void (*record)(void) = NULL;

	while (t != NULL &&
	    (t->events == NULL || strcmp(t->name, r->name) != 0))
		t = t->next;
	if (r->type != t)
		event_leave(r);
	for (e = t != NULL ? t->events : NULL; e != NULL; e = e->twin)
		if (e->record != NULL && (e->caller & UT_SEMAPHORE) == 0)
			record = e->record;
	__atomic_store_n(&r->record, record, __ATOMIC_RELEASE);
	if (r->type != t)
		event_join(r, t);
}

/* References that have the type t, or of that name have none, look again. */
static void
references_bind(const char *name, const struct type *t)
{
	struct ut_event *r;

	for (r = references[bucket_of(name)]; r != NULL; r = r->twin)
		if (r->type == t && strcmp(r->name, name) == 0)
			reference_bind(r);
}

/* Add an event; true if utd has to be told. */
bool
ut_event_add(struct ut_event *e)
{
	struct ut_event **list;
	struct type *t = NULL;
	const uint32_t n = ntypes;
	bool news;

	if (e->fields != NULL && (t = type_find(e)) == NULL)
		return false;
	list = t != NULL ? &t->events : &references[bucket_of(e->name)];
	e->type = NULL;
	e->twin = *list;
	*list = e;
	if (t == NULL) {
		reference_bind(e);
		return false;
	}
	news = ntypes > n || t->missed;
	t->missed = false;
	event_join(e, t);
	references_bind(e->name, NULL);
	return news;
}

void
ut_event_remove(struct ut_event *e)
{
	struct type *t = e->type;
	struct ut_event **p = &references[bucket_of(e->name)];

	if (e->fields != NULL) {
		if (t == NULL)
			return;
		p = &t->events;
	}
	while (*p != NULL && *p != e)
		p = &(*p)->twin;
	if (*p != NULL)
		*p = e->twin;
	event_leave(e);
	if (e->fields != NULL)
		references_bind(e->name, t);
}

/* The region i wants no event any more. */
void
ut_events_forget(unsigned int i)
{
	struct type *t;
	uint32_t n;

	for (n = 0; n < ntypes; n++) {
		t = type_at(n);
		if (t->id[i] == 0)
			continue;
		t->id[i] = 0;
		type_set(t, i, 0);
	}
}

/* The event has that ID in the region i, or 0, and that filter, or NULL. */
int
ut_event_map(uint32_t number, unsigned int i, uint32_t id, struct filter *f)
{
	struct type *t = type_at(number);
	int error;

	if (t == NULL || id > UT_ID_MAX) {
		ut_filter_free(f);
		return EINVAL;
	}
	if ((error = ut_filter_set(&t->filters, i, id, f)) != 0)
		return error;
	t->id[i] = (uint16_t)id;
	type_set(t, i, (uint16_t)id);
	return 0;
}

/* No event is under way that knows of the region i: free its filters. */
void
ut_events_drop(unsigned int i)
{
	uint32_t n;

	for (n = 0; n < ntypes; n++)
		ut_filter_drop(type_at(n)->filters, i);
}

/*
 * UT_AUTO becomes the value behind the one before.  Behind the greatest there
 * is none: that UT_AUTO stays as it is, and utd refuses it.
 */
static void
put_enum(struct ut_msg *m, const struct ut_field *f)
{
	const struct ut_enum *en = f->enumeration;
	const uint64_t least = f->flags & UT_F_SIGNED ? UINT64_C(1) << 63 : 0;
	uint64_t low, high, next = 0;
	size_t i;

	ut_msg_str(m, en->name);
	ut_msg_u32(m, (uint32_t)en->nvalues);
	for (i = 0; i < en->nvalues; i++) {
		low = (uint64_t)en->values[i].low;
		high = (uint64_t)en->values[i].high;
		if (low == 1 && high == 0 && (i == 0 || next != least))
			low = high = next;
		next = high + 1;
		ut_msg_str(m, en->values[i].name);
		ut_msg_u8(m, low != high);
		ut_msg_u64(m, low);
		if (low != high)
			ut_msg_u64(m, high);
	}
}

static void
put_fields(struct ut_msg *m, const struct ut_event *e)
{
	const struct ut_field *f;
	uint32_t n = 0;

	for (f = e->fields; f->name != NULL; f++)
		n++;
	ut_msg_u32(m, n);
	for (f = e->fields; f->name != NULL; f++) {
		ut_msg_str(m, f->name);
		ut_msg_u8(m, f->kind);
		ut_msg_u8(m, f->size);
		ut_msg_u8(m, f->flags);
		ut_msg_u32(m, f->count);
		if (f->kind == UT_KIND_ENUM)
			put_enum(m, f);
	}
}

/* Put the fingerprint of all events, and their number. */
void
ut_events_summary(struct ut_msg *m)
{
	ut_msg_u64(m, fingerprint);
	ut_msg_u32(m, ntypes);
}

static bool
put_name(struct ut_msg *m, const struct type *t)
{
	const uint32_t len = m->h.len;

	/* Nobody wants names like that, but they have a number. */
	ut_msg_str(m, strlen(t->name) < NAME_MAX_SENT ? t->name : "");
	ut_msg_u32(m, t->level);
	return ut_msg_fits(m, len);
}

/* Answer a LIST, with as many messages as necessary. */
int
ut_events_list(int sock, uint32_t first, uint32_t n, int64_t deadline)
{
	static struct ut_msg m;
	uint32_t i, end;

	if (first > ntypes || n > ntypes - first) {
		errno = EPROTO;
		return -1;
	}
	for (i = first, end = first + n; i < end;) {
		ut_msg_init(&m, UT_MSG_NAMES, i, 0);
		while (i < end && put_name(&m, type_at(i)))
			i++;
		if (m.h.b == 0 || ut_msg_send(sock, &m, deadline) == -1)
			return -1;
	}
	return 0;
}

/*
 * Put an event with its fields: with none if all its modules are unloaded, and
 * with an impossible number of them if they do not fit into a message.
 */
static bool
put_event(struct ut_msg *m, uint32_t number)
{
	static struct ut_msg fields;
	const uint32_t len = m->h.len;
	struct type *t = type_at(number);

	ut_msg_init(&fields, 0, 0, 0);
	if (t != NULL && t->events != NULL)
		put_fields(&fields, t->events);
	else if (t != NULL)
		t->missed = true;
	if (fields.bad || fields.h.len > FIELDS_MAX_SENT) {
		ut_msg_init(&fields, 0, 0, 0);
		ut_msg_u32(&fields, UINT32_MAX);
	}
	ut_msg_u32(m, number);
	ut_msg_bytes(m, &fields);
	return ut_msg_fits(m, len);
}

/* Answer a DESCRIBE. */
int
ut_events_describe(int sock, struct ut_msg *ask, int64_t deadline)
{
	static struct ut_msg m;
	uint32_t i, number;

	ut_msg_init(&m, UT_MSG_EVENTS, ask->h.a, 0);
	for (i = 0; i < ask->h.b; i++) {
		number = ut_msg_get_u32(ask);
		if (ask->bad)
			return -1;
		if (put_event(&m, number))
			continue;
		if (ut_msg_send(sock, &m, deadline) == -1)
			return -1;
		ut_msg_init(&m, UT_MSG_EVENTS, ask->h.a, 0);
		(void)put_event(&m, number);
	}
	return ut_msg_send(sock, &m, deadline);
}

/* In the child of a fork: no region wants any event. */
void
ut_events_forked(void)
{
	unsigned int i;

	for (i = 0; i < UT_REGIONS; i++)
		ut_events_forget(i);
}

/* Under ut_lock no region goes. */
UT_EXPORT void
ut_missed(const struct ut_event *e, uint64_t n)
{
	sigset_t signals;

	ut_enter(&signals);
	ut_count_lost(e, n);
	ut_leave(&signals);
}
