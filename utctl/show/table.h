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
 * A table of numbers, whose columns are as wide as what is in them.  The rows
 * are told twice: first they are measured, then printed.
 */

#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>

#define TABLE_MOST	16		/* columns */

struct table {
	enum {
		/* Nothing was told yet. */
		TABLE_BEGUN,
		TABLE_MEASURED,
		TABLE_PRINTED
	}	 pass;
	size_t	 at;			/* the column that is next */
	int	 widths[TABLE_MOST];
};

void	 table_begin(struct table *);
/* Tell all rows, once more; false: they are printed. */
int	 table_next(struct table *);
void	 table_cell(struct table *, const char *, ...)
    __attribute__((format(printf, 2, 3)));
void	 table_us(struct table *, double);	/* of ns */
/* The row has no more numbers; is the rest of the line to be printed? */
int	 table_rest(struct table *);

#endif /* TABLE_H */
