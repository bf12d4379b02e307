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
 * The damage of a trace, and warnings, which are said at the end, when all that
 * can be read has been printed.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../say.h"
#include "ctf.h"

#define LINES	1000		/* more are only counted */

static char		*lines[LINES];
static unsigned long	 nlines, ndamages;
static int		 hushed;

static void
line_add(const char *path, const char *fmt, va_list ap)
{
	char msg[320];

	if (nlines++ >= LINES)
		return;
	vsnprintf(msg, sizeof(msg), fmt, ap);
	lines[nlines - 1] = format("%s: %s", path, msg);
}

void
ctf_damage(const char *path, const char *fmt, ...)
{
	va_list ap;

	if (hushed)
		return;
	ndamages++;
	va_start(ap, fmt);
	line_add(path, fmt, ap);
	va_end(ap);
}

/* Of what is odd, but leaves nothing out. */
void
ctf_warn(const char *path, const char *fmt, ...)
{
	va_list ap;

	if (hushed)
		return;
	va_start(ap, fmt);
	line_add(path, fmt, ap);
	va_end(ap);
}

/* Add nothing while hushed: what is read twice is told of once. */
void
ctf_damage_hush(int hush)
{
	hushed = hush;
}

unsigned long
ctf_damaged(void)
{
	return ndamages;
}

void
ctf_damage_say(void)
{
	unsigned long i;

	for (i = 0; i < nlines && i < LINES; i++) {
		say("%s", lines[i]);
		free(lines[i]);
	}
	if (nlines > LINES)
		say("and %lu more", nlines - LINES);
	nlines = ndamages = 0;
}
