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
 * The table of commands: which one runs, and how it is used.
 */

#include <stdio.h>
#include <string.h>

#include "common/event_name.h"
#include "utctl.h"

#define WIDTH	79		/* of usage */

static const struct command none = { "", NULL, NULL, 0, "" };
const struct command *utctl_command = &none;
static const struct command *commands;
static int complained;		/* of an option */

void
commands_are(const struct command *table)
{
	commands = table;
}

const struct command *
command_find(const char *name)
{
	const struct command *c;

	for (c = commands; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* Find the command, and let what follows be about it; NULL: there is none. */
const struct command *
command_select(const char *name)
{
	const struct command *c = command_find(name);

	if (c != NULL)
		utctl_command = c;
	return c;
}

/* The command that was perhaps meant; or NULL. */
static const char *
command_near(const char *name)
{
	const struct command *c, *near = NULL;
	unsigned int d, least = WORD_NEAR + 1;

	if (strlen(name) < 3)
		return NULL;
	for (c = commands; c->name != NULL; c++) {
		d = strncmp(c->name, name, strlen(name)) == 0 ? 0 :
		    word_distance(c->name, strlen(c->name), name,
		    strlen(name));
		if (d < least) {
			least = d;
			near = c;
		}
	}
	return near != NULL ? near->name : NULL;
}

/* There is none of that name. */
int
command_unknown(const char *name)
{
	const char *near = command_near(name);

	if (near != NULL)
		say("unknown command '%s': did you mean %s?  utctl help lists "
		    "all", name, near);
	else
		say("unknown command '%s': utctl help lists all", name);
	return 1;
}

void
usage_print(FILE *f, const char *head, const struct command *c)
{
	const struct attr *a;
	int n, column, full;

	column = fprintf(f, "%s utctl %s", head, c->name);
	for (a = attr_table; a < attr_table + ATTRS; a++) {
		if ((a->commands & c->attrs) == 0)
			continue;
		n = (int)strlen(a->option) + 4;
		full = column + n > WIDTH;
		column = (full ? 7 : column) + n;
		fprintf(f, "%s[-%s]", full ? "\n\t" : " ", a->option);
	}
	fprintf(f, "%s%s\n", c->usage[0] == '\n' || c->usage[0] == '\0' ? "" :
	    " ", c->usage);
}

/* The same in one line. */
static void
usage_say(const struct command *c)
{
	char text[512] = "", *p;
	const struct attr *a;
	size_t n = 0;

	for (a = attr_table; a < attr_table + ATTRS; a++)
		if ((a->commands & c->attrs) != 0) {
			snprintf(text + n, sizeof(text) - n, "[-%s] ",
			    a->option);
			n = strlen(text);
		}
	snprintf(text + n, sizeof(text) - n, "%s", c->usage);
	while ((p = strstr(text, "\n\t")) != NULL) {
		p[0] = ' ';
		memmove(p + 1, p + 2, strlen(p + 2) + 1);
	}
	say("usage: %s %s", c->name, text);
}

/* Whoever says what is wrong leaves the usage out of a line of load. */
void
usage_complained(void)
{
	complained = 1;
}

/* How the command that runs is used; returns 1. */
int
usage(void)
{
	if (!say_placed())
		usage_print(stderr, "usage:", utctl_command);
	else if (!complained)
		usage_say(utctl_command);
	return 1;
}

void
usage_all(FILE *f)
{
	const struct command *c;

	for (c = commands; c->name != NULL; c++)
		usage_print(f, c == commands ? "usage:" : "      ", c);
}
