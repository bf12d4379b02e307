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
 * Programs, and what they record of which channel.
 */

#ifndef PROGRAM_H
#define PROGRAM_H

#include "../want/rule.h"
#include "../store/trace.h"

/* A program. */
struct program {
	struct conn	*conn;		/* NULL: closed, but it lives */
	uint64_t	 owner;		/* attach number, as in writer slots */
	char		 name[PROGRAM_NAME];
	uid_t		 uid;
	gid_t		 gid;
	pid_t		 pid;		/* seen by utd */
	pid_t		 vpid;		/* seen by the program */
	uint64_t	 image;		/* another one after exec; 0: unknown */
	uint32_t	 bits;
	bool		 kept;		/* may be attached since earlier */
	bool		 keeps;		/* DONE has told it to stay attached */
	bool		 known;		/* to consumers: it was sent buffers */
	uint32_t	 place;		/* in the table of them; 0: none */
	struct table	*table;		/* events that it offers */
	uint32_t	 listed;	/* names that the program told */
	uint32_t	 listing;	/* names that it was asked for */
	struct link	*links;
	struct waiter	*start;		/* until DONE; or NULL */
	unsigned int	 dones;		/* HELLO and NEW unanswered */
	bool		 dead;		/* the connection told of its death */
	int		 life;		/* readable when it is dead; or -1 */
	struct consumer	*consumer;	/* the consumer to bury it */
	struct program	*next;
	struct program	*chain;		/* next in the bucket of owners */
	struct program	*namesake;	/* next in the bucket of pids */
};

/* programs.c: all programs, and the table of those that are attached. */
extern struct program *programs;
void	 program_add(struct program *);
void	 program_del(struct program *);
struct program *program_by_owner(uint64_t);
struct program **programs_of(pid_t);	/* a bucket: see namesake */
void	 programs_open(const char *);
void	 programs_begin(void);
void	 programs_remove(void);
void	 program_save(struct program *);	/* for the next utd */
/* Tell a consumer the program's name; program_tell_all tells all. */
void	 program_tell(struct consumer *, const struct program *);
void	 program_tell_all(const struct program *);
void	 programs_tell(struct consumer *);
void	 program_bury(struct program *);	/* then free it */
void	 programs_buried(struct consumer *, uint32_t);

/* A place in the table of programs. */
struct state_program {
	uint64_t	 owner;		/* 0: nobody's */
	uint32_t	 uid, gid;
	uint32_t	 pid, vpid;
	uint32_t	 bits;
	char		 name[PROGRAM_NAME];
	uint32_t	 space;		/* PID namespace: see ut_pid_space */
};

/* program.c: programs come, offer events, go. */
void	 program_restore(const struct state_program *);
void	 program_hello(struct conn *, struct ut_msg *);

/* link_map.c: regions that a program keeps from an earlier connection. */
struct link;
bool	 program_keeps(struct program *);	/* DONE is to say so */
void	 program_settle(struct program *);	/* is that over? */
void	 programs_settle(void);
void	 link_unkeep(struct link *);

/* pause.c: what a program records changes. */
void	 pause_change(struct link *);	/* a change is to be told */
void	 pause_resume(struct link *);	/* the program is told all anew */
void	 pause_acked(struct link *, uint64_t);
void	 pause_over(struct link *);	/* perhaps: it has answered all */
void	 pause_cleared(const struct session *);

/*
 * link.c: a program and a channel, or all that the program offers when the
 * channel is NULL.
 */
struct link {
	struct program	*program;
	struct channel	*channel;
	struct region	*region;	/* NULL: nothing was mapped yet */
#define LINK_IDLE	0	/* nothing goes on */
#define LINK_NAMES	1	/* until the program has told its names */
#define LINK_TURN	2	/* until its session's user has time */
#define LINK_EVENTS	3	/* until the program has described the wanted */
#define LINK_REGION	4	/* until the region is made */
#define LINK_HELD	5	/* until the consumer was sent what it needs */
#define LINK_SEND	6	/* until the program has read what was sent */
#define LINK_MAP	7	/* until the program has confirmed */
	unsigned int	 state;
#define LINK_AWAY	0	/* from the region */
#define LINK_INTRODUCED	1	/* the consumer was told of the program */
#define LINK_ATTACHED	2	/* the program was sent the region */
	unsigned int	 reach;
	bool		 unsure;	/* mapped may not be right */
	bool		 again;		/* something changed meanwhile */
	bool		 failed;	/* the program told of an error */
	bool		 unable;	/* the region had failed */
	bool		 mute;		/* the program has told of no bell */
	uint32_t	 described;	/* events up to that were asked for */
	uint32_t	 answers;	/* to come */
	uint32_t	 sent;		/* events up to that were mapped */
	unsigned int	 acks;		/* to come */
	uint64_t	 since;		/* see pause.c; 0: nothing to tell */
	uint64_t	 begun;		/* the program obeyed; or 0 */
	struct plan	*mapped;	/* the plan that the program has */
	struct plan	*plan;		/* the plan that it shall have */
	struct verdict	 verdict;	/* does the session want the program? */
	struct waiters	 now;		/* for what goes on */
	struct waiters	 later;		/* for what comes after it */
	struct link	*next;		/* next link of the program */
};

/*
 * plan_assign.c: false if the session's user has no time left, and it has to be
 * called again.
 */
bool	 plan_fill(struct plan *, struct channel *, const struct program *);

/*
 * link_map.c: what a program is told.  map_describe asks for the next events to
 * be described; false if there are none.  map_send is false if the program has
 * to read some of it first.
 */
uint32_t link_id(const struct link *);
void	 map_list(struct program *);
bool	 map_describe(struct link *);
void	 map_attach(struct link *);
bool	 map_send(struct link *);

void	 link_sync(struct program *, struct channel *, struct waiter *);
void	 link_described(struct program *, uint32_t, uint32_t);
void	 link_unattached(struct program *, uint32_t, int);
void	 link_mute(struct program *, uint32_t);
void	 link_acked(struct program *, uint32_t, int, uint64_t);
void	 links_named(struct program *);
void	 links_region(struct region *, bool);
void	 links_drained(const struct consumer *);
void	 links_late(void);
void	 links_sent(struct program *);
void	 links_free(struct program *);
void	 links_end(void);
unsigned int links_stopped(const struct waiter *);
bool	 links_failed(const struct channel *);
/* How many programs a session wants, and of how many. */
void	 links_wanted(const struct session *, unsigned int *, unsigned int *);
void	 links_detach(const struct channel *);
struct link *link_find(const struct program *, const struct channel *);
void	 channel_sync(struct channel *, struct waiter *);
void	 session_tell(struct session *, struct waiter *);

#endif /* PROGRAM_H */
