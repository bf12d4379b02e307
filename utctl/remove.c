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
 * Removal of directories with all that is in them.
 *
 * The owner of a directory on the way can put another one, or a link, in the
 * place of any name there, at any time.  So we go from descriptor to descriptor
 * and follow no link; and as root we go only into directories of root's that
 * nobody else can write to.  A directory of another user is emptied by a
 * process that has become that user, and so has no more rights there than the
 * user, whatever the user has moved or linked into it.  And of a trace, root
 * removes only what utd makes in one: see consumer/remove.c there.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"
#include "utctl.h"

#define DEPTH_MAX	16	/* directories that are open at once */
#define NAMES		64	/* names to try for what is moved up */

/* The places of directories. */
enum place {
	PLACE_ANY,		/* all that is there goes */
	PLACE_TRACE,		/* ust/ and what else a session writes */
	PLACE_CHUNKS,		/* archives/ or snapshots/ */
	PLACE_CHUNK,		/* one of these */
	PLACE_TOP,		/* ust/ */
	PLACE_UIDS,		/* ust/uid/ */
	PLACE_UID,		/* ust/uid/UID/ */
	PLACE_PIDS,		/* ust/pid/ */
	PLACE_FILES,		/* with metadata and streams */
	PLACE_NONE		/* not one of a trace */
};

static const struct {
	enum place	 place;
	const char	*name;	/* an entry's; NULL: any */
	enum place	 below;
} places[] = {
	{ PLACE_ANY, NULL, PLACE_ANY },
	{ PLACE_TRACE, "ust", PLACE_TOP },
	{ PLACE_TRACE, "archives", PLACE_CHUNKS },
	{ PLACE_TRACE, "snapshots", PLACE_CHUNKS },
	{ PLACE_CHUNKS, NULL, PLACE_CHUNK },
	{ PLACE_CHUNK, "ust", PLACE_TOP },
	{ PLACE_TOP, "uid", PLACE_UIDS },
	{ PLACE_TOP, "pid", PLACE_PIDS },
	{ PLACE_UIDS, NULL, PLACE_UID },
	{ PLACE_UID, "32-bit", PLACE_FILES },
	{ PLACE_UID, "64-bit", PLACE_FILES },
	{ PLACE_PIDS, NULL, PLACE_FILES },
};

struct removal {
	int		 top;	/* the directory that is emptied */
	unsigned long	 n;	/* the next name's number */
	int		 moved;	/* something was moved up to it */
	int		 error;	/* why something is left: the first; or 0 */
	int64_t		 deadline;	/* for users */
};

int
dir_above(const char *path, char **name)
{
	char *above = format("%s", path), *slash;
	size_t n = strlen(above);
	int here, fd = -1, error;

	while (n > 1 && above[n - 1] == '/')
		above[--n] = '\0';
	slash = strrchr(above, '/');
	*name = format("%s", slash + 1);
	*slash = '\0';
	if ((here = ut_here()) != -1 && ut_walk(above, 0, 0) == 0)
		fd = ut_here();
	error = errno;
	if (here != -1 && fchdir(here) == -1)
		die_errno("fchdir");
	if (here != -1)
		close(here);
	free(above);
	errno = error;
	return fd;
}

void
dir_above_say(const char *path)
{
	if (errno == EPERM)
		say("%s: %s: a symbolic link on the way that others could have "
		    "put there", path, strerror(errno));
	else
		say_errno("%s", path);
}

int
dir_open(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    O_NOFOLLOW | O_NONBLOCK);
}

static int
others_write(const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* In a user namespace, root's own files may be those of an unknown user. */
static int
is_roots(const struct stat *st)
{
	struct stat top;

	return st->st_uid == 0 ||
	    (stat("/", &top) == 0 && st->st_uid == top.st_uid);
}

/*
 * Is what stands there under a name of root's what root has put there?  The
 * directory's owner can give it the name of another one of root's in there.
 */
int
dir_keeps_names(int at)
{
	struct stat st;

	return geteuid() != 0 || (fstat(at, &st) == 0 && is_roots(&st) &&
	    (!others_write(&st) || (st.st_mode & S_ISVTX) != 0));
}

/*
 * A user who is not the owner may have moved a directory to where others can
 * write, and would have root remove what only the owner can.
 */
int
dir_removable(int at, int fd)
{
	struct stat above, st;

	if (geteuid() != 0)
		return 1;
	if (fstat(at, &above) == -1 || fstat(fd, &st) == -1)
		return 0;
	if (st.st_uid == 0)
		return dir_keeps_names(at) && !others_write(&st);
	return is_roots(&above) && !others_write(&above);
}

static void
failed(struct removal *rm)
{
	if (rm->error == 0 && errno != ENOENT)
		rm->error = errno;
}

/* Directories that are too deep go to the top, to be removed from there. */
static void
move_up(struct removal *rm, int at, const char *name)
{
	char to[32];
	int tries, r = -1;

	errno = EEXIST;
	for (tries = 0; r == -1 && tries < NAMES && (errno == EEXIST ||
	    errno == ENOTEMPTY || errno == ENOTDIR); tries++) {
		snprintf(to, sizeof(to), ".ut-%lu", rm->n++);
		r = renameat(at, name, rm->top, to);
	}
	if (r == -1)
		failed(rm);
	else
		rm->moved = 1;
}

/* A user's, perhaps from an earlier chunk. */
static int
is_uid(const char *name)
{
	name += strspn(name, "0123456789");
	if (strncmp(name, "-chunk-", 7) == 0)
		name += 7 + strspn(name + 7, "0123456789");
	return *name == '\0';
}

static enum place
place_below(enum place place, const char *name)
{
	size_t i;

	if (place == PLACE_UIDS && !is_uid(name))
		return PLACE_NONE;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].place == place && (places[i].name == NULL ||
		    strcmp(places[i].name, name) == 0))
			return places[i].below;
	return PLACE_NONE;
}

/* Is it metadata, what the clocks said, or a stream? */
static int
is_file(enum place place, const char *name, const struct stat *st)
{
	const char *last = strrchr(name, '_');

	if (place != PLACE_FILES || !S_ISREG(st->st_mode))
		return place == PLACE_ANY;
	return strcmp(name, "metadata") == 0 || strcmp(name, "clock") == 0 ||
	    (last != NULL && last != name &&
	    last[1] != '\0' && last[1 + strspn(last + 1, "0123456789")] ==
	    '\0');
}

/* Say only the first: there may be many. */
static void
not_ours(struct removal *rm, const char *name)
{
	errno = EPERM;
	if (rm->error == 0)
		say("%s: not of a trace: root does not remove it", name);
	failed(rm);
}

static void	empty(struct removal *, int, int, enum place);
static int	empty_as(const struct removal *, int, uid_t, gid_t);

/* Empty a directory, as whoever may: its descriptor is closed. */
static void
empty_owned(struct removal *rm, int fd, int depth, enum place place)
{
	struct stat st;

	if (fstat(fd, &st) == -1) {
		failed(rm);
	} else if (geteuid() != 0 || (st.st_uid == 0 && !others_write(&st))) {
		empty(rm, fd, depth, place);
		return;
	} else {
		errno = st.st_uid == 0 ? EPERM :
		    empty_as(rm, fd, st.st_uid, st.st_gid);
		if (errno != 0)
			failed(rm);
	}
	close(fd);
}

/* Some systems let root unlink(2) a directory, and lose what is in it. */
static void
remove_entry(struct removal *rm, int at, const char *name, int depth,
    enum place place)
{
	const enum place below = place_below(place, name);
	struct stat st;
	int fd;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == -1) {
		failed(rm);
	} else if (!S_ISDIR(st.st_mode)) {
		if (!is_file(place, name, &st))
			not_ours(rm, name);
		else if (unlinkat(at, name, 0) == -1)
			failed(rm);
	} else if (below == PLACE_NONE) {
		not_ours(rm, name);
	} else if (depth == DEPTH_MAX) {
		move_up(rm, at, name);
	} else if ((fd = dir_open(at, name)) == -1) {
		failed(rm);
	} else {
		empty_owned(rm, fd, depth + 1, below);
		/* A user who can put another there could remove it, too. */
		if (unlinkat(at, name, AT_REMOVEDIR) == -1)
			failed(rm);
	}
}

/* Remove what may go of a directory; its descriptor is closed. */
static void
empty(struct removal *rm, int fd, int depth, enum place place)
{
	const struct dirent *d;
	DIR *dir;

	if ((dir = fdopendir(fd)) == NULL) {
		failed(rm);
		close(fd);
		return;
	}
	rewinddir(dir);
	while ((d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			remove_entry(rm, fd, d->d_name, depth, place);
	closedir(dir);
}

/* Empty the directory at the top, which stays open: 0 or an errno. */
static int
empty_top(int fd, void (*how)(struct removal *, int, int, enum place),
    enum place place)
{
	struct removal rm = { fd, 0, 0, 0, as_user_deadline() };
	int copy;

	do {
		rm.moved = 0;
		if ((copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)) == -1)
			failed(&rm);
		else
			how(&rm, copy, 0, place);
	} while (rm.moved);
	return rm.error;
}

static int
empty_there(void *arg)
{
	const int *fd = arg;

	return empty_top(*fd, empty, PLACE_ANY);
}

/* Have a process that becomes the owner empty a directory: 0 or an errno. */
static int
empty_as(const struct removal *rm, int fd, uid_t uid, gid_t gid)
{
	return as_user(uid, gid, empty_there, &fd, rm->deadline);
}

static int
remove_opened(int at, const char *name, int fd, enum place place)
{
	struct stat st, now;

	if (!dir_removable(at, fd)) {
		errno = EPERM;
		return -1;
	}
	if ((errno = empty_top(fd, empty_owned, place)) != 0)
		return -1;
	if (fstat(fd, &st) == 0 && fstatat(at, name, &now,
	    AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == now.st_dev &&
	    st.st_ino == now.st_ino)
		return unlinkat(at, name, AT_REMOVEDIR);
	errno = ENOENT;
	return -1;
}

/*
 * Remove the directory of that name, with the trace that is in it: 0, or -1
 * with errno.  It was opened when it was found good, and can be another one by
 * now.
 */
int
dir_remove(int at, const char *name, int fd)
{
	return remove_opened(at, name, fd, geteuid() == 0 ? PLACE_TRACE :
	    PLACE_ANY);
}

/* The directory, if it is empty, or with all that is in it. */
void
remove_dir(const char *path, int all)
{
	char *name;
	const int at = dir_above(path, &name);
	const int fd = at == -1 || !all ? -1 : dir_open(at, name);

	if (fd != -1) {
		(void)remove_opened(at, name, fd, PLACE_ANY);
		close(fd);
	} else if (at != -1) {
		(void)unlinkat(at, name, AT_REMOVEDIR);
	}
	if (at != -1)
		close(at);
	free(name);
}
