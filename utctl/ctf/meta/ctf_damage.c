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

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "../ctf.h"

#define LINES	1000		/* more are only counted */

static char		*lines[LINES];
static unsigned long	 nlines, ndamages, nmissed;
static int		 hushed;
static uint64_t		 once;		/* the next line's; or 0 */
static ctf_damage_fn	*taker;		/* NULL: lines are kept here */

/* Hand on what is damaged, and keep nothing here. */
void
ctf_damage_to(ctf_damage_fn *take)
{
	taker = take;
}

/* The next line is told once: so it is one of those of that number. */
void
ctf_damage_once(uint64_t number)
{
	once = number;
}

void
ctf_damage_line(int damage, const char *line)
{
	ndamages += damage != 0;
	if (nlines++ < LINES)
		lines[nlines - 1] = format("%s", line);
}

unsigned long
ctf_damage_lines(void)
{
	return nlines;
}

/* Forget all lines but the first. */
void
ctf_damage_forget(unsigned long n)
{
	while (nlines > n)
		if (--nlines < LINES)
			free(lines[nlines]);
}

static void
line_add(int damage, const char *path, const char *fmt, va_list ap)
{
	const uint64_t number = once;
	char msg[320], *line;

	once = 0;
	if (hushed)
		return;
	if (taker == NULL && nlines >= LINES) {
		ndamages += damage != 0;
		nlines++;
		return;
	}
	vsnprintf(msg, sizeof(msg), fmt, ap);
	line = format("%s: %s", path, msg);
	if (taker != NULL)
		taker(number, damage, line);
	else
		ctf_damage_line(damage, line);
	free(line);
}

void
ctf_damage(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line_add(1, path, fmt, ap);
	va_end(ap);
}

/* A line of what is odd, but leaves nothing out. */
void
ctf_warn(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line_add(0, path, fmt, ap);
	va_end(ap);
}

/* Add nothing while hushed: what is read twice is told of once. */
void
ctf_damage_hush(int hush)
{
	hushed = hush;
}

/* A session moves and removes what is listed at any time: no damage. */
void
ctf_missed(const char *path)
{
	if (errno == ENOENT)
		nmissed++;
	else
		ctf_damage(path, "%s", strerror(errno));
}

unsigned long
ctf_nmissed(void)
{
	return nmissed;
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
