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
 * Pauses: what a program records has changed, so the end of a thing whose
 * beginning it has recorded may be missing.  Its consumer is told when that
 * was: see the consumer's pauses.c.
 *
 * A pause begins when the program says that it began to obey, but not before
 * utd told it, and ends with the program's last answer.  If the program records
 * nothing then, the pause is sent when it records again.
 *
 * The journal has, for each region, the earliest time at which a pause may have
 * begun that no consumer knows of (r->since).  The next utd tells all programs
 * again what to record, and their pauses begin at that time.
 */

#include "../../../libut/common/clock.h"
#include "../link/program.h"

static struct ut_msg out;

static uint64_t
now_of(const struct channel *ch)
{
	return ut_read_clock(ch->attrs.v[ATTR_CLOCK]);
}

static void
set_since(struct region *r, uint64_t since)
{
	r->since = since;
	state_changed(&r->saved);
}

/* The program is about to be told to record other events that it has. */
void
pause_change(struct link *l)
{
	struct region *r = l->region;

	if (l->since != 0 || r == NULL || l->reach != LINK_ATTACHED)
		return;
	l->since = now_of(l->channel);
	l->begun = 0;
	if (r->since != 0)
		return;
	set_since(r, l->since);
	state_save();
}

/* If another utd may have told the program, its pause began at r->since. */
void
pause_resume(struct link *l)
{
	if (!l->unsure || l->since != 0 || l->region == NULL)
		return;
	l->since = l->region->since;
	l->begun = l->since;
}

/*
 * The program has answered, and began to obey at `begun'; 0: it does not say.
 */
void
pause_acked(struct link *l, uint64_t begun)
{
	if (l->since != 0 && (l->begun == 0 || begun < l->begun))
		l->begun = begun;
	if (begun == 0)
		l->begun = l->since;	/* an older program does not say */
}

/* Is there no program whose pause is still to be told, or may be? */
static bool
all_told(const struct region *r)
{
	const struct program *p;
	const struct link *l;

	if (r->pausing > 0)
		return false;
	for (p = programs; p != NULL; p = p->next) {
		for (l = p->links; l != NULL; l = l->next)
			if (l->channel == r->channel)
				break;
		if (l != NULL && l->region == r && l->since != 0)
			return false;
		if (p->kept && p->uid == r->trace->uid &&
		    (l == NULL || l->unsure))
			return false;
	}
	return true;
}

/* UT_C_PAUSE is answered. */
static void
got_pause(uint32_t id, int error, struct ut_msg *m)
{
	struct region *r = region_by_id(id);

	(void)error;
	(void)m;
	if (r == NULL)
		return;
	r->pausing -= r->pausing > 0;
	if (r->since != 0 && all_told(r))
		set_since(r, 0);
}

/*
 * Tell the consumer of a pause from `since' to now; 0: from where the current
 * files begin.
 */
static void
pause_send(struct region *r, uint64_t since)
{
	r->pausing++;
	request_init(&out, UT_C_PAUSE, r->id, 0);
	ut_msg_u64(&out, since);
	ut_msg_u64(&out, now_of(r->channel));
	(void)consumer_ask(r->trace->consumer, &out, got_pause, r->id, NULL);
}

/* The program records what it should, and its consumer is there. */
void
pause_over(struct link *l)
{
	if (l->since == 0 || l->region == NULL)
		return;
	if (l->begun > l->since && l->begun < now_of(l->channel))
		l->since = l->begun;
	l->begun = l->since;
	if (l->mapped == NULL || l->region->state != REGION_READY)
		return;
	pause_send(l->region, l->since);
	l->since = 0;
}

/*
 * The files of the session were removed, at different times.  A reader that
 * follows the traces has seen some of what was in there.
 */
void
pause_cleared(const struct session *s)
{
	const struct channel *ch;
	struct region *r;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		for (r = ch->regions; r != NULL; r = r->next)
			if (r->state == REGION_READY)
				pause_send(r, 0);
}
