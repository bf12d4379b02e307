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
 * The regions of channels, as the parent sees them.  The consumers make a
 * region in several steps; who waits for it is told by regions_changed when
 * it is there, or could not be made.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

#define TAKEN_MAX	16	/* names, until others must mean that */

region_changed *regions_changed;

static struct ut_msg out;

static void	region_ask(struct region *);

/* Describe a new event in the metadata, before a program may use its ID. */
void
region_name_event(struct region *r, uint32_t id)
{
	state_changed(&r->saved);
	if (!r->described)
		return;
	state_changed(&r->trace->saved);
	metadata_event(&r->trace->text, r->channel,
	    r->registry.entries[id].event, id);
	if (!r->moved || r->trace->before == NULL)
		return;
	/* The event may still be written in the trace before. */
	state_changed(&r->trace->before->saved);
	metadata_event(&r->trace->before->text, r->channel,
	    r->registry.entries[id].event, id);
}

static void
region_join(struct region *r, struct trace *t)
{
	LIST_ADD(struct region, &t->regions, r, beside);
	r->beside = NULL;
	r->trace = t;
}

/* All regions of the one trace go on in the other. */
void
regions_move(struct trace *from, struct trace *to)
{
	struct region *r;

	while ((r = from->regions) != NULL) {
		from->regions = r->beside;
		region_join(r, to);
		r->moved = true;
		r->described = false;
		state_changed(&r->saved);
	}
}

bool
channel_failed(const struct channel *ch)
{
	const struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		if (r->state == REGION_FAILED)
			return true;
	return false;
}

/* Describe a region to its consumer. */
void
region_put(struct ut_msg *m, const struct channel *ch)
{
	ut_msg_u32(m, ch->stream);
	ut_msg_str(m, ch->name);
	attrs_put(m, &ch->attrs);
	ut_msg_u32(m, ch->session->keeps);
}

/* Set what is wrong with the region now; "": nothing any more. */
void
region_trouble(struct region *r, const char *why)
{
	if (r->why == NULL && why[0] == '\0')
		return;
	free(r->why);
	r->cause = r->why = why[0] != '\0' ? xstrdup(why) : NULL;
	session_look(r->channel->session);
}

void
region_failed(struct region *r, const char *why)
{
	struct session *s = r->channel->session;
	char text[512];
	int n;

	n = snprintf(text, sizeof(text), "channel %s for uid %lu: ",
	    r->channel->name, (unsigned long)r->trace->uid);
	snprintf(text + n, sizeof(text) - (size_t)n, "%s", why);
	r->state = REGION_FAILED;
	region_trouble(r, text);
	r->cause = r->why + n;
	state_changed(&r->saved);
	session_missed(s);
	session_blame(s, r->trace->uid, "%s", text);
	regions_changed(r, false);
}

/* All regions of that trace have failed. */
void
regions_failed(struct trace *t, const char *why)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		if (r->state != REGION_FAILED && r->state != REGION_CLOSING)
			region_failed(r, why);
}

/* Remove the name of its memory, if there is one. */
void
region_remove(const struct region *r)
{
	consumer_remove(r->trace->consumer, r->shm, false);
}

/* The memory is gone: if the region is made again, it has another name. */
void
region_forget(struct region *r)
{
	if (r->fd != -1)
		user_close(r->trace->user, r->fd);
	r->fd = -1;
	r->left = r->over = false;
	ut_shm_name(r->shm);
	state_changed(&r->saved);
}

/* The consumer is gone: remove the memory of its regions in its place. */
void
regions_remove(const struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		region_remove(r);
		if (r->state == REGION_FAILED)
			region_forget(r);
	}
}

/* UT_C_ACTIVE or UT_C_COUNT is answered. */
static void
got_counts(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);

	if (r == NULL)
		return;
	r->counting = false;
	if (error != 0)
		return;
	region_counted(r, m);
	r->used = ut_msg_get_u32(m);
}

/* A request that needs no words. */
void
region_tell(const struct region *r, uint16_t type, uint32_t b, consumer_cb *cb,
    struct waiter *w)
{
	request_init(&out, type, r->id, b);
	(void)consumer_ask(r->trace->consumer, &out, cb, r->id, w);
}

/* The consumer has it, active or not. */
static void
region_here(struct region *r, bool active)
{
	r->state = REGION_READY;
	r->left = false;
	region_trouble(r, "");
	if (active != channel_active(r->channel))
		region_tell(r, UT_C_ACTIVE, !active, got_counts, NULL);
	region_watch(r);
}

/* Keep the descriptor of a region; -1 and why if there is none to spare. */
static int
region_fd(const struct region *r, int fd, char *why, size_t n)
{
	if (fd != -1 && !r->left && !fd_for_region(fd)) {
		close(fd);
		snprintf(why, n, "%s: utd has none left for buffers",
		    strerror(EMFILE));
		return -1;
	}
	if (fd != -1)
		fd = user_open(r->trace->user, fd, r->left);
	if (fd == -1)
		snprintf(why, n, "%s: none for buffers", strerror(errno));
	return fd;
}

/*
 * Let the consumer tell when more is written to it.  While it moves to another
 * trace we do not know how much there is: see got_rotated.
 */
void
region_watch(struct region *r)
{
	const struct session *s = r->channel->session;

	if (r->state != REGION_READY || r->watched || r->moved ||
	    (s->rotation.bytes == 0 && s->trigger == NULL))
		return;
	r->watched = true;
	ut_msg_init(&out, UT_C_WATCH, r->id, 0);
	ut_msg_u64(&out, r->counts.bytes);
	consumer_send(r->trace->consumer, &out);
}

/* UT_C_REGION is answered; for a READY region, by a new consumer. */
static void
got_region(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);
	char why[512];
	bool active, failed;

	if (r == NULL || (m->h.a != 0 && m->h.a != r->serial) ||
	    (r->state != REGION_ASKED && r->state != REGION_READY))
		return;			/* failed otherwise since */
	active = error == 0 && ut_msg_get_u32(m) != 0;
	if (error == 0 && r->state == REGION_READY) {
		region_here(r, active);
		return;
	}
	if (error == EEXIST) {		/* somebody else has the name */
		if (r->left)
			region_remove(r);
		r->left = false;
		ut_shm_name(r->shm);
	}
	if (error == EEXIST && ++r->taken < TAKEN_MAX) {
		r->state = REGION_NEW;
		region_ask(r);
		return;
	}
	r->taken = 0;
	if (error != 0) {
		region_failed(r, consumer_why(m, error));
		return;
	}
	if (r->fd == -1 && (r->fd = region_fd(r, ut_msg_get_fd(m), why,
	    sizeof(why))) == -1) {
		region_tell(r, UT_C_CLOSE, true, NULL, NULL);
		region_remove(r);
		region_forget(r);
		region_failed(r, why);
		return;
	}
	failed = r->why != NULL;
	region_here(r, active);
	regions_changed(r, failed);
}

static void
region_ask(struct region *r)
{
	const bool again = r->state != REGION_NEW;

	if (!again)
		r->state = REGION_ASKED;
	state_changed(&r->saved);
	state_save();		/* so that the next utd knows its name */
	r->watched = r->wanted = false;
	request_init(&out, UT_C_REGION, r->id, r->trace->id);
	region_put(&out, r->channel);
	ut_msg_u32(&out, channel_active(r->channel));
	ut_msg_str(&out, r->shm);
	ut_msg_u32(&out, again);
	ut_msg_u32(&out, r->moved && r->trace->before != NULL ?
	    r->trace->before->id : 0);
	ut_msg_u64(&out, r->told);
	if (r->fd != -1)
		ut_msg_fd(&out, r->fd);
	r->serial = consumer_ask(r->trace->consumer, &out, got_region, r->id,
	    NULL);
}

/* Add the channel and all events so far to the metadata, once. */
static void
region_describe(struct region *r)
{
	if (r->described)
		return;
	r->described = true;
	state_changed(&r->saved);
	trace_channel(r->trace, r->channel);
	metadata_events(&r->trace->text, r->channel, &r->registry);
}

/* The directory has all metadata again: who waits for that goes on. */
void
regions_synced(const struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		if (r->state == REGION_READY)
			regions_changed(r, false);
}

/* The directory is being made: ask for the regions in it. */
void
regions_ask(struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		region_describe(r);
		if (r->state == REGION_NEW ||
		    (r->state == REGION_ASKED && r->wanted) ||
		    (t->take != TAKE_NONE && r->state != REGION_FAILED &&
		    !r->over))
			region_ask(r);
	}
}

/* The region is to be asked for, once more if it has memory. */
static void
region_renew(struct region *r)
{
	r->state = region_left(r) ? REGION_ASKED : REGION_NEW;
	r->wanted = true;
}

/*
 * The trace is tried again: so are its regions.  If its metadata begin anew,
 * they have to be described again.
 */
void
regions_renew(struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		if (r->state != REGION_FAILED && r->state != REGION_NEW)
			continue;
		region_renew(r);
		r->described &= t->take != TAKE_NONE;
	}
}

/*
 * Add a region to the channel and the trace.  Nothing is asked of the consumer
 * yet.
 */
struct region *
region_add(struct channel *ch, struct trace *t, uint32_t id)
{
	struct region *r = xcalloc(1, sizeof(*r));

	r->id = id;
	r->channel = ch;
	r->fd = -1;
	r->registry.user = t->user;
	r->next = ch->regions;
	ch->regions = r;
	region_join(r, t);
	state_add(&r->saved, SAVED_REGION, id, r);
	return r;
}

/* A new region of the channel in that directory. */
struct region *
region_make(struct channel *ch, struct trace *t)
{
	struct region *r = region_add(ch, t, new_id());

	ut_shm_name(r->shm);
	if (trace_out(t)) {
		r->state = REGION_FAILED;
	} else if (t->state == TRACE_READY) {
		region_describe(r);
		region_ask(r);
	}
	return r;
}

/* Set the name of the memory that the region had; "": none. */
void
region_had(struct region *r, const char *shm)
{
	r->left = shm[0] != '\0';
	r->state = r->left ? REGION_ASKED : REGION_NEW;
	if (r->left)
		snprintf(r->shm, sizeof(r->shm), "%s", shm);
	else
		ut_shm_name(r->shm);
}

/* The directory is there, or is being made: try again to make the region. */
void
region_again(struct region *r)
{
	region_renew(r);
	if (r->trace->state == TRACE_READY)
		region_ask(r);
}

/* If nobody waits for the consumer, questions would pile up. */
static bool
send_count(const struct region *r, struct waiter *w)
{
	if (!requests_wait(r->trace->consumer, w))
		return false;
	region_tell(r, UT_C_COUNT, false, got_counts, w);
	return true;
}

/* Will the consumer have the region when it gets the next request? */
static bool
region_there(const struct region *r)
{
	return r->state == REGION_READY ||
	    (r->state == REGION_ASKED && r->trace->take != TAKE_NONE);
}

/*
 * Start or stop the regions, as the session and the channel are; w waits for
 * the counts after everything is written.  A region that is CLOSING sends its
 * counts anyway; w waits for the answer to a request behind that.
 */
void
channel_activate(struct channel *ch, struct waiter *w)
{
	const uint32_t how = channel_active(ch) ? UT_START :
	    ch->session->active && !ch->session->dying ? UT_STOP_ALONE :
	    UT_STOP;
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next) {
		if (region_there(r))
			region_tell(r, UT_C_ACTIVE, how, got_counts, w);
		else if (r->state == REGION_CLOSING)
			(void)send_count(r, w);
	}
}

void
channel_count(struct channel *ch, struct waiter *w)
{
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		if (region_there(r) || r->state == REGION_CLOSING)
			(void)send_count(r, w);
}

/* Count as above, but do not ask regions again that have yet to answer. */
void
channel_recount(struct channel *ch, struct waiter *w)
{
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		if (!r->counting && (region_there(r) ||
		    r->state == REGION_CLOSING))
			r->counting = send_count(r, w);
}

void
channel_watch(struct channel *ch)
{
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		region_watch(r);
}

/* UT_C_GREW: it is not watched any more.  A file can also have been cut. */
void
region_grown(struct region *r, uint64_t bytes)
{
	r->watched = false;
	if (bytes < r->counts.bytes)
		r->counts.bytes = bytes;
	else
		(void)count_grew(&r->counts.bytes, bytes);
}

/* Free the region, and nothing else. */
void
region_drop(struct region *r)
{
	LIST_DEL(struct region, &r->channel->regions, r, next);
	LIST_DEL(struct region, &r->trace->regions, r, beside);
	region_trouble(r, "");
	state_del(&r->saved);
	if (r->fd != -1)
		user_close(r->trace->user, r->fd);
	registry_free(&r->registry);
	free(r);
}
