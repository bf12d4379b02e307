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
 * How values are distributed.
 */

#ifndef HIST_H
#define HIST_H

#include <stddef.h>
#include <stdint.h>

struct hist_cell;

struct hist {
	uint64_t	 n;
	double		 min, max, sum;
	double		 rest;		/* lost when sum was rounded */
	struct hist_cell *cells;
	size_t		 used, cap;
	int		 sorted;
};

#define HIST_QUANTILES	4

extern const struct hist_shown {
	const char	*name;
	unsigned int	 of_1000;
} hist_quantiles[HIST_QUANTILES];

void	 hist_add(struct hist *, double);
/* The value that so many of a thousand are not above, to 0.4 %. */
double	 hist_quantile(struct hist *, unsigned int);
/* Count the values from the one to below the other. */
uint64_t hist_between(const struct hist *, double, double);
double	 hist_mean(const struct hist *);
/* Add another one, whose cells, so many bytes of them, are there. */
void	 hist_merge(struct hist *, const struct hist *, const void *);
size_t	 hist_bytes(const struct hist *);
void	 hist_free(struct hist *);

#endif /* HIST_H */
