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
 * The region: the shared memory with the buffers of a channel, as its consumer
 * sees it.  It has sub-buffers and slots of threads, and counts of the events
 * that were written and lost.  Its packets go to a sink: see sink.h.
 */

#ifndef REGION_H
#define REGION_H

#include <signal.h>
#include <stdatomic.h>

#include "../../libut/common/attr.h"
#include "../utd.h"

struct trace;
struct sink;

/* Memory that others can cut off: see memory.c. */
struct shared {
	void		*at;
	size_t		 size;
	volatile sig_atomic_t cut;	/* cut off: private zeros replace it */
	struct shared	*next;
};

/* The traces of a region before the one that it is written to. */
struct past {
	uint32_t	 trace;		/* the last, for the parent; or 0 */
	uint64_t	 told;		/* lost events, in all of these */
	uint64_t	 bytes, packets;	/* the last trace's */
	bool		 unsaid;	/* the parent has yet to be told */
};

/* The dead program that wrote a sub-buffer, in a session that keeps it. */
struct grave {
	uint64_t	 number;	/* the program's; 0: none */
	uint32_t	 pid;
	char		 name[PROGRAM_NAME];
};

/* The events that a slot has lost: see loss.c. */
struct loss {
	uint64_t	 lost;		/* the slot's, when it made sense */
	uint64_t	 overwritten;	/* the slot's, when it made sense */
	uint64_t	 told;		/* lost events that packets in the
					   files tell of */
	uint64_t	 telling;	/* told, plus those that packets not
					   yet written tell of */
	uint64_t	 since;		/* no untold event was lost before
					   this time */
	uint64_t	 count;		/* total to be told now; or 0 */
	uint64_t	 seq;		/* claims of the slot that gone.c may
					   tell of; 0: none */
	uint64_t	 has;		/* highest seq that is in the region */
};

/* How often a sub-buffer was dropped when it was shared: see gone.c. */
struct gone {
	uint64_t	 since;		/* untold drops came later */
	uint64_t	 next;		/* the next since, when count is told */
	uint32_t	 telling;	/* drops of which packets tell */
	uint32_t	 count;		/* drops to be told now */
};

/* A time when events were not recorded: see pauses.c. */
struct pause {
	uint64_t	 from, to;
};

/* The value of the header's lost at a time, for snapshots. */
#define LOSS_MARKS	32
struct loss_mark {
	uint64_t	 time, lost;
};

struct region {
	uint32_t	 id;
	char		 name[NAME_MAXLEN];	/* the channel's */
	uint32_t	 stream;	/* the channel's ID in packets */
	struct attrs	 attrs;		/* the channel's */
	struct sink	*sink;		/* where packets go */
	struct past	 past;
	uint64_t	 begun;		/* time of the first event that may be
					   in this trace */
	bool		 keeps;		/* buffers, until closed: see copy.c */

	char		 shm[UT_SHM_NAME];
	int		 fd;
	size_t		 size;
	struct shared	 shared;
	struct ut_header *header;
	struct ut_slot	*slots;
	struct ut_subbuf *subs;
	unsigned char	*data;
	struct grave	*graves;	/* by sub-buffer; or NULL */
	bool		 copy;		/* private: see shottrace.c */
	uint32_t	 nslots;
	uint32_t	 nsubs;
	uint32_t	 subsize;
	/* Copies of the header's, which others can write. */
	uint32_t	 bell;
	uint32_t	 taken;
	uint64_t	 warm;

	uint64_t	*done_seq;	/* by slot: seq of the last sub-buffer
					   written */
	uint32_t	*waited;	/* by slot: tick at which a gap was
					   first seen; 0: no gap */
	uint64_t	*consumed;	/* by sub-buffer */
	uint64_t	*until;		/* by sub-buffer: time of consumed */
	uint64_t	*seen;		/* by sub-buffer: commit a second ago */
	uint32_t	*round;		/* by sub-buffer: the round that
					   consumed, until and seen belong to */
	struct gone	*gones;		/* by sub-buffer */
	bool		 overwrites;	/* writers drop the oldest */
	int32_t		 min_age;	/* this pass takes full sub-buffers of
					   at least this age, in deliveries */
	bool		 more_full;	/* younger full ones are left */
	int64_t		 revoked;	/* last look for idle threads */
	uint32_t	 nfreed;	/* freed since writers were woken */
	bool		 hungry;	/* writers wait */
	int64_t		 waited_for;	/* ms: when a writer last said that it
					   waits */

#define DOZE_AWAKE	0	/* something goes on, or did */
#define DOZE_OFF	1	/* threads ring; some may not know it yet */
#define DOZE_ASLEEP	2	/* all threads know */
	unsigned int	 doze;
	unsigned int	 quiet;		/* ticks without an event */
	uint32_t	 quiet_at;	/* header.delivered at the last tick */
	int64_t		 dozed;		/* when DOZE_OFF began */
	int64_t		 flush;		/* time of the next flush; 0: none */
	uint32_t	 ticks;

	uint64_t	 written;	/* events in the files */
	uint64_t	 dropped;	/* events that could not be written */
	struct counts	 counted;	/* reply_counts' last ones */
	struct loss	*losses;	/* by slot, and then nobody's */
	uint64_t	 looked;	/* time of the last look at losses */
	uint64_t	 latest;	/* largest time of its clock */
	uint32_t	 nlooked;	/* slots used at looked */
	struct loss_mark marks[LOSS_MARKS];
	unsigned int	 nmarks;
	struct pause	 pauses[UT_PAUSES];
	unsigned int	 npauses;
	unsigned int	 ntold;		/* pauses[0 .. ntold - 1]: packets tell
					   of these */

	bool		 watched;	/* the parent awaits more bytes */
	uint64_t	 watched_bytes;	/* tell the parent when there are
					   more */

	bool		 damaged;	/* damaged, as the parent was told */
	uint32_t	 toobig;	/* longest event that was reported */
	unsigned int	 ntoobig;	/* reports of toobig */
	uint64_t	 unheard;	/* the header's, as reported */
	unsigned int	 nunheard;	/* reports of unheard */
	int		 wait_errno;	/* why events have to wait; or 0 */
	bool		 held;		/* some pieces exceed the limit of the
					   trace: see bound.c */
	uint64_t	 waited_lost;	/* lost events when wait_errno was
					   set */
	struct region	*next;
};

extern struct region *regions;

/* Access to shared memory: relaxed, unless the name says an order. */
#define load(at)	atomic_load_explicit(at, memory_order_relaxed)
#define load_acquire(at) atomic_load_explicit(at, memory_order_acquire)
#define store(at, v)	atomic_store_explicit(at, v, memory_order_relaxed)

/* memory.c: the shared memory.  region_new returns NULL and errno. */
struct region *region_new(const struct region *, bool, int);
size_t	 region_size(const struct region *);	/* bytes of shared memory */
void	 region_free(struct region *);
struct region *region_private(const struct region *);
void	 region_private_free(struct region *);

/* region_state.c: what is in there. */
struct region *region_known(uint32_t);	/* NULL: unknown */
void	 region_damaged(struct region *);
uint64_t region_count(struct region *, uint64_t *, uint64_t);
void	 region_start(struct region *);
void	 region_stop(struct region *, bool);	/* true: its program is dead */
bool	 commit_valid(const struct region *, uint64_t, uint64_t);
const unsigned char *region_data(const struct region *, uint32_t, uint32_t);
uint32_t region_slots_used(const struct region *);
bool	 region_over(const struct region *, uint32_t);
void	 region_slot_free(struct region *, uint32_t);
bool	 region_sub_take(struct region *, uint32_t, uint64_t);
void	 region_sub_leave(struct region *, uint32_t);
void	 region_sub_free(struct region *, uint32_t);
void	 region_sub_drop(struct region *, uint32_t, uint64_t);
void	 region_round(struct region *, uint32_t);
bool	 region_pin_any(struct region *, uint32_t, uint64_t *);
bool	 region_pin(struct region *, uint32_t, uint64_t *);
void	 region_unpin(struct region *, uint32_t);
uint64_t region_overwritten(struct region *);
uint32_t region_used(const struct region *);	/* sub-buffers */
void	 region_written(struct region *, uint64_t);
void	 region_dropped(struct region *, uint64_t);
void	 region_counts(const struct region *, uint64_t, uint64_t);
void	 region_sub_consumed(struct region *, uint32_t, uint64_t, uint64_t);
void	 region_advance(struct region *, uint32_t, uint64_t);
void	 region_passed(struct region *, uint32_t, uint64_t);
void	 region_look(struct region *);	/* note what is delivered */
void	 region_looked(struct region *);	/* note that it is dealt with */
bool	 region_has_full(const struct region *);
bool	 region_sleep(struct region *, bool);
uint64_t region_now(const struct region *);	/* by its clock */
uint64_t region_no_later(const struct region *, uint64_t);
bool	 region_wake(struct region *);	/* true: some writer waited */
void	 region_wake_all(struct region *);

/* names.c: what threads are called; true: those that have a name, too. */
void	 region_names(struct region *, bool);

/* copy.c: regions of a session that writes nothing by itself. */
uint64_t region_kept(const struct region *);	/* events */
bool	 region_keep(struct region *, uint32_t, uint64_t);
void	 region_name_dead(struct region *);
const struct grave *region_grave(const struct region *, uint32_t);

/* copy.c: a copy of what a region holds. */
struct region *region_copy(struct region *);	/* NULL and errno */

/* drain.c: from sub-buffers to packets. */
#define DRAIN_FULL	0		/* sub-buffers that are full */
#define DRAIN_DEAD	1		/* also what dead programs committed */
#define DRAIN_ALL	2		/* also what everybody committed */
#define DRAIN_LAST	3		/* like ALL, for the last time */
#define DRAIN_TICK	4		/* FULL, and what is due each second */
bool	 region_drain(struct region *, int);	/* true: call again at once */
void	 region_finish(struct region *, bool);	/* stop and drain it */
void	 region_look_files(struct region *);
void	 region_check(const struct region *);
void	 region_grew(struct region *);	/* tell the parent, if it watches */
bool	 region_bury(struct region *);	/* the dead; false: not yet */

/* loss.c: the events that were lost, and what tells of them. */
uint64_t region_lost(struct region *);	/* even if no packet told it */
bool	 loss_any(struct region *);	/* no packet tells of it */
void	 loss_look(struct region *);	/* note who has none so far */
void	 loss_begin(struct region *);
void	 loss_adopt(struct region *, uint64_t);

/* amend.c: when those without a slot were lost. */
void	 loss_mark(struct region *);
void	 loss_copy(struct region *, struct region *, uint64_t);

/* gone.c: overwritten events of which no packet with events tells. */
void	 gone_begin(struct region *, bool);	/* true: another had it */
void	 gone_copy(const struct region *, struct region *, uint64_t);
void	 gone_tell(struct region *);	/* drops of shared sub-buffers */
void	 gone_slots(struct region *, bool);	/* true: of all slots */

/* pauses.c: times when events were not recorded. */
void	 pause_add(struct region *, uint64_t, uint64_t);
void	 pause_begin(struct region *);	/* the region stops */
void	 pause_end(struct region *);	/* the region starts */
void	 pause_alone(struct region *);	/* stops; other regions go on */
void	 pause_adopt(struct region *);
void	 pause_copy(const struct region *, struct region *, uint64_t);
void	 pause_tell(struct region *);	/* pauses that no packet tells of */

/* chunk.c: a region goes on in another trace. */
void	 region_rotate(struct region *, struct trace *);

/* adopt.c: a region and its sink, and what another consumer has left. */
void	 region_left_sink(struct region *, const struct sink *);
bool	 region_begin(struct region *, struct trace *, bool);
void	 region_end(struct region *);

/* shrunk.c: files that somebody has cut or removed. */
void	 region_shrunk(struct region *);	/* their events are lost */

/* revoke.c: which sub-buffers a pass takes, in overwrite mode. */
bool	 oldest_find(struct region *, int);
bool	 oldest_enough(const struct region *, uint32_t);
bool	 oldest_full(const struct region *, uint32_t);

/* revoke.c: sub-buffers that idle threads hold. */
#define HURRY_MS	50	/* between looks at writers, who say that often
				   that they wait */
bool	 region_needy(const struct region *);	/* true: flush it before that */
bool	 region_revoke(struct region *);	/* true: something goes on */

/* sleep.c: which regions are awake. */
void	 region_swap_active(struct region *, uint32_t, uint32_t);
uint32_t region_interval(const struct region *);	/* ms; 0: never */
void	 tick_always(void);
void	 tick_awake(struct region *);
void	 tick_awake_all(void);
bool	 tick_begin(void);		/* true: the pass has a tick */
void	 tick_end(void);

/* tick.c: when regions are looked at though nobody rings. */
#define GRACE_MS	500	/* a tick's second, less what it may be late */
bool	 region_pass(struct region *, bool);	/* true: call again at once */

/* memory.c: pages, ahead of the writers. */
bool	 region_warm(struct region *);	/* true: call again soon */

/* memory.c: SIGBUS. */
void	 fault_init(void);
void	 fault_watch(struct shared *, void *, size_t);
void	 fault_forget(struct shared *);

#endif /* REGION_H */
