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
 * Runs that are compared: what is measured of a group of events in each run,
 * and the statistics of that.
 */

#ifndef COMPARE_H
#define COMPARE_H

#include <stddef.h>
#include <stdint.h>

#define NEAR		9		/* values with one median */
#define BLOCKS		32		/* a run has at most */
#define COMPARE_RUNS	256		/* a side has at most */
#define COMPARE_FEW	3		/* runs that tell how they differ */
#define COMPARE_ALPHA	0.001		/* probability of any false alarm */

enum figure_of { FIGURE_TIME, FIGURE_SELF, FIGURE_COUNT, FIGURE_RATE };
#define FIGURES		4

/* Kinds of groups: the last three have only sums, of one run each. */
enum compare_kind {
	COMPARE_EVENTS, COMPARE_PAIRS,
	COMPARE_TIMES,			/* SUM_TOTAL, SUM_SELF in ns */
	COMPARE_STACKS,			/* SUM_TOTAL, SUM_SELF in events */
	COMPARE_HEAP			/* SUM_LIVE and those after it */
};
enum { SUM_TOTAL, SUM_SELF };
enum { SUM_LIVE, SUM_ALLOCATED, SUM_PEAK, SUM_CALLS };

/*
 * Means of equally many values that came one after the other.  If there are too
 * many blocks, two become one.
 */
struct means {
	double		 mean[BLOCKS];
	size_t		 n;
	uint64_t	 each;		/* values of a block */
	uint64_t	 some;		/* values that are no block yet */
	double		 sum;		/* the sum of these */
};

/* A group of one run. */
struct measured {
	uint64_t	 n;		/* events, or pairs */
	double		 took[NEAR], self[NEAR];	/* the latest ones */
	struct means	 took_medians, self_medians;
	int64_t		 since;		/* ns: the last one but NEAR */
	struct means	 gaps;		/* ns from one to the next but NEAR */
	double		 sum[FIGURES], parts[FIGURES];
};

/* One run's figure, and how much it differs between the blocks of the run. */
struct figure {
	double		 value;		/* 0: unknown, or there is no event */
	double		 spread;	/* blocks differ by that part */
	double		 error;		/* value is as uncertain, at least */
	size_t		 nblocks;	/* 0: too few to know the spread */
};

/* A difference between the runs of one side and those of the other. */
struct difference {
	double		 before, after;	/* geometric means of the figures */
	double		 factor, low, high;	/* low is 0: limits unknown */
	double		 p;		/* chance makes one as large */
	double		 error, df;	/* factor's logarithm: t-test */
	int		 apart;		/* the runs of both sides are */
	int		 same;		/* the runs of each side are */
};

/* compare_test.c */
void	 measure(struct measured *, int64_t, int64_t, int64_t);
/* The figures of a group, of a run that took so many ns. */
void	 measured_figures(struct measured *, double, struct figure *);
/*
 * Compare the figures of so many runs with those of so many others; one of a
 * run is FIGURES behind that of the run before.  With fewer than COMPARE_FEW on
 * a side, nobody knows how much runs differ: they count as one block of a run.
 * 0: nothing can be said.
 */
int	 figures_differ(const struct figure *, size_t, const struct figure *,
	    size_t, struct difference *);
/* The least factor that a test with such a chance of a false alarm finds. */
double	 figures_find(const struct difference *, double);
/*
 * Sums of runs, some of which are 0: these have perhaps missed half of a part.
 */
void	 figures_fill(struct figure *, size_t);

struct group;
struct groups;
struct reader;

/* compare.c: a directory of -C. */
void	 compare_with(char *);
int	 compare_on(void);
/* Before the process is confined, with the directories to be compared. */
struct reader_dir;
void	 compare_begin(struct reader_dir *);
/* An event of the group, or the end of a pair: its time, how long it took. */
void	 compare_add(struct group *, int64_t, int64_t, int64_t);
/* Add a sum, of so many parts, to a group; and what the run consists of. */
void	 compare_sum(struct group *, int, double, double);
void	 compare_run(enum compare_kind, int64_t, int64_t);
/*
 * Read the runs, with a function that returns how many pairs were left out, and
 * print what differs, or all that was compared.
 */
void	 compare_runs(struct reader *, struct groups *, enum compare_kind, int,
	    uint64_t (*)(struct reader *));
void	 compare_end(void);

#endif /* COMPARE_H */
