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
 * Commands that ask utd for something, in two steps: load checks all before it
 * asks for any.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"

int
step_run(const struct command *cmd, int argc, char **argv)
{
	struct step st;
	struct client *c;
	int status;

	utctl_command = cmd;
	if (cmd->run != NULL)
		return cmd->run(argc, argv);
	step_init(&st, cmd);
	status = cmd->parse(argc, argv, &st);
	if (status == 0) {
		c = client_open(NULL, 0);
		status = c == NULL ? 1 : cmd->ask(c, &st);
		client_close(c);
	}
	step_free(&st);
	return status;
}

/* Take -s or -c: 1; 0 if the option is neither. */
int
step_option(struct step *st, int letter)
{
	if (letter == 's')
		check_session(st->session = optarg);
	else if (letter == 'c')
		check_name("channel", st->channel = optarg);
	else
		return 0;
	return 1;
}

/* The last argument may be a session, and nothing may follow: 0, or 1. */
int
step_session(int argc, char **argv, struct step *st)
{
	if (argc - optind > 1)
		return usage_lacks("name one session");
	if (argc > optind)
		check_session(st->session = argv[optind]);
	return 0;
}

/* Print what utd had to say, or keep it; -> exit status. */
int
step_say(struct client *c, struct step *st, int r)
{
	if (!st->quiet)
		return client_say(c, r);
	if (r == 0) {
		free(st->answer);
		st->answer = format("%s", client_text(c));
	}
	return r == 0 ? 0 : 1;
}

void
step_init(struct step *st, const struct command *cmd)
{
	memset(st, 0, sizeof(*st));
	st->command = cmd;
	st->type = cmd->type;
	st->session = st->channel = "";
}

void *
step_own(struct step *st, size_t n)
{
	if ((st->own = calloc(1, n)) == NULL)
		die_errno("malloc");
	return st->own;
}

void
step_free(struct step *st)
{
	free(st->own);
	free(st->dir);
	free(st->made);
	free(st->answer);
}
