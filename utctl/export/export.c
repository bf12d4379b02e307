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

#include "../show/show.h"
#include "export.h"
#include "timeline.h"

static const struct format_kind {
	const char	*name;
	const char	*what;
	void		(*run)(struct reader *, struct pairs *, const char *);
	/* Writes call stacks, with -w; or NULL. */
	int		(*weighed)(struct reader *, struct reader_dir *,
			    struct pairs *, enum weight);
} formats[] = {
	{ "chrome", "JSON for Perfetto, and others (the default)",
	    export_chrome, NULL },
	{ "perfetto", "the same, smaller, for Perfetto", export_perfetto,
	    NULL },
	{ "otlp", "spans for OpenTelemetry, of pairs", export_otlp, NULL },
	{ "otlp-logs", "its logs, of all other events and of losses",
	    export_otlp_logs, NULL },
	{ "folded", "the self time of each stack of pairs", export_folded,
	    export_weighed },
	{ "pprof", "call stacks, for go tool pprof, speedscope and others",
	    NULL, export_pprof },
	{ "ctf", "a smaller trace, in the directory of -o", NULL, NULL }
};

static const struct format_kind *chosen;	/* -F */
static const char *output;			/* -o */
static const char *weight;			/* -w; or NULL */
static const char *value;			/* -v; or NULL */
static struct pairs pairs;

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
export_option(int c)
{
	if (c == 'D')
		pairs_add(&pairs, optarg);
	else if (c == 'F')
		chosen = format_of(optarg);
	else if (c == 'o')
		output = optarg;
	else if (c == 'w')
		weight = optarg;
	else if (c == 'v')
		value = optarg;
	return c == 'D' || c == 'F' || c == 'o' || c == 'v' || c == 'w';
}

static int
is_trace(void)
{
	return chosen->run == NULL && chosen->weighed == NULL;
}

static void
check(void)
{
	if (!is_trace() && output != NULL)
		die("-o: only -F ctf writes a directory");
	if (is_trace() && output == NULL)
		die("-F ctf: -o names the directory to write");
	if (is_trace() && pairs.given != NULL)
		die("-D and -F ctf: a trace has no pairs");
	if (value != NULL && chosen->run != export_chrome &&
	    chosen->run != export_perfetto)
		die("-v: only -F chrome and -F perfetto draw values");
	if (weight != NULL && chosen->weighed == NULL)
		die("-w: only -F folded and -F pprof weigh call stacks");
	if (weight == NULL && chosen->run == NULL && !is_trace())
		weight = weight_name(WEIGH_EVENTS);
	if (is_trace())
		show_writes();
}

static int
export(struct reader *rd, struct reader_dir *dirs)
{
	if (weight != NULL)
		return chosen->weighed(rd, dirs, &pairs, weight_of(weight));
	reader_open_all(rd, dirs);
	if (!show_any(rd))
		return 0;
	if (is_trace())
		export_ctf(rd, dirs, output);
	else
		chosen->run(rd, &pairs, value);
	return 0;
}

static void
say_pairs(const struct reader *rd)
{
	pairs_say(&pairs);
	pairs_say_lost(&pairs);
	timeline_say(rd, value);
}

static void
export_end(void)
{
	weigh_end();
	pairs_free(&pairs);
}

static int
export_main(int argc, char **argv)
{
	static const struct show show_export = { export_option, check,
	    NULL, NULL, export, say_pairs, export_end };

	chosen = &formats[0];
	output = weight = value = NULL;
	pairs_init(&pairs);
	pairs.named = pairs.once = 1;
	return show(&show_export, argc, argv);
}

const struct command cmd_export = {
	.name = "export", .page = "utctl-view",
	.line = "write traces for programs that draw time lines, or flames",
	.usage = "[-F format] [-D begin,end[,field]] ... [-o dir] [-v field] "
	    "[-w weight] " SHOW_USAGE,
	.options = {
	    "-o dir\tthe directory that -F ctf writes",
	    "-v field\tdraw the values of a field",
	    "-w weight\tof call stacks: events, blocks, bytes, time or wait",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    SHOW_HELP
	},
	.letter = 'F', .value = format_name, .meaning = format_what,
	.run = export_main
};
