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
 * utctl recover: after utd, its consumers and perhaps all programs were
 * killed, write what the buffers still have.  A utd is started that takes up
 * the sessions, as any would; they are ended in order, and it with them.
 */

#include <sys/types.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/compat.h"
#include "common/rundir.h"

/* What a session holds that writes nothing by itself. */
static int
keep(struct client *c, const struct row *s, const char *session)
{
	char *dir = NULL, *name;
	int r;

	if (row_str(s, "dir")[0] == '\0') {
		name = stamped(row_str(s, "name"));
		dir = absolute(name);
		free(name);
	}
	r = client_say(c, client_snapshot(c, session, dir, NULL, NULL,
	    NULL));
	free(dir);
	return r;
}

/* All sessions, each with what there is of it; -1 if one went wrong. */
static int
sessions_end(void *arg)
{
	struct client *c = arg;
	struct row *rows;
	const struct row *s;
	char *name;
	int r = 0;

	if (client_ask(c, UT_CTL_LIST, "", &rows) == -1)
		return -1;
	rows_clean(rows);
	for (s = rows->child; s != NULL; s = s->next) {
		printf("%s:\n", row_str(s, "dir")[0] != '\0' ?
		    row_str(s, "dir") : "(no output)");
		name = format("%" PRIu64 "/%s", row_num(s, "uid"),
		    row_str(s, "name"));
		if (row_num(s, "keeps") && row_num(s, "written") > 0 &&
		    keep(c, s, name) != 0)
			r = -1;
		if (client_say(c, client_ask(c, UT_CTL_DESTROY, name,
		    NULL)) != 0)
			r = -1;
		fflush(stdout);
		warnings_say(s);
		free(name);
	}
	if (rows->child == NULL)
		say("there was no session");
	row_free(rows);
	return r;
}

static int
recover(char *dir)
{
	struct client *c;
	char *utd = utd_find();
	pid_t pid;
	int r = -1, sig = 0, killed;

	signals_catch();
	pid = utd_start(utd, dir, &sig, NULL);
	free(utd);
	if (pid == -1)
		return 1;
	c = client_open(dir, CLIENT_OWN);
	utd_owned();
	if (c == NULL)
		kill(pid, SIGTERM);
	else if (sig == 0)
		r = interruptible(sessions_end, c);
	client_close(c);
	if ((killed = utd_reap(pid)) == -1)
		say("utd in %s does not end", dir);
	else if (killed != 0)
		say("utd in %s was killed by signal %d: recover again", dir,
		    killed);
	return r == 0 && killed == 0 ? 0 : 1;
}

/* With -d, only what nobody can write is removed. */
int
cmd_recover(int argc, char **argv)
{
	char dir[PATH_MAX], *state;
	int c, s, delete = 0, r = 0;

	while ((c = option(argc, argv, "+d")) != -1) {
		if (c != 'd')
			return usage();
		delete = 1;
	}
	if (argc != optind)
		return usage();
	if (ut_rundir(dir, sizeof(dir)) == -1)
		die("no run directory: neither UT_RUNDIR, XDG_RUNTIME_DIR nor "
		    "HOME names one");
	state = format("%s/state", dir);
	if ((s = ut_msg_connect(dir, ut_msg_now())) != -1) {
		ut_hang_up(s);
		if (left_behind(dir, delete) == 0)
			die("utd runs in %s, and has taken up what there "
			    "was", dir);
	} else if (access(state, F_OK) == -1) {
		s = errno;
		if (left_behind(dir, delete) == 0)
			die("nothing to recover: %s: %s", state, strerror(s));
	} else {
		r = delete ? 0 : recover(dir);
		(void)left_behind(dir, delete);
	}
	free(state);
	return r;
}
