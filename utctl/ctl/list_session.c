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
 * Sessions, and what they have, as text.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/event_name.h"
#include "list.h"

int list_verbose;

static uint64_t
rows_count(const struct row *r, const char *what)
{
	uint64_t n = 0;

	for (; (r = row_first(r, what)) != NULL; r = r->next)
		n++;
	return n;
}

void
print_each(const struct row *r, const char *what,
    void (*print)(const struct row *))
{
	for (; (r = row_first(r, what)) != NULL; r = r->next)
		print(r);
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

void
print_level(const struct row *r)
{
	const char *name = level_name(row_num(r, "level"));

	if (name != NULL)
		fputs(name, stdout);
	else
		printf("level %" PRIu64, row_num(r, "level"));
}

/* Print the ID that utd sees, if it sees one, and the one the program sees. */
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

void
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
void
print_events(const struct row *r, int indent,
    void (*print)(const struct row *))
{
	const struct row *e;
	uint64_t n = 0;

	for (e = r->child; (e = row_first(e, "event")) != NULL; e = e->next) {
		if (strcmp(row_str(e, "name"), "ut:log") == 0)
			n++;
		else
			print(e);
	}
	if (n > 1 && !list_verbose) {
		printf("%*sut:log (%" PRIu64 " levels)\n", indent, "", n);
		return;
	}
	for (e = r->child; (e = row_first(e, "event")) != NULL; e = e->next)
		if (strcmp(row_str(e, "name"), "ut:log") == 0)
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

/* Print the counts; if chunks, files of archived chunks are not among them. */
static void
print_registry(const struct row *r, uint64_t subbufs, int chunks)
{
	fputs("        ", stdout);
	if (row_num(r, "pid") != 0)
		printf("%s (pid %" PRIu64 "), ", row_str(r, "name"),
		    row_num(r, "pid"));
	printf("uid %" PRIu64 ", %" PRIu64 "-bit: ", row_num(r, "uid"),
	    row_num(r, "bits"));
	print_counts(r);
	print_some(row_num(r, "packets"), "packet");
	if (chunks)
		fputs(" (bytes and packets of the current chunk)", stdout);
	printf("; %" PRIu64 " of %" PRIu64 " sub-buffers in use\n",
	    row_num(r, "used"), subbufs);
	print_waits(r, 12);
	print_events(r, 12, print_registered);
}

static void
print_timeout(const struct row *r)
{
	const struct attr *a = &attr_table[ATTR_TIMEOUT];

	if (row_str(r, a->name)[0] != '\0') {
		printf(" %s", row_str(r, a->name));
		return;
	}
	fputs(" for ", stdout);
	attr_print(stdout, a, (uint32_t)row_num(r, a->name));
}

/* An attribute that is not the default. */
static void
print_attr(const struct row *r, const struct attr *a)
{
	const uint32_t v = (uint32_t)row_num(r, a->name);
	const size_t n = strcspn(a->text, "%");

	if (a->words[0] != NULL ? strcmp(row_str(r, a->name),
	    a->words[0]) == 0 : v == a->usual)
		return;
	if (a->never != NULL && v == 0) {
		fputs(a->never, stdout);
		return;
	}
	printf("%.*s", (int)n, a->text);
	if (a->text[n] != '\0') {
		attr_print(stdout, a, v);
		fputs(a->text + n + 1, stdout);
	}
}

/* How far the times of the cycle counter were off, where that is known. */
static void
print_clock(const struct row *r)
{
	const uint64_t ns = row_num(r, "clock_error_ns");

	if (ns != 0)
		printf(" (off by %" PRIu64 " us at most)",
		    ns / 1000 + (ns % 1000 != 0));
}

static void
print_contexts(const struct row *r)
{
	const struct row *c;
	const char *before = "        contexts: ";

	for (c = r->child; (c = row_first(c, "context")) != NULL; c = c->next) {
		printf("%s%s", before, row_str(c, "name"));
		before = ", ";
	}
	if (row_first(r->child, "context") != NULL)
		putchar('\n');
}

static void
print_channel(const struct row *r, int all, int chunks)
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
	for (a = attr_table; a < attr_table + ATTRS; a++)
		if (a->text != NULL) {
			print_attr(r, a);
			if (a == &attr_table[ATTR_CLOCK])
				print_clock(r);
		}
	puts(note);
	print_waits(r, 8);
	print_contexts(r);
	print_each(r->child, "rule", rule_print);
	c = all ? r->child : NULL;
	for (; (c = row_first(c, "registry")) != NULL; c = c->next)
		print_registry(c, row_num(r, "subbufs"), chunks);
}

void
print_head(const struct row *r, int all)
{
	printf("session ");
	if (row_num(r, "uid") != geteuid())
		printf("%" PRIu64 "/", row_num(r, "uid"));
	printf("%s (%s): %s%s\n    ", row_str(r, "name"), row_str(r, "state"),
	    row_str(r, "dir")[0] != '\0' ? row_str(r, "dir") :
	    row_num(r, "keeps") ? "(no directory)" : "(no output)",
	    row_num(r, "astray") ? " (not there any more)" : "");
	print_counts(r);
	print_some(rows_count(r->child, "program"), "program");
	print_some(rows_count(r->child, "warning"), "warning");
	if (all)
		printf(", uid %" PRIu64, row_num(r, "uid"));
	putchar('\n');
	if (row_str(r, "error")[0] != '\0')
		printf("    error: %s\n", row_str(r, "error"));
	if (row_num(r, "max_bytes") != 0)
		printf("    files: at most %" PRIu64 " bytes; what is removed "
		    "still counts\n", row_num(r, "max_bytes"));
}

static void
print_snapshots(const struct row *r)
{
	const uint64_t n = row_num(r, "snapshots");

	if (row_num(r, "keeps") == 0 && n == 0 &&
	    row_num(r, "snapshots_keep") == 0)
		return;
	printf("    %s%" PRIu64 " snapshot%s", row_num(r, "keeps") ?
	    "keeps what it records, " : "", n, n == 1 ? "" : "s");
	if (row_num(r, "snapshots_keep") != 0)
		printf(", the newest %" PRIu64 " kept",
		    row_num(r, "snapshots_keep"));
	putchar('\n');
}

static void
print_session(const struct row *r, int all)
{
	const struct row *c;

	print_head(r, all);
	print_snapshots(r);
	rotation_print(r);
	print_each(r->child, "tracked", tracked_print);
	print_each(r->child, "trigger", trigger_print);
	for (c = r->child; (c = row_first(c, "channel")) != NULL; c = c->next)
		print_channel(c, all, row_num(r, "chunks") != 0);
	for (c = r->child; all && c != NULL; c = c->next) {
		if (strcmp(c->what, "program") == 0) {
			printf("    program ");
			print_program(c);
		} else if (strcmp(c->what, "warning") == 0)
			printf("    warning: %s\n", row_str(c, "text"));
	}
}

void
print_sessions(const struct row *r, int all)
{
	if (row_first(r, "session") == NULL)
		printf("no sessions\n");
	for (; (r = row_first(r, "session")) != NULL; r = r->next)
		print_session(r, all);
}
