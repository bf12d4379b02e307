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
 * The end of channels and of sessions.
 */

#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "../parent.h"
#include "../link/program.h"
#include "shot.h"

/* Detach all programs, and close all regions. */
void
channel_close(struct channel *ch)
{
	links_detach(ch);
	regions_close(ch);
}

/*
 * Begin or end to record, with its triggers; w waits for the counts, and if it
 * begins, for programs.
 */
void
session_follow(struct session *s, bool active, struct waiter *w)
{
	struct trigger *t;
	struct channel *ch;

	session_activate(s, active);
	if (active)
		watch_soon();
	for (ch = s->channels; ch != NULL; ch = ch->next) {
		channel_activate(ch, w);
		channel_sync(ch, active ? w : NULL);
	}
	for (t = s->triggers; t != NULL; t = t->next)
		session_follow(t->watch, active, w);
}

/* Programs are told to record no more, but nobody waits for their answers. */
void
session_halt(struct session *s, struct waiter *w)
{
	struct trace *t;

	watch_session(s);
	for (t = s->traces; t != NULL; t = t->next)
		trace_refine(t);
	session_follow(s, false, w);
}

/* Close the channels of the session and its triggers.  Is there any region? */
static bool
close_all(struct session *s)
{
	const struct trigger *t;
	struct channel *ch;
	bool any;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		channel_close(ch);
	any = regions_end(s);
	for (t = s->triggers; t != NULL; t = t->next)
		any |= close_all(t->watch);
	return any;
}

static void
free_all(struct session *s)
{
	const struct trigger *t;
	struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		regions_free(ch);
	for (t = s->triggers; t != NULL; t = t->next)
		free_all(t->watch);
}

/*
 * Close and free all buffers of the session and its triggers, while it is still
 * in the journal.  It is saved as one that lingers: if we are killed in here,
 * the next utd finds a session that is destroyed, and removes the names of its
 * memory.
 */
void
session_close(struct session *s)
{
	const bool lingers = s->lingers;

	if (!close_all(s))
		return;
	s->lingers |= s->lasts && s->trigger == NULL;
	state_changed(&s->saved);
	state_save();
	s->lingers = lingers;
	state_changed(&s->saved);
	free_all(s);
}

/*
 * Close and free all that the session has, and the session.  Of its triggers
 * nobody wants the last events.
 */
void
session_end(struct session *s)
{
	session_close(s);
	while (s->triggers != NULL)
		session_end(s->triggers->watch);
	while (s->traces != NULL)
		trace_close(s->traces);
	clients_forget(s);
	if (!s->lingers)
		session_free(s);
	clients_left();
}

/* Warn, once for each user, of buffers not written; true if there are any. */
static bool
warn_left(const struct session *s)
{
	const struct trace *t, *u;
	bool any = false;

	for (t = s->traces; t != NULL; t = t->next) {
		if (!regions_kept(t))
			continue;
		any = true;
		for (u = s->traces; u != t; u = u->next)
			if (u->uid == t->uid && regions_kept(u))
				break;
		if (u == t)
			log_warnx("session %s: the buffers of uid %lu are not "
			    "all written: see utctl recover", s->name,
			    (unsigned long)t->uid);
	}
	return any;
}

/* utd ends, and with it all sessions whose buffers are written. */
bool
sessions_end(void)
{
	struct session *s, *next;

	for (s = sessions; s != NULL; s = next) {
		next = s->next;
		/* One that watches goes with the one it is of. */
		if (s->trigger != NULL || warn_left(s)) {
			session_activate(s, false);
			continue;
		}
		command_forget(s);
		session_end(s);
	}
	return sessions == NULL;
}

/*
 * utd is told to end: sessions that keep what they record are written once
 * more, as snapshots, for what is in memory is all that they have.
 */

#define PARTS_MS	15000		/* for other users' consumers, which
					   may say something and do little */
#define HURRY_MS	1000		/* parts that begin later */
#define LAST_MS		20000		/* in all; then utd ends without */

/* The last snapshot of a session. */
struct last {
	char		 session[NAME_MAXLEN];
	uint32_t	 shot;
	char		 why[600];	/* why it or a part is missing; or "" */
	struct last	*next;
};

static struct last *lasts;
static unsigned int pending;
static bool asked;
static struct timer parts;

static void
out_of_time(void *arg)
{
	(void)arg;
	loop_end();
}

/* Again and again: a part may begin late, when its directory is there. */
static void
last_hurry(void *arg)
{
	(void)arg;
	shots_hurry();
	timer_set(&parts, HURRY_MS, last_hurry, NULL);
}

static void
last_taken(void *arg)
{
	char path[PATH_MAX + NAME_MAXLEN + 16];
	struct last *l = arg;
	uint64_t events;

	if (shot_failed(l->shot) != NULL) {
		snprintf(l->why, sizeof(l->why), ": %s", shot_failed(l->shot));
		log_warnx("session %s: snapshot%s", l->session, l->why);
	} else if (shot_result(l->shot, &events, path, sizeof(path))) {
		snprintf(l->why, sizeof(l->why), "%s", shot_lacks(l->shot));
		log_info("session %s: snapshot of %llu event%s%s: %s",
		    l->session, (unsigned long long)events,
		    events == 1 ? "" : "s", l->why, path);
	}
	if (--pending == 0)
		loop_end();
}

static void
last_take(struct session *s)
{
	struct last *l = xcalloc(1, sizeof(*l));
	struct waiter *w = wait_new(last_taken, l);
	char why[600];

	l->next = lasts;
	lasts = l;
	snprintf(l->session, sizeof(l->session), "%s", s->name);
	snprintf(l->why, sizeof(l->why), ": not complete");
	pending++;
	l->shot = shot_begin(s, NULL, NULL, NULL, w, why, sizeof(why));
	if (l->shot == 0) {
		log_warnx("%s", why);
		snprintf(l->why, sizeof(l->why), ": %.590s", why);
		wait_abandon(w);
		pending--;
	}
	wait_less(w);
}

/* Sessions whose events in memory were not all saved; NULL: none. */
const char *
last_unsaved(void)
{
	static char text[2048];
	const struct last *l;
	size_t n = 0;

	for (l = lasts; l != NULL && n < sizeof(text); l = l->next)
		if (l->why[0] != '\0')
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "%ssession %s: snapshot%s", n == 0 ? "" : "; ",
			    l->session, l->why);
	return n == 0 ? NULL : text;
}

/* Has anybody recorded anything that the session keeps? */
static bool
keeps_any(const struct session *s)
{
	struct counts sum;

	if (!s->keeps || s->dying || s->trigger != NULL || s->traces == NULL)
		return false;
	session_counts(s, &sum);
	return s->active || sum.written > 0;
}

/* End the loop, soon, or, when this is asked for a second time, at once. */
void
parent_stop(void)
{
	static struct timer limit;
	struct session *s;

	if (asked) {
		loop_end();
		return;
	}
	asked = true;
	for (s = sessions; s != NULL; s = s->next)
		if (keeps_any(s))
			last_take(s);
	if (pending == 0) {
		loop_end();
	} else {
		timer_set(&parts, PARTS_MS, last_hurry, NULL);
		timer_set(&limit, LAST_MS, out_of_time, NULL);
	}
}
