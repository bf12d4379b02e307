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
 * Pairs, as the files pair*.c share them.
 */

#ifndef PAIR_ROLE_H
#define PAIR_ROLE_H

#include "pair.h"

struct pair {
	struct pair	*next;
	char		*name;		/* the text that is shown */
	char		*begin, *end;	/* the events, of -D; or NULL */
	char		*key;		/* the field, or NULL: a thread's */
	int		 found[2];	/* a trace has -D's begin, end */
	int		 keyed[2];	/* events have the field */
	int		 comes[2];	/* events with the field are read */
	int		 ends;		/* an event that is selected ends it */
	struct pair	*same;		/* the next found of the same hash */
};

/* The role of an event in one pair. */
struct pair_role {
	struct pair_role	*next;
	struct pair		*pair;
	const char		*name;	/* the pair, as shown */
	int			 ends;
	int			 blind;	/* the end does not tell the address */
	int			 stays;	/* begins and ends on one CPU */
	struct ctf_field_at	 at;	/* the key, or the address */
	/* The event is a call from begin to end: else they have no type. */
	struct ctf_field_at	 took, self, nested;
	/* The event ends several: index of the frame, + 1, and the next end. */
	size_t			 depth;
	struct pair_role	*outer;
};

/* Is the event a part of the pair, of which the other one may come? */
int	 pair_role_counts(const struct pairs *, const struct pair_role *);

/* pair_thread.c: pairs of one thread, which nest. */
struct pair_thread *pair_thread_of(struct pairs *, const struct ctf_stream *);
struct pair_role *pair_thread_ends(const struct pair_thread *,
	    const struct ctf_stream *);
void	 pair_thread_begin(struct pairs *, struct pair_thread *,
	    const struct pair_role *, const struct ctf_stream *,
	    enum pair_fit);
void	 pair_thread_end(struct pairs *, struct pair_thread *,
	    const struct pair_role *, const struct ctf_stream *,
	    enum pair_fit);
void	 pair_thread_whole(struct pairs *, const struct pair_role *,
	    const struct ctf_stream *);
void	 pair_threads_cut(struct pairs *, struct origin *);
void	 pair_threads_finish(struct pairs *);
void	 pair_threads_say(const struct pairs *);
void	 pair_threads_free(struct pairs *);

/* pair_key.c: pairs with a key. */
void	 pair_key_begin(struct pairs *, const struct pair_role *,
	    const struct ctf_stream *, enum pair_fit);
void	 pair_key_end(struct pairs *, const struct pair_role *,
	    const struct ctf_stream *, enum pair_fit);
void	 pair_keys_drop(struct pairs *, int);
void	 pair_keys_finish(struct pairs *);

/*
 * The fate of a pair that began at that time, in a thread of that origin; or
 * with a key, and then of any.
 */
int	 pair_fits(enum pair_fit, enum pair_fit);
/* The event ends a pair that has no beginning. */
void	 pair_unbegun(struct pairs *, const struct origin *, enum pair_fit);
/* The pair is counted, or 0: it is not known to be right. */
int	 pair_over(struct pairs *, const struct origin *,
	    const struct ctf_stream *, const struct pair_end *);
void	 pair_left(struct pairs *, const struct origin *, int64_t,
	    enum pair_fit, void *);
int	 pair_open(struct pairs *, const struct origin *, enum pair_fit,
	    const struct pair_end *);
void	 pair_total(struct pairs *, void *, int64_t, int64_t);

/* Is the event of one of several threads, and not told of which? */
static inline int
pair_thread_unknown(const struct ctf_stream *s)
{
	struct ctf_who buf;

	return (s->trace->lttng || s->trace->kernel) &&
	    !(ctf_whose(s, &buf)->has & 1 << ROLE_VTID);
}

#endif /* PAIR_ROLE_H */
