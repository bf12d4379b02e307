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
 * Rows of what was found, which are a table of text or an array of JSON.  What
 * a row has is told once, for its text, its JSON and the names of its columns:
 * a column without a name is only in JSON, a member without one only in text.
 */

#ifndef ROWS_H
#define ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "../json.h"
#include "../sym/process.h"
#include "hist.h"

#define ROWS_MOST	16		/* columns */

struct rows {
	const int *fixed;		/* widths; NULL: of what is in them */
	int	 isheads;		/* names of columns, not a row */
	int	 isprinted;		/* not only measured */
	size_t	 at;			/* the column that is next */
	int	 widths[ROWS_MOST];
};

/* Tells what one row has, of the rows of what rows_put() was given. */
typedef void (*rows_put_fn)(struct rows *, const void *, size_t);

/* Print so many rows, which are an array of that name in JSON. */
void	 rows_put(struct rows *, const char *, size_t, rows_put_fn,
	    const void *);
/* Numbers come first.  The column's name, the member's name, the value. */
void	 row_u64(struct rows *, const char *, const char *, uint64_t);
void	 row_us(struct rows *, const char *, const char *, int64_t);
void	 row_text(struct rows *, const char *, const char *, ...)
	    __attribute__((format(printf, 3, 4)));
/* The digits of %g for a value: an integer is shown whole if it fits. */
int	 row_digits(double);
/* Print how values, of which there are some, or ns are distributed. */
void	 row_hist(struct rows *, struct hist *, int);
/* The members alone, with the mean or without. */
void	 json_hist(struct hist *, int);

/* Rows are of the events of these. */
void	 rows_program(const struct processes *);
/* Print ids_text(); text has the time before, in a column of that name. */
void	 row_who(const struct rows *, const char *, int64_t, const char *,
	    const char *, int64_t, int64_t);
/* A time behind the numbers. */
void	 row_when(const struct rows *, const char *, int64_t);
/* Is what comes now printed as text, in heads too? */
int	 row_tail(const struct rows *);
/* The rest of the line is text: its name, or NULL.  Is it to be printed? */
int	 row_end(const struct rows *, const char *);

/*
 * Add text to the line, which is printed when the text ends it: not more than
 * fits the width, but all of the numbers that row_text() had.
 */
void	 row_add(const char *, ...) __attribute__((format(printf, 1, 2)));
/* Find out how wide lines may be; before standard output changes. */
void	 rows_width(void);
int	 is_utf8(void);

/* The greatest few: a list of what begins with its rank, the greatest first. */
struct top {
	void	*list;
	size_t	 size;			/* bytes of an element */
	size_t	 most;			/* elements */
	size_t	 n;
};

/* A new element, zeros but for its rank; NULL: the others are greater. */
void	*top_add(struct top *, int64_t);
/* Print them below that title, or as an array of that name. */
void	 top_put(const char *, const char *, const struct top *, rows_put_fn);

#endif /* ROWS_H */
