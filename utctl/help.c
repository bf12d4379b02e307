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
 * utctl help, and usage: the commands, what they do, and their options.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/event_name.h"
#include "utctl.h"

#define COLUMN	18		/* where the text of an option begins */
#define WIDTH	79		/* columns of usage */

static const struct command none = { .name = "", .usage = "" };
const struct command *utctl_command = &none;
static const struct command *const *commands;
static int complained;		/* an option was refused */

/* Commands are listed in this order. */
static const char *const pages[] = {
	"utctl-record", "utctl-view", "utctl-stat", "utctl-report",
	"utctl-session", "utctl"
};

void
commands_are(const struct command *const *table)
{
	commands = table;
}

const struct command *
command_find(const char *name)
{
	const struct command *const *c;

	for (c = commands; *c != NULL; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

/* The commands that load takes: NULL, there are no more. */
const char *
command_loaded(size_t i)
{
	const struct command *const *c;

	for (c = commands; *c != NULL; c++)
		if ((*c)->loads && i-- == 0)
			return (*c)->name;
	return NULL;
}

/* The command that was perhaps meant; or NULL. */
static const char *
command_near(const char *name)
{
	const struct command *const *c;
	const char *near = NULL;
	unsigned int d, least = WORD_NEAR + 1;

	if (strlen(name) < 3)
		return NULL;
	for (c = commands; *c != NULL; c++) {
		d = strncmp((*c)->name, name, strlen(name)) == 0 ? 0 :
		    word_distance((*c)->name, strlen((*c)->name), name,
		    strlen(name));
		if (d < least) {
			least = d;
			near = (*c)->name;
		}
	}
	return near;
}

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

/* All arguments in one line, each behind a space. */
static void
usage_text(char *text, size_t size, const struct command *c)
{
	const struct attr *a;
	size_t n = 0;

	for (a = attr_table; a < attr_table + ATTRS; a++)
		if ((a->commands & c->attrs) != 0)
			n += (size_t)snprintf(text + n, size - n, " [-%s]",
			    a->option);
	snprintf(text + n, size - n, "%s%s", c->usage[0] == '\0' ? "" : " ",
	    c->usage);
}

/* The length of what stays in one line: a space, and what follows. */
static int
usage_part(const char *s)
{
	int n, depth = s[1] == '[';

	for (n = 2; s[n] != '\0' && (s[n] != ' ' || depth > 0 ||
	    s[n - 1] == '|' || s[n - 2] == '-' ||
	    strchr(".|", s[n + 1]) != NULL); n++)
		depth += (s[n] == '[') - (s[n] == ']');
	return n;
}

static void
usage_print(FILE *f, const char *head, const struct command *c)
{
	char text[1024];
	const char *s;
	int n, column, full;

	usage_text(text, sizeof(text), c);
	column = fprintf(f, "%s utctl %s", head, c->name);
	for (s = text; *s != '\0'; s += n) {
		n = usage_part(s);
		full = column + n > WIDTH;
		column = (full ? 7 : column) + n;
		fprintf(f, "%s%.*s", full ? "\n\t" : " ", n - 1, s + 1);
	}
	putc('\n', f);
}

/* Whoever says what is wrong leaves the usage out of a line of load. */
void
usage_complained(void)
{
	complained = 1;
}

/* Say what the arguments lack, and how the command is used; returns 1. */
int
usage_lacks(const char *what)
{
	if (!say_placed())
		say("%s: %s", utctl_command->name, what);
	return usage();
}

/* Say how the command that runs is used; returns 1. */
int
usage(void)
{
	char text[1024];

	if (!say_placed()) {
		usage_print(stderr, "usage:", utctl_command);
	} else if (!complained) {
		usage_text(text, sizeof(text), utctl_command);
		say("usage: %s%s", utctl_command->name, text);
	}
	return 1;
}

void
usage_all(FILE *f)
{
	const struct command *const *c;

	for (c = commands; *c != NULL; c++)
		usage_print(f, c == commands ? "usage:" : "      ", *c);
	fputs("utctl help lists the commands; to begin: man 7 ut\n", f);
}

/* Names as a sentence has them: for the caller to free. */
char *
names_text(const char *(*name)(size_t))
{
	char *text = format("%s", name(0)), *longer;
	size_t i;

	for (i = 1; name(i) != NULL; i++) {
		longer = format("%s%s%s", text, name(i + 1) == NULL ?
		    " and " : ", ", name(i));
		free(text);
		text = longer;
	}
	return text;
}

static void
print_option(const char *s)
{
	const char *tab = strchr(s, '\t');
	const int n = (int)(tab - s);

	printf("  %.*s%*s%s\n", n, s, n < COLUMN - 1 ? COLUMN - n : 1, "",
	    tab + 1);
}

static void
attr_values(const struct attr *a, char *text, size_t n)
{
	if (a->bytes)
		snprintf(text, n, "%uk to %um", a->min >> 10, a->max >> 20);
	else if (a->time)
		snprintf(text, n, "0 or %ums to %um%s", a->min, a->max / 60000,
		    a->endless ? ", or " ATTR_FOREVER_NAME : "");
	else if (a->words[0] == NULL)
		snprintf(text, n, "%u to %u", a->min, a->max);
	else
		snprintf(text, n, "%s", a->option + 2);
}

static void
attr_usual(const struct attr *a, int isrecord, char *text, size_t n)
{
	if (isrecord && a->record.option != '\0')
		snprintf(text, n, " (default: %s, -%c: %s)",
		    a->words[a->record.usual], a->record.option,
		    a->words[a->record.with]);
	else if (a->words[0] != NULL)
		snprintf(text, n, " (default: %s)", a->words[0]);
	else if (a->usual == 0)
		text[0] = '\0';
	else if (a->bytes)
		snprintf(text, n, " (default: %uk)", a->usual >> 10);
	else if (a->time)
		snprintf(text, n, " (default: %us)", a->usual / 1000);
	else
		snprintf(text, n, " (default: %u)", a->usual);
}

/* Print the values that an attribute of a channel can have, and its default. */
static void
print_attr(const struct attr *a, int isrecord)
{
	char values[64], usual[48], text[192];

	if (a->option[1] == '\0') {
		snprintf(text, sizeof(text), "-%s\t%s for each process",
		    a->option, a->what);
	} else {
		attr_values(a, values, sizeof(values));
		attr_usual(a, isrecord, usual, sizeof(usual));
		snprintf(text, sizeof(text), "-%c %s\t%s%s%s%s", a->option[0],
		    a->words[0] != NULL ? a->what : a->option + 2,
		    a->words[0] != NULL ? "" : a->what,
		    a->words[0] != NULL ? "" : ", ", values, usual);
	}
	print_option(text);
}

static void
print_meanings(const struct command *c)
{
	const char *name;
	char text[128];
	size_t i;

	for (i = 0; (name = c->value(i)) != NULL; i++) {
		snprintf(text, sizeof(text), "-%c %s\t%s", c->letter, name,
		    c->meaning(i));
		print_option(text);
	}
}

static int
help_all(void)
{
	const struct command *const *c;
	size_t i;

	printf("usage: utctl command [argument ...]\n");
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		putchar('\n');
		for (c = commands; *c != NULL; c++)
			if (strcmp((*c)->page, pages[i]) == 0)
				printf("  %-16s  %s\n", (*c)->name,
				    (*c)->line);
	}
	printf("\nutctl help command explains one.  How to begin: man 7 ut\n");
	return 0;
}

/* Explain the command; NULL: list all. */
int
help(const struct command *c)
{
	const struct attr *a;
	const char *const *o;

	if (c == NULL)
		return help_all();
	usage_print(stdout, "usage:", c);
	printf("\n%s: %s\n", c->name, c->line);
	if (c->attrs != 0 || c->options[0] != NULL)
		putchar('\n');
	for (a = attr_table; a < attr_table + ATTRS; a++)
		if ((a->commands & c->attrs) != 0)
			print_attr(a, c->attrs == ATTR_RECORD);
	for (o = c->options; *o != NULL; o++)
		print_option(*o);
	if (c->meaning != NULL)
		print_meanings(c);
	printf("\nSee %s(1).\n", c->page);
	return 0;
}

/* Each name of such a table: name(0), name(1) and so on, up to NULL. */
static void
print_names(const char *(*name)(size_t))
{
	const char *s;
	size_t i;

	for (i = 0; (s = name(i)) != NULL; i++)
		puts(s);
}

static const char *
level_at(size_t i)
{
	return level_name(i);
}

/* Events of programs that run, if there is a utd. */
static int
print_events(void)
{
	struct client *c;
	struct row *rows;
	const struct row *p, *e;

	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	if (client_ask(c, UT_CTL_EVENTS, NULL, &rows) == -1) {
		client_close(c);
		return 1;
	}
	client_close(c);
	rows_clean(rows);
	for (p = rows->child; p != NULL; p = p->next)
		for (e = p->child; e != NULL; e = e->next)
			if (strcmp(e->what, "event") == 0)
				puts(row_str(e, "name"));
	row_free(rows);
	return 0;
}

static void
print_attr_words(const struct command *c, char letter)
{
	const struct attr *a;
	size_t i;

	for (a = attr_table; a < attr_table + ATTRS; a++)
		if ((a->commands & c->attrs) != 0 && a->option[0] == letter)
			for (i = 0; i < sizeof(a->words) / sizeof(a->words[0]);
			    i++)
				if (a->words[i] != NULL)
					puts(a->words[i]);
}

/* Print values of the option: nothing if any value is good. */
int
values(const struct command *c, char letter)
{
	if (letter == 'e' || letter == 'x')
		return print_events();
	print_attr_words(c, letter);
	if (letter == 'l' || letter == 'L')
		print_names(level_at);
	else if (letter == c->letter && letter != '\0')
		print_names(c->value);
	return 0;
}
