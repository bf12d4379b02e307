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
 * The command that a session has for its chunks: it is run for each that has
 * its place below archives/, one after the other, as the user who owns the
 * session.  The next utd runs it again for a chunk for which it was not seen to
 * end.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "trace.h"

#define CHUNKS_MAX	1000	/* for which it has yet to be run */
#define LOGGED_MAX	1000	/* for which it failed */

static void	command_ended(uint32_t, int);

/* Forget a chunk of the list. */
void
chunk_over(struct session *s, struct chunk *c)
{
	state_chunk(s, c->name, false);
	LIST_DEL(struct chunk, &s->chunks, c, next);
	s->nchunks--;
	free(c);
}

/* Run the session's command for the first chunk. */
static void
run(void *arg)
{
	struct session *s = arg;
	char dir[PATH_MAX + sizeof(s->chunks->name) + 16];
	const char *const args[JOB_ARGS] = { dir };

	if (s->command == NULL || s->chunks == NULL)
		return;
	snprintf(dir, sizeof(dir), "%s/archives/%s", s->dir, s->chunks->name);
	if ((s->runs = job_run(s, s->command, args, command_ended,
	    s->id)) != -1)
		return;
	session_warn(s, "command for a chunk: %s; it is run later",
	    strerror(errno));
	s->runs = 0;
	timer_set(&s->command_again, ROTATION_RETRY, run, s);
}

/* Run the command at its turn, unless it runs or its turn is taken already. */
void
command_next(struct session *s)
{
	int ms;

	if (s->command == NULL || s->chunks == NULL || s->runs != 0 ||
	    s->command_again.when != 0)
		return;
	if ((ms = job_delay(s)) > 0)
		timer_set(&s->command_again, ms, run, s);
	else
		run(s);
}

/* Nothing keeps a session that is gone for everybody else. */
void
commands_over(struct session *s)
{
	if (s->lingers && (s->chunks == NULL || s->command == NULL) &&
	    s->runs == 0) {
		session_free(s);
		clients_left();
	}
}

/*
 * Then it is run for the next, if there is one.  One warning is enough, but the
 * log has the chunks that may have to be seen to.
 */
static void
command_ended(uint32_t id, int status)
{
	struct session *s = session_by_id(id);
	char why[64];

	if (s == NULL)
		return;
	s->runs = 0;
	if (job_failed(status, why, sizeof(why))) {
		session_warn(s, "command for chunks: %s", why);
		if (s->nfailed++ < LOGGED_MAX)
			log_warnx("session %s: command for %s: %s", s->name,
			    s->chunks->name, why);
	}
	chunk_over(s, s->chunks);
	command_next(s);
	commands_over(s);
}

/* It has yet to be run for the chunk of that name. */
void
command_wants(struct session *s, const char *name)
{
	struct chunk *c = xcalloc(1, sizeof(*c));

	snprintf(c->name, sizeof(c->name), "%s", name);
	LIST_ADD(struct chunk, &s->chunks, c, next);
	s->nchunks++;
}

void
command_add(struct session *s, const char *name)
{
	if (s->command == NULL)
		return;
	if (s->nchunks >= CHUNKS_MAX) {
		session_warn(s, "command for chunks: not run for all: %u wait "
		    "for it", s->nchunks);
		return;
	}
	command_wants(s, name);
	state_chunk(s, name, true);
	command_next(s);
}

/* Forget the chunks for which it does not run; or did not, for another utd. */
static void
forget(struct session *s)
{
	struct chunk **p = &s->chunks;

	if (*p != NULL && s->runs != 0)
		p = &(*p)->next;
	while (*p != NULL)
		chunk_over(s, *p);
}

/* Another command, also for the chunks that wait; or "": none. */
void
command_set(struct session *s, const char *command)
{
	free(s->command);
	s->command = command[0] != '\0' ? xstrdup(command) : NULL;
	if (s->command == NULL)
		forget(s);
	state_changed(&s->saved);
	command_next(s);
}

/*
 * The session is gone for everybody else, and its name is free, but it stays as
 * long as there are chunks.  This is saved before its directory is forgotten.
 */
void
command_lingers(struct session *s)
{
	s->lingers = s->chunks != NULL;
	state_changed(&s->saved);
}

/* utd ends: what runs goes on. */
void
command_forget(struct session *s)
{
	if (s->nchunks > (s->runs != 0 ? 1u : 0u))
		log_warnx("session %s: the command was not run for the last %u "
		    "chunks", s->name, s->nchunks - (s->runs != 0 ? 1u : 0u));
	s->runs = 0;
	forget(s);
	s->lingers = false;
}
