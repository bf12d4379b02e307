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
 * Files that others have put where we look.  Only regular files are read: to
 * open a FIFO may wait for ever, and to open a device may have effects.  What
 * has that name can be another file at the next look.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"
#include "regular.h"
#include "say.h"

#define FLAGS		(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* The file that was opened, or -1 if it is no regular one. */
static int
checked(int fd, struct stat *st)
{
	int error;

	if (fd == -1)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode))
		return fd;
	error = S_ISREG(st->st_mode) ? errno : EINVAL;
	close(fd);
	errno = error;
	return -1;
}

/* Look, and then open: a device that is put there in between is opened. */
static int
open_plainly(int at, const char *path, int flags, struct stat *st)
{
	if (fstatat(at, path, st, (flags & O_NOFOLLOW) != 0 ?
	    AT_SYMLINK_NOFOLLOW : 0) == -1)
		return -1;
	if (S_ISREG(st->st_mode))
		return checked(openat(at, path, flags | FLAGS), st);
	errno = EINVAL;
	return -1;
}

#if defined(O_PATH) && defined(__linux__) && !defined(UT_POSIX)

/* A descriptor that only holds the file has no effects; then that is opened. */
int
regular_open(int at, const char *path, int flags, struct stat *st)
{
	const int held = checked(openat(at, path, flags | O_PATH | O_CLOEXEC),
	    st);
	char name[64];
	int fd, error;

	if (held == -1)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
	fd = open(name, FLAGS);
	error = errno;
	close(held);
	errno = error;
	if (fd == -1 && (error == ENOENT || error == ENOTDIR))
		return open_plainly(at, path, flags, st);	/* no /proc */
	return checked(fd, st);
}

#else

int
regular_open(int at, const char *path, int flags, struct stat *st)
{
	return open_plainly(at, path, flags, st);
}

#endif

int
path_is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, mode) == 0;
}

/*
 * The path of a file of that name, as execvp(3) looks for it, which may be
 * used in that way: see access(2).  NULL: there is none.
 */
char *
path_find(const char *name, int mode)
{
	const char *p;
	char *path;
	size_t n;

	if (strchr(name, '/') != NULL)
		return access(name, mode) == 0 ? format("%s", name) : NULL;
	for (p = getenv("PATH"); p != NULL; p = p[n] == '\0' ? NULL :
	    p + n + 1) {
		n = strcspn(p, ":");
		path = n == 0 ? format("./%s", name) :
		    format("%.*s/%s", (int)n, p, name);
		if (path_is_file(path, mode))
			return path;
		free(path);
	}
	return NULL;
}
