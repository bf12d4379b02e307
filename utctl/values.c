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
 * utctl help -v: the values that an option of a command may have, for shells
 * that complete them.
 */

#include <stdio.h>
#include <string.h>

#include "common/event_name.h"
#include "show/columns.h"
#include "show/export.h"
#include "show/group.h"
#include "utctl.h"

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
	static const struct {
		char		 letter;
		const char	*command;	/* NULL: of all that have it */
		const char	*(*name)(size_t);
	} known[] = {
		{ 'l',	NULL,		level_at },
		{ 'L',	NULL,		level_at },
		{ 'w',	"record",	wrapper_name },
		{ 'o',	"view",		column_name },
		{ 'F',	"export",	export_format },
		{ 'g',	"stat",		group_name }
	};
	size_t i;

	if (letter == 'e' || letter == 'x')
		return print_events();
	print_attr_words(c, letter);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].letter == letter && (known[i].command == NULL ||
		    strcmp(known[i].command, c->name) == 0))
			print_names(known[i].name);
	return 0;
}
