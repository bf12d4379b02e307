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
 * The end of regions: they are closed, or buried if they cannot be written, and
 * freed when their consumer has told what it counted.
 */

#include <errno.h>
#include <string.h>

#include "../want/rule.h"
#include "trace.h"

static struct ut_msg out;

/* Add the counts of a region that goes to its channel's past and older. */
static void
counts_keep(const struct region *r)
{
	const struct trace *t = r->trace;
	struct trigger *of = t->session->trigger;

	if (r->moved && t->before != NULL)
		t = t->before;
	counts_add(&r->channel->past, &r->counts);
	if (of != NULL) {
		of->gone += r->matched - r->base;
		state_changed(&t->session->saved);
	}
	if (t->chunk != t->session->rotation.chunk)
		count_add(&r->channel->older, r->counts.bytes);
}

/*
 * The consumer needs the region no more.  A utd that is killed in here leaves
 * its memory, to be counted once more, or its name alone, which the next utd
 * removes; but never counts that are neither here nor there.
 */
static void
region_over(struct region *r)
{
	counts_keep(r);
	r->over = true;
	state_changed(&r->channel->saved);
	state_changed(&r->saved);
	state_save();
	region_remove(r);
}

/* Remove the names of the trace's regions that another utd could not remove. */
static void
trace_restored(const struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		if (!r->over)
			continue;
		region_remove(r);
		r->left = false;
		r->state = REGION_CLOSING;
		r->matched = r->base = 0;
	}
}

void
regions_restored(void)
{
	const struct session *s;
	const struct trace *t;

	for (s = sessions; s != NULL; s = s->next)
		for (t = s->traces; t != NULL; t = t->next)
			trace_restored(t);
}

/* Free the region; the trace of a single program goes with its last region. */
static void
region_free(struct region *r)
{
	struct trace *t = r->trace;

	if (!r->over)
		region_over(r);
	else
		region_remove(r);
	region_drop(r);
	if (t->owner != 0 && t->regions == NULL)
		trace_close(t);
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
		region_counted(r, m);
		r->counts.bytes = counts.bytes;
		r->counts.packets = counts.packets;
	}
	r->buried = false;
	if (r->state == REGION_CLOSING) {
		region_free(r);
		return;
	}
	region_over(r);
	memset(&r->counts, 0, sizeof(r->counts));
	r->matched = r->base = 0;
	region_forget(r);
}

/*
 * Nothing can be written: programs are detached from the region, and the
 * consumer counts the events.
 */
static void
region_bury(struct region *r)
{
	r->buried = true;
	regions_changed(r, false);
	request_init(&out, UT_C_BURY, r->id, 0);
	region_put(&out, r->channel);
	ut_msg_str(&out, r->shm);
	ut_msg_str(&out, r->why != NULL ? r->cause : strerror(ENOENT));
	if (r->fd != -1)
		ut_msg_fd(&out, r->fd);
	(void)consumer_ask(r->trace->consumer, &out, got_buried, r->id, NULL);
	if (r->why != NULL)
		session_lost(r->channel->session, r->why);
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

static void
got_last(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);

	if (r == NULL)
		return;
	if (error == ENOENT && region_left(r)) {
		region_bury(r);		/* the consumer will never have it */
		return;
	}
	if (error == 0)
		region_counted(r, m);
	region_free(r);
}

/*
 * Free those that another utd could not free: when the trace has all that its
 * files lacked, because it may be closed with them.
 */
void
regions_last(const struct trace *t)
{
	const struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		if (r->over)
			region_tell(r, UT_C_CLOSE, false, got_last, NULL);
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
	region_tell(r, UT_C_CLOSE, dead, got_last, NULL);
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

/*
 * The consumers have ended: are there any that could not be written?  The next
 * utd may find their directory.
 */
bool
regions_kept(const struct trace *t)
{
	const bool finished = t->consumer->state == CONSUMER_FINISHED ||
	    t->consumer->state == CONSUMER_GIVEN_UP;
	const struct region *r;

	for (r = t->regions; r != NULL; r = r->beside)
		if (!region_none(r) && (!finished ||
		    (r->state == REGION_FAILED && !r->buried)))
			return true;
	return false;
}

/*
 * All regions of the session are over, with the counts that are known: nobody
 * asks for the last ones.  False if there are none.
 */
bool
regions_end(const struct session *s)
{
	const struct trace *t;
	struct region *r;
	bool any = false;

	for (t = s->traces; t != NULL; t = t->next) {
		for (r = t->regions; r != NULL; r = r->beside) {
			if (!r->over)
				counts_keep(r);
			r->over = any = true;
			r->state = REGION_CLOSING;
			state_changed(&r->saved);
			state_changed(&r->channel->saved);
		}
	}
	return any;
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

/*
 * Free them without waiting for their consumers, which may not even have made
 * them yet.
 */
void
regions_free(struct channel *ch)
{
	struct region *r;

	while ((r = ch->regions) != NULL) {
		ut_msg_init(&out, UT_C_UNLINK, 0, 0);
		ut_msg_str(&out, r->shm);
		consumer_send(r->trace->consumer, &out);
		region_free(r);
	}
}
