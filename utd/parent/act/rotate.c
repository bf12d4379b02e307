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
 * Rotation.  The traces of a session that are written at the same time are a
 * chunk.  The first chunk is ust/ in the session's directory, the next one
 * chunk-1/ust/ and so on.  When a session is rotated, each trace gets a
 * successor in the next chunk, and its consumer moves the regions there between
 * two passes.  When the last has done so, the chunk is complete, and a consumer
 * of the session's owner gives it its place below archives/.  The part of
 * another user whose consumer does not do so is carried into the next chunk:
 * see rotate_carry.c.
 *
 * All of that is in the saved state before a consumer is told of it, and can be
 * asked for once more: wherever utd or a consumer dies, the next one goes on.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "../store/trace.h"

#define LOOK_MS		200	/* when there is more, till we see how much */
#define NEAR_MS		20	/* when a chunk has nearly what it may have */
#define FULL_MS		200	/* for others' parts, if the next is full */
#define OTHERS_MS	10000	/* between chunks that others have filled */
/* For other users' parts: by then it is known who does not answer at all. */
#define PARTS_MS	(LATE_MS + 2000)

static struct ut_msg out;

/* Something is still written to the chunk before. */
static bool
is_written(const struct session *s)
{
	const struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->chunk != s->rotation.chunk)
			return true;
	return false;
}

static void
next_path(const struct trace *t, char *path, size_t n)
{
	const size_t len = (size_t)snprintf(path, n, "chunk-%u/",
	    t->session->rotation.chunk);

	trace_in_chunk(t, path + len, n - len);
}

/* The trace in the next chunk, in the directory `below' the open one. */
static void
trace_succeed(struct trace *t, const char *path, int fd, const char *below)
{
	struct trace *next = trace_new(t->session, new_id(), t->uid, t->gid,
	    t->owner);

	next->chunk = t->session->rotation.chunk;
	next->bits = t->bits;
	next->pid = t->pid;
	next->vpid = t->vpid;
	snprintf(next->name, sizeof(next->name), "%s", t->name);
	next->path = xstrdup(path);
	next->made = !trace_own(t);
	next->before = t;
	t->after = next;
	regions_move(t, next);
	trace_begin(next);
	state_changed(&t->saved);
	trace_refine(t);
	trace_go(next, fd, below);
	(void)trace_flush(next);
}

/*
 * The trace begins in the next chunk: it has its path there, unless it was
 * never asked for.
 */
static void
trace_rename(struct trace *t)
{
	char path[PATH_MAX];

	if (t->path == NULL)
		return;
	next_path(t, path, sizeof(path));
	free(t->path);
	t->path = xstrdup(path);
}

static void
try_again(struct session *s)
{
	timer_set(&s->rotation.timer, ROTATION_RETRY, rotation_look,
	    id_arg(s->id));
}

/* The session's owner has made the directory of another user's trace. */
static void
got_next(uint32_t id, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id(id);
	char path[PATH_MAX], want[PATH_MAX];
	int fd;

	if (t == NULL)
		return;
	t->asking = false;
	if (error != 0) {
		session_blame(t->session, t->uid, "the part of uid %lu cannot "
		    "go on in the next chunk: %s", (unsigned long)t->uid,
		    consumer_why(m, error));
		try_again(t->session);
		return;
	}
	next_path(t, want, sizeof(want));
	ut_msg_get_str(m, path, sizeof(path));
	if (m->bad || strncmp(path, want, strlen(want)) != 0 ||
	    t->chunk == t->session->rotation.chunk || t->after != NULL ||
	    t->state != TRACE_READY || trace_overdue(t)) {
		rotation_soon(t->session);
		return;
	}
	if ((fd = ut_msg_get_fd(m)) == -1) {
		session_blame(t->session, t->uid, "directory %s: %s", path,
		    strerror(errno));
		try_again(t->session);
		return;
	}
	trace_succeed(t, path, fd, trace_below(t));
	close(fd);
}

/*
 * Let the trace go on in the next chunk, or begin there if it has not begun; or
 * later, if it is just being made, or opened again, or has not quite left the
 * chunk before.
 */
static void
trace_rotate(struct trace *t)
{
	struct session *s = t->session;
	char path[PATH_MAX];

	if (t->state == TRACE_NEW || t->state == TRACE_OVER ||
	    (t->state == TRACE_FAILED && t->take == TAKE_NONE)) {
		t->chunk = s->rotation.chunk;
		s->rotation.allowed += t->limit;
		trace_rename(t);
		t->made = t->carrying = false;
		t->line = s->course.lines;
		state_changed(&t->saved);
		state_changed(&s->saved);
		trace_refine(t);
		return;
	}
	if (t->state != TRACE_READY || trace_held(t) || t->asking ||
	    t->carrying || t->before != NULL || trace_overdue(t))
		return;
	next_path(t, path, sizeof(path));
	if (trace_own(t)) {
		trace_succeed(t, path, s->dirfd, path);
		return;
	}
	t->asking = true;
	trace_ask_dir(t, path, t->owner != 0, got_next);
}

/* The bytes of the chunk are gone, or with those of the others. */
static void
count_chunk(struct session *s)
{
	struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next) {
		if (s->rotation.how == UT_CHUNK_CLEAR) {
			ch->past.bytes -= ch->older - ch->kept;
			ch->older = ch->kept;
		}
		ch->kept = ch->older;
		state_changed(&ch->saved);
	}
}

/*
 * The chunk is not where it should be.  One that was to be removed is left
 * alone: what another user has put there must not keep the session from ever
 * being rotated again.
 */
static void
chunk_stays(struct session *s, const char *why)
{
	struct rotation *ro = &s->rotation;

	snprintf(ro->why, sizeof(ro->why), "%s stays where it is: %s",
	    ro->from, why);
	/* A user may bring this about each time: that is one warning. */
	if (ro->how == UT_CHUNK_CLEAR)
		session_warn(s, "what was cleared stays: %s", why);
	else
		session_warn(s, "%s", ro->why);
	waits_done(&ro->waiters, ro->why);
	if (ro->how != UT_CHUNK_CLEAR) {
		try_again(s);
		return;
	}
	count_chunk(s);
	bound_place(s, false);
	ro->why[0] = '\0';
	ro->busy = false;
	state_changed(&s->saved);
}

/* UT_C_CHUNK is answered. */
static void
got_chunk(uint32_t id, int error, struct ut_msg *m)
{
	struct session *s = session_by_id(id);
	struct rotation *ro;

	if (s == NULL)
		return;
	ro = &s->rotation;
	ro->asked = false;
	if (error != 0) {
		chunk_stays(s, consumer_why(m, error));
		return;
	}
	count_chunk(s);
	bound_place(s, ro->how != UT_CHUNK_CLEAR);
	ro->why[0] = '\0';
	ro->busy = false;
	if (ut_msg_get_u32(m) != 0) {
		ro->kept++;
		command_add(s, ro->to);
	}
	state_changed(&s->saved);
	/* The tables of modules are gone with the chunk, or soon. */
	if (ro->how == UT_CHUNK_CLEAR || s->max != 0 || ro->keep != 0)
		session_cleared(s, NULL);
	waits_done(&ro->waiters, "");
	rotation_grew(s);		/* the next one, meanwhile */
}

/* The chunk is complete: give it its place. */
static void
chunk_place(struct session *s)
{
	struct rotation *ro = &s->rotation;

	ro->asked = true;
	session_where(s, NULL);		/* answered before this */
	state_save();
	request_init(&out, UT_C_CHUNK, 0, ro->how);
	ut_msg_str(&out, ro->from);
	ut_msg_str(&out, ro->to);
	ut_msg_u32(&out, ro->keep != 0 ? ro->keep - 1 : UINT32_MAX);
	ut_msg_u64(&out, s->max != 0 ? bound_archives(s) : UINT64_MAX);
	ut_msg_u64(&out, s->max != 0 ? ro->most : UINT64_MAX);
	ut_msg_fd(&out, s->dirfd);
	(void)consumer_ask(consumer_get(s->uid, s->gid), &out, got_chunk,
	    s->id, NULL);
}

/*
 * Look again when nobody waits for the consumers of others any more; another
 * utd does not know how long they had.
 */
static void
look_later(struct session *s)
{
	struct rotation *ro = &s->rotation;
	const int64_t now = ut_msg_now();

	if (ro->timer.when == 0 && now < ro->deadline)
		timer_set(&ro->timer, (int)(ro->deadline - now), rotation_look,
		    id_arg(s->id));
}

/* Take the next step of the rotation, if there is one. */
void
rotation_look(void *arg)
{
	struct session *s = session_by_id((uint32_t)(uintptr_t)arg);
	struct trace *t, *next;

	if (s == NULL || !s->rotation.busy || s->rotation.asked ||
	    s->dirfd == -1 || s->gone[0] != '\0')
		return;
	if (s->rotation.deadline == 0)
		s->rotation.deadline = ut_msg_now() + PARTS_MS;
	for (t = s->traces; t != NULL; t = next) {
		next = t->next;
		if (t->chunk != s->rotation.chunk && t->after == NULL)
			trace_rotate(t);
	}
	traces_carry(s);
	if (!is_written(s))
		chunk_place(s);
	else
		look_later(s);
}

/*
 * Can the session not be rotated now?  Then why.  What other users do to their
 * parts and consumers is no reason.
 */
bool
rotation_refused(const struct session *s, uint32_t how, char *why, size_t n)
{
	const char *what = how == UT_CHUNK_CLEAR ? "cleared" : "rotated";
	const struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->state == TRACE_FAILED && t->take != TAKE_NONE &&
		    trace_own(t))
			break;
	if (!session_output(s))
		snprintf(why, n, "session %s %s", s->name,
		    session_no_output(s));
	else if (!s->begun)
		snprintf(why, n, "session %s was never started", s->name);
	else if (s->rotation.busy)
		snprintf(why, n, "session %s is being rotated%s%s", s->name,
		    s->rotation.why[0] != '\0' ? ": " : "", s->rotation.why);
	else if (s->gone[0] != '\0' || t != NULL)
		snprintf(why, n, "session %s cannot be %s: %s", s->name, what,
		    session_error(s));
	else if (consumers_late(s->uid))
		snprintf(why, n, "session %s cannot be %s: the consumer of "
		    "uid %lu does not answer", s->name, what,
		    (unsigned long)s->uid);
	else
		return false;
	return true;
}

/* End the current chunk, and say what is done with it when it is complete. */
static void
chunk_end(struct session *s, uint32_t how)
{
	struct rotation *ro = &s->rotation;
	const int64_t now = (int64_t)ut_time();
	struct channel *ch;
	size_t len;

	for (ch = s->channels; ch != NULL; ch = ch->next) {
		ch->older = ch->past.bytes;
		state_changed(&ch->saved);
	}
	if (ro->chunk == 0)
		snprintf(ro->from, sizeof(ro->from), "ust");
	else
		snprintf(ro->from, sizeof(ro->from), "chunk-%u", ro->chunk);
	ro->to[0] = '\0';
	if (how != UT_CHUNK_CLEAR) {
		name_time(ro->to, sizeof(ro->to), ro->began);
		name_time(ro->to, sizeof(ro->to), now);
		len = strlen(ro->to);
		snprintf(ro->to + len, sizeof(ro->to) - len, "%u",
		    ro->kept + 1);
	}
	ro->carried[0] = '\0';
	ro->carried_more = false;
	bound_end(s);
	ro->deadline = ut_msg_now() + PARTS_MS;
	ro->how = how;
	ro->began = now;
	ro->last = ut_msg_now();
	ro->busy = true;
	ro->chunk++;
	state_changed(&s->saved);
}

/* Begin the next chunk. */
void
rotation_begin(struct session *s, uint32_t how)
{
	chunk_end(s, how);
	rotation_look(id_arg(s->id));
}

/* Was it ever rotated, or is it to be? */
static bool
rotates(const struct session *s)
{
	return s->rotation.chunk > 0 || s->rotation.ms != 0 ||
	    s->rotation.bytes != 0 || s->command != NULL || s->max != 0;
}

/*
 * The session ends, and all is written: if it is one that rotates, its last
 * chunk gets its place, too.
 */
void
rotation_last(struct session *s, struct waiter *w)
{
	const struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->regions != NULL)
			return;
	if (!rotates(s) || s->rotation.busy || s->gone[0] != '\0' ||
	    s->dirfd == -1)
		return;
	while (s->traces != NULL)
		trace_close(s->traces);
	waits_add(&s->rotation.waiters, w);
	chunk_end(s, UT_CHUNK_ANY);
	chunk_place(s);
}

/*
 * By itself: so often, or when there is so much.
 */
static void
rotate_itself(struct session *s)
{
	char why[512];

	if ((s->active || bound_near(s)) &&
	    !rotation_refused(s, UT_CHUNK_KEEP, why, sizeof(why)))
		rotation_begin(s, UT_CHUNK_ANY);
}

/*
 * Bytes in the current chunk, as consumers say.  With own, only those that the
 * owner's consumer says of regions that still exist: of closed regions only one
 * sum for all users is known.
 */
static uint64_t
said_bytes(const struct session *s, bool own)
{
	const struct channel *ch;
	const struct region *r;
	uint64_t bytes = 0;

	for (ch = s->channels; ch != NULL; ch = ch->next) {
		if (!own)
			count_add(&bytes, channel_chunk(ch));
		for (r = ch->regions; own && r != NULL; r = r->next)
			if (trace_own(r->trace))
				count_add(&bytes, r->counts.bytes);
	}
	return bytes;
}

/*
 * How many ms until the chunk that is too large may end; or -1: it is not.  A
 * user may have a consumer say anything, which we cannot check, for we look at
 * no file.  So what those of other users say ends a chunk only so often.
 */
static int
too_large(const struct session *s)
{
	const struct rotation *ro = &s->rotation;
	const int64_t rest = ro->last + OTHERS_MS - ut_msg_now();

	if (bound_near(s))
		return 0;
	if (ro->bytes == 0 || said_bytes(s, false) < ro->bytes)
		return -1;
	if (!s->foreign || ro->last == 0 || rest <= 0 ||
	    said_bytes(s, true) >= ro->bytes)
		return 0;
	return (int)rest;
}

/* Rotate if it is time, or look at how much there is. */
static void
rotation_due(void *arg)
{
	struct session *s = session_by_id((uint32_t)(uintptr_t)arg);
	struct rotation *ro;

	if (s == NULL || s->dying)
		return;
	ro = &s->rotation;
	if (ro->ms != 0 && ut_msg_now() >= ro->next) {
		ro->next += ro->ms;
		rotate_itself(s);
	} else if (too_large(s) == 0) {
		rotate_itself(s);
	}
	rotation_set(s);
}

/* Set the timer for the next time; or the consumers tell when there is more. */
void
rotation_set(struct session *s)
{
	struct rotation *ro = &s->rotation;
	struct channel *ch;
	const int64_t now = ut_msg_now();
	const int rest = too_large(s);

	timer_clear(&ro->due);
	if (ro->ms != 0) {
		if (ro->next <= now || ro->next > now + ro->ms)
			ro->next = now + ro->ms;
		timer_set(&ro->due, (int)(ro->next - now), rotation_due,
		    id_arg(s->id));
	}
	if (rest > 0 && (ro->due.when == 0 || ro->due.when > now + rest)) {
		timer_clear(&ro->due);
		timer_set(&ro->due, rest, rotation_due, id_arg(s->id));
	}
	for (ch = s->channels; ch != NULL; ch = ch->next)
		channel_watch(ch);
}

/*
 * The next chunk has nearly what it may have: nobody waits for other users'
 * parts of the last one for long, or events of all would be lost.
 */
static void
rotation_hurry(struct session *s)
{
	struct rotation *ro = &s->rotation;
	const int64_t until = ro->last + FULL_MS, now = ut_msg_now();

	if (!ro->busy || !bound_near(s) || ro->deadline <= until)
		return;
	ro->deadline = until;
	timer_clear(&ro->timer);
	timer_set(&ro->timer, until > now ? (int)(until - now) : 0,
	    rotation_look, id_arg(s->id));
}

/* A session that grows is looked at soon, and then no more often than that. */
void
rotation_grew(struct session *s)
{
	struct rotation *ro = &s->rotation;
	const int ms = !bound_near(s) ? LOOK_MS : s->foreign ? UT_CHUNK_MS :
	    NEAR_MS;

	rotation_hurry(s);
	if ((ro->bytes == 0 && !bound_near(s)) || (ro->due.when != 0 &&
	    ro->due.when <= ut_msg_now() + ms))
		return;
	timer_clear(&ro->due);
	timer_set(&ro->due, ms, rotation_due, id_arg(s->id));
}
