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
 * Descriptors, times, and answers that are waited for.
 */

#ifndef LOOP_H
#define LOOP_H

#include "../utd.h"

/*
 * loop.c: descriptors that become ready and times that come.
 */
struct file {
	int		 fd;
	void		(*ready)(void *, short);
	void		*arg;
	short		 revents;	/* not dealt with yet */
	unsigned int	 round;		/* in which it has its turn */
	struct file	*next, **prev;	/* in turns; prev NULL: it is not */
	unsigned int	 at;		/* in the arrays of poll(2) */
};

struct timer {
	int64_t		 when;		/* ut_msg_now(); 0 is unset */
	void		(*fire)(void *);
	void		*arg;
	struct timer	*next;
};

bool	 file_add(struct file *, int, short, void (*)(void *, short), void *);
void	 file_del(struct file *);
void	 file_passed(struct file *);
void	 timer_set(struct timer *, int, void (*)(void *), void *);
void	 timer_clear(struct timer *);
void	 loop_run(void (*)(void), void (*)(void));
void	 loop_stop(void);		/* is to end, when that is prepared */
void	 loop_end(void);		/* ends with this round */
extern bool loop_ending;
extern unsigned int loop_round;		/* number of the round */

/* pollset.c: which files are ready. */
bool	 ready_add(struct file *, short);
void	 ready_del(struct file *);
void	 ready_events(struct file *, short);	/* poll(2) bits from now on */
int	 ready_wait(int);
struct file *ready_next(short *);	/* after a wait, each once */

/*
 * Somebody who waits for several answers.  When the last has come,
 * `done' is called at the end of the round of the loop, because the answer may
 * come in the middle of a walk over objects that `done' frees.  Then the waiter
 * is freed.
 */
struct waiter {
	unsigned int	 pending;
	void		(*done)(void *);	/* NULL: nobody waits by now */
	void		*arg;
	char		 why[512];	/* the first that failed: why; or "" */
	bool		 asked;		/* by a user, who waits: */
	uid_t		 uid;
	bool		 listed;	/* to be seen when the round ends */
	struct waiter	*next;		/* next listed waiter */
};

/* One is pending. */
struct waiter *wait_new(void (*)(void *), void *);
struct waiter *wait_try(void (*)(void *), void *);
void	 wait_more(struct waiter *);
void	 wait_less(struct waiter *);
void	 wait_failed(struct waiter *, const char *);	/* then wait_less */
void	 wait_abandon(struct waiter *);	/* done is not to be called */
void	 wait_for(struct waiter *, uid_t);	/* the user waits */

/* All who wait for the same thing. */
struct waiters {
	struct waiter	**w;
	unsigned int	 n;
};

void	 waits_add(struct waiters *, struct waiter *);
bool	 waits_try(struct waiters *, struct waiter *);
void	 waits_done(struct waiters *, const char *);	/* why not, or "" */
void	 waits_release(struct waiters *, struct waiter *);

#endif /* LOOP_H */
