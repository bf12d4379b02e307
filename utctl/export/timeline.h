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
 * A time line: what export_timeline() makes of traces for a format that draws
 * threads, with bars for pairs of events.
 */

#ifndef TIMELINE_H
#define TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "chrome_samples.h"
#include "export.h"

/*
 * A thread, or a process, that a reader is told the name of.  Readers know both
 * by their IDs alone.  So the process of another host with the same ID gets a
 * number instead, and so does the thread of another program.
 */
struct track {
	struct track		*next;		/* with the same hash */
	const struct track	*process;	/* NULL: this is one */
	uint64_t	 of;		/* origin of its trace, or process */
	int64_t		 id;		/* see thread_key() */
	int64_t		 number;	/* the ID for readers, below 2^31 */
	uint64_t	 serial;	/* timeline_serial() */
	int		 told;		/* readers know it */
	char		 name[sizeof(((struct ctf_who *)0)->name)];
	struct samples	 samples;
};

/*
 * A pair that has begun.  The text has the name, and behind its NUL the members
 * of JSON that the event has, as a string, if they are kept until the end.
 */
struct bar {
	struct track	*track;
	uint64_t	 id;		/* 0: the pair has no key */
	uint64_t	 serial;	/* for the format */
	void		*own;		/* the format's */
	int64_t		 ns;
	int		 isfunction;
	int		 whole;		/* one event tells of all of it */
	int		 kept;		/* args are */
	size_t		 nargs;
	const char	*args;
	char		 name[];
};

/*
 * Functions that write.  Fields of an event are members of JSON, so many bytes,
 * without a comma behind the last one.  Those of an event that ends a pair are
 * only those that differ from those of its beginning, if that was kept.
 */
struct timeline_ops {
	void	(*begin)(struct bar *, const char *, size_t);
	/* The pair ends now; or no event has ended it, and none can. */
	void	(*end)(struct bar *, int, const char *, size_t);
	void	(*open)(struct bar *);		/* no end came; or NULL */
	void	(*instant)(const struct track *, const char *, int64_t,
		    const char *, size_t);
	/* A sample of a stack; or NULL: as instants. */
	void	(*sample)(struct track *, const struct ctf_stream *,
		    const struct site *);
	/* A thread or a process has this name; or NULL. */
	void	(*name)(const struct track *, const char *);
	void	(*counter)(const struct track *, const char *, int64_t,
		    double);
	/*
	 * From one thread and time to others.  It is of a pair, whose events
	 * are not on tracks of threads; or of two events that are.  Or NULL.
	 */
	void	(*arrow)(const char *, const struct track *, int64_t,
		    const struct track *, int64_t, int);
	/* So many are lost from the stream's time until then; 0: unknown. */
	void	(*lose)(const struct ctf_stream *, const char *, uint64_t,
		    int64_t);
};

struct timeline {
	const struct timeline_ops *ops;
	struct reader	*reader;
	int		 any;		/* there was an event, or a loss */
	int64_t		 first;		/* ns: when that was */
	int64_t		 now;
	const struct ctf_stream *stream;	/* the last event's */
};

extern struct timeline timeline;

/* The thread's ID as the trace has it, or CTF_NOBODY: it has none. */
int64_t	 track_tid(const struct track *);
/* Read all; the name of a field that is a counter; or NULL. */
void	 timeline_run(struct reader *, struct pairs *, const char *,
	    const struct timeline_ops *);
void	 timeline_say(const struct reader *, const char *);
/* The ns of a date in a format that has none before 1970: dies. */
uint64_t timeline_date(int64_t, const char *);
/* Free what formats may still need after timeline_run(). */
void	 timeline_free(void);
/* The next number, from 1 on. */
uint64_t timeline_serial(void);
/* The name of a member, with _ behind it where a field of the bar has it. */
const char *bar_member(const struct bar *, const char *);
/* The length of the first of some members. */
size_t	 member_len(const char *, size_t);

#endif /* TIMELINE_H */
