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
 * Events that belong together as beginning and end.
 */

#ifndef PAIR_H
#define PAIR_H

#include <stdint.h>

#include "../ctf/ctf_field.h"
#include "../map.h"
#include "../sym/process.h"
#include "../sym/symbols.h"

#define PAIR_NAME	(SYMBOLS_MAX + 64)

/* Where an event is in the files. */
struct event_place {
	size_t		 stream;	/* the stream's index */
	uint64_t	 bit;		/* offset in the file */
};

/* An end that has met its beginning. */
struct pair_end {
	void		*what;		/* from begin() */
	struct event_place place;	/* the event that began it, ... */
	int64_t		 at;		/* ... and its time */
	int64_t		 begin;		/* ns */
	int64_t		 took;
	int64_t		 self;		/* without what was nested in it */
};

/* The answer of the filter about an event. */
enum pair_fit {
	/* The filter is false. */
	PAIR_REFUSED,
	/* The event lacks fields of the filter: the pair's other one tells. */
	PAIR_OPEN,
	/* The filter is true, or there is none. */
	PAIR_FITS
};

struct pair_ops {
	/*
	 * A beginning of a pair of that name, and of that address, if it has
	 * one; what it is counted for.
	 */
	void	*(*begin)(void *, const struct ctf_stream *, const char *,
		    const struct ctf_field_at *, uint64_t);
	void	 (*end)(void *, const struct ctf_stream *,
		    const struct pair_end *);
	/* The pair can no longer end; or NULL. */
	void	 (*left)(void *, void *);
	/*
	 * The pair has no end yet: it took until the last event of its thread,
	 * or if it has a key, until the last event of all.  Or NULL.
	 */
	void	 (*open)(void *, const struct pair_end *);
	/* A beginning of a pair that has a key; or NULL: as begin. */
	void	*(*begin_key)(void *, const struct ctf_stream *, const char *);
	/*
	 * A pair of that what was under way for so many ns more, which count
	 * once where such pairs were nested in one another.  First come the
	 * ns of pairs for which end() was called, then those of open().  Or
	 * NULL.
	 */
	void	 (*total)(void *, void *, int64_t, int64_t);
	/*
	 * The event tells of a whole call of the name and the address, which
	 * took so many ns; or NULL: as begin() and end().
	 */
	void	 (*whole)(void *, const struct ctf_stream *, const char *,
		    const struct ctf_field_at *, uint64_t, int64_t);
};

struct pairs {
	const struct pair_ops	*ops;
	void			*arg;
	/* Events were lost, or are gone: for arg; or NULL. */
	void			(*lose)(void *, const struct ctf_stream *);
	int			 named;	/* pairs by their names are wanted */
	int			 once;	/* none that -D has */
	int			 waits;	/* so are waits for locks */
	int			 need_end;	/* report only pairs that end */
	int			 ignore_filter_at_end;	/* if it lacks fields */
	uint64_t		 unended, unbegun;
	uint64_t		 lost;	/* left out, as events are missing */
	/* Events were lost, and not only removed, where some were left out. */
	int			 losses;
	uint64_t		 nobody;	/* events of no known thread */
	const struct ctf_trace	*nobodys;	/* the first one's */
	int64_t			 last;	/* ns: the last event */
	struct pair		*given;	/* by -D, the newest first */
	struct pair		*found;	/* by names of events, newest first */
	struct map		 names;	/* found, by name */
	struct processes	 processes;
	struct map		 threads;
	struct pair_thread	*recent;	/* one of them; or NULL */
	struct pair_thread	*oldest, *newest;	/* by arrival */
	size_t			 noverlaps;	/* threads whose packets do */
	const struct pair_thread *overlapping;	/* the first one, or NULL */
	struct pair_key		**keys;		/* a hash table */
	struct pair_key		*first_key, *last_key;	/* by beginning */
	size_t			 nkeys, kcap;
	const struct pair_role	*key;		/* in begin_key(): its key's */
};

void	 pairs_init(struct pairs *);
/* Add the pair begin,end[,key] of -D; dies if it is wrong. */
void	 pairs_add(struct pairs *, const char *);
static inline struct event_place
event_place(const struct ctf_stream *s)
{
	const struct event_place p = { s->index, 8 * s->at + s->atbit };

	return p;
}

/* Each trace, before its events. */
void	 pairs_trace(struct pairs *, struct ctf_trace *);
/* After ctf_body(). */
void	 pairs_event(struct pairs *, const struct ctf_stream *,
	    enum pair_fit);
/* All events of the reader. */
void	 pairs_read(struct pairs *, struct reader *);
/* The number of that thread of the trace in its process. */
int64_t	 pair_tid(const struct ctf_trace *, const struct ctf_who *);
/* So many are open in the event's thread, or that most. */
size_t	 pairs_depth(struct pairs *, const struct ctf_stream *, size_t);
/* The what of the innermost open pair in the event's thread, or NULL. */
void	*pairs_top(struct pairs *, const struct ctf_stream *);
/* Whatever a loss in the stream may affect is left without an end. */
void	 pairs_cut(struct pairs *, const struct ctf_stream *);
/* Events were lost: the stream's item tells of them. */
void	 pairs_lose(struct pairs *, const struct ctf_stream *);
/*
 * The text for a pair: the function, if it has an address, otherwise the name
 * of the pair.  The buffer has PAIR_NAME bytes.
 */
const char *pair_name(char *, const struct ctf_stream *, const char *,
	    const struct ctf_field_at *, uint64_t);
/* Finish pairs that have no end yet: none will come. */
void	 pairs_finish(struct pairs *);
/* Say what -D names and no trace has, and which pairs are not certain. */
void	 pairs_say(const struct pairs *);
/* Why pairs were left out, as text. */
const char *pairs_why_lost(const struct pairs *);
/* Say what to do about pairs that were left out. */
void	 pairs_say_lost(const struct pairs *);
/* Other traces come: forget all but which pairs are wanted. */
void	 pairs_again(struct pairs *);
void	 pairs_free(struct pairs *);

#endif /* PAIR_H */
