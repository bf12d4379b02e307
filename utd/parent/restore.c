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
 * The records of the journal, as state.c writes them, are read: each makes an
 * object, or changes or removes one.  What makes no sense is refused.
 */

#include <stddef.h>
#include <string.h>

#include "parent.h"
#include "link/program.h"
#include "act/trigger.h"

/* IDs are given from 1 on, and never reach INT32_MAX. */
static bool
id_valid(uint32_t id)
{
	return id > 0 && id <= INT32_MAX;
}

static void
get_number(struct ut_msg *in, const struct member *m, void *p)
{
	const uint64_t n = ut_msg_get_u64(in);

	if (m->size == sizeof(bool))
		*(bool *)p = n != 0;
	else if (m->size == sizeof(uint64_t))
		*(uint64_t *)p = n;
	else if (n <= UINT32_MAX)
		*(uint32_t *)p = (uint32_t)n;
	else
		in->bad = 1;
}

/*
 * Read what is saved of an object into another, to be checked before it is
 * moved.  The strings in that one are valid until the next message is read:
 * each is at its place in the message, where it has a byte more.
 */
static void
members_get(struct ut_msg *in, const struct member *m, void *object)
{
	static char strings[UT_MSG_MAX];
	char *s;
	void *p;

	for (; m->size != 0; m++) {
		p = (char *)object + m->at;
		s = strings + in->pos;
		if (m->type == MEMBER_NUMBER)
			get_number(in, m, p);
		else if (m->type == MEMBER_TEXT)
			ut_msg_get_str(in, p, m->size);
		else
			ut_msg_get_str(in, *(char **)p = s, m->size);
	}
}

static bool
read_consumer(struct ut_msg *m)
{
	char name[UT_SHM_NAME];

	ut_msg_get_str(m, name, sizeof(name));
	if (!m->bad)
		consumer_restore((uid_t)m->h.a, (gid_t)m->h.b, name);
	return !m->bad;
}

/*
 * Check the state of the session, which is NULL if it is new.  The session is
 * that of a trigger of another, or `of' is NULL.
 */
static bool
session_check(const struct session *s, const struct session *new,
    const struct session *of)
{
	const struct rotation *ro = &new->rotation;

	if (!name_valid(new->name, "._-") ||
	    (new->dir[0] != '/' && new->dir[0] != '\0') ||
	    !course_valid(&new->course) || ro->ms > INT32_MAX ||
	    strchr(ro->from, '/') != NULL || strchr(ro->to, '/') != NULL)
		return false;
	if (s != NULL)
		return s->uid == new->uid &&
		    (s->trigger != NULL ? s->trigger->of : NULL) == of;
	return of == NULL || (of->trigger == NULL &&
	    of->uid == new->uid && !session_output(new));
}

/* A new session, or the new state of one that was read before. */
static bool
read_session(struct ut_msg *m)
{
	static struct session new;
	struct session *s = session_by_id(m->h.a);
	struct session *of = session_by_id(m->h.b);
	struct trigger *t, trigger;
	char why[512];

	members_get(m, session_members, &new);
	if (m->h.b != 0)
		members_get(m, trigger_members, &trigger);
	if (m->bad || !id_valid(m->h.a) || (m->h.b != 0 && of == NULL) ||
	    !session_check(s, &new, of) || (of != NULL &&
	    trigger_refused(of, trigger.action, trigger.command, why,
	    sizeof(why))) || (s == NULL && (s = session_new(m->h.a, new.name,
	    new.dir, new.uid, new.gid)) == NULL))
		return false;
	memset(&s->course, 0, sizeof(s->course));
	members_move(session_members, s, &new);
	s->course.before = s->course.since;
	s->course.seen = s->course.upto;
	s->dying = s->lingers;
	s->lasts = !s->lingers;
	if (of == NULL)
		return true;
	if (s->trigger == NULL)
		session_watch(s, of);
	t = s->trigger;
	members_move(trigger_members, t, &trigger);
	if (of->ntriggers < t->number)
		of->ntriggers = t->number;
	return true;
}

/* Chunks for which the command has to be run, or need not be any more. */
static bool
read_chunk(struct ut_msg *m)
{
	struct session *s = session_by_id(m->h.a);
	struct chunk *c;
	char name[sizeof(c->name)];

	ut_msg_get_str(m, name, sizeof(name));
	if (m->bad || s == NULL || strchr(name, '/') != NULL)
		return false;
	if (m->h.b != 0) {
		command_wants(s, name);
		return true;
	}
	for (c = s->chunks; c != NULL && strcmp(c->name, name) != 0;
	    c = c->next)
		continue;
	if (c != NULL)
		chunk_over(s, c);
	return c != NULL;
}

static bool
read_warning(struct ut_msg *m)
{
	struct session *s = session_by_id(m->h.a);
	char text[1024];

	ut_msg_get_str(m, text, sizeof(text));
	if (m->bad || s == NULL)
		return false;
	(void)session_warned(s, (uid_t)m->h.b, text);	/* the log has it */
	return true;
}

static bool
read_track(struct ut_msg *m)
{
	struct session *s = session_by_id(m->h.a);
	struct track *list;
	char why[512];
	bool ok;

	if (!tracks_read(m, &list))
		return false;
	ok = s != NULL && (m->h.type == STATE_TRACK ?
	    tracks_add(s, list, why, sizeof(why)) :
	    tracks_del(s, list, why, sizeof(why)));
	tracks_free(list);
	return ok;
}

/* So many bytes of metadata are past; with another UUID they begin anew. */
static void
trace_past(struct trace *t, const struct trace *new)
{
	if (memcmp(t->uuid, new->uuid, UUID_LEN) != 0) {
		memcpy(t->uuid, new->uuid, UUID_LEN);
		text_free(&t->text);
	} else if (new->past - t->past < t->text.len) {
		text_cut(&t->text, (size_t)(new->past - t->past));
	} else {
		text_free(&t->text);
	}
}

/*
 * Check the state of the trace, which is NULL if it is new.  The trace takes
 * the place of another, or `before' is NULL.
 */
static bool
trace_check(const struct trace *t, const struct trace *new,
    const struct trace *before)
{
	if (t != NULL && (t->session != new->session || t->uid != new->uid ||
	    t->owner != new->owner || (new->past < t->past &&
	    memcmp(t->uuid, new->uuid, UUID_LEN) == 0)))
		return false;
	return new->session != NULL && new->path[0] != '\0' &&
	    (before == NULL || (before != t &&
	    before->session == new->session && before->uid == new->uid &&
	    before->owner == new->owner && before->before == NULL &&
	    (before->after == NULL || before->after == t)));
}

static bool
read_trace(struct ut_msg *m)
{
	static struct trace new;
	struct trace *t = trace_by_id(m->h.a), *before;
	uint32_t id;
	int i;

	new.session = session_by_id(m->h.b);
	members_get(m, trace_members, &new);
	for (i = 0; i < UUID_LEN; i++)
		new.uuid[i] = ut_msg_get_u8(m);
	id = ut_msg_get_u32(m);
	before = trace_by_id(id);
	if (m->bad || !id_valid(m->h.a) || (id != 0 && before == NULL) ||
	    !trace_check(t, &new, before))
		return false;
	if (t == NULL) {
		t = trace_new(new.session, m->h.a, new.uid, new.gid, new.owner);
		t->state = TRACE_ASKED;
		trace_hold(t);
	}
	trace_past(t, &new);
	members_move(trace_members, t, &new);
	if (t->before != NULL)
		t->before->after = NULL;
	if ((t->before = before) != NULL) {
		before->after = t;
		regions_move(before, t);
	}
	return true;
}

static bool
read_text(struct ut_msg *m)
{
	static char chunk[UT_MSG_MAX];
	struct trace *t = trace_by_id(m->h.a);
	const uint64_t at = ut_msg_get_u64(m);

	ut_msg_get_str(m, chunk, sizeof(chunk));
	if (m->bad || t == NULL || at != t->past + t->text.len)
		return false;
	text_add(&t->text, "%s", chunk);
	return true;
}

/* Check the state of the channel, which is NULL if it is new. */
static bool
channel_check(const struct channel *ch, const struct channel *new)
{
	char why[512];

	return new->session != NULL && name_valid(new->name, "._-") &&
	    new->attrs.v[ATTR_CLOCK] != ATTR_CLOCK_AUTO &&
	    channel_possible(&new->attrs, why, sizeof(why)) &&
	    contexts_valid(&new->contexts, why, sizeof(why)) &&
	    (ch == NULL || (ch->session == new->session &&
	    memcmp(&ch->attrs, &new->attrs, sizeof(new->attrs)) == 0));
}

static bool
read_channel(struct ut_msg *m)
{
	static struct channel new;
	struct channel *ch = channel_by_id(m->h.a);

	new.session = session_by_id(m->h.b);
	members_get(m, channel_members, &new);
	members_get(m, counts_members, &new.past);
	attrs_get(m, &new.attrs);
	if (!contexts_get(m, &new.contexts) || m->bad || !id_valid(m->h.a) ||
	    !channel_check(ch, &new))
		return false;
	if (ch == NULL) {
		if ((ch = channel_new(new.session, new.name, &new.attrs,
		    m->h.a)) == NULL)
			return false;
		new.session->nstreams--;	/* counted already */
	}
	members_move(channel_members, ch, &new);
	ch->past = new.past;
	ch->contexts = new.contexts;
	return true;
}

static bool
read_rule(struct ut_msg *m)
{
	struct channel *ch = channel_by_id(m->h.a);
	char why[512];
	struct rule *r = rule_read(m, why, sizeof(why));
	const bool ok = r != NULL && ch != NULL;

	if (ok && m->h.type == STATE_RULE)
		(void)rule_add(ch, r);
	else if (ok)
		(void)rule_del(ch, r);
	rule_free(r);
	return ok;
}

static bool
read_region(struct ut_msg *m)
{
	struct channel *ch = channel_by_id(m->h.b);
	struct trace *t = trace_by_id(ut_msg_get_u32(m));
	struct region *r = region_by_id(m->h.a);
	struct region new;

	ut_msg_get_str(m, new.shm, sizeof(new.shm));
	members_get(m, region_members, &new);
	if (m->bad || ch == NULL || t == NULL || !id_valid(m->h.a) ||
	    t->session != ch->session || t->after != NULL ||
	    (r != NULL && (r->channel != ch || r->trace != t)))
		return false;
	if (r == NULL)
		r = region_add(ch, t, m->h.a);
	region_had(r, new.shm);
	members_move(region_members, r, &new);
	return true;
}

/* An event: the registry gives IDs in the same order as before. */
static bool
read_entry(struct ut_msg *m)
{
	static struct ut_msg fields;
	char name[NAME_MAXLEN], why[512];
	const uint32_t level = ut_msg_get_u32(m);
	struct region *r = region_by_id(m->h.b);
	struct event *e;
	uint32_t id, last;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_bytes(m, &fields);
	if (m->bad || r == NULL ||
	    (e = event_get(name, level, &fields)) == NULL)
		return false;
	last = r->registry.last;
	id = e->state != EVENT_DESCRIBED ? 0 : registry_get(&r->registry,
	    e, "", 0, why, sizeof(why));
	event_unref(e);
	return id == last + 1 && id == m->h.a;
}

static bool
drop_trace(struct trace *t)
{
	if (t == NULL)
		return false;
	while (t->regions != NULL)
		region_drop(t->regions);
	trace_drop(t);
	return true;
}

/* Drop the triggers and the traces of a session. */
void
session_strip(struct session *s)
{
	while (s->triggers != NULL)
		(void)session_drop(s->triggers->watch->id);
	while (s->traces != NULL)
		(void)drop_trace(s->traces);
}

bool
session_drop(uint32_t id)
{
	struct session *s = session_by_id(id);

	if (s == NULL)
		return false;
	session_strip(s);
	session_free(s);
	return true;
}

static bool
drop_region(uint32_t id)
{
	struct region *r = region_by_id(id);

	if (r != NULL)
		region_drop(r);
	return r != NULL;
}

/* An object is gone, with everything below it. */
static bool
read_gone(struct ut_msg *m)
{
	switch (m->h.a) {
	case SAVED_CONSUMER:
		return true;		/* another of that UID comes, or none */
	case SAVED_SESSION:
		return session_drop(m->h.b);
	case SAVED_TRACE:
		return drop_trace(trace_by_id(m->h.b));
	case SAVED_CHANNEL:		/* the session goes, too */
		return channel_by_id(m->h.b) != NULL;
	case SAVED_REGION:
		return drop_region(m->h.b);
	default:
		return false;
	}
}

static const struct {
	uint16_t	 type;
	bool		(*take)(struct ut_msg *);
} records[] = {
	{ STATE_CONSUMER,	read_consumer },
	{ STATE_SESSION,	read_session },
	{ STATE_WARNING,	read_warning },
	{ STATE_TRACE,		read_trace },
	{ STATE_TEXT,		read_text },
	{ STATE_CHANNEL,	read_channel },
	{ STATE_RULE,		read_rule },
	{ STATE_UNRULE,		read_rule },
	{ STATE_REGION,		read_region },
	{ STATE_ENTRY,		read_entry },
	{ STATE_GONE,		read_gone },
	{ STATE_TRACK,		read_track },
	{ STATE_UNTRACK,	read_track },
	{ STATE_CHUNK,		read_chunk },
};

bool
state_read(struct ut_msg *m)
{
	size_t i;

	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (records[i].type == m->h.type)
			return records[i].take(m);
	return m->h.type == STATE_END;
}
