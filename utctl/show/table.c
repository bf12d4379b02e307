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
 * Tables of numbers.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

#define US	1e3			/* ns */
#define CELL	32			/* bytes of a number, and its NUL */

void
table_begin(struct table *t)
{
	memset(t, 0, sizeof(*t));
	t->pass = TABLE_BEGUN;
}

int
table_next(struct table *t)
{
	t->at = 0;
	if (t->pass == TABLE_PRINTED)
		return 0;
	t->pass = t->pass == TABLE_BEGUN ? TABLE_MEASURED : TABLE_PRINTED;
	return 1;
}

void
table_cell(struct table *t, const char *fmt, ...)
{
	char text[CELL];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = (int)strlen(text);
	if (t->pass == TABLE_PRINTED)
		printf("%s%*s", t->at == 0 ? "" : "  ", t->widths[t->at],
		    text);
	else if (n > t->widths[t->at])
		t->widths[t->at] = n;
	t->at++;
}

void
table_us(struct table *t, double ns)
{
	table_cell(t, "%.3f", ns / US);
}

int
table_rest(struct table *t)
{
	t->at = 0;
	return t->pass == TABLE_PRINTED;
}
