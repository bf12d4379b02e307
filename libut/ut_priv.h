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
 * The structures that the files of the data path share: regions, threads, and
 * what each has in the other.  These files take no lock.  Everything else in
 * libut runs under ut_lock: modules that come and go, and the listeners.
 */

#ifndef UT_PRIV_H
#define UT_PRIV_H

#include <sys/types.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/compat.h"

/* Like clock_gettime(2), but CLOCK_MONOTONIC is that of utd: clock.c. */
extern ut_gettime_fn *ut_gettime __attribute__((visibility("hidden")));
#define UT_GETTIME	ut_gettime

#define UT_NO_MODULE

#include "common/clock.h"
#include "common/msg.h"
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
#define UT_CLOCK_ASK	(UT_CLOCK_NONE - 1)	/* ut_begin_at begins it */

#define NAME_MAX_LEN	64		/* a program's, with its NUL */

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
struct region {
	/* Store, release, under ut_lock. */
	_Alignas(128) atomic_bool attached;

	/* All below is constant while it is attached. */
	bool			 overwrites;	/* the oldest, without room */
	uint32_t		 clock;		/* UT_CLOCK_ */
	struct ut_header	*header;
	struct ut_slot		*slots;
	struct ut_subbuf	*subs;
	unsigned char		*data;
	uint32_t		 nslots;
	uint32_t		 nsubs;
	uint32_t		 subsize;
	pid_t			 pid;		/* process that attached it */
	uint64_t		 owner;		/* our number in the slots */
	struct ut_bell		 bell;

	/* The program, and the bytes of pid, tid and that in a shared event. */
	char			 name[NAME_MAX_LEN];
	uint32_t		 wholen;

	/*
	 * Where the last free slot was.  For slots, sub-buffers, and those
	 * sub-buffers that a slow thread may have: the header's freed + 1 when
	 * none was free; 0: there always was one.
	 */
	ut_a32			 slot_hint;
	ut_a64			 slots_taken;	/* for slots */
	ut_a64			 subs_taken;	/* for sub-buffers */
	ut_a64			 slow_taken;	/* for those */

	/* The listener's. */
	size_t			 size;
	int			 conn;		/* the connection's number */
	uint32_t		 handle;	/* utd's number for it */
	dev_t			 dev;		/* to know the region by */
	ino_t			 ino;
	atomic_bool		 kept;		/* while unconnected */
	bool			 used;		/* mapped */

	/* Constant: ms, or UT_TIMEOUT_FOREVER, to wait for space; or 0. */
	uint32_t		 patience;
};

_Static_assert((sizeof(struct region) & (sizeof(struct region) - 1)) == 0,
    "region");

/*
 * One thread in one region at one depth.  The thread's own.
 *
 * It is unbound; or bound, that is, has a slot, with a sub-buffer of its own or
 * none; or in an event in a shared sub-buffer, and then sub is NULL, and data
 * where in there the event begins.
 *
 * One that has room has a sub-buffer of its own, or had one until the consumer
 * took it back: ut_begin looks at no more than that, so one that is all zeros
 * is good for nothing.
 */
struct writer {
	/* The sub-buffer's commit: events, and their bytes. */
	_Alignas(64) uint64_t	 commit;
	uint32_t		 room;		/* 0 without its own */
	uint16_t		 bound;
	uint16_t		 claim;		/* the slot tried last, + 1 */
	struct ut_slot		*slot;
	struct ut_subbuf	*sub;
	unsigned char		*data;
	uint64_t		 mine;		/* the state of sub */
	ut_a32			*active;	/* the header's */
	union {
		uint64_t	 seq;		/* slot's, before the claim */
		uint64_t	 when;		/* without: the last event */
	};
};

_Static_assert(sizeof(struct writer) == 64, "writer");
_Static_assert(UT_NSLOTS_MAX < UINT16_MAX, "claim");

/*
 * One depth of nesting: an event, and what it writes with.  r->level in a
 * record, of which programs know the size alone.
 */
struct level {
	/*
	 * Where on the stack the event is, or 0: there is none.  The thread's,
	 * relaxed; a listener reads it after ut_barrier.  No _Atomic, with
	 * which compilers make more of a plain load; others load it
	 * atomically.
	 */
	uintptr_t		 frame;
	/* Regions that an event of this level was in: a bit for each. */
	uint32_t		 regions;
	/* The process that this is known to be, or less than 1. */
	pid_t			 pid;
	/* For the event's contexts: where it was called from; see prefix.c. */
	uintptr_t		 caller;
	bool			 calling;
	/* The event's stack, its definition's length; see callstack.c. */
	uint32_t		 definition;
	uint64_t		 stack_id;
	struct callstack	*stack;
	struct writer		 writers[UT_REGIONS];
};

/*
 * ut_event.on, which says who listens.  If one region does, the high half is
 * the ID, and the low half is the offset in a level of the region's writer,
 * with ON_FILTER if the event has a filter there, or else ON_CYCLES if the
 * cycle counter is the clock; both make the low half negative.  If several
 * regions listen, the low half is 0.  If the event has contexts in any that
 * listens, all of it is ON_CONTEXTS, or ON_CALLER if one of them is the caller.
 * If none listens, all of it is 0.
 */
#define ON_FILTER		0xa000u
#define ON_CYCLES		0xc000u
#define ON_SEVERAL		0x10000u
#define ON_CONTEXTS		(0x10000u | ON_FILTER)
#define ON_CALLER		(0x20000u | ON_FILTER)
/* In the on of a record only: in this region there are contexts. */
#define ON_PREFIX		1u
#define ON_STACK		2u	/* one of them is the stack */
#define ON_ID(on)		((uint16_t)((on) >> 16))
#define ON_OFFSET(on)		((on) & 0x1fffu)
#define ON_HAS(on, what)	(((on) & (what) & 0x7fffu) != 0)
#define ON_WORD(c, id, how)	((uint32_t)(id) << 16 | \
	(uint32_t)(offsetof(struct level, writers) + \
	(c) * sizeof(struct writer)) | (how))

_Static_assert(sizeof(struct level) <= 0x2000, "level");

/*
 * A thread that has traced.  Lies in pages that a child made behind our back
 * sees as zeros, where the system can do that: it then has nothing, and is
 * given nothing (ut_writer_bind).
 */
struct thread {
	struct level		 levels[NEST];
	/* The bounds of the thread's stack, once found; 0: not yet. */
	uintptr_t		 stack_low;
	uintptr_t		 stack_high;
};

/*
 * thread.c, but for this, which is in slot.c.
 *
 * Of the thread; NULL before its first event.  With another initial value it
 * could not be in a library that a program opens by dlopen(3): NetBSD refuses
 * such a library, and others leave 0 in threads that there are already, glibc
 * also in a thread that pthread_create(3) is just making.
 */
extern UT_PER_THREAD struct thread *ut_self;
struct thread	*ut_thread_own(void);
void		 ut_thread_init(void);
int		 ut_block(sigset_t *);
void		 ut_unblock(const sigset_t *, int);
struct thread	*ut_mute(void);
void		 ut_unmute(struct thread *);
bool		 ut_guest_begin(struct thread **);
void		 ut_guest_end(struct thread *);
bool		 ut_guest_here(void);
bool		 ut_threads_quiet(int);
void		 ut_threads_leave(unsigned int);
struct level	*ut_thread_level(struct thread *, uintptr_t);
void		 ut_threads_before_fork(void);
void		 ut_threads_after_fork(void);
void		 ut_threads_forked(void);

/* record.c: in an event, or under ut_lock. */
void		 ut_count_lost(const struct ut_event *, uint64_t);

/* clock.c */
void		 ut_clock_init(void);
int		 ut_clock_follow(int64_t, bool);

/*
 * filters.c: the filters of an event, for the regions where it has one, or
 * contexts.  Only the listener stores.
 */
struct filters {
	uint32_t	 mask;		/* these regions, a bit each */
	struct filter	*_Atomic of[UT_REGIONS];
};

bool		 ut_passes(const struct ut_event *, const struct writer *,
		    const struct region *, const unsigned char *, size_t);

/* slot.c */
/*
 * The thread has the lock: an event then is one of a handler that
 * pthread_atfork(3) has, or of what the library calls.
 */
extern UT_PER_THREAD bool ut_entered;
extern struct region ut_regions[UT_REGIONS];
/*
 * For each region and slot: the writer of this program that has the slot,
 * takes it or gives it back.
 */
extern struct writer *_Atomic *ut_users[UT_REGIONS];
extern struct ut_subbuf ut_no_subbuf;
bool		 ut_writer_ours(const struct writer *, const struct region *);
bool		 ut_writer_outer(const struct writer *, const struct region *);
bool		 ut_writer_find(struct writer *, struct region *);
bool		 ut_writer_bind(struct writer *, struct region *);
void		 ut_writer_unbind(struct writer *, struct region *);
void		 ut_writer_let_go(struct writer *);
void		 ut_slot_leave(struct writer *, struct region *);
void		 ut_wake_waiting(struct region *, uint32_t);
void		 ut_now_free(struct region *);
void		 ut_bell_maybe(struct region *, uint32_t);
void		 ut_bell_wake(struct region *);

/* subbuf.c */
enum room {
	ROOM_NONE,			/* the event is lost, or not wanted */
	ROOM_OWN,
	ROOM_SHARED			/* for this event */
};
enum room	 ut_writer_room(struct writer *, struct region *, size_t,
		    uint64_t);
enum room	 ut_writer_next(struct writer *, struct region *, size_t,
		    uint64_t);
void		 ut_writer_undo(struct writer *);
void		 ut_writer_leave(struct writer *, struct region *);

/* overwrite.c */
bool		 ut_drop(struct writer *, struct region *, uint32_t, uint32_t);
void		 ut_drop_end(struct region *, struct ut_slot *,
		    struct ut_subbuf *, uint64_t);
void		 ut_drop_later(const struct region *, struct ut_subbuf *);

/* wait.c: for space. */
struct space {
	uint64_t	 begun;
	uint32_t	 nap;		/* ms */
	uint32_t	 freed;		/* at the last look, or when it began */
	uint32_t	 freed_before;	/* at the look before that */
	bool		 rung;
};

void		 ut_wait_init(const struct region *);
void		 ut_wait_room(const struct region *);
bool		 ut_wait_may(const struct writer *, struct region *);
void		 ut_wait_begin(struct space *, struct region *);
void		 ut_wait_say(struct space *, struct region *);
bool		 ut_wait(struct space *, struct region *);
void		 ut_wait_end(const struct space *, struct region *);

/* shared.c */
void		 ut_shared_name(struct region *, const char *);
bool		 ut_shared_fits(const struct region *, size_t);
bool		 ut_shared_claim(struct writer *, struct region *, size_t);
unsigned char	*ut_shared_head(const struct writer *, const struct region *,
		    uint16_t, uint32_t);
void		 ut_shared_end(struct writer *, struct region *);
void		 ut_shared_commit(struct writer *, struct region *, size_t);
void		 ut_shared_park(struct writer *, struct region *);

/* callstack.c; the rest of it is in ut_prefix.h. */
void		 ut_callstack_leave(struct level *);
void		 ut_callstacks_forked(const struct thread *);

/* debug.c: is UT_DEBUG set?  Then our threads keep the standard error. */
bool		 ut_debugs(void);
const char	*ut_debug_error(int);
void		 ut_debug(const char *, ...)
		    __attribute__((format(printf, 1, 2)));

/* lock.c */
void		 ut_enter(sigset_t *);
void		 ut_unlock(void);
void		 ut_do_locked(void (*)(void));
void		 ut_leave(const sigset_t *);
extern pthread_mutex_t ut_lock;
extern sigset_t	 ut_signals;		/* blocked before ut_enter */

#endif /* UT_PRIV_H */
