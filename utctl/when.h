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
 * Times of a trace, as arguments.
 */

#ifndef WHEN_H
#define WHEN_H

#include <stdint.h>
#include <time.h>

enum when_kind {
	WHEN_NONE,			/* not given */
	WHEN_AT,
	WHEN_BEGIN,			/* so long after the beginning */
	WHEN_END,			/* so long before the end */
	WHEN_DAY			/* on the day of the beginning */
};

struct when {
	enum when_kind	 kind;
	int64_t		 ns;		/* BEGIN, END: length; else: fraction */
	int64_t		 s;		/* AT: seconds since 1970 */
	struct tm	 tm;		/* DAY: time of day */
};

/* Seconds or another unit, perhaps with a fraction, in ns: 0, or -1. */
int	 when_length(const char *, int64_t *);
/* No more than INT64_MAX, and no less than -INT64_MAX. */
int64_t	 when_sum(int64_t, int64_t);
/* From one date to another; a double has no room for both. */
double	 when_seconds(int64_t, int64_t);
/* Dies after a message if the text is not a time. */
void	 when_parse(struct when *, const char *);
/* Does it depend on the trace? */
int	 when_relative(const struct when *);
/* In ns since 1970, in a trace from here to there. */
int64_t	 when_ns(const struct when *, int64_t, int64_t);

#endif /* WHEN_H */
