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
 * One event that is another with each way to compile this: -DNAME, -DLEVEL,
 * -DFIELDS.  Traces it as often as the argument says, then waits until its
 * stdin ends.
 */

#include <stdio.h>
#include <stdlib.h>

#include <ut.h>

#ifndef NAME
#define NAME	one
#endif
#ifndef LEVEL
#define LEVEL	UT_INFO
#endif
#ifndef FIELDS
#define FIELDS	UT_INT(n)
#define VALUES	i
#endif

#define EVENT(name, ...)	UT_EVENT(kind, name, LEVEL, __VA_ARGS__)
#define TRACE(name, ...)	UT(kind, name, __VA_ARGS__)
EVENT(NAME, FIELDS)

int
main(int argc, char *argv[])
{
	int i, n = argc > 1 ? atoi(argv[1]) : 1;

	for (i = 0; i < n; i++)
		TRACE(NAME, VALUES);
	printf("done\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	return 0;
}
