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
 * From an expression (expr.h) and the fields of an event to code (filter.h).
 */

#ifndef COMPILE_H
#define COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "expr.h"
#include "filter.h"

struct ut_value;

/* A field, described as by struct ut_field of ut.h. */
struct expr_field {
	const char		*name;
	uint8_t			 kind;		/* UT_KIND_ */
	uint8_t			 size;		/* bytes of an element */
	uint8_t			 flags;		/* UT_F_ */
	uint32_t		 count;
	const struct ut_value	*values;	/* an enumeration's */
	size_t			 nvalues;
};

/* Why an expression does not fit an event. */
struct expr_why {
	const char	*lacks;		/* field of the expression, or NULL */
	const char	*number;	/* a number that is taken for text */
	char		 text[256];	/* for the user */
};

/*
 * Append a program, with its length before it, for an event that has these
 * fields in this order.  False: the code is as it was, and this is why.
 */
bool	 expr_compile(const struct expr *, const struct expr_field *, size_t,
	    struct filter_code *, struct expr_why *);

#endif /* COMPILE_H */
