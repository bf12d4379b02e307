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
 * Text that others have chosen, made fit to be shown.
 *
 * Names, paths and strings come from programs and users.  A terminal obeys
 * control characters, in UTF-8 also those from U+0080 to U+009F.  Others turn
 * around the order of what is shown, end the line, or are not seen at all, so
 * that a line reads as something else than it says.  All of these are written
 * as escapes, and so are bytes that are not UTF-8.  Nothing gets lost.
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"

/* Characters that are not shown as they are, in ascending order. */
static const struct {
	int32_t	 first, last;
} hidden[] = {
	{ 0x00, 0x1f },			/* controls */
	{ 0x7f, 0x9f },
	{ 0xad, 0xad },			/* soft hyphen */
	{ 0x61c, 0x61c },		/* a mark of direction */
	{ 0x180e, 0x180e },		/* zero width */
	{ 0x200b, 0x200f },		/* zero width, and directions */
	{ 0x2028, 0x202e },		/* ends of lines, directions */
	{ 0x2060, 0x206f },		/* zero width, directions */
	{ 0xfeff, 0xfeff },		/* zero width: the byte order mark */
	{ 0xfff9, 0xfffb },		/* annotations */
	{ 0x1d173, 0x1d17a },		/* musical symbols */
	{ 0xe0000, 0xe0fff },		/* tags */
};

static int
is_hidden(int32_t c)
{
	size_t i;

	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c <= hidden[i].last)
			return c >= hidden[i].first;
	return 0;
}

int32_t
utf8_next(const unsigned char **sp, const unsigned char *end)
{
	static const int32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (*sp)++;
	int32_t c = s[0];
	int i, n;

	if (c < 0x80)
		return c;
	if (c < 0xc2 || c > 0xf4)
		return -1;
	n = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
	if (end - s <= n)
		return -1;
	c &= 0x3f >> n;
	for (i = 1; i <= n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	*sp += n;
	return c;
}

/* Write a number; JSON has four digits only, and two halves for more. */
static char *
put_number(char *p, int32_t c, enum escape how)
{
	const unsigned int u = (unsigned int)c;

	if (u < 0x80 && how != ESCAPE_JSON)
		return p + sprintf(p, "\\x%02x", u);
	if (u < 0x10000)
		return p + sprintf(p, "\\u%04x", u);
	if (how != ESCAPE_JSON)
		return p + sprintf(p, "\\U%08x", u);
	return p + sprintf(p, "\\u%04x\\u%04x", 0xd7c0 + (u >> 10),
	    0xdc00 + (u & 0x3ff));
}

char *
escape_char(char *p, const unsigned char **sp, const unsigned char *end,
    enum escape how)
{
	const unsigned char *s = *sp;
	const int32_t c = utf8_next(sp, end);
	const size_t n = (size_t)(*sp - s);

	if (c == -1)
		return p + (how == ESCAPE_JSON ? sprintf(p, "\\ufffd") :
		    sprintf(p, "\\x%02x", *s));
	if (c == '\n' || c == '\t') {
		*p++ = '\\';
		*p++ = c == '\n' ? 'n' : 't';
		return p;
	}
	if (is_hidden(c))
		return put_number(p, c, how);
	if ((c == '"' || c == '\\') && how != ESCAPE_NAME)
		*p++ = '\\';
	memcpy(p, s, n);
	return p + n;
}

size_t
escape(char *buf, size_t size, const char *string, enum escape how)
{
	const unsigned char *s = (const unsigned char *)string;
	const unsigned char *end = s + strlen(string);
	char c[ESCAPE_MAX];
	size_t n, len = 0, put = 0;

	while (s < end) {
		n = (size_t)(escape_char(c, &s, end, how) - c);
		if (put == len && len + n < size) {
			memcpy(buf + len, c, n);
			put += n;
		}
		len += n;
	}
	if (size > 0)
		buf[put] = '\0';
	return len;
}
