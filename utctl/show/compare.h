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
 * Runs of a program that are compared: what was measured of each group of
 * events in each run, and which differences are significant.
 */

#ifndef COMPARE_H
#define COMPARE_H

#include <stddef.h>
#include <stdint.h>

#define BLOCK_NEAR	9		/* values with one median */
#define BLOCKS		32		/* of a run, at most */
#define COMPARE_RUNS	256		/* of a side, at most */
#define COMPARE_FEW	3		/* runs that tell how much they differ */
#define COMPARE_ALPHA	0.001		/* probability of any false alarm */

/* What is measured of a group in a run. */
enum figure_of { FIGURE_TIME, FIGURE_SELF, FIGURE_COUNT, FIGURE_RATE };
#define FIGURES		4

/*
 * The medians of values that follow one another, and the means of so many of
 * these, which are the blocks.  Two blocks become one where there are too many.
 */
struct medians {
	double		 block[BLOCKS];
	size_t		 nblocks;
	uint64_t	 each, n;	/* medians of a block; of the last */
	double		 sum;
	double		 near[BLOCK_NEAR];
	size_t		 nnear;
};

/* How many events came in each time, from the beginning of the run on. */
struct counts {
	int64_t		 width;		/* ns; 0: no event yet */
	uint64_t	 n[BLOCKS];
	uint64_t	 sum;
};

/* One run's figure, and how much it differs between the blocks of the run. */
struct figure {
	double		 value;		/* 0: unknown, or there is no event */
	double		 spread;	/* standard deviation / mean */
	size_t		 nblocks;	/* 0: too few to know the spread */
};

/* A difference between the runs of one side and those of the other. */
struct difference {
	double		 before, after;	/* geometric means of the figures */
	double		 factor, low, high;
	double		 p;		/* of one by chance that is as large */
};

/* compare_test.c */
void	 medians_add(struct medians *, double);
struct figure medians_figure(struct medians *);
void	 counts_add(struct counts *, int64_t);
/* The events of a second of a run that took so many ns. */
struct figure counts_rate(struct counts *, int64_t);
/*
 * Compare the figures of so many runs with those of so many others; one of a
 * run is FIGURES behind that of the run before.  With fewer than COMPARE_FEW on
 * a side, nobody knows how much runs differ: they count as one block of a run.
 * 0: nothing can be said.
 */
int	 figures_differ(const struct figure *, size_t, const struct figure *,
	    size_t, struct difference *);

#endif /* COMPARE_H */
