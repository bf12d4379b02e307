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
 * Sessions and their channels.
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../utctl.h"
#include "../when.h"
#include "common/compat.h"

#define NAME_MAX_LEN	64
#define NUMBERS		1000	/* behind a name that is taken */

void
check_name(const char *what, const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > NAME_MAX_LEN || name[0] == '.' || name[0] == '-' ||
	    strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789._-") != n)
		die("%s name '%s': a name has 1 to %d letters, digits, '_', "
		    "'.' and '-', and does not begin with '.' or '-'", what,
		    name, NAME_MAX_LEN);
}

/* NAME, or UID/NAME of what may be another user's. */
void
check_session(const char *name)
{
	size_t n = strspn(name, "0123456789");

	check_name("session", n > 0 && name[n] == '/' ? name + n + 1 : name);
}

/* Whole milliseconds: 0, or -1. */
int
parse_ms(const char *s, unsigned long long *v)
{
	int64_t ns;

	if (when_length(s, &ns) == -1 || ns % 1000000 != 0)
		return -1;
	*v = (unsigned long long)ns / 1000000;
	return 0;
}

/* What parse_ms understands. */
char *
time_text(uint64_t ms)
{
	if (ms == 0)
		return format("0");
	if (ms % 60000 == 0)
		return format("%" PRIu64 "m", ms / 60000);
	if (ms % 1000 == 0)
		return format("%" PRIu64 "s", ms / 1000);
	return format("%" PRIu64 "ms", ms);
}

static uint32_t
parse_attr(const struct attr *a, const char *s)
{
	unsigned long long v = 0;
	char why[96] = "";
	int word = a->words[0] != NULL;

	if (a->endless && strcmp(s, ATTR_FOREVER_NAME) == 0)
		return ATTR_FOREVER;
	while (word && v <= a->max && strcmp(a->words[v], s) != 0)
		v++;
	if (!word && (a->time ? parse_ms : parse_size)(s, &v) == -1)
		die("%s '%s': not a number, perhaps with %s", a->what, s,
		    a->time ? "ms, s, m or h" : "k or m");
	v = attr_value(a, v);
	if (!attr_valid(a, v, why, sizeof(why)))
		die(word ? "%s %s: %s" : "%s '%s': %s", a->what, s, why);
	return (uint32_t)v;
}

/* Take an option of an attribute: 1; 0 if the letter is none of these. */
int
attr_option(struct attrs *attrs, int letter)
{
	const struct attr *a = attr_table;
	size_t i;

	for (i = 0; i < ATTRS; i++, a++) {
		if (a->option[0] == letter) {
			attrs->v[i] = a->option[1] == '\0' ? 1 :
			    parse_attr(a, optarg);
			return 1;
		}
	}
	return 0;
}

/* Can they be together, with the defaults of those that are not given? */
void
check_attrs(const struct attrs *attrs)
{
	struct attrs all = *attrs;
	char why[160];

	attrs_default(&all);
	if (!attrs_valid(&all, why, sizeof(why)))
		die("%s", why);
}

/* That path, as utd can use it. */
char *
absolute(const char *path)
{
	char cwd[PATH_MAX + 1];

	if (path[0] == '\0')
		die("the name of the directory is empty");
	if (path[0] == '-')
		die("directory '%s': begins like an option; ./%s does not",
		    path, path);
	if (path[0] == '/')
		cwd[0] = '\0';
	else if (getcwd(cwd, sizeof(cwd)) == NULL)
		die_errno("getcwd");
	else
		strcat(cwd, cwd[1] == '\0' ? "" : "/");
	if (strlen(cwd) + strlen(path) >= PATH_MAX)
		die("the name of the directory is longer than %d bytes",
		    PATH_MAX - 1);
	return format("%s%s", cwd, path);
}

/* That name, with the date and time. */
char *
stamped(const char *name)
{
	char stamp[32] = "";
	time_t now = ut_time();
	struct tm *tm;

	if ((tm = localtime(&now)) != NULL)
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", tm);
	return format("%s-%s", name, stamp);
}

/* Where a session goes by default: $HOME/ut-traces/name, or here. */
char *
default_dir(const char *name)
{
	const char *home = getenv("HOME");

	if (home == NULL || home[0] != '/')
		return absolute(name);
	return format("%s/ut-traces/%s", home, name);
}

void
session_created(const struct step *st)
{
	char *shown;

	if (st->dir[0] == '\0') {
		printf("session %s: no output\n", st->made);
		return;
	}
	shown = clean(st->dir);
	printf("session %s: %s%s\n", st->made, shown,
	    st->keeps ? ", for snapshots" : "");
	free(shown);
	/* The path is utd's: in a container it may lead elsewhere. */
	if (access(st->dir, F_OK) == -1 && errno == ENOENT)
		say("utd has made %s, but it is not there for us: does it "
		    "run in another container?", st->dir);
}

static int
create_request(struct client *c, const char *name, const char *dir, int keeps)
{
	struct ut_msg *m = client_begin(c, UT_CTL_CREATE);

	ut_msg_str(m, name);
	ut_msg_str(m, dir);
	ut_msg_u32(m, (uint32_t)keeps);
	return client_request(c, NULL);
}

/*
 * What nobody has chosen, the name or the directory, gets a number behind if
 * there is one of that second already.  An empty directory is no output.
 */
static int
create_ask(struct client *c, struct step *st)
{
	const char *name = st->session[0] == '\0' ? NULL : st->session;
	const unsigned int free_name = name == NULL ? 1u << UT_TAKEN_NAME : 0;
	const unsigned int free_dir = st->dir == NULL ? 1u << UT_TAKEN_DIR : 0;
	char *first = stamped(name == NULL ? "auto" : name), *unique, *dir;
	int n, r = -1;

	for (n = 1; n == 1 || (r == -1 && client_hushed(c)); n++) {
		unique = n == 1 ? format("%s", first) :
		    format("%s-%d", first, n);
		dir = st->dir != NULL ? format("%s", st->dir) :
		    default_dir(unique);
		client_hush(c, n < NUMBERS ? free_name | free_dir : 0);
		r = create_request(c, name == NULL ? unique : name, dir,
		    st->keeps);
		if (r == 0) {
			st->made = format("%s", name == NULL ? unique : name);
			free(st->dir);
			st->dir = format("%s", dir);
		}
		free(unique);
		free(dir);
	}
	free(first);
	client_hush(c, 0);
	if (r == 0 && !st->quiet)
		session_created(st);
	return step_say(c, st, r);
}

int
parse_create(int argc, char **argv, struct step *st)
{
	int ch, none = 0;

	st->type = UT_CTL_CREATE;
	st->ask = create_ask;
	while ((ch = option(argc, argv, "+NSo:")) != -1) {
		if (ch == 'N') {
			none = 1;
			continue;
		}
		if (ch == 'S') {
			st->keeps = 1;
			continue;
		}
		if (ch != 'o')
			return usage();
		free(st->dir);
		st->dir = absolute(optarg);
	}
	if (argc - optind > 1 || (none && (st->dir != NULL || st->keeps)))
		return usage();
	if (none)
		st->dir = format("%s", "");
	if (argc > optind)
		check_name("session", st->session = argv[optind]);
	return 0;
}

int
cmd_create(int argc, char **argv)
{
	return step_run(argc, argv, parse_create);
}

static int
session_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_ask(c, st->type, st->session, NULL));
}

/* A command that names a session, or does not: then utd knows which. */
int
session_parse(int argc, char **argv, struct step *st, int type)
{
	st->type = type;
	st->ask = session_ask;
	if (option(argc, argv, "+") != -1 || argc - optind > 1)
		return usage();
	if (argc > optind)
		check_session(st->session = argv[optind]);
	return 0;
}

int
parse_start(int argc, char **argv, struct step *st)
{
	return session_parse(argc, argv, st, UT_CTL_START);
}

static int
parse_stop(int argc, char **argv, struct step *st)
{
	const int status = session_parse(argc, argv, st, UT_CTL_STOP);

	st->ask = end_ask;
	return status;
}

int
cmd_start(int argc, char **argv)
{
	return step_run(argc, argv, parse_start);
}

int
cmd_stop(int argc, char **argv)
{
	return step_run(argc, argv, parse_stop);
}

/* The user's own sessions, each even if another one fails. */
static int
destroy_all(struct client *c)
{
	struct row *rows;
	const struct row *r;
	char *name;
	int n = 0, status = 0;

	if (client_ask(c, UT_CTL_LIST, "", &rows) == -1)
		return 1;
	for (r = rows->child; r != NULL && !client_gone(c); r = r->next) {
		if (strcmp(r->what, "session") != 0 ||
		    row_num(r, "uid") != geteuid())
			continue;
		n++;
		name = format("%lu/%s", (unsigned long)geteuid(),
		    row_str(r, "name"));
		if (client_say(c, client_ask(c, UT_CTL_DESTROY, name,
		    NULL)) == 0) {
			fflush(stdout);
			warnings_say(r);
		} else
			status = 1;
		free(name);
	}
	row_free(rows);
	if (n == 0)
		printf("no sessions of yours\n");
	return client_gone(c) ? 1 : status;
}

static int
destroy_ask(struct client *c, struct step *st)
{
	return st->session == NULL ? destroy_all(c) : end_ask(c, st);
}

/* With -a, the session is NULL. */
static int
parse_destroy(int argc, char **argv, struct step *st)
{
	int ch;

	st->type = UT_CTL_DESTROY;
	st->ask = destroy_ask;
	while ((ch = option(argc, argv, "+a")) != -1) {
		if (ch != 'a')
			return usage();
		st->session = NULL;
	}
	if (argc - optind > (st->session == NULL ? 0 : 1))
		return usage();
	if (argc > optind)
		check_session(st->session = argv[optind]);
	return 0;
}

int
cmd_destroy(int argc, char **argv)
{
	return step_run(argc, argv, parse_destroy);
}

int
client_channel(struct client *c, int type, const char *session,
    const char *channel, const struct attrs *attrs)
{
	struct ut_msg *m = client_begin(c, type);

	ut_msg_str(m, session);
	ut_msg_str(m, channel);
	if (type == UT_CTL_CHANNEL)
		attrs_put(m, attrs);
	return client_request(c, NULL);
}

static int
channel_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_channel(c, st->type, st->session,
	    st->channel, &st->attrs));
}

static int
channel_parse(int argc, char **argv, struct step *st, int type)
{
	int ch;

	st->type = type;
	st->ask = channel_ask;
	while ((ch = option(argc, argv, "+s:")) != -1) {
		if (ch == 's')
			check_session(st->session = optarg);
		else if (!attr_option(&st->attrs, ch))
			return usage();
	}
	if (argc - optind != 1)
		return usage();
	check_name("channel", st->channel = argv[optind]);
	check_attrs(&st->attrs);
	return 0;
}

int
parse_enable_channel(int argc, char **argv, struct step *st)
{
	return channel_parse(argc, argv, st, UT_CTL_CHANNEL);
}

int
parse_disable_channel(int argc, char **argv, struct step *st)
{
	return channel_parse(argc, argv, st, UT_CTL_CHOFF);
}

static int
parse_remove_channel(int argc, char **argv, struct step *st)
{
	return channel_parse(argc, argv, st, UT_CTL_CHREMOVE);
}

int
cmd_enable_channel(int argc, char **argv)
{
	return step_run(argc, argv, parse_enable_channel);
}

int
cmd_disable_channel(int argc, char **argv)
{
	return step_run(argc, argv, parse_disable_channel);
}

int
cmd_remove_channel(int argc, char **argv)
{
	return step_run(argc, argv, parse_remove_channel);
}
