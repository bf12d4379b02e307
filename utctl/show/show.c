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
 * What all commands begin and end with that read traces: their options, which
 * traces they read, and what is said of damage and of what was selected.
 */

#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/compat.h"
#include "show.h"

int
show_any(const struct reader *rd)
{
	return rd->ntraces > 0 || ctf_damaged() == 0;
}

static int
show_traces(const struct show *sh, struct reader *rd, char **dirs)
{
	int status;

	if ((sh->quiet == NULL || !*sh->quiet) && symbols_begin())
		rd->names = &symbols_names;
	if (sh->begin != NULL)
		sh->begin(rd, dirs);
	ut_confine_reader();	/* what it reads may be anybody's */
	status = sh->run(rd, dirs) | (ctf_damaged() != 0);
	ctf_damage_say();
	if (rd->ntraces > 0 && rd->select != NULL)
		select_say(rd->select);
	if (rd->ntraces > 0)
		sh->say(rd);
	return status;
}

int
show(const struct show *sh, int argc, char **argv)
{
	char **dirs;
	struct select sel;
	struct reader rd;
	int c, status;

	memset(&rd, 0, sizeof(rd));
	select_init(&sel, argc);
	while ((c = option(argc, argv)) != -1)
		if (!sh->option(c) && !select_option(&sel, c) &&
		    !symbols_option(c))
			return usage();
	if (!select_all(&sel))
		rd.select = &sel;
	if (sh->check != NULL)
		sh->check();
	dirs = which_traces(argv + optind);
	status = show_traces(sh, &rd, dirs);
	which_free(dirs);
	sh->end();
	symbols_end();
	reader_free(&rd);
	select_free(&sel);
	return status;
}
