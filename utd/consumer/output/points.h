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
 * When the clocks are to be written down: see points.c.  Nothing is read or
 * written here.
 */

#ifndef POINTS_H
#define POINTS_H

#include "../../utd.h"

/* ns between points, if nothing happens; a test has them sooner. */
#ifndef POINTS_EVERY
#define POINTS_EVERY	UINT64_C(60000000000)
#endif

/* The points so far; all 0 before the first one. */
struct points {
	unsigned int	 n;		/* points so far; 2: or more */
	struct instant	 last, before;	/* the last two points */
	unsigned int	 breaks;	/* breaks in a row, close together */
};

enum points_due {
	POINTS_NOT,
	POINTS_DUE,			/* after some time */
	POINTS_BROKEN			/* the clocks went another way */
};

/* Is a point due, if that is what the clocks say now? */
enum points_due points_due(const struct points *, const struct instant *);
void	 points_add(struct points *, const struct instant *);

#endif /* POINTS_H */
