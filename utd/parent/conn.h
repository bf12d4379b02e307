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
 * conn.c: a socket on which messages go both ways.
 */

#ifndef CONN_H
#define CONN_H

#include "loop.h"
#include "user.h"

struct conn;
struct conn_ops {
	void	(*message)(struct conn *, struct ut_msg *);
	void	(*closed)(struct conn *);
	void	(*sent)(struct conn *);	/* some of the queue; or NULL */
};

struct conn {
	struct file	 file;
	const struct conn_ops *ops;
	void		*arg;		/* object that has the connection */
	struct ut_msg	*in;		/* a message received in part */
	struct out	*out;		/* to be sent */
	struct out	**tail;
	size_t		 queued;	/* bytes in out */
	struct user	*user;		/* NULL: a process of ours */
	uid_t		 uid;
	gid_t		 gid;
	pid_t		 pid;		/* 0: the system does not say */
	struct timer	 patience;	/* until the first message */
#define CONN_OPEN	0
#define CONN_CLOSING	1	/* dropped once out is sent */
#define CONN_BROKEN	2	/* dropped when the round ends */
#define CONN_DEAD	3	/* dropped */
	unsigned int	 state;
	bool		 deaf;		/* nothing more is read */
	struct conn	*also;		/* the next broken one */
	struct conn	*next;		/* the next dead one */
};

/* NULL and errno, as malloc(3): then the descriptor is still the caller's. */
struct conn *conn_new(int, const struct conn_ops *, void *);
void	 conn_of(struct conn *, struct user *, gid_t, pid_t);	/* set user */
void	 conn_hand_over(struct conn *, const struct conn_ops *, void *);
void	 conn_read(struct conn *);	/* take what has come already */
void	 conn_send(struct conn *, struct ut_msg *);
bool	 conn_behind(const struct conn *);	/* not all is sent */
void	 conn_close(struct conn *);	/* after what is queued */
void	 conn_rest(struct conn *);	/* in closed: what it has said */
void	 conn_reject(struct conn *);	/* drop it, and read no rest */
void	 conn_drop(struct conn *);	/* now */
void	 conn_fail(struct conn *);	/* log errno, and drop it */
bool	 conn_flush(struct conn *, int);	/* some, in so many ms */
void	 conn_reap(void);		/* free what was dropped */

#endif /* CONN_H */
