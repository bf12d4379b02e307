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
 * What there is: sessions, and the events of programs, as text or as JSON.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "level.h"
#include "match.h"
#include "utctl.h"

/* What rows have which rows under them: an array each, even if empty. */
struct kin {
	const char	*parent;
	const char	*child;
};

static const struct kin sessions[] = {
	{ "", "session" },
	{ "session", "channel" },
	{ "session", "tracked" },
	{ "session", "trigger" },
	{ "session", "program" },
	{ "session", "warning" },
	{ "channel", "context" },
	{ "channel", "rule" },
	{ "rule", "exclusion" },
	{ "channel", "registry" },
	{ "registry", "event" },
	{ NULL, NULL }
};

static const struct kin statuses[] = {
	{ "", "session" },
	{ NULL, NULL }
};

static const struct kin programs[] = {
	{ "", "program" },
	{ "program", "event" },
	{ "event", "field" },
	{ NULL, NULL }
};

static int verbose;		/* all of ut:log is wanted */

static void	json_object(const struct row *, const struct kin *);

/* The name of an array of such rows: "registries", "rules", "tracked". */
static char *
plural(const char *what)
{
	size_t n = strlen(what);
	char end = n > 1 ? what[n - 1] : '\0';

	if (end == 'd' && what[n - 2] == 'e')
		return format("%s", what);
	return format("%.*s%s", (int)n - (end == 'y'), what,
	    end == 'y' ? "ies" : "s");
}

/* The rows of one kind, from that one on. */
static void
json_array(const struct row *r, const char *what, const struct kin *kin)
{
	char *name = plural(what);
	int first = 1;

	put_json(name);
	free(name);
	fputs(":[", stdout);
	for (; r != NULL; r = r->next) {
		if (strcmp(r->what, what) != 0)
			continue;
		if (!first)
			putchar(',');
		first = 0;
		json_object(r, kin);
	}
	putchar(']');
}

static int
kin_knows(const struct kin *k, const char *parent, const char *child)
{
	for (; k->parent != NULL; k++)
		if (strcmp(k->parent, parent) == 0 &&
		    strcmp(k->child, child) == 0)
			return 1;
	return 0;
}

/* Is it the first of its kind? */
static int
row_leads(const struct row *r, const struct row *list)
{
	while (strcmp(list->what, r->what) != 0)
		list = list->next;
	return list == r;
}

static void
json_object(const struct row *r, const struct kin *kin)
{
	const struct kin *k;
	const struct row *c;
	const char *comma = "";
	size_t i;

	putchar('{');
	for (i = 0; i < r->n; i++, comma = ",") {
		fputs(comma, stdout);
		put_json(r->m[i].key);
		putchar(':');
		if (r->m[i].str != NULL)
			put_json(r->m[i].str);
		else
			printf("%" PRIu64, r->m[i].num);
	}
	for (k = kin; k->parent != NULL; k++) {
		if (strcmp(k->parent, r->what) != 0)
			continue;
		fputs(comma, stdout);
		comma = ",";
		json_array(r->child, k->child, kin);
	}
	for (c = r->child; c != NULL; c = c->next) {
		if (kin_knows(kin, r->what, c->what) ||
		    !row_leads(c, r->child))
			continue;
		fputs(comma, stdout);
		comma = ",";
		json_array(c, c->what, kin);
	}
	putchar('}');
}

static uint64_t
rows_count(const struct row *r, const char *what)
{
	uint64_t n = 0;

	for (; r != NULL; r = r->next)
		n += strcmp(r->what, what) == 0;
	return n;
}

/* `, 3 things', or nothing if there are none. */
static void
print_some(uint64_t n, const char *what)
{
	if (n > 0)
		printf(", %" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

static void
print_counts(const struct row *r)
{
	printf("%" PRIu64 " events, %" PRIu64 " lost", row_num(r, "written"),
	    row_num(r, "lost"));
	if (row_num(r, "overwritten") > 0)
		printf(", %" PRIu64 " overwritten", row_num(r, "overwritten"));
	printf(", %" PRIu64 " bytes", row_num(r, "bytes"));
}

static void
print_level(const struct row *r)
{
	const char *name = level_name(row_num(r, "level"));

	if (name != NULL)
		fputs(name, stdout);
	else
		printf("level %" PRIu64, row_num(r, "level"));
}

/* As utd sees it, if it does, and as the program sees itself. */
static void
print_pid(const struct row *r)
{
	uint64_t pid = row_num(r, "pid"), vpid = row_num(r, "vpid");

	if (pid == 0)
		printf("pid %" PRIu64 " in its namespace", vpid);
	else if (vpid != 0 && vpid != pid)
		printf("pid %" PRIu64 " (%" PRIu64 " in its namespace)", pid,
		    vpid);
	else
		printf("pid %" PRIu64, pid);
}

static void
print_program(const struct row *r)
{
	printf("%s (", row_str(r, "name"));
	print_pid(r);
	printf(", uid %" PRIu64 ", %" PRIu64 "-bit)\n", row_num(r, "uid"),
	    row_num(r, "bits"));
}

static void
print_registered(const struct row *e)
{
	printf("            %s (id %" PRIu64 ", ", row_str(e, "name"),
	    row_num(e, "id"));
	print_level(e);
	printf(")\n");
}

/*
 * The events of a row: ut:log comes last, and as one though it is an event at
 * each of 15 levels, if not all is to be shown.
 */
static void
print_events(const struct row *r, int indent, void (*print)(const struct row *))
{
	const struct row *e;
	uint64_t n = 0;

	for (e = r->child; e != NULL; e = e->next) {
		if (strcmp(e->what, "event") != 0)
			continue;
		if (strcmp(row_str(e, "name"), "ut:log") == 0)
			n++;
		else
			print(e);
	}
	if (n > 1 && !verbose) {
		printf("%*sut:log (%" PRIu64 " levels)\n", indent, "", n);
		return;
	}
	for (e = r->child; n > 0 && e != NULL; e = e->next)
		if (strcmp(e->what, "event") == 0 &&
		    strcmp(row_str(e, "name"), "ut:log") == 0)
			print(e);
}

/* How often programs have waited for space, if they have. */
static void
print_waits(const struct row *r, int indent)
{
	const uint64_t n = row_num(r, "waits");

	if (n > 0)
		printf("%*swaited %" PRIu64 " time%s, %.3f ms in all, "
		    "%.3f ms at most\n", indent, "", n, n == 1 ? "" : "s",
		    (double)row_num(r, "waited_us") / 1000,
		    (double)row_num(r, "longest_us") / 1000);
}

static void
print_registry(const struct row *r, uint64_t subbufs)
{
	fputs("        ", stdout);
	if (row_num(r, "pid") != 0)
		printf("%s (pid %" PRIu64 "), ", row_str(r, "name"),
		    row_num(r, "pid"));
	printf("uid %" PRIu64 ", %" PRIu64 "-bit: ", row_num(r, "uid"),
	    row_num(r, "bits"));
	print_counts(r);
	print_some(row_num(r, "packets"), "packet");
	printf("; %" PRIu64 " of %" PRIu64 " sub-buffers in use\n",
	    row_num(r, "used"), subbufs);
	print_waits(r, 12);
	print_events(r, 12, print_registered);
}

static void
print_rule(const struct row *r)
{
	const struct row *c;
	const char *comma = "; not ";

	printf("        enabled: %s (level %s", row_str(r, "glob"),
	    row_str(r, "level"));
	for (c = r->child; c != NULL; c = c->next) {
		if (strcmp(c->what, "exclusion") != 0)
			continue;
		printf("%s%s", comma, row_str(c, "glob"));
		comma = ", ";
	}
	if (row_str(r, "filter")[0] != '\0')
		printf("; if %s", row_str(r, "filter"));
	printf(")\n");
}

/* Files that are cut. */
static void
print_files(uint64_t size, uint64_t n)
{
	const char *unit = size % 1048576 == 0 ? "m" : size % 1024 == 0 ? "k" :
	    "";

	printf(", files of %" PRIu64 "%s", size / (*unit == 'm' ? 1048576 :
	    *unit == 'k' ? 1024 : 1), unit);
	if (n != 0)
		printf(", the last %" PRIu64 " of a stream", n);
}

/* How long writers wait. */
static void
print_timeout(const struct row *r)
{
	const char *name = attr_table[ATTR_TIMEOUT].name;
	const uint64_t ms = row_num(r, name);
	char *text;

	if (row_str(r, name)[0] != '\0') {
		printf(" %s", row_str(r, name));
		return;
	}
	text = time_text(ms);
	printf(" for %s", text);
	free(text);
}

/* An interval that is not the default. */
static void
print_interval(const struct row *r)
{
	const struct attr *a = &attr_table[ATTR_FLUSH];
	const uint64_t ms = row_num(r, a->name);
	char *text;

	if (ms == a->usual)
		return;
	if (ms == 0) {
		printf(", flushed when full");
		return;
	}
	text = time_text(ms);
	printf(", flushed each %s", text);
	free(text);
}

static void
print_contexts(const struct row *r)
{
	const struct row *c;
	const char *before = "        contexts: ";

	for (c = r->child; c != NULL; c = c->next) {
		if (strcmp(c->what, "context") != 0)
			continue;
		printf("%s%s", before, row_str(c, "name"));
		before = ", ";
	}
	if (rows_count(r->child, "context") > 0)
		putchar('\n');
}

static void
print_channel(const struct row *r, int all)
{
	const struct row *c;
	const struct attr *a;
	const char *unit = "", *note = "";
	uint64_t size = row_num(r, "subbuf_size");

	if (strcmp(row_str(r, "state"), "disabled") == 0)
		note = ", disabled";
	else if (strcmp(row_str(r, "state"), "removed") == 0)
		note = ", removed";

	if (size % 1024 == 0) {
		size /= 1024;
		unit = "k";
	}
	printf("    channel %s: %s", row_str(r, "name"), row_str(r, "mode"));
	if (strcmp(row_str(r, "mode"), "block") == 0)
		print_timeout(r);
	printf(", %" PRIu64 " sub-buffers of %" PRIu64 "%s",
	    row_num(r, "subbufs"), size, unit);
	if (row_num(r, "file_size") != 0)
		print_files(row_num(r, "file_size"), row_num(r, "files"));
	for (a = attr_table; a < attr_table + ATTRS; a++)
		if (a->text != NULL &&
		    strcmp(row_str(r, a->name), a->words[0]) != 0)
			fputs(a->text, stdout);
	print_interval(r);
	puts(note);
	print_waits(r, 8);
	print_contexts(r);
	for (c = r->child; c != NULL; c = c->next)
		if (strcmp(c->what, "rule") == 0)
			print_rule(c);
	for (c = r->child; all && c != NULL; c = c->next)
		if (strcmp(c->what, "registry") == 0)
			print_registry(c, row_num(r, "subbufs"));
}

/* A number is that of a process or a user. */
static void
print_tracked(const struct row *r)
{
	printf("    tracked: %s ", row_str(r, "kind"));
	if (strcmp(row_str(r, "kind"), "name") == 0)
		puts(row_str(r, "value"));
	else
		printf("%" PRIu64 "\n", row_num(r, "value"));
}

static void
print_head(const struct row *r, int all)
{
	printf("session ");
	if (row_num(r, "uid") != geteuid())
		printf("%" PRIu64 "/", row_num(r, "uid"));
	printf("%s (%s): %s\n    ", row_str(r, "name"), row_str(r, "state"),
	    row_str(r, "dir")[0] != '\0' ? row_str(r, "dir") :
	    row_num(r, "keeps") ? "(no directory)" : "(no output)");
	print_counts(r);
	print_some(rows_count(r->child, "program"), "program");
	print_some(rows_count(r->child, "warning"), "warning");
	if (all)
		printf(", uid %" PRIu64, row_num(r, "uid"));
	putchar('\n');
	if (row_str(r, "error")[0] != '\0')
		printf("    error: %s\n", row_str(r, "error"));
}

static void
print_snapshots(const struct row *r)
{
	const uint64_t n = row_num(r, "snapshots");

	if (row_num(r, "keeps") == 0 && n == 0)
		return;
	printf("    %s%" PRIu64 " snapshot%s\n", row_num(r, "keeps") ?
	    "keeps what it records, " : "", n, n == 1 ? "" : "s");
}

/* When it is rotated, and what is run then. */
static void
print_rotation(const struct row *r)
{
	const uint64_t ms = row_num(r, "rotate_ms");
	const uint64_t bytes = row_num(r, "rotate_bytes");
	const uint64_t n = row_num(r, "chunks");

	if (n == 0 && ms == 0 && bytes == 0 &&
	    row_str(r, "rotate_command")[0] == '\0')
		return;
	printf("    rotated: %" PRIu64 " chunk%s", n, n == 1 ? "" : "s");
	if (ms != 0)
		printf(ms % 1000 == 0 ? ", every %" PRIu64 " s" :
		    ", every %" PRIu64 " ms", ms % 1000 == 0 ? ms / 1000 : ms);
	if (bytes != 0)
		printf(", at %" PRIu64 " bytes", bytes);
	if (row_str(r, "rotate_command")[0] != '\0')
		printf(", for each: %s", row_str(r, "rotate_command"));
	putchar('\n');
}

static void
print_trigger(const struct row *r)
{
	const uint64_t n = row_num(r, "count"), acted = row_num(r, "acted");
	const uint64_t matches = row_num(r, "matches");

	printf("    trigger %" PRIu64 ": ", row_num(r, "number"));
	if (n == 0)
		printf("first %s", row_str(r, "glob"));
	else
		printf("each %" PRIu64 " %s", n, row_str(r, "glob"));
	if (row_str(r, "filter")[0] != '\0')
		printf(" (if %s)", row_str(r, "filter"));
	printf(": %s", row_str(r, "action"));
	if (row_str(r, "command")[0] != '\0')
		printf(" %s", row_str(r, "command"));
	printf("; %s, %" PRIu64 " match%s, acted %" PRIu64 " time%s\n",
	    row_str(r, "state"), matches, matches == 1 ? "" : "es", acted,
	    acted == 1 ? "" : "s");
}

static void
print_session(const struct row *r, int all)
{
	const struct row *c;

	print_head(r, all);
	print_snapshots(r);
	print_rotation(r);
	for (c = r->child; c != NULL; c = c->next)
		if (strcmp(c->what, "tracked") == 0)
			print_tracked(c);
	for (c = r->child; c != NULL; c = c->next)
		if (strcmp(c->what, "trigger") == 0)
			print_trigger(c);
	for (c = r->child; c != NULL; c = c->next)
		if (strcmp(c->what, "channel") == 0)
			print_channel(c, all);
	for (c = r->child; all && c != NULL; c = c->next) {
		if (strcmp(c->what, "program") == 0) {
			printf("    program ");
			print_program(c);
		} else if (strcmp(c->what, "warning") == 0)
			printf("    warning: %s\n", row_str(c, "text"));
	}
}

static void
print_sessions(const struct row *r, int all)
{
	if (rows_count(r, "session") == 0)
		printf("no sessions\n");
	for (; r != NULL; r = r->next)
		if (strcmp(r->what, "session") == 0)
			print_session(r, all);
}

static void
print_event(const struct row *r)
{
	const struct row *c;

	printf("    %s (", row_str(r, "name"));
	print_level(r);
	printf(")\n");
	for (c = r->child; c != NULL; c = c->next)
		if (strcmp(c->what, "field") == 0)
			printf("        %s: %s\n", row_str(c, "name"),
			    row_str(c, "type"));
}

static void
print_programs(const struct row *r, const char *dir)
{
	if (rows_count(r, "program") == 0)
		printf("no programs know of the utd in %s\n", dir);
	for (; r != NULL; r = r->next) {
		if (strcmp(r->what, "program") != 0)
			continue;
		print_program(r);
		print_events(r, 4, print_event);
	}
}

/* By one of the patterns; none is all. */
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

/* Only the programs with such events, and these events; 0: there is none. */
static int
keep_matching(struct row *rows, char **globs)
{
	struct row **rp = &rows->child, **ep, *gone;

	while (*rp != NULL) {
		for (ep = &(*rp)->child; *ep != NULL;) {
			if (matches(row_str(*ep, "name"), globs)) {
				ep = &(*ep)->next;
				continue;
			}
			gone = *ep;
			*ep = gone->next;
			gone->next = NULL;
			row_free(gone);
		}
		if ((*rp)->child != NULL || globs[0] == NULL) {
			rp = &(*rp)->next;
			continue;
		}
		gone = *rp;
		*rp = gone->next;
		gone->next = NULL;
		row_free(gone);
	}
	return rows->child != NULL;
}

/* Ask for rows, and print them. */
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
	if (json) {
		json_object(rows, name == NULL ? programs : sessions);
		putchar('\n');
	} else {
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
parse_options(int argc, char **argv, int max, const char *known)
{
	int ch, json = 0;

	while ((ch = option(argc, argv, known)) != -1) {
		switch (ch) {
		case 'j':
			json = 1;
			break;
		case 'v':
			verbose = 1;
			break;
		default:
			return -1;
		}
	}
	return argc - optind > max ? -1 : json;
}

int
cmd_list(int argc, char **argv)
{
	const char *name = "";
	int json;

	if ((json = parse_options(argc, argv, 1, "+jv")) == -1)
		return usage();
	if (argc > optind)
		check_session(name = argv[optind]);
	return show(UT_CTL_LIST, name, json, argv + argc);
}

int
cmd_events(int argc, char **argv)
{
	int i, json;

	if ((json = parse_options(argc, argv, argc, "+jv")) == -1)
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
	if (rows_count(r, "session") == 0)
		printf("no sessions\n");
	for (; r != NULL; r = r->next) {
		if (strcmp(r->what, "session") != 0)
			continue;
		fputs(row_num(r, "current") != 0 ? "* " : "  ", stdout);
		print_head(r, 0);
	}
}

/* Sessions without what is in them, behind what utd is. */
static void
json_status(const struct row *utd, struct row *rows, const char *dir)
{
	struct row *r;

	printf("{\"pid\":%" PRIu64 ",\"uid\":%" PRIu64 ",\"rundir\":",
	    row_num(utd, "pid"), row_num(utd, "uid"));
	put_json(dir);
	printf(",\"programs\":%" PRIu64 ",", row_num(utd, "programs"));
	for (r = rows->child; r != NULL; r = r->next) {
		row_free(r->child);
		r->child = NULL;
	}
	json_array(rows->child, "session", statuses);
	puts("}");
}

/* The row that utd sends about itself, or an empty one. */
static const struct row *
row_utd(const struct row *rows)
{
	const struct row *r = rows->child;

	while (r != NULL && strcmp(r->what, "utd") != 0)
		r = r->next;
	return r == NULL ? rows : r;
}

int
cmd_status(int argc, char **argv)
{
	struct row *utd = NULL, *rows = NULL;
	struct client *c;
	char *dir;
	int json, r;

	if ((json = parse_options(argc, argv, 0, "+j")) == -1)
		return usage();
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	r = client_ask(c, UT_CTL_STATUS, NULL, &utd);
	if (r == 0)
		r = client_ask(c, UT_CTL_LIST, "", &rows);
	dir = json ? format("%s", client_dir(c)) : clean(client_dir(c));
	client_close(c);
	if (r == 0 && json) {
		json_status(row_utd(utd), rows, dir);
	} else if (r == 0) {
		rows_clean(rows);
		print_status(row_utd(utd), rows->child, dir);
	}
	row_free(utd);
	row_free(rows);
	free(dir);
	return r == 0 ? 0 : 1;
}
