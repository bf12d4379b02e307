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
 * A utd that missed a deadline is late: nobody waits for it again until it has
 * answered.
 *
 * Before the first fork, the note of that moves to shared memory, so that a
 * parent and its later children know what one child has found out.
 *
 * Other programs of the user find a mark in /tmp, a file with the number of
 * milliseconds that a program has waited in vain.  They wait only for a moment,
 * in case utd has recovered; a program that gets an answer removes the mark.
 * The mark expires, so that a program waits for the full time now and then.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/rundir.h"
#include "ut_conn.h"

#define MARK		".late"		/* behind the name of the FIFO */
#define MARK_LASTS	60		/* s */
#define MOMENT		100		/* part of the time-out that is one */
#define MOMENT_MIN	10		/* ms, the least moment */

int64_t ut_patience = 3000;

static _Atomic bool late_here[UT_CONNS];
static _Atomic bool *late = late_here;

static _Atomic bool *
late_at(const struct conn *c)
{
	return &late[c->known.conn];
}

bool
ut_conn_late(const struct conn *c)
{
	return atomic_load_explicit(late_at(c), memory_order_relaxed);
}

/* Before a fork. */
void
ut_conn_share_late(void)
{
	_Atomic bool *p;
	int i;

	if (late != late_here)
		return;
	p = mmap(NULL, sizeof(late_here), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	for (i = 0; i < UT_CONNS; i++)
		atomic_init(&p[i], late_here[i]);
	late = p;
}

static bool
mark_name(char *path, const struct conn *c)
{
	if (ut_rundir_tmp(path, PLACE_LEN - strlen(MARK), ut_geteuid(),
	    c->dir) == -1)
		return false;
	strcat(path, MARK);
	return true;
}

/* How long a program has waited in vain of late, ms; 0 if none has. */
static long
mark_read(const struct conn *c)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW;
	const time_t now = ut_time();
	char path[PLACE_LEN], text[32];
	struct stat st;
	ssize_t n = 0;
	int fd;

	if (!mark_name(path, c) || (fd = open(path, flags)) == -1)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == ut_geteuid() && st.st_mtime <= now + 1 &&
	    now - st.st_mtime < MARK_LASTS)
		n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

/* A program that runs for somebody else leaves nothing behind. */
static void
mark_make(const struct conn *c)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	char path[PLACE_LEN];
	int fd;

	if (ut_patience <= 0 || ut_issetugid() || !mark_name(path, c))
		return;
	(void)unlink(path);
	if ((fd = open(path, flags, 0600)) == -1)
		return;
	(void)dprintf(fd, "%ld\n", (long)ut_patience);
	close(fd);
}

static void
mark_remove(const struct conn *c)
{
	char path[PLACE_LEN];

	if (!ut_issetugid() && mark_name(path, c))
		(void)unlink(path);
}

/* When to go on without it; deadline is for those that are not late. */
int64_t
ut_conn_until(struct conn *c, int64_t deadline)
{
	int64_t moment = ut_patience / MOMENT;

	if (ut_patience <= 0 || ut_conn_late(c) || mark_read(c) < ut_patience)
		return deadline;
	c->marked = true;
	moment = ut_msg_now() + (moment < MOMENT_MIN ? MOMENT_MIN : moment);
	return moment < deadline ? moment : deadline;
}

void
ut_conn_set_late(struct conn *c, bool is)
{
	const bool was = ut_conn_late(c);

	atomic_store_explicit(late_at(c), is, memory_order_relaxed);
	if (is && !was)
		ut_debug("%s: utd does not answer in time", c->dir);
	if (is && !was && !c->marked)
		mark_make(c);
	if (!is && (was || c->marked))
		mark_remove(c);
	c->marked = false;
}
