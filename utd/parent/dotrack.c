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

/* Requests of utctl: which programs a session tracks. */

#include <stdio.h>

#include "do.h"
#include "program.h"

/* Answer with the number of programs that are tracked now, if it is known. */
static void
answer_tracked(struct client *k)
{
	const struct session *s = k->session;
	unsigned int n, of;
	char text[NAME_MAXLEN + 64];

	if (k->why[0] != '\0') {
		client_refuse(k, "session %s tracks that, but %s", s->name,
		    k->why);
		return;
	}
	links_wanted(s, &n, &of);
	if (s->active && session_wants(s) && s->tracks != NULL)
		snprintf(text, sizeof(text), "session %s tracks %u of %u "
		    "programs", s->name, n, of);
	else
		snprintf(text, sizeof(text), "session %s tracks %s%s", s->name,
		    s->tracks != NULL ? "only these programs" : "all programs",
		    !s->active ? "; it is not started" : session_wants(s) ? "" :
		    "; no event is enabled yet");
	client_answer(k, text);
}

/* Also those of its triggers. */
static void
sync_channels(const struct session *s, struct waiter *w)
{
	const struct trigger *t;
	struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (channel_active(ch))
			channel_sync(ch, w);
	for (t = s->triggers; t != NULL; t = t->next)
		sync_channels(t->watch, w);
}

static void
sync_tracks(struct client *k)
{
	struct waiter *w = client_wait(k, answer_tracked, CLIENT_PATIENCE);

	sync_channels(k->session, w);
	wait_less(w);
}

/* Does the session see programs of all these users? */
static bool
users_seen(struct client *k, const struct track *list)
{
	const struct session *s = k->session;
	const struct track *t = list;

	while (t != NULL && (t->kind != UT_TRACK_UID ||
	    session_sees(s, (uid_t)t->number)))
		t = t->next;
	if (t != NULL)
		client_refuse(k, "%s: session %s sees only programs of uid %lu",
		    track_text(t), s->name, (unsigned long)s->uid);
	return t == NULL;
}

/* The entries of a request; false, and refused, if these cannot be. */
static bool
get_tracks(struct client *k, struct ut_msg *m, struct track **list)
{
	if (tracks_read(m, list))
		return true;
	client_refuse(k, "track: at most %d entries: process IDs, user IDs, "
	    "and patterns of 1 to %d characters", UT_TRACK_MAX, UT_TRACK_GLOB);
	return false;
}

void
do_track(struct client *k, struct ut_msg *m)
{
	struct track *list;
	char why[512];

	if (!get_tracks(k, m, &list))
		return;
	if (list == NULL)
		client_refuse(k, "track: nothing is named");
	else if (users_seen(k, list) && client_check(k, tracks_add(k->session,
	    list, why, sizeof(why)), why))
		sync_tracks(k);
	tracks_free(list);
}

void
do_untrack(struct client *k, struct ut_msg *m)
{
	struct track *list;
	char why[512];

	if (!get_tracks(k, m, &list))
		return;
	if (client_check(k, tracks_del(k->session, list, why, sizeof(why)),
	    why))
		sync_tracks(k);
	tracks_free(list);
}
