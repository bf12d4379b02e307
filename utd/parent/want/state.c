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
 * The records of the journal (journal.c), for the next utd to go on where this
 * one was killed: sessions with all that they have.
 *
 * Each object has a record in the journal, written again as a whole when
 * something in it has changed: at the end of a round of the loop, and before
 * a program, a consumer or utctl is told of it.  What an object has much of,
 * and what only grows, are rows of their own: events of a region, metadata of
 * a trace, rules of a channel, warnings of a session and what it tracks.
 */

#include <stdlib.h>
#include <string.h>

#include "rule.h"
#include "../store/trace.h"

#define CHUNK		32768u		/* bytes of metadata in one message */

static struct ut_msg out;

/*
 * Members of an object that are saved, and listed if they have a name: a row a
 * member.  One more raises the version.
 */
#define STATE_VERSION		14
#define STATE_MEMBERS		106u
#define MEMBER(type, member, size, name)				\
	{ MEMBER_ ## type, name, offsetof(struct OBJECT, member), size }
#define SIZE(member)		sizeof(((struct OBJECT *)0)->member)
#define NUMBER(member, name)	MEMBER(NUMBER, member, SIZE(member), name)
#define TEXT(member)		MEMBER(TEXT, member, SIZE(member), NULL)
#define STRING(member, size, name) MEMBER(STRING, member, size, name)
#define SAVED(member)		NUMBER(member, NULL)
#define END			{ MEMBER_NUMBER, NULL, 0, 0 }

#define OBJECT session
const struct member session_members[] = {
	TEXT(name), TEXT(dir), TEXT(error),
	SAVED(active), SAVED(closed), SAVED(current), SAVED(lingers),
	SAVED(created), SAVED(gid), SAVED(dev), SAVED(ino), SAVED(offset),
	SAVED(nstreams),
	NUMBER(uid, "uid"),
	NUMBER(begun, "begun"),
	NUMBER(missed, "missed"),
	SAVED(course.since.cycles), SAVED(course.since.ns),
	SAVED(course.upto.cycles), SAVED(course.upto.ns),
	SAVED(course.freq), SAVED(course.rated), SAVED(course.lines),
	SAVED(course.past.freq), SAVED(course.past.offset_s),
	SAVED(course.past.offset), SAVED(course.past.error),
	SAVED(course.off), SAVED(course.broken), SAVED(course.lost),
	TEXT(rotation.from), TEXT(rotation.to), SAVED(rotation.busy),
	SAVED(rotation.how), SAVED(rotation.chunk), SAVED(rotation.began),
	SAVED(rotation.allowed), SAVED(rotation.held), SAVED(rotation.ended),
	SAVED(rotation.stored), SAVED(rotation.most),
	NUMBER(rotation.ms, "rotate_ms"),
	NUMBER(rotation.bytes, "rotate_bytes"),
	NUMBER(rotation.keep, "rotate_keep"),
	STRING(command, UT_COMMAND_MAX + 1, "rotate_command"),
	NUMBER(rotation.kept, "chunks"),
	NUMBER(max, "max_bytes"),
	NUMBER(keep_shots, "snapshots_keep"),
	NUMBER(keeps, "keeps"),
	NUMBER(shots, "snapshots"),
	END
};

#undef OBJECT
#define OBJECT trigger
const struct member trigger_members[] = {
	SAVED(action), SAVED(due), SAVED(at), SAVED(gone), SAVED(passed),
	NUMBER(number, "number"),
	NUMBER(count, "count"),
	NUMBER(later, "later_ms"),
	STRING(command, UT_COMMAND_MAX + 1, "command"),
	NUMBER(acted, "acted"),
	END
};

#undef OBJECT
#define OBJECT channel
const struct member channel_members[] = {
	TEXT(name), SAVED(stream), SAVED(enabled), SAVED(removed),
	SAVED(kept), SAVED(older), END
};

#undef OBJECT
#define OBJECT counts
/* Sessions list them up to bytes, and channels up to longest_us: list.c. */
const struct member counts_members[] = {
	NUMBER(written, "written"),
	NUMBER(lost, "lost"),
	NUMBER(overwritten, "overwritten"),
	NUMBER(bytes, "bytes"),
	NUMBER(waits, "waits"),
	NUMBER(waited, "waited_us"),
	NUMBER(longest, "longest_us"),
	NUMBER(packets, "packets"),
	END
};

#undef OBJECT
#define OBJECT trace
const struct member trace_members[] = {
	TEXT(name), STRING(path, PATH_MAX, NULL), SAVED(made), SAVED(carrying),
	SAVED(uid), SAVED(gid), SAVED(bits), SAVED(owner), SAVED(pid),
	SAVED(vpid), TEXT(uuidstr), SAVED(past), SAVED(clock_at), SAVED(line),
	SAVED(chunk), SAVED(limit), END
};

#undef OBJECT
#define OBJECT region
const struct member region_members[] = {
	SAVED(described), SAVED(moved), SAVED(told), SAVED(matched),
	SAVED(base), SAVED(since), SAVED(over), END
};

#define ROWS(table)	(sizeof(table) / sizeof(table[0]) - 1)
_Static_assert(ATTRS + ROWS(session_members) + ROWS(trigger_members) +
    ROWS(channel_members) + ROWS(counts_members) + ROWS(trace_members) +
    ROWS(region_members) == STATE_MEMBERS, "raise STATE_VERSION, too");

uint64_t
member_number(const struct member *m, const void *object)
{
	const void *p = (const char *)object + m->at;

	return m->size == sizeof(bool) ? *(const bool *)p :
	    m->size == sizeof(uint32_t) ? *(const uint32_t *)p :
	    *(const uint64_t *)p;
}

const char *
member_text(const struct member *m, const void *object)
{
	const void *p = (const char *)object + m->at;

	if (m->type == MEMBER_TEXT)
		return p;
	return *(char *const *)p != NULL ? *(char *const *)p : "";
}

void
members_move(const struct member *m, void *to, const void *from)
{
	const char *s;
	char **p;

	for (; m->size != 0; m++) {
		if (m->type != MEMBER_STRING) {
			memcpy((char *)to + m->at, (const char *)from + m->at,
			    m->size);
			continue;
		}
		p = (void *)((char *)to + m->at);
		s = member_text(m, from);
		free(*p);
		*p = s[0] != '\0' ? xstrdup(s) : NULL;
	}
}

static void
members_put(const struct member *m, const void *object)
{
	for (; m->size != 0; m++)
		if (m->type == MEMBER_NUMBER)
			ut_msg_u64(&out, member_number(m, object));
		else
			ut_msg_str(&out, member_text(m, object));
}

static void
put_consumer(unsigned int j, struct saved *v)
{
	const struct consumer *c = v->object;

	ut_msg_init(&out, STATE_CONSUMER, (uint32_t)c->uid, (uint32_t)c->gid);
	ut_msg_str(&out, c->bellname);
	(void)journal_put(j, &out);
}

static const struct ut_msg *
record_warning(const struct session *s, const struct warning *w)
{
	ut_msg_init(&out, STATE_WARNING, s->id, (uint32_t)w->uid);
	ut_msg_str(&out, w->text);
	return &out;
}

static const struct ut_msg *
record_tracks(const struct session *s, const struct track *list, bool added)
{
	const struct track *t;
	uint32_t n = 0;

	ut_msg_init(&out, added ? STATE_TRACK : STATE_UNTRACK, s->id, 0);
	for (t = list; t != NULL; t = t->next)
		n++;
	ut_msg_u32(&out, n);
	for (t = list; t != NULL; t = t->next) {
		ut_msg_u32(&out, t->kind);
		ut_msg_u32(&out, t->number);
		ut_msg_str(&out, t->glob);
	}
	return &out;
}

static const struct ut_msg *
record_chunk(const struct session *s, const char *name, bool added)
{
	ut_msg_init(&out, STATE_CHUNK, s->id, added);
	ut_msg_str(&out, name);
	return &out;
}

static const struct ut_msg *
record_rule(const struct channel *ch, const struct rule *r, bool added)
{
	uint32_t i;

	ut_msg_init(&out, added ? STATE_RULE : STATE_UNRULE, ch->id, 0);
	ut_msg_str(&out, r->glob);
	ut_msg_u32(&out, r->kind);
	ut_msg_u32(&out, r->level);
	ut_msg_u32(&out, r->nexcept);
	for (i = 0; i < r->nexcept; i++)
		ut_msg_str(&out, r->except[i]);
	ut_msg_str(&out, r->filter != NULL ? r->filter->text : "");
	return &out;
}

/*
 * A command under way may end before another utd looks, and a snapshot never
 * ends then: the action is due.
 */
static void
put_trigger(const struct trigger *t)
{
	struct trigger told = *t;

	told.due |= t->busy && t->action != UT_TRIGGER_ROTATE;
	members_put(trigger_members, &told);
}

static void
put_session(unsigned int j, struct saved *v)
{
	const struct session *s = v->object;
	const struct warning *w;
	const struct chunk *c;

	ut_msg_init(&out, STATE_SESSION, s->id, s->trigger != NULL ?
	    s->trigger->of->id : 0);
	members_put(session_members, s);
	if (s->trigger != NULL)
		put_trigger(s->trigger);
	(void)journal_put(j, &out);
	if (v->in[j].there)
		return;
	for (w = s->warnings; w != NULL; w = w->next)
		(void)journal_put(j, record_warning(s, w));
	for (c = s->chunks; c != NULL; c = c->next)
		(void)journal_put(j, record_chunk(s, c->name, true));
	if (s->tracks != NULL)
		(void)journal_put(j, record_tracks(s, s->tracks, true));
}

static void
put_trace(unsigned int j, struct saved *v)
{
	const struct trace *t = v->object;
	int i;

	ut_msg_init(&out, STATE_TRACE, t->id, t->session->id);
	members_put(trace_members, t);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, t->uuid[i]);
	ut_msg_u32(&out, t->before != NULL && t->before->saved.in[j].there ?
	    t->before->id : 0);
	(void)journal_put(j, &out);
	if (v->in[j].text < t->past)
		v->in[j].text = t->past;
}

/* Put the text that was added since, unless too much of it is past by now. */
static bool
put_text(unsigned int j, struct saved *v, size_t left)
{
	const struct trace *t = v->object;
	const struct text *text = &t->text;
	uint64_t *at = &v->in[j].text;
	char chunk[CHUNK + 1];
	size_t pos, n;

	if (*at < t->past)
		put_trace(j, v);
	while ((pos = (size_t)(*at - t->past)) < text->len) {
		if (left == 0)
			return false;
		n = text->len - pos < CHUNK ? text->len - pos : CHUNK;
		memcpy(chunk, text->s + pos, n);
		chunk[n] = '\0';
		ut_msg_init(&out, STATE_TEXT, t->id, 0);
		ut_msg_u64(&out, *at);
		ut_msg_str(&out, chunk);
		(void)journal_put(j, &out);
		*at += n;
		left -= left < n ? left : n;
	}
	return true;
}

static void
put_channel(unsigned int j, struct saved *v)
{
	const struct channel *ch = v->object;
	const struct rule *r;

	ut_msg_init(&out, STATE_CHANNEL, ch->id, ch->session->id);
	members_put(channel_members, ch);
	members_put(counts_members, &ch->past);
	attrs_put(&out, &ch->attrs);
	contexts_put(&out, &ch->contexts);
	(void)journal_put(j, &out);
	if (v->in[j].there)
		return;
	for (r = ch->rules; r != NULL; r = r->next)
		(void)journal_put(j, record_rule(ch, r, true));
}

static void
put_region(unsigned int j, struct saved *v)
{
	const struct region *r = v->object;

	ut_msg_init(&out, STATE_REGION, r->id, r->channel->id);
	ut_msg_u32(&out, r->trace->id);
	ut_msg_str(&out, region_none(r) ? "" : r->shm);
	members_put(region_members, r);
	(void)journal_put(j, &out);
}

static bool
put_entries(unsigned int j, struct saved *v, size_t left)
{
	static struct ut_msg body;
	const struct region *r = v->object;
	const struct entry *e;
	uint32_t n, *at = &v->in[j].events;

	while (*at < r->registry.last) {
		if (left == 0)
			return false;
		e = &r->registry.entries[++*at];
		event_open(e->event, &body, &n);
		ut_msg_init(&out, STATE_ENTRY, *at, r->id);
		ut_msg_u32(&out, e->event->level);
		ut_msg_str(&out, e->event->name);
		ut_msg_bytes(&out, &body);
		(void)journal_put(j, &out);
		left -= left < out.h.len ? left : out.h.len;
	}
	return true;
}

/* A session being destroyed is saved; one still being created is not. */
static bool
session_lasts(const struct session *s)
{
	if (s->trigger != NULL)
		s = s->trigger->of;
	return s->lasts || s->lingers;
}

/*
 * A trace is saved from when its consumer is asked to make it, but not if that
 * failed, because nothing of it exists then.  A trace that has the regions of
 * the trace before is saved all the same.
 */
static bool
trace_lasts(const struct trace *t)
{
	return session_lasts(t->session) && t->path != NULL &&
	    t->uuidstr[0] != '\0' && (!trace_out(t) ||
	    t->take != TAKE_NONE || t->before != NULL);
}

static bool
lasts(const struct saved *v)
{
	const struct consumer *c;
	const struct region *r;

	switch (v->kind) {
	case SAVED_CONSUMER:
		c = v->object;
		return c->state != CONSUMER_GIVEN_UP &&
		    c->state != CONSUMER_LEAVING;
	case SAVED_SESSION:
		return session_lasts(v->object);
	case SAVED_TRACE:
		return trace_lasts(v->object);
	case SAVED_CHANNEL:
		return session_lasts(
		    ((const struct channel *)v->object)->session);
	case SAVED_REGION:
		r = v->object;
		return trace_lasts(r->trace) && (r->described ||
		    !region_none(r));
	}
	return false;
}

/* The object that has this one, which the journal must have before. */
static struct saved *
saved_above(const struct saved *v)
{
	const struct session *s;

	switch (v->kind) {
	case SAVED_SESSION:
		s = v->object;
		return s->trigger != NULL ? &s->trigger->of->saved : NULL;
	case SAVED_TRACE:
		return &((const struct trace *)v->object)->session->saved;
	case SAVED_CHANNEL:
		return &((const struct channel *)v->object)->session->saved;
	case SAVED_REGION:
		return &((const struct region *)v->object)->trace->saved;
	default:
		return NULL;
	}
}

static bool
saved_there(unsigned int j, const struct saved *v)
{
	while (v != NULL && v->in[j].there)
		v = saved_above(v);
	return v == NULL;
}

/* The journal has it no more. */
static void
state_gone(unsigned int j, struct saved *v)
{
	if (saved_there(j, v)) {
		ut_msg_init(&out, STATE_GONE, v->kind, v->id);
		(void)journal_put(j, &out);
	}
	memset(&v->in[j], 0, sizeof(v->in[j]));
}

static bool
state_rows(unsigned int j, struct saved *v, size_t left)
{
	if (v->kind == SAVED_TRACE)
		return put_text(j, v, left);
	if (v->kind == SAVED_REGION)
		return put_entries(j, v, left);
	return true;
}

static bool	state_put(unsigned int, struct saved *, size_t);

/* Put what is to be read first, unless it is there. */
static void
put_first(unsigned int j, struct saved *v)
{
	if (!v->in[j].there)
		(void)state_put(j, v, SIZE_MAX);
}

static bool
state_put(unsigned int j, struct saved *v, size_t left)
{
	static void (*const puts[])(unsigned int, struct saved *) = {
		[SAVED_CONSUMER] = put_consumer,
		[SAVED_SESSION] = put_session,
		[SAVED_TRACE] = put_trace,
		[SAVED_CHANNEL] = put_channel,
		[SAVED_REGION] = put_region
	};
	const struct trace *t = v->kind == SAVED_TRACE ? v->object : NULL;

	if (!lasts(v)) {
		state_gone(j, v);
		return true;
	}
	if (saved_above(v) != NULL)
		put_first(j, saved_above(v));
	if (v->kind == SAVED_REGION)
		put_first(j, &((struct region *)v->object)->channel->saved);
	if (t != NULL && t->before != NULL)
		put_first(j, &t->before->saved);
	puts[v->kind](j, v);
	v->in[j].there = true;
	return state_rows(j, v, left);
}

const struct saved_ops state_ops = {
	STATE_VERSION, state_put, state_rows, state_gone
};

void
state_renew(struct trace *t)
{
	t->saved.in[0].text = t->saved.in[1].text = 0;
	state_changed(&t->saved);
}

/* Append a record about an object to the journals that have the object. */
static void
saved_append(const struct saved *v, const struct ut_msg *record)
{
	unsigned int j;

	for (j = 0; j < 2; j++)
		if (saved_there(j, v))
			(void)journal_put(j, record);
	state_soon();
}

void
state_warning(const struct session *s, const struct warning *w)
{
	saved_append(&s->saved, record_warning(s, w));
}

/* The command is to be run for the chunk, or was. */
void
state_chunk(const struct session *s, const char *name, bool added)
{
	saved_append(&s->saved, record_chunk(s, name, added));
}

/* The tracks were added or removed; an empty list: all were removed. */
void
state_track(const struct session *s, const struct track *list, bool added)
{
	saved_append(&s->saved, record_tracks(s, list, added));
}

/* The rule was added; or it and all that are like it were removed. */
void
state_rule(const struct channel *ch, const struct rule *r, bool added)
{
	saved_append(&ch->saved, record_rule(ch, r, added));
}
