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
 * A consumer: a process of one user, which has the regions and the files.
 */

#ifndef CONSUMER_H
#define CONSUMER_H

#include "output/output.h"

struct region;

/* A program, as packets name it. */
struct program {
	uint64_t	 number;
	uint32_t	 pid;		/* in its own PID namespace */
	uint32_t	 outside;	/* pid in ours; 0: unknown */
	char		 name[PROGRAM_NAME];
	bool		 dead;		/* dead, and not buried everywhere */
	struct program	*next;
};

extern bool parent_gone;
extern bool ending;			/* in order */

/* sleep.c: the bell. */
int	 sleep_bell(char *);		/* open or make it: 0 or -1 */
bool	 sleep_bell_new(void);		/* was it made? */
void	 sleep_tick(bool);		/* each second */
void	 sleep_until(int64_t);		/* the timer; 0: none */
bool	 sleep_rang(void);		/* a program, since this was asked */
void	 sleep_signal(int);
bool	 sleep_on_bell(void);		/* true: look at all regions */
void	 sleep_ring(void);
void	 sleep_on_socket(int);		/* some ms, or -1 */
void	 sleep_end(void);

/* orders.c: what the parent says. */
struct order {
	uint16_t	 type;		/* UT_C_; 0 and NULL are the end */
	void		(*act)(struct ut_msg *);
};

/* A message that has to wait for the end of a pass. */
struct later {
	struct later	*next;
	struct ut_msg	 msg;		/* allocated to its length */
};

extern unsigned int orders_held;	/* count of UT_C_HOLD */

void	 orders_init(void);
void	 orders_take(void);		/* obey those that need not wait */
struct later *orders_next(void);	/* the next that had to wait */
bool	 order_obey(const struct order *, struct ut_msg *);
/* Returns the serial number. */
uint32_t orders_like(struct ut_msg *, struct region *);
/* Make a region, or take it over; NULL and errno. */
struct region *orders_region(const struct region *, struct trace *, bool,
	    int);

/* orders_later.c: what is done between two passes. */
void	 orders_later(void);
void	 orders_bury(void);		/* bury them where they can be */

/* shotdir.c: the directory of a snapshot; shottrace.c: what is in there. */
void	 shot_dir(struct ut_msg *);
void	 shot_end(struct ut_msg *);
void	 shot_text(struct ut_msg *);
void	 shot_take(struct ut_msg *);

/* program_table.c: programs. */
struct program *program_read(struct ut_msg *);
struct program *program_find(uint64_t);
const struct program *program_of_pid(uint32_t);	/* NULL: unknown */
bool	 program_dead(uint64_t);
void	 program_died(struct ut_msg *);
bool	 programs_dead(void);
void	 programs_forget(void);		/* forget the dead */

#endif /* CONSUMER_H */
