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
 * consumers.c: the consumers, as the parent sees them.
 */

#ifndef CONSUMERS_H
#define CONSUMERS_H

#include "../talk/conn.h"
#include "../talk/journal.h"

#define DEATHS		20	/* deaths within DEATHS_MS: given up */
#ifndef LATE_MS				/* a test has less */
#define LATE_MS		10000	/* ms without a word */
#endif
#define CONSUMER_STUCK	"was killed, but does not end"

/* Requests that a consumer answers in turn: see requests.c. */
struct queue {
	struct request	*first, **last;
};

struct consumer {
	uid_t		 uid;
	gid_t		 gid;
	struct saved	 saved;
	pid_t		 pid;		/* 0: there is none, and no zombie */
	struct conn	*conn;		/* NULL: dead, or about to be */
	bool		 wake;		/* to be woken: it was sent something */
	int		 bell;		/* descriptor; -1: by name */
	char		 bellname[UT_BELL_NAME];
#define CONSUMER_BUSY	0
#define CONSUMER_IDLE	1	/* when we last looked */
#define CONSUMER_LEAVING 2	/* told to end, being idle */
#define CONSUMER_GIVEN_UP 3	/* died too often, or did not start */
#define CONSUMER_FINISHED 4	/* at our end: has ended in order */
	unsigned int	 state;
	int		 error;		/* why it did not start; or 0 */
	int64_t		 deaths[DEATHS];	/* ms: times of the last
						   deaths, a ring */
	unsigned int	 ndeaths;
	int64_t		 heard;		/* ms: when it last spoke, or was first
					   asked something */
	bool		 late;		/* silent for LATE_MS: nobody waits for
					   it */
	bool		 slow;		/* kept another user waiting: only its
					   own user still waits */
	uint32_t	 slow_serial;	/* request whose answer ends slow */
	uint64_t	 written;	/* bytes, as its process said last */
	uint64_t	 work;		/* bytes written, and ANSWER for each
					   answer */
	unsigned int	 nstops;	/* at our end: stops by its user */
	bool		 killed;	/* while utd ends: killed, since it did
					   not end in time */
#define QUEUE_AT_ONCE	0
#define QUEUE_PUT_OFF	1
#define QUEUES		2
	struct queue	 queues[QUEUES];
	unsigned int	 nrequests;	/* in all queues */
	uint32_t	 serial;	/* newest request's number */
	unsigned int	 ndead;		/* programs that it has to bury */
	struct trace	*traces;
	struct consumer	*next;
};

/* Calls for what a consumer says and does. */
struct consumer_ops {
	bool	(*message)(struct consumer *, struct ut_msg *);
	void	(*adopted)(struct consumer *);	/* by a new process */
	void	(*drained)(struct consumer *);	/* everything was sent */
	void	(*late)(struct consumer *);	/* member late has changed */
	void	(*watch)(struct consumer *);	/* an answer is due */
	void	(*died)(struct consumer *);	/* no other takes over */
};

extern struct consumer *consumers;
void	 consumers_begin(const char *, const struct consumer_ops *);
struct consumer *consumer_find(uid_t);	/* NULL: none */
struct consumer *consumer_get(uid_t, gid_t);
void	 consumer_send(struct consumer *, struct ut_msg *);
void	 consumer_tell(struct consumer *, uint16_t, uint32_t, uint32_t);
/* The error that a reply tells of, as text. */
const char *consumer_why(struct ut_msg *, int);
const char *consumer_trouble(const struct consumer *);	/* given up: why */
void	 consumer_watch(struct consumer *);	/* something was asked */
void	 consumers_unwatch(void);		/* all is answered */
void	 consumer_wrote(struct consumer *, uint64_t);	/* bytes in all */
bool	 consumers_late(uid_t);
/* Does that user not wait for the consumer now? */
bool	 consumer_skipped(const struct consumer *, uid_t);
/* Why not, of a consumer that is skipped: to follow its name. */
const char *consumer_fault(const struct consumer *);
bool	 consumers_full(uid_t);		/* too many requests wait for it */
void	 consumers_reap(void);		/* a process has ended */
void	 consumers_look(void);		/* one may have nothing to do */
void	 consumer_restore(uid_t, gid_t, const char *);
void	 consumer_warn(const struct consumer *, const char *);

/* consumer_remains.c: what a consumer leaves. */
void	 remains_begin(const char *);
int	 consumer_lock(uid_t);		/* the lock file */
void	 consumer_unlock(uid_t);	/* no other waits for it */
/* Remove the memory of a region, or, if true, the bell, by its name. */
void	 consumer_remove(const struct consumer *, const char *, bool);

/* consumers_end.c: utd ends. */
void	 consumers_end(void);
void	 consumers_remove(void);	/* files and memory left */

/*
 * requests.c: what consumers are asked.  A reply is for an object, which may be
 * gone by then: its ID, an errno, the reply.
 */
typedef void consumer_cb(uint32_t, int, struct ut_msg *);

void	 request_init(struct ut_msg *, uint16_t, uint32_t, uint32_t);
/*
 * Send the request and return its serial number.  The request is kept, and
 * repeated to the next consumer if this one dies.  The waiter waits for the
 * answer, but no longer than the consumer is expected to answer.
 */
uint32_t consumer_ask(struct consumer *, struct ut_msg *, consumer_cb *,
	    uint32_t, struct waiter *);
void	 requests_reply(struct consumer *, struct ut_msg *);
void	 requests_late(struct consumer *);
/* Would the waiter wait for what the consumer is asked now? */
bool	 requests_wait(const struct consumer *, const struct waiter *);
/* Has a request kept another user waiting for too long? */
bool	 requests_overdue(const struct consumer *);
void	 requests_slow(struct consumer *);	/* others wait no longer */
bool	 requests_behind(const struct consumer *);	/* is it still slow? */
void	 requests_fail(struct consumer *);
void	 requests_again(struct consumer *);

#endif /* CONSUMERS_H */
