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
 * utctl export: writes traces in the formats of other programs.
 */

#include <string.h>
#include <unistd.h>

#include "../ctf/select.h"
#include "../utctl.h"
#include "common/compat.h"
#include "export.h"

static const struct format_kind {
	const char	*name;
	const char	*what;
	void		(*run)(struct reader *, struct pairs *);
} formats[] = {
	{ "chrome", "for Perfetto, and others (the default)", export_chrome },
	{ "folded", "the self time of each stack of pairs", export_folded }
};

static const char *
format_name(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i].name :
	    NULL;
}

static const char *
format_what(size_t i)
{
	return formats[i].what;
}

static const struct format_kind *
format_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	die("-F %s: there are %s", name, names_text(format_name));
}

static int
export_traces(const struct format_kind *f, struct reader *rd,
    struct pairs *ps, char **dirs)
{
	int status;

	rd->names = symbols_begin() ? &symbols_names : NULL;
	ut_confine_reader();	/* what it reads may be anybody's */
	reader_open_all(rd, dirs);
	if (rd->ntraces > 0 || ctf_damaged() == 0)
		f->run(rd, ps);
	status = ctf_damaged() != 0;
	ctf_damage_say();
	if (rd->ntraces > 0 && rd->select != NULL)
		select_say(rd->select);
	if (rd->ntraces > 0)
		pairs_say(ps);
	return status;
}

static int
export_main(int argc, char **argv)
{
	const struct format_kind *f = &formats[0];
	struct select sel;
	struct reader rd;
	struct pairs pairs;
	char **dirs;
	int c, status;

	memset(&rd, 0, sizeof(rd));
	pairs_init(&pairs);
	pairs.named = 1;
	select_init(&sel, argc);
	while ((c = option(argc, argv)) != -1)
		if (c == 'D')
			pairs_add(&pairs, optarg);
		else if (c == 'F')
			f = format_of(optarg);
		else if (!select_option(&sel, c) && !symbols_option(c))
			return usage();
	if (!select_all(&sel))
		rd.select = &sel;
	dirs = which_traces(argv + optind);
	status = export_traces(f, &rd, &pairs, dirs);
	which_free(dirs);
	pairs_free(&pairs);
	symbols_end();
	reader_free(&rd);
	select_free(&sel);
	return status;
}

const struct command cmd_export = {
	.name = "export", .page = "utctl-view",
	.line = "write traces for programs that draw time lines, or flames",
	.usage = "[-F format] " SYMBOLS_USAGE " [-D begin,end[,field]] ... "
	    SELECT_USAGE " [dir | session] ...",
	.options = {
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    SYMBOLS_HELP, SELECT_HELP
	},
	.letter = 'F', .value = format_name, .meaning = format_what,
	.run = export_main
};
