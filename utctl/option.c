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

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utctl.h"

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
		if ((a->commands & utctl_command->attrs) == 0)
			continue;
		all[n++] = a->option[0];
		if (a->option[1] != '\0')
			all[n++] = ':';
	}
	all[n] = '\0';
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
	}
	if (*end != '\0' || *v > ULLONG_MAX / unit)
		return -1;
	*v *= unit;
	return 0;
}
