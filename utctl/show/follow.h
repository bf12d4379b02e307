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
 * Traces that are still written: utctl view -F, record -F, and utctl top.
 */

#ifndef FOLLOW_H
#define FOLLOW_H

#include <sys/types.h>

#include <stdint.h>

#include "../client.h"
#include "../ctf/reader.h"

/* The directory that is followed, and when it is searched again. */
struct watch {
	const char	*dir;
	dev_t		 dev;
	ino_t		 ino;		/* 0: it was not there yet */
	int		 gone;
	int		 lists;		/* no stream is read by this reader */
	int		 last;		/* damage is told of from now on */
	int64_t		 next;		/* ns */
};

struct follow {
	const char	*dir;
	int64_t		 hold;		/* ns: how old is it in the files? */
	int		(*goes_on)(void *); /* does anybody write it still? */
	void		(*pause)(void *, int);	/* wait for so many ms */
	void		*arg;
};

/* Read what the directory gets until it goes on no more. */
void	 reader_follow(struct reader *, const struct follow *,
	    const struct reader_ops *, void *);

/* Find what is new; all streams that have more are among the idle ones. */
void	 follow_look(struct reader *, struct watch *,
	    const struct reader_ops *);
/* The session of that directory, in the rows, which are asked for again. */
const struct row *follow_session(struct client *, const char *,
	    struct row **);
/* The longest time, in ns, that an event may be on its way into a file. */
int64_t	 follow_hold(const struct row *);

#endif /* FOLLOW_H */
