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
 * Sessions.
 */

#include <sys/types.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rule.h"
#include "../store/trace.h"

struct session *sessions;
void (*session_looks)(void *);
void (*session_cleared)(struct session *, struct waiter *);

/* Is the name fit to be part of a path? */
bool
name_valid(const char *name, const char *extra)
{
	if (*name == '\0' || *name == '.' || *name == '-' ||
	    strlen(name) > 64)
		return false;
	for (; *name != '\0'; name++)
		if (!isalnum((unsigned char)*name) &&
		    strchr(extra, *name) == NULL)
			return false;
	return true;
}

/* Has the user a session of that name, even one being made or destroyed? */
bool
session_taken(const char *name, uid_t uid)
{
	const struct session *s;

	for (s = sessions; s != NULL; s = s->next)
		if (!s->lingers && s->trigger == NULL && s->uid == uid &&
		    strcmp(s->name, name) == 0)
			return true;
	return false;
}

/* Can it be named now? */
static bool
nameable(const struct session *s)
{
	return !s->dying && s->trigger == NULL;
}

/* Put the name by which the user can mean the session into the text. */
void
session_named(const struct session *s, uid_t uid, char *text, size_t n)
{
	if (s->uid == uid)
		snprintf(text, n, "%s", s->name);
	else
		snprintf(text, n, "%lu/%s", (unsigned long)s->uid, s->name);
}

/* Append to why the names that the user can give: all, or those like name. */
static void
add_choices(const char *name, uid_t uid, char *why, size_t size)
{
	const char *before = ": name one of ";
	const struct session *s;
	char one[SESSION_NAMED];
	size_t len = strlen(why);

	for (s = sessions; s != NULL; s = s->next) {
		if (!nameable(s) || !user_controls(uid, s->uid) ||
		    (*name != '\0' && strcmp(s->name, name) != 0))
			continue;
		session_named(s, uid, one, sizeof(one));
		if (len + strlen(before) + strlen(one) + 8 > size) {
			snprintf(why + len, size - len, ", ...");
			break;
		}
		len += (size_t)snprintf(why + len, size - len, "%s%s", before,
		    one);
		before = ", ";
	}
}

/*
 * The session that a user means who names none: the one that the user created
 * last.  Once it is gone there is none, until the user creates another, so that
 * no command is for a session that the user did not have in mind.
 */
static struct session *
session_current(uid_t uid, char *why, size_t size)
{
	struct session *s;
	bool any = false;

	for (s = sessions; s != NULL; s = s->next) {
		if (!nameable(s) || s->uid != uid)
			continue;
		if (s->current)
			return s;
		any = true;
	}
	snprintf(why, size, any ? "the session that you created last is gone" :
	    "there is no session of yours");
	add_choices("", uid, why, size);
	return NULL;
}

/*
 * A new session is ready.  Commands that name no session use this one from now
 * on, unless the session is owned by a connection.
 */
void
session_made(struct session *new, bool owned)
{
	struct session *s;

	new->dying = false;
	new->lasts = true;
	if (owned) {
		state_changed(&new->saved);
		return;
	}
	for (s = sessions; s != NULL; s = s->next) {
		if (s->uid != new->uid || s->trigger != NULL)
			continue;
		if (s->current)
			new->before = s->id;
		s->current = s == new;
		state_changed(&s->saved);
	}
}

/*
 * The session goes as if it had never been made: the one that its user created
 * before it is again the last one.  The next utd does not know which that was.
 */
void
session_unmade(struct session *gone)
{
	struct session *s = gone->before == 0 ? NULL :
	    session_by_id(gone->before);

	if (!gone->current || s == NULL || s->uid != gone->uid)
		return;
	gone->current = false;
	s->current = true;
	state_changed(&gone->saved);
	state_changed(&s->saved);
}

/* Split UID/NAME; false if there is no UID. */
static bool
split_name(const char **name, unsigned long *uid)
{
	const size_t n = strspn(*name, "0123456789");

	if (n == 0 || (*name)[n] != '/')
		return false;
	errno = 0;
	*uid = strtoul(*name, NULL, 10);
	if (errno != 0)
		return false;
	*name += n + 1;
	return true;
}

/*
 * Find a session by NAME, UID/NAME or an empty name; NULL and why if there is
 * none, or several.  The user's own sessions come first, so that nobody else's
 * takes the place of the one that root has in mind.
 */
struct session *
session_find(const char *name, uid_t uid, char *why, size_t size)
{
	struct session *s, *found = NULL;
	const char *full = name;
	unsigned long owner;
	unsigned int n = 0;
	bool one;

	if (*name == '\0')
		return session_current(uid, why, size);
	one = split_name(&name, &owner);
	for (s = sessions; s != NULL; s = s->next) {
		if (!nameable(s) || !user_controls(uid, s->uid) ||
		    strcmp(s->name, name) != 0 || (one && s->uid != owner))
			continue;
		if (one || s->uid == uid)
			return s;
		found = s;
		n++;
	}
	if (n == 1)
		return found;
	if (n == 0) {
		snprintf(why, size, "session %s does not exist", full);
		add_choices("", uid, why, size);
	} else {
		snprintf(why, size, "several users have a session %s", name);
		add_choices(name, uid, why, size);
	}
	return NULL;
}

/* Until session_made nobody sees it.  NULL, ENOMEM: the user has too much. */
struct session *
session_new(uint32_t id, const char *name, const char *dir, uid_t uid,
    gid_t gid)
{
	struct user *u = user_get(uid);
	struct session *s;
	struct instant now;

	if (!user_take(u, QUOTA_SESSIONS, 1)) {
		user_drop(u);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->id = id;
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(s->dir, sizeof(s->dir), "%s", dir);
	s->uid = uid;
	s->gid = gid;
	s->user = u;
	s->dirfd = -1;
	s->dying = true;
	instant_read(&now);
	s->offset = now.real - now.ns;
	course_begin(&s->course);
	s->rotation.began = s->created = (int64_t)ut_time();
	s->next = sessions;
	sessions = s;
	state_add(&s->saved, SAVED_SESSION, id, s);
	return s;
}

/*
 * The session watches for a trigger of that one, which is told everything that
 * goes wrong in it.
 */
void
session_watch(struct session *s, struct session *of)
{
	struct trigger *t;

	s->trigger = t = xcalloc(1, sizeof(*t));
	t->watch = s;
	t->of = of;
	LIST_ADD(struct trigger, &of->triggers, t, next);
	s->lasts = true;
	s->dying = false;
	state_changed(&s->saved);
}

static void
trigger_free(struct trigger *t)
{
	if (t->due && t->again.when != 0 && t->command != NULL)
		log_peer("session %s: the command of trigger %u was not run "
		    "for the last time", t->of->name, t->number);
	LIST_DEL(struct trigger, &t->of->triggers, t, next);
	timer_clear(&t->look);
	timer_clear(&t->enough);
	timer_clear(&t->again);
	free(t->command);
	free(t);
}

/* The caller has regions and programs follow. */
void
session_activate(struct session *s, bool active)
{
	s->active = active;
	s->begun |= active;
	state_changed(&s->saved);
}

/* Look again at how far the rotation of the session is. */
void
rotation_soon(struct session *s)
{
	if (s->rotation.busy && !s->rotation.asked)
		timer_set(&s->rotation.timer, s->rotation.why[0] != '\0' ?
		    ROTATION_RETRY : 0, session_looks, id_arg(s->id));
}

/* Keep fd as the session's directory: 0, or an errno. */
int
session_own(struct session *s, int fd, bool had)
{
	s->dirfd = fd == -1 ? -1 : user_open(s->user, fd, had);
	return s->dirfd == -1 ? errno : 0;
}

/* Free a session whose traces are closed. */
void
session_free(struct session *s)
{
	struct channel *ch;
	struct chunk *c;
	struct warning *w;

	LIST_DEL(struct session, &sessions, s, next);
	while ((ch = s->channels) != NULL) {
		s->channels = ch->next;
		channel_free(ch);
	}
	while ((w = s->warnings) != NULL) {
		s->warnings = w->next;
		free(w->text);
		free(w);
	}
	session_untrack(s);
	while ((c = s->chunks) != NULL) {
		s->chunks = c->next;
		free(c);
	}
	free(s->command);
	timer_clear(&s->rotation.timer);
	timer_clear(&s->rotation.due);
	waits_done(&s->rotation.waiters, "");
	timer_clear(&s->retry);
	timer_clear(&s->command_again);
	if (s->dirfd != -1)
		user_close(s->user, s->dirfd);
	user_give(s->user, QUOTA_SESSIONS, 1);
	user_drop(s->user);
	state_del(&s->saved);
	if (s->trigger != NULL)
		trigger_free(s->trigger);	/* the journal asks for it */
	free(s);
}

/*
 * Is this the session's directory?  A new session remembers which directory its
 * path led to, unless another session has it; a path that is opened again must
 * lead to the same one.  The consumer says so: its user could keep us waiting
 * if we asked the file system ourselves.
 */
bool
session_dir(struct session *s, struct ut_msg *m)
{
	const struct session *t;
	char path[PATH_MAX];
	uint64_t dev, ino;

	ut_msg_get_str(m, path, sizeof(path));
	dev = ut_msg_get_u64(m);
	ino = ut_msg_get_u64(m);
	if (s->ino != 0)
		return !m->bad && dev == s->dev && ino == s->ino;
	for (t = sessions; t != NULL; t = t->next)
		if (t->ino == ino && t->dev == dev)
			return false;
	s->dev = dev;
	s->ino = ino;
	state_changed(&s->saved);
	return true;
}

bool
session_placed(const struct session *s)
{
	return s->dir[0] != '\0';
}

bool
session_output(const struct session *s)
{
	return session_placed(s) && !s->keeps;
}

const char *
session_no_output(const struct session *s)
{
	return s->keeps ? "keeps what it records: see snapshot" :
	    !session_placed(s) ? "has no output" : NULL;
}

/* Take the session out of the saved state; its directory is nobody's. */
void
session_forget(struct session *s)
{
	s->lasts = false;
	s->ino = 0;
	state_changed(&s->saved);
}

bool
session_wants(const struct session *s)
{
	const struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (ch->enabled && !ch->removed && ch->newest != NULL)
			return true;
	return false;
}

/* Why it has not recorded everything, or does not now. */
const char *
session_error(const struct session *s)
{
	return s->error[0] != '\0' ? s->error : s->failing;
}

void
session_missed(struct session *s)
{
	s->missed = true;
	state_changed(&s->saved);
}

void
session_lost(struct session *s, const char *why)
{
	snprintf(s->error, sizeof(s->error), "%s", why);
	state_changed(&s->saved);
}

/* Set what fails now: the directory, or a region. */
void
session_look(struct session *s)
{
	const struct channel *ch;
	const struct region *r;

	snprintf(s->failing, sizeof(s->failing), "%s", s->gone);
	for (ch = s->channels; ch != NULL; ch = ch->next)
		for (r = ch->regions; r != NULL; r = r->next)
			if (r->why != NULL)
				snprintf(s->failing, sizeof(s->failing), "%s",
				    r->why);
}

/* Only root's sessions, on root's utd, see the programs of others. */
bool
session_sees(const struct session *s, uid_t uid)
{
	return !s->dying && (s->uid == uid || s->uid == 0);
}

/* A program came, which it may see or not. */
void
session_met(struct session *s, uid_t uid)
{
	if (s->uid == uid || s->uid == 0)
		s->came++;
	else
		s->others++;
}
