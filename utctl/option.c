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

const char *utctl_path;
const char *utctl_usage;

int
usage(const char *name)
{
	fprintf(stderr, "usage: utctl %s %s\n", name, utctl_usage);
	return 1;
}

/* getopt(3), which says what is wrong in the way that utctl does. */
int
option_first(int argc, char **argv, const char *known)
{
	const int ch = getopt(argc, argv, known);
	const char *k;

	if (ch != '?')
		return ch;
	k = optopt == ':' ? NULL : strchr(known, optopt);
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
