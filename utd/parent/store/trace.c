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
 * The traces of a session, as the parent sees them: one for each UID and ABI,
 * or one for each program; and how their metadata get to the consumer.  How
 * their directories are made and opened: see trace_open.c.
 */

#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define PIECE	32768u		/* bytes of metadata in one message */
#define AHEAD	(1u << 20)	/* bytes that the consumer has yet to read */
#define BUCKETS	1024		/* traces by owners, which are in a row */

static struct trace *by_owner[BUCKETS];
static struct ut_msg out;

static struct trace **
trace_bucket(uint64_t owner)
{
	return &by_owner[owner % BUCKETS];
}

/* The directory of all programs of that UID and ABI, or of one. */
struct trace *
trace_of(const struct session *s, uid_t uid, uint32_t bits, uint64_t owner)
{
	struct trace *t = *trace_bucket(owner);

	while (t != NULL && (t->owner != owner || t->session != s ||
	    t->uid != uid || t->bits != bits))
		t = t->chain;
	return t;
}

/*
 * Is the session's owner the traced user?  Then one consumer makes the whole
 * directory, in one step.
 */
bool
trace_own(const struct trace *t)
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
void
trace_hold(struct trace *t)
{
	t->take = TAKE_SIZE;
	consumer_tell(t->consumer, UT_C_HOLD, t->id, true);
}

/* All metadata that the consumer lacked is sent, or never will be. */
void
trace_go_on(struct trace *t)
{
	if (!trace_held(t))
		return;
	t->take = TAKE_DONE;
	consumer_tell(t->consumer, UT_C_HOLD, t->id, false);
	rotation_soon(t->session);
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

	if (t->take == TAKE_SIZE ||
	    (t->before != NULL && !trace_flush(t->before)))
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
	trace_go_on(t);
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
		return;			/* else too much would be moved */
	t->past = size;
	text_cut(text, n);
}

/*
 * Take the final name of the directory: the one we asked for, perhaps with a
 * number appended.  False if the consumer tells of any other.
 */
bool
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

	if (t != NULL && t->consumer == c && t->owner != 0 && trace_own(t) &&
	    !trace_called(t, path))
		log_peer("consumer %d of uid %lu: directory %s: not the name "
		    "that it was told to make: ignored", (int)c->pid,
		    (unsigned long)c->uid, path);
}

/* Describe a channel that will have a region in this trace. */
void
trace_channel(struct trace *t, const struct channel *ch)
{
	const uint64_t at = t->past + t->text.len;

	if (t->clock_at == 0 && metadata_clock(&t->text, ch))
		t->clock_at = at;
	metadata_channel(&t->text, ch);
	state_changed(&t->saved);
}

/*
 * Replace the frequency of the cycle counter by what is measured by now, both
 * in what the consumer has and in what it is sent later.
 */
void
trace_refine(struct trace *t)
{
	struct text text;

	memset(&text, 0, sizeof(text));
	if (t->clock_at == 0 ||
	    !metadata_cycles(&text, t->session, t->line))
		return;
	if (t->clock_at >= t->past && text.len <= t->text.len &&
	    t->clock_at - t->past <= t->text.len - text.len)
		memcpy(t->text.s + (t->clock_at - t->past), text.s, text.len);
	if (t->clock_at < t->past + t->text.sent) {
		ut_msg_init(&out, UT_C_REFINE, t->id, 0);
		ut_msg_u64(&out, t->clock_at);
		ut_msg_str(&out, text.s);
		consumer_send(t->consumer, &out);
	}
	text_free(&text);
}

static void
trace_join(struct trace *t)
{
	t->consumer = consumer_get(t->uid, t->gid);
	t->beside = t->consumer->traces;
	t->consumer->traces = t;
}

static void
trace_leave(const struct trace *t)
{
	LIST_DEL(struct trace, &t->consumer->traces, t, beside);
	if (t->consumer->traces == NULL)
		consumers_look();
}

/* Change to another consumer of the user: the trace's own was given up. */
void
trace_move(struct trace *t)
{
	trace_leave(t);
	trace_join(t);
}

struct trace *
trace_new(struct session *s, uint32_t id, uid_t uid, gid_t gid, uint64_t owner)
{
	struct trace *t = xcalloc(1, sizeof(*t));

	t->user = user_get(uid);
	t->id = id;
	t->session = s;
	t->uid = uid;
	t->gid = gid;
	t->owner = owner;
	if (!trace_own(t))
		s->foreign = true;
	trace_join(t);
	t->next = s->traces;
	s->traces = t;
	t->chain = *trace_bucket(owner);
	*trace_bucket(owner) = t;
	state_add(&t->saved, SAVED_TRACE, id, t);
	return t;
}

/* The consumer does not answer, or does again: warn its sessions. */
void
traces_late(const struct consumer *c)
{
	const struct trace *t;

	for (t = c->traces; t != NULL; t = t->beside) {
		session_blame(t->session, c->uid, "the consumer of uid %lu %s",
		    (unsigned long)c->uid, c->late ? "does not answer: its "
		    "events stay in the buffers" : "answers again");
		rotation_soon(t->session);
	}
}

/* The consumer is slow, or is no more: warn the sessions of other users. */
void
traces_slow(const struct consumer *c)
{
	const struct trace *t;

	for (t = c->traces; t != NULL; t = t->beside) {
		if (t->session->uid == c->uid)
			continue;
		session_blame(t->session, c->uid, "the consumer of uid %lu %s",
		    (unsigned long)c->uid, c->slow ? "takes too long: nobody "
		    "else waits for it" : "answers other users again");
		rotation_soon(t->session);
	}
}

/* Does it depend on a consumer that does not answer? */
bool
trace_late(const struct trace *t)
{
	return t->consumer->late || (t->state != TRACE_READY &&
	    consumers_late(t->session->uid));
}

/* Free a trace that its consumer does not know, or has closed. */
void
trace_drop(struct trace *t)
{
	LIST_DEL(struct trace, &t->session->traces, t, next);
	LIST_DEL(struct trace, trace_bucket(t->owner), t, chain);
	if (t->after != NULL)
		t->after->before = NULL;
	if (t->before != NULL) {
		t->before->after = NULL;
		trace_close(t->before);
	}
	rotation_soon(t->session);
	state_del(&t->saved);
	trace_go_on(t);
	trace_leave(t);
	text_free(&t->text);
	user_drop(t->user);
	free(t->path);
	free(t);
}

void
trace_close(struct trace *t)
{
	trace_refine(t);
	consumer_tell(t->consumer, UT_C_CLOSETRACE, t->id, 0);
	trace_drop(t);
}
