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
 * Remains of a consumer that does not end in order, in the file system and in
 * shared memory: a lock file, the bell and regions.
 */

#include <sys/types.h>
#include <sys/mman.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "consumers.h"

static char run_dir[PATH_MAX];

void
remains_begin(const char *dir)
{
	snprintf(run_dir, sizeof(run_dir), "%s", dir);
}

/*
 * The lock file of a user's consumers.  No consumer of another user has it
 * open, because a process that has it open can lock it for ever.
 */
static void
lock_name(char *path, size_t size, uid_t uid)
{
	char name[64];

	snprintf(name, sizeof(name), "consumer-%lu", (unsigned long)uid);
	make_path(path, size, run_dir, name);
}

/* For the process of a consumer, which waits until no other has it. */
int
consumer_lock(uid_t uid)
{
	char path[PATH_MAX];
	int fd;

	lock_name(path, sizeof(path), uid);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd == -1)
		fatal("%s", path);
	return fd;
}

/* The user has no consumer any more that could wait. */
void
consumer_unlock(uid_t uid)
{
	char path[PATH_MAX];

	lock_name(path, sizeof(path), uid);
	if (unlink(path) == -1 && errno != ENOENT)
		log_warn("%s is left, for you to remove", path);
}

/*
 * Remove what the consumer has left, with no more rights than it had: the name
 * may be that of another user's object by now.
 */
void
consumer_remove(const struct consumer *c, const char *name, bool bell)
{
	const bool other = geteuid() == 0 && c->uid != 0;

	if (other && seteuid(c->uid) == -1) {
		log_warn("shared memory %s is left: uid %lu", name,
		    (unsigned long)c->uid);
		return;
	}
	if ((bell ? ut_bell_remove(name) : shm_unlink(name)) == -1 &&
	    errno != ENOENT && (errno != EACCES || !bell))
		log_warn("shared memory %s is left, for you to remove", name);
	if (other && seteuid(0) == -1)
		fatal("uid 0");
}
