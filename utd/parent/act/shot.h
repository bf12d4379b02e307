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

#include "../store/trace.h"

struct shot {
	uint32_t	 id;
	uint32_t	 session;
	uid_t		 uid;		/* owner of the session */
	gid_t		 gid;
	struct user	*user;
	char		*dir;		/* where the user wants it; or NULL */
	char		 name[NAME_MAXLEN];
	bool		 any;		/* a similar name may do */
	char		 hidden[NAME_MAXLEN];
	char		*command;	/* NULL: none */
	int		 fd;		/* the directory; or -1 */
	int		 above;		/* where it is; or -1 */
	unsigned int	 pending;	/* parts */
	/* Called when no part is pending any more. */
	void		(*written)(struct shot *);
	uint64_t	 events;
	bool		 lacks;		/* a part of another user */
	bool		 lacks_more;	/* a part of a third user */
	uid_t		 lacking;	/* the first of these users */
	char		 lack_why[256];
	/* Path of the directory under its final name. */
	char		 path[PATH_MAX + NAME_MAXLEN + 16];
	char		 why[512];	/* why the snapshot failed; or "" */
	int		 waited;	/* ms until it could begin */
	bool		 begun;		/* the directory was asked for */
	bool		 over;
	bool		 commanding;	/* the command runs, or waits */
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
 * shot.c: snapshots.  shot_begin returns its ID; or 0, and why there can be
 * none.  The directory, the name and the command may be NULL.  The waiter waits
 * for the end, and can ask then what came of it; but not much later.
 */
uint32_t shot_begin(struct session *, const char *, const char *,
	    const char *, struct waiter *, char *, size_t);
void	 shot_wait(uint32_t, struct waiter *);	/* unless it is over */
/* Returns false until it is over; then tells events and path. */
bool	 shot_result(uint32_t, uint64_t *, char *, size_t);
/* Words that name what the snapshot lacks, to follow the events; or "". */
const char *shot_lacks(uint32_t);
const char *shot_failed(uint32_t);	/* why; NULL: it did not */
void	 shots_late(struct consumer *);
void	 shots_slow(struct consumer *);
void	 shots_hurry(void);
void	 shots_end(void);

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
