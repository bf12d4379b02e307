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
 * Connections to utd, and where one may come from: who finds it, who listens,
 * and what is said.  All under ut_lock.
 */

#ifndef UT_CONN_H
#define UT_CONN_H

#include <sys/types.h>

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ut_region.h"

#define UT_CONNS	2		/* the system's utd and the user's */
#define RUNDIR_LEN	108		/* more does not fit a socket */
#define PLACE_LEN	(RUNDIR_LEN + 8)

struct conn {
	char		 dir[RUNDIR_LEN];
	bool		 system;	/* the directory is never ours */
	int		 sock;		/* -1: none */
	dev_t		 dev;		/* the socket's, to know it by */
	ino_t		 ino;
	int		 left;		/* the program's copy of one, or -1 */
	dev_t		 left_dev;
	ino_t		 left_ino;
	struct known	 known;
	unsigned int	 asked;		/* HELLO and NEW that were sent */
	unsigned int	 done;		/* HELLO and NEW that were answered */
	bool		 news;		/* NEW has yet to be sent */
	bool		 marked;	/* others have waited in vain */

	/*
	 * The socket is a descriptor of the threads that find and listen
	 * alone: others have the one that listens say what is to be said.
	 */
	bool		 apart;
	bool		 ready;		/* thread listens to nudges */
	bool		 nudged;	/* a nudge was sent, and not yet read */
	pthread_t	 thread;	/* the one that listens */
	bool		 unsent;	/* NEW is to be sent, and counted */

	bool		 listened;	/* a thread listens to it */
	bool		 given_up;	/* no utd will ever be there */
	bool		 busy;		/* there, but did not let us connect */
	bool		 lost;		/* failed, perhaps only once */
	int		 told;		/* ut_debug told of that errno last */
	int64_t		 since;		/* when it was found, ms */
	unsigned int	 finder;	/* the thread that looks for it */
	char		 place[PLACE_LEN];	/* where finder sleeps, or "" */
};

/* find.c */
void		 ut_find_init(void);
bool		 ut_find_later(void);
void		 ut_find_forked(void);
bool		 ut_find_poke(const char *);
struct conn	*ut_find(struct conn *, bool);

/* conn.c */
extern struct conn ut_conns[UT_CONNS];
extern int	 ut_nconns;
extern int64_t	 ut_hurry;		/* no send takes longer; -1: none */
void		 ut_conn_init(void);
void		 ut_conn_reset(struct conn *);
void		 ut_conn_forked(struct conn *);
void		 ut_conn_leave(struct conn *);
void		 ut_conns_let_go(void);
int		 ut_conn_hello(struct conn *);
bool		 ut_conn_ours(const struct conn *);
bool		 ut_conn_obey(struct conn *);
int		 ut_conn_poll(struct pollfd *, nfds_t, int);
void		 ut_conn_lost(struct conn *);
void		 ut_conn_give_up(struct conn *);
int		 ut_conn_say_new(struct conn *);
int		 ut_conn_send_new(struct conn *);
void		 ut_conn_await(struct conn *, int64_t);

/* late_utd.c */
extern int64_t	 ut_patience;		/* UT_REGISTER_TIMEOUT, ms */
bool		 ut_conn_late(const struct conn *);
void		 ut_conn_set_late(struct conn *, bool);
void		 ut_conn_share_late(void);
int64_t		 ut_conn_until(struct conn *, int64_t);

/* listener.c */
int		 ut_conn_listen(struct conn *);
bool		 ut_conn_tell(struct conn *);
void		 ut_find_start(void);
void		 ut_conns_here(void);
extern bool	 ut_alone;
void		 ut_threads_none(void);
bool		 ut_threads_others(void);
void		 ut_threads_nap(int);
void		 ut_threads_want(bool);
int		 ut_threads_end(void);

#endif /* UT_CONN_H */
