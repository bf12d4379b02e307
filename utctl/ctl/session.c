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
 * Sessions: how they begin and end.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"

#define NUMBERS		1000	/* behind a name that is taken */

/* A session to be made, besides its name and directory. */
struct new {
	int		 keeps;
	uint64_t	 max;		/* bytes of all files; 0: any */
};

/* Where a session goes by default: $HOME/ut-traces/name, or here. */
char *
default_dir(const char *name)
{
	const char *home = getenv("HOME");

	if (home == NULL || home[0] != '/')
		return absolute(name);
	return format("%s/ut-traces/%s", home, name);
}

void
session_created(const struct step *st)
{
	char *shown;

	if (st->dir[0] == '\0') {
		printf("session %s: no output\n", st->made);
		return;
	}
	shown = clean(st->dir);
	printf("session %s: %s%s\n", st->made, shown,
	    ((const struct new *)st->own)->keeps ? ", for snapshots" : "");
	free(shown);
	/* The path is utd's: in a container it may lead elsewhere. */
	if (access(st->dir, F_OK) == -1 && errno == ENOENT)
		say("utd has made %s, but it is not there for us: does it "
		    "run in another container?", st->dir);
}

static int
create_request(struct client *c, const char *name, const char *dir,
    const struct new *new)
{
	struct ut_msg *m = client_begin(c, UT_CTL_CREATE);

	ut_msg_str(m, name);
	ut_msg_str(m, dir);
	ut_msg_u32(m, (uint32_t)new->keeps);
	ut_msg_u32(m, 0);		/* the session outlives us */
	ut_msg_u64(m, new->max);
	return client_request(c, NULL);
}

/*
 * Create a session.  A default name or directory gets a number behind if there
 * is one of that second already.  An empty directory is no output.
 */
static int
create_ask(struct client *c, struct step *st)
{
	const char *name = st->session[0] == '\0' ? NULL : st->session;
	const unsigned int free_name = name == NULL ? 1u << UT_TAKEN_NAME : 0;
	const unsigned int free_dir = st->dir == NULL ? 1u << UT_TAKEN_DIR : 0;
	char *first = stamped(name == NULL ? "auto" : name), *unique, *dir;
	int n, r = -1;

	for (n = 1; n == 1 || (r == -1 && client_hushed(c)); n++) {
		unique = n == 1 ? format("%s", first) :
		    format("%s-%d", first, n);
		dir = st->dir != NULL ? format("%s", st->dir) :
		    default_dir(unique);
		client_hush(c, n < NUMBERS ? free_name | free_dir : 0);
		r = create_request(c, name == NULL ? unique : name, dir,
		    st->own);
		if (r == 0) {
			st->made = format("%s", name == NULL ? unique : name);
			free(st->dir);
			st->dir = format("%s", dir);
		}
		free(unique);
		free(dir);
	}
	free(first);
	client_hush(c, 0);
	if (r == 0 && !st->quiet)
		session_created(st);
	return step_say(c, st, r);
}

static int
create_parse(int argc, char **argv, struct step *st)
{
	struct new *new = step_own(st, sizeof(*new));
	int ch, none = 0;

	while ((ch = option(argc, argv)) != -1) {
		if (ch == 'N') {
			none = 1;
		} else if (ch == 'S') {
			new->keeps = 1;
		} else if (ch == 'M') {
			if ((new->max = parse_bytes(optarg)) == 0)
				die("-M 0: without -M, a session has no such "
				    "bound");
		} else if (ch == 'o') {
			free(st->dir);
			st->dir = absolute(optarg);
		} else {
			return usage();
		}
	}
	if (argc - optind > 1)
		return usage_lacks("name one session");
	if (none && (st->dir != NULL || new->keeps))
		return usage_lacks("-N: without -o and -S");
	if (none)
		st->dir = format("%s", "");
	if (argc > optind)
		check_name("session", st->session = argv[optind]);
	return 0;
}

const struct command cmd_create = {
	.name = "create", .page = "utctl-session",
	.line = "make a session, into which events are recorded",
	.usage = "[-N | [-S | -M size] [-o dir]] [name]",
	.options = {
	    "-o dir\twhere the trace goes (default: ~/ut-traces/NAME-DATE)",
	    "-N\tno output: events are counted, and dropped",
	    "-S\tkeep the newest events in memory, for snapshots",
	    "-M size\tall files together: the oldest part goes"
	},
	.type = UT_CTL_CREATE,
	.parse = create_parse, .ask = create_ask, .loads = 1
};

static int
session_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_ask(c, st->type, st->session, NULL));
}

static int
session_parse(int argc, char **argv, struct step *st)
{
	return option(argc, argv) != -1 ? usage() :
	    step_session(argc, argv, st);
}

/* With -a, the session is NULL. */
static int
sessions_parse(int argc, char **argv, struct step *st)
{
	int ch;

	while ((ch = option(argc, argv)) != -1) {
		if (ch != 'a')
			return usage();
		st->session = NULL;
	}
	return st->session == NULL && argc != optind ?
	    usage_lacks("-a and a session: one of them") :
	    step_session(argc, argv, st);
}

/* Is it one of the user's own that the command would change? */
static int
is_meant(const struct step *st, const struct row *r)
{
	const int active = strcmp(row_str(r, "state"), "active") == 0;

	return strcmp(r->what, "session") == 0 &&
	    row_num(r, "uid") == geteuid() && (st->type == UT_CTL_DESTROY ||
	    active == (st->type == UT_CTL_STOP));
}

/* One session; or all of the user's own, each even if another one fails. */
static int
sessions_ask(struct client *c, struct step *st)
{
	int (*ask)(struct client *, struct step *) =
	    st->type == UT_CTL_START ? session_ask : end_ask;
	struct row *rows;
	const struct row *r;
	char *name;
	int n = 0, status = 0;

	if (st->session != NULL)
		return ask(c, st);
	if (client_ask(c, UT_CTL_LIST, "", &rows) == -1)
		return 1;
	for (r = rows->child; r != NULL && !client_gone(c); r = r->next) {
		if (!is_meant(st, r))
			continue;
		n++;
		st->session = name = format("%lu/%s",
		    (unsigned long)geteuid(), row_str(r, "name"));
		status |= ask(c, st);
		st->session = NULL;
		free(name);
	}
	row_free(rows);
	if (n == 0)
		printf("no %ssessions of yours\n", st->type == UT_CTL_START ?
		    "stopped " : st->type == UT_CTL_STOP ? "started " : "");
	return client_gone(c) ? 1 : status;
}

const struct command cmd_start = {
	.name = "start", .page = "utctl-session",
	.line = "begin to record",
	.usage = "[-a | name]",
	.options = { "-a\tall your sessions that are stopped" },
	.type = UT_CTL_START,
	.parse = sessions_parse, .ask = sessions_ask, .loads = 1
};

const struct command cmd_stop = {
	.name = "stop", .page = "utctl-session",
	.line = "record no more, and write what there is",
	.usage = "[-a | name]",
	.options = { "-a\tall your sessions that are started" },
	.type = UT_CTL_STOP,
	.parse = sessions_parse, .ask = sessions_ask
};

const struct command cmd_clear = {
	.name = "clear", .page = "utctl-session",
	.line = "remove what was recorded, and go on",
	.usage = "[session]",
	.type = UT_CTL_CLEAR,
	.parse = session_parse, .ask = session_ask
};

const struct command cmd_destroy = {
	.name = "destroy", .page = "utctl-session",
	.line = "stop a session and delete it; its trace stays",
	.usage = "[-a | name]",
	.options = { "-a\tall your sessions" },
	.type = UT_CTL_DESTROY,
	.parse = sessions_parse, .ask = sessions_ask
};

static int
shutdown_parse(int argc, char **argv, struct step *st)
{
	(void)st;
	return option(argc, argv) != -1 || argc != optind ? usage() : 0;
}

/* utd answers when everything is written, or cannot be. */
static int
shutdown_ask(struct client *c, struct step *st)
{
	const int r = client_ask(c, st->type, NULL, NULL);

	if (r == 0)
		client_ended(c);
	return step_say(c, st, r);
}

const struct command cmd_shutdown = {
	.name = "shutdown", .page = "utctl-session",
	.line = "end all sessions, and utd",
	.usage = "",
	.type = UT_CTL_SHUTDOWN,
	.parse = shutdown_parse, .ask = shutdown_ask
};
