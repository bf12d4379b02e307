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
 * Shared by the commands that read traces: `utctl view' and those like it.
 *
 * The traces of directories are found (ctf_find.c), those of their events that
 * are wanted are selected (select.c), and all come in the order of time
 * (ctf_merge.c).
 */

#ifndef READER_H
#define READER_H

#include <sys/types.h>
#include <sys/stat.h>

#include <stddef.h>
#include <stdint.h>

#include "ctf_stream.h"

#define READER_LITTLE	(4 << 10)	/* window of who reads headers only */

struct reader_cores;
struct select;

/* Functions for what is read; the first argument is reader_run's. */
struct reader_ops {
	void	(*event)(void *, struct ctf_stream *);
	/* Losses; or NULL. */
	void	(*discarded)(void *, const struct ctf_stream *);
	void	(*lost)(void *, const struct ctf_stream *);
	void	(*trace)(struct ctf_trace *);	/* before its events; or NULL */
	/* An event of a module, wanted or not; or NULL. */
	void	(*module)(void *, struct ctf_stream *);
	/* An event of a pair that -f alone refuses; or NULL. */
	void	(*refused)(void *, struct ctf_stream *);
	/*
	 * Events between gonefrom and goneto may be missing, on purpose; if
	 * nobody knows since when, this comes before all events.  Or NULL.
	 */
	void	(*gone)(void *, const struct ctf_stream *);
};

/* How often a clock jumped, by how much in all, and between which dates. */
struct reader_steps {
	size_t		 n;
	double		 ns;
	int64_t		 from, to;
};

/* A session on one host, whose points date its traces. */
struct reader_session {
	const struct ctf_trace	*trace;		/* one of them */
	const struct ctf_point	*last;
	struct reader_steps	 set;		/* the system's clock */
	struct reader_steps	 slept;		/* the machine */
};

/* Functions that give addresses names have to be told of all modules. */
struct reader_names {
	void	(*trace)(struct ctf_trace *);	/* before its events */
	void	(*module)(const struct ctf_stream *);
};

/* A directory whose traces are read.  The list ends with a name of NULL. */
struct reader_dir {
	char			*name;
	char			*hides;		/* a session's name; or NULL */
	struct ctf_move		 move;
};

struct reader {
	/* ctf_find.c */
	struct ctf_trace	*traces;	/* the newest first */
	struct ctf_stream	**streams;	/* the heap, once it is made */
	size_t			 nstreams, cap;
	size_t			 nfound;	/* streams so far */
	size_t			 ntraces;
	const struct reader_dir	*dirs;		/* reader_open_all()'s */
	size_t			 dir;		/* how many are open */
	struct ctf_move		 move;		/* the next one's */
	int			 top;		/* a session's ust is there */
	int			 files;		/* something is no directory */
	int			 twice;		/* some trace was known */
	int			*kept;		/* files that stay open */
	size_t			 nkept, keptcap;

	/* ctf_dates.c: sessions with points */
	struct reader_session	*sessions;
	size_t			 nsessions;
	/* ctf_find.c: the names of the hosts, sorted. */
	const char		**hosts;
	size_t			 nhosts;

	/* reader_follow(): the traces are still written. */
	int			  follow;
	struct ctf_stream	**idle;	/* all of them has been read */
	size_t			  nidle, idlecap;

	/* Whoever has the reader. */
	struct select		*select; /* NULL: all events */
	const struct reader_names *names; /* NULL: none */
	int			 refused;	/* ops->refused is called */
	const struct reader_cores *cores; /* cores.h; NULL: one core */
	int			 each;		/* select takes all events */
	int			 stacks;	/* stack_of() is called */
	/* A definition of a stack, wanted or not; or NULL. */
	void			(*define)(void *, struct ctf_stream *);
	/* A kernel's sched_switch, wanted or not; or NULL. */
	void			(*sched)(void *, struct ctf_stream *);

	unsigned long long	 skip;	/* events to pass over first */
	unsigned long long	 left;	/* events to read after that */
	/* Events, losses and packets that were read. */
	unsigned long long	 nevents;
	unsigned long long	 ndiscarded;
	unsigned long long	 nlost;		/* packets */
};

/* ctf_find.c */
void	 hosts_find(struct reader *);
void	 reader_open(struct reader *, const char *);
/* Close files that were kept open, all but the first n. */
void	 reader_unkeep(struct reader *, size_t);
void	 reader_look(struct reader *, const char *);
void	 trace_stat(struct ctf_trace *, const struct stat *);
int	 trace_changed(const struct ctf_trace *, const struct stat *);
void	 stream_add(struct reader *, struct ctf_stream *);
struct ctf_stream *stream_copy(const struct ctf_stream *);
void	 stream_free(struct ctf_stream *);

/* ctf_dates.c */
void	 reader_open_all(struct reader *, const struct reader_dir *);

/* ctf_twice.c */
void	 reader_twice(struct reader *);

/* ctf_row.c: where streams that are new go on from. */
void	 reader_rows(struct reader *);
struct ctf_stream *stream_anew(const struct ctf_stream *);

/* view.c: prints what is read; losses on stderr. */
extern const struct reader_ops print_ops;

/* ctf_run.c */
void	 reader_trace(struct reader *, const struct reader_ops *,
	    struct ctf_trace *);
/* Get ready for reader_merge(); or do both. */
void	 reader_begin(struct reader *, const struct reader_ops *);
void	 reader_run(struct reader *, const struct reader_ops *, void *);
int	 reader_span(const struct reader *, int64_t *, int64_t *);
void	 reader_times(struct reader *);
void	 reader_count(struct reader *);

/* ctf_merge.c */
void	 reader_again(const struct reader *, struct reader *);
void	 reader_merge(struct reader *, const struct reader_ops *, void *);
void	 reader_idle(struct reader *, struct ctf_stream *);
void	 reader_wake(struct reader *);
void	 reader_sort(struct reader *);
/* Put the heap in order, where the time of one stream has grown. */
void	 reader_down(struct reader *, size_t);
/* Find the stream's next item that is wanted, of an event all of it. */
int	 reader_next(struct reader *, struct ctf_stream *);
void	 reader_drop(struct ctf_stream *);
/* Add to a sum, which does not begin anew whatever files say. */
void	 reader_add(unsigned long long *, uint64_t);
int	 reader_upto(struct reader *, const struct reader_ops *, void *,
	    int64_t);
void	 reader_free(struct reader *);

#endif /* READER_H */
