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
 * What utctl asks for: a trace of what the buffers hold now.
 */

#include <limits.h>

#include "do.h"
#include "program.h"

#define SNAPSHOT_MS	60000		/* for consumers, which have to write */

static void
snapshot_taken(struct client *k)
{
	char path[PATH_MAX + NAME_MAXLEN + 16];
	uint64_t events;

	if (k->shot == 0)
		client_refuse(k, "%s", k->why);
	else if (k->why[0] != '\0')
		client_refuse(k, "session %s: snapshot: %s", k->session->name,
		    k->why);
	else if (!shot_result(k->shot, &events, path, sizeof(path)))
		client_refuse(k, "session %s: the snapshot takes long, and "
		    "goes on", k->session->name);
	else {
		list_shot(k, events, shot_lacks(k->shot), path);
		client_ok(k, "session %s: snapshot of %llu event%s%s: %s",
		    k->session->name, (unsigned long long)events,
		    events == 1 ? "" : "s", shot_lacks(k->shot), path);
	}
}

void
do_snapshot(struct client *k, struct ut_msg *m)
{
	char dir[PATH_MAX], name[NAME_MAXLEN], command[UT_COMMAND_MAX + 1];
	char why[600];
	struct waiter *w;

	ut_msg_get_str(m, dir, sizeof(dir));
	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, command, sizeof(command));
	if (m->bad || (dir[0] != '\0' && (dir[0] != '/' || name[0] != '\0')) ||
	    (name[0] != '\0' && !name_valid(name, "._-"))) {
		client_refuse(k, "snapshot: an absolute directory or a name, "
		    "and a command of %d bytes", UT_COMMAND_MAX);
		return;
	}
	w = client_wait(k, snapshot_taken, SNAPSHOT_MS);
	k->shot = shot_begin(k->session, dir[0] != '\0' ? dir : NULL,
	    name[0] != '\0' ? name : NULL, command[0] != '\0' ? command : NULL,
	    w, why, sizeof(why));
	if (k->shot == 0)
		wait_failed(w, why);
	wait_less(w);
}
