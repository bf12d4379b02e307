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
 * utctl view: prints the events of traces in the order of time.  Losses are
 * told where they happened, damage at the end: ctf_damage.c.
 */

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "../ctf/reader.h"
#include "../utctl.h"
#include "columns.h"
#include "indent.h"
#include "live.h"
#include "print.h"
#include "show.h"

static int		 follow, quiet;		/* -F and -q */
static const char	*columns;		/* -o; or NULL */
static struct live	 live;			/* of -F */

static void
print_event(void *arg, struct ctf_stream *s)
{
	(void)arg;
	ctf_print_event(s);
}

/* The last member of a line. */
static void
print_file(const char *path)
{
	json_string("file", path);
	json_end();
	fflush(stdout);
}

static void
say_discarded(void *arg, const struct ctf_stream *s)
{
	char from[CTF_TIMELEN], to[CTF_TIMELEN];

	(void)arg;
	indent_lose(s);
	ctf_print_flush();
	if (json_on) {
		json_object(NULL);
		json_format("discarded", s->ndiscarded == 0 ? "null" :
		    "%" PRIu64, s->ndiscarded);
		json_ns("from", s->from);
		json_ns("to", s->to);
		print_file(s->path);
		return;
	}
	ctf_print_time(s->from, from);
	ctf_print_time(s->to, to);
	if (s->ndiscarded == 0) {
		say("events may have been discarded between %s and %s in %s",
		    from, to, s->path);
		return;
	}
	say("%" PRIu64 " event%s discarded between %s and %s in %s",
	    s->ndiscarded, many(s->ndiscarded), from, to, s->path);
}

static void
say_lost(void *arg, const struct ctf_stream *s)
{
	char when[CTF_TIMELEN];

	(void)arg;
	indent_lose(s);
	ctf_print_flush();
	if (json_on) {
		json_object(NULL);
		json_u64("lost_packets", s->nlost);
		json_ns("before", s->lost);
		print_file(s->path);
		return;
	}
	ctf_print_time(s->lost, when);
	say("%llu packet%s lost before %s in %s",
	    (unsigned long long)s->nlost, many(s->nlost), when, s->path);
}

/* Packets that are missing by design are no loss to tell of. */
static void
note_gone(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	indent_lose(s);
}

static void
note_module(void *arg, struct ctf_stream *s)
{
	(void)arg;
	indent_module(s);
}

const struct reader_ops print_ops = { print_event, say_discarded,
    say_lost, ctf_print_trace, note_module, NULL, note_gone };

/* What cannot be while the end is not known. */
static void
check_follow(const struct select *sel, char **dirs)
{
	if (dirs[1] != NULL)
		die("-F follows one session");
	if (sel == NULL)
		return;
	if (sel->count < 0)
		die("-F and -n %lld: which events are the last is not known",
		    sel->count);
	if (when_relative(&sel->since) || when_relative(&sel->until))
		die("-F: -b and -u must be times of a clock, for beginning and "
		    "end are not known");
}

static void
begin(struct reader *r, char **dirs)
{
	ctf_print_init(json_on);
	if (indent_on)
		r->names = &symbols_names;
	if (!follow)
		return;
	check_follow(r->select, dirs);
	live_open(&live, *dirs);
}

static int
view(struct reader *r, char **dirs)
{
	int64_t first, last;

	if (follow) {
		reader_follow(r, &live.follow, &print_ops, NULL);
		live_close(&live);
		ctf_print_flush();
		return live.failed;
	}
	reader_open_all(r, dirs);
	if (r->nhosts > 1 && columns == NULL)
		columns_set(COLUMNS_HOSTS);
	if (columns_have("relative") && reader_span(r, &first, &last))
		columns_from(first);
	reader_run(r, quiet ? NULL : &print_ops, NULL);
	ctf_print_flush();
	if (quiet && show_any(r)) {
		show_totals(r);
		json_end();
	}
	return 0;
}

static void
say_pairs(const struct reader *r)
{
	(void)r;
	indent_say();
}

/* -o and -i are about lines of text, and lines there must be. */
static void
check(void)
{
	if (follow && quiet)
		die("-F and -q: totals are known at the end");
	if (columns != NULL && json_on)
		die("-o and -j: JSON has all there is, and the host if there "
		    "are several");
	if (columns != NULL && quiet)
		die("-o and -q: totals have no columns");
	if (indent_on && quiet)
		die("-i and -q: no events are printed");
	columns_set(columns == NULL ? COLUMNS_DEFAULT : columns);
	if (indent_on && !json_on && !columns_have("event"))
		die("-i needs the column event");
}

static int
view_option(int c)
{
	switch (c) {
	case 'D':
		indent_pair(optarg);
		return 1;
	case 'F':
		return follow = 1;
	case 'i':
		indent_start();
		return 1;
	case 'j':
		json_start(1);
		return 1;
	case 'o':
		columns = optarg;
		return 1;
	case 'q':
		return quiet = 1;
	}
	return 0;
}

static int
view_main(int argc, char **argv)
{
	static const struct show show_view = { view_option, check,
	    &quiet, begin, view, say_pairs, indent_end };

	follow = quiet = 0;
	columns = NULL;
	return show(&show_view, argc, argv);
}

const struct command cmd_view = {
	.name = "view", .page = "utctl-view",
	.line = "print the events of traces, or of sessions",
	.usage = "[-Fijq] [-D begin,end[,field]] ... [-o columns] "
	    SYMBOLS_USAGE " " SELECT_USAGE " [dir | session] ...",
	.options = {
	    "-F\tfollow a session until it is stopped",
	    "-i\tindent what pairs enclose, and say how long they took",
	    "-j\tJSON, an object in each line",
	    "-o columns\twhat lines have (default: time,who,event,fields)",
	    "-q\tonly the totals",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    SYMBOLS_HELP, SELECT_HELP
	},
	.letter = 'o', .value = column_name,
	.run = view_main
};
