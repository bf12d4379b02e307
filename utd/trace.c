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
 * The directories of a session, as the parent sees them: one for each UID
 * and ABI, or one for each program.  The consumer of who owns the session
 * makes what another UID's consumer is to write into.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "parent.h"

#define PIECE	32768u		/* of metadata, in one message */
#define AHEAD	(1u << 20)	/* bytes of it that the consumer has to read */

static struct ut_msg out;

struct trace *
trace_by_id(uint32_t id)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next)
		for (t = s->traces; t != NULL; t = t->next)
			if (t->id == id)
				return t;
	return NULL;
}

/*
 * Is the session's owner the traced user?  Then one consumer makes the whole
 * directory, in one step.
 */
static bool
own_trace(const struct trace *t)
{
	return t->session->uid == t->uid;
}

/*
 * Where the next piece of the text ends, and whether that is between two
 * descriptions: in the middle of one only if it is longer than a piece.
 */
static size_t
piece_end(const struct text *t, bool *whole)
{
	size_t end = t->sent + PIECE;

	*whole = true;
	if (t->len <= end)
		return t->len;
	for (; end > t->sent; end--)
		if (strncmp(t->s + end, METADATA_EVENT,
		    sizeof(METADATA_EVENT) - 1) == 0)
			return end;
	*whole = false;
	return t->sent + PIECE;
}

/* The consumer is new: its requests about regions wait until t is synced. */
static void
trace_hold(struct trace *t)
{
	t->again = t->syncing = t->behind = true;
	consumer_hold(t->consumer);
}

static void
trace_go_on(struct trace *t)
{
	if (!t->behind)
		return;
	t->syncing = t->behind = false;
	consumer_go_on(t->consumer);
}

/* All metadata that the consumer lacked is sent: it may write data. */
static void
trace_synced(struct trace *t)
{
	if (!t->behind)
		return;
	ut_msg_init(&out, UT_C_SYNCED, t->id, 0);
	consumer_send(t->consumer, &out);
	trace_go_on(t);
}

/*
 * Send the metadata that is not sent yet, but not so much at once that the
 * consumer seems not to read.  False if there is more, to be sent when the
 * consumer has read this.
 */
bool
trace_flush(struct trace *t)
{
	struct text *text = &t->text;
	char piece[PIECE + 1];
	size_t end;
	bool whole = true;

	if (t->syncing)
		return false;
	if (text->sent < text->len)
		state_save();	/* no file has more than the next utd knows */
	while (text->sent < text->len) {
		if (whole && t->consumer->conn != NULL &&
		    t->consumer->conn->queued > AHEAD)
			return false;
		end = piece_end(text, &whole);
		memcpy(piece, text->s + text->sent, end - text->sent);
		piece[end - text->sent] = '\0';
		text->sent = end;
		ut_msg_init(&out, UT_C_METADATA, t->id, !whole);
		ut_msg_str(&out, piece);
		consumer_send(t->consumer, &out);
	}
	trace_synced(t);
	return true;
}

/* The file has size bytes: we need not keep these for another consumer. */
void
trace_wrote(const struct consumer *c, uint32_t id, uint64_t size)
{
	struct trace *t = trace_by_id(id);
	struct text *text;
	size_t n;

	if (t == NULL || t->consumer != c || size < t->past ||
	    size - t->past > t->text.sent)
		return;
	text = &t->text;
	n = (size_t)(size - t->past);
	if (n < text->len / 2)
		return;			/* or too much would be moved */
	t->past = size;
	text_cut(text, n);
}

/*
 * Take the final name of the directory: the one we asked for, perhaps with a
 * number appended.  False if the consumer tells of any other.
 */
static bool
trace_called(struct trace *t, const char *path)
{
	const size_t n = strlen(t->path);

	if (strncmp(path, t->path, n) != 0 || (path[n] != '\0' &&
	    (path[n] != '-' || path[n + 1 + strspn(path + n + 1,
	    "0123456789")] != '\0')))
		return false;
	free(t->path);
	t->path = xstrdup(path);
	t->made = true;
	state_changed(&t->saved);
	return true;
}

/* The consumer has made the new directory of a trace. */
void
trace_made(const struct consumer *c, uint32_t id, const char *path)
{
	struct trace *t = trace_by_id(id);

	if (t != NULL && t->consumer == c && t->owner != 0 && own_trace(t) &&
	    !trace_called(t, path))
		log_warnx("consumer %d: directory %s", (int)c->pid, path);
}

/* Describe a channel that will have a region in this trace. */
void
trace_channel(struct trace *t, const struct channel *ch)
{
	if (ch->geometry.clock == UT_CLOCK_CYCLES && t->clock_at == 0) {
		t->clock_at = t->past + t->text.len;
		metadata_cycles(&t->text, t->session);
		metadata_cycles_types(&t->text);
	}
	metadata_channel(&t->text, ch);
	state_changed(&t->saved);
}

/* Replace the frequency of the cycle counter by what is measured by now. */
void
trace_refine(struct trace *t)
{
	struct text text;

	if (t->clock_at == 0 || t->clock_at >= t->past + t->text.sent)
		return;
	memset(&text, 0, sizeof(text));
	metadata_cycles(&text, t->session);
	ut_msg_init(&out, UT_C_REFINE, t->id, 0);
	ut_msg_u64(&out, t->clock_at);
	ut_msg_str(&out, text.s);
	consumer_send(t->consumer, &out);
	text_free(&text);
}

/* Does the error mean that the directory is gone for good? */
static bool
over(int error)
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
	t->state = REGION_FAILED;
	t->over = for_good;
	state_changed(&t->saved);
	trace_go_on(t);
	regions_failed(t, why);
	if (for_good)
		regions_bury_lost(t);
	else if (t->again)
		session_wait(t->session);
}

/* UT_C_TRACE is answered.  Metadata that the file lacks is to be sent. */
static void
got_trace(void *arg, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id((uint32_t)(uintptr_t)arg);
	char why[512];
	uint64_t size;

	if (t == NULL)
		return;
	if (error != 0) {
		consumer_why(m, error, why, sizeof(why));
		trace_failed(t, why, over(error));
		return;
	}
	size = ut_msg_get_u64(m);
	if (t->syncing && (size < t->past || size - t->past > t->text.len)) {
		trace_synced(t);
		snprintf(why, sizeof(why), "%s: somebody else has changed the "
		    "metadata", t->path);
		trace_failed(t, why, true);
		return;
	}
	if (t->syncing)
		t->text.sent = (size_t)(size - t->past);
	t->made |= t->owner == 0;
	t->state = REGION_READY;
	if (t->syncing) {
		t->syncing = false;
		/* What the last one was sent it may not have written. */
		(void)trace_flush(t);
		links_drained(t->consumer);
	}
}

/*
 * Have the consumer make the directory, or open it again.  Requests are
 * answered in order, so regions can be asked for at once.
 */
static void
ask_trace(struct trace *t, int fd, const char *path)
{
	int i;

	t->state = REGION_READY;
	if (!t->again) {
		uuid_make(t->uuid, t->uuidstr);
		text_free(&t->text);
		t->past = t->clock_at = 0;
		metadata_head(&t->text, t, t->uuidstr);
		state_renew(t);
		state_save();	/* the next utd knows of it before it is */
	}
	ut_msg_init(&out, UT_C_TRACE, t->id, 0);
	ut_msg_fd(&out, fd);
	ut_msg_u32(&out, consumer_expect(t->consumer, got_trace,
	    id_arg(t->id)));
	ut_msg_str(&out, path);
	ut_msg_u32(&out, t->owner != 0);
	ut_msg_u32(&out, t->again);
	ut_msg_u32(&out, t->made || t->owner == 0);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, t->uuid[i]);
	consumer_ask(t->consumer, &out, NULL);
}

static void
got_uid_dir(void *arg, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id((uint32_t)(uintptr_t)arg);
	char path[PATH_MAX], why[512] = "";
	int fd = -1;

	if (t == NULL)
		return;
	if (error != 0) {
		consumer_why(m, error, why, sizeof(why));
	} else {
		ut_msg_get_str(m, path, sizeof(path));
		if (m->bad || !trace_called(t, path))
			consumer_why(m, EPROTO, why, sizeof(why));
		else if ((fd = ut_msg_get_fd(m)) == -1)
			consumer_why(m, errno, why, sizeof(why));
	}
	if (why[0] != '\0') {
		trace_failed(t, why, over(error));
	} else {
		ask_trace(t, fd, t->owner != 0 ? "." : t->bits == 32 ?
		    "32-bit" : "64-bit");
		close(fd);
		regions_ask(t);
	}
}

static void
ask_uid_dir(struct trace *t)
{
	struct session *s = t->session;
	struct consumer *c = consumer_get(s->uid, s->gid);

	t->state = REGION_ASKED;
	ut_msg_init(&out, UT_C_UIDDIR, 0, 0);
	ut_msg_fd(&out, s->dirfd);
	ut_msg_u32(&out, consumer_expect(c, got_uid_dir, id_arg(t->id)));
	ut_msg_str(&out, t->path);
	ut_msg_u32(&out, t->owner != 0 && !t->made);
	ut_msg_u32(&out, (uint32_t)t->uid);
	ut_msg_u32(&out, (uint32_t)t->gid);
	consumer_ask(c, &out, NULL);
}

/* ust/uid/UID/64-bit, or ust/pid/NAME-PID-DATE-TIME. */
static void
trace_path(const struct trace *t, char *path, size_t n)
{
	struct tm tm;
	time_t now = time(NULL);
	char date[32] = "", name[sizeof(t->name)], *p;

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

/* The user whose consumer makes the directory. */
static uid_t
maker(const struct trace *t)
{
	return own_trace(t) ? t->uid : t->session->uid;
}

/*
 * A consumer that does not read gets no more descriptors: we would have to keep
 * copies of them, and would have none left for others.
 */
static bool
behind(const struct consumer *c)
{
	return !c->given_up && (c->conn == NULL || conn_behind(c->conn));
}

static void
trace_ask(struct trace *t)
{
	char path[PATH_MAX];

	if (t->path == NULL) {
		trace_path(t, path, sizeof(path));
		if (!own_trace(t) && t->owner == 0)
			*strrchr(path, '/') = '\0';
		t->path = xstrdup(path);
	}
	if (t->session->gone[0] != '\0') {
		trace_failed(t, t->session->gone, false);
		return;
	}
	if (t->session->dirfd == -1) {
		t->state = REGION_ASKED;	/* until traces_resume */
		return;
	}
	if (!t->again && behind(own_trace(t) ? t->consumer :
	    consumer_get(t->session->uid, t->session->gid)))
		t->state = REGION_NEW;	/* until traces_drained */
	else if (own_trace(t))
		ask_trace(t, t->session->dirfd, t->path);
	else
		ask_uid_dir(t);
}

static struct trace *
trace_new(struct session *s, uint32_t id, uid_t uid, gid_t gid)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	if ((t->user = user_get(uid)) == NULL)
		fatal("calloc");
	t->id = id;
	t->session = s;
	t->uid = uid;
	t->gid = gid;
	t->consumer = consumer_get(uid, gid);
	t->next = s->traces;
	s->traces = t;
	state_add(&t->saved, SAVED_TRACE, t);
	return t;
}

/* The trace of the program's UID and ABI, or of the program alone. */
struct trace *
trace_get(struct session *s, const struct app *a, bool alone)
{
	const uint64_t owner = alone ? a->owner : 0;
	struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->uid == a->uid && t->bits == a->bits &&
		    t->owner == owner)
			return t;
	t = trace_new(s, new_id(), a->uid, a->gid);
	t->bits = a->bits;
	t->owner = owner;
	t->pid = a->pid != 0 ? a->pid : a->vpid;
	t->vpid = a->vpid;
	snprintf(t->name, sizeof(t->name), "%s", a->name);
	trace_ask(t);
	return t;
}

/* Try again to make or open the directory, and then all its regions. */
void
trace_retry(struct trace *t)
{
	if (regions_buried(t))
		return;
	t->again &= !t->over;
	t->over = false;
	if (t->again && t->session->gone[0] == '\0')
		trace_hold(t);
	regions_renew(t);
	trace_ask(t);
	if (t->state == REGION_READY)
		regions_ask(t);
}

/* The consumer has read everything: send the rest, for all who wait for it. */
void
traces_drained(const struct consumer *c)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next) {
		for (t = s->traces; t != NULL; t = t->next) {
			if (t->consumer == c && t->state == REGION_READY)
				(void)trace_flush(t);
			if (t->state != REGION_NEW || maker(t) != c->uid)
				continue;
			trace_ask(t);
			if (t->state == REGION_READY)
				regions_ask(t);
		}
	}
}

/* The consumer does not answer: warn in each session that it works for. */
void
traces_late(const struct consumer *c)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next) {
		for (t = s->traces; t != NULL && t->consumer != c; t = t->next)
			continue;
		if (t != NULL)
			session_warn(s, "the consumer of uid %lu does not "
			    "answer: its events stay in the buffers",
			    (unsigned long)c->uid);
	}
}

/* Does it depend on a consumer that does not answer? */
bool
trace_late(const struct trace *t)
{
	return t->consumer->late || (t->state != REGION_READY &&
	    consumers_late(maker(t)));
}

/* A consumer of the session that does not answer, or NULL. */
const struct consumer *
session_late(const struct session *s)
{
	const struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->consumer->late && (t->state != REGION_FAILED ||
		    regions_buried(t)))
			return t->consumer;
	return NULL;
}

/* Free a trace that its consumer does not know, or has closed. */
void
trace_drop(struct trace *t)
{
	struct trace **p;

	for (p = &t->session->traces; *p != t; p = &(*p)->next)
		continue;
	*p = t->next;
	state_del(&t->saved);
	trace_go_on(t);
	text_free(&t->text);
	user_drop(t->user);
	free(t->path);
	free(t);
}

void
trace_close(struct trace *t)
{
	trace_refine(t);
	ut_msg_init(&out, UT_C_CLOSETRACE, t->id, 0);
	consumer_send(t->consumer, &out);
	trace_drop(t);
}

/*
 * The consumer is new: tell it of all traces that it takes over, and then of
 * their regions.
 */
void
traces_again(struct consumer *c)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next) {
		for (t = s->traces; t != NULL; t = t->next) {
			if (t->consumer != c)
				continue;
			if (t->behind || t->state == REGION_READY)
				trace_hold(t);
			if (t->state != REGION_READY)
				continue;
			session_warn(s, "the consumer of uid %lu ended; "
			    "another took over", (unsigned long)c->uid);
			trace_ask(t);
			if (t->state == REGION_READY)
				regions_ask(t);
		}
	}
}

/* The consumer was given up: nobody writes its traces any more. */
void
traces_orphaned(const struct consumer *c)
{
	struct session *s;
	struct trace *t;

	for (s = sessions; s != NULL; s = s->next) {
		for (t = s->traces; t != NULL; t = t->next) {
			if (t->consumer != c)
				continue;
			t->again = false;
			trace_failed(t, consumer_trouble(c), false);
			regions_remove(t);
		}
	}
}

/* Does the consumer have any traces? */
bool
traces_need(const struct consumer *c)
{
	const struct session *s;
	const struct trace *t;

	for (s = sessions; s != NULL; s = s->next)
		for (t = s->traces; t != NULL; t = t->next)
			if (t->consumer == c)
				return true;
	return false;
}

/* Have the consumer of the session's owner make or open the directory. */
void
session_open(struct session *s, bool again, consumer_cb *cb, void *arg,
    consumer_late *late)
{
	struct consumer *c = consumer_get(s->uid, s->gid);

	ut_msg_init(&out, UT_C_OUTDIR, 0, 0);
	ut_msg_u32(&out, consumer_expect(c, cb, arg));
	ut_msg_str(&out, s->dir);
	ut_msg_u32(&out, again);
	consumer_ask(c, &out, late);
}

/* A trace of another utd, to be filled in by the caller. */
struct trace *
trace_restore(struct session *s, uint32_t id, uid_t uid, gid_t gid)
{
	struct trace *t = trace_new(s, id, uid, gid);

	id_taken(id);
	t->state = REGION_ASKED;
	trace_hold(t);
	return t;
}

/* The directory of the session is open again, or cannot be. */
void
traces_resume(struct session *s)
{
	struct trace *t;

	for (t = s->traces; t != NULL; t = t->next) {
		if (s->gone[0] != '\0') {
			trace_failed(t, s->gone, false);
		} else if (t->state == REGION_FAILED) {
			trace_retry(t);
		} else if (t->state == REGION_ASKED) {
			trace_ask(t);
			if (t->state == REGION_READY)
				regions_ask(t);
		}
	}
}
