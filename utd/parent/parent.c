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
 * The parent: what connects those that know nothing of each other.
 */

#include <stddef.h>

#include "act/client.h"
#include "talk/listen.h"
#include "parent.h"
#include "link/program.h"
#include "act/shot.h"
#include "act/trigger.h"

static const struct hello hellos[] = {
	{ UT_MSG_HELLO,	program_hello },
	{ UT_CTL_HELLO,	control_hello },
	{ 0,		NULL }
};

/* UT_C_TROUBLE: a consumer may tell only of its own regions. */
static void
got_trouble(const struct consumer *c, struct ut_msg *m)
{
	struct region *r;
	char text[512];

	ut_msg_get_str(m, text, sizeof(text));
	if ((r = region_by_id(m->h.a)) == NULL || r->trace->consumer != c)
		return;
	if (m->h.b == UT_TROUBLE_NOW)
		region_trouble(r, text);
	if (text[0] != '\0')
		session_blame(r->trace->session, r->trace->uid, "%s", text);
	if (m->h.b == UT_TROUBLE_LOST)
		session_lost(r->trace->session, text);
}

/* UT_C_FULL: a trace needs more, or its session another chunk. */
static void
got_full(const struct consumer *c, struct ut_msg *m)
{
	struct session *s = trace_full(c, m->h.a, ut_msg_get_u64(m));

	if (s != NULL)
		rotation_grew(s);
}

/* UT_C_GREW, likewise. */
static void
got_grown(const struct consumer *c, struct ut_msg *m)
{
	struct region *r = region_by_id(m->h.a);

	if (r == NULL || r->trace->consumer != c)
		return;
	region_grown(r, ut_msg_get_u64(m));
	if (r->channel->session->trigger != NULL)
		trigger_grew(r->channel->session->trigger);
	else
		rotation_grew(r->channel->session);
}

/* Other users wait no longer for the consumer, or do so again. */
static void
set_slow(struct consumer *c, bool slow)
{
	c->slow = slow;
	c->slow_serial = c->serial;
	consumer_warn(c, slow ? "keeps other users waiting for too long" :
	    "answers other users again");
	traces_slow(c);
	if (!slow)
		return;
	requests_slow(c);
	shots_slow(c);
}

static void
slow_check(struct consumer *c)
{
	if (!c->slow && requests_overdue(c))
		set_slow(c, true);
}

static bool
message(struct consumer *c, struct ut_msg *m)
{
	char path[PATH_MAX];
	uint64_t left;

	switch (m->h.type) {
	case UT_C_REPLY:
		requests_reply(c, m);
		if (c->slow && !requests_behind(c))
			set_slow(c, false);
		break;
	case UT_C_TROUBLE:
		got_trouble(c, m);
		break;
	case UT_C_GREW:
		got_grown(c, m);
		break;
	case UT_C_PROGRESS:
		left = ut_msg_get_u64(m);
		consumer_wrote(c, ut_msg_get_u64(m));
		clients_progress(c->uid, left);
		break;
	case UT_C_MADE:
		ut_msg_get_str(m, path, sizeof(path));
		trace_made(c, m->h.a, path);
		break;
	case UT_C_WROTE:
		trace_wrote(c, m->h.a, ut_msg_get_u64(m));
		break;
	case UT_C_FULL:
		got_full(c, m);
		break;
	case UT_C_BURIED:
		programs_buried(c, m->h.a);
		break;
	default:
		return false;
	}
	return true;
}

/*
 * A new process takes over.  The regions still exist, programs continue to
 * record, and the process finds out itself how far the last one has come.
 */
static void
adopted(struct consumer *c)
{
	consumer_tell(c, UT_C_HOLD, 0, true);
	programs_tell(c);
	requests_again(c);
	traces_again(c);
	consumer_tell(c, UT_C_HOLD, 0, false);
	traces_drained(c);
}

static void
drained(struct consumer *c)
{
	traces_drained(c);
	links_drained(c);
}

static void
late(struct consumer *c)
{
	traces_late(c);
	if (!c->late)
		return;
	requests_late(c);
	shots_late(c);
	links_late();
}

static void
died(struct consumer *c)
{
	requests_fail(c);
	if (c->state != CONSUMER_GIVEN_UP)
		return;			/* nothing needed it */
	programs_buried(c, c->ndead);
	traces_orphaned(c);
	traces_drained(c);
	programs_settle();
}

static const struct consumer_ops consumer_ops = {
	message, adopted, drained, late, slow_check, died
};

void
parent_open(const char *dir)
{
	users_begin();
	clock_begin();
	uuid_begin();
	consumers_begin(dir, &consumer_ops);
	journal_ops = &state_ops;
	regions_changed = links_region;
	session_looks = rotation_look;
	session_cleared = session_tell;
	clients_stopped = links_stopped;
	listen_open(dir, hellos);
	state_open(dir);
	watch_soon();
}

bool
parent_close(void)
{
	bool all;

	links_end();
	shots_end();
	consumers_end();
	if ((all = sessions_end())) {
		journal_remove();
		programs_remove();
		consumers_remove();
	} else {
		journal_end();
	}
	listen_close();
	clients_end(all, last_unsaved());
	return all;
}
