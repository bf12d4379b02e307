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
 * utctl stat: groups of events; how long pairs have taken; events by the
 * functions on their stacks; and the clocks of what is read.
 */

#ifndef STAT_H
#define STAT_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/reader.h"
#include "../show/group.h"
#include "../show/intervals.h"
#include "../show/pair.h"

struct stat_run;

/*
 * durations.c: prints what the reader has: the groups, by what -g has said,
 * and so many of the slowest pairs, 1 or more; or if -i is given, intervals.
 */
void	 durations(struct reader *, struct stat_run *, size_t);
/* Only read a run of -C. */
void	 durations_read(struct reader *, struct pairs *, struct groups *);

/*
 * profile.c: prints events by the functions on their stacks; by these and who
 * calls them; or by stack.
 */
void	 profile(struct reader *, const char *);
/* Only read a run of -C: of samples, if there are some, or of all events. */
void	 profile_read(struct reader *, const char *, struct groups *);
void	 profile_end(void);

struct clock_seen {
	char	*name;
	double	 error;			/* ns; 0: nothing is known */
	int	 points;		/* some dates are by points */
};

struct clocks {
	struct clock_seen	*seen;
	size_t			 n;
	const struct ctf_clock	*last;	/* the last event's */
};

/* clocks.c */
void	 clocks_add(struct clocks *, const char *, double, int);
void	 clocks_note(struct clocks *, const struct ctf_clock *);
void	 clocks_print(const struct clocks *, const struct reader *);
void	 clocks_free(struct clocks *);
/* Print the points: stat -c. */
void	 clocks_points(const struct reader *);

struct stat_run {
	struct groups	 groups;
	struct clocks	 clocks;
	const char	*value;		/* -v; or NULL */
	int		 value_isnumber;	/* the field is a number */
	int		 durations;	/* -d or -D: of pairs */
	struct pairs	 pairs;
	size_t		 slowest;	/* -S; or 0 */
	int		 bars;		/* -H */
	struct intervals intervals;	/* -i */
	int		 points;	/* -c */
	int64_t		 begin, end;
	int64_t		 origin;	/* when the first event came */
	uint64_t	 n, bits;	/* events, and how long they are */
	int		 any;		/* some event was looked at */
	const char	*profile;	/* -g that is of stacks; or NULL */
	int		 all;		/* -a */
};

/* stat_cores.c: what a process has counted, from one to the other. */
void	 stat_give(void *);
void	 stat_take(void *, const void *, size_t);

#endif /* STAT_H */
