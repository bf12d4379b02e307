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
 * Traces: their directories, which files.c makes and opens, and their metadata.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

struct trace *traces;

struct trace *
trace_find(uint32_t id)
{
	struct trace *t;

	for (t = traces; t != NULL && t->id != id; t = t->next)
		continue;
	return t;
}

/* Is the metadata file of this trace, by its UUID, or still empty? */
static bool
has_uuid(const struct trace *t)
{
	char head[1024], uuid[UUID_TEXT];
	ssize_t n;
	int fd;

	if ((fd = output_file(t, "metadata", O_RDONLY)) == -1)
		return false;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	uuid_text(uuid, t->uuid);
	return n == 0 || strstr(head, uuid) != NULL;
}

/* Open the metadata file that another consumer has left, or make one. */
static int
open_metadata(struct trace *t)
{
	const int flags = O_WRONLY | O_APPEND;
	struct stat st;
	int fd = -1;

	if (t->adopted) {
		fd = output_file(t, "metadata", flags);
		if (fd == -1 && errno != ENOENT)
			return -1;
		if (fd != -1 && !has_uuid(t)) {
			close(fd);
			(void)output_refuse(t->path, "the metadata are not "
			    "those that were there");
			errno = ESTALE;		/* trying again is useless */
			return -1;
		}
	}
	if (fd == -1)
		fd = output_file(t, "metadata", flags | O_CREAT);
	if (fd == -1 || fstat(fd, &st) == -1)
		return fd == -1 ? -1 : close_failed(fd);
	t->meta = fd;
	t->meta_size = st.st_size;
	return 0;
}

/*
 * Make the directory of a trace, with its metadata file: 0, or -1 and errno.
 * That takes a disk a millisecond.  No program waits for a directory of its
 * own: it is made when there is something to write, and the parent is told its
 * name.
 */
static int
output_make(struct trace *t)
{
	if (t->fd == -1 && (t->fd = output_dir(t->base, t->path,
	    t->new && !t->adopted ? OUTPUT_NEW : OUTPUT_MAKE, geteuid())) == -1)
		return -1;
	if (open_metadata(t) == -1)
		return -1;
	close(t->base);
	t->base = -1;
	bound_adopt(t);
	clockfile_begin(t);
	/* One that another consumer made has the name that it told. */
	if (t->new && !t->adopted && strcmp(t->path, ".") != 0)
		report_made(t);
	return 0;
}

/*
 * Find the directory that the last consumer may have made under another name
 * without telling anybody.
 */
static void
output_find(struct trace *t)
{
	char *end = t->path + strlen(t->path);
	int n;

	for (n = 2; n < OUTPUT_NUMBERS; n++) {
		if ((t->fd = output_dir(t->base, t->path, OUTPUT_OPEN,
		    geteuid())) == -1 && errno == ENOENT)
			break;
		if (t->fd != -1 && has_uuid(t)) {
			report_made(t);
			t->adopted = true;
			return;
		}
		if (t->fd != -1)
			close(t->fd);
		t->fd = -1;
		snprintf(end, OUTPUT_NUMBER, "-%d", n);
	}
	*end = '\0';
}

/*
 * A trace, in the directory path below fd, which it keeps, or, if fd is -1,
 * written nowhere.  With again, it is the one that another consumer had, if
 * that had made the directory.
 */
struct trace *
output_trace(const struct trace *like, int fd, const char *path, bool made)
{
	struct trace *t = xcalloc(1, sizeof(*t));
	int error;

	*t = *like;
	t->path = xcalloc(1, strlen(path) + OUTPUT_NUMBER);
	t->fd = t->meta = -1;
	t->base = fd;
	t->nowhere = fd == -1;
	strcpy(t->path, path);
	t->behind = like->adopted;
	t->adopted = like->adopted && made;
	if (like->adopted && !made && !t->nowhere)
		output_find(t);
	if (t->nowhere || ((t->new || t->lazy) && !t->adopted) ||
	    output_make(t) == 0) {
		t->next = traces;
		traces = t;
		return t;
	}
	error = errno;
	output_close(t);
	errno = error;
	return NULL;
}

/*
 * Close the trace.  An empty metadata file is removed, because readers would
 * refuse the whole session for it; the trace has no events then.
 */
void
output_close(struct trace *t)
{
	struct trace **dp = &traces;

	while (*dp != NULL && *dp != t)
		dp = &(*dp)->next;
	if (*dp == t)
		*dp = t->next;
	clockfile_end(t);
	if (t->meta != -1 && t->meta_size == 0)
		(void)unlinkat(t->fd, "metadata", 0);
	if (t->meta != -1)
		close(t->meta);
	if (t->fd != -1)
		close(t->fd);
	if (t->base != -1)
		close(t->base);
	free(t->path);
	free(t->pending);
	free(t);
}

/* Say what somebody has done to the open metadata file.  NULL: nothing. */
const char *
output_spoiled(const struct trace *t)
{
	struct stat st;

	if (t->meta == -1 || fstat(t->meta, &st) == -1)
		return NULL;
	if (st.st_nlink == 0)
		return "the files were removed, and what was written there is "
		    "gone";
	return st.st_size < t->meta_size ? "the metadata were cut: the trace "
	    "cannot be read" : NULL;
}

/* Write that much metadata: all or nothing. */
static int
output_write(struct trace *t, size_t len)
{
	ssize_t n;
	size_t done = 0;
	int error;

	if (t->meta_torn && ftruncate(t->meta, t->meta_size) == -1)
		return -1;
	t->meta_torn = false;
	while (done < len) {
		n = write(t->meta, t->pending + done, len - done);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			error = n == 0 ? EIO : errno;
			t->meta_torn = done > 0 &&
			    ftruncate(t->meta, t->meta_size) == -1;
			errno = error;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}

/* Write the metadata that is pending: all or nothing. */
int
output_pending(struct trace *t)
{
	const size_t done = t->nwhole;

	report_try();
	if (t->lost != 0) {
		errno = t->lost;
		return -1;
	}
	if (!t->nowhere && !bound_room(t, done))
		return bound_refuse();
	if (!t->nowhere && ((t->meta == -1 && output_make(t) == -1) ||
	    output_write(t, done) == -1))
		return -1;
	t->meta_size += (off_t)done;
	t->used += done;
	if (done > 0)
		report_wrote(t);
	t->npending -= done;
	t->nwhole = 0;
	if (done > 0 && t->npending > 0)
		memmove(t->pending, t->pending + done, t->npending);
	return 0;
}

/* Compare the clocks, if it is time, and write what files lack of that. */
void
output_points(void)
{
	struct trace *t;

	if (clockfile_look())
		for (t = traces; t != NULL; t = t->next)
			clockfile_write(t);
}

/*
 * Add metadata.  It is written only when it is whole, so that a reader never
 * sees the beginning of a description without its end.
 */
int
output_metadata(struct trace *t, const char *s, bool whole)
{
	size_t n = strlen(s);

	t->pending = xrealloc(t->pending, t->npending + n);
	memcpy(t->pending + t->npending, s, n);
	t->npending += n;
	if (!whole)
		return 0;
	t->nwhole = t->npending;
	return t->meta != -1 || t->nowhere ? output_pending(t) : 0;
}

/*
 * Overwrite metadata that is in the file, or pending.  If that fails, the old
 * text is good enough.
 */
void
output_refine(struct trace *t, uint64_t at, const char *s)
{
	const uint64_t size = (uint64_t)t->meta_size;
	size_t n = strlen(s);
	int fd;

	if (at >= size && n <= t->npending && at - size <= t->npending - n)
		memcpy(t->pending + (at - size), s, n);
	if (t->nowhere || n > size || at > size - n)
		return;
	/* The trace's own descriptor only appends: open another. */
	fd = output_file(t, "metadata", O_WRONLY);
	if (fd == -1)
		return;
	(void)!pwrite(fd, s, n, (off_t)at);
	close(fd);
}
