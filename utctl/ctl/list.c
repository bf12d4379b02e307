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
 * The commands list, events and status: what there is, as text or as JSON.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/event_name.h"
#include "list.h"

static void
print_field(const struct row *r)
{
	printf("        %s: %s\n", row_str(r, "name"), row_str(r, "type"));
}

static void
print_event(const struct row *r)
{
	printf("    %s (", row_str(r, "name"));
	print_level(r);
	printf(")\n");
	print_each(r->child, "field", print_field);
}

static void
print_programs(const struct row *r, const char *dir)
{
	if (row_first(r, "program") == NULL)
		printf("no programs know of the utd in %s\n", dir);
	for (; (r = row_first(r, "program")) != NULL; r = r->next) {
		print_program(r);
		print_events(r, 4, print_event);
	}
}

/* Does one of the patterns match?  No pattern matches all. */
static int
matches(const char *name, char **globs)
{
	if (globs[0] == NULL)
		return event_matches("*", name);
	for (; *globs != NULL; globs++)
		if (event_matches(*globs, name))
			return 1;
	return 0;
}

static void
row_remove(struct row **rp)
{
	struct row *gone = *rp;

	*rp = gone->next;
	gone->next = NULL;
	row_free(gone);
}

/* Only the programs with such events, and these events; 0: there is none. */
static int
keep_matching(struct row *rows, char **globs)
{
	struct row **rp = &rows->child, **ep;

	while (*rp != NULL) {
		for (ep = &(*rp)->child; *ep != NULL;) {
			if (matches(row_str(*ep, "name"), globs)) {
				ep = &(*ep)->next;
				continue;
			}
			row_remove(ep);
		}
		if ((*rp)->child != NULL || globs[0] == NULL) {
			rp = &(*rp)->next;
			continue;
		}
		row_remove(rp);
	}
	return rows->child != NULL;
}

static int
show(int type, const char *name, int json, char **globs)
{
	struct client *c;
	struct row *rows;
	char *dir;
	int r;

	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	r = client_ask(c, type, name, &rows);
	if (r == 0 && client_text(c)[0] != '\0')
		say("%s", client_text(c));
	dir = clean(client_dir(c));
	client_close(c);
	if (r == 0 && name == NULL && !keep_matching(rows, globs) &&
	    globs[0] != NULL) {
		say("no program that runs has an event %s%s", globs[0],
		    globs[1] != NULL ? ", nor any of the others" : "");
		row_free(rows);
		r = -1;
	}
	if (r == -1) {
		free(dir);
		return 1;
	}
	if (json)
		list_json(rows, name == NULL);
	else {
		rows_clean(rows);
		if (name == NULL)
			print_programs(rows->child, dir);
		else
			print_sessions(rows->child, name[0] != '\0');
	}
	row_free(rows);
	free(dir);
	return 0;
}

/* Is JSON wanted?  -1: that is no way to call it. */
static int
parse_options(int argc, char **argv, int max)
{
	int ch, json = 0;

	while ((ch = option(argc, argv)) != -1) {
		switch (ch) {
		case 'j':
			json = 1;
			break;
		case 'v':
			list_verbose = 1;
			break;
		default:
			return -1;
		}
	}
	return argc - optind > max ? -1 : json;
}

static int
list_main(int argc, char **argv)
{
	const char *name = "";
	int json;

	if ((json = parse_options(argc, argv, 1)) == -1)
		return usage();
	if (argc > optind)
		check_session(name = argv[optind]);
	return show(UT_CTL_LIST, name, json, argv + argc);
}

static int
events_main(int argc, char **argv)
{
	int i, json;

	if ((json = parse_options(argc, argv, argc)) == -1)
		return usage();
	for (i = optind; i < argc; i++)
		check_glob(argv[i]);
	return show(UT_CTL_EVENTS, NULL, json, argv + optind);
}

static void
print_status(const struct row *utd, const struct row *r, const char *dir)
{
	const uint64_t n = row_num(utd, "programs");

	printf("utd: pid %" PRIu64 ", uid %" PRIu64 ", in %s\n%" PRIu64
	    " program%s\n", row_num(utd, "pid"), row_num(utd, "uid"), dir, n,
	    n == 1 ? "" : "s");
	if (row_first(r, "session") == NULL)
		printf("no sessions\n");
	for (; (r = row_first(r, "session")) != NULL; r = r->next) {
		fputs(row_num(r, "current") != 0 ? "* " : "  ", stdout);
		print_head(r, 0);
	}
}

/* The row that utd sends about itself, or an empty one. */
static const struct row *
row_utd(const struct row *rows)
{
	const struct row *r = row_first(rows->child, "utd");

	return r == NULL ? rows : r;
}

static int
status_main(int argc, char **argv)
{
	struct row *utd = NULL, *rows = NULL;
	struct client *c;
	char *dir;
	int json, r;

	if ((json = parse_options(argc, argv, 0)) == -1)
		return usage();
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	r = client_ask(c, UT_CTL_STATUS, NULL, &utd);
	if (r == 0)
		r = client_ask(c, UT_CTL_LIST, "", &rows);
	dir = json ? format("%s", client_dir(c)) : clean(client_dir(c));
	client_close(c);
	if (r == 0 && json) {
		status_json(row_utd(utd), rows, dir);
	} else if (r == 0) {
		rows_clean(rows);
		print_status(row_utd(utd), rows->child, dir);
	}
	row_free(utd);
	row_free(rows);
	free(dir);
	return r == 0 ? 0 : 1;
}

#define VERBOSE_HELP	"-j\tJSON", "-v\tut:log at each of its levels"

const struct command cmd_list = {
	.name = "list", .page = "utctl-session",
	.line = "show sessions: channels, rules, numbers, warnings",
	.usage = "[-jv] [session]", .options = { VERBOSE_HELP },
	.run = list_main
};

const struct command cmd_events = {
	.name = "events", .page = "utctl-session",
	.line = "show the programs that run, and their events",
	.usage = "[-jv] [glob ...]", .options = { VERBOSE_HELP },
	.run = events_main
};

const struct command cmd_status = {
	.name = "status", .page = "utctl-session",
	.line = "show utd, and the sessions in short",
	.usage = "[-j]", .options = { "-j\tJSON" },
	.run = status_main
};
