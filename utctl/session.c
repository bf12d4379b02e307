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
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "utctl.h"

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

/* A number with `k' or `m', or without: 0, or -1. */
static int
parse_size(const char *s, unsigned long long *v)
{
	unsigned long long unit = 1;
	char *end;

	if (!isdigit((unsigned char)s[0]))
		return -1;
	errno = 0;
	*v = strtoull(s, &end, 10);
	if (errno != 0)
		return -1;
	switch (*end) {
	case 'k':
	case 'K':
		unit = 1024;
		end++;
		break;
	case 'm':
	case 'M':
		unit = 1024 * 1024;
		end++;
		break;
	}
	if (*end != '\0' || *v > ULLONG_MAX / unit)
		return -1;
	*v *= unit;
	return 0;
}

static uint32_t
parse_attr(const struct attr *a, const char *s)
{
	unsigned long long v = 0;
	char why[96] = "";
	int word = a->words[0] != NULL;

	while (word && v <= a->max && strcmp(a->words[v], s) != 0)
		v++;
	if (!word && parse_size(s, &v) == -1)
		die("%s '%s': not a number, perhaps with k or m", a->what, s);
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
	time_t now = time(NULL);
	struct tm *tm;

	if ((tm = localtime(&now)) != NULL)
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", tm);
	return format("%s-%s", name, stamp);
}

/* Where a session goes by default: $HOME/ut-traces/name, or here. */
static char *
default_dir(const char *name)
{
	const char *home = getenv("HOME");

	if (home == NULL || home[0] != '/')
		return absolute(name);
	return format("%s/ut-traces/%s", home, name);
}

static void
created(const char *name, const char *dir)
{
	char *shown = clean(dir);

	printf("session %s: %s\n", name, shown);
	free(shown);
	/* The path is utd's: in a container it may lead elsewhere. */
	if (access(dir, F_OK) == -1 && errno == ENOENT)
		say("utd has made %s, but it is not there for us: does it "
		    "run in another container?", dir);
}

static int
create_ask(struct client *c, const char *name, const char *dir)
{
	struct ut_msg *m = client_begin(c, UT_CTL_CREATE);

	ut_msg_str(m, name);
	ut_msg_str(m, dir);
	return client_request(c, NULL);
}

/*
 * What nobody has chosen, the name or the directory, gets a number behind if
 * there is one of that second already.
 */
static int
create(const char *name, const char *out)
{
	const unsigned int free_name = name == NULL ? 1u << UT_TAKEN_NAME : 0;
	const unsigned int free_dir = out == NULL ? 1u << UT_TAKEN_DIR : 0;
	char *first, *unique, *dir;
	struct client *c;
	int n, r = -1;

	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	first = stamped(name == NULL ? "auto" : name);
	for (n = 1; n == 1 || (r == -1 && client_hushed(c)); n++) {
		unique = n == 1 ? format("%s", first) :
		    format("%s-%d", first, n);
		dir = out != NULL ? format("%s", out) : default_dir(unique);
		client_hush(c, n < NUMBERS ? free_name | free_dir : 0);
		r = create_ask(c, name == NULL ? unique : name, dir);
		if (r == 0)
			created(name == NULL ? unique : name, dir);
		free(unique);
		free(dir);
	}
	free(first);
	r = client_say(c, r);
	client_close(c);
	return r;
}

int
cmd_create(int argc, char **argv)
{
	char *out = NULL;
	int ch, r;

	while ((ch = option(argc, argv, "+o:")) != -1) {
		if (ch != 'o')
			return usage(argv[0]);
		free(out);
		out = absolute(optarg);
	}
	if (argc - optind > 1)
		return usage(argv[0]);
	if (argc > optind)
		check_name("session", argv[optind]);
	r = create(argv[optind], out);
	free(out);
	return r;
}

/* A command that names a session, or does not: then utd knows which. */
static int
session_command(int argc, char **argv, int type)
{
	const char *name = "";
	struct client *c;
	int r;

	if (option(argc, argv, "+") != -1 || argc - optind > 1)
		return usage(argv[0]);
	if (argc > optind) {
		name = argv[optind];
		check_session(name);
	}
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	r = client_say(c, client_ask(c, type, name, NULL));
	client_close(c);
	return r;
}

int
cmd_start(int argc, char **argv)
{
	return session_command(argc, argv, UT_CTL_START);
}

int
cmd_stop(int argc, char **argv)
{
	return session_command(argc, argv, UT_CTL_STOP);
}

int
cmd_destroy(int argc, char **argv)
{
	return session_command(argc, argv, UT_CTL_DESTROY);
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
channel_command(int argc, char **argv, int type)
{
	const char *session = "";
	struct attrs attrs = { { 0 } };
	struct client *c;
	int ch, r;

	while ((ch = option(argc, argv, "+s:")) != -1) {
		if (ch == 's')
			check_session(session = optarg);
		else if (!attr_option(&attrs, ch))
			return usage(argv[0]);
	}
	if (argc - optind != 1)
		return usage(argv[0]);
	check_name("channel", argv[optind]);
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	r = client_say(c, client_channel(c, type, session, argv[optind],
	    &attrs));
	client_close(c);
	return r;
}

int
cmd_enable_channel(int argc, char **argv)
{
	return channel_command(argc, argv, UT_CTL_CHANNEL);
}

int
cmd_disable_channel(int argc, char **argv)
{
	return channel_command(argc, argv, UT_CTL_CHOFF);
}

int
cmd_remove_channel(int argc, char **argv)
{
	return channel_command(argc, argv, UT_CTL_CHREMOVE);
}
