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
 * Arguments are evaluated once when somebody listens, otherwise never.
 * Prints how often.
 */

#include <stdio.h>

#include <ut.h>

UT_EVENT(lazy, on, UT_INFO, UT_INT(n), UT_STR(s))
UT_EVENT(lazy, off, UT_INFO, UT_INT(n), UT_STR(s))

static int evaluated;

static const char *
text(void)
{
	evaluated++;
	return "text";
}

static void
say(const char *what)
{
	printf("%s %d\n", what, evaluated);
	evaluated = 0;
}

int
main(void)
{
	int n = 0;

	UT(lazy, on, ++n, text());
	say("on");
	if (n == 1)
		printf("once\n");
	UT(lazy, off, ++n, text());
	say("off");
	UT_LOG(UT_INFO, "%s", text());
	say("info");
	UT_LOG(UT_DEBUG, "%s", text());
	say("debug");
	if (UT_ON(lazy, on))
		printf("listening to on\n");
	if (UT_ON(lazy, off))
		printf("listening to off\n");
	return 0;
}
