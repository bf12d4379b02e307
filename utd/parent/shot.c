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
#include <unistd.h>

#include "trace.h"

#define SHOTS_MAX	16		/* of a user, at a time */
#define PIECE		32768u		/* of metadata, in one message */
#define QUEUED_MAX	(8u << 20)	/* bytes that a consumer has to read */
#define FORGET_MS	1000		/* until who waits has asked for it */

/* Of one trace of the session; its ID is that of requests. */
struct part {
	uint32_t	 id;
	uid_t		 uid;
	gid_t		 gid;
	struct text	 text;
	unsigned char	 uuid[UUID_LEN];
	char		*path;		/* in the snapshot's directory */
	const char	*below;		/* in that one, which is another user's
					   to write in; or NULL */
	uint32_t	*regions;
	uint32_t	 nregions;
	struct part	*next;
};

struct shot {
	uint32_t	 id;
	uint32_t	 session;
	uid_t		 uid;		/* who owns that */
	gid_t		 gid;
	struct user	*user;
	char		*dir;		/* where the user wants it; or NULL */
	char		 name[NAME_MAXLEN];
	bool		 any;		/* or a name like that */
	char		 hidden[NAME_MAXLEN];
	char		*command;	/* or NULL */
	int		 fd;		/* the directory; or -1 */
	int		 above;		/* where it is; or -1 */
	struct part	*parts;
	unsigned int	 pending;	/* of those */
	uint64_t	 events;
	char		 path[PATH_MAX + NAME_MAXLEN + 16];	/* when it is there */
	char		 why[512];	/* it failed; "": it did not */
	bool		 over;
	struct waiters	 waiters;
	struct timer	 timer;
	struct shot	*next;
};

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

static void
part_free(struct part *p)
{
	text_free(&p->text);
	free(p->path);
	free(p->regions);
	free(p);
}

static void
shot_free(struct shot *sh)
{
	struct shot **sp;
	struct part *p;

	for (sp = &shots; *sp != sh; sp = &(*sp)->next)
		continue;
	*sp = sh->next;
	while ((p = sh->parts) != NULL) {
		sh->parts = p->next;
		part_free(p);
	}
	if (sh->fd != -1)
		user_close(sh->user, sh->fd);
	if (sh->above != -1)
		user_close(sh->user, sh->above);
	timer_clear(&sh->timer);
	user_drop(sh->user);
	free(sh->command);
	free(sh->dir);
	free(sh);
}

static void
forget(void *arg)
{
	struct shot *sh = shot_by_id((uint32_t)(uintptr_t)arg);

	if (sh != NULL)
		shot_free(sh);
}

/* The first reason is kept. */
static void
shot_fail(struct shot *sh, const char *why)
{
	if (sh->why[0] == '\0')
		snprintf(sh->why, sizeof(sh->why), "%s", why);
}

static void
command_ended(uint32_t id, int status)
{
	struct session *s = session_by_id(id);
	char why[64];

	if (job_failed(status, why, sizeof(why)) && s != NULL)
		session_warn(s, "command for a snapshot: %s", why);
}

/* utctl is told; nobody waits for the command. */
static void
run_command(struct shot *sh, const struct session *s)
{
	const char *const args[JOB_ARGS] = { sh->path };
	char why[400];

	if (job_run(s, sh->command, args, command_ended, s->id) != -1)
		return;
	snprintf(why, sizeof(why), "the command cannot be run: %s; the snapshot "
	    "is there", strerror(errno));
	shot_fail(sh, why);
}

static void
shot_over(struct shot *sh)
{
	struct session *s = session_by_id(sh->session);

	sh->over = true;
	if (sh->why[0] == '\0' && sh->command != NULL && s != NULL)
		run_command(sh, s);
	if (sh->why[0] != '\0' && sh->waiters.n == 0 && s != NULL)
		session_warn(s, "snapshot: %s", sh->why);
	waits_failed(&sh->waiters, sh->why);
	waits_done(&sh->waiters);
	timer_set(&sh->timer, FORGET_MS, forget, id_arg(sh->id));
}

/* UT_C_SHOTEND is answered. */
static void
got_end(uint32_t id, int error, struct ut_msg *m)
{
	struct shot *sh = shot_by_id(id);
	struct session *s;
	char why[512], name[NAME_MAXLEN];

	if (sh == NULL || sh->over)
		return;
	if (error != 0) {
		consumer_why(m, error, why, sizeof(why));
		shot_fail(sh, why);
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
	request_init(&out, UT_C_SHOTEND, 0, sh->why[0] == '\0' ?
	    UT_SHOT_KEEP : UT_SHOT_REMOVE);
	ut_msg_str(&out, sh->hidden);
	ut_msg_str(&out, sh->name);
	ut_msg_u32(&out, sh->any);
	ut_msg_fd(&out, sh->above);
	(void)consumer_ask(consumer_get(sh->uid, sh->gid), &out, got_end,
	    sh->id, NULL);
}

static void
part_over(struct shot *sh)
{
	if (--sh->pending == 0)
		shot_end(sh);
}

/* The part of that ID, and its snapshot. */
static struct part *
part_by_id(uint32_t id, struct shot **shp)
{
	struct shot *sh;
	struct part *p;

	for (sh = shots; sh != NULL; sh = sh->next)
		for (p = sh->parts; p != NULL; p = p->next)
			if (p->id == id) {
				*shp = sh;
				return p;
			}
	return NULL;
}

/* UT_C_SHOT is answered. */
static void
got_part(uint32_t id, int error, struct ut_msg *m)
{
	struct shot *sh;
	const struct part *p = part_by_id(id, &sh);
	char why[512];

	if (p == NULL)
		return;
	if (error != 0) {
		consumer_why(m, error, why, sizeof(why));
		shot_fail(sh, why);
	} else {
		sh->events += ut_msg_get_u64(m);
	}
	part_over(sh);
}

/* Send the metadata, whose end is told by their length. */
static void
part_text(struct part *p, struct consumer *c)
{
	char piece[PIECE + 1];
	size_t at, n;

	for (at = 0; at < p->text.len; at += n) {
		n = p->text.len - at < PIECE ? p->text.len - at : PIECE;
		memcpy(piece, p->text.s + at, n);
		piece[n] = '\0';
		ut_msg_init(&out, UT_C_SHOTTEXT, p->id, 0);
		ut_msg_str(&out, piece);
		consumer_send(c, &out);
	}
}

/* Have it written, in a directory below that one. */
static void
part_write(struct shot *sh, struct part *p, int fd, const char *path)
{
	struct consumer *c = consumer_get(p->uid, p->gid);
	uint32_t i;

	if (c->conn == NULL || c->conn->queued + p->text.len > QUEUED_MAX) {
		shot_fail(sh, c->conn == NULL ? "the consumer is being "
		    "started" : "the consumer has too much to read");
		part_over(sh);
		return;
	}
	part_text(p, c);
	request_init(&out, UT_C_SHOT, p->id, 0);
	ut_msg_str(&out, path);
	ut_msg_u64(&out, p->text.len);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, p->uuid[i]);
	ut_msg_u32(&out, p->nregions);
	for (i = 0; i < p->nregions; i++)
		ut_msg_u32(&out, p->regions[i]);
	ut_msg_fd(&out, fd);
	text_free(&p->text);
	(void)consumer_ask(c, &out, got_part, p->id, NULL);
}

/* The owner of the session has made the directory of another user's part. */
static void
got_user_dir(uint32_t id, int error, struct ut_msg *m)
{
	struct shot *sh;
	struct part *p = part_by_id(id, &sh);
	char why[512];
	int fd;

	if (p == NULL)
		return;
	if (error == 0 && (fd = ut_msg_get_fd(m)) != -1) {
		part_write(sh, p, fd, p->below);
		close(fd);
		return;
	}
	consumer_why(m, error != 0 ? error : errno, why, sizeof(why));
	shot_fail(sh, why);
	part_over(sh);
}

static void
part_begin(struct shot *sh, struct part *p)
{
	if (p->below == NULL) {
		part_write(sh, p, sh->fd, p->path);
		return;
	}
	request_init(&out, UT_C_UIDDIR, 0, 0);
	ut_msg_fd(&out, sh->fd);
	ut_msg_str(&out, p->path);
	ut_msg_u32(&out, 0);
	ut_msg_u32(&out, (uint32_t)p->uid);
	ut_msg_u32(&out, (uint32_t)p->gid);
	(void)consumer_ask(consumer_get(sh->uid, sh->gid), &out, got_user_dir,
	    p->id, NULL);
}

/* The metadata of a region; the clock of cycles once. */
static void
describe(struct part *p, const struct region *r, bool *clock)
{
	uint32_t id;

	if (!*clock)
		*clock = metadata_clock(&p->text, r->channel);
	metadata_channel(&p->text, r->channel);
	for (id = 1; id <= r->registry.last; id++)
		metadata_event(&p->text, r->channel,
		    r->registry.entries[id].event, id);
}

/* What there is of a trace; nothing if its consumer has no region of it. */
static void
part_new(struct shot *sh, const struct trace *t)
{
	const struct region *r;
	struct part *p;
	char uuid[UUID_TEXT];
	uint32_t n = 0;
	bool clock = false;

	for (r = t->regions; r != NULL; r = r->beside)
		n += r->state == REGION_READY;
	if (n == 0 || t->path == NULL)
		return;
	p = xcalloc(1, sizeof(*p));
	p->id = new_id();
	p->uid = t->uid;
	p->gid = t->gid;
	p->path = xstrdup(trace_in_chunk(t));
	p->below = trace_own(t) ? NULL : trace_below(t);
	p->regions = xcalloc(n, sizeof(*p->regions));
	uuid_make(p->uuid, uuid);
	metadata_head(&p->text, t, uuid);
	for (r = t->regions; r != NULL; r = r->beside) {
		if (r->state != REGION_READY)
			continue;
		p->regions[p->nregions++] = r->id;
		describe(p, r, &clock);
	}
	p->next = sh->parts;
	sh->parts = p;
	sh->pending++;
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
	struct session *s;
	struct part *p, *next;
	const struct trace *t;
	char why[400], text[512];

	if (sh == NULL || sh->over)
		return;
	if (error == 0)
		error = shot_own(sh, m);
	if (error != 0) {
		consumer_why(m, error, why, sizeof(why));
		snprintf(text, sizeof(text), "%.100s: %s", sh->dir != NULL ?
		    sh->dir : sh->name, why);
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
	sh->pending = 1;
	for (t = sh->why[0] == '\0' ? s->traces : NULL; t != NULL; t = t->next)
		part_new(sh, t);
	for (p = sh->parts; p != NULL; p = next) {
		next = p->next;
		part_begin(sh, p);
	}
	part_over(sh);
}

/* As the archives of a rotation: when it was, and which one. */
static void
name_usual(const struct session *s, char *name, size_t n)
{
	const time_t now = time(NULL);
	char when[64] = "";
	struct tm tm;

	if (localtime_r(&now, &tm) == NULL ||
	    strftime(when, sizeof(when), "%Y%m%dT%H%M%S%z-", &tm) == 0)
		when[0] = '\0';
	snprintf(name, n, "%s%u", when, s->shots + 1);
}

static bool
too_many(uid_t uid)
{
	const struct shot *sh;
	unsigned int n = 0;

	for (sh = shots; sh != NULL; sh = sh->next)
		n += sh->uid == uid && !sh->over;
	return n >= SHOTS_MAX;
}

/* Why there can be none now, with EAGAIN if perhaps soon; or NULL. */
static const char *
refused(const struct session *s, const char *dir)
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
	if (dir == NULL && s->dirfd == -1)
		return "is being taken up";
	if (session_late(s) != NULL || consumers_late(s->uid))
		return "has a consumer that does not answer";
	if (too_many(s->uid))
		return "has too many snapshots under way";
	return NULL;
}

uint32_t
shot_begin(struct session *s, const char *dir, const char *name,
    const char *command, struct waiter *w, char *why, size_t n)
{
	const char *not = refused(s, dir);
	struct user *u = not == NULL ? user_get(s->uid) : NULL;
	struct shot *sh;

	if (u == NULL) {
		snprintf(why, n, "session %s %s", s->name, not != NULL ? not :
		    strerror(ENOMEM));
		return 0;
	}
	sh = xcalloc(1, sizeof(*sh));
	sh->id = new_id();
	sh->session = s->id;
	sh->uid = s->uid;
	sh->gid = s->gid;
	sh->user = u;
	sh->fd = sh->above = -1;
	sh->dir = dir != NULL ? xstrdup(dir) : NULL;
	sh->command = command != NULL ? xstrdup(command) : NULL;
	sh->any = dir == NULL && name == NULL;
	sh->next = shots;
	shots = sh;
	if (name != NULL)
		snprintf(sh->name, sizeof(sh->name), "%s", name);
	else
		name_usual(s, sh->name, sizeof(sh->name));
	snprintf(sh->hidden, sizeof(sh->hidden), ".utd-%ld-%u",
	    (long)getpid(), sh->id);
	(void)waits_add(&sh->waiters, w);
	request_init(&out, UT_C_SHOTDIR, 0, 0);
	ut_msg_str(&out, dir != NULL ? dir : sh->name);
	ut_msg_u32(&out, sh->any);
	ut_msg_str(&out, sh->hidden);
	if (dir == NULL)
		ut_msg_fd(&out, s->dirfd);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, got_dir, sh->id,
	    NULL);
	return sh->id;
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
shot_failed(uint32_t id)
{
	const struct shot *sh = shot_by_id(id);

	return sh != NULL && sh->why[0] != '\0' ? sh->why : NULL;
}

/* The directory of a session that is taken up is open. */
void
shots_sweep(struct session *s)
{
	const struct shot *sh;

	for (sh = shots; sh != NULL; sh = sh->next)
		if (sh->session == s->id && !sh->over)
			return;
	if (s->dirfd == -1)
		return;
	request_init(&out, UT_C_SHOTEND, 0, UT_SHOT_SWEEP);
	ut_msg_str(&out, "");
	ut_msg_str(&out, "");
	ut_msg_u32(&out, 0);
	ut_msg_fd(&out, s->dirfd);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, NULL, 0, NULL);
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
