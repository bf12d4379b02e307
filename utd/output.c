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
 * Directories and files of the trace.  Everything here runs as the user who
 * is traced, or as the owner of the session.
 */

#include <sys/types.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"

#define OPEN_MAX_STREAMS	128	/* files open at a time */
/*
 * The directory is the user's, who may have put something else there, such as
 * a FIFO that nobody reads, for which open(2) would wait.
 */

static unsigned int nopen;
static uint64_t clock_used;

static int
check_empty(int fd)
{
	struct dirent *d;
	DIR *dir;
	int copy, error = 0;

	if ((copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)) == -1)
		return -1;
	if ((dir = fdopendir(copy)) == NULL) {
		close(copy);
		return -1;
	}
	while (error == 0 && (d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0)
			error = ENOTEMPTY;
	closedir(dir);
	if (error == 0 && faccessat(fd, ".", R_OK | W_OK | X_OK, 0) == -1)
		error = errno;
	errno = error;
	return error == 0 ? 0 : -1;
}

/* The directory of a session: a descriptor, or -1 and errno. */
int
output_session(const char *path, bool again)
{
	int fd = -1, error;

	if (ut_walk(path, !again, geteuid() == 0 ? 0755 : 0700) == 0)
		fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = errno;
	if (chdir("/") == -1)
		fatal("/");
	errno = error;
	if (fd == -1 || again || check_empty(fd) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* The last one with another name, if it must be new and is not. */
static int
make_subdir(int fd, char *name, size_t size, mode_t mode, bool new)
{
	const size_t len = strlen(name);
	int n, r;

	r = mkdirat(fd, name, mode);
	for (n = 2; new && r == -1 && errno == EEXIST && n < 1000; n++) {
		snprintf(name + len, size - len, "-%d", n);
		r = mkdirat(fd, name, mode);
	}
	return r == 0 || (errno == EEXIST && !new) ? 0 : -1;
}

/*
 * Who may write into the session's directory may have put another in place of
 * one that was made there.  Ours belongs to us, to the user, or, where file
 * systems have owners of their own, to whom the one above does; one that is
 * to be given away, to nobody but us or that user.
 */
static bool
is_ours(int at, int dir, uid_t uid)
{
	struct stat above, st;

	if (fstat(at, &above) == 0 && fstat(dir, &st) == 0 &&
	    (st.st_uid == geteuid() || st.st_uid == uid ||
	    (uid == geteuid() && st.st_uid == above.st_uid)))
		return true;
	errno = EPERM;
	return false;
}

/* One name of the path; it may become another. */
static int
open_subdir(int at, char *name, size_t size, mode_t mode, bool new, uid_t uid)
{
	int dir;

	if (strcmp(name, "..") == 0) {
		errno = EPERM;
		return -1;
	}
	if (strcmp(name, ".") != 0 &&
	    make_subdir(at, name, size, mode, new) == -1)
		return -1;
	dir = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    O_NOFOLLOW);
	if (dir == -1 || is_ours(at, dir, uid))
		return dir;
	close(dir);
	errno = EPERM;
	return -1;
}

/*
 * A directory below that one, with all between, for that user: a descriptor,
 * or -1 and errno.  Below ust/uid and ust/pid it is for the user alone.  One
 * that must be new may get another name, for which path has room.
 */
int
output_dir(int fd, char *path, bool new, uid_t uid)
{
	char name[NAME_MAXLEN];
	size_t n;
	bool last;
	int dir, at = fd, depth;

	for (depth = 0;; depth++, path += n + 1) {
		n = strcspn(path, "/");
		last = path[n] == '\0';
		if (n == 0 || n + 8 > sizeof(name)) {
			errno = ENAMETOOLONG;
			dir = -1;
		} else {
			snprintf(name, sizeof(name), "%.*s", (int)n, path);
			dir = open_subdir(at, name, sizeof(name),
			    depth < 2 && !last ? 0755 : 0700, new && last,
			    last ? uid : geteuid());
		}
		if (at != fd)
			close(at);
		if (dir != -1 && last)
			strcpy(path, name);
		if (dir == -1 || last)
			return dir;
		at = dir;
	}
}

/*
 * A file in there.  What the user has put in its place, who may, keeps nobody
 * waiting.
 */
int
output_file(int dir, const char *name, int flags)
{
	struct stat st;
	int fd;

	fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY, 0600);
	if (fd == -1 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/*
 * The directory of a trace, with its metadata file: 0, or -1 and errno.  It
 * takes a disk a millisecond, for which no program waits that has a new one
 * of its own: that is made when there is something to be written, and the
 * parent is told how it is called.
 */
static int
output_make(struct outdir *d)
{
	const int excl = d->again ? 0 : O_EXCL;
	struct stat st;

	if (d->fd == -1 && (d->fd = output_dir(d->base, d->path,
	    d->new && !d->again, geteuid())) == -1)
		return -1;
	d->meta = output_file(d->fd, "metadata", O_WRONLY | O_CREAT | excl |
	    O_APPEND);
	if (d->meta == -1 || fstat(d->meta, &st) == -1)
		return -1;
	d->meta_size = st.st_size;
	close(d->base);
	d->base = -1;
	/* One that another consumer made has the name that it told. */
	if (d->new && !d->again && strcmp(d->path, ".") != 0)
		report_made(d);
	return 0;
}

/*
 * The metadata there begin with what this trace is called, or have yet to be
 * written.
 */
static bool
has_uuid(const struct outdir *d)
{
	char head[512], name[PATH_MAX], uuid[UUID_TEXT];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/metadata", d->path);
	fd = openat(d->base, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK);
	if (fd == -1)
		return false;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	uuid_text(uuid, d->uuid);
	return n == 0 || strstr(head, uuid) != NULL;
}

/*
 * The last consumer may have made it, and nobody was there any more to be
 * told how it is called.
 */
static void
output_find(struct outdir *d)
{
	const size_t len = strlen(d->path);
	struct stat st;
	int n;

	for (n = 2; n < 1000 && fstatat(d->base, d->path, &st,
	    AT_SYMLINK_NOFOLLOW) == 0; n++) {
		if (has_uuid(d)) {
			report_made(d);
			d->again = true;
			return;
		}
		snprintf(d->path + len, NAME_MAXLEN, "-%d", n);
	}
	d->path[len] = '\0';
}

/*
 * Takes the descriptor, of the directory that the path is below.  Again: it
 * is that which another consumer has left, if that had made it.
 */
struct outdir *
output_trace(const struct outdir *like, int fd, const char *path, bool made)
{
	struct outdir *d;
	char *path_room;
	int error;

	if ((d = calloc(1, sizeof(*d))) == NULL ||
	    (path_room = calloc(1, strlen(path) + NAME_MAXLEN)) == NULL) {
		free(d);
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	*d = *like;
	d->path = path_room;
	d->fd = d->meta = -1;
	d->base = fd;
	strcpy(d->path, path);
	d->behind = like->again;
	d->again = like->again && made;
	if (like->again && !made)
		output_find(d);
	if ((d->new && !d->again) || output_make(d) == 0)
		return d;
	error = errno;
	output_close(d);
	errno = error;
	return NULL;
}

/*
 * One without metadata has no events either, and readers would refuse the
 * whole trace for an empty file.
 */
void
output_close(struct outdir *d)
{
	if (d->meta != -1 && d->meta_size == 0)
		(void)unlinkat(d->fd, "metadata", 0);
	if (d->meta != -1)
		close(d->meta);
	if (d->fd != -1)
		close(d->fd);
	if (d->base != -1)
		close(d->base);
	free(d->path);
	free(d->pending);
	free(d);
}

/* All or nothing. */
int
output_pending(struct outdir *d)
{
	ssize_t n;
	size_t done = 0;

	if (d->lost != 0) {
		errno = d->lost;
		return -1;
	}
	if (d->meta == -1 && output_make(d) == -1)
		return -1;
	while (done < d->nwhole) {
		n = write(d->meta, d->pending + done, d->nwhole - done);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0)
				errno = EIO;
			(void)ftruncate(d->meta, d->meta_size);
			return -1;
		}
		done += (size_t)n;
	}
	d->meta_size += (off_t)done;
	if (done > 0)
		report_wrote(d);
	d->npending -= done;
	d->nwhole = 0;
	if (done > 0 && d->npending > 0)
		memmove(d->pending, d->pending + done, d->npending);
	return 0;
}

/* A reader never sees the beginning of a description without its end. */
int
output_metadata(struct outdir *d, const char *s, bool whole)
{
	size_t n = strlen(s);

	d->pending = xrealloc(d->pending, d->npending + n);
	memcpy(d->pending + d->npending, s, n);
	d->npending += n;
	if (!whole)
		return 0;
	d->nwhole = d->npending;
	return d->meta != -1 ? output_pending(d) : 0;
}

/*
 * Write over what is there already, in the file or on its way.  If that goes
 * wrong, what was there is good enough.
 */
void
output_refine(struct outdir *d, uint64_t at, const char *s)
{
	const uint64_t size = (uint64_t)d->meta_size;
	size_t n = strlen(s);
	int fd;

	if (at >= size && n <= d->npending && at - size <= d->npending - n)
		memcpy(d->pending + (at - size), s, n);
	if (n > size || at > size - n)
		return;
	/* Not that of the others, which appends wherever it is told to. */
	fd = output_file(d->fd, "metadata", O_WRONLY);
	if (fd == -1)
		return;
	(void)!pwrite(fd, s, n, (off_t)at);
	close(fd);
}

static int
stream_open(struct pool *p, struct stream *s)
{
	char name[NAME_MAXLEN + 16];

	s->used = ++clock_used;
	if (s->fd != -1)
		return 0;
	if (p->dir->lost != 0) {
		errno = p->dir->lost;
		return -1;
	}
	if (nopen >= OPEN_MAX_STREAMS)
		consumer_close_oldest();	/* opened again when needed */
	snprintf(name, sizeof(name), "%s_%u", p->name, s->index);
	s->fd = output_file(p->dir->fd, name, O_WRONLY | O_CREAT | O_APPEND);
	if (s->fd == -1)
		return -1;
	nopen++;
	return 0;
}

void
stream_close(struct stream *s)
{
	if (s->fd == -1)
		return;
	close(s->fd);
	s->fd = -1;
	nopen--;
}

/* Forget n bytes from the front of the vector. */
static void
skip(struct iovec **iov, int *niov, size_t n)
{
	while (*niov > 0 && n >= (*iov)->iov_len) {
		n -= (*iov)->iov_len;
		++*iov;
		--*niov;
	}
	if (*niov > 0) {
		(*iov)->iov_base = (char *)(*iov)->iov_base + n;
		(*iov)->iov_len -= n;
	}
}

/*
 * Append whole packets; all of them, or none: -1 and errno.
 */
int
stream_write(struct pool *p, struct stream *s, struct iovec *iov, int niov)
{
	size_t done = 0;
	ssize_t n;
	int error;

	if (stream_open(p, s) == -1)
		return -1;
	for (skip(&iov, &niov, 0); niov > 0; skip(&iov, &niov, (size_t)n)) {
		n = writev(s->fd, iov, niov);
		if (n == -1 && errno == EINTR) {
			n = 0;
			continue;
		}
		if (n <= 0) {
			error = n == 0 ? EIO : errno;
			(void)ftruncate(s->fd, (off_t)s->size);
			errno = error;
			return -1;
		}
		done += (size_t)n;
	}
	s->size += done;
	return 0;
}
