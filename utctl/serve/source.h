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
 * utctl serve: the session whose files viewers read.
 */

#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/reader.h"

/* The metadata of a trace, as far as a viewer may see them. */
struct meta {
	struct meta		*next;
	const struct ctf_trace	*trace;		/* NULL: it was removed */
	char			*text;
	size_t			 len;
	off_t			 read;		/* bytes of the file */
	uint64_t		 number;	/* no other has it */
	size_t			 users;		/* viewers' traces */
};

struct source {
	char		*dir;
	char		*name;		/* the session's */
	struct reader	 files;		/* all streams are idle ones */
	/* Date in ns before which no event will be added any more. */
	int64_t		 upto;
	uint64_t	 searches;	/* for new files, after answers */
	int		 ended;		/* nothing is added any more */
	/* The files whose rows are known, sorted by key and date. */
	struct source_file *list;
	size_t		 n, cap;
	uint64_t	 state;		/* a hash of which files there are */
};

/* A file, with what it is of; files of one row have the same key. */
struct source_file {
	uint64_t		 key;
	struct meta		*meta;
	struct ctf_stream	*s;
};

extern struct source source;

/*
 * Begin with the session of that directory, or with one that records, or die.
 * The function is called when a trace is read again, or was removed: then the
 * second one is NULL.
 */
void	 source_open(const char *, void (*)(const struct ctf_trace *,
	    const struct ctf_trace *));
/* Ask for the session; and look at its files, if anybody wants them. */
void	 source_look(int);
struct ctf_stream *source_stream(size_t); /* by its index; NULL: removed */
/* The row's first file that begins after that date; NULL: there is none. */
const struct source_file *source_after(uint64_t, int64_t);
/* The clock's last value that is not after the date. */
uint64_t source_cycles(const struct ctf_clock *, int64_t);
/* The clock by which viewers take it that a stream has no event. */
const struct ctf_clock *source_clock(const struct ctf_trace *);
void	 source_close(void);

#endif /* SOURCE_H */
