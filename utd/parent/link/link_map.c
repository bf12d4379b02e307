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
 * How a link tells its program which of its events to name and to describe, the
 * region, and the IDs that its events have there.
 */

#include "program.h"

#define PAIRS		4000	/* in one MAP, at most */
#define ASKED		16000	/* in one DESCRIBE */

static struct ut_msg out;

uint32_t
link_id(const struct link *l)
{
	return l->channel == NULL ? 0 : l->channel->id;
}

/* Ask for the names that no program with this table has told yet. */
void
map_list(struct program *p)
{
	const struct table *t = p->table;

	if (p->listed < p->listing)
		return;			/* asked already */
	p->listed = t->known;
	p->listing = t->size;
	ut_msg_init(&out, UT_MSG_LIST, t->known, t->size - t->known);
	conn_send(p->conn, &out);
}

/* Ask for the next events to be described; false if there are none. */
bool
map_describe(struct link *l)
{
	uint32_t i = l->described;

	ut_msg_init(&out, UT_MSG_DESCRIBE, link_id(l), 0);
	for (; out.h.b < ASKED &&
	    plan_lacks(l->plan, l->program->table, &i); i++) {
		ut_msg_u32(&out, i);
		out.h.b++;
	}
	l->described = i;
	l->answers = out.h.b;
	if (out.h.b == 0)
		return false;
	conn_send(l->program->conn, &out);
	return true;
}

/* The region has to be attached before anything is mapped. */
void
map_attach(struct link *l)
{
	const struct region *r = l->region;
	const struct consumer *c = r->trace->consumer;

	ut_msg_init(&out, UT_MSG_ATTACH, l->channel->id, 0);
	ut_msg_fd(&out, r->fd);
	/* A semaphore of another ABI is another thing: no bell then. */
	if (!UT_BELL_CROSSES &&
	    l->program->bits != sizeof(void *) * CHAR_BIT) {
		ut_msg_str(&out, "");
	} else {
		if (c->bell != -1)
			ut_msg_fd(&out, c->bell);
		ut_msg_str(&out, c->bellname);
	}
	contexts_put(&out, &l->channel->contexts);
	ut_msg_str(&out, l->channel->session->name);
	ut_msg_str(&out, l->channel->name);
	conn_send(l->program->conn, &out);
}

static uint16_t
plan_id(const struct plan *p, uint32_t event)
{
	return p != NULL && event < p->n ? p->ids[event] : 0;
}

/* Has the program the event as the new plan has it? */
static bool
same_map(const struct plan *old, const struct plan *new, uint32_t event)
{
	/* Code is kept once: it is the same, or another. */
	return plan_id(old, event) == plan_id(new, event) &&
	    plan_filter(old, event) == plan_filter(new, event);
}

static void
send_pairs(struct link *l)
{
	if (out.h.b == 0)
		return;
	l->acks++;
	if (l->program->conn != NULL)
		conn_send(l->program->conn, &out);
	ut_msg_init(&out, UT_MSG_MAP, l->channel->id, 0);
}

/* Put the event into the message; false if it has no room for that. */
static bool
put_map(const struct plan *p, uint32_t event)
{
	const struct code *c = plan_filter(p, event);
	const uint32_t len = out.h.len;

	ut_msg_u32(&out, event);
	ut_msg_u32(&out, plan_id(p, event) | (c != NULL ? UT_MAP_FILTER : 0));
	if (c != NULL)
		ut_msg_blob(&out, c->b, c->len);
	return ut_msg_fits(&out, len);
}

/*
 * Send the difference between the plan and what the program has.  False if the
 * program has to read some of it first: filters are long.
 */
bool
map_send(struct link *l)
{
	const struct plan *old = l->mapped, *new = l->plan;
	const struct conn *c = l->program->conn;
	const uint32_t known = old == NULL ? 0 : old->n;
	uint32_t n = known;

	if (new != NULL && new->n > n)
		n = new->n;
	if (l->unsure && l->reach == LINK_ATTACHED)
		n = l->program->table->size;
	pause_resume(l);
	ut_msg_init(&out, UT_MSG_MAP, l->channel->id, 0);
	for (; l->sent < n; l->sent++) {
		if (same_map(old, new, l->sent) && !l->unsure)
			continue;
		if (!same_map(old, new, l->sent) && l->sent < known)
			pause_change(l);
		if (out.h.b < PAIRS && put_map(new, l->sent))
			continue;
		send_pairs(l);
		if (c != NULL && conn_behind(c))
			return false;
		(void)put_map(new, l->sent);
	}
	send_pairs(l);
	l->unsure &= l->reach != LINK_ATTACHED;
	plan_unref(l->mapped);
	l->mapped = l->plan;
	l->plan = NULL;
	return true;
}

/*
 * Regions that programs keep from an earlier connection.
 *
 * A program that connects again goes on recording into its regions.  ATTACH
 * names those in which it stays, and DONE ends the others.  But DONE does not
 * wait for a consumer that does not answer, nor for a directory that may come
 * back, and what the program records until then will be written.  So DONE tells
 * the program to keep all regions, and a DETACH of channel 0 follows when each
 * region that will be named has been named.
 */

/* Has the region failed only until its directory can be opened again? */
static bool
comes_back(const struct region *r)
{
	if (r == NULL || !region_left(r) || r->buried ||
	    r->trace->consumer->state == CONSUMER_GIVEN_UP)
		return false;
	return r->state == REGION_ASKED || (r->state == REGION_FAILED &&
	    r->trace->state == TRACE_FAILED && r->trace->take != TAKE_NONE);
}

/* May the program yet be sent a region that it has had? */
static bool
is_open(const struct link *l)
{
	if (l->channel == NULL || l->reach == LINK_ATTACHED)
		return false;
	return l->state != LINK_IDLE || l->again ||
	    (l->unable && comes_back(region_find(l->channel, l->program)));
}

static bool
any_open(const struct program *p)
{
	const struct link *l;

	for (l = p->links; l != NULL; l = l->next)
		if (is_open(l))
			return true;
	return false;
}

/* DONE is to be sent: is the program to keep its regions? */
bool
program_keeps(struct program *p)
{
	p->keeps = p->kept && any_open(p);
	return p->keeps;
}

static void
detach(const struct program *p, uint32_t channel)
{
	ut_msg_init(&out, UT_MSG_DETACH, channel, 0);
	conn_send(p->conn, &out);
}

/* Something was decided about a link: if it was the last, let the others go. */
void
program_settle(struct program *p)
{
	if (!p->keeps || p->conn == NULL || any_open(p))
		return;
	p->keeps = false;
	detach(p, 0);
}

/* Regions have changed. */
void
programs_settle(void)
{
	struct program *p;

	for (p = programs; p != NULL; p = p->next)
		program_settle(p);
}

/* The program records into the channel no more: at once, if it keeps that. */
void
link_unkeep(struct link *l)
{
	if (!l->program->keeps || l->program->conn == NULL ||
	    l->reach == LINK_ATTACHED)
		return;
	detach(l->program, l->channel->id);
}
