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
 * Which events of a trace are wanted: the options that all commands have that
 * read traces.
 */

#ifndef SELECT_H
#define SELECT_H

#include <stddef.h>
#include <stdint.h>

#include "../when.h"
#include "ctf_stream.h"
#include "expr/compile.h"

#define SELECT_USAGE	"[-b time] [-u time] [-e glob] ... " RULE_USAGE \
	" [-p pid | glob] ... [-t tid | glob] ... [-n count]"
#define SELECT_HELP \
	"-b time\tfrom then on: 14:03, '2026-11-21 14:03:07.5', +1.5s", \
	"-u time\tup to then; -2s: 2 seconds before the end", \
	"-e glob\tevents that match; may be repeated", RULE_HELP, \
	"-p pid | glob\tof this process or program; may be repeated", \
	"-t tid | glob\tof this thread or of this name; may be repeated", \
	"-n count\tonly so many events, the first; with a -, the last"

/* A pattern of names, or an ID. */
struct pattern {
	const char	*glob;		/* NULL: the ID */
	int64_t		 id;
	int		 used;		/* something matched it */
};

struct patterns {
	struct pattern	*v;		/* has room for all arguments */
	size_t		 n;
};

struct select {
	struct patterns	 events, except;
	struct patterns	 programs, threads;
	int		 levels;	/* 'l' up to level, 'L' only that */
	uint32_t	 level;
	int		 level_used;	/* an event has such a level */
	const char	*text;		/* the filter's, or NULL */
	struct expr	*filter;
	int		 passes;	/* does the filter fit some event? */
	struct expr_why	 why;		/* the reason why it fits none */
	int		 why_holds;	/* is why true of every event? */
	int		 why_address;	/* an address is compared with text */
	int		 whys;		/* events for which why was checked */
	struct when	 since, until;
	int64_t		 from, to;	/* since and until in ns, if known */
	int		 roles;		/* bits: traces tell these */
	int		 intime, ofthem;	/* events, and of -p and -t */
	int		 count_given;
	long long	 count;		/* first ones; negative: last */
};

/* Make room for so many of each option. */
void	 select_init(struct select *, int);
/* An option of getopt(3): 0 if it is none of these; or utctl ends. */
int	 select_option(struct select *, int);
int	 select_all(const struct select *);	/* are all events wanted? */
int	 select_each(const struct select *);	/* all but for the count? */
/* May it leave out some events of a class and a process, by thread or value? */
int	 select_within(const struct select *);
/* Each trace, before its first event. */
void	 select_trace(struct select *, struct ctf_trace *);
int	 select_event(struct select *, struct ctf_stream *);
/* If not: is it for the filter alone? */
int	 select_refuses(struct select *, struct ctf_stream *);
int	 select_loss(const struct select *, const struct ctf_stream *);
/* Say which options matched nothing: so many events were selected. */
void	 select_say(const struct select *, unsigned long long);
void	 select_free(struct select *);

/*
 * ctf_filter.c: compile the filter for events of that class, in the trace's
 * memory.  NULL if it is false for them, as when they lack a field; the reason
 * is told.
 */
struct ctf_filter *ctf_filter(struct ctf_trace *, const struct ctf_sclass *,
	    const struct ctf_eclass *, const struct expr *, struct expr_why *);
/* After ctf_read(): does the event pass? */
int	 ctf_passes(const struct ctf_filter *, const struct ctf_stream *);

#endif /* SELECT_H */
