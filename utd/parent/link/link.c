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
 * A program and a channel: what of the program's events the rules of the
 * channel want, and which of it is mapped.
 *
 *	IDLE --LIST--> NAMES --> TURN --DESCRIBE--> EVENTS --> REGION --+
 *	  ^                                                             |
 *	  +-- the last ACK -- MAP <-- SEND <--ATTACH-- HELD <-----------+
 *
 * NAMES and EVENTS wait for the program's answers.
 *
 * TURN waits for the next turn of the session's user, to go on comparing the
 * program with what the session tracks, or its events with the rules of the
 * channel, or compiling their filters: that may take longer than a user has in
 * one round of the loop.
 *
 * REGION waits until the region is made.  If it cannot be made, those who wait
 * for this link are told why, and the next sync tries again.
 *
 * HELD waits until the events' metadata and the program's name have been handed
 * to the consumer.  The consumer reads its messages before it writes events, so
 * no event reaches a file before its description, nor without its program.
 * HELD also waits until no message is queued for the program: see links_sent.
 *
 * SEND waits, within the MAPs of many events, until the program has read those
 * that are queued for it.
 *
 * A state is skipped when there is nothing to wait for: a program whose events
 * are known is told everything at once.  If something changes meanwhile, the
 * link goes through all states again.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define ERROR_MAX	255		/* above, no error has a text */

static struct ut_msg out;
static struct timer turn_timer;
static bool ending;			/* utd ends: no link goes on */

static void	link_start(struct link *);
static void	link_step(struct link *);
static void	link_finish(struct link *);
static void	link_answered(struct link *, int);

struct link *
link_find(const struct program *p, const struct channel *ch)
{
	struct link *l;

	for (l = p->links; l != NULL; l = l->next)
		if (l->channel == ch)
			return l;
	return NULL;
}

static struct link *
link_by_id(const struct program *p, uint32_t id)
{
	struct link *l;

	for (l = p->links; l != NULL && link_id(l) != id; l = l->next)
		continue;
	return l;
}

static struct link *
link_get(struct program *p, struct channel *ch)
{
	struct link *l;

	if ((l = link_find(p, ch)) != NULL ||
	    (l = calloc(1, sizeof(*l))) == NULL)
		return l;
	l->program = p;
	l->channel = ch;
	l->unsure = p->kept;
	l->next = p->links;
	p->links = l;
	return l;
}

/*
 * Make the program record what the rules want; w waits for that.  Without a
 * channel: learn all events of the program.
 */
void
link_sync(struct program *p, struct channel *ch, struct waiter *w)
{
	struct link *l;

	if (p->conn == NULL || ending)
		return;
	if ((l = link_get(p, ch)) == NULL || !waits_try(&l->later, w)) {
		conn_fail(p->conn);
		return;
	}
	l->again = true;
	if (ch != NULL && !channel_active(ch))
		link_unkeep(l);
	if (l->state == LINK_IDLE)
		link_start(l);
}

/*
 * Tell the consumer of the program, before the program has buffers, and once
 * only: a link that is held comes here each time that the consumer has read
 * something.
 */
static void
link_introduce(struct link *l)
{
	if (l->reach != LINK_AWAY)
		return;
	l->reach = LINK_INTRODUCED;
	program_tell(l->region->trace->consumer, l->program);
	l->program->known = true;
	program_save(l->program);
}

/* Tell the program all, or as much as it has read before. */
static void
link_send(struct link *l)
{
	struct program *p = l->program;

	l->state = LINK_SEND;
	if ((p->conn != NULL && conn_behind(p->conn)) || !map_send(l))
		return;
	l->state = LINK_MAP;
	if (p->conn == NULL)
		return;			/* look_at_graves does the rest */
	/* The program does all this before it sees DONE. */
	waits_release(&l->now, p->start);
	link_answered(l, 0);
}

/* The start of a program does not wait for a consumer that does not answer. */
static void
link_late(struct link *l)
{
	if (l->region != NULL && trace_late(l->region->trace))
		waits_release(&l->now, l->program->start);
}

/* Everything is there: the program is told. */
static void
link_map(struct link *l)
{
	const struct conn *consumer;
	struct program *p = l->program;

	state_save();			/* no ID that the next utd gives away */
	if (l->region != NULL) {
		if (l->plan != NULL)
			link_introduce(l);
		consumer = l->region->trace->consumer->conn;
		if (!trace_flush(l->region->trace) ||
		    (consumer != NULL && conn_behind(consumer)) ||
		    (p->conn != NULL && conn_behind(p->conn))) {
			l->state = LINK_HELD;
			link_late(l);
			return;
		}
	}
	l->sent = 0;
	l->acks = 1;			/* ours, until all is sent */
	if (l->reach == LINK_INTRODUCED && l->plan != NULL) {
		map_attach(l);
		l->reach = LINK_ATTACHED;
		l->mute = false;
	}
	link_send(l);
}

static void
drop_plan(struct link *l)
{
	plan_unref(l->plan);
	l->plan = NULL;
	l->described = 0;
}

/* There are no buffers for it. */
static void
link_unable(struct link *l)
{
	waits_done(&l->now, l->region->why != NULL ? l->region->why :
	    "no buffers");
	drop_plan(l);
	l->unable = true;
	if (l->reach != LINK_ATTACHED) {
		l->region = NULL;
		l->reach = LINK_AWAY;
	}
	link_finish(l);
}

/* There is a plan: go on when its region is there. */
static void
link_plan(struct link *l)
{
	if (l->region == NULL && l->plan != NULL)
		l->region = l->plan->region;
	if (l->region == NULL || l->region->state == REGION_READY) {
		link_map(l);
	} else if (l->region->state == REGION_FAILED) {
		link_unable(l);
	} else {
		l->state = LINK_REGION;
		link_late(l);
	}
}

/* A consumer does not answer: programs that waited for it may start. */
void
links_late(void)
{
	struct program *p;
	struct link *l;

	for (p = programs; p != NULL; p = p->next)
		for (l = p->links; l != NULL; l = l->next)
			if (l->state == LINK_REGION || l->state == LINK_HELD)
				link_late(l);
}

/*
 * Links go on whose user had no time left in the last round, or that begin
 * again.
 */
static void
links_turn(void *arg)
{
	struct program *p;
	struct link *l;

	(void)arg;
	for (p = programs; p != NULL; p = p->next) {
		for (l = p->links; l != NULL && p->conn != NULL; l = l->next) {
			if (l->state == LINK_TURN)
				link_step(l);
			else if (l->state == LINK_IDLE && l->again)
				link_start(l);
		}
	}
}

/* Go on with what takes long when its user has time again. */
static void
link_turn(struct link *l)
{
	l->state = LINK_TURN;
	timer_set(&turn_timer, 1, links_turn, NULL);
}

/* Judge all events by the rules; false if that is not finished. */
static bool
link_judge(struct link *l)
{
	struct program *p = l->program;

	/* The program has loaded a library meanwhile, maybe. */
	if (l->plan != NULL && l->plan->table != p->table->serial)
		drop_plan(l);
	if (l->plan == NULL && (l->plan = plan_new(p->table)) == NULL) {
		conn_fail(p->conn);
		return false;
	}
	if (!plan_judge(l->plan, l->channel, p->table)) {
		link_turn(l);
		return false;
	}
	if (l->plan->refused)
		session_blame(l->channel->session, p->uid, "channel %s: so "
		    "many events of %s have filters that not all are recorded",
		    l->channel->name, p->name);
	return true;
}

/* Go on from what is known of the program's events. */
static void
link_step(struct link *l)
{
	struct program *p = l->program;
	struct plan *plan;

	if (l->channel != NULL && channel_active(l->channel) &&
	    !track_judge(session_shown(l->channel->session), p,
	    &l->verdict)) {
		link_turn(l);
		return;
	}
	if (l->channel != NULL && !(channel_active(l->channel) &&
	    l->verdict.wanted)) {
		drop_plan(l);
		link_plan(l);
		return;
	}
	if (p->table->known < p->table->size) {
		l->state = LINK_NAMES;
		map_list(p);
		return;
	}
	if (l->channel != NULL && (plan = plan_find(l->channel, p->table,
	    region_find(l->channel, p))) != NULL) {
		drop_plan(l);
		l->plan = plan_ref(plan);
	} else {
		if (l->channel != NULL && !link_judge(l))
			return;
		if (map_describe(l)) {
			l->state = LINK_EVENTS;
			return;
		}
		if (l->channel == NULL) {
			link_finish(l);
			return;
		}
		/* The next utd knows the program before its own region. */
		if (p->place == 0 &&
		    l->channel->attrs.v[ATTR_BUFFERS] == UT_BUFFERS_PID)
			program_save(p);
		if (!plan_fill(l->plan, l->channel, p)) {
			link_turn(l);
			return;
		}
	}
	if (l->plan->region != NULL)
		region_retry(l->plan->region);
	link_plan(l);
}

static void
link_start(struct link *l)
{
	l->again = false;
	l->described = 0;
	l->failed = l->unable = false;
	l->now = l->later;
	memset(&l->later, 0, sizeof(l->later));
	link_step(l);
}

/*
 * End a turn, and begin again if something changed, but not at once: we may be
 * in the middle of a walk over regions that have failed, and to begin is to try
 * these again.
 */
static void
link_finish(struct link *l)
{
	l->state = LINK_IDLE;
	if (l->failed) {		/* the next sync tries again */
		plan_unref(l->mapped);
		l->mapped = NULL;
	}
	waits_done(&l->now, "");
	if (l->again)
		timer_set(&turn_timer, 0, links_turn, NULL);
	program_settle(l->program);
}

/* The program has told the names. */
void
links_named(struct program *p)
{
	struct link *l;

	for (l = p->links; l != NULL && p->conn != NULL; l = l->next)
		if (l->state == LINK_NAMES)
			link_step(l);
}

/* The program answered for n events, described or not. */
void
link_described(struct program *p, uint32_t channel, uint32_t n)
{
	struct link *l = link_by_id(p, channel);

	if (l == NULL || l->state != LINK_EVENTS)
		return;
	l->answers = n < l->answers ? l->answers - n : 0;
	if (l->answers == 0)
		link_step(l);
}

/* The text of an error, or its number: a program can send any number. */
static const char *
error_text(int error)
{
	static char number[32];

	if (error > 0 && error <= ERROR_MAX)
		return strerror(error);
	snprintf(number, sizeof(number), "error %d", error);
	return number;
}

static void
link_failed(struct link *l, int error)
{
	const struct attrs *attrs = &l->channel->attrs;
	const char *text = error_text(error);
	char help[64] = "";

	/* The descriptors did not come. */
	if (error == EBADF) {
		text = error_text(EMFILE);
		snprintf(help, sizeof(help), ": raise its limit of descriptors "
		    "(ulimit -n)");
	} else if (error == EMFILE) {
		text = "too many channels";
		snprintf(help, sizeof(help), ": it has %u already, of all "
		    "sessions", UT_REGIONS);
	}
	if (error == ENOMEM)
		snprintf(help, sizeof(help), ": %llu kB of buffers (-n, -b)",
		    (unsigned long long)attrs->v[ATTR_NSUBS] *
		    attrs->v[ATTR_SUBSIZE] / 1024);
	if (!l->failed)
		session_blame(l->channel->session, l->program->uid,
		    "%s (%d) cannot attach to channel %s: %s%s",
		    l->program->name, (int)l->program->pid,
		    l->channel->name, text, help);
	l->failed = true;
	session_missed(l->channel->session);
}

/* ATTACH went wrong. */
void
link_unattached(struct program *p, uint32_t channel, int error)
{
	struct link *l = link_by_id(p, channel);

	if (l == NULL || l->channel == NULL)
		return;
	link_failed(l, error);
	if (l->reach == LINK_ATTACHED)
		l->reach = LINK_INTRODUCED;
}

/*
 * The program has no bell: its consumer may sleep, and sees that in the region
 * once it looks.  Nobody has it look for the same reason again.
 */
void
link_mute(struct program *p, uint32_t channel)
{
	struct link *l = link_by_id(p, channel);

	if (l == NULL || l->mute || l->reach != LINK_ATTACHED)
		return;
	l->mute = true;
	consumer_tell(l->region->trace->consumer, UT_C_MUTE, l->region->id, 0);
}

/* One of the answers is there that the link waits for, or all is sent. */
static void
link_answered(struct link *l, int error)
{
	if (error != 0)
		link_failed(l, error);
	if (--l->acks == 0) {
		pause_over(l);
		link_finish(l);
	}
}

void
link_acked(struct program *p, uint32_t channel, int error, uint64_t begun)
{
	struct link *l = link_by_id(p, channel);

	if (l == NULL || (l->state != LINK_SEND && l->state != LINK_MAP))
		return;
	pause_acked(l, begun);
	link_answered(l, error);
}

/* Everything was sent to the consumer: links that were held go on. */
void
links_drained(const struct consumer *c)
{
	struct program *p;
	struct link *l;

	for (p = programs; p != NULL; p = p->next)
		for (l = p->links; l != NULL; l = l->next)
			if (l->state == LINK_HELD && p->conn != NULL &&
			    l->region->trace->consumer == c)
				link_map(l);
}

/*
 * More was sent to the program.  While something is queued for it, it gets no
 * more descriptors, because we would have to keep copies of them.
 */
void
links_sent(struct program *p)
{
	struct link *l;

	for (l = p->links; l != NULL && p->conn != NULL; l = l->next) {
		if (l->state == LINK_HELD)
			link_map(l);
		else if (l->state == LINK_SEND)
			link_send(l);
	}
}

static void
link_free(struct link *l)
{
	waits_done(&l->now, "");
	waits_done(&l->later, "");
	plan_unref(l->plan);
	plan_unref(l->mapped);
	free(l);
}

/* The connection of the program is gone. */
void
links_free(struct program *p)
{
	struct link *l;

	while ((l = p->links) != NULL) {
		p->links = l->next;
		link_free(l);
	}
}

static unsigned int
waits_of(const struct waiters *ws, const struct waiter *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < ws->n; i++)
		n += ws->w[i] == w;
	return n;
}

/* How many of the answers that it waits for are those of stopped programs? */
unsigned int
links_stopped(const struct waiter *w)
{
	const struct program *p;
	const struct link *l;
	unsigned int n, stopped = 0;

	for (p = programs; p != NULL; p = p->next) {
		n = 0;
		for (l = p->links; l != NULL; l = l->next)
			n += waits_of(&l->now, w) + waits_of(&l->later, w);
		if (n > 0 && p->pid > 0 && ut_stopped(p->pid))
			stopped += n;
	}
	return stopped;
}

/*
 * utd ends: all links stay as they are.  From now on regions, traces and
 * consumers go, and a link that went on would use them, or ask for new ones.
 */
void
links_end(void)
{
	struct program *p;
	struct link *l;

	ending = true;
	for (p = programs; p != NULL; p = p->next) {
		for (l = p->links; l != NULL; l = l->next) {
			l->state = LINK_IDLE;
			l->again = false;
		}
	}
}

/* Is there a program that could not attach to the channel? */
bool
links_failed(const struct channel *ch)
{
	const struct program *p;
	const struct link *l;

	for (p = programs; p != NULL; p = p->next)
		if ((l = link_find(p, ch)) != NULL && l->failed)
			return true;
	return false;
}

void
links_wanted(const struct session *s, unsigned int *n, unsigned int *of)
{
	const struct program *p;
	const struct link *l;

	*n = *of = 0;
	for (p = programs; p != NULL; p = p->next) {
		for (l = p->links; l != NULL; l = l->next)
			if (l->channel != NULL && l->channel->session == s &&
			    channel_active(l->channel))
				break;
		if (p->conn == NULL || l == NULL)
			continue;
		++*of;
		*n += l->verdict.wanted;
	}
}

/* The program has room for a channel again that it could not attach to. */
static void
links_retry(struct program *p)
{
	struct link *l;

	for (l = p->links; l != NULL; l = l->next)
		if (l->failed)
			link_sync(p, l->channel, NULL);
}

/* The channel is about to go. */
void
links_detach(const struct channel *ch)
{
	struct program *p;
	struct link **lp, *l;

	for (p = programs; p != NULL; p = p->next) {
		for (lp = &p->links; (l = *lp) != NULL; lp = &l->next)
			if (l->channel == ch)
				break;
		if (l == NULL)
			continue;
		*lp = l->next;
		if (p->conn != NULL && l->reach == LINK_ATTACHED) {
			ut_msg_init(&out, UT_MSG_DETACH, ch->id, 0);
			conn_send(p->conn, &out);
		}
		link_unkeep(l);
		link_free(l);
		links_retry(p);
	}
	programs_settle();
}

/* After its rules changed, or the session started or stopped. */
void
channel_sync(struct channel *ch, struct waiter *w)
{
	struct program *p;

	for (p = programs; p != NULL; p = p->next)
		if (session_sees(ch->session, p->uid))
			link_sync(p, ch, w);
}

/* Does the program record its modules there, or is it being told to? */
static bool
has_modules(const struct link *l)
{
	const struct plan *p = l->state == LINK_SEND && l->mapped == NULL ?
	    l->plan : l->mapped;

	return p != NULL && p->n > UT_LOADED_EVENT &&
	    p->ids[UT_LOADED_EVENT] != 0;
}

/*
 * Send the programs that record their modules all that they have mapped once
 * more, so that they tell of their modules again; or, if there is a waiter, let
 * it wait until they have been told.
 */
void
session_tell(struct session *s, struct waiter *w)
{
	struct channel *ch;
	struct program *p;
	struct link *l;

	if (w == NULL && s->rotation.how == UT_CHUNK_CLEAR)
		pause_cleared(s);
	for (ch = s->channels; ch != NULL; ch = ch->next) {
		if (!channel_active(ch))
			continue;
		for (p = programs; p != NULL; p = p->next) {
			if ((l = link_find(p, ch)) == NULL || !has_modules(l))
				continue;
			if (w == NULL) {
				l->unsure = true;
				l->sent = 0;
			}
			link_sync(p, ch, w);
		}
	}
}

/* Nobody reads the region any more: detach it.  The next sync begins anew. */
static void
link_let_go(struct link *l)
{
	l->reach = LINK_AWAY;
	l->unsure = false;
	plan_unref(l->mapped);
	l->mapped = NULL;
	ut_msg_init(&out, UT_MSG_DETACH, l->channel->id, 0);
	conn_send(l->program->conn, &out);
}

static void
link_region(const struct program *p, const struct region *r)
{
	struct link *l = link_find(p, r->channel);

	if (l == NULL || l->region != r || p->conn == NULL)
		return;
	if (l->reach == LINK_ATTACHED && r->buried)
		link_let_go(l);
	if (l->state == LINK_REGION || l->state == LINK_HELD)
		link_plan(l);
	else if (l->state == LINK_IDLE)
		pause_over(l);
}

/*
 * The region is there, or could not be made, or nobody reads it any more: its
 * links go on.  If it could not be made before, those who were told so may
 * come again.
 */
void
links_region(struct region *r, bool before)
{
	struct program *p;

	if (r->trace->owner == 0)
		for (p = programs; p != NULL; p = p->next)
			link_region(p, r);
	else if ((p = program_by_owner(r->trace->owner)) != NULL)
		link_region(p, r);
	if (before)
		channel_sync(r->channel, NULL);
	programs_settle();
}
