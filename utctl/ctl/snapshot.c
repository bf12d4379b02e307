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
 * Snapshots: a trace of what the buffers of a session hold.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"

/* NULL is the default.  utd's answer, and a row "snapshot", say where it is. */
int
client_snapshot(struct client *c, const char *session, const char *dir,
    const char *name, const char *command, struct row **rows)
{
	struct ut_msg *m = client_begin(c, UT_CTL_SNAPSHOT);

	ut_msg_str(m, session);
	ut_msg_str(m, dir != NULL ? dir : "");
	ut_msg_str(m, name != NULL ? name : "");
	ut_msg_str(m, command != NULL ? command : "");
	return client_request(c, rows);
}

static int
snapshot_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_snapshot(c, st->session, st->dir,
	    st->name, st->command, NULL));
}

static int
parse_snapshot(int argc, char **argv, struct step *st)
{
	int ch;

	st->type = UT_CTL_SNAPSHOT;
	st->ask = snapshot_ask;
	while ((ch = option(argc, argv, "+o:n:c:")) != -1) {
		if (ch == 'o') {
			free(st->dir);
			st->dir = absolute(optarg);
		} else if (ch == 'n') {
			check_name("snapshot", st->name = optarg);
		} else if (ch == 'c') {
			if (strlen(optarg) > UT_COMMAND_MAX)
				die("command: longer than %d bytes",
				    UT_COMMAND_MAX);
			st->command = optarg;
		} else {
			return usage();
		}
	}
	if (argc - optind > 1 || (st->dir != NULL && st->name != NULL))
		return usage();
	if (argc > optind)
		check_session(st->session = argv[optind]);
	return 0;
}

int
cmd_snapshot(int argc, char **argv)
{
	return step_run(argc, argv, parse_snapshot);
}
