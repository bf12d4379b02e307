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
 * user.c: what each user takes of us.
 */

#ifndef USER_H
#define USER_H

#include "../utd.h"

enum quota {
	QUOTA_SESSIONS, QUOTA_CHANNELS,
	QUOTA_RULES,			/* bytes of rules */
	QUOTA_FILTERS,			/* bytes of their filters' code */
	QUOTA_EVENTS,			/* bytes in registries */
	QUOTA_QUEUED,			/* bytes of unread messages */
	QUOTA_TABLES,			/* bytes of programs' events */
	QUOTA_LOST,			/* programs without a connection */
	QUOTAS
};

struct user {
	uid_t		 uid;
	unsigned int	 refs;
	unsigned int	 nfiles;	/* connections, sessions, regions */
	size_t		 has[QUOTAS];
	unsigned int	 round;		/* loop_round in which spent was used */
	uint64_t	 spent;		/* ns used for this user in it */
	size_t		 matched;	/* bytes since the clock was read */
	int64_t		 job_at;	/* when the next command may begin */
	struct user	*next;
};

struct user *user_come(uid_t);
struct user *user_get(uid_t);
void	 user_drop(struct user *);
int	 user_open(struct user *, int, bool);
void	 user_close(struct user *, int);
bool	 user_take(struct user *, enum quota, size_t);
void	 user_give(struct user *, enum quota, size_t);
bool	 user_may(const struct user *, enum quota, size_t);
void	 user_count(struct user *, enum quota, size_t);
void	 users_begin(void);
/* May that descriptor, which is new, be what it is for? */
bool	 fd_for_program(int);
bool	 fd_for_region(int);
bool	 user_spares(uid_t, int);	/* may that descriptor be the user's? */
bool	 user_is_stranger(uid_t);
bool	 user_controls(uid_t, uid_t);
bool	 user_turn(struct user *);
void	 user_spent(struct user *, uint64_t);
bool	 user_goes_on(struct user *, uint64_t, size_t);

#endif /* USER_H */
