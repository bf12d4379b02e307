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
 * Messages: of every length around where they are cut, with what printf(3)
 * knows.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ut.h>

static char text[10000];

static void
of_length(int ut_e)	/* no name of UT_LOG's */
{
	UT_LOG(UT_INFO, "%.*s", ut_e, text);
}

static void
in_function(void)
{
#line 100 "a file.c"
	UT_LOG(UT_INFO, "plain");
}

static void __attribute__((format(printf, 1, 2)))
says(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
#line 150 "v.c"
	UT_VLOG(UT_NOTICE, format, ap);
	va_end(ap);
}

int
main(void)
{
	memset(text, 'x', sizeof(text) - 1);
	text[4095] = 'Z';
	in_function();
	says("%d of %s", 2, "two");
#line 200 "b.c"
	UT_LOG(UT_WARNING, "%d %s %% %5.2f \"%c\"", -1, "s", 2.5, 'c');
	UT_LOG(UT_WARNING, "%s", "");
	errno = ENOENT;
	UT_LOG(UT_ERR, "%s", strerror(errno));
	if (errno != ENOENT)
		printf("errno\n");
	if (text[0] == 'x')
		UT_LOG(UT_INFO, "if");
	else
		UT_LOG(UT_INFO, "else");
	of_length(0);
	of_length(4094);
	of_length(4095);
	of_length(4096);
	of_length(9999);
	return 0;
}
