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
 * The connections of utctl, and what it asks for.
 */

#ifndef CLIENT_H
#define CLIENT_H

#include "conn.h"
#include "session.h"

/* client.c: a connection of utctl; it asks for one thing at a time. */
struct client {
	struct conn	*conn;		/* NULL: gone */
	bool		(*request)(struct client *, struct ut_msg *);
	struct waiter	*wait;		/* for this; NULL: idle */
	void		(*finish)(struct client *);
	struct timer	 timer;
	int64_t		 deadline;	/* end of waiting for programs */
	unsigned int	 late;		/* programs that did not answer */
	char		 why[512];	/* a program cannot have buffers */
	bool		 shutdown;	/* waits for the end of utd */
	bool		 owner;		/* utd ends when the client does */
	bool		 patient;	/* only if no session is left */
	uint32_t	 owned;		/* session that ends with the client */
	bool		(*leave)(struct client *);	/* end it; or NULL */
	bool		 leaving;	/* leave was called once */
	bool		 draining;	/* wants to see progress */
	int64_t		 progress;	/* when it was last told of that */
	bool		 undo;		/* the creation of session is undone */
	struct session	*session;	/* the session of the request */
	bool		 orphan;	/* session is gone */
	struct channel	*channel;
	uint32_t	 shot;		/* a snapshot */
	struct rule	*rule;
	struct client	*next, **prev;
};

void	 client_hello(struct conn *, struct ut_msg *,
	    bool (*)(struct client *, struct ut_msg *));
/* From now on utd ends when the client does, or, if true, the last session. */
void	 client_own(struct client *, bool);
/*
 * utd ends likewise when the process ends that started utd and has the other
 * end of that pipe, until that process owns utd in this way; false and errno:
 * this cannot be.
 */
bool	 client_starter(int, bool);
void	 client_reply(struct client *, uint16_t, uint32_t, const char *, ...)
	    __attribute__((format(printf, 4, 5)));
/* With bits of UT_DID_. */
#define client_did(k, did, ...)	client_reply(k, UT_CTL_OK, did, __VA_ARGS__)
#define client_ok(k, ...)	client_did(k, 0, __VA_ARGS__)
#define client_refuse(k, ...)	client_reply(k, UT_CTL_ERR, 0, __VA_ARGS__)
/* Refuse what is not good; is it? */
bool	 client_check(struct client *, bool, const char *);
/* Refuse a name or a directory that is taken; another one may do. */
#define client_taken(k, what, ...) \
	client_reply(k, UT_CTL_ERR, what, __VA_ARGS__)
/* Call a function when all is answered, unless the session is gone by then. */
struct waiter *client_wait(struct client *, void (*)(struct client *), int);
/* How many programs that the request waits for are stopped: links_stopped. */
extern unsigned int (*clients_stopped)(const struct waiter *);
#define CLIENT_PATIENCE	3000	/* ms for programs that do not answer */
/* Say that the request is done, and how many programs have not answered. */
void	 client_answer(struct client *, const char *);
void	 client_done(struct client *);
/* The user's limit is reached. */
void	 client_too_many(struct client *, const char *, const char *, uid_t);
void	 client_about(struct client *, struct session *);
void	 clients_forget(const struct session *);
void	 clients_left(void);	/* a session is gone: is utd to end, too? */
void	 clients_progress(uid_t, uint64_t);
/* utd has ended; true: with everything; but for that, or NULL. */
void	 clients_end(bool, const char *);

/* control.c: what utctl asks for. */
void	 control_hello(struct conn *, struct ut_msg *);

/* list.c: what it is told. */
/* The session's rows, and the row of a snapshot: they are part of an answer. */
void	 list_session(struct client *, const struct session *);
void	 list_shot(struct client *, uint64_t, const char *, const char *);
void	 list_sessions(struct client *, struct ut_msg *);
void	 list_events(struct client *, struct ut_msg *);
void	 list_status(struct client *, struct ut_msg *);

#endif /* CLIENT_H */
