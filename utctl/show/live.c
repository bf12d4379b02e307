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
 * The session that writes a trace, for whoever follows it: see follow.h.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../ctf/reader.h"
#include "../utctl.h"
#include "common/compat.h"
#include "live.h"
#include "print.h"

#define ASK		1000		/* ms between two questions, at least */
#define COSTLY		20		/* times as long as an answer took */
#define HOLD_MAX	5000		/* ms; an interval may be longer */
#define MARGIN		200		/* ms: a turn takes a while */
#define NS_MS		INT64_C(1000000)

static int
is_same_dir(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	    sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* The session whose directory that is; asked for again: the rows are freed. */
static const struct row *
session_of(struct live *l)
{
	const struct row *s;

	row_free(l->rows);
	l->rows = NULL;
	if (client_ask(l->client, UT_CTL_LIST, "", &l->rows) == -1)
		return NULL;
	for (s = l->rows->child; s != NULL; s = s->next)
		if (strcmp(s->what, "session") == 0 &&
		    row_str(s, "dir")[0] != '\0' &&
		    is_same_dir(row_str(s, "dir"), l->dir))
			return s;
	return NULL;
}

/* So long may an event be on its way into a file. */
static int64_t
hold(const struct row *session)
{
	const char *name = attr_table[ATTR_FLUSH].name;
	const struct row *ch;
	uint64_t most = 0;

	for (ch = session->child; ch != NULL; ch = ch->next)
		if (strcmp(ch->what, "channel") == 0 &&
		    row_num(ch, name) > most)
			most = row_num(ch, name);
	if (most > HOLD_MAX)
		most = HOLD_MAX;
	return ((int64_t)most + MARGIN) * NS_MS;
}

/*
 * A session that has not been started yet is waited for.  One that was stopped
 * goes on until its consumers have written all.
 */
static int
goes_on(void *arg)
{
	struct live *l = arg;
	const int64_t now = ut_msg_now();
	const struct row *s;

	if (l->ended != 0)
		return now < l->ended;
	if (now < l->next)
		return 1;
	s = session_of(l);
	l->next = now + ASK + COSTLY * (ut_msg_now() - now);
	if (s == NULL && l->client != NULL && client_gone(l->client)) {
		say("utd is gone: what comes later is not shown");
		l->failed = 1;
		return 0;
	}
	if (s != NULL)
		l->follow.hold = hold(s);
	if (s != NULL && (strcmp(row_str(s, "state"), "active") == 0 ||
	    row_num(s, "begun") == 0))
		return 1;
	l->ended = now + l->follow.hold / NS_MS;
	return 1;
}

static void
wait_ms(void *arg, int ms)
{
	struct timespec nap;

	(void)arg;
	ctf_print_flush();
	nap.tv_sec = ms / 1000;
	nap.tv_nsec = ms % 1000 * (long)NS_MS;
	(void)nanosleep(&nap, NULL);
}

/* Find who writes that; or utctl ends. */
void
live_open(struct live *l, const char *dir)
{
	const struct row *s;

	memset(l, 0, sizeof(*l));
	l->dir = dir;
	if ((l->client = client_try(NULL)) == NULL)
		die("%s: no utd runs that would write it: without -F it can "
		    "be viewed", dir);
	if ((s = session_of(l)) == NULL)
		die("%s: no session writes it now, by what utd in %s says: "
		    "without -F it can be viewed", dir,
		    client_dir(l->client));
	if (row_num(s, "keeps") != 0)
		die("session %s keeps its events in memory: a snapshot of it "
		    "can be viewed", row_str(s, "name"));
	l->follow.dir = dir;
	l->follow.hold = hold(s);
	l->follow.goes_on = goes_on;
	l->follow.pause = wait_ms;
	l->follow.arg = l;
}

void
live_close(struct live *l)
{
	row_free(l->rows);
	client_close(l->client);
}
