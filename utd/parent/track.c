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
 * Which programs a session wants: all, or those that it tracks.  An entry is
 * for a process, a user, or programs of such names.  A program is wanted that
 * matches an entry of each kind of which there are entries.
 */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libut/common/clock.h"
#include "program.h"

void
tracks_free(struct track *t)
{
	struct track *next;

	for (; t != NULL; t = next) {
		next = t->next;
		free(t);
	}
}

/* Can there be such an entry?  Of number and glob it has only what it needs. */
static bool
track_valid(struct track *t)
{
	switch (t->kind) {
	case UT_TRACK_PID:
		t->glob[0] = '\0';
		return t->number > 0 && t->number <= INT32_MAX;
	case UT_TRACK_UID:
		t->glob[0] = '\0';
		return t->number != UINT32_MAX;
	case UT_TRACK_NAME:
		t->number = 0;
		return t->glob[0] != '\0';
	default:
		return false;
	}
}

/* Read entries from a message of utctl or the journal; false if invalid. */
bool
tracks_read(struct ut_msg *m, struct track **list)
{
	struct track *t, **last = list;
	uint32_t n = ut_msg_get_u32(m);
	bool good = !m->bad && n <= UT_TRACK_MAX;

	*list = NULL;
	for (; good && n > 0; n--) {
		*last = t = xcalloc(1, sizeof(*t));
		last = &t->next;
		t->kind = ut_msg_get_u32(m);
		t->number = ut_msg_get_u32(m);
		ut_msg_get_str(m, t->glob, sizeof(t->glob));
		good = !m->bad && track_valid(t);
	}
	if (!good) {
		tracks_free(*list);
		*list = NULL;
	}
	return good;
}

/* The entry, for a message. */
const char *
track_text(const struct track *t)
{
	static char text[UT_TRACK_GLOB + 16];

	if (t->kind == UT_TRACK_NAME)
		snprintf(text, sizeof(text), "name %s", t->glob);
	else
		snprintf(text, sizeof(text), "%s %u",
		    t->kind == UT_TRACK_PID ? "pid" : "uid", t->number);
	return text;
}

static bool
track_same(const struct track *a, const struct track *b)
{
	return a->kind == b->kind && a->number == b->number &&
	    strcmp(a->glob, b->glob) == 0;
}

/* Is there such an entry in the list, before end? */
static bool
track_in(const struct track *list, const struct track *t,
    const struct track *end)
{
	while (list != end && !track_same(list, t))
		list = list->next;
	return list != end;
}

static bool
given_twice(const struct track *list, char *why, size_t size)
{
	const struct track *t;

	for (t = list; t != NULL && !track_in(list, t, t); t = t->next)
		continue;
	if (t != NULL)
		snprintf(why, size, "%s is given twice", track_text(t));
	return t != NULL;
}

/* All programs are to be judged anew. */
static void
tracks_changed(struct session *s, const struct track *list, bool added)
{
	s->tracking++;
	state_track(s, list, added);
}

/* May the session have these, too?  If so, they are charged to its user. */
static bool
tracks_take(struct session *s, const struct track *list, char *why, size_t size)
{
	const struct track *t;
	uint32_t n = 0;

	if (given_twice(list, why, size))
		return false;
	for (t = list; t != NULL; t = t->next, n++) {
		if (!track_in(s->tracks, t, NULL))
			continue;
		snprintf(why, size, "%s is tracked already in session %s",
		    track_text(t), s->name);
		return false;
	}
	if (n > UT_TRACK_MAX - s->ntracks)
		snprintf(why, size, "session %s can track %d entries, and has "
		    "%u", s->name, UT_TRACK_MAX, s->ntracks);
	else if (!user_take(s->user, QUOTA_RULES, n * sizeof(*t)))
		snprintf(why, size, "session %s: uid %lu has too many rules",
		    s->name, (unsigned long)s->uid);
	else
		return true;
	return false;
}

/* Add copies of all, or none, and why. */
bool
tracks_add(struct session *s, const struct track *list, char *why, size_t size)
{
	const struct track *t;
	struct track **p;

	if (!tracks_take(s, list, why, size))
		return false;
	for (p = &s->tracks; *p != NULL; p = &(*p)->next)
		continue;
	for (t = list; t != NULL; t = t->next, p = &(*p)->next) {
		*p = xcalloc(1, sizeof(**p));
		**p = *t;
		(*p)->next = NULL;
		s->ntracks++;
	}
	tracks_changed(s, list, true);
	return true;
}

/* Has the session all of these, or any if these are none? */
static bool
tracks_there(const struct session *s, const struct track *list, char *why,
    size_t size)
{
	const struct track *t;

	if (given_twice(list, why, size))
		return false;
	for (t = list; t != NULL && track_in(s->tracks, t, NULL); t = t->next)
		continue;
	if (t != NULL)
		snprintf(why, size, "%s is not tracked in session %s",
		    track_text(t), s->name);
	else if (s->tracks == NULL)
		snprintf(why, size, "session %s tracks nothing: it records all "
		    "programs", s->name);
	return t == NULL && s->tracks != NULL;
}

/* Remove all of these, without any all that there are; or none, and why. */
bool
tracks_del(struct session *s, const struct track *list, char *why, size_t size)
{
	struct track *t, **p = &s->tracks;

	if (!tracks_there(s, list, why, size))
		return false;
	while ((t = *p) != NULL) {
		if (list != NULL && !track_in(list, t, NULL)) {
			p = &t->next;
			continue;
		}
		*p = t->next;
		free(t);
		s->ntracks--;
		user_give(s->user, QUOTA_RULES, sizeof(*t));
	}
	tracks_changed(s, list, false);
	return true;
}

/* The session is about to be freed. */
void
session_untrack(struct session *s)
{
	user_give(s->user, QUOTA_RULES, s->ntracks * sizeof(*s->tracks));
	tracks_free(s->tracks);
}

static bool
track_matches(const struct track *t, const struct program *p)
{
	switch (t->kind) {
	case UT_TRACK_PID:
		return p->pid > 0 && (uint32_t)p->pid == t->number;
	case UT_TRACK_UID:
		return (uint32_t)p->uid == t->number;
	default:
		return fnmatch(t->glob, p->name, 0) == 0;
	}
}

/* Look at the entries from there on; false if the user's time is over. */
static bool
tracks_judge(const struct session *s, const struct program *p,
    struct verdict *v, uint64_t since)
{
	const struct track *t = s->tracks;
	uint32_t i;

	for (i = 0; i < v->judged; i++)
		t = t->next;
	for (; t != NULL; t = t->next, v->judged++) {
		if (!user_goes_on(s->user, since, strlen(t->glob) + 1))
			return false;
		v->kinds |= 1u << t->kind;
		if ((v->matched & 1u << t->kind) == 0 && track_matches(t, p))
			v->matched |= 1u << t->kind;
	}
	return true;
}

/*
 * Does the session want the program?  False when the session's user has no time
 * left to find that out: names are compared with patterns, which takes its
 * time, and are compared only once.
 */
bool
track_judge(const struct session *s, const struct program *p, struct verdict *v)
{
	const uint64_t since = ut_nanoseconds();
	bool all;

	if (v->tracking != s->tracking) {
		memset(v, 0, sizeof(*v));
		v->tracking = s->tracking;
	}
	all = tracks_judge(s, p, v, since);
	v->wanted = all && v->matched == v->kinds;
	user_spent(s->user, since);
	return all;
}
