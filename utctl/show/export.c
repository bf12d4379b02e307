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

#include "../utctl.h"
#include "export.h"
#include "show.h"

static const struct format_kind {
	const char	*name;
	void		(*run)(struct reader *, struct pairs *);
} formats[] = {
	{ "chrome", export_chrome },
	{ "folded", export_folded }
};

static const struct format_kind *chosen;	/* -F */
static struct pairs pairs;

static const struct format_kind *
format_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	die("-F %s: there are chrome and folded", name);
}

const char *
export_format(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i].name :
	    NULL;
}

static int
export_option(int c)
{
	if (c == 'D')
		pairs_add(&pairs, optarg);
	else if (c == 'F')
		chosen = format_of(optarg);
	return c == 'D' || c == 'F';
}

static int
export(struct reader *rd, char **dirs)
{
	reader_open_all(rd, dirs);
	if (show_any(rd))
		chosen->run(rd, &pairs);
	return 0;
}

static void
say_pairs(const struct reader *rd)
{
	(void)rd;
	pairs_say(&pairs);
}

static void
end(void)
{
	pairs_free(&pairs);
}

int
cmd_export(int argc, char **argv)
{
	static const struct show show_export = { "D:F:", export_option, NULL,
	    NULL, NULL, export, say_pairs, end };

	chosen = &formats[0];
	pairs_init(&pairs);
	pairs.named = 1;
	return show(&show_export, argc, argv);
}
