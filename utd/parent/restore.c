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
#include <stdlib.h>
#include <string.h>

#include "parent.h"
#include "program.h"
#include "trigger.h"

/* IDs are given from 1 on, and never reach INT32_MAX. */
static bool
id_valid(uint32_t id)
{
	return id > 0 && id <= INT32_MAX;
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

/* Nothing of it, if anything is wrong. */
static bool
read_rotation(struct ut_msg *m, struct rotation *ro)
{
	struct rotation new = *ro;

	new.chunk = ut_msg_get_u32(m);
	new.kept = ut_msg_get_u32(m);
	new.began = (int64_t)ut_msg_get_u64(m);
	new.how = ut_msg_get_u32(m);
	ut_msg_get_str(m, new.from, sizeof(new.from));
	ut_msg_get_str(m, new.to, sizeof(new.to));
	new.ms = ut_msg_get_u32(m);
	new.bytes = ut_msg_get_u64(m);
	if (m->bad || new.ms > INT32_MAX || strchr(new.from, '/') != NULL ||
	    strchr(new.to, '/') != NULL)
		return false;
	new.busy = (m->h.b & STATE_ROTATING) != 0;
	*ro = new;
	return true;
}

static void
read_line(struct ut_msg *m, struct line *l)
{
	l->freq = ut_msg_get_u64(m);
	l->offset_s = ut_msg_get_u64(m);
	l->offset = ut_msg_get_u64(m);
	l->error = ut_msg_get_u64(m);
}

static bool
read_course(struct ut_msg *m, struct course *c)
{
	struct course new;

	memset(&new, 0, sizeof(new));
	new.since.cycles = ut_msg_get_u64(m);
	new.since.ns = ut_msg_get_u64(m);
	new.upto.cycles = ut_msg_get_u64(m);
	new.upto.ns = ut_msg_get_u64(m);
	new.before = new.since;
	new.seen = new.upto;
	new.freq = ut_msg_get_u64(m);
	new.rated = ut_msg_get_u32(m) != 0;
	new.lines = ut_msg_get_u32(m);
	read_line(m, &new.past);
	new.off = ut_msg_get_u64(m);
	new.broken = ut_msg_get_u32(m) != 0;
	new.lost = ut_msg_get_u32(m) != 0;
	if (m->bad || !course_valid(&new))
		return false;
	*c = new;
	return true;
}

/* A session watches for that one, or did so before. */
static bool
watches(struct session *s, struct session *of)
{
	if (s->trigger != NULL)
		return s->trigger->of == of;
	if (of == NULL || of == s || of->trigger != NULL || of->lingers ||
	    of->uid != s->uid || s->triggers != NULL || session_output(s) ||
	    s->channels != NULL || s->tracks != NULL)
		return false;
	session_watch(s, of);
	return true;
}

/* What is behind the state of a session that watches. */
static bool
read_trigger(struct ut_msg *m, struct session *s)
{
	const bool fresh = s->trigger == NULL;
	struct trigger *t, new;
	char command[UT_COMMAND_MAX + 1], why[512];

	if ((m->h.b & STATE_WATCHES) == 0)
		return fresh;
	if (!watches(s, session_by_id(ut_msg_get_u32(m)))) {
		if (fresh && s->channels == NULL && s->triggers == NULL &&
		    s->traces == NULL)
			session_free(s);
		return false;
	}
	new = *(t = s->trigger);
	new.number = ut_msg_get_u32(m);
	new.action = ut_msg_get_u32(m);
	new.count = ut_msg_get_u32(m);
	new.gone = ut_msg_get_u64(m);
	new.passed = ut_msg_get_u64(m);
	new.acted = ut_msg_get_u64(m);
	new.due = ut_msg_get_u32(m) != 0;
	ut_msg_get_str(m, command, sizeof(command));
	if (m->bad || trigger_refused(t->of, new.action, command, why,
	    sizeof(why))) {
		if (fresh)
			session_free(s);
		return false;
	}
	free(t->command);
	*t = new;
	t->command = command[0] != '\0' ? xstrdup(command) : NULL;
	if (t->of->ntriggers < t->number)
		t->of->ntriggers = t->number;
	return true;
}

/* A new session, or the new state of one that was read before. */
static bool
read_session(struct ut_msg *m)
{
	struct session *s = session_by_id(m->h.a);
	char name[NAME_MAXLEN], dir[PATH_MAX], command[UT_COMMAND_MAX + 1];
	const uint32_t nstreams = ut_msg_get_u32(m);
	uid_t uid;
	gid_t gid;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, dir, sizeof(dir));
	uid = (uid_t)ut_msg_get_u32(m);
	gid = (gid_t)ut_msg_get_u32(m);
	if (m->bad || !name_valid(name, "._-") ||
	    (dir[0] != '/' && dir[0] != '\0') || !id_valid(m->h.a) ||
	    (s != NULL && s->uid != uid) ||
	    (s == NULL && (s = session_new(m->h.a, name, dir, uid,
	    gid)) == NULL))
		return false;
	strcpy(s->dir, dir);		/* it may have been moved */
	s->dying = s->lingers = (m->h.b & STATE_LINGERS) != 0;
	s->lasts = !s->lingers;
	s->active = (m->h.b & STATE_ACTIVE) != 0;
	s->current = (m->h.b & STATE_CURRENT) != 0;
	s->missed = (m->h.b & STATE_MISSED) != 0;
	s->nstreams = nstreams;
	s->dev = ut_msg_get_u64(m);
	s->ino = ut_msg_get_u64(m);
	s->offset = ut_msg_get_u64(m);
	if (!read_course(m, &s->course))
		return false;
	s->created = (int64_t)ut_msg_get_u64(m);
	ut_msg_get_str(m, s->error, sizeof(s->error));
	s->begun = (m->h.b & STATE_BEGUN) != 0;
	s->keeps = (m->h.b & STATE_KEEPS) != 0;
	if (!read_rotation(m, &s->rotation))
		return false;
	ut_msg_get_str(m, command, sizeof(command));
	free(s->command);
	s->command = m->bad || command[0] == '\0' ? NULL : xstrdup(command);
	s->shots = ut_msg_get_u32(m);
	return !m->bad && read_trigger(m, s);
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
static bool
trace_past(struct trace *t, const unsigned char *uuid, uint64_t past)
{
	if (memcmp(t->uuid, uuid, UUID_LEN) != 0) {
		memcpy(t->uuid, uuid, UUID_LEN);
		text_free(&t->text);
	} else if (past < t->past) {
		return false;
	} else if (past - t->past < t->text.len) {
		text_cut(&t->text, (size_t)(past - t->past));
	} else {
		text_free(&t->text);
	}
	t->past = past;
	return true;
}

/* It takes the place of that one, or of none, if it ever did. */
static bool
trace_follows(struct trace *t, uint32_t id)
{
	struct trace *before = id != 0 ? trace_by_id(id) : NULL;

	if (id != 0 && (before == NULL || before == t ||
	    before->session != t->session || before->uid != t->uid ||
	    before->owner != t->owner || before->before != NULL ||
	    (before->after != NULL && before->after != t)))
		return false;
	if (t->before != NULL)
		t->before->after = NULL;
	if ((t->before = before) != NULL)
		before->after = t;
	return true;
}

static bool
read_trace(struct ut_msg *m)
{
	struct session *s = session_by_id(m->h.b);
	struct trace *t = trace_by_id(m->h.a);
	unsigned char uuid[UUID_LEN];
	char path[PATH_MAX];
	const uint32_t flags = ut_msg_get_u32(m);
	const uid_t uid = (uid_t)ut_msg_get_u32(m);
	const gid_t gid = (gid_t)ut_msg_get_u32(m);
	const uint32_t bits = ut_msg_get_u32(m);
	const uint64_t owner = ut_msg_get_u64(m);
	int i;

	if (s == NULL || !id_valid(m->h.a) || (t != NULL &&
	    (t->session != s || t->uid != uid || t->owner != owner)))
		return false;
	if (t == NULL) {
		t = trace_new(s, m->h.a, uid, gid, owner);
		t->state = TRACE_ASKED;
		trace_hold(t);
	}
	t->made = (flags & STATE_MADE) != 0;
	t->carrying = (flags & STATE_CARRYING) != 0;
	t->bits = bits;
	t->pid = (pid_t)ut_msg_get_u32(m);
	t->vpid = (pid_t)ut_msg_get_u32(m);
	ut_msg_get_str(m, t->name, sizeof(t->name));
	ut_msg_get_str(m, path, sizeof(path));
	free(t->path);
	t->path = xstrdup(path);
	for (i = 0; i < UUID_LEN; i++)
		uuid[i] = ut_msg_get_u8(m);
	ut_msg_get_str(m, t->uuidstr, sizeof(t->uuidstr));
	if (!trace_past(t, uuid, ut_msg_get_u64(m)))
		return false;
	t->clock_at = ut_msg_get_u64(m);
	t->line = ut_msg_get_u32(m);
	t->chunk = ut_msg_get_u32(m);
	return trace_follows(t, ut_msg_get_u32(m)) && !m->bad;
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

static bool
read_channel(struct ut_msg *m)
{
	struct session *s = session_by_id(m->h.b);
	struct channel *ch = channel_by_id(m->h.a);
	struct attrs attrs;
	char name[NAME_MAXLEN], why[160];
	const uint32_t stream = ut_msg_get_u32(m);

	ut_msg_get_str(m, name, sizeof(name));
	attrs_get(m, &attrs);
	if (m->bad || s == NULL || !name_valid(name, "._-") ||
	    !id_valid(m->h.a) || attrs.v[ATTR_CLOCK] == ATTR_CLOCK_AUTO ||
	    !channel_possible(&attrs, why, sizeof(why)))
		return false;
	if (ch != NULL && (ch->session != s ||
	    memcmp(&ch->attrs, &attrs, sizeof(attrs)) != 0))
		return false;
	if (ch == NULL) {
		if ((ch = channel_new(s, name, &attrs, m->h.a)) == NULL)
			return false;
		s->nstreams--;			/* it counts already */
	}
	ch->stream = stream;
	ch->enabled = ut_msg_get_u32(m) != 0;
	ch->removed = ut_msg_get_u32(m) != 0;
	ch->past.written = ut_msg_get_u64(m);
	ch->past.lost = ut_msg_get_u64(m);
	ch->past.bytes = ut_msg_get_u64(m);
	ch->past.packets = ut_msg_get_u64(m);
	ch->kept = ut_msg_get_u64(m);
	ch->older = ut_msg_get_u64(m);
	ch->past.overwritten = ut_msg_get_u64(m);
	ch->past.waits = ut_msg_get_u64(m);
	ch->past.waited = ut_msg_get_u64(m);
	ch->past.longest = ut_msg_get_u64(m);
	return !m->bad && contexts_get(m, &ch->contexts) &&
	    contexts_valid(&ch->contexts, why, sizeof(why));
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
	char shm[UT_SHM_NAME];

	ut_msg_get_str(m, shm, sizeof(shm));
	if (m->bad || ch == NULL || t == NULL || !id_valid(m->h.a) ||
	    t->session != ch->session || (r != NULL && (r->channel != ch ||
	    (r->trace != t && r->trace != t->before))))
		return false;
	if (r == NULL)
		r = region_add(ch, t, m->h.a);
	else if (r->trace != t)
		region_move(r, t);
	region_had(r, shm);
	r->described = ut_msg_get_u32(m) != 0;
	r->moved = ut_msg_get_u32(m) != 0;
	r->told = ut_msg_get_u64(m);
	r->matched = ut_msg_get_u64(m);
	r->base = ut_msg_get_u64(m);
	r->since = ut_msg_get_u64(m);
	return !m->bad;
}

/* An event: the registry gives IDs in the same order as before. */
static bool
read_entry(struct ut_msg *m)
{
	static struct ut_msg fields;
	char name[NAME_MAXLEN], program[NAME_MAXLEN], why[512];
	const uint32_t level = ut_msg_get_u32(m);
	struct region *r = region_by_id(m->h.b);
	struct event *e;
	uint32_t id, last;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, program, sizeof(program));
	ut_msg_get_bytes(m, &fields);
	if (m->bad || r == NULL ||
	    (e = event_get(name, level, &fields)) == NULL)
		return false;
	last = r->registry.last;
	id = e->state != EVENT_DESCRIBED ? 0 : registry_get(&r->registry,
	    e, program, 0, why, sizeof(why));
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

/* With its triggers. */
bool
session_drop(uint32_t id)
{
	struct session *s = session_by_id(id);

	if (s == NULL)
		return false;
	while (s->triggers != NULL)
		(void)session_drop(s->triggers->watch->id);
	while (s->traces != NULL)
		(void)drop_trace(s->traces);
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
	case SAVED_CHANNEL:		/* its session goes, too */
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
