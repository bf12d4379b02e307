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
 * The events of traces, or the durations of pairs, in each interval, for -i.
 */

#ifndef INTERVALS_H
#define INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/reader.h"
#include "rows.h"

#define INTERVALS_MOST	10000

struct interval {
	uint64_t	 n;
	struct hist	 values;
	uint64_t	 lost;		/* certainly in this interval */
	uint64_t	 perhaps;	/* at most so many more: see sum_up() */
	uint64_t	 unknown;	/* losses of unknown size, likewise */
};

struct intervals {
	int64_t		 length;	/* ns; 0: no intervals are wanted */
	int64_t		 origin;	/* relative times count from there */
	int64_t		 begin, end;	/* the selected time */
	int		 early;		/* the first has losses before begin */
	int		 late;		/* the last has losses after end */
	struct interval	*v;
	size_t		 n;
	size_t		 first;		/* shown */
	const char	*what;		/* events or calls */
	/* No values are shown, or the field's, or durations. */
	enum { INTERVALS_NONE, INTERVALS_VALUES, INTERVALS_NS } values;
};

/* Is there anything to tell of it? */
static inline int
interval_any(const struct interval *v)
{
	return (v->n | v->lost | v->perhaps | v->unknown) != 0;
}

/* Take the argument of -i; dies if it is wrong. */
void	 intervals_length(struct intervals *, const char *);
/* Before the traces are read: from when on; dies if there are too many. */
void	 intervals_begin(struct intervals *, struct reader *);
/* The number of the interval of that time, and when one begins. */
size_t	 intervals_index(const struct intervals *, int64_t);
int64_t	 intervals_from(const struct intervals *, size_t);
/* End a row with when an interval begins, as -b takes it, and more. */
void	 intervals_end(const struct rows *, const struct intervals *, size_t,
	    const char *);
struct interval *intervals_at(struct intervals *, size_t);
/* Count an event, or a call with its value, at that time. */
void	 intervals_add(struct intervals *, int64_t, const double *);
/* Events were lost, or are gone: the stream's item tells of them. */
void	 intervals_lose(struct intervals *, const struct ctf_stream *);
void	 intervals_put(struct intervals *);
void	 intervals_free(struct intervals *);

#endif /* INTERVALS_H */
