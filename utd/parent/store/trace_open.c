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
 * How the directories of a session are made, or opened again, and what becomes
 * of their regions then.  The consumer of who owns the session makes what
 * another UID's consumer is to write into.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../link/program.h"
#include "../act/shot.h"

#define PATIENCE	500		/* ms until a directory is tried */
#define PATIENCE_MAX	30000		/* again, twice as long each time */

static struct ut_msg out;

/* Does the error mean that the directory is gone for good? */
static bool
is_final(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP ||
	    error == EINVAL || error == ESTALE;
}

/*
 * The directory cannot be used.  If that is for good, the events in its buffers
 * are counted as lost.  Otherwise the buffers are kept, because the file system
 * may be mounted, or have room, later.
 */
static void
trace_failed(struct trace *t, const char *why, bool for_good)
{
	t->state = for_good ? TRACE_OVER : TRACE_FAILED;
	state_changed(&t->saved);
	trace_go_on(t);
	rotation_soon(t->session);
	regions_failed(t, why);
	if (for_good)
		regions_bury_lost(t);
	else if (t->take != TAKE_NONE)
		session_wait(t->session);
}

/* Leave the regions in the trace before until this one can be made. */
static void
trace_later(struct trace *t, const char *why)
{
	t->state = TRACE_FAILED;
	session_blame(t->session, t->uid, "the part of uid %lu cannot be "
	    "opened: %s", (unsigned long)t->uid, why);
	session_wait(t->session);
	rotation_soon(t->session);
}

/* The trace cannot be made or opened. */
static void
trace_refused(struct trace *t, const char *why, bool for_good)
{
	if (t->before != NULL && t->take == TAKE_NONE)
		trace_later(t, why);
	else
		trace_failed(t, why, for_good);
}

/* UT_C_TRACE is answered.  Metadata that the file lacks is to be sent. */
static void
got_trace(uint32_t id, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id(id);
	char why[512];
	uint64_t size;

	if (t == NULL)
		return;
	if (error != 0) {
		trace_refused(t, consumer_why(m, error), is_final(error));
		return;
	}
	size = ut_msg_get_u64(m);
	if (!session_output(t->session))
		size = t->past + t->text.len;	/* no file lacks anything */
	if (t->take == TAKE_SIZE &&
	    (size < t->past || size - t->past > t->text.len)) {
		snprintf(why, sizeof(why), size < t->past ?
		    "%s: somebody else has changed the metadata" :
		    "%s: the metadata have more than the last utd could save, "
		    "or somebody else has written there", t->path);
		trace_failed(t, why, true);
		return;
	}
	t->state = TRACE_READY;
	rotation_soon(t->session);
	if (t->take == TAKE_SIZE) {
		t->take = TAKE_TEXT;
		t->text.sent = (size_t)(size - t->past);
		/* The last consumer may not have written all it was sent. */
		(void)trace_flush(t);
		regions_synced(t);
	}
}

/* Begin the metadata, perhaps anew. */
void
trace_begin(struct trace *t)
{
	struct region *r;

	uuid_make(t->uuid, t->uuidstr);
	text_free(&t->text);
	t->past = t->clock_at = 0;
	t->line = t->session->course.lines;
	metadata_head(&t->text, t, t->uuidstr);
	for (r = t->regions; r != NULL; r = r->beside)
		r->described = false;
	state_renew(t);
	t->prepared = true;
}

/*
 * Have the consumer make the directory, or open it again, and then its regions:
 * requests are answered in order.
 */
void
trace_go(struct trace *t, int fd, const char *path)
{
	int i;

	t->state = TRACE_READY;
	if (t->take == TAKE_NONE) {
		if (!t->prepared)
			trace_begin(t);
		t->prepared = false;
		state_save();	/* the next utd knows of it before it is */
	}
	request_init(&out, UT_C_TRACE, t->id, 0);
	if (fd != -1)
		ut_msg_fd(&out, fd);
	ut_msg_str(&out, path);
	ut_msg_u32(&out, t->owner != 0);
	ut_msg_u32(&out, t->take != TAKE_NONE);
	ut_msg_u32(&out, t->made || t->owner == 0);
	ut_msg_u32(&out, t->chunk > 0);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, t->uuid[i]);
	ut_msg_u64(&out, t->session->max == 0 ? UINT64_MAX : t->limit);
	(void)consumer_ask(t->consumer, &out, got_trace, t->id, NULL);
	regions_ask(t);
	regions_last(t);
	if (t->before != NULL)
		trace_moving(t);
}

/*
 * Has the trace to wait for the directory of the trace before?  The consumer is
 * told first of that one.
 */
static bool
follows_asked(const struct trace *t)
{
	return t->before != NULL && t->before->state == TRACE_ASKED;
}

static void
got_uid_dir(uint32_t id, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id(id);
	const char *why = NULL;
	char path[PATH_MAX];
	int fd = -1;

	if (t == NULL)
		return;
	if (error != 0) {
		why = consumer_why(m, error);
	} else {
		ut_msg_get_str(m, path, sizeof(path));
		if (m->bad || !trace_called(t, path))
			why = strerror(EPROTO);
		else if ((fd = ut_msg_get_fd(m)) == -1)
			why = strerror(errno);
	}
	if (why != NULL) {
		trace_refused(t, why, is_final(error));
	} else {
		if (!follows_asked(t))
			trace_go(t, fd, trace_below(t));
		close(fd);
		rotation_soon(t->session);
	}
	if (t->after != NULL && t->after->state == TRACE_ASKED)
		trace_ask(t->after);
}

/* The session's owner is to make that directory, for another user. */
void
trace_ask_dir(const struct trace *t, const char *path, bool new,
    consumer_cb *got)
{
	const struct session *s = t->session;

	request_init(&out, UT_C_UIDDIR, 0, 0);
	ut_msg_fd(&out, s->dirfd);
	ut_msg_str(&out, path);
	ut_msg_u32(&out, new);
	ut_msg_u32(&out, (uint32_t)t->uid);
	ut_msg_u32(&out, (uint32_t)t->gid);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, got, t->id,
	    NULL);
}

/* The end of a path, below the directory that is made for another user. */
const char *
trace_below(const struct trace *t)
{
	return t->owner != 0 ? "." : t->bits == 32 ? "32-bit" : "64-bit";
}

/* ust/uid/UID/64-bit, or ust/pid/NAME-PID-DATE-TIME; below that of a chunk. */
static void
trace_path(const struct trace *t, char *path, size_t n)
{
	struct tm tm;
	time_t now = ut_time();
	char date[32] = "", name[sizeof(t->name)], *p;
	size_t len;

	if (t->chunk > 0) {
		len = (size_t)snprintf(path, n, "chunk-%u/", t->chunk);
		path += len;
		n -= len;
	}
	if (t->owner == 0) {
		snprintf(path, n, "ust/uid/%lu/%u-bit",
		    (unsigned long)t->uid, t->bits);
		return;
	}
	if (localtime_r(&now, &tm) != NULL)
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	strcpy(name, t->name);
	for (p = name; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr("._-+", *p) == NULL)
			*p = '_';
	snprintf(path, n, "ust/pid/%s-%ld-%s", name, (long)t->pid, date);
}

/*
 * A consumer that does not read gets no more descriptors: we would have to keep
 * copies of them, and would have none left for others.
 */
static bool
consumer_behind(const struct consumer *c)
{
	return c->state != CONSUMER_GIVEN_UP &&
	    (c->conn == NULL || conn_behind(c->conn));
}

/* Is its directory being moved to the next chunk? */
static bool
is_carried(const struct trace *t)
{
	return t != NULL && t->carrying && t->session->rotation.busy;
}

void
trace_ask(struct trace *t)
{
	char path[PATH_MAX];

	if (t->path == NULL) {
		trace_path(t, path, sizeof(path));
		if (!trace_own(t) && t->owner == 0)
			*strrchr(path, '/') = '\0';
		t->path = xstrdup(path);
	}
	if (!session_output(t->session)) {
		trace_go(t, -1, "");
		return;
	}
	if (t->session->gone[0] != '\0') {
		trace_failed(t, t->session->gone, false);
		return;
	}
	if (t->session->dirfd == -1) {
		t->state = TRACE_ASKED;		/* until traces_resume */
		return;
	}
	/* A consumer that takes over is told first of the one before. */
	if (is_carried(t) || is_carried(t->before)) {
		t->state = TRACE_ASKED;		/* until got_carried */
		rotation_soon(t->session);
		return;
	}
	if (follows_asked(t)) {
		t->state = TRACE_ASKED;		/* until got_uid_dir */
		return;
	}
	if (t->take == TAKE_NONE && consumer_behind(trace_own(t) ? t->consumer :
	    consumer_get(t->session->uid, t->session->gid))) {
		t->state = TRACE_NEW;		/* until traces_drained */
	} else if (trace_own(t)) {
		trace_go(t, t->session->dirfd, t->path);
	} else {
		t->state = TRACE_ASKED;
		trace_ask_dir(t, t->path, t->owner != 0 && !t->made,
		    got_uid_dir);
	}
}

/* The trace of the program's UID and ABI, or of the program alone. */
static struct trace *
trace_get(struct session *s, const struct program *p, bool alone)
{
	const uint64_t owner = alone ? p->owner : 0;
	struct trace *t = trace_of(s, p->uid, p->bits, owner);

	if (t != NULL)
		return t;
	t = trace_new(s, new_id(), p->uid, p->gid, owner);
	t->chunk = s->rotation.chunk;
	t->bits = p->bits;
	t->pid = p->pid != 0 ? p->pid : p->vpid;
	t->vpid = p->vpid;
	snprintf(t->name, sizeof(t->name), "%s", p->name);
	trace_ask(t);
	return t;
}

/* Try again to make or open the directory, and then all its regions. */
void
trace_retry(struct trace *t)
{
	if (regions_buried(t))
		return;
	if (t->state == TRACE_OVER)
		t->take = TAKE_NONE;
	if (t->take != TAKE_NONE && t->session->gone[0] == '\0')
		trace_hold(t);
	regions_renew(t);
	trace_ask(t);
}

/* The consumer has read everything: send the rest, for all who wait for it. */
void
traces_drained(const struct consumer *c)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next) {
		for (t = s->traces; t != NULL; t = t->next) {
			if (t->consumer == c && t->state == TRACE_READY)
				(void)trace_flush(t);
			if (t->state == TRACE_NEW && s->uid == c->uid)
				trace_ask(t);
		}
	}
}

/* A consumer of the session for which that user does not wait, or NULL. */
const struct consumer *
session_late(const struct session *s, uid_t uid)
{
	const struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (consumer_skipped(t->consumer, uid) &&
		    (!trace_out(t) || regions_buried(t)))
			return t->consumer;
	return NULL;
}

/* Has the trace yet to be made, with regions that are in the trace before? */
static bool
is_awaited(const struct trace *t)
{
	return t->before != NULL && (t->state == TRACE_NEW ||
	    t->state == TRACE_ASKED || t->state == TRACE_FAILED);
}

/* Tell the new consumer of the trace, unless its directory is asked for. */
static void
trace_again(struct trace *t)
{
	if (trace_held(t) || t->state == TRACE_READY || is_awaited(t))
		trace_hold(t);
	if (t->state != TRACE_READY && (t->state != TRACE_FAILED ||
	    t->before == NULL))
		return;
	session_blame(t->session, t->uid, "the consumer of uid %lu ended; "
	    "another took over", (unsigned long)t->consumer->uid);
	trace_ask(t);
}

/*
 * The consumer is new: tell it of all traces that it takes over, and then of
 * their regions; but first of those whose regions go on in another.
 */
void
traces_again(struct consumer *c)
{
	struct trace *t;
	int pass;

	for (pass = 0; pass < 2; pass++)
		for (t = c->traces; t != NULL; t = t->beside)
			if ((t->after == NULL) == (pass == 1))
				trace_again(t);
}

/* The consumer was given up: nobody writes its traces any more. */
void
traces_orphaned(const struct consumer *c)
{
	struct trace *t;

	traces_moved(c);
	for (t = c->traces; t != NULL; t = t->beside) {
		t->take = TAKE_NONE;
		trace_failed(t, consumer_trouble(c), false);
		regions_remove(t);
	}
}

/* The directory of the session is open again, or cannot be. */
static void
trace_resume(struct trace *t)
{
	const struct session *s = t->session;

	if (s->gone[0] != '\0' && session_output(s))
		trace_failed(t, s->gone, false);
	else if (trace_out(t))
		trace_retry(t);
	else if (t->state == TRACE_ASKED)
		trace_ask(t);
}

static void
traces_resume(struct session *s)
{
	struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->after != NULL)
			trace_resume(t);
	for (t = s->traces; t != NULL; t = t->next)
		if (t->after == NULL)
			trace_resume(t);
	rotation_soon(s);
}

/* The region of the channel for the program; NULL if there is none yet. */
struct region *
region_find(const struct channel *ch, const struct program *p)
{
	const struct trace *t = trace_of(ch->session, p->uid, p->bits,
	    ch->attrs.v[ATTR_BUFFERS] == UT_BUFFERS_PID ? p->owner : 0);
	struct region *r = t != NULL ? t->regions : NULL;

	while (r != NULL && (r->channel != ch || r->state == REGION_CLOSING))
		r = r->beside;
	return r;
}

/* Find the region, or have a new one. */
struct region *
region_get(struct channel *ch, const struct program *p)
{
	struct region *r = region_find(ch, p);

	if (r != NULL)
		return r;
	return region_make(ch, trace_get(ch->session, p,
	    ch->attrs.v[ATTR_BUFFERS] == UT_BUFFERS_PID));
}

/* Try again to make a region that could not be made. */
void
region_retry(struct region *r)
{
	struct trace *t = r->trace;

	if ((r->state != REGION_FAILED && r->state != REGION_NEW) || r->buried)
		return;
	if (t->consumer->state == CONSUMER_GIVEN_UP && t->consumer->error != 0)
		trace_move(t);
	if (t->consumer->state == CONSUMER_GIVEN_UP)
		region_failed(r, consumer_trouble(t->consumer));
	else if (trace_out(t))
		trace_retry(t);
	else
		region_again(r);
}

/* Try again to open the directory, or those of its traces. */
static void
session_again(void *arg)
{
	struct session *s = session_by_id((uint32_t)(uintptr_t)arg);
	struct trace *t;

	if (s == NULL || s->dying)
		return;
	if (s->gone[0] != '\0') {
		session_open(s, NULL);
		return;
	}
	for (t = s->traces; t != NULL; t = t->next)
		if (t->state == TRACE_FAILED &&
		    (t->take != TAKE_NONE || t->before != NULL) &&
		    t->consumer->state != CONSUMER_GIVEN_UP)
			trace_retry(t);
}

void
session_wait(struct session *s)
{
	if (s->retry.when != 0 || s->dying)
		return;
	s->patience = s->patience == 0 ? PATIENCE : s->patience * 2;
	if (s->patience > PATIENCE_MAX)
		s->patience = PATIENCE_MAX;
	timer_set(&s->retry, s->patience, session_again, id_arg(s->id));
}

/* Remove what another utd has left of snapshots. */
static void
shots_clean(struct session *s)
{
	if (s->dirfd == -1 || s->shooting > 0)
		return;
	request_init(&out, UT_C_SHOTEND, 0, UT_SHOT_SWEEP);
	ut_msg_str(&out, "");
	ut_msg_str(&out, "");
	ut_msg_u32(&out, 0);
	ut_msg_fd(&out, s->dirfd);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, NULL, 0, NULL);
}

/* The directory is open again, and its traces go on; or why it is not. */
static void
reopened(struct session *s, const char *why)
{
	const bool gone = s->gone[0] != '\0';

	if (why[0] != '\0') {
		snprintf(s->gone, sizeof(s->gone), "the directory: %s", why);
		session_look(s);
		if (!gone)
			traces_resume(s);
		session_warn(s, "%s", s->gone);
		session_wait(s);
		return;
	}
	if (gone) {
		s->gone[0] = '\0';
		session_look(s);
		session_warn(s, "the directory is there again");
	}
	traces_resume(s);
	shots_clean(s);
}

static void
got_dir(uint32_t id, int error, struct ut_msg *m)
{
	struct session *s = session_by_id(id);
	const char *why = "";
	bool again;

	if (s == NULL)
		return;
	again = s->ino != 0;
	if (error != 0) {
		why = consumer_why(m, error);
	} else if ((error = session_own(s, ut_msg_get_fd(m), again)) != 0) {
		why = strerror(error);
	} else if (!session_dir(s, m)) {
		error = ENOTEMPTY;
		why = again ? "another one has its name now" :
		    "another session uses it";
		user_close(s->user, s->dirfd);
		s->dirfd = -1;
	}
	if (again) {
		reopened(s, why);
	} else {
		s->refused = error;
		snprintf(s->gone, sizeof(s->gone), "%s", why);
	}
}

/*
 * Have the consumer of the session's owner make the directory, or open it if it
 * was made before.  A new session has it then, or the reason why not.  Without
 * output there is nothing to wait for.
 */
void
session_open(struct session *s, struct waiter *w)
{
	if (!session_placed(s)) {
		traces_resume(s);
		return;
	}
	request_init(&out, UT_C_SESSIONDIR, 0, 0);
	ut_msg_str(&out, s->dir);
	ut_msg_u32(&out, s->ino != 0);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, got_dir, s->id,
	    w);
}
