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

#include "../utctl.h"

/* Check the arguments, and ask utd: the exit status. */
int
step_run(int argc, char **argv, int (*parse)(int, char **, struct step *))
{
	struct step st;
	struct client *c;
	int status;

	step_init(&st);
	status = parse(argc, argv, &st);
	if (status == 0) {
		if ((c = client_open(NULL, 0)) == NULL)
			status = 1;
		else
			status = st.ask(c, &st);
		client_close(c);
	}
	step_free(&st);
	return status;
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
step_init(struct step *st)
{
	memset(st, 0, sizeof(*st));
	st->session = st->channel = "";
}

void
step_free(struct step *st)
{
	free(st->rule.except);
	free(st->entries);
	free(st->dir);
	free(st->made);
	free(st->answer);
}
