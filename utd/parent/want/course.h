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

/* clock.c: the cycle counter against CLOCK_MONOTONIC, as a session's clock. */

#ifndef COURSE_H
#define COURSE_H

#include "../../utd.h"

struct session;

/* A counter's time, as CTF tells it. */
struct line {
	uint64_t	 freq;
	uint64_t	 offset_s;
	uint64_t	 offset;	/* cycles */
	uint64_t	 error;		/* ns, that comparisons were off it */
};

extern int64_t clock_ahead;		/* ut_clock_ahead() of ours */
void	 clock_begin(void);

/*
 * How the counter goes in a session.  Two comparisons part if they differ by
 * more than COURSE_BOUND, and 1 part in COURSE_DRIFT of the time between them.
 */
#define COURSE_BOUND	1000000u	/* ns */
#define COURSE_DRIFT	1000u
#define COURSE_POINTS	64
struct course {
	struct instant	 since;		/* where the line begins */
	struct instant	 upto;		/* the last comparison that fits */
	struct instant	 before;	/* an earlier reading, or since */
	uint64_t	 freq;		/* between the last two that fit */
	bool		 rated;		/* freq was measured on this line */
	uint32_t	 lines;		/* lines before this one */
	struct line	 past;		/* the line before this one */
	uint64_t	 off;		/* ns, by which the two parted; or 0 */
	bool		 broken;	/* they did: another line is due */
	bool		 lost;		/* they did again and again */
	unsigned int	 unsteady;	/* short lines in a row */
	struct instant	 seen;		/* the last comparison while broken */
	unsigned int	 compared;	/* comparisons that fit this line */
	unsigned int	 thin;		/* one in 1 << thin of them is kept */
	unsigned int	 npoints;
	struct instant	 points[COURSE_POINTS];
};

bool	 course_valid(const struct course *);	/* check another utd's course */
void	 course_begin(struct course *);
bool	 course_fits(struct course *, const struct instant *, uint64_t *);
bool	 course_moves(const struct instant *, const struct instant *);
void	 course_anew(struct course *, uint64_t, const struct instant *);
bool	 course_line(const struct course *, uint32_t, uint64_t,
	    struct line *);
uint64_t course_error(const struct course *);	/* ns; 0: nothing is known */

/* clock_trust.c: false and why, if the cycle counter is no clock. */
bool	 clock_trusted(char *, size_t);

/* clock_watch.c: sessions that have the cycle counter for a clock. */
void	 watch_soon(void);		/* there may be another */
void	 watch_session(struct session *);	/* compare the clocks now */

#endif /* COURSE_H */
