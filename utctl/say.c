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
 * Messages of utctl, and strings that can be shown.  Names in messages may be
 * anybody's, and are escaped: see escape.h.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "utctl.h"

#define MESSAGE	8192		/* bytes, with two paths */

static const char *place;	/* a file that messages are about, or NULL */
static unsigned int place_line;
static void (*taker)(const char *);	/* NULL: stderr takes lines */

/* From now on lines are handed on, but not the one with which utctl dies. */
void
say_to(void (*take)(const char *))
{
	taker = take;
}

/* From now on messages begin with this line of a file; NULL: with none. */
void
say_place(const char *file, unsigned int line)
{
	place = file;
	place_line = line;
}

int
say_placed(void)
{
	return place != NULL;
}

/* Write one line to stderr, in one piece. */
static void
complain(int error, const char *fmt, va_list ap)
{
	static char text[MESSAGE], line[2 * MESSAGE];
	size_t n = 0;

	if (place != NULL) {
		snprintf(text, MESSAGE / 2, "%s:%u: ", place, place_line);
		n = strlen(text);
	}
	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	n = strlen(text);
	if (error != 0)
		snprintf(text + n, sizeof(text) - n, ": %s", strerror(error));
	escape(line, sizeof(line), text, ESCAPE_NAME);
	if (taker != NULL)
		taker(line);
	else {
		progress_end();
		fprintf(stderr, "utctl: %s\n", line);
	}
}

void
say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(0, fmt, ap);
	va_end(ap);
}

void
say_errno(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	complain(error, fmt, ap);
	va_end(ap);
}

void
die(const char *fmt, ...)
{
	va_list ap;

	taker = NULL;
	va_start(ap, fmt);
	complain(0, fmt, ap);
	va_end(ap);
	exit(1);
}

void
die_errno(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	taker = NULL;
	va_start(ap, fmt);
	complain(error, fmt, ap);
	va_end(ap);
	exit(1);
}

char *
format(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || (s = malloc((size_t)n + 1)) == NULL)
		die_errno("malloc");
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

void *
xcalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		die_errno("malloc");
	return p;
}

void *
xrealloc(void *p, size_t size)
{
	if ((p = realloc(p, size)) == NULL)
		die_errno("malloc");
	return p;
}

void *
xgrow(void *v, size_t i, size_t *room, size_t size)
{
	const size_t n = *room;

	if (i < n)
		return v;
	*room = 2 * i + 16;
	v = xrealloc(v, *room * size);
	memset((char *)v + n * size, 0, (*room - n) * size);
	return v;
}

/* A copy that can be shown in one line. */
char *
clean(const char *s)
{
	size_t n = escape(NULL, 0, s, ESCAPE_NAME);
	char *copy = malloc(n + 1);

	if (copy == NULL)
		die_errno("malloc");
	escape(copy, n + 1, s, ESCAPE_NAME);
	return copy;
}

const char *
many(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* A string of JSON, to stdout. */
void
put_json(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	const unsigned char *end = s + strlen(string);
	char c[ESCAPE_MAX];

	putchar('"');
	while (s < end)
		fwrite(c, 1, (size_t)(escape_char(c, &s, end, ESCAPE_JSON) -
		    c), stdout);
	putchar('"');
}

void
cut_mark(char *to, const void *text, size_t n)
{
	const unsigned char *s = text;
	char mark[CUT_MARK + 1];
	uint32_t h = 2166136261u;

	for (; n > 0; n--)
		h = (h ^ *s++) * 16777619u;
	snprintf(mark, sizeof(mark), "...#%08" PRIx32, h);
	memcpy(to, mark, CUT_MARK);
}

/* No character of UTF-8 is cut. */
void
cut_text(char *buf, size_t size, const char *s)
{
	const size_t n = strlen(s);
	size_t k = size - 1 - CUT_MARK;

	if (n < size) {
		memcpy(buf, s, n + 1);
		return;
	}
	while (k > 0 && (s[k] & 0xc0) == 0x80)
		k--;
	memcpy(buf, s, k);
	cut_mark(buf + k, s, n);
	buf[k + CUT_MARK] = '\0';
}
