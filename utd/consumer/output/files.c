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
 * Directories and files of the trace, as they are made and opened again.
 * Everything here runs as the user who is traced, or as the owner of the
 * session.
 *
 * The session's directory may lie in one of somebody else, who then can put
 * anything in its place, and others may be able to write into it.  So nothing
 * is used for its name alone: what is made is made new, and whatever is opened
 * is looked at first.  It has to belong to the user or to root; a file must be
 * a regular one that has no other name, or somebody else's file could be
 * given the name of one of ours by link(2).
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

/* Report another reason, with EPERM. */
int
output_refuse(const char *path, const char *reason)
{
	errno = EPERM;
	return report_why(path, "%s", reason);
}

/* Check that the owner is us, root, or the user that will get it. */
static int
check_owner(const char *path, const struct stat *st, uid_t uid)
{
	if (st->st_uid == 0 || st->st_uid == geteuid() || st->st_uid == uid)
		return 0;
	errno = EPERM;
	return report_why(path, "belongs to uid %lu, not to uid %lu%s",
	    (unsigned long)st->st_uid, (unsigned long)geteuid(),
	    geteuid() == 0 ? "" : " or root");
}

int
close_failed(int fd)
{
	const int error = errno;

	close(fd);
	errno = error;
	return -1;
}

DIR *
output_list(int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy != -1 ? fdopendir(copy) : NULL;

	if (dir != NULL)
		rewinddir(dir);
	else if (copy != -1)
		(void)close_failed(copy);
	return dir;
}

const char *
output_next(DIR *dir)
{
	const struct dirent *d;

	while ((d = readdir(dir)) != NULL && (strcmp(d->d_name, ".") == 0 ||
	    strcmp(d->d_name, "..") == 0))
		continue;
	return d != NULL ? d->d_name : NULL;
}

/* Check that the directory is empty, except for one of that name. */
int
output_bare(int fd, const char *but)
{
	const char *name;
	DIR *dir;
	int error = 0;

	if ((dir = output_list(fd)) == NULL)
		return -1;
	while (error == 0 && (name = output_next(dir)) != NULL)
		if (strcmp(name, but) != 0)
			error = ENOTEMPTY;
	closedir(dir);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Make one directory; if it must be new and is not, under another name. */
static int
make_subdir(int at, char *name, mode_t mode, enum output_how how)
{
	char *end = name + strlen(name);
	int n, r;

	r = mkdirat(at, name, mode);
	for (n = 2; how == OUTPUT_NEW && r == -1 && errno == EEXIST &&
	    n < OUTPUT_NUMBERS; n++) {
		snprintf(end, OUTPUT_NUMBER, "-%d", n);
		r = mkdirat(at, name, mode);
	}
	return r == 0 || (errno == EEXIST && how == OUTPUT_MAKE) ? 0 : -1;
}

/* Was the directory removed?  NetBSD would make files there all the same. */
static bool
is_removed(int dir)
{
	struct stat st;

	if (fstat(dir, &st) == -1 || st.st_nlink != 0)
		return false;
	errno = ENOENT;
	return true;
}

/*
 * Open, or make, the directory of one name in the path, which ends there for
 * now.  A new one may get another name.
 */
static int
open_subdir(int at, const char *path, char *name, mode_t mode,
    enum output_how how, uid_t uid)
{
	struct stat st;
	int dir;

	if (strcmp(name, "..") == 0)
		return output_refuse(path, "not below the session's");
	if (is_removed(at))
		return report_errno(path);
	if (how != OUTPUT_OPEN && strcmp(name, ".") != 0 &&
	    make_subdir(at, name, mode, how) == -1)
		return report_errno(path);
	dir = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    O_NOFOLLOW);
	if (dir == -1)
		return report_errno(path);
	if (fstat(dir, &st) == 0 && check_owner(path, &st, uid) == 0)
		return dir;
	return close_failed(dir);
}

/*
 * Check that nobody else can have put there what is given to another user: the
 * directories that we make are not for others to write to.
 */
static int
check_closed(int dir, const char *path)
{
	struct stat st;

	if (fstat(dir, &st) == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return dir;
	close(dir);
	return output_refuse(path, "writable by others than its owner");
}

/* How many directories of the path others can enter: down to ust/uid. */
static int
open_depth(const char *path)
{
	return strncmp(path, TOP "/", sizeof(TOP)) == 0 ? 2 : 3;
}

/*
 * Open, or make, a directory below fd and all between, for that user: a
 * descriptor, or -1 and errno.  Below ust/uid and ust/pid, and the same in the
 * directory of a chunk, only the user can enter it.  One that must be new may
 * get another name, for which path has room.
 */
int
output_dir(int fd, char *path, enum output_how how, uid_t uid)
{
	char *name = path, *slash;
	const int others = open_depth(path);
	int dir, at = fd, depth;

	for (depth = 0;; depth++, name = slash + 1) {
		if ((slash = strchr(name, '/')) != NULL)
			*slash = '\0';
		dir = open_subdir(at, path, name,
		    depth < others && slash != NULL ? 0755 : 0700,
		    slash != NULL && how == OUTPUT_NEW ? OUTPUT_MAKE : how,
		    slash != NULL ? geteuid() : uid);
		if (dir != -1 && slash != NULL && uid != geteuid())
			dir = check_closed(dir, path);
		if (at != fd)
			close(at);
		if (slash != NULL)
			*slash = '/';
		if (dir == -1 || slash == NULL)
			return dir;
		at = dir;
	}
}

int
output_open(int fd, const char *name)
{
	char path[NAME_MAXLEN + 1];

	snprintf(path, sizeof(path), "%s", name);
	return open_subdir(fd, path, path, 0, OUTPUT_OPEN, geteuid());
}

static int
must_be_empty(int fd, const char *but)
{
	if (output_bare(fd, but) == 0)
		return 0;
	return errno == ENOTEMPTY ? report_why(NULL, "not empty: empty it, or "
	    "name another directory") : report_errno(NULL);
}

/*
 * Make ust in a session's directory from the first, so that a trace without
 * events can be recognized.
 */
static int
make_top(int fd)
{
	char top[] = TOP;
	int dir, r;

	if (mkdirat(fd, top, 0755) == -1 && errno != EEXIST)
		return report_errno(NULL);
	if ((dir = open_subdir(fd, top, top, 0, OUTPUT_OPEN, geteuid())) == -1)
		return -1;
	r = must_be_empty(dir, "");
	return r == 0 ? close(dir) : close_failed(dir);
}

/* Check that the directory can be a session's, or still is. */
static int
check_session(int fd, bool again)
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return report_errno(NULL);
	if (check_owner(NULL, &st, geteuid()) == -1)
		return -1;
	if (again)
		return 0;
	return must_be_empty(fd, TOP) == 0 ? make_top(fd) : -1;
}

/* Walk there, and perhaps make it: a descriptor, or -1 and errno. */
static int
walk_to(const char *path, bool make)
{
	int fd = -1, error;

	if (ut_walk(path, make, geteuid() == 0 ? 0755 : 0700) == 0)
		fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = errno;
	if (chdir("/") == -1)
		fatal("/");
	errno = error;
	if (fd == -1)
		return error != EPERM ? report_errno(NULL) : report_why(NULL,
		    "%s: a symbolic link on the way that others could have "
		    "put there", strerror(error));
	return fd;
}

/* The directory of a session: a descriptor, or -1 and errno. */
int
output_session(const char *path, bool again)
{
	const int fd = walk_to(path, !again);

	if (fd == -1)
		return -1;
	return check_session(fd, again) == 0 ? fd : close_failed(fd);
}

/* Open or make a directory, which may be anybody's, to make one of ours in. */
int
output_above(const char *path)
{
	return walk_to(path, true);
}

static bool
is_there(const char *path, const struct stat *dir)
{
	struct stat st;

	return path[0] == '/' && stat(path, &st) == 0 &&
	    st.st_dev == dir->st_dev && st.st_ino == dir->st_ino;
}

/* If the directory is not what that path leads to, find the one that it has. */
int
output_where(int fd, char *path, size_t size)
{
	struct stat st;
	bool found;

	if (fstat(fd, &st) == -1)
		return report_errno(NULL);
	if (is_there(path, &st))
		return 0;
	found = fchdir(fd) == 0 && getcwd(path, size) != NULL &&
	    is_there(path, &st);
	if (chdir("/") == -1)
		fatal("/");
	errno = ENOENT;
	return found ? 0 : report_errno(NULL);
}

/*
 * Give the directory to the user, unless it is the user's already.  It must be
 * empty: then we have just made it.
 */
int
output_give(int dir, const char *path, uid_t uid, gid_t gid)
{
	struct stat st;

	if (fstat(dir, &st) == -1)
		return report_errno(path);
	if (st.st_uid == uid)
		return 0;
	if (output_bare(dir, "") == -1 || fchown(dir, uid, gid) == -1)
		return report_errno(path);
	return 0;
}

/* A new file cannot be used: the next try is to make it again. */
static void
unmake_file(const struct trace *t, const char *name)
{
	const int error = errno;

	(void)unlinkat(t->fd, name, 0);
	errno = error;
}

/*
 * Open a file of the trace, a new one or one that we have made before.  The
 * user can put anything in its place, but cannot keep us waiting by that.
 */
int
output_file(const struct trace *t, const char *name, int flags)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", t->path, name);
	if (is_removed(t->fd))
		return report_errno(path);
	if ((flags & O_CREAT) != 0)
		flags |= O_EXCL;
	fd = openat(t->fd, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY, 0600);
	if (fd == -1)
		return report_errno(path);
	if (fstat(fd, &st) == -1) {
		report_errno(path);
		if ((flags & O_CREAT) != 0)
			unmake_file(t, name);
	} else if (!S_ISREG(st.st_mode)) {
		output_refuse(path, "not a regular file");
	} else if (st.st_nlink > 1) {
		output_refuse(path, "has another name, too");
	} else if (check_owner(path, &st, geteuid()) == 0) {
		return fd;
	}
	return close_failed(fd);
}
