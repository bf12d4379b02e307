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
 * The files of a channel that another consumer has left, wherever it died.
 *
 * Behind the last whole packet of a file there may be one that was being
 * written.  It is cut off: its events still are in the region.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region.h"
#include "sink.h"

/* One of the last packets in a file. */
struct late {
	uint32_t	 stream;
	uint32_t	 file;
	uint32_t	 tid;
	off_t		 at;		/* offset of its events */
	uint64_t	 len;
	uint64_t	 end;		/* time of its end */
};

static struct late *late;
static size_t nlate;

/*
 * Note a packet, in place of the one BATCH packets before it.  One writev(2)
 * has no more with events, so no more are in the file unknown to the region.
 */
static void
note_late(const struct stream *s, const struct packet *pk, off_t at)
{
	struct late *l = &late[s->index * BATCH +
	    (s->seq - s->missing) % BATCH];

	l->stream = s->index;
	l->file = s->file;
	l->tid = pk->tid;
	l->at = at;
	l->len = pk->len;
	l->end = pk->end;
}

/* Read the whole packets, and cut off the rest; false if that fails. */
static bool
scan_file(struct sink *k, struct stream *s, int fd)
{
	unsigned char buf[PACKET_HEAD_MAX];
	struct packet pk;
	struct stat st;
	ssize_t n;
	size_t head;

	if (fstat(fd, &st) == -1)
		return false;
	while ((n = pread(fd, buf, sizeof(buf), (off_t)s->size)) > 0) {
		head = packet_read(buf, (size_t)n, &pk);
		if (head == 0 ||
		    memcmp(pk.uuid, k->trace->uuid, UUID_LEN) != 0 ||
		    pk.len > k->region->subsize ||
		    pk.len > (uint64_t)st.st_size - s->size - head)
			break;
		if (s->file == 0 || s->seq > 0)
			s->missing += pk.seq - s->seq;
		s->seq = pk.seq;
		note_late(s, &pk, (off_t)(s->size + head));
		s->shared = pk.shared;
		s->pid = pk.pid;
		s->tid = pk.tid;
		s->last_at = s->size;
		s->last_file = s->file;
		s->size += head + pk.len;
		s->seq = pk.seq + 1;
		s->last_begin = pk.begin;
		s->end = s->last_end = pk.end;
		s->discarded = pk.discarded;
		stream_mark(s);
	}
	s->adopted = s->size;
	if (s->size == 0 && n > 0 &&
	    !packet_begins(buf, (size_t)n, k->trace->uuid))
		return stream_foreign(k, s->index, s->file) == 0;
	k->bytes += s->size;
	return (uint64_t)st.st_size == s->size ||
	    ftruncate(fd, (off_t)s->size) == 0;
}

/* The numbers of the files that a stream has. */
struct range {
	uint32_t	 first, last;
	bool		 any;
};

/* Read a number, and step over it; false if there is none. */
static bool
number(const char **s, uint32_t *n)
{
	unsigned long v;
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	v = strtoul(*s, &end, 10);
	*s = end;
	*n = (uint32_t)v;
	return errno == 0 && v < UINT32_MAX / 2;
}

/* Note the file of that name, if it is one of the channel's. */
static void
note_file(const struct sink *k, const char *name, struct range **ranges,
    uint32_t *n)
{
	const size_t len = strlen(k->region->name);
	struct range *r;
	uint32_t stream, file;

	if (strncmp(name, k->region->name, len) != 0 || name[len] != '_')
		return;
	name += len + 1;
	if (!number(&name, &stream) || *name++ != '_' ||
	    !number(&name, &file) || *name != '\0' ||
	    stream >= k->maxstreams)
		return;
	if (stream >= *n) {
		*ranges = xrealloc(*ranges, (stream + 1) * sizeof(**ranges));
		memset(*ranges + *n, 0, (stream + 1 - *n) * sizeof(**ranges));
		*n = stream + 1;
	}
	r = &(*ranges)[stream];
	if (!r->any || file < r->first)
		r->first = file;
	if (!r->any || file > r->last)
		r->last = file;
	r->any = true;
}

/* Which files do the streams have?  NULL and errno if that fails, or none. */
static struct range *
find_files(const struct sink *k, uint32_t *n)
{
	struct range *ranges = NULL;
	const char *name;
	DIR *dir;
	int error;

	*n = 0;
	if ((dir = output_list(k->trace->fd)) == NULL)
		return NULL;
	for (errno = 0; (name = output_next(dir)) != NULL; errno = 0)
		note_file(k, name, &ranges, n);
	error = errno;
	closedir(dir);
	errno = error;
	return ranges;
}

/* Go on with the stream's files; false and errno if that cannot be. */
static bool
adopt_stream(struct sink *k, const struct range *r)
{
	struct stream *s = stream_new(k);
	bool ok = true;
	int fd;

	s->source = UINT32_MAX;		/* nobody's */
	s->first = r->first;
	s->file = r->any ? r->first : 0;
	late = xrealloc(late, k->nstreams * BATCH * sizeof(*late));
	memset(late + s->index * BATCH, 0, BATCH * sizeof(*late));
	nlate = k->nstreams * BATCH;
	for (; ok && r->any; s->file++) {
		s->size = 0;
		stream_unmark(s);
		fd = stream_file(k, s->index, s->file, O_RDWR);
		s->made = fd != -1;
		if (fd != -1) {
			ok = scan_file(k, s, fd);
			close(fd);
		} else {
			ok = errno == ENOENT;	/* somebody has removed it */
		}
		if (s->file == r->last)
			break;
	}
	k->packets += s->seq - s->missing;
	if (ok) {
		stream_prune(k, s);
	} else {
		free(s->marks);
		k->nstreams--;
	}
	return ok;
}

/* Adopt files that are not cut: one of each stream, numbered in a row. */
static bool
adopt_whole(struct sink *k)
{
	static const struct range one = { .any = true };
	int fd;

	while (k->nstreams < k->maxstreams) {
		if ((fd = stream_file(k, k->nstreams, 0, O_RDONLY)) == -1)
			return errno == ENOENT;
		close(fd);
		if (!adopt_stream(k, &one))
			return false;
	}
	return true;
}

static bool
adopt_cut(struct sink *k)
{
	struct range *ranges;
	uint32_t i, n;
	bool ok;

	if ((ranges = find_files(k, &n)) == NULL)
		return errno == 0;
	for (i = 0, ok = true; ok && i < n; i++)
		ok = adopt_stream(k, &ranges[i]);
	free(ranges);
	return ok;
}

/*
 * Go on with the files of the channel, from stream 0 on, which are nobody's
 * now; false and errno if that cannot be.
 */
bool
sink_adopt(struct sink *k)
{
	if (k->trace->fd == -1)
		return true;
	return k->limit == 0 ? adopt_whole(k) : adopt_cut(k);
}

static bool
same_bytes(int fd, off_t at, const unsigned char *data, size_t len)
{
	unsigned char buf[4096];
	size_t n;

	for (; len > 0; len -= n, data += n, at += (off_t)n) {
		n = len < sizeof(buf) ? len : sizeof(buf);
		if (pread(fd, buf, n, at) != (ssize_t)n ||
		    memcmp(buf, data, n) != 0)
			return false;
	}
	return true;
}

/* Is there a packet of that thread and data, and when does that packet end? */
bool
sink_has(const struct sink *k, uint32_t tid, const unsigned char *data,
    size_t len, uint64_t *end)
{
	bool has = false;
	size_t i;
	int fd;

	for (i = 0; i < nlate && !has; i++) {
		if (late[i].len != len || late[i].tid != tid ||
		    (fd = stream_file(k, late[i].stream, late[i].file,
		    O_RDWR)) == -1)
			continue;
		has = same_bytes(fd, late[i].at, data, len);
		*end = late[i].end;
		close(fd);
	}
	return has;
}

/* Forget the last packets: sink_has() is called no more. */
void
sink_adopted(void)
{
	free(late);
	late = NULL;
	nlate = 0;
}
