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
 * Which events a pattern means.
 */

#include <fnmatch.h>
#include <string.h>

#include "match.h"

#define OURS		"ut:"

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
