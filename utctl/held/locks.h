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
 * utctl locks: what is kept of the locks of processes.
 */

#ifndef LOCKS_H
#define LOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "../show/hist.h"
#include "../show/rows.h"
#include "../show/stacks.h"
#include "../sym/process.h"

#define LOCKS_TOP	10	/* waits and holds that are listed */
#define LOCKS_MOST	4096	/* threads that wait for a lock, or have it */
#define LOCKS_LATE	8	/* releases of a thread that may come late */

enum lock_mode {
	LOCK_MUTEX,		/* also a mutex that is recursive */
	LOCK_READ,
	LOCK_WRITE
};

/* Counts of a lock, or of a caller. */
struct lock_stat {
	uint64_t	 acquired;
	uint64_t	 contended;	/* requests when others had the lock */
	uint64_t	 waited;	/* ns of the contended ones */
	uint64_t	 failed;
	struct hist	 wait, hold;	/* ns */
};

/* A thread that has a lock. */
struct lock_holder {
	int32_t		 thread;
	enum lock_mode	 mode;
	uint32_t	 depth;
	uint32_t	 caller;	/* acquired the lock */
	int64_t		 ns;		/* when it acquired it */
	int		 once;		/* the depth is right, for certain */
};

struct lock_thread;
struct lock_event;

struct lock {
	uint64_t	 address;
	char		*name;		/* the variable's; NULL: not known */
	int		 isrw;
	uint32_t	 first;		/* the first caller */
	struct lock_stat stat;
	struct lock_holder *holders;
	size_t		 nholders, room;
	struct lock_thread *waiters;
	size_t		 nwaiters;
	struct lock_thread *leaver;	/* thread with a leave of it; or NULL */
	int64_t		 free;		/* ns: last known to be free */
	int64_t		 left;		/* ns: when it was last released */
	int32_t		 leftby;	/* by which thread */
	int64_t		 taken;		/* ns: last known to be taker's alone */
	int32_t		 taker;
	uint64_t	 uncounted;	/* holders beyond LOCKS_MOST */
};

struct cond {
	uint64_t	 address;
	char		*name;
	uint32_t	 first;
	uint64_t	 waits, failed, signals, broadcasts;
	struct hist	 wait;
};

/* A request that has not ended. */
struct lock_wait {
	struct lock	*lock;		/* NULL: none */
	enum lock_mode	 mode;
	int64_t		 ns;
	uint32_t	 caller;
	int		 contended;
	int64_t		 held;		/* ns of the longest hold meanwhile */
	int32_t		 holder;	/* thread of that hold, if held > 0 */
	uint32_t	 holder_caller;
};

/*
 * A hold that the thread's last event has ended, if what was called then does
 * not fail: a wait for a condition, or a release of another thread's mutex.
 */
struct lock_leave {
	struct lock	*lock;		/* NULL: none */
	struct lock_holder holder;
	int64_t		 ns;		/* the last event's */
	int		 unsure;
};

struct lock_thread {
	int32_t		 id;
	struct lock_wait wait;
	struct lock_leave leave;
	const struct lock *unheld;	/* just released, though not held */
	uint64_t	*counted;	/* the counter that has unheld */
	const struct lock *late[LOCKS_LATE];	/* LTTng's: overtaken */
	size_t		 nlate;		/* all that ever were */
	struct lock_thread *next;	/* waiters of the same lock */
	struct cond	*cond;		/* waited for; or NULL */
	int64_t		 cond_ns;	/* since when it waits for cond */
	uint32_t	 cond_depth;	/* depth of the lock before */
};

struct locks {
	struct process	 process;
	struct locks_run *run;
	struct map	 locks, conds, threads;
	struct sites	 sites;		/* with -g */
	/*
	 * By number: twice that of a caller; or of a site, and 1 more.  NULL:
	 * none yet.
	 */
	struct lock_stat **callers;
	size_t		 ncallers;
	uint64_t	 unheld;	/* released, not acquired here */
	uint64_t	 unseen;	/* not released, but acquired again */
	uint64_t	 unended;	/* requests */
	uint64_t	 lost;		/* left out: events were lost */
};

/* A wait, or a hold. */
struct lock_note {
	int64_t		 took;		/* the rank in a top list */
	const struct locks *process;
	const struct lock *lock;
	int64_t		 ns;		/* when it began */
	int32_t		 thread;
	uint32_t	 caller;
	int		 failed;	/* the wait failed */
	int		 contended;	/* another thread had the lock */
	int		 known;		/* the holder's thread is known */
	int32_t		 holder;
	uint32_t	 holder_caller;
};

struct locks_run {
	struct processes processes;
	int		 all;		/* no table is cut */
	int		 graphs;	/* -g: callers are whole stacks */
	int		 lttng;		/* events are LTTng's */
	int		 nobody;	/* unknown threads, too */
	/* A thread got the lock that leftby had when it asked; or NULL. */
	void		(*passed)(const struct lock_event *,
			    const struct lock *);
	struct lock_note waits[LOCKS_TOP], holds[LOCKS_TOP];
	struct top	 top_waits, top_holds;
	/* Is told of each wait, or hold: whether it is one.  Or NULL. */
	void		(*note)(const struct lock_note *, int);
};

struct lock_event {
	struct locks_run *run;
	struct locks	*process;
	const struct ctf_stream *stream;
	struct lock_thread *thread;
	uint32_t	 caller;
};

/* locks_state.c */
struct lock *lock_of(const struct lock_event *, uint64_t);
struct cond *cond_of(const struct lock_event *, uint64_t);
struct lock_thread *lock_thread_of(struct locks *, int32_t);
void	 lock_wait_begin(const struct lock_event *, struct lock *,
	    enum lock_mode);
void	 lock_wait_end(const struct lock_event *, struct lock *, int);
void	 lock_hold_begin(const struct lock_event *, struct lock *,
	    enum lock_mode, uint32_t);
/* Is it not known what became of what began then? */
int	 lock_unsure(const struct locks *, int64_t);
struct lock_holder *lock_holder_of(struct lock *, int32_t);
/* Has the thread's release been overtaken?  That is told once. */
int	 lock_overtaken(struct lock_thread *, const struct lock *);
void	 lock_hold_end(const struct lock_event *, struct lock *,
	    struct lock_holder *);
/* End a hold; it may turn out that it has not ended. */
void	 lock_leave(const struct lock_event *, struct lock *,
	    struct lock_holder *);
/* The hold that the thread has left has ended. */
void	 lock_leave_settle(struct locks *, struct lock_thread *);
/* The hold that the thread has left has not ended; NULL: there is none. */
int	 lock_leave_deep(const struct lock_thread *);
struct lock_holder *lock_leave_undo(struct lock_thread *);
/* The holds that any threads have left have ended. */
void	 locks_settle(struct locks *);
struct lock_stat *lock_caller_stat(struct locks *, uint32_t);
void	 locks_free(struct locks *);

/* locks.c */
void	 locks_init(struct locks_run *);
/* The longest waits come first. */
int	 locks_compare(const struct lock_stat *, const struct lock_stat *);
/* The site of a caller; NULL: it is none. */
const struct site *locks_site(const struct locks *, uint32_t);
/* The caller's name, or the buffer of CALLER_TEXT bytes with its address. */
const char *locks_caller_text(const struct locks *, uint32_t, char *);

/* locks_track.c */
extern const struct call_kind locks_calls[];
void	 locks_call(struct processes *, struct ctf_stream *);

#endif /* LOCKS_H */
