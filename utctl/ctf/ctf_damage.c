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
 * The damage of a trace, which is said at the end, when all that can be read
 * has been printed.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../say.h"
#include "ctf.h"

#define LINES	1000		/* more are only counted */

static char		*lines[LINES];
static unsigned long	 nlines;
static int		 hushed;
static uint64_t		 once;		/* the next line's; or 0 */
static void		(*taker)(uint64_t, const char *);

/* Hand on what is damaged, and add nothing here. */
void
ctf_damage_to(void (*take)(uint64_t, const char *))
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
ctf_damage_line(const char *line)
{
	if (nlines++ < LINES)
		lines[nlines - 1] = format("%s", line);
}

/* Forget all lines but the first. */
void
ctf_damage_forget(unsigned long n)
{
	while (nlines > n)
		if (--nlines < LINES)
			free(lines[nlines]);
}

void
ctf_damage(const char *path, const char *fmt, ...)
{
	const uint64_t number = once;
	char msg[320], *line;
	va_list ap;

	once = 0;
	if (hushed || (taker == NULL && nlines >= LINES)) {
		nlines += !hushed;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	line = format("%s: %s", path, msg);
	if (taker != NULL)
		taker(number, line);
	else
		ctf_damage_line(line);
	free(line);
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
	return nlines;
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
	nlines = 0;
}
