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

/* Lists for utctl: sessions, and what programs offer. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../act/client.h"
#include "../link/program.h"
#include "../act/trigger.h"

static struct ut_msg out;

/*
 * Rows of a list: begin, members, end.
 */
static void
row_begin(int depth, const char *what)
{
	ut_msg_init(&out, UT_CTL_ROW, (uint32_t)depth, 0);
	ut_msg_str(&out, what);
}

static void
row_str(const char *key, const char *value)
{
	ut_msg_str(&out, key);
	ut_msg_u8(&out, 's');
	ut_msg_str(&out, value);
	out.h.b++;
}

static void
row_num(const char *key, uint64_t value)
{
	ut_msg_str(&out, key);
	ut_msg_u8(&out, 'n');
	ut_msg_u64(&out, value);
	out.h.b++;
}

/* The members that are listed, up to that of the name last, or all if NULL. */
static void
row_members(const struct member *m, const char *last, const void *object)
{
	for (; m->size != 0; m++) {
		if (m->name == NULL)
			continue;
		if (m->type == MEMBER_NUMBER)
			row_num(m->name, member_number(m, object));
		else
			row_str(m->name, member_text(m, object));
		if (last != NULL && strcmp(m->name, last) == 0)
			return;
	}
}

static void
row_end(struct client *k)
{
	if (k->conn != NULL)
		conn_send(k->conn, &out);
}

/*
 * UT_CTL_LIST.
 */
static void
list_contexts(struct client *k, const struct channel *ch)
{
	uint32_t i;

	for (i = 0; i < ch->contexts.n; i++) {
		row_begin(2, "context");
		row_str("name", ch->contexts.name[i]);
		row_end(k);
	}
}

static void
list_rules(struct client *k, const struct channel *ch)
{
	const struct rule *r;
	char level[64];
	uint32_t i;

	for (r = ch->rules; r != NULL; r = r->next) {
		if (r->kind == UT_RULE_ALL)
			snprintf(level, sizeof(level), "all");
		else
			snprintf(level, sizeof(level), "%s %s",
			    r->kind == UT_RULE_ONLY ? "==" : "<=",
			    level_name(r->level));
		row_begin(2, "rule");
		row_str("glob", r->glob);
		row_str("level", level);
		row_str("filter", r->filter != NULL ? r->filter->text : "");
		row_num("matched", r->matched);
		row_num("unfit", r->filter != NULL &&
		    r->filter->why[0] != '\0');
		row_str("nearest", r->matched ? "" : r->nearest);
		row_num("level_kind", r->kind);
		row_num("level_number", r->kind == UT_RULE_ALL ? 0 : r->level);
		row_end(k);
		for (i = 0; i < r->nexcept; i++) {
			row_begin(3, "exclusion");
			row_str("glob", r->except[i]);
			row_end(k);
		}
	}
}

static void
list_registry(struct client *k, const struct region *r)
{
	const struct event *e;
	uint32_t id;

	row_begin(2, "registry");
	row_num("uid", r->trace->uid);
	row_num("bits", r->trace->bits);
	row_members(counts_members, NULL, &r->counts);
	row_num("used", r->used);
	if (r->trace->owner != 0) {
		row_str("name", r->trace->name);
		row_num("pid", (uint64_t)r->trace->pid);
	}
	row_end(k);
	for (id = 1; id <= r->registry.last; id++) {
		e = r->registry.entries[id].event;
		row_begin(3, "event");
		row_str("name", e->name);
		row_num("id", id);
		row_num("level", e->level);
		row_end(k);
	}
}

static void
list_channel(struct client *k, const struct channel *ch)
{
	const struct attr *a = attr_table;
	const struct region *r;
	struct counts sum;
	size_t i;

	memset(&sum, 0, sizeof(sum));
	channel_counts(ch, &sum);
	row_begin(1, "channel");
	row_str("name", ch->name);
	row_str("state", ch->removed ? "removed" : ch->enabled ? "enabled" :
	    "disabled");
	for (i = 0; i < ATTRS; i++, a++) {
		if (a->words[0] != NULL)
			row_str(a->name, a->words[ch->attrs.v[i]]);
		else if (a->endless && ch->attrs.v[i] == ATTR_FOREVER)
			row_str(a->name, ATTR_FOREVER_NAME);
		else
			row_num(a->name, attr_number(a,
			    ch->attrs.v[i]));
	}
	row_num("clock_error_ns", ch->attrs.v[ATTR_CLOCK] ==
	    UT_CLOCK_CYCLES ? course_error(&ch->session->course) : 0);
	row_members(counts_members, "longest_us", &sum);
	row_end(k);
	list_contexts(k, ch);
	list_rules(k, ch);
	for (r = ch->regions; r != NULL; r = r->next)
		list_registry(k, r);
}

static void
list_track(struct client *k, const struct track *t)
{
	static const char *const kinds[] = {
		[UT_TRACK_PID] = "pid",
		[UT_TRACK_UID] = "uid",
		[UT_TRACK_NAME] = "name"
	};

	row_begin(1, "tracked");
	row_str("kind", kinds[t->kind]);
	if (t->kind == UT_TRACK_NAME)
		row_str("value", t->glob);
	else
		row_num("value", t->number);
	row_end(k);
}

static void
list_trigger(struct client *k, const struct trigger *t)
{
	const struct rule *rule = trigger_rule(t);

	row_begin(1, "trigger");
	row_members(trigger_members, NULL, t);
	row_str("glob", rule->glob);
	row_str("filter", rule->filter != NULL ? rule->filter->text : "");
	row_str("action", trigger_name(t->action));
	row_str("state", !t->busy && trigger_rest(t) > 0 ? "waits" : t->due ||
	    t->busy ? "due" : trigger_over(t) ? "over" : "armed");
	row_num("matches", trigger_matches(t));
	row_end(k);
}

static void
row_program(struct client *k, int depth, const struct program *p)
{
	row_begin(depth, "program");
	row_str("name", p->name);
	row_num("pid", (uint64_t)p->pid);
	row_num("vpid", (uint64_t)p->vpid);
	row_num("uid", p->uid);
	row_num("bits", p->bits);
	row_end(k);
}

/* Has a consumer not answered, so that numbers are old? */
static bool
is_late(const struct client *k, const struct session *s)
{
	return s->traces != NULL && (session_late(s, k->conn->uid) != NULL ||
	    (k->late > 0 && s->active));
}

/*
 * The error of the session; or "".  A consumer that does not answer has not
 * told the numbers of events, either.
 */
static const char *
session_wrong(const struct client *k, const struct session *s)
{
	const char *error = session_error(s), *unsaved = journal_trouble();

	if (error[0] == '\0' && is_late(k, s))
		return "a consumer does not answer: the numbers are old";
	return error[0] == '\0' && unsaved != NULL ? unsaved : error;
}

void
list_session(struct client *k, const struct session *s)
{
	const struct channel *ch;
	const struct program *p;
	const struct track *t;
	const struct trigger *tr;
	const struct warning *w;
	struct counts sum;
	char offset[32];

	if (k->conn == NULL)
		return;
	session_counts(s, &sum);
	snprintf(offset, sizeof(offset), "%llu", (unsigned long long)s->offset);
	row_begin(0, "session");
	row_str("name", s->name);
	row_str("dir", s->dir);
	row_str("state", s->active ? "active" : "stopped");
	row_members(counts_members, "bytes", &sum);
	row_num("came", s->came);
	row_num("others", s->others);
	row_num("astray", s->astray);
	row_str("error", session_wrong(k, s));
	row_num("late", is_late(k, s));
	row_str("offset_ns", offset);
	row_num("current", s->current && s->uid == k->conn->uid);
	row_num("output", session_output(s));
	row_members(session_members, NULL, s);
	row_end(k);
	for (ch = s->channels; ch != NULL; ch = ch->next)
		list_channel(k, ch);
	for (t = s->tracks; t != NULL; t = t->next)
		list_track(k, t);
	for (tr = s->triggers; tr != NULL; tr = tr->next)
		list_trigger(k, tr);
	for (p = programs; p != NULL; p = p->next)
		if (session_sees(s, p->uid))
			row_program(k, 1, p);
	for (w = s->warnings; w != NULL; w = w->next) {
		row_begin(1, "warning");
		row_str("text", w->text);
		row_end(k);
	}
}

void
list_shot(struct client *k, uint64_t events, const char *lacks,
    const char *dir)
{
	row_begin(0, "snapshot");
	row_num("events", events);
	row_str("lacks", lacks);
	row_str("dir", dir);
	row_end(k);
}

static void
answer_sessions(struct client *k)
{
	const struct session *s;

	if (k->conn == NULL)
		return;
	for (s = sessions; s != NULL && k->conn != NULL; s = s->next)
		if ((k->session == NULL || k->session == s) && !s->dying &&
		    s->trigger == NULL && user_controls(k->conn->uid, s->uid))
			list_session(k, s);
	client_ok(k, "%s", "");
}

void
list_sessions(struct client *k, struct ut_msg *m)
{
	struct session *s;
	struct channel *ch;
	struct waiter *w;
	char name[NAME_MAXLEN], why[512];

	ut_msg_get_str(m, name, sizeof(name));
	if (m->bad) {
		client_refuse(k, "session name too long");
		return;
	}
	if (name[0] != '\0') {
		s = session_find(name, k->conn->uid, why, sizeof(why));
		if (!client_check(k, s != NULL, why))
			return;
		client_about(k, s);
	}
	w = client_wait(k, answer_sessions, CLIENT_PATIENCE);
	for (s = sessions; s != NULL; s = s->next)
		if ((k->session == NULL || k->session == session_shown(s)) &&
		    user_controls(k->conn->uid, s->uid)) {
			if (k->session != NULL)
				session_where(s, w);
			else
				session_where_cheap(s, w);
			for (ch = s->channels; ch != NULL; ch = ch->next)
				channel_count(ch, w);
		}
	wait_less(w);
}

/*
 * UT_CTL_STATUS.
 */
void
list_status(struct client *k, struct ut_msg *m)
{
	const struct program *p;
	uint64_t n = 0;

	(void)m;
	for (p = programs; p != NULL; p = p->next)
		n += p->conn != NULL && user_controls(k->conn->uid, p->uid);
	row_begin(0, "utd");
	row_num("pid", (uint64_t)getpid());
	row_num("uid", (uint64_t)geteuid());
	row_num("programs", n);
	row_end(k);
	client_ok(k, "%s", "");
}

/*
 * UT_CTL_EVENTS.
 */
static void
list_event(struct client *k, const struct event *e)
{
	static struct ut_msg m;
	struct field f;
	char type[64];
	uint32_t n;

	row_begin(1, "event");
	row_str("name", e->name);
	row_num("level", e->level);
	row_end(k);
	event_open(e, &m, &n);
	while (n-- > 0) {
		event_field(&m, &f);
		event_skip(&m, &f);
		event_type(&f, type, sizeof(type));
		row_begin(2, "field");
		row_str("name", f.name);
		row_str("type", type);
		row_end(k);
	}
}

static void
answer_events(struct client *k)
{
	const struct program *p;
	const struct event *e;
	uint32_t i;

	if (k->conn == NULL)
		return;
	for (p = programs; p != NULL && k->conn != NULL; p = p->next) {
		if (p->conn == NULL || !user_controls(k->conn->uid, p->uid))
			continue;
		row_program(k, 0, p);
		for (i = 0; i < p->table->size && k->conn != NULL; i++)
			if ((e = p->table->events[i]) != NULL &&
			    e->state == EVENT_DESCRIBED)
				list_event(k, e);
	}
	client_done(k);
}

void
list_events(struct client *k, struct ut_msg *m)
{
	struct waiter *w = client_wait(k, answer_events, CLIENT_PATIENCE);
	struct program *p;

	(void)m;
	for (p = programs; p != NULL; p = p->next)
		if (user_controls(k->conn->uid, p->uid))
			link_sync(p, NULL, w);
	wait_less(w);
}
