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

#include <stdlib.h>
#include <unistd.h>

#include "parent.h"

#define QUEUED_MAX	(64u << 20)	/* bytes that are not read */
#define TABLES_MAX	(128u << 20)	/* bytes of names and descriptions */

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
 * May it have one connection more, which has that descriptor?  The lowest
 * that is free tells how many are taken.  No user has more than what is left,
 * so however many are greedy, there is something for the next; but the user
 * that we work for, and root, need not leave anything.
 */
bool
user_connects(const struct user *u, int fd)
{
	const long max = sysconf(_SC_OPEN_MAX);

	return u->uid == 0 || u->uid == geteuid() || max == -1 ||
	    (long)u->nconns < max - fd;
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
