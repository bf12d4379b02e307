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
 * Snapshots: a trace of what the buffers of a session hold now, in a directory
 * of its own, whatever becomes of the session.
 *
 * A consumer of the session's owner makes the directory, under a hidden name.
 * Then each consumer that has regions of the session gets the metadata of a
 * trace, made anew from the registries, and writes there what its regions hold.
 * When all have done so, the directory gets its name, by one rename; or, if
 * anything went wrong, it is removed.
 *
 * That is not in the saved state: a snapshot that is not complete when utd is
 * killed never will be.  What it has left in the session's directory is removed
 * by the next utd.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shot.h"

#define SHOTS_MAX	16		/* at a time, of one user */
#define PATIENCE_MS	10000		/* for what can perhaps be soon */
#define AGAIN_MS	50
#define FORGET_MS	1000		/* until who waits has asked for it */
#define COMMANDS_MAX	1000		/* waiting, of one session */

static struct shot *shots;
static struct ut_msg out;

static struct shot *
shot_by_id(uint32_t id)
{
	struct shot *sh;

	for (sh = shots; sh != NULL && sh->id != id; sh = sh->next)
		continue;
	return sh;
}

/* Close all that was needed to make the snapshot. */
static void
shot_close(struct shot *sh)
{
	parts_free(sh);
	if (sh->fd != -1)
		user_close(sh->user, sh->fd);
	if (sh->above != -1)
		user_close(sh->user, sh->above);
	sh->fd = sh->above = -1;
}

static void
shot_free(struct shot *sh)
{
	LIST_DEL(struct shot, &shots, sh, next);
	shot_close(sh);
	timer_clear(&sh->timer);
	user_drop(sh->user);
	free(sh->command);
	free(sh->dir);
	free(sh);
}

static void
shot_forget(void *arg)
{
	shot_free(arg);
}

/* The command of the session that is to be run next, or runs. */
static struct shot *
next_command(uint32_t session)
{
	struct shot *sh, *oldest = NULL;

	for (sh = shots; sh != NULL; sh = sh->next)
		if (sh->session == session && sh->commanding)
			oldest = sh;		/* the newest comes first */
	return oldest;
}

static void	run_command(struct shot *);

/* Remember the snapshot until whoever waits for it has asked. */
static void
forget_soon(struct shot *sh)
{
	sh->commanding = false;
	timer_set(&sh->timer, FORGET_MS, shot_forget, sh);
}

static void
command_over(struct shot *sh)
{
	struct shot *next;

	forget_soon(sh);
	if ((next = next_command(sh->session)) != NULL)
		run_command(next);
}

static void
command_ended(uint32_t id, int status)
{
	struct shot *sh = shot_by_id(id);
	struct session *s;
	char why[64];

	if (sh == NULL)
		return;
	if (job_failed(status, why, sizeof(why)) &&
	    (s = session_by_id(sh->session)) != NULL)
		session_warn(s, "command for a snapshot: %s", why);
	command_over(sh);
}

static void
shot_run(void *arg)
{
	struct shot *sh = arg;
	const char *const args[JOB_ARGS] = { sh->path };
	struct session *s = session_by_id(sh->session);

	if (s == NULL) {
		command_over(sh);
		return;
	}
	if (job_run(s, sh->command, args, command_ended, sh->id) != -1)
		return;
	session_warn(s, "command for a snapshot: %s; it is run later",
	    strerror(errno));
	timer_set(&sh->timer, ROTATION_RETRY, shot_run, sh);
}

/* Run the command, one of each session at a time, when its turn comes. */
static void
run_command(struct shot *sh)
{
	struct session *s = session_by_id(sh->session);
	const int ms = s != NULL ? job_delay(s) : 0;

	if (ms > 0)
		timer_set(&sh->timer, ms, shot_run, sh);
	else
		shot_run(sh);
}

static unsigned int
commands(uint32_t session)
{
	const struct shot *sh;
	unsigned int n = 0;

	for (sh = shots; sh != NULL; sh = sh->next)
		n += sh->session == session && sh->commanding;
	return n;
}

/* utctl is told; nobody waits for the command. */
static void
begin_command(struct shot *sh, struct session *s)
{
	const unsigned int n = commands(s->id);

	if (n >= COMMANDS_MAX) {
		session_warn(s, "%u commands for snapshots wait already: no "
		    "more than that", n);
		return;
	}
	sh->commanding = true;
	timer_clear(&sh->timer);		/* not to be forgotten before */
	if (n == 0)
		run_command(sh);
}

static void
shot_over(struct shot *sh)
{
	struct session *s = session_by_id(sh->session);

	sh->over = true;
	shot_close(sh);
	if (s != NULL)
		s->shooting--;
	if (sh->why[0] != '\0' && sh->waiters.n == 0 && s != NULL)
		session_warn(s, "snapshot: %s", sh->why);
	if (sh->why[0] == '\0' && sh->lacks && s != NULL)
		session_warn(s, "snapshot%s", shot_lacks(sh->id));
	waits_done(&sh->waiters, sh->why);
	forget_soon(sh);
	if (sh->why[0] == '\0' && sh->command != NULL && s != NULL)
		begin_command(sh, s);
}

static void	shot_end(struct shot *);

/* UT_C_SHOTEND is answered. */
static void
got_end(uint32_t id, int error, struct ut_msg *m)
{
	struct shot *sh = shot_by_id(id);
	struct session *s;
	char name[NAME_MAXLEN];

	if (sh == NULL || sh->over)
		return;
	if (error != 0) {
		if (sh->why[0] == '\0') {
			shot_fail(sh, consumer_why(m, error));
			shot_end(sh);		/* no directory of its name */
			return;
		}
	} else if (sh->why[0] == '\0') {
		ut_msg_get_str(m, name, sizeof(name));
		if ((s = session_by_id(sh->session)) != NULL) {
			s->shots++;
			state_changed(&s->saved);
		}
		if (sh->dir != NULL)
			snprintf(sh->path, sizeof(sh->path), "%s", sh->dir);
		else
			snprintf(sh->path, sizeof(sh->path),
			    "%s/snapshots/%s", s != NULL ? s->dir : "", name);
	}
	shot_over(sh);
}

/* All parts are written; or one could not be. */
static void
shot_end(struct shot *sh)
{
	struct session *s = session_by_id(sh->session);

	if (sh->dir == NULL && s != NULL)
		session_where(s, NULL);	/* answered before this */
	request_init(&out, UT_C_SHOTEND, 0, sh->why[0] == '\0' ?
	    UT_SHOT_KEEP : UT_SHOT_REMOVE);
	ut_msg_str(&out, sh->hidden);
	ut_msg_str(&out, sh->name);
	ut_msg_u32(&out, sh->any);
	ut_msg_u32(&out, sh->dir == NULL && s != NULL && s->keep_shots != 0 ?
	    s->keep_shots : UINT32_MAX);
	ut_msg_fd(&out, sh->above);
	if (sh->fd != -1)
		ut_msg_fd(&out, sh->fd);
	(void)consumer_ask(consumer_get(sh->uid, sh->gid), &out, got_end,
	    sh->id, NULL);
}

/* Keep both descriptors of the reply: 0, or an errno. */
static int
shot_own(struct shot *sh, struct ut_msg *m)
{
	int fd = ut_msg_get_fd(m), above = ut_msg_get_fd(m);

	if (fd != -1)
		sh->fd = user_open(sh->user, fd, false);
	if (above != -1)
		sh->above = user_open(sh->user, above, false);
	return sh->fd == -1 || sh->above == -1 ? errno : 0;
}

/* UT_C_SHOTDIR is answered. */
static void
got_dir(uint32_t id, int error, struct ut_msg *m)
{
	struct shot *sh = shot_by_id(id);
	const struct session *s;
	char text[512];

	if (sh == NULL || sh->over)
		return;
	if (error == 0)
		error = shot_own(sh, m);
	if (error != 0) {
		snprintf(text, sizeof(text), "%.100s: %s", sh->dir != NULL ?
		    sh->dir : sh->name, consumer_why(m, error));
		shot_fail(sh, text);
		if (sh->above != -1)
			shot_end(sh);
		else
			shot_over(sh);
		return;
	}
	ut_msg_get_str(m, sh->name, sizeof(sh->name));
	if (m->bad)
		shot_fail(sh, strerror(EPROTO));
	s = session_by_id(sh->session);
	if (s == NULL || s->dying)
		shot_fail(sh, "the session was destroyed");
	if (sh->why[0] == '\0')
		parts_begin(sh, s, shot_end);
	else
		shot_end(sh);
}

static bool
too_many(uid_t uid)
{
	const struct shot *sh;
	unsigned int n = 0;

	for (sh = shots; sh != NULL; sh = sh->next)
		n += sh->uid == uid && sh->begun && !sh->over;
	return n >= SHOTS_MAX;
}

/*
 * Does the session have buffers that no consumer has taken over yet?  Other
 * users' buffers count only with patience, and not if their consumer does not
 * answer.
 */
static bool
session_waits(const struct session *s, bool patience)
{
	const struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (trace_waits(t) && (t->uid == s->uid ||
		    (patience && !t->consumer->late)))
			return true;
	return false;
}

/* Why there can be none now, with EAGAIN if perhaps soon; or NULL. */
static const char *
shot_refused(const struct session *s, const char *dir, bool patience)
{
	errno = EINVAL;
	if (!s->begun)
		return "was never started";
	if (dir == NULL && !session_placed(s))
		return "has no directory: name one (-o)";
	if (dir == NULL && s->gone[0] != '\0')
		return s->gone;
	if (s->traces == NULL)
		return "has no buffers yet: no program came that records";
	errno = EAGAIN;
	if ((dir == NULL && s->dirfd == -1) || session_waits(s, patience))
		return "is being taken up";
	if (consumers_late(s->uid))
		return "has a consumer that does not answer";
	if (too_many(s->uid))
		return "has too many snapshots under way";
	return NULL;
}

/* The consumer of the session's owner makes its directory. */
static void
ask_dir(struct shot *sh, struct session *s)
{
	size_t len;

	sh->begun = true;
	/*
	 * A name like those of archives: the time and a number, by which the
	 * oldest is known.  Several may be under way.
	 */
	if (sh->name[0] == '\0') {
		if (s->shot_number < s->shots)
			s->shot_number = s->shots;
		name_time(sh->name, sizeof(sh->name), (int64_t)ut_time());
		len = strlen(sh->name);
		snprintf(sh->name + len, sizeof(sh->name) - len, "%u",
		    ++s->shot_number);
	}
	request_init(&out, UT_C_SHOTDIR, 0, 0);
	ut_msg_str(&out, sh->dir != NULL ? sh->dir : sh->name);
	ut_msg_u32(&out, sh->any);
	ut_msg_str(&out, sh->hidden);
	if (sh->dir == NULL)
		ut_msg_fd(&out, s->dirfd);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, got_dir, sh->id,
	    NULL);
}

/* Begin the snapshot as soon as it can be. */
static void
shot_go(void *arg)
{
	struct shot *sh = arg;
	struct session *s;
	const char *not;
	char why[300];

	if (sh->over)
		return;
	s = session_by_id(sh->session);
	if (s == NULL || s->dying) {
		errno = EINVAL;
		not = "was destroyed";
	} else {
		not = shot_refused(s, sh->dir, sh->waited < PATIENCE_MS);
	}
	if (not == NULL) {
		ask_dir(sh, s);
	} else if (errno == EAGAIN && sh->waited < PATIENCE_MS) {
		sh->waited += AGAIN_MS;
		timer_set(&sh->timer, AGAIN_MS, shot_go, arg);
	} else {
		snprintf(why, sizeof(why), "the session %s", not);
		shot_fail(sh, why);
		shot_over(sh);
	}
}

uint32_t
shot_begin(struct session *s, const char *dir, const char *name,
    const char *command, struct waiter *w, char *why, size_t n)
{
	const char *not = shot_refused(s, dir, true);
	unsigned char uuid[UUID_LEN];
	char text[UUID_TEXT];
	struct shot *sh;

	if (not != NULL && errno != EAGAIN) {
		snprintf(why, n, "session %s %s", s->name, not);
		return 0;
	}
	sh = xcalloc(1, sizeof(*sh));
	sh->id = new_id();
	sh->session = s->id;
	sh->uid = s->uid;
	sh->gid = s->gid;
	sh->user = user_get(s->uid);
	sh->fd = sh->above = -1;
	sh->dir = dir != NULL ? xstrdup(dir) : NULL;
	sh->command = command != NULL ? xstrdup(command) : NULL;
	sh->any = dir == NULL && name == NULL;
	sh->next = shots;
	shots = sh;
	s->shooting++;
	if (name != NULL)
		snprintf(sh->name, sizeof(sh->name), "%s", name);
	/* A name that nobody can take before. */
	uuid_make(uuid, text);
	snprintf(sh->hidden, sizeof(sh->hidden), ".utd-%s", text);
	waits_add(&sh->waiters, w);
	shot_go(sh);
	return sh->id;
}

void
shot_wait(uint32_t id, struct waiter *w)
{
	struct shot *sh = shot_by_id(id);

	if (sh != NULL && !sh->over)
		waits_add(&sh->waiters, w);
}

bool
shot_result(uint32_t id, uint64_t *events, char *path, size_t n)
{
	const struct shot *sh = shot_by_id(id);

	if (sh == NULL || !sh->over)
		return false;
	*events = sh->events;
	snprintf(path, n, "%s", sh->path);
	return true;
}

const char *
shot_lacks(uint32_t id)
{
	const struct shot *sh = shot_by_id(id);
	static char text[sizeof(sh->lack_why) + 64];

	if (sh == NULL || !sh->lacks)
		return "";
	snprintf(text, sizeof(text), " without uid %lu (%s)%s",
	    (unsigned long)sh->lacking, sh->lack_why,
	    sh->lacks_more ? " and others" : "");
	return text;
}

const char *
shot_failed(uint32_t id)
{
	const struct shot *sh = shot_by_id(id);

	return sh != NULL && sh->why[0] != '\0' ? sh->why : NULL;
}

/*
 * The consumer does not answer.  Snapshots of other users' sessions go on
 * without its part.  Snapshots whose directory it makes have failed: nobody
 * waits for them, and it removes them when it answers again.
 */
void
shots_late(struct consumer *c)
{
	struct shot *sh;
	char why[96];

	snprintf(why, sizeof(why), "the consumer of uid %lu does not answer",
	    (unsigned long)c->uid);
	for (sh = shots; sh != NULL; sh = sh->next) {
		if (sh->over || !sh->begun)
			continue;
		if (sh->uid != c->uid) {
			parts_skip(sh, c);
			continue;
		}
		shot_fail(sh, why);
		waits_done(&sh->waiters, sh->why);
	}
}

/* The consumer is slow: the snapshots of other users go on without it. */
void
shots_slow(struct consumer *c)
{
	struct shot *sh;

	for (sh = shots; sh != NULL; sh = sh->next)
		if (!sh->over && sh->begun && sh->uid != c->uid)
			parts_skip(sh, c);
}

/* utd ends soon: what the owners of sessions have written is to be kept. */
void
shots_hurry(void)
{
	struct shot *sh;

	for (sh = shots; sh != NULL; sh = sh->next)
		if (!sh->over && sh->begun)
			parts_hurry(sh);
}

/* utd ends: what is not complete goes. */
void
shots_end(void)
{
	struct shot *sh;

	for (sh = shots; sh != NULL; sh = sh->next) {
		if (sh->over || sh->above == -1)
			continue;
		log_warnx("snapshot in %s: not complete when utd ended",
		    sh->dir != NULL ? sh->dir : "the session's directory");
		shot_fail(sh, "utd ends");
		shot_end(sh);
	}
}
