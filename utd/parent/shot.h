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

#ifndef SHOT_H
#define SHOT_H

#include <stdio.h>

#include "trace.h"

struct shot {
	uint32_t	 id;
	uint32_t	 session;
	uid_t		 uid;		/* who owns that */
	gid_t		 gid;
	struct user	*user;
	char		*dir;		/* where the user wants it; or NULL */
	char		 name[NAME_MAXLEN];
	bool		 any;		/* or a name like that */
	char		 hidden[NAME_MAXLEN];
	char		*command;	/* or NULL */
	int		 fd;		/* the directory; or -1 */
	int		 above;		/* where it is; or -1 */
	unsigned int	 pending;	/* parts */
	/* It is called when no part is pending any more. */
	void		(*written)(struct shot *);
	uint64_t	 events;
	bool		 lacks;		/* a part of another user */
	bool		 lacks_more;	/* and one of a third */
	uid_t		 lacking;	/* the first of these users */
	char		 lack_why[256];
	/* Of the directory, when that has its name. */
	char		 path[PATH_MAX + NAME_MAXLEN + 16];
	char		 why[512];	/* it failed; "": it did not */
	int		 waited;	/* ms until it could begin */
	bool		 begun;		/* its directory is asked for */
	bool		 over;
	bool		 commanding;	/* its command runs, or waits */
	struct waiters	 waiters;
	struct timer	 timer;
	struct shot	*next;
};

/* The first reason is kept. */
static inline void
shot_fail(struct shot *sh, const char *why)
{
	if (sh->why[0] == '\0')
		snprintf(sh->why, sizeof(sh->why), "%s", why);
}

/*
 * shotpart.c: what each trace of the session gives to it.  The function is
 * called when all is written, or could not be.
 */
void	 parts_begin(struct shot *, const struct session *,
	    void (*)(struct shot *));
void	 parts_free(const struct shot *);
/* The snapshot goes on without the parts of others that are not written. */
void	 parts_hurry(struct shot *);
/* The snapshot goes on without the parts of another user's consumer. */
void	 parts_skip(struct shot *, struct consumer *);
/* Have the buffers of the trace yet to be taken over by a consumer? */
bool	 trace_waits(const struct trace *);

#endif /* SHOT_H */
