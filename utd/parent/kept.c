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
 * Regions that programs keep from an earlier connection.
 *
 * A program that connects again goes on recording into its regions.  ATTACH
 * names those in which it stays, and DONE ends the others.  But DONE does not
 * wait for a consumer that does not answer, nor for a directory that may come
 * back, and what the program records until then will be written.  So DONE tells
 * the program to keep all regions, and a DETACH of channel 0 follows when each
 * region that will be named has been named.
 */

#include "program.h"

static struct ut_msg out;

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
