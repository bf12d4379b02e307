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
 * utctl top: what a session records, while it does.
 */

#ifndef TOP_H
#define TOP_H

#include <stdint.h>

#include "../map.h"
#include "../show/hist.h"

enum top_by { TOP_EVENT, TOP_PROGRAM, TOP_THREAD, TOP_PAIR, TOP_TABLES };

struct top_row {
	char		*name;
	double		 events;
	uint64_t	 bytes, lost;
	struct hist	 took;		/* ns of pairs */
	/* Since the last look: bytes, and events and bytes that were read. */
	uint64_t	 came, now, read;
};

/* Events and bytes of an interval. */
struct top_sums {
	struct map	 rows[TOP_TABLES];
	double		 events;
	uint64_t	 bytes, read, lost, packets_lost;
	int64_t		 ns;		/* the length */
	int64_t		 pairs_ns;	/* the time that pairs are of, or 0 */
	int		 pairing;	/* pairs are read */
	int		 partly;	/* pairs are those of single packets */
};

/* The session, as utd tells of it, and its rates for a second. */
struct top_session {
	char		*name, *state;	/* NULL: not known */
	const char	*trouble;	/* NULL: none */
	double		 events, bytes, lost;
	int		 rated;		/* these three are known */
	double		 used, buffers;
};

/* The rows that are printed. */
struct top_view {
	enum top_by	 by;
	unsigned int	 sort;		/* a column, below TOP_SORTS */
	const char	*filter;	/* a part of names; "" for all */
	size_t		 most;		/* rows */
};

#define TOP_SORTS	3

/* top_read.c: the files of the directory, of so many bytes a second. */
void	 top_read_init(void);
void	 top_read_pair(const char *);	/* -D's; NULL: -d */
void	 top_read_pairs(void);		/* -d from now on */
void	 top_read_begin(const char *, uint64_t);
/*
 * Read what is new.  Pairs wait for events that may be so many ns late, unless
 * `all' says that no more will come.
 */
void	 top_look(int64_t, int);
/* Take the sums since the last time; the caller frees what is in them. */
void	 top_take(struct top_sums *);
void	 top_sums_free(struct top_sums *);
void	 top_read_say(void);

/* Seconds since something was written; -1: there is no trace. */
int64_t	 top_quiet(void);

/* top_print.c: lines, or JSON. */
const char *top_table(size_t);		/* NULL: there are no more */
const char *top_column(const struct top_view *);	/* the sorted one */
void	 top_print(const struct top_view *, const struct top_sums *,
	    const struct top_session *);

/* top_screen.c: the terminal. */
extern struct top_view	 screen_view;
extern int		 screen_paused;

int	 screen_begin(void);		/* 0: there is none that can do it */
void	 screen_end(void);
void	 screen_draw(const struct top_sums *, const struct top_session *);
/* Wait so many ms, or for a key: what is wanted, as bits. */
#define SCREEN_QUIT	1
#define SCREEN_DRAW	2
int	 screen_wait(int);

#endif /* TOP_H */
