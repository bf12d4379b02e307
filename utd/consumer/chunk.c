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
 * A chunk that is complete: no consumer writes there any more.  It gets its
 * place below archives/ by one rename(2), or is removed.
 *
 * The first chunk of a session is ust/ itself, and moves into a directory of
 * its own first; later ones have one.  Each step may have been taken by a
 * consumer that died behind it.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "sink.h"

#define ARCHIVES	"archives"
#define DEPTH_MAX	8	/* ours are not deeper */

static int
make_dir(int at, const char *name)
{
	return mkdirat(at, name, 0755) == 0 || errno == EEXIST ? 0 :
	    report_errno(name);
}

bool
output_there(int at, const char *name)
{
	struct stat st;

	return fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int
open_dir(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    O_NOFOLLOW);
}

static int	remove_tree(int, const char *, int);

/* Some systems let root unlink(2) a directory, and lose what is in it. */
static int
remove_entry(int at, const char *name, int depth)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    (!S_ISDIR(st.st_mode) && unlinkat(at, name, 0) == -1))
		return errno == ENOENT ? 0 : report_errno(name);
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (depth < DEPTH_MAX)
		return remove_tree(at, name, depth + 1);
	errno = ELOOP;
	return report_why(name, "%s", "too deep");
}

/* Remove all in the directory. */
static int
remove_entries(int fd, int depth)
{
	DIR *dir = output_list(fd);
	const char *name;
	int r = 0;

	if (dir == NULL)
		return report_errno(NULL);
	while (r == 0 && (name = output_next(dir)) != NULL)
		r = remove_entry(fd, name, depth);
	closedir(dir);
	return r;
}

/* Nobody else is to put anything there while it is emptied. */
static void
take_dir(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_uid != geteuid() &&
	    fchown(fd, geteuid(), (gid_t)-1) == 0)
		(void)fchmod(fd, 0700);
}

/* Remove a directory and all below it.  No link is followed. */
static int
remove_tree(int at, const char *name, int depth)
{
	int fd;

	if ((fd = open_dir(at, name)) == -1)
		return errno == ENOENT ? 0 : report_errno(name);
	take_dir(fd);
	if (remove_entries(fd, depth) == -1)
		return close_failed(fd);
	close(fd);
	return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 :
	    report_errno(name);
}

int
output_remove(int at, const char *name)
{
	return remove_tree(at, name, 0);
}

/* Remove what is in the directory. */
int
output_empty(int fd)
{
	return remove_entries(fd, 0);
}

/* Remove a directory in which there are only directories; false: it stays. */
static bool
prune(int at, const char *name, int depth)
{
	const char *sub;
	DIR *dir;
	int fd;
	bool empty = true;

	if (depth > DEPTH_MAX || (fd = open_dir(at, name)) == -1)
		return false;
	if ((dir = fdopendir(fd)) == NULL) {
		close(fd);
		return false;
	}
	while (empty && (sub = output_next(dir)) != NULL)
		empty = prune(fd, sub, depth + 1);
	closedir(dir);
	return empty && unlinkat(at, name, AT_REMOVEDIR) == 0;
}

/* Is there a directory of ours: 1, 0, or -1? */
static int
have(int at, const char *name)
{
	const int fd = output_open(at, name);

	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	close(fd);
	return 1;
}

/* Give ust/ a directory above, which is complete before it is called so. */
static int
wrap_top(int fd, int archives, const char *hidden)
{
	int dir, r = 0;

	if (make_dir(archives, hidden) == -1 ||
	    (dir = output_open(archives, hidden)) == -1)
		return -1;
	if (!output_there(dir, TOP) && renameat(fd, TOP, dir, TOP) == -1)
		r = errno == ENOENT ? make_dir(dir, TOP) : report_errno(TOP);
	return r == 0 ? close(dir) : close_failed(dir);
}

static int
move(int fd, int archives, const char *from, const char *to, uint32_t how)
{
	char hidden[NAME_MAXLEN + 1];
	const bool top = strcmp(from, TOP) == 0;
	int there;

	if (output_there(archives, to))
		return 0;		/* by one that died then */
	snprintf(hidden, sizeof(hidden), ".%s", to);
	if (how == UT_CHUNK_ANY)
		(void)prune(fd, from, 0);
	if ((there = have(fd, from)) == -1)
		return -1;
	if (there == 0 && how == UT_CHUNK_ANY &&
	    !output_there(archives, hidden))
		return 0;
	if (there == 0 || top) {
		if (wrap_top(fd, archives, hidden) == -1)
			return -1;
		from = hidden;
		fd = archives;
	}
	return renameat(fd, from, archives, to) == 0 ? 0 : report_errno(to);
}

/*
 * Keep the chunk under that name, if there is any, or remove it: 0, or -1 and
 * errno.
 */
int
chunk_done(int fd, const char *from, const char *to, uint32_t how, bool *any)
{
	int archives, r;

	if (how == UT_CHUNK_CLEAR) {
		r = remove_tree(fd, from, 0);
	} else {
		if (make_dir(fd, ARCHIVES) == -1 ||
		    (archives = output_open(fd, ARCHIVES)) == -1)
			return -1;
		r = move(fd, archives, from, to, how);
		*any = output_there(archives, to);
		r = r == 0 ? close(archives) : close_failed(archives);
	}
	/* By this an empty trace is recognized. */
	return r == 0 ? make_dir(fd, TOP) : r;
}
