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
 * Log levels as arguments.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/event_name.h"
#include "utctl.h"

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

/* A name, also as the programmer writes it, or a number. */
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
