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

#include "rule.h"
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
		r->left = error != 0;
		region_free(r);
		return;
	}
	counts_keep(r);
	memset(&r->counts, 0, sizeof(r->counts));
	r->matched = r->base = 0;
	state_changed(&r->channel->saved);
	region_forget(r);
}

/*
 * Nothing can be written: programs are detached from the region, and the
 * consumer counts the events and removes it.
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

/* Is the region of no use, with a consumer that has ended or was given up? */
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
