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
 * What all commands read their arguments with.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utctl.h"

#define WIDTH	79		/* of usage */

const char *utctl_path;
const char *utctl_usage;
unsigned int utctl_attrs;

static const struct command *commands;
static int complained;		/* of an option */

void
commands_are(const struct command *table)
{
	commands = table;
}

/* Find the command, and let what follows be about it; NULL: there is none. */
const struct command *
command_select(const char *name)
{
	const struct command *c;

	for (c = commands; c->name != NULL; c++) {
		if (strcmp(c->name, name) == 0) {
			utctl_usage = c->usage;
			utctl_attrs = c->attrs;
			return c;
		}
	}
	return NULL;
}

void
usage_print(const char *head, const char *name, unsigned int attrs,
    const char *rest)
{
	const struct attr *a;
	int n, column, full;

	column = fprintf(stderr, "%s utctl %s", head, name);
	for (a = attr_table; a < attr_table + ATTRS; a++) {
		if ((a->commands & attrs) == 0)
			continue;
		n = (int)strlen(a->option) + 4;
		full = column + n > WIDTH;
		column = (full ? 7 : column) + n;
		fprintf(stderr, "%s[-%s]", full ? "\n\t" : " ", a->option);
	}
	fprintf(stderr, "%s%s\n", rest[0] == '\n' ? "" : " ", rest);
}

/* The same in one line. */
static void
usage_say(const char *name)
{
	char text[512] = "", *p;
	const struct attr *a;
	size_t n = 0;

	for (a = attr_table; a < attr_table + ATTRS; a++)
		if ((a->commands & utctl_attrs) != 0) {
			snprintf(text + n, sizeof(text) - n, "[-%s] ",
			    a->option);
			n = strlen(text);
		}
	snprintf(text + n, sizeof(text) - n, "%s", utctl_usage);
	while ((p = strstr(text, "\n\t")) != NULL) {
		p[0] = ' ';
		memmove(p + 1, p + 2, strlen(p + 2) + 1);
	}
	say("usage: %s %s", name, text);
}

int
usage(const char *name)
{
	if (say_placed()) {
		if (!complained)
			usage_say(name);
		return 1;
	}
	usage_print("usage:", name, utctl_attrs, utctl_usage);
	return 1;
}

/*
 * getopt(3), which knows the options of attributes, too, and says what is wrong
 * in the way that utctl does.
 */
int
option_first(int argc, char **argv, const char *known)
{
	const struct attr *a;
	const char *k;
	char all[64];
	size_t n = strlen(known);
	int ch;

	memcpy(all, known, n);
	for (a = attr_table; a < attr_table + ATTRS; a++) {
		if ((a->commands & utctl_attrs) == 0)
			continue;
		all[n++] = a->option[0];
		if (a->option[1] != '\0')
			all[n++] = ':';
	}
	all[n] = '\0';
	ch = getopt(argc, argv, all);
	if (ch != '?')
		return ch;
	complained = 1;
	k = optopt == ':' ? NULL : strchr(all, optopt);
	if (optopt == '-')
		say("%s: there are no long options", argv[0]);
	else if (k != NULL && k[1] == ':')
		say("%s: option -%c needs a value", argv[0], optopt);
	else
		say("%s: unknown option -%c", argv[0], optopt);
	return ch;
}

/*
 * The same where no other command follows: an option behind the first other
 * argument would be taken for something else, and is refused.
 */
int
option(int argc, char **argv, const char *known)
{
	static const char *arg;		/* of the last option */
	int ch, i;

	if ((ch = option_first(argc, argv, known)) != -1) {
		arg = optarg;
		return ch;
	}
	if (argv[optind - 1] != arg && strcmp(argv[optind - 1], "--") == 0)
		return -1;
	for (i = optind + 1; i < argc; i++)
		if (argv[i][0] == '-' && argv[i][1] != '\0')
			die("%s: %s comes after %s; options come first",
			    argv[0], argv[i], argv[optind]);
	return -1;
}
