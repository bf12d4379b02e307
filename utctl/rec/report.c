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
 * The last messages of utctl record.
 */

#include <sys/types.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"
#include "record.h"

/* Say what keeps programs from coming, seen from here. */
static void
say_hints(void)
{
	const char *disable = getenv("UT_DISABLE");

	if (disable != NULL && *disable != '\0' && strcmp(disable, "0") != 0)
		say("UT_DISABLE is set: ut(3) does nothing in the programs");
}

/* The programs have the events of -w, and reached none of them. */
static void
say_no_functions(const struct record *r)
{
	if (wrapper_in(r->preload, "func"))
		say("-w func records functions that were compiled with "
		    "-finstrument-functions: are there any?");
}

/* The event exists only where it has something to tell. */
static void
say_unseen(const struct record *r, const struct row *session)
{
	if (wrapper_in(r->preload, "malloc") &&
	    had_event(session, "libc:unseen"))
		say("a program or a library calls an allocator that -w malloc "
		    "does not see: utctl heap names it");
}

/* The event exists only where something was not sampled. */
static void
say_unsampled(const struct record *r, const struct row *session)
{
	if (wrapper_in(r->preload, "cpu") &&
	    had_event(session, "cpu:unsampled"))
		say("a program, or a thread, was not sampled all the time: "
		    "utctl view -e cpu:unsampled %s says which, and why",
		    row_str(session, "dir"));
}

/* The events exist only where functions were chosen, or had no names. */
static void
say_chosen(const struct record *r, const struct row *session)
{
	if (r->chosen == NULL)
		return;
	if (had_event(session, "func:unnamed"))
		say("functions of some modules have no names for -c: utctl "
		    "view -e func:unnamed %s says which modules, and why",
		    row_str(session, "dir"));
	if (!had_event(session, "func:chosen"))
		say("-c: no function is called %s", r->chosen);
	else if (r->nchosen > 1)
		say("utctl stat -e func:chosen -g glob %s says which of -c "
		    "have a function", row_str(session, "dir"));
}

/* A program may have another name than when utd came to know it. */
static void
say_left(const char *name, uint64_t pid, int others)
{
	char *now = process_name((pid_t)pid);

	say("%s (%" PRIu64 ")%s still run%s, unrecorded from now on: for "
	    "programs that outlive a command there are sessions",
	    now != NULL ? now : name, pid, others ? " and others" : "",
	    others ? "" : "s");
	free(now);
}

/* utd does not know of them where they have no threads: see -w. */
static void
report_unlisted(const struct record *r)
{
	const pid_t pid = process_with("UT_RUNDIR", r->rundir,
	    strrchr(r->preload, '/'));

	if (pid != 0)
		say_left("a program", (uint64_t)pid, 0);
}

/*
 * Say which programs run in the background: utctl does not wait for them.  A
 * process is two programs to utd if it has two libuts.
 */
static void
report_left(const struct record *r, const struct row *session)
{
	const struct row *a, *first = NULL;
	int others = 0;

	for (a = session->child; a != NULL; a = a->next) {
		if (strcmp(a->what, "program") != 0 ||
		    ut_dead((pid_t)row_num(a, "pid")))
			continue;
		if (first == NULL)
			first = a;
		others |= row_num(a, "pid") != row_num(first, "pid");
	}
	if (first != NULL)
		say_left(row_str(first, "name"), row_num(first, "pid"), others);
	else if (r->preload != NULL)
		report_unlisted(r);
}

/* The exit status alone does not tell a signal from a status above 128. */
static void
say_killed(const struct record *r)
{
	if (r->killed != 0 && r->killed != r->sig)
		say("%s was ended by signal %d (%s)", r->argv[0], r->killed,
		    strsignal(r->killed));
}

/*
 * The command has options behind it that look like those of record: a trace
 * that is not there, a wrapper, an event.
 */
static void
say_misplaced(const struct record *r, int recorded)
{
	const char *option, *value;
	char **arg;

	if (r->argv == NULL || strcmp(r->argv[-1], "--") == 0)
		return;
	for (arg = r->argv + 1; arg[0] != NULL && arg[1] != NULL; arg++) {
		option = arg[0];
		value = arg[1];
		if ((strcmp(option, "-o") == 0 && r->out.given == NULL &&
		    access(value, F_OK) == -1) ||
		    (strcmp(option, "-w") == 0 && wrapper_is(value)) ||
		    (!recorded && strcmp(option, "-e") == 0 &&
		    strchr(value, ':') != NULL))
			say("%s %s was given to %s: options of record come "
			    "before the command", option, value, r->argv[0]);
	}
}

/* Say how much was recorded, and where it is. */
static void
say_total(const struct record *r, const struct row *s, uint64_t modules)
{
	char over[48] = "", more[64] = "";

	if (row_num(s, "overwritten") > 0)
		snprintf(over, sizeof(over), ", %" PRIu64 " overwritten",
		    row_num(s, "overwritten"));
	if (modules > 0)
		snprintf(more, sizeof(more), "; and %" PRIu64 " event%s about "
		    "modules", modules, many(modules));
	if (r->shot != NULL)
		say("%s", r->shot);
	else if (r->keeps)
		say("%" PRIu64 " events, %" PRIu64 " lost%s, not written%s",
		    row_num(s, "written"), row_num(s, "lost"), over,
		    r->failed ? "" : ": the command did not fail");
	else
		say("%" PRIu64 " events, %" PRIu64 " lost%s, %" PRIu64
		    " bytes in %s%s%s", row_num(s, "written"),
		    row_num(s, "lost"), over, row_num(s, "bytes"),
		    row_str(s, "dir"), row_num(s, "astray") == 0 ? "" :
		    ": not there any more: moved or removed", more);
}

/* Say what was recorded; -1 if it is not all. */
int
report(const struct record *r, struct row *rows)
{
	struct row *s;
	const char *error;
	uint64_t modules, lost;
	int recorded;

	if ((s = rows->child) == NULL) {
		say("utd has lost the session");
		return -1;
	}
	modules = modules_hide(r, s, &lost);
	if (lost > 0)
		say("warning: %" PRIu64 " event%s of modules lost: some "
		    "addresses will have no names", lost, many(lost));
	error = row_str(s, "error");
	recorded = row_num(s, "written") > 0 || row_num(s, "lost") > 0 ||
	    row_num(s, "overwritten") > 0;
	say_killed(r);
	say_misplaced(r, recorded);
	warnings_say(s);
	if (*error != '\0')
		say("%s", error);
	say_total(r, s, modules);
	remedies_say(s);
	why_empty(s, recorded, r->argv != NULL && r->preload == NULL ?
	    "; -w malloc records the calls of any program" : "");
	if (!recorded && row_num(s, "came") == 0 && r->argv != NULL)
		say_hints();
	else if (!recorded)
		say_no_functions(r);
	say_unseen(r, s);
	say_unsampled(r, s);
	say_chosen(r, s);
	/* The command's children, or its libraries, may have been recorded. */
	if (r->preload != NULL)
		loader_say(r->argv[0]);
	/* With -p, or once the time of -T is over, programs may go on. */
	if (r->argv != NULL && (r->limit == -1 || r->until != -1))
		report_left(r, s);
	return *error == '\0' && row_num(s, "missed") == 0 ? 0 : -1;
}
