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
 * Remove parts of a trace: a chunk that is cleared, one that is empty, a
 * snapshot that failed, and the oldest of both.
 *
 * The directories are those of one user and, in root's sessions, of each user
 * who was recorded; and into their own, users can move whatever they may
 * rename, at any time, while root's consumer removes it.  So nothing goes but
 * what consumers make: directories in their places, and in those of a trace
 * regular files with the names of metadata and streams.
 *
 * Each directory is looked at when it is open, and only used if it belongs to
 * who has that part.  Files there must belong to the same user.  In an own
 * directory that user could remove any name, and any directory that is empty,
 * so this takes no more than the user's own rights, whatever is put in place of
 * what we have looked at.  No owner and no mode is changed.
 *
 * A user can have any number of files there.  So regions are drained between
 * two files, as in any other pass, or events of other sessions would be lost;
 * and all users together keep us from other requests for some seconds only.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define SERVE_MS	10		/* between looks at regions */
#define FOREIGN_MS	5000		/* users' files: they may add more */

/* The places of directories. */
enum place {
	PLACE_CHUNK,			/* a chunk or a snapshot, with ust/ */
	PLACE_TOP,			/* ust/ */
	PLACE_UIDS,			/* ust/uid/ */
	PLACE_PIDS,			/* ust/pid/ */
	PLACE_UID,			/* one user's, in ust/uid/ */
	PLACE_TRACE,			/* with metadata and streams */
	PLACE_NONE			/* not one of ours */
};

/* A directory is open, and what is ours in it is removed. */
struct part {
	int		 fd;
	enum place	 place;
	uid_t		 uid;		/* owns it, and all below */
};

static int64_t until;			/* for parts of other users */

static bool
all_digits(const char *s)
{
	return *s != '\0' && s[strspn(s, "0123456789")] == '\0';
}

/* A user's, perhaps from an earlier chunk: see parent/rotate_carry.c. */
static bool
is_uid(const char *name)
{
	const char *end = name + strspn(name, "0123456789");

	return end != name && (*end == '\0' || (strncmp(end, "-chunk-", 7) ==
	    0 && all_digits(end + 7)));
}

/* Where is the directory of that name? */
static enum place
place_below(enum place place, const char *name)
{
	switch (place) {
	case PLACE_CHUNK:
		return strcmp(name, TOP) == 0 ? PLACE_TOP : PLACE_NONE;
	case PLACE_TOP:
		return strcmp(name, "uid") == 0 ? PLACE_UIDS :
		    strcmp(name, "pid") == 0 ? PLACE_PIDS : PLACE_NONE;
	case PLACE_UIDS:
		return is_uid(name) ? PLACE_UID : PLACE_NONE;
	case PLACE_PIDS:
		return PLACE_TRACE;
	case PLACE_UID:
		return strcmp(name, "32-bit") == 0 ||
		    strcmp(name, "64-bit") == 0 ? PLACE_TRACE : PLACE_NONE;
	default:
		return PLACE_NONE;
	}
}

static enum place
place_of(const char *name)
{
	return strcmp(name, TOP) == 0 ? PLACE_TOP : PLACE_CHUNK;
}

/* Is it the name of metadata, of points, or of a stream: see stream_file? */
static bool
is_file_name(const char *name)
{
	const char *last = strrchr(name, '_');

	return strcmp(name, "metadata") == 0 || strcmp(name, "clock") == 0 ||
	    (last != NULL && last != name && all_digits(last + 1));
}

/*
 * May a directory there belong to that user, below one of another?  Nobody but
 * us puts names into ust/uid and ust/pid.
 */
static bool
owner_fits(const struct part *above, const char *name, uid_t uid)
{
	if (above->place == PLACE_UIDS && uid != geteuid())
		return strtoul(name, NULL, 10) == uid;
	return above->place == PLACE_PIDS || uid == above->uid;
}

/* Open the directory of that name: 1, or 0 if there is none, or -1. */
static int
part_open(const struct part *above, const char *name, struct part *p)
{
	struct stat st;

	p->fd = openat(above->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    O_NOFOLLOW);
	if (p->fd == -1)
		return errno == ENOENT ? 0 : report_errno(name);
	if (fstat(p->fd, &st) == -1) {
		(void)report_errno(name);
		return close_failed(p->fd);
	}
	p->uid = st.st_uid;
	if (owner_fits(above, name, st.st_uid))
		return 1;
	errno = EPERM;
	(void)report_why(name, "belongs to uid %lu, not to uid %lu: not "
	    "removed", (unsigned long)st.st_uid, (unsigned long)above->uid);
	return close_failed(p->fd);
}

static int	remove_dir(const struct part *, const char *, enum place);

/* Remove a file, if it is one of ours: 0, or -1. */
static int
remove_file(const struct part *p, const char *name)
{
	struct stat st;

	if (fstatat(p->fd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : report_errno(name);
	if (p->place != PLACE_TRACE || !is_file_name(name) ||
	    !S_ISREG(st.st_mode) || st.st_uid != p->uid) {
		errno = EPERM;
		return report_why(name, "not of the trace: not removed");
	}
	return unlinkat(p->fd, name, 0) == 0 || errno == ENOENT ? 0 :
	    report_errno(name);
}

static int
remove_below(const struct part *p, const char *name)
{
	const enum place below = place_below(p->place, name);

	return below != PLACE_NONE ? remove_dir(p, name, below) :
	    remove_file(p, name);
}

/* Drain the regions now and then.  False: that part has had its time. */
static bool
serve_parent(const struct part *p)
{
	static int64_t served;
	static struct reason other;
	struct region *r;

	if (ut_msg_now() - served >= SERVE_MS) {
		report_swap(&other);
		for (r = regions; r != NULL; r = r->next)
			(void)region_pass(r, false);
		report_swap(&other);
		served = ut_msg_now();
	}
	return p->uid == geteuid() || ut_msg_now() < until;
}

/*
 * Remove all of ours that is in the directory.  What stays does not keep the
 * rest.  Metadata go last, for a reader that comes meanwhile.
 */
static int
remove_listed(const struct part *p)
{
	DIR *dir = output_list(p->fd);
	const char *name;
	int error = 0;

	if (dir == NULL)
		return report_errno(NULL);
	while ((name = output_next(dir)) != NULL) {
		if (!serve_parent(p)) {
			error = EMFILE;
			(void)report_why(NULL, "uid %lu has too many files "
			    "there: not removed", (unsigned long)p->uid);
			break;
		}
		if (strcmp(name, "metadata") != 0 &&
		    remove_below(p, name) == -1)
			error = errno;
	}
	closedir(dir);
	if (remove_below(p, "metadata") == -1)
		error = errno;
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Remove the directory of that name and what is ours below it: 0, or -1. */
static int
remove_dir(const struct part *above, const char *name, enum place place)
{
	struct part p = { .place = place };
	int r;

	if ((r = part_open(above, name, &p)) != 1)
		return r;
	if (remove_listed(&p) == -1)
		return close_failed(p.fd);
	close(p.fd);
	return unlinkat(above->fd, name, AT_REMOVEDIR) == 0 ||
	    errno == ENOENT ? 0 : report_errno(name);
}

int
output_remove(int at, const char *name)
{
	const struct part above = { .fd = at, .place = PLACE_NONE,
	    .uid = geteuid() };

	until = ut_msg_now() + FOREIGN_MS;
	return remove_dir(&above, name, place_of(name));
}

/* Bytes of what output_remove would remove, as far as time suffices. */
static uint64_t
size_below(const struct part *above, const char *name, enum place place)
{
	struct part p = { .place = place };
	struct stat st;
	const char *sub;
	uint64_t sum = 0;
	DIR *dir;

	if (place == PLACE_NONE)
		return above->place == PLACE_TRACE && is_file_name(name) &&
		    fstatat(above->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (part_open(above, name, &p) != 1)
		return 0;
	dir = output_list(p.fd);
	while (dir != NULL && serve_parent(&p) &&
	    (sub = output_next(dir)) != NULL)
		sum += size_below(&p, sub, place_below(place, sub));
	if (dir != NULL)
		closedir(dir);
	close(p.fd);
	return sum;
}

/* Remove what is in there: of what has ust/, that is all. */
int
output_empty(int fd)
{
	const struct part p = { .fd = fd, .place = PLACE_CHUNK,
	    .uid = geteuid() };

	until = ut_msg_now() + FOREIGN_MS;
	return remove_dir(&p, TOP, PLACE_TOP);
}

/*
 * Remove a trace of this user, of which not all could be written.  Only in the
 * user's own directory, where no name leads elsewhere: as the session's owner
 * we leave it to whoever removes the whole.
 */
void
output_discard(int fd, const char *path)
{
	const struct part above = { .fd = fd, .place = PLACE_UID,
	    .uid = geteuid() };

	if (strchr(path, '/') == NULL)
		(void)remove_dir(&above, path, PLACE_TRACE);
}

/* Remove a directory in which there are only directories; false: it stays. */
static bool
place_prune(const struct part *above, const char *name, enum place place)
{
	struct part p = { .place = place };
	const char *sub;
	enum place below;
	DIR *dir;
	bool empty = true;

	if (part_open(above, name, &p) != 1)
		return false;
	if (place != PLACE_TRACE) {
		dir = output_list(p.fd);
		while (dir != NULL && empty && (sub = output_next(dir)) != NULL)
			empty = (below = place_below(place, sub)) !=
			    PLACE_NONE && place_prune(&p, sub, below);
		empty &= dir != NULL;
		if (dir != NULL)
			closedir(dir);
	}
	close(p.fd);
	return empty && unlinkat(above->fd, name, AT_REMOVEDIR) == 0;
}

void
output_prune(int at, const char *name)
{
	const struct part above = { .fd = at, .place = PLACE_NONE,
	    .uid = geteuid() };

	(void)place_prune(&above, name, place_of(name));
}

bool
output_ours(int fd, const char *name)
{
	struct stat st;

	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/*
 * Count the chunks or snapshots there with a higher number, but not above that
 * of the last, and tell the oldest and its number; false if these may stay, or
 * cannot be listed.
 */
static bool
too_many(int fd, const char *newest, const struct aging *may, char *oldest,
    uint32_t *number)
{
	const struct part above = { .fd = fd, .place = PLACE_NONE,
	    .uid = geteuid() };
	const uint32_t after = *number, last = name_number(newest);
	uint64_t bytes = 0, size;
	uint32_t count = 0, n;
	const char *name, *why;
	DIR *dir = output_list(fd);

	if (dir == NULL) {
		why = strerror(errno);
		log_peer("%s: nothing that is older is removed: %s", newest,
		    why);
		return false;
	}
	while ((name = output_next(dir)) != NULL) {
		if ((n = name_number(name)) <= after || n > last ||
		    !output_ours(fd, name))
			continue;
		if (count++ == 0 || n < *number) {
			*number = n;
			snprintf(oldest, NAME_MAXLEN, "%s", name);
		}
		if (may->bytes == UINT64_MAX)
			continue;
		until = ut_msg_now() + FOREIGN_MS;
		size = size_below(&above, name, PLACE_CHUNK);
		bytes += size < may->most ? size : may->most;
	}
	closedir(dir);
	return count > 0 && (count > may->n || bytes > may->bytes);
}

/*
 * Remove the oldest chunks or snapshots, up to the number of the last.  What
 * users have added to their files makes none count for more than it could have.
 * What they put beside them keeps the directory, with another name: we have no
 * time to try that again and again.
 */
void
output_age(int fd, const char *last, const struct aging *may)
{
	char oldest[NAME_MAXLEN], rest[NAME_MAXLEN + sizeof("-rest")];
	const char *why;
	uint32_t number = 0;
	bool moved;

	while ((may->n != UINT32_MAX || may->bytes != UINT64_MAX) &&
	    too_many(fd, last, may, oldest, &number)) {
		if (output_remove(fd, oldest) == 0) {
			number--;	/* a copy may have the same */
			continue;
		}
		why = report_reason(errno);
		snprintf(rest, sizeof(rest), "%s-rest", oldest);
		moved = renameat(fd, oldest, fd, rest) == 0;
		log_peer("%s: not all is removed: %s", moved ? rest : oldest,
		    why);
	}
}
