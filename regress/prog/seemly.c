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
 * Is what comes in fit for a terminal?  It has to be UTF-8, and but for tabs
 * and the ends of lines no character may be one that a terminal obeys, that is
 * not seen, or that changes how the others are shown.  With -j not even
 * escapes may be such that JSON does not have.
 */

#include <err.h>
#include <stdio.h>
#include <string.h>

static const unsigned long bad[][2] = {
	{ 0x00, 0x08 }, { 0x0b, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad },
	{ 0x61c, 0x61c }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xd800, 0xdfff },
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff }
};

/* One more byte of a character. */
static unsigned long
more(unsigned long v)
{
	int c = getchar();

	if (c == EOF || (c & 0xc0) != 0x80)
		errx(1, "not UTF-8 after %lx", v);
	return v << 6 | ((unsigned long)c & 0x3f);
}

static unsigned long
character(int c)
{
	unsigned long v = (unsigned long)c;

	if (c < 0x80)
		return v;
	if (c < 0xc2 || c > 0xf4)
		errx(1, "byte %x", (unsigned int)c);
	if (c < 0xe0)
		return more(v & 0x1f);
	if (c < 0xf0)
		return more(more(v & 0x0f));
	return more(more(more(v & 0x07)));
}

int
main(int argc, char *argv[])
{
	int c, json = argc > 1 && strcmp(argv[1], "-j") == 0;
	unsigned long v, before = 0;
	size_t i;

	while ((c = getchar()) != EOF) {
		v = character(c);
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			if (v >= bad[i][0] && v <= bad[i][1])
				errx(1, "U+%04lX", v);
		if (json && before == '\\' && (v > 0x7f ||
		    strchr("\"\\/bfnrtu", (int)v) == NULL))
			errx(1, "escape of U+%04lX", v);
		before = before == '\\' && v == '\\' ? 0 : v;
	}
	return 0;
}
