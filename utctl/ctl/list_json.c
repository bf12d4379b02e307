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
 * Rows of utd as JSON.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../utctl.h"
#include "list.h"

/* The kinds of rows below a row: an array for each kind, even an empty one. */
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
	const char *comma = "";

	put_json(name);
	free(name);
	fputs(":[", stdout);
	for (r = row_first(r, what); r != NULL; r = row_first(r->next, what)) {
		fputs(comma, stdout);
		comma = ",";
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
		    row_first(r->child, c->what) != c)
			continue;
		fputs(comma, stdout);
		comma = ",";
		json_array(c, c->what, kin);
	}
	putchar('}');
}

/* Print the sessions that utd knows, or if of_programs is set, the programs. */
void
list_json(const struct row *rows, int of_programs)
{
	json_object(rows, of_programs ? programs : sessions);
	putchar('\n');
}

/* Sessions without what is in them, behind what utd is. */
void
status_json(const struct row *utd, struct row *rows, const char *dir)
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
