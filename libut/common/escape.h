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
 * Text that others have chosen, made fit to be shown: for utd and utctl, all
 * that they print, log, or write as JSON.
 */

#ifndef ESCAPE_H
#define ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* The quotes around the text. */
enum escape {
	ESCAPE_NAME,		/* anything: quotes and backslashes stay */
	ESCAPE_STRING,		/* double quotes */
	ESCAPE_JSON		/* a string of JSON */
};

#define ESCAPE_MAX	13	/* bytes that a character becomes, and a NUL */

/*
 * Writes the character at *s, in a string that ends at `end', and steps over
 * it.  Up to ESCAPE_MAX bytes are written; returns the place behind them, or
 * at the NUL that may come last.
 */
char	*escape_char(char *, const unsigned char **, const unsigned char *,
	    enum escape);

/*
 * Copies a string, as snprintf(3) does: returns the length that it needs, and
 * cuts what does not fit, though not in the middle of a character.
 */
size_t	 escape(char *, size_t, const char *, enum escape);

/* Step over one character of UTF-8; or over one byte, which is none: -1. */
int32_t	 utf8_next(const unsigned char **, const unsigned char *);

#endif /* ESCAPE_H */
