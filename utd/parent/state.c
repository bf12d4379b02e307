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
 * What the next utd finds in the journal (journal.c) to go on where this one
 * was killed: sessions with all that they have.
 *
 * Each object has a record in the journal, written again as a whole when
 * something in it has changed: at the end of a round of the loop, and before
 * a program, a consumer or utctl is told of it.  What an object has much of,
 * and what only grows, are rows of their own: events of a region, metadata of
 * a trace, rules of a channel, warnings of a session and what it tracks.
 */

#include <string.h>

#include "trace.h"

#define CHUNK		32768u		/* of metadata, in one message */

static struct ut_msg out;

static void
put_consumer(unsigned int j, struct saved *v)
{
	const struct consumer *c = v->object;

	ut_msg_init(&out, STATE_CONSUMER, (uint32_t)c->uid, (uint32_t)c->gid);
	ut_msg_str(&out, c->bellname);
	(void)journal_put(j, &out);
}

static void
put_warning(unsigned int j, const struct session *s, const struct warning *w)
{
	ut_msg_init(&out, STATE_WARNING, s->id, (uint32_t)w->uid);
	ut_msg_str(&out, w->text);
	(void)journal_put(j, &out);
}

static void
put_tracks(unsigned int j, uint16_t type, const struct session *s,
    const struct track *list)
{
	const struct track *t;
	uint32_t n = 0;

	for (t = list; t != NULL; t = t->next)
		n++;
	ut_msg_init(&out, type, s->id, 0);
	ut_msg_u32(&out, n);
	for (t = list; t != NULL; t = t->next) {
		ut_msg_u32(&out, t->kind);
		ut_msg_u32(&out, t->number);
		ut_msg_str(&out, t->glob);
	}
	(void)journal_put(j, &out);
}

static void
put_rotation(const struct rotation *ro)
{
	ut_msg_u32(&out, ro->chunk);
	ut_msg_u32(&out, ro->kept);
	ut_msg_u64(&out, (uint64_t)ro->began);
	ut_msg_u32(&out, ro->how);
	ut_msg_str(&out, ro->from);
	ut_msg_str(&out, ro->to);
	ut_msg_u32(&out, ro->ms);
	ut_msg_u64(&out, ro->bytes);
}

/* What is run may have ended when another utd looks; what rotates is known. */
static void
put_trigger(const struct trigger *t)
{
	ut_msg_u32(&out, t->of->id);
	ut_msg_u32(&out, t->number);
	ut_msg_u32(&out, t->action);
	ut_msg_u32(&out, t->count);
	ut_msg_u64(&out, t->gone);
	ut_msg_u64(&out, t->passed);
	ut_msg_u64(&out, t->acted);
	ut_msg_u32(&out, t->due || (t->busy && t->command != NULL));
	ut_msg_str(&out, t->command != NULL ? t->command : "");
}

static void
put_chunk(unsigned int j, const struct session *s, const char *name, bool added)
{
	ut_msg_init(&out, STATE_CHUNK, s->id, added);
	ut_msg_str(&out, name);
	(void)journal_put(j, &out);
}

static void
put_line(const struct line *l)
{
	ut_msg_u64(&out, l->freq);
	ut_msg_u64(&out, l->offset_s);
	ut_msg_u64(&out, l->offset);
	ut_msg_u64(&out, l->error);
}

static void
put_course(const struct course *c)
{
	ut_msg_u64(&out, c->since.cycles);
	ut_msg_u64(&out, c->since.ns);
	ut_msg_u64(&out, c->upto.cycles);
	ut_msg_u64(&out, c->upto.ns);
	ut_msg_u64(&out, c->freq);
	ut_msg_u32(&out, c->rated);
	ut_msg_u32(&out, c->lines);
	put_line(&c->past);
	ut_msg_u64(&out, c->off);
	ut_msg_u32(&out, c->broken);
	ut_msg_u32(&out, c->lost);
}

static void
put_session(unsigned int j, struct saved *v)
{
	const struct session *s = v->object;
	const struct warning *w;
	const struct chunk *c;

	ut_msg_init(&out, STATE_SESSION, s->id,
	    (s->active ? STATE_ACTIVE : 0) |
	    (s->missed ? STATE_MISSED : 0) |
	    (s->current ? STATE_CURRENT : 0) |
	    (s->begun ? STATE_BEGUN : 0) |
	    (s->rotation.busy ? STATE_ROTATING : 0) |
	    (s->lingers ? STATE_LINGERS : 0) |
	    (s->keeps ? STATE_KEEPS : 0) |
	    (s->trigger != NULL ? STATE_WATCHES : 0));
	ut_msg_u32(&out, s->nstreams);
	ut_msg_str(&out, s->name);
	ut_msg_str(&out, s->dir);
	ut_msg_u32(&out, (uint32_t)s->uid);
	ut_msg_u32(&out, (uint32_t)s->gid);
	ut_msg_u64(&out, s->dev);
	ut_msg_u64(&out, s->ino);
	ut_msg_u64(&out, s->offset);
	put_course(&s->course);
	ut_msg_u64(&out, (uint64_t)s->created);
	ut_msg_str(&out, s->error);
	put_rotation(&s->rotation);
	ut_msg_str(&out, s->command != NULL ? s->command : "");
	ut_msg_u32(&out, s->shots);
	if (s->trigger != NULL)
		put_trigger(s->trigger);
	(void)journal_put(j, &out);
	if (v->in[j].there)
		return;
	for (w = s->warnings; w != NULL; w = w->next)
		put_warning(j, s, w);
	for (c = s->chunks; c != NULL; c = c->next)
		put_chunk(j, s, c->name, true);
	if (s->tracks != NULL)
		put_tracks(j, STATE_TRACK, s, s->tracks);
}

static void
put_trace(unsigned int j, struct saved *v)
{
	const struct trace *t = v->object;
	int i;

	ut_msg_init(&out, STATE_TRACE, t->id, t->session->id);
	ut_msg_u32(&out, (t->made ? STATE_MADE : 0) |
	    (t->carrying ? STATE_CARRYING : 0));
	ut_msg_u32(&out, (uint32_t)t->uid);
	ut_msg_u32(&out, (uint32_t)t->gid);
	ut_msg_u32(&out, t->bits);
	ut_msg_u64(&out, t->owner);
	ut_msg_u32(&out, (uint32_t)t->pid);
	ut_msg_u32(&out, (uint32_t)t->vpid);
	ut_msg_str(&out, t->name);
	ut_msg_str(&out, t->path);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, t->uuid[i]);
	ut_msg_str(&out, t->uuidstr);
	ut_msg_u64(&out, t->past);
	ut_msg_u64(&out, t->clock_at);
	ut_msg_u32(&out, t->line);
	ut_msg_u32(&out, t->chunk);
	ut_msg_u32(&out, t->before != NULL && t->before->saved.in[j].there ?
	    t->before->id : 0);
	(void)journal_put(j, &out);
	if (v->in[j].text < t->past)
		v->in[j].text = t->past;
}

/* What has come since the text there ended, unless too much is past by now. */
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
put_rule(unsigned int j, uint16_t type, const struct channel *ch,
    const struct rule *r)
{
	uint32_t i;

	ut_msg_init(&out, type, ch->id, 0);
	ut_msg_str(&out, r->glob);
	ut_msg_u32(&out, r->kind);
	ut_msg_u32(&out, r->level);
	ut_msg_u32(&out, r->nexcept);
	for (i = 0; i < r->nexcept; i++)
		ut_msg_str(&out, r->except[i]);
	ut_msg_str(&out, r->filter != NULL ? r->filter->text : "");
	(void)journal_put(j, &out);
}

static void
put_channel(unsigned int j, struct saved *v)
{
	const struct channel *ch = v->object;
	const struct rule *r;

	ut_msg_init(&out, STATE_CHANNEL, ch->id, ch->session->id);
	ut_msg_u32(&out, ch->stream);
	ut_msg_str(&out, ch->name);
	attrs_put(&out, &ch->attrs);
	ut_msg_u32(&out, ch->enabled);
	ut_msg_u32(&out, ch->removed);
	ut_msg_u64(&out, ch->past.written);
	ut_msg_u64(&out, ch->past.lost);
	ut_msg_u64(&out, ch->past.bytes);
	ut_msg_u64(&out, ch->past.packets);
	ut_msg_u64(&out, ch->kept);
	ut_msg_u64(&out, ch->older);
	ut_msg_u64(&out, ch->past.overwritten);
	ut_msg_u64(&out, ch->past.waits);
	ut_msg_u64(&out, ch->past.waited);
	ut_msg_u64(&out, ch->past.longest);
	contexts_put(&out, &ch->contexts);
	(void)journal_put(j, &out);
	if (v->in[j].there)
		return;
	for (r = ch->rules; r != NULL; r = r->next)
		put_rule(j, STATE_RULE, ch, r);
}

static void
put_region(unsigned int j, struct saved *v)
{
	const struct region *r = v->object;

	ut_msg_init(&out, STATE_REGION, r->id, r->channel->id);
	ut_msg_u32(&out, r->trace->id);
	ut_msg_str(&out, region_none(r) ? "" : r->shm);
	ut_msg_u32(&out, r->described);
	ut_msg_u32(&out, r->moved);
	ut_msg_u64(&out, r->told);
	ut_msg_u64(&out, r->matched);
	ut_msg_u64(&out, r->base);
	ut_msg_u64(&out, r->since);
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
		ut_msg_str(&out, e->program);
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
 * failed: until then, and then, nothing of it exists.
 */
static bool
trace_lasts(const struct trace *t)
{
	return session_lasts(t->session) && t->path != NULL &&
	    t->uuidstr[0] != '\0' && (!trace_out(t) || t->take != TAKE_NONE);
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

/* What it is a part of: without that the journal does not have it either. */
static struct saved *
above(const struct saved *v)
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
there(unsigned int j, const struct saved *v)
{
	while (v != NULL && v->in[j].there)
		v = above(v);
	return v == NULL;
}

/* The journal has it no more. */
void
state_gone(unsigned int j, struct saved *v)
{
	if (there(j, v)) {
		ut_msg_init(&out, STATE_GONE, v->kind, v->id);
		(void)journal_put(j, &out);
	}
	memset(&v->in[j], 0, sizeof(v->in[j]));
}

bool
state_rows(unsigned int j, struct saved *v, size_t left)
{
	if (v->kind == SAVED_TRACE)
		return put_text(j, v, left);
	if (v->kind == SAVED_REGION)
		return put_entries(j, v, left);
	return true;
}

/* Put what is to be read first, unless it is there. */
static void
put_first(unsigned int j, struct saved *v)
{
	if (!v->in[j].there)
		(void)state_put(j, v, SIZE_MAX);
}

bool
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
	if (above(v) != NULL)
		put_first(j, above(v));
	if (v->kind == SAVED_REGION)
		put_first(j, &((struct region *)v->object)->channel->saved);
	if (t != NULL && t->before != NULL)
		put_first(j, &t->before->saved);	/* whose place it takes */
	puts[v->kind](j, v);
	v->in[j].there = true;
	return state_rows(j, v, left);
}

void
state_renew(struct trace *t)
{
	t->saved.in[0].text = t->saved.in[1].text = 0;
	state_changed(&t->saved);
}

void
state_warning(const struct session *s, const struct warning *w)
{
	unsigned int j;

	for (j = 0; j < 2; j++)
		if (there(j, &s->saved))
			put_warning(j, s, w);
	state_soon();
}

/* The command is to be run for it, or was. */
void
state_chunk(const struct session *s, const char *name, bool added)
{
	unsigned int j;

	for (j = 0; j < 2; j++)
		if (there(j, &s->saved))
			put_chunk(j, s, name, added);
	state_soon();
}

/* These were added, or are no more: without any, all that there were. */
void
state_track(const struct session *s, const struct track *list, bool added)
{
	unsigned int j;

	for (j = 0; j < 2; j++)
		if (there(j, &s->saved))
			put_tracks(j, added ? STATE_TRACK : STATE_UNTRACK, s,
			    list);
	state_soon();
}

/* It was added, or it and those that are like it are no more. */
void
state_rule(const struct channel *ch, const struct rule *r, bool added)
{
	unsigned int j;

	for (j = 0; j < 2; j++)
		if (there(j, &ch->saved))
			put_rule(j, added ? STATE_RULE : STATE_UNRULE, ch, r);
	state_soon();
}
