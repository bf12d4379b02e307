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
 * An event for each argument, with the argument as a string, as a sequence
 * of characters and as text.
 */

#include <stdio.h>
#include <string.h>

#include <ut.h>

UT_EVENT(quote, string, UT_INFO, UT_STR(s))
UT_EVENT(quote, text, UT_INFO, UT_TEXT(t, 16))

int
main(int argc, char *argv[])
{
	char text[16];
	int i;

	for (i = 1; i < argc; i++) {
		memset(text, 0, sizeof(text));
		strncpy(text, argv[i], sizeof(text) - 1);
		UT(quote, string, argv[i]);
		UT(quote, text, text);
	}
	return 0;
}
