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

/* Requests of utctl: one table of all, which are in the files do*.c. */

#include <unistd.h>

#include "do.h"

/* The session that the request names, or the last one. */
static bool
find_session(struct client *k, struct ut_msg *m)
{
	char name[NAME_MAXLEN], why[512] = "session name too long";

	ut_msg_get_str(m, name, sizeof(name));
	if (!m->bad)
		client_about(k, session_find(name, k->conn->uid, why,
		    sizeof(why)));
	return client_check(k, k->session != NULL, why);
}

/* Only root and the user utd runs as may tie utd's life to a connection. */
static void
do_own(struct client *k, struct ut_msg *m)
{
	if (user_is_stranger(k->conn->uid)) {
		client_refuse(k, "this utd is not yours");
		return;
	}
	client_own(k, ut_msg_more(m) && ut_msg_get_u32(m) == 1);
	client_ok(k, "%s", "");
}

/* utd ends as by a signal: clients_end answers when all is done. */
static void
do_shutdown(struct client *k, struct ut_msg *m)
{
	(void)m;
	if (user_is_stranger(k->conn->uid)) {
		client_refuse(k, "this utd is not yours: only root and uid %lu "
		    "can end it", (unsigned long)geteuid());
		return;
	}
	log_info("process %d of uid %lu ends utd", (int)k->conn->pid,
	    (unsigned long)k->conn->uid);
	(void)client_wait(k, client_done, 0);
	k->shutdown = true;
	k->draining = true;
	loop_stop();
}

static const struct {
	uint16_t	 type;
	void		(*act)(struct client *, struct ut_msg *);
	bool		 session;	/* begins with a session's name */
} requests[] = {
	{ UT_CTL_OWN,		do_own,		false },
	{ UT_CTL_CREATE,	do_create,	false },
	{ UT_CTL_DESTROY,	do_destroy,	true },
	{ UT_CTL_START,		do_start,	true },
	{ UT_CTL_STOP,		do_stop,	true },
	{ UT_CTL_CHANNEL,	do_channel,	true },
	{ UT_CTL_CHOFF,		do_choff,	true },
	{ UT_CTL_CHREMOVE,	do_chremove,	true },
	{ UT_CTL_ENABLE,	do_enable,	true },
	{ UT_CTL_DISABLE,	do_disable,	true },
	{ UT_CTL_TRACK,		do_track,	true },
	{ UT_CTL_UNTRACK,	do_untrack,	true },
	{ UT_CTL_ROTATE,	do_rotate,	true },
	{ UT_CTL_CLEAR,		do_clear,	true },
	{ UT_CTL_CHUNKS,	do_chunks,	true },
	{ UT_CTL_SNAPSHOT,	do_snapshot,	true },
	{ UT_CTL_CONTEXT,	do_context,	true },
	{ UT_CTL_TRIGGER,	do_trigger,	true },
	{ UT_CTL_UNTRIGGER,	do_untrigger,	true },
	{ UT_CTL_LIST,		list_sessions,	false },
	{ UT_CTL_EVENTS,	list_events,	false },
	{ UT_CTL_STATUS,	list_status,	false },
	{ UT_CTL_SHUTDOWN,	do_shutdown,	false },
};

/* False if the message is no request. */
static bool
request(struct client *k, struct ut_msg *m)
{
	size_t i;

	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].type == m->h.type) {
			if (!requests[i].session || find_session(k, m))
				requests[i].act(k, m);
			return true;
		}
	}
	return false;
}

void
control_hello(struct conn *c, struct ut_msg *m)
{
	client_hello(c, m, request);
}
