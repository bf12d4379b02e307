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
 * A program with events of its own and ut:log.  It says so, and ends with its
 * standard input.
 */

#include <stdio.h>

#include <ut.h>

UT_EVENT(chatty, before, UT_INFO, UT_INT(n))
UT_EVENT(chatty, behind, UT_ERR, UT_STR(text))

int
main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF) {
		UT(chatty, before, 1);
		UT_LOG(UT_INFO, "a line");
		UT(chatty, behind, "text");
	}
	return 0;
}
