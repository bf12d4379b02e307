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
 * Directories of the trace, and their metadata: ours.c makes and opens them.
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
#include "sink.h"

struct outdir *outdirs;

struct outdir *
outdir_find(uint32_t id)
{
	struct outdir *d;

	for (d = outdirs; d != NULL && d->id != id; d = d->next)
		continue;
	return d;
}

/* Is the metadata file of this trace, by its UUID, or still empty? */
static bool
has_uuid(const struct outdir *d)
{
	char head[512], uuid[UUID_TEXT];
	ssize_t n;
	int fd;

	if ((fd = output_file(d, "metadata", O_RDONLY)) == -1)
		return false;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	uuid_text(uuid, d->uuid);
	return n == 0 || strstr(head, uuid) != NULL;
}

/* Open the metadata file that another consumer has left, or make one. */
static int
open_metadata(struct outdir *d)
{
	const int flags = O_WRONLY | O_APPEND;
	struct stat st;
	int fd = -1;

	if (d->again) {
		fd = output_file(d, "metadata", flags);
		if (fd == -1 && errno != ENOENT)
			return -1;
		if (fd != -1 && !has_uuid(d)) {
			close(fd);
			(void)output_refuse(d->path, "the metadata are not "
			    "those that were there");
			errno = ESTALE;		/* nor will they be */
			return -1;
		}
	}
	if (fd == -1)
		fd = output_file(d, "metadata", flags | O_CREAT);
	if (fd == -1 || fstat(fd, &st) == -1)
		return -1;
	d->meta = fd;
	d->meta_size = st.st_size;
	return 0;
}

/*
 * Make the directory of a trace, with its metadata file: 0, or -1 and errno.
 * That takes a disk a millisecond.  No program waits for a directory of its
 * own: it is made when there is something to write, and the parent is told its
 * name.
 */
static int
output_make(struct outdir *d)
{
	if (d->fd == -1 && (d->fd = output_dir(d->base, d->path,
	    d->new && !d->again ? OUTPUT_NEW : OUTPUT_MAKE, geteuid())) == -1)
		return -1;
	if (open_metadata(d) == -1)
		return -1;
	close(d->base);
	d->base = -1;
	/* One that another consumer made has the name that it told. */
	if (d->new && !d->again && strcmp(d->path, ".") != 0)
		report_made(d);
	return 0;
}

/*
 * Find the directory that the last consumer may have made under another name
 * without telling anybody.
 */
static void
output_find(struct outdir *d)
{
	char *end = d->path + strlen(d->path);
	int n;

	for (n = 2; n < OUTPUT_NUMBERS; n++) {
		if ((d->fd = output_dir(d->base, d->path, OUTPUT_OPEN,
		    geteuid())) == -1 && errno == ENOENT)
			break;
		if (d->fd != -1 && has_uuid(d)) {
			report_made(d);
			d->again = true;
			return;
		}
		if (d->fd != -1)
			close(d->fd);
		d->fd = -1;
		snprintf(end, OUTPUT_NUMBER, "-%d", n);
	}
	*end = '\0';
}

/*
 * A trace, in the directory path below fd, which it keeps.  With again, it is
 * the one that another consumer had, if that had made the directory.
 */
struct outdir *
output_trace(const struct outdir *like, int fd, const char *path, bool made)
{
	struct outdir *d = xcalloc(1, sizeof(*d));
	int error;

	*d = *like;
	d->path = xcalloc(1, strlen(path) + OUTPUT_NUMBER);
	d->fd = d->meta = -1;
	d->base = fd;
	strcpy(d->path, path);
	d->behind = like->again;
	d->again = like->again && made;
	if (like->again && !made)
		output_find(d);
	if ((d->new && !d->again) || output_make(d) == 0) {
		d->next = outdirs;
		outdirs = d;
		return d;
	}
	error = errno;
	output_close(d);
	errno = error;
	return NULL;
}

/*
 * Close the trace.  An empty metadata file is removed, because readers would
 * refuse the whole session for it; the trace has no events then.
 */
void
output_close(struct outdir *d)
{
	struct outdir **dp = &outdirs;

	while (*dp != NULL && *dp != d)
		dp = &(*dp)->next;
	if (*dp == d)
		*dp = d->next;
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

/* Has somebody removed the files that are still open? */
bool
output_removed(const struct outdir *d)
{
	struct stat st;

	return d->meta != -1 && fstat(d->meta, &st) == 0 && st.st_nlink == 0;
}

/* Write the metadata that is pending: all or nothing. */
int
output_pending(struct outdir *d)
{
	ssize_t n;
	size_t done = 0;

	report_try();
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

/*
 * Add metadata.  It is written only when it is whole, so that a reader never
 * sees the beginning of a description without its end.
 */
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

/* The metadata that another consumer may not have had is here. */
void
output_synced(struct outdir *d)
{
	d->behind = false;
}

/*
 * Overwrite metadata that is in the file, or pending.  If that fails, the old
 * text is good enough.
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
	fd = output_file(d, "metadata", O_WRONLY);
	if (fd == -1)
		return;
	(void)!pwrite(fd, s, n, (off_t)at);
	close(fd);
}
