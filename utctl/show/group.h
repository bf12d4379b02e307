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
 * Groups of events, by the event, the program, the thread, or by fields: what
 * was counted of each, and their printing.
 */

#ifndef GROUP_H
#define GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf_field.h"
#include "../ctf/reader.h"
#include "../map.h"
#include "rows.h"

#define GROUP_BY	8	/* names in -g */
#define GROUP_PART	200	/* bytes of a name in a key */

/* A group of events.  The key has its names, each with a NUL behind. */
struct group {
	char		*key;
	size_t		 len;
	uint64_t	 hash;
	uint64_t	 n;
	uint64_t	 bits;		/* the length of its events */
	int64_t		 first, last;
	struct hist	 values;
	int64_t		 total, self;	/* ns of its pairs */
	uint64_t	 unended, open;	/* not ended; of these, open yet */
	int64_t		 open_total, open_self;
	void		*measured;	/* compare.c's; or NULL */
};

enum group_by { BY_EVENT, BY_PROGRAM, BY_THREAD, BY_HOST, BY_CALLER, BY_FIELD };

struct groups {
	const char	*prefix;	/* the first name of a key, or NULL */
	/* From -g, and behind these from -v, or NULL. */
	const char	*names[GROUP_BY + 1];
	enum group_by	 by[GROUP_BY + 1];
	size_t		 nby;
	int		 found[GROUP_BY + 1];	/* some event has that */
	struct group	**rows;		/* a hash table */
	size_t		 nrows, cap;
	struct map	 places;	/* where fields are, by class */
	struct places	*last;
};

/* The names that are no fields, one by one; NULL: no more. */
const char *group_name(size_t);
/* Group by this name, too; dies if there are too many. */
void	 groups_by(struct groups *, const char *);
/* After ctf_body(): the event's group; its key is behind that prefix. */
struct group *groups_get(struct groups *, const struct ctf_stream *,
	    const char *);
/* The group of a key of so many bytes. */
struct group *groups_row(struct groups *, const char *, size_t);
/*
 * Text and the name of an address, as a part of a key: if it has to be cut, the
 * address tells it from others.  Returns its length.
 */
size_t	 group_address(char *, size_t, const char *, const char *, uint64_t);
/* The rows are an array from now on: in that order, or by their keys. */
void	 groups_sort(struct groups *,
	    int (*)(const struct group *, const struct group *));
/*
 * The names of a group: a member of JSON; a line, or a part of one, and what
 * the names are; and the end of a row.
 */
void	 group_json(const struct groups *, const struct group *);
void	 group_print(const struct group *);
void	 group_names(const struct group *);
void	 group_heads(const struct groups *);
void	 group_end(const struct rows *, const struct groups *,
	    const struct group *);
/* Bars of a group's values, or of ns: lines, or the member buckets. */
void	 group_bars(const struct group *, int);
/* After groups_get(): the event's value of -v; false if it has none. */
int	 groups_value(const struct groups *, const struct ctf_stream *,
	    double *);
void	 groups_say_missing(const struct groups *, const struct ctf_trace *);
void	 groups_again(struct groups *);	/* other traces come */
void	 groups_free(struct groups *);

#endif /* GROUP_H */
