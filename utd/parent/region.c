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
 * region in several steps; who waits for it is told by `changed' when it is
 * there, or could not be made.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

static struct ut_msg out;
static region_changed *changed;

static void	region_ask(struct region *);
static void	region_free(struct region *);
static void	got_buried(uint32_t, int, struct ut_msg *);

void
regions_begin(region_changed *f)
{
	changed = f;
}

struct region *
region_by_id(uint32_t id)
{
	return state_find(SAVED_REGION, id);
}

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
	/* It may still be written there. */
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

static void
region_leave(const struct region *r)
{
	LIST_DEL(struct region, &r->trace->regions, r, beside);
}

/* It goes on in another trace. */
void
region_move(struct region *r, struct trace *to)
{
	region_leave(r);
	region_join(r, to);
}

/* All regions of the one trace go on in the other. */
void
regions_move(struct trace *from, struct trace *to)
{
	struct region *r;

	while ((r = from->regions) != NULL) {
		region_move(r, to);
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

/* What a consumer has to know of a region. */
static void
put_region(const struct channel *ch)
{
	ut_msg_u32(&out, ch->stream);
	ut_msg_str(&out, ch->name);
	attrs_put(&out, &ch->attrs);
	ut_msg_u32(&out, ch->session->keeps);
}

/*
 * Nothing can be written: programs are detached from the region, and the
 * consumer counts the events and removes it.
 */
static void
region_bury(struct region *r)
{
	r->buried = true;
	changed(r, false);
	request_init(&out, UT_C_BURY, r->id, 0);
	put_region(r->channel);
	ut_msg_str(&out, r->shm);
	ut_msg_str(&out, r->why != NULL ? r->cause : strerror(ENOENT));
	if (r->fd != -1)
		ut_msg_fd(&out, r->fd);
	(void)consumer_ask(r->trace->consumer, &out, got_buried, r->id, NULL);
	if (r->why != NULL)
		session_lost(r->channel->session, r->why);
}

/* What is wrong with the region now; "": nothing any more. */
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
	session_warn(s, "%s", text);
	changed(r, false);
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

/* The memory is gone: if the region is made again, it has another name. */
static void
region_forget(struct region *r)
{
	if (r->fd != -1)
		user_close(r->trace->user, r->fd);
	r->fd = -1;
	r->left = false;
	ut_shm_name(r->shm);
	state_changed(&r->saved);
}

/* The consumer is gone: remove the memory of its regions in its place. */
void
regions_remove(const struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		consumer_remove(t->consumer, r->shm);
		if (r->state == REGION_FAILED)
			region_forget(r);
	}
}

static void
counts_read(struct ut_msg *m, struct counts *c)
{
	c->written = ut_msg_get_u64(m);
	c->lost = ut_msg_get_u64(m);
	c->bytes = ut_msg_get_u64(m);
	c->packets = ut_msg_get_u64(m);
	c->overwritten = ut_msg_get_u64(m);
	c->waits = ut_msg_get_u64(m);
	c->waited = ut_msg_get_u64(m);
	c->longest = ut_msg_get_u64(m);
}

static void
counts_add(struct counts *sum, const struct counts *c)
{
	sum->written += c->written;
	sum->lost += c->lost;
	sum->bytes += c->bytes;
	sum->packets += c->packets;
	sum->overwritten += c->overwritten;
	sum->waits += c->waits;
	sum->waited += c->waited;
	if (sum->longest < c->longest)
		sum->longest = c->longest;
}

/* Its counts are past; its files are in the current chunk, or in one before. */
static void
counts_keep(const struct region *r)
{
	const struct trace *t = r->trace;

	counts_add(&r->channel->past, &r->counts);
	if (t->chunk != t->session->rotation.chunk ||
	    (r->moved && t->before != NULL))
		r->channel->older += r->counts.bytes;
}

/* UT_C_BURY is answered: keep the counts of the region. */
static void
got_buried(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);
	struct counts counts;

	if (r == NULL)
		return;
	if (error == 0) {
		/* How much was written before it has forgotten. */
		counts = r->counts;
		counts_read(m, &r->counts);
		r->counts.bytes = counts.bytes;
		r->counts.packets = counts.packets;
	}
	r->buried = false;
	if (r->state == REGION_CLOSING) {
		r->left = error != 0;
		region_free(r);
		return;
	}
	counts_keep(r);
	memset(&r->counts, 0, sizeof(r->counts));
	state_changed(&r->channel->saved);
	region_forget(r);
}

bool
regions_buried(const struct trace *t)
{
	const struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		if (r->buried)
			return true;
	return false;
}

/*
 * The directory is gone for good: detach programs from its regions, count the
 * events that were not written, and remove the regions.
 */
void
regions_bury_lost(struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		if (r->state == REGION_FAILED && region_left(r) && !r->buried)
			region_bury(r);
}

/* UT_C_ACTIVE or UT_C_COUNT is answered. */
static void
got_counts(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);

	if (error != 0 || r == NULL)
		return;
	counts_read(m, &r->counts);
	r->used = ut_msg_get_u32(m);
}

/* Remove what another utd has left; nobody will adopt it. */
static void
region_abandon(struct region *r)
{
	if (r->left)
		consumer_remove(r->trace->consumer, r->shm);
	r->left = false;
}

/* A request that needs no words. */
static void
tell(const struct region *r, uint16_t type, bool b, consumer_cb *cb,
    struct waiter *w)
{
	request_init(&out, type, r->id, b);
	(void)consumer_ask(r->trace->consumer, &out, cb, r->id, w);
}

static void
send_active(const struct region *r, struct waiter *w)
{
	tell(r, UT_C_ACTIVE, channel_active(r->channel), got_counts, w);
}

/* The consumer has it, active or not. */
static void
region_here(struct region *r, bool active)
{
	r->state = REGION_READY;
	r->left = false;
	region_trouble(r, "");
	if (active != channel_active(r->channel))
		send_active(r, NULL);
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
		return;			/* it has failed otherwise since */
	active = error == 0 && ut_msg_get_u32(m) != 0;
	if (error == 0 && r->state == REGION_READY) {
		region_here(r, active);
		return;
	}
	if (error == EEXIST) {		/* another region has the name */
		region_abandon(r);
		ut_shm_name(r->shm);
		r->state = REGION_NEW;
		region_ask(r);
		return;
	}
	if (error != 0) {
		region_failed(r, consumer_why(m, error));
		return;
	}
	if (r->fd == -1 && (r->fd = region_fd(r, ut_msg_get_fd(m), why,
	    sizeof(why))) == -1) {
		tell(r, UT_C_CLOSE, true, NULL, NULL);
		region_failed(r, why);
		return;
	}
	failed = r->why != NULL;
	region_here(r, active);
	changed(r, failed);
}

static void
region_ask(struct region *r)
{
	const bool again = r->state != REGION_NEW;

	if (!again)
		r->state = REGION_ASKED;
	state_changed(&r->saved);
	state_save();		/* so that the next utd knows its name */
	r->watched = false;
	request_init(&out, UT_C_REGION, r->id, r->trace->id);
	put_region(r->channel);
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
			changed(r, false);
}

/* The directory is being made: ask for the regions in it. */
void
regions_ask(struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		region_describe(r);
		if (r->state == REGION_NEW || (t->take != TAKE_NONE &&
		    r->state != REGION_FAILED))
			region_ask(r);
	}
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
		r->state = region_left(r) ? REGION_ASKED : REGION_NEW;
		r->described &= t->take != TAKE_NONE;
	}
}

/* One of another utd is made or adopted when its directory is open. */
struct region *
region_add(struct channel *ch, struct trace *t, uint32_t id)
{
	struct region *r = xcalloc(1, sizeof(*r));

	r->id = id;
	r->channel = ch;
	r->fd = -1;
	registry_init(&r->registry, t->user);
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

/* It had memory of that name; "": none. */
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
	r->state = region_left(r) ? REGION_ASKED : REGION_NEW;
	if (r->trace->state == TRACE_READY)
		region_ask(r);
}

/* If the consumer does not answer, questions would pile up. */
static void
send_count(const struct region *r, struct waiter *w)
{
	if (!r->trace->consumer->late)
		tell(r, UT_C_COUNT, false, got_counts, w);
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
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next) {
		if (region_there(r))
			send_active(r, w);
		else if (r->state == REGION_CLOSING)
			send_count(r, w);
	}
}

void
channel_count(struct channel *ch, struct waiter *w)
{
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		if (region_there(r) || r->state == REGION_CLOSING)
			send_count(r, w);
}

void
channel_watch(struct channel *ch)
{
	struct region *r;

	for (r = ch->regions; r != NULL; r = r->next)
		region_watch(r);
}

/* UT_C_GREW: it is not watched any more. */
void
region_grown(struct region *r, uint64_t bytes)
{
	r->watched = false;
	r->counts.bytes = bytes;
}

uint64_t
channel_chunk(const struct channel *ch)
{
	struct counts sum;

	memset(&sum, 0, sizeof(sum));
	channel_counts(ch, &sum);
	return sum.bytes < ch->kept ? 0 : sum.bytes - ch->kept;
}

/* Add up the counts of all regions, including those that are gone. */
void
channel_counts(const struct channel *ch, struct counts *sum)
{
	const struct region *r;

	counts_add(sum, &ch->past);
	for (r = ch->regions; r != NULL; r = r->next)
		counts_add(sum, &r->counts);
}

void
session_counts(const struct session *s, struct counts *sum)
{
	const struct channel *ch;

	memset(sum, 0, sizeof(*sum));
	for (ch = s->channels; ch != NULL; ch = ch->next)
		channel_counts(ch, sum);
}

/* Free the region, and nothing else. */
void
region_drop(struct region *r)
{
	LIST_DEL(struct region, &r->channel->regions, r, next);
	region_leave(r);
	region_trouble(r, "");
	state_del(&r->saved);
	if (r->fd != -1)
		user_close(r->trace->user, r->fd);
	registry_free(&r->registry);
	free(r);
}

/* Free the region; the trace of a single program goes with its last region. */
static void
region_free(struct region *r)
{
	struct trace *t = r->trace;

	counts_keep(r);
	state_changed(&r->channel->saved);
	region_abandon(r);
	region_drop(r);
	if (t->owner != 0 && t->regions == NULL)
		trace_close(t);
}

static void
got_last(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);

	if (r == NULL)
		return;
	if (error == ENOENT && region_left(r)) {
		region_bury(r);		/* it does not have it, and will not */
		return;
	}
	if (error == 0)
		counts_read(m, &r->counts);
	else
		r->left |= r->fd != -1;
	region_free(r);
}

/* Close the region; it is freed when the consumer has told its counts. */
static void
region_close(struct region *r, bool dead)
{
	const bool lost = r->state == REGION_FAILED && region_left(r);

	plans_forget(r->channel, r);
	if (r->state == REGION_CLOSING)
		return;
	r->state = REGION_CLOSING;
	if (r->buried)
		return;
	if (lost) {
		region_bury(r);
		return;
	}
	tell(r, UT_C_CLOSE, dead, got_last, NULL);
}

/* The program is dead: close the regions that were its own. */
void
regions_bury(uid_t uid, uint32_t bits, uint64_t owner)
{
	const struct session *s;
	const struct trace *t;
	struct region *r;

	for (s = sessions; s != NULL; s = s->next) {
		if ((t = trace_of(s, uid, bits, owner)) == NULL)
			continue;
		for (r = t->regions; r != NULL; r = r->beside)
			region_close(r, true);
	}
}

/* Is there any that the program may have mapped? */
bool
regions_hold(uid_t uid, uint64_t owner)
{
	const struct session *s;
	const struct trace *t;

	for (s = sessions; s != NULL; s = s->next)
		for (t = s->traces; t != NULL; t = t->next)
			if (t->uid == uid && t->regions != NULL &&
			    (t->owner == 0 || t->owner == owner))
				return true;
	return false;
}

/* Its consumer has ended in order, or will not: is the region of no use? */
static bool
is_gone(const struct region *r)
{
	const struct consumer *c = r->trace->consumer;

	return (c->state == CONSUMER_FINISHED ||
	    c->state == CONSUMER_GIVEN_UP) && (r->state != REGION_FAILED ||
	    r->buried || !region_left(r));
}

/*
 * The consumers have ended: free their regions, except those that they could
 * not take over, because the next utd may find their directory.
 */
void
regions_gone(void)
{
	struct session *s;
	struct channel *ch;
	struct region *r, *next;

	for (s = sessions; s != NULL; s = s->next) {
		for (ch = s->channels; ch != NULL; ch = ch->next) {
			for (r = ch->regions; r != NULL; r = next) {
				next = r->next;
				if (is_gone(r))
					region_free(r);
			}
		}
	}
}

/* Close all regions of the channel; no program is attached to them. */
void
regions_close(struct channel *ch)
{
	struct region *r, *next;

	for (r = ch->regions; r != NULL; r = next) {
		next = r->next;
		region_close(r, false);
	}
}

/* Free them without waiting for their consumers. */
void
regions_free(struct channel *ch)
{
	while (ch->regions != NULL)
		region_free(ch->regions);
}
