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
 * Stream files, and the window of each that is in memory.  They are read, not
 * mapped: one that shrinks meanwhile must not kill us.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../regular.h"
#include "../utctl.h"
#include "ctf_stream.h"

#define SLACK	8		/* see ctf_load() */
#define FIRST	(4 << 10)	/* bytes read of a place: enough for a header */
#define BLOCK	512		/* bytes: systems count in these */
#define HOLE	(4 << 20)	/* bytes of a hole that no event leaves */

/* The streams whose files are open; the longest open gives way. */
static struct ctf_stream	*opened[CTF_NOPEN];
static long			 nkept;		/* files that stay open */
static size_t			 oldest;

void
ctf_window_close(struct ctf_stream *s)
{
	size_t i;

	if (s->fd == -1 || s->fd == s->kept) {
		s->fd = -1;
		return;
	}
	close(s->fd);
	s->fd = -1;
	for (i = 0; i < CTF_NOPEN; i++)
		if (opened[i] == s)
			opened[i] = NULL;
}

/* Let the stream keep its place, but nothing of the file. */
void
ctf_window_drop(struct ctf_stream *s)
{
	ctf_window_close(s);
	free(s->buf);
	s->buf = NULL;
	s->off += s->pos;
	s->cap = s->fill = s->pos = s->stop = 0;
}

static int
file_open(const char *path)
{
	struct stat st;

	return regular_open(AT_FDCWD, path, O_NOFOLLOW, &st);
}

/* Does the file begin as the one that was read, if that was read at all? */
static int
is_read(const struct ctf_stream *s, int fd)
{
	uint8_t head[CTF_HEAD];

	return pread(fd, head, s->nhead, 0) == (ssize_t)s->nhead &&
	    memcmp(head, s->head, s->nhead) == 0;
}

/* Is the file of that path the stream's?  If nobody can say, it is. */
int
ctf_window_is(const struct ctf_stream *s, const char *path)
{
	int fd, is;

	if (s->nhead == 0 || (fd = file_open(path)) == -1)
		return 1;
	is = is_read(s, fd);
	close(fd);
	return is;
}

/*
 * Open a file that stays so, if there are descriptors enough, for a session may
 * move or remove it while it is read; or -1.
 */
int
ctf_keep(const char *path)
{
	int fd;

	if (path == NULL || nkept >= sysconf(_SC_OPEN_MAX) - 2 * CTF_NOPEN)
		return -1;
	if ((fd = file_open(path)) != -1)
		nkept++;
	else if (errno == ENOENT)
		ctf_missed(path);
	return fd;
}

void
ctf_unkeep(int fd)
{
	close(fd);
	nkept--;
}

/* Close the file that is open longest; 0: none is open. */
static int
oldest_close(void)
{
	size_t i;

	for (i = 0; i < CTF_NOPEN; i++)
		if (opened[(oldest + i) % CTF_NOPEN] != NULL) {
			ctf_window_close(opened[(oldest + i) % CTF_NOPEN]);
			return 1;
		}
	return 0;
}

/* Fewer files may be open here than the table takes. */
static int
stream_open(struct ctf_stream *s)
{
	if (s->fd == -1)
		s->fd = s->kept;
	if (s->fd != -1)
		return 0;
	if (opened[oldest] != NULL)
		ctf_window_close(opened[oldest]);
	while ((s->fd = file_open(s->path)) == -1)
		if (errno != EMFILE || !oldest_close())
			return -1;
	opened[oldest] = s;
	oldest = (oldest + 1) % CTF_NOPEN;
	if (!is_read(s, s->fd)) {
		ctf_window_close(s);
		s->ino = 0;
		errno = ESTALE;
		return -1;
	}
	return 0;
}

static void
window_stop(struct ctf_stream *s)
{
	if (s->limit <= s->off)
		s->stop = 0;
	else if (s->limit - s->off < s->fill)
		s->stop = (size_t)(s->limit - s->off);
	else
		s->stop = s->fill;
}

void
ctf_window_limit(struct ctf_stream *s, uint64_t limit)
{
	s->limit = limit;
	window_stop(s);
}

static void
window_resize(struct ctf_stream *s, size_t cap)
{
	uint8_t *buf;

	if ((buf = realloc(s->buf, cap + SLACK)) == NULL)
		die_errno("malloc");
	memset(buf + cap, 0, SLACK);
	s->buf = buf;
	s->cap = cap;
}

void
ctf_window_seek(struct ctf_stream *s, uint64_t to)
{
	if (s->buf == NULL)
		window_resize(s, s->basecap);
	if (to >= s->off && to - s->off <= s->fill)
		s->pos = (size_t)(to - s->off);
	else {
		s->off = to;
		s->fill = s->pos = 0;
	}
	s->bit = 0;
	window_stop(s);
}

/*
 * Lets go what is before pos and makes the window larger if that is not
 * much, or as small as it was once an unusually large event has passed.
 */
static void
window_slide(struct ctf_stream *s)
{
	size_t left = s->fill - s->pos;

	if (s->pos != 0)
		memmove(s->buf, s->buf + s->pos, left);
	s->off += s->pos;
	s->pos = 0;
	s->fill = left;
	if (s->cap > s->basecap && left < s->basecap / 2)
		window_resize(s, s->basecap);
	else if (left > s->cap / 2)
		window_resize(s, 2 * s->cap);
}

/* The length of the hole from there on, if zeros are read there. */
#if defined(SEEK_DATA) && !defined(UT_POSIX)
static uint64_t
hole_at(int fd, uint64_t from)
{
	const off_t data = lseek(fd, (off_t)from, SEEK_DATA);
	struct stat st;

	if (data != -1)
		return (uint64_t)data > from ? (uint64_t)data - from : 0;
	return errno == ENXIO && fstat(fd, &st) == 0 &&
	    (uint64_t)st.st_size > from ? (uint64_t)st.st_size - from : 0;
}
#else
/* The system does not say where holes are: all of the file's may be there. */
static uint64_t
hole_at(int fd, uint64_t from)
{
	struct stat st;
	uint64_t here, left;

	if (fstat(fd, &st) == -1 || (uint64_t)st.st_size <= from)
		return 0;
	here = (uint64_t)st.st_blocks * BLOCK;
	left = (uint64_t)st.st_size - from;
	if (here >= (uint64_t)st.st_size)
		return 0;
	return (uint64_t)st.st_size - here < left ?
	    (uint64_t)st.st_size - here : left;
}
#endif

/* May there be holes in the file for hole_leave_out()? */
int
ctf_window_holes(const struct ctf_stream *s)
{
	struct stat st;

	return lstat(s->path, &st) == -1 || ((uint64_t)st.st_size >= HOLE &&
	    (uint64_t)st.st_size - HOLE >= (uint64_t)st.st_blocks * BLOCK);
}

/* A window of zeros may be a part of a file that was never written. */
static int
is_hole(const struct ctf_stream *s, uint64_t from)
{
	const uint8_t *p = s->buf + (from - s->off);
	const size_t n = (size_t)(s->off + s->fill - from);

	return n > 0 && p[0] == 0 && memcmp(p, p + 1, n - 1) == 0 &&
	    hole_at(s->fd, from) >= HOLE;
}

/*
 * A hole is as large as anybody likes, and no consumer leaves one of that size:
 * what is in it is not read.  A file that is followed meets the same hole again
 * and again: it is told once.
 */
static void
hole_leave_out(struct ctf_stream *s, uint64_t from)
{
	if (s->fd == -1 || !is_hole(s, from))
		return;
	if (s->hole != from + 1)
		ctf_damage(s->path, "byte %llu: nothing was ever written there",
		    (unsigned long long)from);
	s->hole = from + 1;
	s->size = from;
	s->fill = (size_t)(from - s->off);
}

static const char *
read_error(ssize_t n)
{
	return n == 0 ? "the file became shorter" : errno == ESTALE ?
	    "another file has its name now" : strerror(errno);
}

/* Leave the rest of a file out that could not be kept open: no error. */
static void
window_gone(struct ctf_stream *s)
{
	s->growing = 1;
	ctf_damage_once(3 * s->index + 3);
	ctf_warn(s->path, "byte %llu: removed or moved while it was read: the "
	    "rest is left out", (unsigned long long)(s->off + s->fill));
}

/*
 * Fill the window.  Of a place that is new to it only so much is read as tells
 * whether a packet is wanted.  Bytes that the file has lost are as if they
 * never were.
 */
static void
window_read(struct ctf_stream *s)
{
	const uint64_t from = s->off + s->fill;
	const size_t cap = s->fill == 0 && s->cap > FIRST ? FIRST : s->cap;
	size_t want;
	ssize_t n;

	while (s->fill < cap && s->off + s->fill < s->size) {
		want = cap - s->fill;
		if (want > s->size - s->off - s->fill)
			want = (size_t)(s->size - s->off - s->fill);
		if (stream_open(s) == -1)
			n = -1;
		else
			n = pread(s->fd, s->buf + s->fill, want,
			    (off_t)(s->off + s->fill));
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!s->growing && n == -1 && errno == ENOENT)
				window_gone(s);
			else if (!s->growing)
				ctf_damage(s->path, "byte %llu: %s",
				    (unsigned long long)(s->off + s->fill),
				    read_error(n));
			s->size = s->off + s->fill;
		} else
			s->fill += (size_t)n;
	}
	progress_add(s->off + s->fill - from);
	hole_leave_out(s, from);
}

/* 0 if pos can be given no more of the packet. */
int
ctf_window_more(struct ctf_stream *s)
{
	uint64_t had = s->off + s->fill;

	if (had >= s->limit || s->fill - s->pos > CTF_EVENTMAX)
		return 0;
	if (s->buf == NULL)
		window_resize(s, s->basecap);
	window_slide(s);
	window_read(s);
	window_stop(s);
	return s->off + s->fill > had;
}
