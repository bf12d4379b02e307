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
 * Options and arguments, as all commands read them.
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "common/compat.h"
#include "common/event_name.h"
#include "utctl.h"
#include "when.h"

#define NAME_MAX_LEN	64

const char *utctl_path;

/* Was the argument that getopt(3) complains of --help? */
static int
is_help(char **argv)
{
	int i;

	for (i = 1; i <= optind && argv[i] != NULL; i++)
		if (strcmp(argv[i], "--help") == 0)
			return 1;
	return 0;
}

/* Make the letters for getopt(3), of options that help tells and attributes. */
static void
letters(char *to, const struct command *c)
{
	const struct attr *a;
	const char *const *o;

	*to++ = '+';
	for (o = c->options; *o != NULL; o++) {
		*to++ = (*o)[1];
		if ((*o)[2] == ' ')
			*to++ = ':';
	}
	for (a = attr_table; a < attr_table + ATTRS; a++) {
		if ((a->commands & c->attrs) == 0)
			continue;
		*to++ = a->option[0];
		if (a->option[1] != '\0')
			*to++ = ':';
	}
	if (c->letter != '\0') {
		*to++ = c->letter;
		*to++ = ':';
	}
	*to = '\0';
}

/* getopt(3), which says what is wrong in the way that utctl does. */
int
option_first(int argc, char **argv)
{
	char all[2 * (OPTIONS_MAX + ATTRS) + 4];
	const char *k;
	int ch;

	letters(all, utctl_command);
	ch = getopt(argc, argv, all);
	if (ch != '?')
		return ch;
	if (!say_placed() && (optopt == 'h' ||
	    (optopt == '-' && is_help(argv))))
		exit(help(utctl_command));
	usage_complained();
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
 * Read an option where no other command follows: an option behind the first
 * other argument would be taken for something else, and is refused.
 */
int
option(int argc, char **argv)
{
	static const char *arg;		/* the last option's argument */
	int ch, i;

	if ((ch = option_first(argc, argv)) != -1) {
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

/* A number with `k' or `m', or without: 0, or -1. */
int
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
	case 'g':
	case 'G':
		unit = 1024 * 1024 * 1024;
		end++;
		break;
	}
	if (*end != '\0' || *v > ULLONG_MAX / unit)
		return -1;
	*v *= unit;
	return 0;
}

uint64_t
parse_bytes(const char *s)
{
	unsigned long long v;

	if (parse_size(s, &v) == -1)
		die("size '%s': not a number, perhaps with k, m or g", s);
	return v;
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

/* Write milliseconds as parse_ms() reads them; freed. */
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

/* A number in decimal, up to that one: 0, or -1. */
int
parse_number(const char *s, unsigned long max, uint32_t *v)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)s[0]))
		return -1;
	errno = 0;
	n = strtoul(s, &end, 10);
	if (errno != 0 || *end != '\0' || n > max)
		return -1;
	*v = (uint32_t)n;
	return 0;
}

uint32_t
parse_pid(const char *s)
{
	uint32_t pid;

	if (parse_number(s, INT32_MAX, &pid) == -1 || pid == 0)
		die("process ID '%s': not a number from 1 to %d", s, INT32_MAX);
	return pid;
}

static void	no_level(const char *) __attribute__((noreturn));

static void
no_level(const char *s)
{
	char known[256] = "";
	size_t i, n = 0;

	for (i = 0; i < NLEVELS; i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s",
		    i == 0 ? "" : ", ", level_names[i]);
	die("level '%s': none of %s, and no number from 0 to %d", s, known,
	    NLEVELS - 1);
}

/* A log level: a name, also as the programmer writes it, or a number. */
uint32_t
parse_level(const char *s)
{
	const char *name = s;
	unsigned long n;
	char *end;
	uint32_t i;

	if (strncasecmp(name, "UT_", 3) == 0)
		name += 3;
	else if (strncasecmp(name, "TRACE_", 6) == 0)
		name += 6;
	for (i = 0; i < NLEVELS; i++)
		if (strcasecmp(name, level_names[i]) == 0)
			return i;
	if (isdigit((unsigned char)s[0])) {
		n = strtoul(s, &end, 10);
		if (*end == '\0' && n < NLEVELS)
			return (uint32_t)n;
	}
	no_level(s);
}

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

/* For sh(1): returns that argument. */
const char *
check_command(const char *command)
{
	if (strlen(command) > UT_COMMAND_MAX)
		die("command: longer than %d bytes", UT_COMMAND_MAX);
	return command;
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
		    a->time ? "ms, s, m or h" : "k, m or g");
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

/* Make a path absolute, as utd needs it; freed. */
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

/* Add the date and time to a name; freed. */
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
