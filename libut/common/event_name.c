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
 * Which events a pattern means, what the log levels are called, and how near
 * one word is to another.
 */

#include <fnmatch.h>
#include <string.h>

#include "event_name.h"

#define OURS		"ut:"
#define LONGEST		256	/* bytes of a word, with its end */

/*
 * Every program has ut:module and ut:unload, which tell a reader of the trace
 * more than a user who asks for all events of a program.  Only a pattern for
 * libut's own events means these two.
 */
bool
event_matches(const char *glob, const char *name)
{
	if (strncmp(glob, OURS, strlen(OURS)) != 0 &&
	    (strcmp(name, "ut:module") == 0 || strcmp(name, "ut:unload") == 0))
		return false;
	return fnmatch(glob, name, 0) == 0;
}

const char *const level_names[NLEVELS] = {
	"emerg", "alert", "crit", "err", "warning", "notice", "info",
	"debug_system", "debug_program", "debug_process", "debug_module",
	"debug_unit", "debug_function", "debug_line", "debug"
};

const char *
level_name(uint64_t level)
{
	return level < NLEVELS ? level_names[level] : NULL;
}

/*
 * The number of characters that are wrong, missing or too many in one of the
 * two words; more than WORD_NEAR stands for any such number.
 */
unsigned int
word_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned int row[LONGEST], before, here, least;
	size_t i, k;

	if (n > m + WORD_NEAR || m > n + WORD_NEAR || m >= LONGEST)
		return WORD_NEAR + 1;
	for (k = 0; k <= m; k++)
		row[k] = k > WORD_NEAR ? WORD_NEAR + 1 : (unsigned int)k;
	for (i = 1; i <= n; i++) {
		k = i > WORD_NEAR ? i - WORD_NEAR : 1;
		before = row[k - 1];
		row[k - 1] = k > 1 || i > WORD_NEAR ? WORD_NEAR + 1 :
		    (unsigned int)i;
		for (; k <= m && k <= i + WORD_NEAR; k++) {
			here = row[k];
			least = before + (a[i - 1] != b[k - 1]);
			if (here + 1 < least)
				least = here + 1;
			if (row[k - 1] + 1 < least)
				least = row[k - 1] + 1;
			row[k] = least > WORD_NEAR ? WORD_NEAR + 1 : least;
			before = here;
		}
	}
	return row[m];
}
