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
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../client.h"
#include "../ctf/cores.h"
#include "common/compat.h"
#include "follow.h"
#include "live.h"
#include "print.h"
#include "show.h"

#define ASK		1000		/* ms between two questions, at least */
#define COSTLY		20		/* times as long as an answer took */
#define NS_MS		INT64_C(1000000)

/* The session that writes a trace, for -F. */
struct followed {
	struct follow	 follow;
	struct live	 live;
	int64_t		 next;		/* ms: when utd is asked again */
	int64_t		 ended;		/* ms: when all is written; or 0 */
	int		 failed;
};

static int		 follow, quiet;		/* -F and -q */
static int		 stacks;		/* -o stack */
static int		 sources;		/* -O */
static const char	*columns;		/* -o; or NULL */
static struct followed	 followed;		/* for -F */

static void	 core_begin(void);
static void	 core_end(void *);

static struct reader_cores cores = { .begin = core_begin,
    .end = core_end, .print = ctf_print_write };

static char *
put_when(char *p, int64_t ns)
{
	p = ctf_put_i64(out_text(p, "{\"ns\":\""), ns);
	p = put_time(out_text(p, "\",\"time\":\""), ns);
	return out_text(put_zone(p), "\",");
}

static char *
put_json_host(char *p, const struct ctf_trace *tr)
{
	const char *host = tr->label == NULL && sources ? tr->host : tr->label;

	if (host == NULL)
		return p;
	p = put_string(out_text(p, "\"host\":"), (const uint8_t *)host,
	    strlen(host));
	return out_text(p, ",");
}

static char *
put_json_end(char *p, const struct ctf_trace *tr)
{
	if (sources)
		p = out_put(p, tr->source, tr->sourcelen);
	return out_text(p, "}\n");
}

static char *
put_json_event(char *p, struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;

	p = put_who(put_json_host(put_when(p, s->ns), s->trace), s);
	return put_fields(out_put(p, ev->text, ev->textlen), s);
}

static char *
put_json_depth(char *p, size_t depth, int64_t took)
{
	p = out_room(p, ROOM);
	p = ctf_put_u64(out_text(p, ",\"depth\":"), depth);
	if (took == TOOK_NONE)
		return p;
	p = ctf_put_i64(out_text(p, ",\"took_ns\":\""), took);
	return out_text(p, "\"");
}

/* Makes ready what of a trace is printed, before its events. */
static void
print_trace(struct ctf_trace *tr)
{
	text_trace(tr);
	columns_trace(tr);
	indent_trace(tr);
}

/* Put an event with its depth, and the time that what it ends took. */
static char *
put_indented(char *p, struct ctf_stream *s)
{
	int64_t took = TOOK_NONE;
	const size_t depth = indent_event(s, &took);

	if (style.json)
		return put_json_depth(put_json_event(p, s), depth, took);
	p = out_room(columns_event(p, s, depth), ROOM);
	return took == TOOK_NONE ? p : put_took(out_text(p, " "), took);
}

static void
print_event(void *arg, struct ctf_stream *s)
{
	char *p = out_begin();

	(void)arg;
	p = indent_on ? put_indented(p, s) : style.json ?
	    put_json_event(p, s) : columns_event(p, s, 0);
	if (stacks && style.json)
		p = put_json_stack(p, s);
	p = out_room(p, ROOM);
	if (style.json) {
		out_end(put_json_end(p, s->trace));
		return;
	}
	*p++ = '\n';
	out_end(stacks ? put_stack(p, s) : p);
}

/* A loss, in JSON: from then, and to then if that is told. */
static void
print_loss(const char *what, uint64_t n, const char *when, int64_t from,
    const int64_t *to, const struct ctf_stream *s)
{
	char *p = put_json_host(out_text(out_begin(), "{"), s->trace);

	p = out_text(out_text(out_text(p, "\""), what), "\":");
	p = n == 0 ? out_text(p, "null") : ctf_put_u64(p, n);
	p = out_text(out_text(out_text(p, ",\""), when), "\":\"");
	p = ctf_put_i64(p, from);
	if (to != NULL)
		p = ctf_put_i64(out_text(p, "\",\"to\":\""), *to);
	p = put_string(out_text(p, "\",\"file\":"), (const uint8_t *)s->path,
	    strlen(s->path));
	out_end(put_json_end(p, s->trace));
}

static void
say_discarded(void *arg, const struct ctf_stream *s)
{
	char from[CTF_TIMELEN], to[CTF_TIMELEN];

	(void)arg;
	indent_lose(s);
	if (json_on) {
		print_loss("discarded", s->ndiscarded, "from", s->from, &s->to,
		    s);
		return;
	}
	ctf_print_flush();
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
	if (json_on) {
		print_loss("lost_packets", s->nlost, "before", s->lost, NULL,
		    s);
		return;
	}
	ctf_print_flush();
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

const struct reader_ops print_ops = { print_event, say_discarded,
    say_lost, print_trace, NULL, NULL, note_gone };

/*
 * The session that is followed.
 */

/*
 * A session that has not been started yet is waited for.  One that was stopped
 * goes on until its consumers have written all.
 */
static int
goes_on(void *arg)
{
	struct followed *f = arg;
	const int64_t now = ut_msg_now();
	const struct row *s;
	enum live_is is;

	if (f->ended != 0)
		return now < f->ended;
	if (now < f->next)
		return 1;
	is = live_ask(&f->live, &s);
	f->next = now + ASK + COSTLY * (ut_msg_now() - now);
	if (is != LIVE_HERE && f->live.client == NULL && !f->live.own) {
		say("utd is gone: what comes later is not shown");
		f->failed = 1;
		return 0;
	}
	if (is == LIVE_AWAY)
		return 1;
	if (is == LIVE_HERE) {
		f->follow.hold = follow_hold(s);
		if (strcmp(row_str(s, "state"), "active") == 0 ||
		    row_num(s, "begun") == 0)
			return 1;
	}
	f->ended = now + f->follow.hold / NS_MS;
	return 1;
}

static void
wait_ms(void *arg, int ms)
{
	struct timespec nap;

	(void)arg;
	ctf_print_flush();
	nap.tv_sec = ms / 1000;
	nap.tv_nsec = ms % 1000 * (long)NS_MS;
	(void)nanosleep(&nap, NULL);
}

/* Find the session that writes to the directory; dies if there is none. */
static void
follow_begin(struct followed *f, const char *dir)
{
	const struct row *s;
	struct client *c;

	memset(f, 0, sizeof(*f));
	f->live.dir = dir;
	if (live_ask(&f->live, &s) != LIVE_HERE) {
		if ((c = client_try(NULL)) == NULL)
			die("%s: no utd runs that would write it: without -F "
			    "it can be viewed", dir);
		die("%s: no session writes it now, by what utd in %s says: "
		    "without -F it can be viewed", dir, client_dir(c));
	}
	if (row_num(s, "keeps") != 0)
		die("session %s keeps its events in memory: a snapshot of it "
		    "can be viewed", row_str(s, "name"));
	f->follow.dir = dir;
	f->follow.hold = follow_hold(s);
	f->follow.goes_on = goes_on;
	f->follow.pause = wait_ms;
	f->follow.arg = f;
}

/*
 * The command.
 */

/* Refuse options that need the end, which -F does not know. */
static void
check_follow(const struct select *sel, const struct reader_dir *dirs)
{
	if (dirs[1].name != NULL)
		die("-F follows one session");
	if (ctf_moves(&dirs[0].move))
		die("-F: no offset, for events wait by the clock");
	if (sel == NULL)
		return;
	if (sel->count < 0)
		die("-F and -n %lld: which events are the last is not known",
		    sel->count);
	if (when_relative(&sel->since) || when_relative(&sel->until))
		die("-F: -b and -u must be times of a clock, for beginning and "
		    "end are not known");
}

/* A process that reads on one of several cores. */
static void
core_begin(void)
{
	ctf_print_to(cores_print);
}

static void
core_end(void *arg)
{
	(void)arg;
	ctf_print_flush();
}

static void
view_begin(struct reader *r, struct reader_dir *dirs)
{
	ctf_print_init(json_on);
	indent_begin(r);
	r->stacks = stacks = columns_have("stack");
	/* Lines that depend on other events are read on one core. */
	if (!follow && !quiet && !indent_on && !stacks &&
	    !columns_have("delta"))
		r->cores = &cores;
	if (!follow)
		return;
	check_follow(r->select, dirs);
	follow_begin(&followed, dirs->name);
}

static int
view(struct reader *r, struct reader_dir *dirs)
{
	int64_t first, last;

	if (follow) {
		reader_follow(r, &followed.follow, &print_ops, NULL);
		live_close(&followed.live);
		ctf_print_flush();
		return followed.failed;
	}
	reader_open_all(r, dirs);
	if (r->nhosts > 1 && (columns == NULL || strcmp(columns, "stack") == 0))
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
	if (columns != NULL && json_on && strcmp(columns, "stack") != 0)
		die("-o and -j: JSON has all there is, and the host if there "
		    "are several; with -o stack, the call stacks");
	if (columns != NULL && quiet)
		die("-o and -q: totals have no columns");
	if (sources && (!json_on || quiet))
		die("-O: only the events of -j tell where they are from");
	if (indent_on && quiet)
		die("-i and -q: no events are printed");
	if (!follow)
		show_paged(0);
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
	case 'J':
		cores.n = cores_option(optarg);
		return 1;
	case 'j':
		json_start(1);
		return 1;
	case 'O':
		return sources = 1;
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
	    &quiet, view_begin, view, say_pairs, indent_end };

	follow = quiet = sources = 0;
	cores.n = 0;
	columns = NULL;
	return show(&show_view, argc, argv);
}

const struct command cmd_view = {
	.name = "view", .page = "utctl-view",
	.line = "print the events of traces, or of sessions",
	.usage = "[-FijOq] [-D begin,end[,field]] ... [-J processes] "
	    "[-o columns] " SHOW_USAGE,
	.options = {
	    "-F\tfollow a session until it is stopped",
	    "-i\tindent what pairs enclose, and say how long they took",
	    "-j\tJSON, an object in each line", CORES_HELP,
	    "-O\twith -j: say of which host, boot, session and trace",
	    "-o columns\twhat lines have (default: time,who,event,fields)",
	    "-q\tonly the totals",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    SHOW_HELP
	},
	.letter = 'o', .value = column_name,
	.run = view_main
};
