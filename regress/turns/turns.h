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
 * Turns: writers and a consumer, as they are in the product, take turns at
 * each access to the memory that they share, as a seed says.  See README.
 */

#ifndef TURNS_H
#define TURNS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../libut/ut_abi.h"

#define NPROGRAMS	2
#define NWRITERS	3		/* threads; the last is of program 1 */
#define CONSUMER	NWRITERS	/* the actor's number */
#define NACTORS		(NWRITERS + 1)
#define NSLOTS		6u
#define NSUBS_MAX	4u
#define SUBSIZE		64u
#define GRAIN		8u		/* bytes of data that are one location */
#define NGRAINS		(NSUBS_MAX * SUBSIZE / GRAIN)
#define NEVENTS		96		/* of one actor, with its handlers' */
#define EVENT_LEN	10u		/* with its head two grains */
#define STACK		(256u << 10)
#define EVENT_ID	2u
#define EVENT_MAGIC	0xe7
#define PID		7
#define NAME		"program"	/* with its NUL a grain */

enum mode { DISCARD, OVERWRITE, BLOCK, KEEP, NMODES };

/* The memory that programs and consumers share, and what programs have. */
struct memory {
	struct ut_header	 header;
	struct ut_slot		 slots[NSLOTS];
	struct ut_subbuf	 subs[NSUBS_MAX];
	_Alignas(64) unsigned char data[NSUBS_MAX * SUBSIZE];
	void *_Atomic		 users[NPROGRAMS][NSLOTS];	/* ut_users */
};

/* The fate of an event: LATE is recorded when the session had ended. */
enum fate { NEVER, BEGUN, LOST, REFUSED, RECORDED, LATE };

struct log {
	struct {
		enum fate	 fate;
		bool		 found;		/* in a file */
		uint64_t	 from, to;	/* between these times */
	} events[NEVENTS];
	unsigned int	 n;
};

enum state { READY, ASLEEP, DONE, DEAD };

struct actor {
	enum state	 state;
	void		(*body)(void);
	jmp_buf		 start, at;	/* where its stack begins; where it is */
	jmp_buf		 out;		/* where a handler jumps to */
	char		*stack, *top;
	unsigned int	 program;
	void		*self;		/* its ut_self, while it has no turn */
	bool		 entered;	/* its ut_entered */
	unsigned int	 depth;		/* events in one another */
	bool		 blocked;	/* no handler runs now */
	bool		 ending;	/* its thread */
	unsigned int	 handler, death;	/* steps until then */
	const void	*word;		/* what it sleeps for */
	unsigned int	 nap;		/* turns of others until it goes on */
	void		*value;		/* pthread_setspecific(3) */
	unsigned int	 todo;		/* events to come */
};

/* All that a run has: what is in here is not put back with the product's. */
struct turns {
	uint64_t	 seed, random;
	enum mode	 mode;
	unsigned int	 steps;
	unsigned int	 turn;		/* steps that are left of it */
	unsigned int	 turn_max;	/* steps, at most */
	unsigned int	 stale;		/* of 16, loads that may be old */
	unsigned int	 signals;	/* steps between two, at most */
	unsigned int	 current;	/* actor; NACTORS: none, and no model */
	struct actor	 actors[NACTORS];
	jmp_buf		 driver;
	bool		 started, stopped;	/* the session */
	bool		 rung;
	bool		 dropped;	/* a sub-buffer, once */
	uint64_t	 now;		/* ns */
	uint64_t	 leap;		/* of a thousand, times that leap */
	bool		 dead[NPROGRAMS], known[NPROGRAMS], buried[NPROGRAMS];
	bool		 filtered;
	bool		 verbose;	/* each step is printed */
	bool		 jumps;		/* handlers leave events */
	bool		 adopted;	/* by the consumer, from another */
	struct log	 logs[NWRITERS];
	uint64_t	 lost_at_stop;
	struct memory	*memory;
	char		*threads;	/* memory for struct thread */
};

extern struct turns *T;

/* weak.c: the memory model of C11, and what calls it. */
void	 weak_reset(void);
void	 weak_settle(void);		/* nothing is invisible any longer */
void	 weak_heard(unsigned int, unsigned int);	/* of one's end */
void	 weak_ring(bool);
void	 weak_write(const void *, size_t);
void	 weak_read(const void *, size_t);

/* actor.c */
uint32_t random_below(uint32_t);
void	 step(void);
bool	 actor_wait(const void *);	/* true: another has woken it */
void	 actor_nap(unsigned int);	/* for so many turns of others */
void	 actors_wake(const void *);
void	 actor_end(enum state);
void	 actors_run(void);
void	 actor_set(unsigned int, void (*)(void), unsigned int);
void	 program_kill(unsigned int);
_Noreturn void wrong(const char *, ...)
	    __attribute__((format(printf, 1, 2)));

/* rules.c: what ut_abi(5) says of a state. */
void	 rule_state(struct ut_subbuf *, uint64_t, uint64_t, bool);

/* system.c: what libut and consumers call, for both. */
void	 system_reset(void);
void	*arena(size_t);			/* zeros, until the run is over */
void	 time_pass(uint64_t);		/* ns */
extern void (*thread_end)(void *);

/* files.c: the files of the trace, and what only consumers call. */
void	 files_reset(void);
void	 files_each(void (*)(const unsigned char *, size_t));

/* writers.c */
void	 programs_reset(void);
void	 check_programs(void);
void	 writer(void);
bool	 writers_left(void);
void	 handler(void);
bool	 passes(const unsigned char *);	/* the filter */

/* consumers.c */
void	 consumer(void);
void	 consumer_again(void);		/* one has died */
uint64_t lost_now(void);		/* as programs have counted */
uint64_t overwritten_now(void);

/* check.c: what must be true in the end. */
void	 check_end(void);

/* mark.c: the beginnings of the product's variables, and the end. */
extern char data_libut[], data_consumer[], data_end[];
extern char bss_libut[], bss_consumer[], bss_end[];

/* product.c */
void	 product_reset(void);
void	 product_reset_consumer(void);

#endif /* TURNS_H */
