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
 * Sessions as text: the commands that make them, for load to read.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"

/* Step over that many digits, and what follows them; NULL: not there. */
static const char *
digits(const char *s, size_t n, const char *then)
{
	if (s == NULL || strspn(s, "0123456789") < n ||
	    strncmp(s + n, then, strlen(then)) != 0)
		return NULL;
	return s + n + strlen(then);
}

/* Is it a directory that create has chosen?  Then load has it choose, too. */
static int
dir_usual(const char *name, const char *dir)
{
	char *base;
	size_t n;
	int stamped;

	if (getenv("HOME") == NULL || getenv("HOME")[0] != '/')
		return 0;
	base = default_dir(name);
	n = strlen(base);
	if (strncmp(dir, base, n) != 0) {
		free(base);
		return 0;
	}
	free(base);
	dir += n;
	stamped = strncmp(name, "auto-", 5) == 0 &&
	    digits(name + 5, 8, "-") != NULL;
	if (dir[0] == '-' && !stamped) {
		if ((dir = digits(digits(dir + 1, 8, "-"), 6, "")) == NULL)
			return 0;
		stamped = 1;
	}
	if (dir[0] == '-' && isdigit((unsigned char)dir[1]))
		dir += 1 + strspn(dir + 1, "0123456789");
	return stamped && dir[0] == '\0';
}

/* The value of an attribute in a row of a channel: 0, or -1. */
static int
row_attr(const struct attr *a, const struct row *r, uint32_t *v)
{
	*v = 0;
	if (a->endless && strcmp(row_str(r, a->name),
	    ATTR_FOREVER_NAME) == 0) {
		*v = ATTR_FOREVER;
		return 0;
	}
	if (a->words[0] == NULL) {
		*v = (uint32_t)attr_value(a, row_num(r, a->name));
		return 0;
	}
	while (*v <= a->max && strcmp(a->words[*v], row_str(r, a->name)) != 0)
		(*v)++;
	if (*v <= a->max)
		return 0;
	say("channel %s: %s %s is not known to this utctl", row_str(r, "name"),
	    a->what, row_str(r, a->name));
	return -1;
}

void
attr_print(FILE *f, const struct attr *a, uint32_t v)
{
	char *text;

	if (a->endless && v == ATTR_FOREVER)
		fputs(ATTR_FOREVER_NAME, f);
	else if (a->time) {
		fputs(text = time_text(attr_number(a, v)), f);
		free(text);
	} else if (a->words[0] != NULL)
		fputs(a->words[v], f);
	else if (a->bytes && v % 1024 == 0 && v != 0)
		fprintf(f, "%u%c", v % 1048576 == 0 ? v / 1048576 : v / 1024,
		    v % 1048576 == 0 ? 'm' : 'k');
	else
		fprintf(f, "%u", v);
}

static void
put_attr(FILE *f, const struct attr *a, uint32_t v)
{
	fprintf(f, " -%c", a->option[0]);
	if (a->option[1] == '\0')
		return;
	putc(' ', f);
	attr_print(f, a, v);
}

/* Write the attributes that are not the default. */
static int
put_attrs(FILE *f, const struct row *r)
{
	struct attrs is = { { 0 } }, usual = { { 0 } };
	size_t i;

	for (i = 0; i < ATTRS; i++)
		if (row_attr(&attr_table[i], r, &is.v[i]) == -1)
			return -1;
	usual.v[ATTR_BUFFERS] = is.v[ATTR_BUFFERS];
	usual.v[ATTR_MODE] = is.v[ATTR_MODE];
	if (!attrs_block(&is))
		is.v[ATTR_TIMEOUT] = 0;		/* not `never' */
	attrs_default(&usual);
	usual.v[ATTR_BUFFERS] = attr_table[ATTR_BUFFERS].usual;
	usual.v[ATTR_MODE] = attr_table[ATTR_MODE].usual;
	for (i = 0; i < ATTRS; i++)
		if (is.v[i] != usual.v[i])
			put_attr(f, &attr_table[i], is.v[i]);
	return 0;
}

/* The contexts of the channel, in one command. */
static void
put_contexts(FILE *f, const char *session, const struct row *r)
{
	const struct row *c;
	int any = 0;

	for (c = r->child; (c = row_first(c, "context")) != NULL; c = c->next) {
		if (!any) {
			put_word(f, "add-context -s ", session);
			put_word(f, " -c ", row_str(r, "name"));
		}
		any = 1;
		put_word(f, " ", row_str(c, "name"));
	}
	if (any)
		putc('\n', f);
}

/*
 * Is that a command which utd runs as the user who owns the session, and which
 * another user wrote?  Whoever loads the text owns the session then, and root
 * would run it.
 */
static int
is_foreign(const struct row *session, const char *command)
{
	return command[0] != '\0' && row_num(session, "uid") != geteuid();
}

/* Say once that commands of the session are comments. */
static void
say_foreign(const struct row *r)
{
	const unsigned int uid = (unsigned int)row_num(r, "uid");
	const struct row *c;
	int any = is_foreign(r, row_str(r, "rotate_command"));

	for (c = r->child; (c = row_first(c, "trigger")) != NULL; c = c->next)
		any |= is_foreign(r, row_str(c, "command"));
	if (any)
		say("session %u/%s: uid %u's command is a comment, or whoever "
		    "loads the text would run it", uid, row_str(r, "name"),
		    uid);
}

/* A channel that was removed is left out: its name cannot be used again. */
static int
put_channel(FILE *f, const char *session, const struct row *r)
{
	const char *name = row_str(r, "name");
	const struct row *c;

	if (strcmp(row_str(r, "state"), "removed") == 0)
		return 0;
	put_word(f, "enable-channel -s ", session);
	if (put_attrs(f, r) == -1)
		return -1;
	put_word(f, " ", name);
	putc('\n', f);
	put_contexts(f, session, r);
	for (c = r->child; (c = row_first(c, "rule")) != NULL; c = c->next)
		if (rule_save(f, session, name, c) == -1)
			return -1;
	if (strcmp(row_str(r, "state"), "disabled") == 0) {
		put_word(f, "disable-channel -s ", session);
		put_word(f, " ", name);
		putc('\n', f);
	}
	return 0;
}

static int
put_session(FILE *f, const struct row *r)
{
	const char *name = row_str(r, "name"), *dir = row_str(r, "dir");
	const struct row *c;

	fputs("create", f);
	if (row_num(r, "keeps"))
		fputs(" -S", f);
	if (row_num(r, "max_bytes") != 0)
		fprintf(f, " -M %" PRIu64, row_num(r, "max_bytes"));
	if (dir[0] == '\0')
		fputs(row_num(r, "keeps") ? "" : " -N", f);
	else if (!dir_usual(name, dir))
		put_word(f, " -o ", dir);
	put_word(f, " ", name);
	putc('\n', f);
	for (c = r->child; (c = row_first(c, "channel")) != NULL; c = c->next)
		if (put_channel(f, name, c) == -1)
			return -1;
	tracked_save(f, r);
	rotation_save(f, r, is_foreign(r, row_str(r, "rotate_command")));
	for (c = r->child; (c = row_first(c, "trigger")) != NULL; c = c->next)
		trigger_save(f, c, name, is_foreign(r, row_str(c, "command")));
	say_foreign(r);
	return 0;
}

/* All are there before one is started: if something fails, nothing was. */
static int
put_sessions(FILE *f, struct row **list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (put_session(f, list[i]) == -1)
			return 1;
	for (i = 0; i < n; i++) {
		if (strcmp(row_str(list[i], "state"), "active") != 0)
			continue;
		put_word(f, "start ", row_str(list[i], "name"));
		putc('\n', f);
	}
	return 0;
}

/*
 * A file that nobody had before, for which no link on the way is followed that
 * others could have put there.
 */
static FILE *
file_make(const char *path, int *at, char **name)
{
	char *full = strchr(path, '/') == NULL ? NULL : absolute(path);
	FILE *f = NULL;
	int fd = -1;

	if (full != NULL) {
		*at = dir_above(full, name);
	} else {
		*at = AT_FDCWD;
		*name = format("%s", path);
	}
	if (*at != -1)
		fd = openat(*at, *name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0666);
	if (*at == -1)
		dir_above_say(path);
	else if (fd == -1)
		say_errno("%s", path);
	else if ((f = fdopen(fd, "w")) == NULL)
		die_errno("fdopen");
	free(full);
	return f;
}

/* After a failure there is no file. */
static int
save_file(const char *path, struct row **list, size_t n)
{
	char *name;
	int at, r = 1, bad;
	FILE *f = file_make(path, &at, &name);

	if (f != NULL) {
		r = put_sessions(f, list, n);
		bad = ferror(f);
		if ((fclose(f) == EOF || bad) && r == 0) {
			say_errno("%s", path);
			r = 1;
		}
		if (r != 0)
			(void)unlinkat(at, name, 0);
	}
	if (at >= 0)
		close(at);
	free(name);
	return r;
}

/*
 * Sessions, as a list that ends with NULL, in the order in which they are to
 * be made.
 */
static struct row **
list_add(struct row **list, size_t *n, struct row *r)
{
	struct row **l = realloc(list, (*n + 1) * sizeof(*l));

	if (l == NULL)
		die_errno("malloc");
	l[(*n)++] = r;
	return l;
}

/* Take the sessions that are wanted out of a reply; the newest comes first. */
static struct row **
list_take(struct row **list, size_t *n, struct row *rows, int named)
{
	struct row *r, *next, *turned = NULL;

	for (r = rows->child; r != NULL; r = next) {
		next = r->next;
		r->next = turned;
		turned = r;
	}
	rows->child = NULL;
	row_free(rows);
	for (r = turned; r != NULL; r = next) {
		next = r->next;
		r->next = NULL;
		if (strcmp(r->what, "session") == 0 &&
		    (named || row_num(r, "uid") == geteuid()))
			list = list_add(list, n, r);
		else
			row_free(r);
	}
	return list;
}

/* All of the user's, or those that are named: 0, or 1 after a message. */
static int
list_read(char **names, struct row ***list, size_t *n)
{
	const int named = names[0] != NULL;
	struct client *c;
	struct row *rows;
	int r = 0;

	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	do {
		r = client_ask(c, UT_CTL_LIST, named ? *names : "", &rows);
		if (r == 0)
			*list = list_take(*list, n, rows, named);
	} while (r == 0 && named && *++names != NULL);
	client_close(c);
	return r == 0 ? 0 : 1;
}

/* No two sessions that load makes can have the same name. */
static int
list_differ(struct row **list, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++)
		for (j = 0; j < i; j++)
			if (strcmp(row_str(list[i], "name"),
			    row_str(list[j], "name")) == 0) {
				say("two sessions are called %s",
				    row_str(list[i], "name"));
				return 0;
			}
	return 1;
}

static int
save_main(int argc, char **argv)
{
	const char *path = NULL;
	struct row **list = NULL;
	size_t i, n = 0;
	int ch, r;

	while ((ch = option(argc, argv)) != -1) {
		if (ch != 'o')
			return usage();
		path = optarg;
	}
	for (i = (size_t)optind; i < (size_t)argc; i++)
		check_session(argv[i]);
	r = list_read(argv + optind, &list, &n);
	if (r == 0 && !list_differ(list, n))
		r = 1;
	if (r == 0)
		r = path != NULL ? save_file(path, list, n) :
		    put_sessions(stdout, list, n);
	for (i = 0; i < n; i++)
		row_free(list[i]);
	free(list);
	return r;
}

const struct command cmd_save = {
	.name = "save", .page = "utctl-session",
	.line = "print sessions as commands",
	.usage = "[-o file] [session ...]",
	.options = { "-o file\tinto a file" },
	.run = save_main
};
