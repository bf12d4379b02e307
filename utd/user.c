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

#define QUEUED_MAX	(64u << 20)	/* bytes that are not read */
#define TABLES_MAX	(128u << 20)	/* bytes of names and descriptions */
#define LOOK		4096		/* bytes of patterns, some us or ms */
#define TURN		UINT64_C(10000000)	/* ns */

static const size_t quotas[QUOTAS] = {
	[QUOTA_SESSIONS] = 64,
	[QUOTA_CHANNELS] = 128,
	[QUOTA_RULES] = 1u << 20,
	[QUOTA_EVENTS] = 64u << 20
};
static struct user *users;

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

/*
 * Root, and the user that we work for, need not leave anything.  And before
 * the first round there is only what was there before, with another utd.
 */
static bool
may_have_all(const struct user *u)
{
	return u->uid == 0 || u->uid == geteuid() || loop_round == 0;
}

/*
 * The descriptor, if the user may have one more, else -1 and EMFILE, and it is
 * closed.  The lowest that was free tells how many are taken.  No user has
 * more than what is left, so however many want all, there is something for the
 * next.  What the user had of another utd is not refused.
 */
int
user_open(struct user *u, int fd, bool had)
{
	const long max = sysconf(_SC_OPEN_MAX);

	if (!had && !may_have_all(u) && max != -1 &&
	    (long)u->nfiles >= max - fd) {
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

/* So many more; false and ENOMEM if that is more than it may have. */
bool
user_take(struct user *u, enum quota q, size_t n)
{
	if (!may_have_all(u) &&
	    (n > quotas[q] || u->has[q] > quotas[q] - n)) {
		errno = ENOMEM;
		return false;
	}
	u->has[q] += n;
	return true;
}

void
user_give(struct user *u, enum quota q, size_t n)
{
	u->has[q] -= n;
}

bool
user_queues(const struct user *u, size_t n)
{
	return n <= QUEUED_MAX && u->queued <= QUEUED_MAX - n;
}

bool
user_describes(const struct user *u, size_t n)
{
	return n <= TABLES_MAX && u->described <= TABLES_MAX - n;
}

/*
 * What users ask for can keep us busy for long, and a rule for an hour that is
 * made for that.  So each has some milliseconds in a round of the loop; then
 * it is others' turn.  Is there any time left?
 */
bool
user_turn(struct user *u)
{
	if (u->round != loop_round) {
		u->round = loop_round;
		u->spent = 0;
	}
	return u->spent < TURN;
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
	if (u->matched < LOOK) {
		u->matched += bytes;
		return true;
	}
	if (!user_turn(u) || ut_nanoseconds() - since >= TURN - u->spent)
		return false;
	u->matched = bytes;
	return true;
}
