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
 * utctl top: a session as it records, on a live screen or in lines.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../show/live.h"
#include "../show/show.h"
#include "../when.h"
#include "common/compat.h"
#include "top.h"

#define LOOK		1000		/* ms between two looks, at most */
#define ASK		950		/* ms between two questions, at least */
#define COSTLY		20		/* times as long as an answer took */
#define HOLD		INT64_C(1200000000)	/* ns, where utd is unknown */
#define BOUND		(2 << 20)	/* bytes for a second */
#define QUIET		10		/* s without a session, and with none */
#define NS_MS		INT64_C(1000000)

/* Counts by utd since the session began. */
struct counts {
	uint64_t	 events, bytes, lost;
	int64_t		 ms;		/* when it said so; 0: it did not */
};

static int		 batch, given;		/* -b; -D or -d */
static uint64_t		 bound;			/* -r */
static int64_t		 interval;		/* ms: -i */
static uint32_t		 count;			/* -n; 0: no end */
static struct live	 live;
static struct counts	 first, last;
static struct top_session session;
static struct top_sums	 shown;
static int64_t		 asked, hold;		/* ms; ns */
static char		*ended;		/* why; NULL: more comes */

/* The sub-buffers in use, and all, of each region. */
static void
session_buffers(const struct row *s)
{
	const struct row *ch, *r;

	session.used = session.buffers = 0;
	for (ch = row_first(s->child, "channel"); ch != NULL;
	    ch = row_first(ch->next, "channel"))
		for (r = row_first(ch->child, "registry"); r != NULL;
		    r = row_first(r->next, "registry")) {
			session.used += (double)row_num(r, "used");
			session.buffers += (double)row_num(ch, "subbufs");
		}
}

static void
session_note(const struct row *s)
{
	free(session.name);
	free(session.state);
	session.name = format("%s", row_str(s, "name"));
	session.state = format("%s", row_num(s, "begun") == 0 ?
	    "not started" : row_str(s, "state"));
	session.trouble = NULL;
	session_buffers(s);
	last.events = row_num(s, "written");
	last.bytes = row_num(s, "bytes");
	last.lost = row_num(s, "lost");
	last.ms = ut_msg_now();
	if (first.ms == 0 || last.events < first.events ||
	    last.bytes < first.bytes || last.lost < first.lost)
		first = last;
	hold = follow_hold(s);
	if (row_num(s, "keeps") != 0)
		session.trouble = "keeps its events in memory: a snapshot of "
		    "it has files";
}

/* Nobody tells of the session now. */
static void
session_gone(void)
{
	session.rated = 0;
	first.ms = 0;
	session.trouble = session.name == NULL ?
	    "no session is known that writes these files" : live.own ?
	    "the recording has ended, or its utd was killed" :
	    "no utd runs: waiting for it";
	if (session.name == NULL && top_quiet() > QUIET)
		ended = format("%s: no session is known that writes it, and "
		    "nothing came for %d seconds", live.dir, QUIET);
}

/* Ask utd, which may have been killed, and may be back. */
static void
session_ask(void)
{
	const int64_t now = ut_msg_now();
	const struct row *s;
	enum live_is is;

	if (now < asked || ended != NULL)
		return;
	is = live_ask(&live, &s);
	asked = now + ASK + COSTLY * (ut_msg_now() - now);
	if (is == LIVE_HERE)
		session_note(s);
	else if (is == LIVE_AWAY)
		session_gone();
	else
		ended = is == LIVE_RECORDED ?
		    format("%s: the recording has ended", live.dir) :
		    format("session %s was destroyed", session.name);
}

/* Without an argument, find what is recorded now. */
static char *
find_live(void)
{
	const struct row *s;
	char *path;

	if (live_ask(&live, &s) != LIVE_HERE)
		die("nothing is recorded now, by what utd says: name the "
		    "directory of a trace, or a session");
	path = format("%s", row_str(s, "dir"));
	say("what is recorded now is %s", path);
	return path;
}

/* Look for the first time; the name may be wrong, or the trace finished. */
static void
look_first(const char *arg)
{
	session_ask();
	top_look(hold, 0);
	if (session.name != NULL)
		return;
	if (access(live.dir, F_OK) == -1)
		die_errno("%s: neither a session nor a trace", arg);
	if (top_quiet() == -1)
		die("%s: no trace is there, and no session is known that "
		    "writes it", live.dir);
	if (top_quiet() > QUIET)
		die("%s: no session is known that writes it, and nothing came "
		    "for %" PRId64 " seconds: if it is finished, use utctl "
		    "stat, view or report", live.dir, top_quiet());
}

/* Compute rates from the first answer of the interval to the last. */
static void
session_rate(void)
{
	const double s = (double)(last.ms - first.ms) / 1000;

	if (first.ms == 0 || s <= 0)
		return;
	session.events = (double)(last.events - first.events) / s;
	session.bytes = (double)(last.bytes - first.bytes) / s;
	session.lost = (double)(last.lost - first.lost) / s;
	session.rated = 1;
	first = last;
}

static void
put(void)
{
	if (!batch) {
		screen_draw(&shown, &session);
		return;
	}
	top_print(&screen_view, &shown, &session);
	if (!json_on)
		putchar('\n');
	if (fflush(stdout) == EOF)
		die_errno("stdout");
}

static void
interval_end(void)
{
	if (screen_paused)
		return;
	session_rate();
	top_sums_free(&shown);
	top_take(&shown);
	put();
}

/* Wait until that time, but for keys: 0 if there shall be an end. */
static int
wait_until(int64_t until)
{
	struct timespec nap;
	int64_t left;
	int seen;

	while ((left = until - ut_msg_now()) > 0) {
		if (batch) {
			nap.tv_sec = left / 1000;
			nap.tv_nsec = left % 1000 * (long)NS_MS;
			(void)nanosleep(&nap, NULL);
			continue;
		}
		seen = screen_wait((int)left);
		if (seen & SCREEN_QUIT)
			return 0;
		if (seen & SCREEN_DRAW)
			put();
	}
	return 1;
}

/* All that comes until the end, in intervals of several looks each. */
static void
watch(void)
{
	int64_t now = ut_msg_now(), due = now + interval, look;
	uint32_t n = 0;
	int more = 1;

	while (more) {
		look = ut_msg_now() + LOOK;
		more = wait_until(due < look ? due : look);
		session_ask();
		now = ut_msg_now();
		more &= ended == NULL;
		top_look(hold, !more || (now >= due && count == n + 1));
		if (more && now < due)
			continue;
		if (more || batch)
			interval_end();
		due = (due > now - interval ? due : now) + interval;
		more &= count == 0 || ++n < count;
	}
}

static int
table_option(const char *name)
{
	enum top_by by = TOP_EVENT;

	while (by < TOP_TABLES && strcmp(top_table(by), name) != 0)
		by++;
	if ((screen_view.by = by) == TOP_TABLES)
		die("-g %s: none of event, program, thread and pair", name);
	return 1;
}

static int
top_option(int c)
{
	unsigned long long v;

	switch (c) {
	case 'b':
		return batch = 1;
	case 'd':
		top_read_pair(NULL);
		return given = 1;
	case 'D':
		top_read_pair(optarg);
		return given = 1;
	case 'g':
		return table_option(optarg);
	case 'i':
		if (parse_ms(optarg, &v) == -1 || v < 100 || v > 86400000)
			die("-i %s: not a time from 100ms to a day", optarg);
		interval = (int64_t)v;
		return 1;
	case 'j':
		json_start(1);
		return batch = 1;
	case 'n':
		if (parse_number(optarg, UINT32_MAX, &count) == -1 ||
		    count == 0)
			die("-n %s: not a number of intervals", optarg);
		return 1;
	case 'r':
		if (parse_size(optarg, &v) == -1)
			die("-r %s: not a number of bytes", optarg);
		bound = v;
		return 1;
	}
	return 0;
}

static int
top_main(int argc, char **argv)
{
	struct reader_dir *dirs;
	char *found = NULL;
	int c;

	json_start(0);
	interval = 1000;
	bound = BOUND;
	hold = HOLD;
	top_read_init();
	while ((c = option(argc, argv)) != -1)
		if (!top_option(c))
			return usage();
	if (argc - optind > 1)
		return usage();
	if (screen_view.by == TOP_TABLES)
		screen_view.by = given ? TOP_PAIR : TOP_EVENT;
	if (screen_view.by == TOP_PAIR)
		top_read_pairs();
	dirs = argc > optind ? which_traces(argv + optind) : NULL;
	if (dirs != NULL && ctf_moves(&dirs[0].move))
		die("top: no offset, for events wait by the clock");
	live.dir = dirs != NULL ? dirs[0].name : (found = find_live());
	/* Traces may be anybody's, but utd may have to be met again. */
	ut_confine(0);
	top_read_begin(live.dir, bound);
	look_first(dirs != NULL ? argv[optind] : live.dir);
	batch |= !screen_begin();
	watch();
	screen_end();
	say_to(NULL);
	if (ended != NULL)
		say("%s", ended);
	top_read_say();
	live_close(&live);
	free(session.name);
	free(session.state);
	top_sums_free(&shown);
	free(ended);
	free(found);
	if (dirs != NULL)
		which_free(dirs);
	return ctf_damaged() != 0;
}

const struct command cmd_top = {
	.name = "top", .page = "utctl-view",
	.line = "show what a session records now, again and again",
	.usage = "[-bdj] [-D begin,end[,field]] ... "
	    "[-g event | program | thread | pair] [-i interval] [-n count] "
	    "[-r bytes] [dir | session]",
	.options = {
	    "-b\tlines, for scripts and logs, instead of a screen",
	    "-d\thow long pairs of events took: x_begin and x_end",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    "-g name\tby event (the default), program, thread or pair",
	    "-i interval\tthe time between two screens (default: 1s)",
	    "-j\tJSON, an object in each line",
	    "-n count\tend after so many intervals",
	    "-r bytes\tread so many for a second, 0: all (default: 2M)"
	},
	.letter = 'g', .value = top_table,
	.run = top_main
};
