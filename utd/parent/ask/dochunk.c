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
 * Requests of utctl: where a chunk of a trace ends, and a trace of what the
 * buffers hold now.
 */

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "do.h"
#include "../link/program.h"
#include "../act/shot.h"

#define ROTATE_MS	15000	/* for consumers, which may be found late */
#define SNAPSHOT_MS	60000	/* for consumers, which have to write */

/* Text for the answer, about parts that go with the next chunk. */
static const char *
carried(const struct session *s)
{
	const struct rotation *ro = &s->rotation;
	static char text[sizeof(ro->carried) + 32];

	snprintf(text, sizeof(text), "%s%s%s",
	    ro->carried[0] != '\0' ? "; " : "", ro->carried,
	    ro->carried_more ? "; others do, too" : "");
	return text;
}

static void
answer_cleared(struct client *k)
{
	char text[NAME_MAXLEN + 256];

	snprintf(text, sizeof(text), "session %s cleared%s", k->session->name,
	    carried(k->session));
	client_answer(k, text);
}

/* The programs tell their modules again: see got_chunk. */
static void
cleared(struct client *k)
{
	struct waiter *w = client_wait(k, answer_cleared, CLIENT_PATIENCE);

	session_tell(k->session, w);
	wait_less(w);
}

static void
answer_rotated(struct client *k)
{
	const struct session *s = k->session;

	if (k->why[0] != '\0')
		client_refuse(k, "session %s: %s", s->name, k->why);
	else if (s->rotation.busy)
		client_refuse(k, "session %s is being rotated: that takes "
		    "long, and goes on", s->name);
	else if (s->rotation.how == UT_CHUNK_CLEAR)
		cleared(k);
	else
		client_ok(k, "session %s rotated: %s/archives/%s%s%s", s->name,
		    s->dir, s->rotation.to, s->astray ? WHERE_ASTRAY : "",
		    carried(s));
}

/* A chunk ends.  Its files are complete, or gone, when this is answered. */
static void
end_chunk(struct client *k, uint32_t how)
{
	struct session *s = k->session;
	struct waiter *w;
	char why[600];

	if (!client_check(k, !rotation_refused(s, how, why, sizeof(why)), why))
		return;
	w = client_wait(k, answer_rotated, ROTATE_MS);
	waits_add(&s->rotation.waiters, w);
	rotation_begin(s, how);
	wait_less(w);
}

void
do_rotate(struct client *k, struct ut_msg *m)
{
	(void)m;
	end_chunk(k, UT_CHUNK_KEEP);
}

void
do_clear(struct client *k, struct ut_msg *m)
{
	(void)m;
	end_chunk(k, UT_CHUNK_CLEAR);
}

/* When there is another chunk. */
void
do_chunks(struct client *k, struct ut_msg *m)
{
	struct rotation *ro = &k->session->rotation;
	const uint32_t with = ut_msg_get_u32(m), ms = ut_msg_get_u32(m);
	const uint64_t bytes = ut_msg_get_u64(m);
	const char *why;
	char command[UT_COMMAND_MAX + 1];
	uint32_t keep;

	ut_msg_get_str(m, command, sizeof(command));
	keep = ut_msg_more(m) ? ut_msg_get_u32(m) : 0;
	if (m->bad || ms > INT32_MAX || (ms > 0 && ms < UT_CHUNK_MS)) {
		client_refuse(k, "rotate: a time of %d ms to %d s, and a "
		    "command of %d bytes", UT_CHUNK_MS, INT32_MAX / 1000,
		    UT_COMMAND_MAX);
		return;
	}
	if (with != UT_CHUNKS_SHOTS &&
	    (why = session_no_output(k->session)) != NULL) {
		client_refuse(k, "session %s %s", k->session->name, why);
		return;
	}
	if ((with & UT_CHUNKS_MS) != 0) {
		ro->ms = ms;
		ro->next = 0;
	}
	if ((with & UT_CHUNKS_BYTES) != 0)
		ro->bytes = bytes;
	if ((with & UT_CHUNKS_KEEP) != 0)
		ro->keep = keep;
	if ((with & UT_CHUNKS_SHOTS) != 0)
		k->session->keep_shots = keep;
	if ((with & UT_CHUNKS_COMMAND) != 0)
		command_set(k->session, command);
	rotation_set(k->session);
	state_changed(&k->session->saved);
	client_ok(k, "%s", "");
}

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
	if (name_number(name) != 0) {
		client_refuse(k, "snapshot: %s is of the form that other "
		    "snapshots have: take another name", name);
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
