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

/* Quotas: what each user takes of us, so that none takes what others need. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../libut/common/clock.h"
#include "loop.h"
#include "user.h"

#define LOOK		4096		/* bytes of patterns, some us or ms */
#define TURN		UINT64_C(10000000)	/* ns for a user in a round */
#define ROUND		(5 * TURN)	/* ns for all strangers in a round */
#define SHARE		4		/* quotas that all strangers share */
#define SPARE		64		/* descriptors that no program gets */

static const size_t quotas[QUOTAS] = {
	[QUOTA_SESSIONS] = 64,
	[QUOTA_CHANNELS] = 128,
	[QUOTA_RULES] = 1u << 20,
	[QUOTA_FILTERS] = 16u << 20,
	[QUOTA_EVENTS] = 64u << 20,
	[QUOTA_QUEUED] = 64u << 20,
	[QUOTA_TABLES] = 128u << 20,
	[QUOTA_LOST] = 4096
};
static struct user *users;
static size_t strangers_have[QUOTAS];
static unsigned int busy, was_busy;	/* strangers, in this round, the last */
static unsigned int busy_round;
static int last_shared = INT_MAX;	/* the first not for strangers, */
static int last_program = INT_MAX;	/* not for programs, */
static int last_region = INT_MAX;	/* not for regions */

/*
 * Root, and the user that we work for, have no limits.  All others are
 * strangers.  One person may be many strangers, by subordinate UIDs.
 */
bool
user_is_stranger(uid_t uid)
{
	return uid != 0 && uid != geteuid();
}

/* May the one control, or see, what is the other's? */
bool
user_controls(uid_t one, uid_t other)
{
	return !user_is_stranger(one) || one == other;
}

/* A reference to the user of a new connection; NULL and errno, as malloc(3). */
struct user *
user_come(uid_t uid)
{
	struct user *u;

	for (u = users; u != NULL && u->uid != uid; u = u->next)
		continue;
	if (u == NULL) {
		if ((u = calloc(1, sizeof(*u))) == NULL)
			return NULL;
		u->uid = uid;
		u->next = users;
		users = u;
	}
	u->refs++;
	return u;
}

/* A reference to a user, who most often is known already. */
struct user *
user_get(uid_t uid)
{
	struct user *u = user_come(uid);

	if (u == NULL)
		fatal("calloc");
	return u;
}

void
user_drop(struct user *u)
{
	if (u == NULL || --u->refs > 0)
		return;
	LIST_DEL(struct user, &users, u, next);
	free(u);
}

/*
 * A stranger is limited, except before the first round of the loop: everything
 * until then was there with another utd.
 */
static bool
is_limited(const struct user *u)
{
	return user_is_stranger(u->uid) && loop_round != 0;
}

/*
 * The last descriptors are not for strangers.  The last SPARE of them are not
 * for programs, and the last half of SPARE not for regions: they are kept for
 * consumers, files and utctl, by which a user can make room.  accept(2) and
 * recvmsg(2) take the lowest number that is free.
 */
void
users_begin(void)
{
	const long max = sysconf(_SC_OPEN_MAX);
	const int spare = max < 4 * SPARE ? (int)max / 4 : SPARE;

	if (max > 0 && max <= INT_MAX) {
		last_shared = (int)max - spare - spare / 2;
		last_program = (int)max - spare;
		last_region = (int)max - spare / 2;
	}
}

bool
fd_for_program(int fd)
{
	return fd < last_program;
}

bool
fd_for_region(int fd)
{
	return fd < last_region;
}

bool
user_spares(uid_t uid, int fd)
{
	return !user_is_stranger(uid) || fd < last_shared;
}

/*
 * Charge fd to the user.  Closes fd and returns -1 with EMFILE if a stranger
 * already holds as many as are still free for strangers, so that something is
 * left for the next one.  (fd was the lowest free number, so the limit minus
 * fd estimates what is left.)  What the user had with another utd is always
 * accepted.
 */
int
user_open(struct user *u, int fd, bool had)
{
	if (!had && is_limited(u) &&
	    (fd >= last_shared ||
	    u->nfiles >= (unsigned int)(last_shared - fd))) {
		ut_hang_up(fd);
		errno = EMFILE;
		return -1;
	}
	u->nfiles++;
	return fd;
}

void
user_close(struct user *u, int fd)
{
	ut_hang_up(fd);
	u->nfiles--;
}

/* Are n more within the user's quota, and within what others leave? */
bool
user_may(const struct user *u, enum quota q, size_t n)
{
	const size_t all = SHARE * quotas[q], theirs = strangers_have[q];

	if (n > quotas[q] || u->has[q] > quotas[q] - n)
		return false;
	return !is_limited(u) ||
	    (theirs <= all && u->has[q] + n <= all - theirs);
}

void
user_count(struct user *u, enum quota q, size_t n)
{
	u->has[q] += n;
	if (user_is_stranger(u->uid))
		strangers_have[q] += n;
}

/* Charge n more; false and ENOMEM if that exceeds what the user may have. */
bool
user_take(struct user *u, enum quota q, size_t n)
{
	if (is_limited(u) && !user_may(u, q, n)) {
		errno = ENOMEM;
		return false;
	}
	user_count(u, q, n);
	return true;
}

void
user_give(struct user *u, enum quota q, size_t n)
{
	u->has[q] -= n;
	if (user_is_stranger(u->uid))
		strangers_have[q] -= n;
}

/*
 * The requests of users can take long; a malicious rule can take an hour.  So
 * each user has some milliseconds in a round of the loop; then it is the turn
 * of others.  All strangers together have ROUND: those that were busy in the
 * last round share it, so a round does not take longer with more of them.
 */
static uint64_t
user_share(struct user *u)
{
	if (busy_round != loop_round) {
		busy_round = loop_round;
		was_busy = busy;
		busy = 0;
	}
	if (u->round != loop_round) {
		u->round = loop_round;
		u->spent = 0;
		busy += user_is_stranger(u->uid);
	}
	return !user_is_stranger(u->uid) || was_busy < ROUND / TURN ? TURN :
	    ROUND / was_busy;
}

/* Has the user any time left in this round? */
bool
user_turn(struct user *u)
{
	const uint64_t mine = user_share(u);

	return u->spent < mine;
}

/*
 * Charge the user for the time since then, in ns.  Rule matching inside the
 * handling of a message is charged twice; that is harmless and only makes this
 * turn of the user shorter.
 */
void
user_spent(struct user *u, uint64_t since)
{
	u->spent += ut_nanoseconds() - since;
}

/*
 * Has the user any time left, within work that began at that time and is not
 * charged yet?  Called before patterns of so many bytes are matched; looks at
 * the clock only once every LOOK bytes.
 */
bool
user_goes_on(struct user *u, uint64_t since, size_t bytes)
{
	uint64_t mine;

	if (u->matched < LOOK) {
		u->matched += bytes;
		return true;
	}
	mine = user_share(u);
	if (u->spent >= mine || ut_nanoseconds() - since >= mine - u->spent)
		return false;
	u->matched = bytes;
	return true;
}
