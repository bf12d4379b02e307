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

/* Requests of utctl: sessions that begin, record, and end. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "do.h"
#include "../parent.h"
#include "../link/program.h"
#include "../act/trigger.h"

/*
 * UT_CTL_CREATE: the consumer of the user has made the directory, or could not.
 * If it makes the directory later, nobody uses it.
 */
static void
answer_created(struct client *k)
{
	struct session *s = k->session;

	if (s->ino != 0 || !session_placed(s)) {
		session_made(s, k->owned == s->id);
		log_info("session %s: %s%s", s->name, session_placed(s) ?
		    s->dir : "no output", s->keeps ? ": snapshots" : "");
		client_ok(k, "%s", "");
		return;
	}
	if (s->refused != 0)
		client_taken(k, s->refused == ENOTEMPTY ? UT_TAKEN_DIR : 0,
		    "%s: %s", s->dir, s->gone);
	else
		client_refuse(k, "%s: the consumer of uid %lu does not answer",
		    s->dir, (unsigned long)s->uid);
	session_end(s);
}

static bool	owner_left(struct client *);

/* Does the connection own a session that is still there? */
static bool
owns(const struct client *k)
{
	const struct session *s = session_by_id(k->owned);

	return s != NULL && !s->lingers;
}

void
do_create(struct client *k, struct ut_msg *m)
{
	char name[NAME_MAXLEN], dir[PATH_MAX];
	const struct program *p;
	struct session *s;
	struct waiter *w;
	const char *unsaved;
	bool keeps, owned;
	uint64_t max;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, dir, sizeof(dir));
	keeps = ut_msg_more(m) && ut_msg_get_u32(m) == 1;
	owned = ut_msg_more(m) && ut_msg_get_u32(m) == 1;
	max = ut_msg_more(m) ? ut_msg_get_u64(m) : 0;
	if (m->bad || !name_valid(name, "._-")) {
		client_refuse(k,
		    "session name: 1 to 64 letters, digits, . _ -");
	} else if (dir[0] != '/' && dir[0] != '\0') {
		client_refuse(k, "directory %s: not absolute", dir);
	} else if (max != 0 && (max < UT_BOUND_MIN || max > UT_BOUND_MAX ||
	    keeps || dir[0] == '\0')) {
		client_refuse(k, "session %s: -M has to be at least %llum, and "
		    "for a session that writes a trace", name,
		    (unsigned long long)UT_BOUND_MIN >> 20);
	} else if (owned && owns(k)) {
		client_refuse(k, "session %s: the connection owns another",
		    name);
	} else if (session_taken(name, k->conn->uid)) {
		client_taken(k, UT_TAKEN_NAME, "session %s exists", name);
	} else if (consumers_late(k->conn->uid)) {
		client_refuse(k, "%s: the consumer of uid %lu does not answer",
		    dir, (unsigned long)k->conn->uid);
	} else if (!owned && (unsaved = journal_trouble()) != NULL) {
		client_refuse(k, "session %s: %s", name, unsaved);
	} else if ((s = session_new(new_id(), name, dir, k->conn->uid,
	    k->conn->gid)) == NULL) {
		client_too_many(k, "session", name, k->conn->uid);
	} else {
		s->keeps = keeps;
		s->max = max;
		if (owned) {
			k->owned = s->id;
			k->leave = owner_left;
		}
		for (p = programs; p != NULL; p = p->next)
			session_met(s, p->uid);
		client_about(k, s);
		w = client_wait(k, answer_created, 0);
		session_open(s, w);
		wait_less(w);
	}
}

/* Write errors, and how many warnings there are, to follow the answer. */
static void
troubles(const struct client *k, bool last, char *text, size_t n)
{
	const struct session *s = k->session;
	const char *error = session_error(s);
	char name[SESSION_NAMED];
	const struct warning *w;
	unsigned int warnings = 0;
	size_t len;

	snprintf(text, n, "%s%s", error[0] != '\0' ? "; " : "", error);
	for (w = s->warnings; w != NULL; w = w->next)
		warnings += strcmp(w->text, error) != 0;
	len = strlen(text);
	session_named(s, k->conn != NULL ? k->conn->uid : s->uid, name,
	    sizeof(name));
	if (warnings > 0)
		snprintf(text + len, n - len, "; %u warning%s%s%s",
		    warnings, warnings == 1 ? "" : "s",
		    last ? "" : ": see utctl list ", last ? "" : name);
}

/* If some buffers could not be made, the session records everything else. */
static void
answer_started(struct client *k)
{
	char trouble[2048], text[sizeof(trouble) + NAME_MAXLEN + 128];
	char count[MATCHES_LEN];

	if (k->why[0] != '\0') {
		client_refuse(k, "session %s is started, but %s",
		    k->session->name, k->why);
		return;
	}
	troubles(k, false, trouble, sizeof(trouble));
	if (!session_wants(k->session))
		snprintf(count, sizeof(count), "no event is enabled yet");
	else if (matches_text(k->session, NULL, NULL, count,
	    sizeof(count)) == 0)
		count[0] = '\0';	/* none runs: who may come is open */
	snprintf(text, sizeof(text), "session %s started%s%s%s",
	    k->session->name, count[0] != '\0' ? ": " : "", count, trouble);
	client_answer(k, text);
}

static bool
session_failed(const struct session *s)
{
	const struct channel *ch;
	const struct trigger *t;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (channel_incomplete(ch))
			return true;
	for (t = s->triggers; t != NULL; t = t->next)
		if (session_failed(t->watch))
			return true;
	return false;
}

void
do_start(struct client *k, struct ut_msg *m)
{
	struct session *s = k->session;
	char name[SESSION_NAMED];
	struct waiter *w;

	(void)m;
	if (s->active && !session_failed(s)) {
		client_refuse(k, "session %s is started already", s->name);
		return;
	}
	if (s->closed) {
		session_named(s, k->conn->uid, name, sizeof(name));
		client_refuse(k, "session %s is half destroyed, and cannot "
		    "start any more: utctl destroy %s", s->name, name);
		return;
	}
	w = client_wait(k, answer_started, CLIENT_PATIENCE);
	if (!s->active)
		triggers_arm(s);
	session_follow(s, true, w);
	wait_less(w);
}

static void
tell_counts(struct client *k, const char *what, bool last)
{
	const struct session *s = k->session;
	char text[2048], over[48] = "", out[48];
	const bool written = last && s->dir[0] != '\0';
	struct counts sum;

	session_counts(s, &sum);
	troubles(k, last, text, sizeof(text));
	if (sum.overwritten > 0)
		snprintf(over, sizeof(over), ", %llu overwritten",
		    (unsigned long long)sum.overwritten);
	if (s->keeps)
		snprintf(out, sizeof(out), "%u snapshot%s", s->shots,
		    s->shots == 1 ? "" : "s");
	else
		snprintf(out, sizeof(out), "%llu bytes",
		    (unsigned long long)sum.bytes);
	client_did(k, (sum.written | sum.lost | sum.overwritten) == 0 ?
	    UT_DID_NOTHING : 0,
	    "session %s %s: %llu events, %llu lost%s, %s%s%s%s%s",
	    s->name, what, (unsigned long long)sum.written,
	    (unsigned long long)sum.lost, over, out, written ? " in " : "",
	    written ? s->dir : "", written && s->astray ? WHERE_ASTRAY : "",
	    text);
}

/* Refuse to end a session if a consumer of its events does not answer. */
static bool
refused_late(struct client *k, const char *what)
{
	const struct session *s = k->session;
	const struct consumer *c = session_late(s, k->conn != NULL ?
	    k->conn->uid : s->uid);

	if (c == NULL)
		return false;
	client_refuse(k, "session %s is %s: the consumer of uid %lu %s, and "
	    "its events are still in the buffers", s->name, what,
	    (unsigned long)c->uid, consumer_fault(c));
	return true;
}

static void
answer_stopped(struct client *k)
{
	triggers_look(k->session);
	if (refused_late(k, "stopped"))
		return;
	list_session(k, k->session);
	tell_counts(k, "stopped", false);
}

static struct waiter *
stop_session(struct client *k, void (*finish)(struct client *))
{
	struct waiter *w = client_wait(k, finish, 0);

	k->draining = true;
	session_halt(k->session, w);
	return w;
}

void
do_stop(struct client *k, struct ut_msg *m)
{
	(void)m;
	if (!k->session->active)
		client_refuse(k, "session %s is not started",
		    k->session->name);
	else
		wait_less(stop_session(k, answer_stopped));
}

/* If a consumer is late the session stays, to be destroyed later. */
static bool
undestroyed(struct client *k)
{
	if (!refused_late(k, "stopped, not destroyed"))
		return false;
	k->session->dying = false;
	session_wait(k->session);
	return true;
}

static void
answer_gone(struct client *k)
{
	log_info("session %s destroyed", k->session->name);
	session_close(k->session);	/* while it is in the journal */
	command_lingers(k->session);
	session_forget(k->session);
	if (k->undo)
		session_unmade(k->session);
	tell_counts(k, "destroyed", true);
	session_end(k->session);
}

/* All regions are freed: the last chunk is complete. */
static void
answer_destroyed(struct client *k)
{
	struct waiter *w;

	if (undestroyed(k))
		return;
	w = client_wait(k, answer_gone, CLIENT_PATIENCE);
	rotation_last(k->session, w);
	wait_less(w);
}

/*
 * Everything is in the files.  The session stays in the saved state until its
 * regions are freed.
 */
static void
answer_drained(struct client *k)
{
	struct waiter *w;
	struct channel *ch;

	triggers_look(k->session);
	if (undestroyed(k))
		return;
	if (k->session->error[0] == '\0' && k->session->failing[0] != '\0')
		session_lost(k->session, k->session->failing);
	list_session(k, k->session);
	w = client_wait(k, answer_destroyed, 0);
	session_where(k->session, w);
	/* Another region would describe its channel in the metadata again. */
	k->session->closed = true;
	state_changed(&k->session->saved);
	state_save();
	for (ch = k->session->channels; ch != NULL; ch = ch->next) {
		channel_close(ch);
		channel_count(ch, w);
	}
	wait_less(w);
}

/* The snapshots of triggers are taken. */
static void
destroy_now(struct client *k)
{
	if (!client_check(k, !k->session->dying, "it is being destroyed"))
		return;
	k->session->dying = true;
	wait_less(stop_session(k, answer_drained));
}

static void
destroy_begin(struct client *k)
{
	struct waiter *w = client_wait(k, destroy_now, 0);

	triggers_hurry(k->session, w);
	wait_less(w);
}

void
do_destroy(struct client *k, struct ut_msg *m)
{
	k->undo = ut_msg_more(m) && ut_msg_get_u32(m) == 1;
	destroy_begin(k);
}

/*
 * The connection that owns the session is closed: destroy the session.  False
 * when there is no such session any more.  If a consumer is late, or another
 * request destroys the session, which may fail, this is called again.
 */
static bool
owner_left(struct client *k)
{
	struct session *s = session_by_id(k->owned);

	if (s == NULL || s->lingers)
		return false;
	if (s->dying || (k->leaving && session_late(s, s->uid) != NULL))
		return true;
	if (!k->leaving)
		log_info("session %s: the connection that owns it is closed",
		    s->name);
	k->leaving = true;
	client_about(k, s);
	k->undo = false;
	destroy_begin(k);
	return true;
}
