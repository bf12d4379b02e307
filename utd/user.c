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
 * What each user takes of us, so that none takes what others need.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../libut/clock.h"
#include "parent.h"

#define LOOK		4096		/* bytes of patterns, some us or ms */
#define TURN		UINT64_C(10000000)	/* ns, of a user in a round, */
#define ROUND		(5 * TURN)	/* and of all strangers */
#define SHARE		4		/* so many users' is for all strangers */

static const size_t quotas[QUOTAS] = {
	[QUOTA_SESSIONS] = 64,
	[QUOTA_CHANNELS] = 128,
	[QUOTA_RULES] = 1u << 20,
	[QUOTA_EVENTS] = 64u << 20,
	[QUOTA_QUEUED] = 64u << 20,
	[QUOTA_TABLES] = 128u << 20
};
static struct user *users;
static size_t strangers_have[QUOTAS];
static unsigned int busy, was_busy;	/* strangers, in this round and before */
static unsigned int busy_round;

/*
 * Root, and the user that we work for, need not leave anything.  All others
 * are strangers, and one of them may be many: who has subordinate UIDs.
 */
static bool
is_stranger(uid_t uid)
{
	return uid != 0 && uid != geteuid();
}

/* A reference to it, or NULL. */
struct user *
user_get(uid_t uid)
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

void
user_drop(struct user *u)
{
	struct user **p;

	if (u == NULL || --u->refs > 0)
		return;
	for (p = &users; *p != u; p = &(*p)->next)
		continue;
	*p = u->next;
	free(u);
}

/* Before the first round there is only what was there with another utd. */
static bool
is_limited(const struct user *u)
{
	return is_stranger(u->uid) && loop_round != 0;
}

bool
user_spares(uid_t uid, int fd)
{
	return !is_stranger(uid) || fd < listen_shared();
}

/*
 * The descriptor, if the user may have one more, else -1 and EMFILE, and it is
 * closed.  The lowest that was free tells how many are taken.  No stranger has
 * more than what is left for strangers, so however many want all, there is
 * something for the next.  What the user had of another utd is not refused.
 */
int
user_open(struct user *u, int fd, bool had)
{
	const int shared = listen_shared();

	if (!had && is_limited(u) &&
	    (fd >= shared || u->nfiles >= (unsigned int)(shared - fd))) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	u->nfiles++;
	return fd;
}

void
user_close(struct user *u, int fd)
{
	close(fd);
	u->nfiles--;
}

/* Is that within what it may have, and what others leave? */
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
	if (is_stranger(u->uid))
		strangers_have[q] += n;
}

/* So many more; false and ENOMEM if that is more than it may have. */
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
	if (is_stranger(u->uid))
		strangers_have[q] -= n;
}

/*
 * What users ask for can keep us busy for long, and a rule for an hour that is
 * made for that.  So each has some milliseconds in a round of the loop; then
 * it is others' turn.  However many strangers there are, a round takes no
 * longer: as many as were busy in the last one share the time.
 */
static uint64_t
turn(struct user *u)
{
	if (busy_round != loop_round) {
		busy_round = loop_round;
		was_busy = busy;
		busy = 0;
	}
	if (u->round != loop_round) {
		u->round = loop_round;
		u->spent = 0;
		busy += is_stranger(u->uid);
	}
	return !is_stranger(u->uid) || was_busy < ROUND / TURN ? TURN :
	    ROUND / was_busy;
}

/* Is there any time left? */
bool
user_turn(struct user *u)
{
	const uint64_t mine = turn(u);

	return u->spent < mine;
}

/*
 * From that time on, ns, something was done for it.  What is judged while its
 * message is dealt with counts twice; that matters only beyond a turn.
 */
void
user_spent(struct user *u, uint64_t since)
{
	u->spent += ut_nanoseconds() - since;
}

/*
 * The same within something that takes long, asked as often as patterns of so
 * many bytes are to be matched.
 */
bool
user_goes_on(struct user *u, uint64_t since, size_t bytes)
{
	uint64_t mine;

	if (u->matched < LOOK) {
		u->matched += bytes;
		return true;
	}
	mine = turn(u);
	if (u->spent >= mine || ut_nanoseconds() - since >= mine - u->spent)
		return false;
	u->matched = bytes;
	return true;
}
