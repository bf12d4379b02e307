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
 * Which session is meant, and is it still there?  It is one of the utd that is
 * usual, or of one that utctl record has started for a command, in a directory
 * of its own.  utd may have been killed, and may be back.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/msg.h"
#include "live.h"

#define AGAIN		2000		/* ms: record starts a utd anew */

/* The directory's session; if there is no directory, one that is recorded. */
static const struct row *
session_in(struct client *c, const char *dir, struct row **rows)
{
	const struct row *s;

	if (dir != NULL)
		return follow_session(c, dir, rows);
	row_free(*rows);
	*rows = NULL;
	if (client_ask(c, UT_CTL_LIST, "", rows) == -1)
		return NULL;
	for (s = (*rows)->child; s != NULL; s = s->next)
		if (strcmp(s->what, "session") == 0 &&
		    row_num(s, "uid") == geteuid() &&
		    row_num(s, "keeps") == 0 && row_str(s, "dir")[0] != '\0' &&
		    strcmp(row_str(s, "state"), "active") == 0)
			return s;
	return NULL;
}

static const struct row *
try_utd(const char *where, const char *dir, struct client **c,
    struct row **rows)
{
	const struct row *s = NULL;

	if ((*c = client_try(where)) == NULL)
		return NULL;
	client_may_go(*c);
	if ((s = session_in(*c, dir, rows)) == NULL) {
		client_close(*c);
		*c = NULL;
	}
	return s;
}

/* Only what is the user's own there can be record's: see daemon.c. */
static const struct row *
try_all(const char *tmp, const char *dir, struct client **c, struct row **rows)
{
	const struct row *s = NULL;
	struct dirent *d;
	struct stat st;
	char *path, *run;
	DIR *all;

	if (tmp == NULL || (all = opendir(tmp)) == NULL)
		return NULL;
	while (s == NULL && (d = readdir(all)) != NULL) {
		if (strncmp(d->d_name, "ut-", 3) != 0)
			continue;
		path = format("%s/%s", tmp, d->d_name);
		run = format("%s/run", path);
		if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		    st.st_uid == geteuid() && access(run, F_OK) == 0)
			s = try_utd(run, dir, c, rows);
		free(run);
		free(path);
	}
	closedir(all);
	return s;
}

static const struct row *
find(struct live *l)
{
	const struct row *s = try_utd(NULL, l->dir, &l->client, &l->rows);

	if (s != NULL) {
		l->own = 0;
		return s;
	}
	s = try_all("/tmp", l->dir, &l->client, &l->rows);
	if (s == NULL)
		s = try_all(getenv("TMPDIR"), l->dir, &l->client, &l->rows);
	l->own |= s != NULL;
	return s;
}

/* Has utd hung up?  That needs no message. */
static int
is_gone(struct client *c)
{
	struct pollfd p = { .fd = client_fd(c), .events = POLLIN };

	return poll(&p, 1, 0) > 0 && client_look(c);
}

/* A utd that has ended in order, and so its sessions, leaves no state. */
static int
has_state(const struct live *l)
{
	char *path = format("%s/state", l->where);
	const int has = access(path, F_OK) == 0 || errno != ENOENT;

	free(path);
	return has;
}

/* Nobody tells of the session now. */
static enum live_is
gone(struct live *l, const struct row **s)
{
	const int64_t now = ut_msg_now();

	client_close(l->client);
	l->client = NULL;
	if (!l->known)
		return LIVE_AWAY;
	if (l->own) {
		l->gone = l->gone == 0 ? now : l->gone;
		return now - l->gone > AGAIN ? LIVE_RECORDED : LIVE_AWAY;
	}
	if ((l->client = client_try(NULL)) == NULL)
		return has_state(l) ? LIVE_AWAY : LIVE_DESTROYED;
	client_may_go(l->client);
	*s = session_in(l->client, l->dir, &l->rows);
	if (*s == NULL && client_gone(l->client)) {
		client_close(l->client);
		l->client = NULL;
		return LIVE_AWAY;
	}
	return *s == NULL ? LIVE_DESTROYED : LIVE_HERE;
}

enum live_is
live_ask(struct live *l, const struct row **s)
{
	enum live_is is = LIVE_HERE;

	*s = l->client == NULL ? find(l) : is_gone(l->client) ? NULL :
	    session_in(l->client, l->dir, &l->rows);
	if (*s == NULL && l->client != NULL && !client_gone(l->client))
		return l->own ? LIVE_RECORDED : LIVE_DESTROYED;
	if (*s == NULL)
		is = gone(l, s);
	if (*s != NULL) {
		l->gone = 0;
		l->known = 1;
		free(l->where);
		l->where = format("%s", client_dir(l->client));
	}
	return is;
}

void
live_close(struct live *l)
{
	row_free(l->rows);
	client_close(l->client);
	free(l->where);
}
