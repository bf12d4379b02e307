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

#include "parent.h"

#define QUEUED_MAX	(64u << 20)	/* bytes that are not read */
#define TABLES_MAX	(128u << 20)	/* bytes of names and descriptions */
#define LOOK		4096		/* bytes of patterns, some us or ms */
#define TURN_MS		5

/* Bytes: all that is saved takes time whenever anything is. */
static const size_t kept_max[KEEP_KINDS] = { 4u << 20, 64u << 20 };
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

struct user *
xuser_get(uid_t uid)
{
	struct user *u = user_get(uid);

	if (u == NULL)
		fatal("calloc");
	return u;
}

struct user *
user_ref(struct user *u)
{
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

/* Root, and the user that we work for, need not leave anything. */
static bool
may_have_all(const struct user *u)
{
	return u->uid == 0 || u->uid == geteuid();
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

	if (!had && !may_have_all(u) && max != -1 && (long)u->nfiles >= max - fd) {
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

/* False and ENOMEM if that is more than what it may have. */
bool
user_keep(struct user *u, enum keep kind, size_t n)
{
	const size_t max = kept_max[kind];

	if (!may_have_all(u) && (n > max || u->kept[kind] > max - n)) {
		errno = ENOMEM;
		return false;
	}
	u->kept[kind] += n;
	return true;
}

void
user_unkeep(struct user *u, enum keep kind, size_t n)
{
	u->kept[kind] -= n;
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
 * A user's names and rules can keep us busy for an hour, so they get some
 * milliseconds in a round of the loop, and then others have their turn.  Is
 * there time for a name and patterns of so many bytes?  If not, the next round
 * begins with it.
 */
bool
user_works(struct user *u, size_t n)
{
	int64_t now;

	if (u->worked < LOOK) {
		u->worked += n;
		return true;
	}
	now = ut_msg_now();
	if (u->round != loop_round) {
		u->round = loop_round;
		u->until = now + TURN_MS;
	} else if (now >= u->until) {
		return false;
	}
	u->worked = n;
	return true;
}
