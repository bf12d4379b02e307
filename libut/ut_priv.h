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
 * What the files of libut share.
 *
 * The data path (record.c, subbuf.c, thread.c) takes no lock.  Everything
 * else runs under ut_lock: modules that come and go, and the listeners.
 */

#ifndef UT_PRIV_H
#define UT_PRIV_H

#include <sys/types.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* As clock_gettime(2), but CLOCK_MONOTONIC is that of utd: region.c. */
extern int (*ut_gettime)(clockid_t, struct timespec *)
    __attribute__((visibility("hidden")));
#define UT_GETTIME	ut_gettime

#include "clock.h"
#include "compat.h"
#include "msg.h"
#include "ut.h"
#include "ut_abi.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

#define UT_EXPORT	__attribute__((visibility("default")))

/*
 * Events in one another: one, and three signal handlers that interrupted
 * each other.  What is nested deeper is counted as lost.
 */
#define NEST	4

#define UT_CLOCK_NONE	UINT32_MAX	/* no time is known */

#define NAME_MAX_LEN	64		/* of a program, with its NUL */

/*
 * How often a thread that finds all slots, or all shared sub-buffers, in the
 * hands of threads in mid-event lets those go on.  They may be waiting for its
 * processor, but one of them may also be that which a signal handler that
 * traces has interrupted, or stopped.
 */
#define YIELDS		64

/*
 * A region that the program is attached to.  Type-stable: attached again
 * only when no thread can still be using what it held before.  A power of two
 * in size, so that finding it is a shift.
 */
struct channel {
	/* 0 is detached.  Store, release, under ut_lock; grows. */
	_Alignas(128) _Atomic uint32_t gen;

	/* All below is constant while gen is not 0. */
	uint32_t		 clock;		/* UT_CLOCK_ */
	struct ut_header	*header;
	struct ut_slot		*slots;
	struct ut_subbuf	*subs;
	unsigned char		*data;
	uint32_t		 nslots;
	uint32_t		 nsubs;
	uint32_t		 subsize;
	uint64_t		 owner;		/* our number in the slots */
	pid_t			 pid;		/* who attached it */
	struct ut_bell		 bell;

	/* The program, and the bytes of pid, tid and that in a shared event. */
	char			 name[NAME_MAX_LEN];
	uint32_t		 wholen;

	/* Where a slot was free last, and the header's freed when none was. */
	ut_a32			 slot_hint;
	ut_a64			 slots_taken;	/* that + 1, or 0 */

	/* The listener's. */
	size_t			 size;
	int			 conn;		/* of which connection */
	uint32_t		 handle;	/* utd's number for it */
	uint32_t		 last_gen;
	dev_t			 dev;		/* to know the region by */
	ino_t			 ino;
	bool			 kept;		/* over the end of a connection */
	bool			 used;		/* mapped */
};

_Static_assert((sizeof(struct channel) & (sizeof(struct channel) - 1)) == 0,
    "channel");

/*
 * One thread in one channel at one depth.  The thread's own.  A power of two
 * in size, so that finding it is a shift.
 *
 * It is unbound; or bound, that is, has a slot, with a sub-buffer of its own or
 * none; or in an event in a shared sub-buffer, and then sub is NULL, and data
 * where in there the event begins.
 */
struct writer {
	/* As in the sub-buffer: events, and their bytes. */
	_Alignas(64) uint64_t	 commit;
	uint32_t		 room;		/* 0 without its own */
	uint32_t		 gen;		/* of the channel; 0 unbound */
	struct ut_slot		*slot;
	struct ut_subbuf	*sub;
	unsigned char		*data;
	uint64_t		 mine;		/* the state of sub */
	union {
		uint64_t	 seq;		/* the slot's, before the claim */
		uint64_t	 when;		/* without: the last event */
	};
	uint32_t		 freed;		/* the header's, when vain was set */
	uint16_t		 vain;		/* 1 after a scan without success */
	uint16_t		 claim;		/* the slot tried last, + 1 */
};

_Static_assert((sizeof(struct writer) & (sizeof(struct writer) - 1)) == 0,
    "writer");
_Static_assert(UT_NSLOTS_MAX < UINT16_MAX, "claim");

/*
 * A thread that has traced.  Lies in pages that a child made behind our back
 * sees as zeros, where the system can do that: it then has nothing, and is
 * given nothing (writer_bind).
 */
struct thread {
	/*
	 * Events this thread is in.  The thread's, relaxed; a listener reads
	 * it after ut_barrier.
	 */
	_Atomic uint32_t	 nest;
	/*
	 * Where on its stack the event at each depth is; 0: there is none.
	 * No _Atomic, with which compilers make more of a plain store; others
	 * load it atomically.
	 */
	uintptr_t		 frame[NEST];
	/* Of the thread, once that was found; 0: not yet. */
	uintptr_t		 stack_low;
	uintptr_t		 stack_high;
	struct writer		 writers[NEST][UT_CHANNELS];
};

/* thread.c */
extern UT_PER_THREAD struct thread *ut_self;
struct thread	*ut_thread_new(void);
void		 ut_thread_init(void);
int		 ut_block(sigset_t *);
void		 ut_unblock(const sigset_t *, int);
struct thread	*ut_mute(void);
void		 ut_unmute(struct thread *);
bool		 ut_threads_quiet(int);
void		 ut_threads_leave(unsigned int, uint32_t);
uint32_t	 ut_thread_depth(struct thread *, uintptr_t);
void		 ut_threads_before_fork(void);
void		 ut_threads_after_fork(void);
void		 ut_threads_forked(void);

/* subbuf.c */
extern struct channel ut_channels[UT_CHANNELS];
/*
 * For each channel and slot: the writer of this program that has the slot,
 * takes it or gives it back.
 */
extern struct writer *_Atomic *ut_users[UT_CHANNELS];
extern struct ut_subbuf ut_no_subbuf;
enum room {
	ROOM_NONE,			/* the event is lost, or not wanted */
	ROOM_OWN,
	ROOM_SHARED			/* for this event */
};
enum room	 ut_writer_room(struct writer *, struct channel *, uint32_t,
		    size_t, uint64_t);
enum room	 ut_writer_next(struct writer *, struct channel *, size_t,
		    uint64_t);
void		 ut_writer_unbind(struct writer *, struct channel *);
void		 ut_writer_leave(struct writer *, struct channel *, uint32_t);
void		 ut_writer_let_go(struct writer *);
void		 ut_bell_maybe(struct channel *, uint32_t);

/* shared.c */
void		 ut_shared_name(struct channel *, const char *);
bool		 ut_shared_fits(const struct channel *, size_t);
bool		 ut_shared_claim(struct writer *, struct channel *, size_t);
unsigned char	*ut_shared_head(struct writer *, struct channel *, uint16_t);
void		 ut_shared_commit(struct writer *, struct channel *, size_t);
void		 ut_shared_park(struct writer *, struct channel *);

/* event.c */
struct type;
void		 ut_enter(sigset_t *);
void		 ut_leave(const sigset_t *);
extern pthread_mutex_t ut_lock;
extern sigset_t	 ut_signals;		/* blocked before ut_enter */
void		 ut_events_forget(unsigned int);
void		 ut_events_forked(void);
void		 ut_events_summary(struct ut_msg *);
int		 ut_events_list(int, uint32_t, uint32_t, int64_t);
int		 ut_events_describe(int, struct ut_msg *, int64_t);
int		 ut_event_map(uint32_t, unsigned int, uint32_t);

/* region.c */
int		 ut_region_attach(int, uint32_t, int, int, const char *);
int		 ut_region_find(int, uint32_t);
bool		 ut_region_again(int, uint32_t, int);
void		 ut_regions_keep(int);
void		 ut_regions_drop(int);
void		 ut_region_detach(unsigned int);
bool		 ut_region_settle(int);
void		 ut_region_forked(void);

/*
 * A connection to utd, or where one may come from.  All under ut_lock.
 */
#define UT_CONNS	2		/* the system's utd and the user's */
#define RUNDIR_LEN	108		/* more does not fit a socket */
#define PLACE_LEN	(RUNDIR_LEN + 8)

struct conn {
	char		 dir[RUNDIR_LEN];
	bool		 system;	/* the directory is never ours */
	int		 sock;		/* -1: none */
	dev_t		 dev;		/* of the socket, to know it by */
	ino_t		 ino;
	int		 left;		/* the program's copy of one, or -1 */
	dev_t		 left_dev;
	ino_t		 left_ino;
	uint64_t	 owner;		/* our number there */
	char		 name[NAME_MAX_LEN];	/* as it was told */
	int64_t		 ahead;		/* its clock: ut_clock_ahead */
	unsigned int	 asked;		/* HELLO and NEW sent */
	unsigned int	 done;		/* and answered */
	bool		 news;		/* NEW has yet to be sent */
	bool		 over;		/* nothing to wait for at the start */
	int64_t		 until;		/* it is waited for, then; -1: no end */
	bool		 marked;	/* others have waited in vain */

	/*
	 * The socket is a descriptor of the threads that find and listen
	 * alone: others have the one that listens say what is to be said.
	 */
	bool		 apart;
	bool		 ready;		/* it listens, so that */
	pthread_t	 thread;	/* can be nudged */
	bool		 unsent;	/* NEW is to be sent, and counted */

	bool		 listened;	/* a thread listens to it */
	bool		 given_up;	/* no utd will ever be there */
	bool		 busy;		/* there, but did not let us connect */
	int64_t		 since;		/* when it was found, ms */
	unsigned int	 finder;	/* the thread that looks for it */
	char		 place[PLACE_LEN];	/* where that sleeps, or "" */
};

/* find.c */
extern struct conn ut_conns[UT_CONNS];
extern int	 ut_nconns;
void		 ut_find_init(void);
bool		 ut_find_later(void);
void		 ut_find_forked(void);
bool		 ut_find_poke(const char *);
struct conn	*ut_find(struct conn *, bool);

/* conn.c */
extern int64_t	 ut_hurry;		/* no send takes longer; -1: none */
extern int64_t	 ut_patience;		/* UT_REGISTER_TIMEOUT */
void		 ut_conn_init(void);
void		 ut_conn_reset(struct conn *);
void		 ut_conn_forked(struct conn *);
void		 ut_conn_leave(struct conn *);
void		 ut_conns_let_go(void);
int		 ut_conn_hello(struct conn *);
bool		 ut_conn_ours(const struct conn *);
bool		 ut_conn_obey(struct conn *);
void		 ut_conn_lost(struct conn *);
int		 ut_conn_say_new(struct conn *);
int		 ut_conn_send_new(struct conn *);
void		 ut_conn_await(struct conn *, int64_t);

/* late.c */
bool		 ut_conn_late(const struct conn *);
void		 ut_conn_set_late(struct conn *, bool);
void		 ut_conn_share_late(void);
int64_t		 ut_conn_until(struct conn *, int64_t);

/* listener.c */
int		 ut_conn_listen(struct conn *);
bool		 ut_conn_tell(struct conn *);
void		 ut_find_start(void);
extern bool	 ut_alone;
void		 ut_threads_none(void);
void		 ut_threads_nap(int);
void		 ut_threads_want(bool);
int		 ut_threads_end(void);

/* register.c */
bool		 ut_listen(void);
void		 ut_listen_new(void);
void		 ut_fork_over(void);

/* forked.c */
enum fork_threads {
	/* When the child of a fork may start threads: in the handler, */
	FORK_NOW,
	/* when ut_fork_over is called, */
	FORK_OVER,
	/* later, but nobody will say when. */
	FORK_UNSEEN
};
enum fork_threads ut_fork_threads(void);
void		 ut_fork_hold(void);
void		 ut_fork_release(void);

#endif /* UT_PRIV_H */
