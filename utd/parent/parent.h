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
 * The parent as a whole: it has the sessions, and talks to programs, utctl and
 * consumers.
 */

#ifndef PARENT_H
#define PARENT_H

#include "want/session.h"

/* session_end.c */
void	 session_follow(struct session *, bool, struct waiter *);
void	 session_halt(struct session *, struct waiter *);
void	 channel_close(struct channel *);
void	 session_close(struct session *);
void	 session_end(struct session *);
bool	 sessions_end(void);		/* false: not all of them */
void	 parent_stop(void);
const char *last_unsaved(void);

/* restore.c: a record of another utd; false if it makes no sense. */
bool	 state_read(struct ut_msg *);
void	 session_strip(struct session *);
bool	 session_drop(uint32_t);

/* journal_load.c: what another utd has left. */
void	 state_open(const char *);
void	 state_load(const char *, const char *);
void	 state_resume(void);

/* parent.c: what connects all these. */
void	 parent_open(const char *);
bool	 parent_close(void);	/* false: something is left to the next utd */

#endif /* PARENT_H */
