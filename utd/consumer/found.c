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

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink.h"

/* One of the last packets in a file. */
struct late {
	uint32_t	 stream;
	uint32_t	 tid;
	off_t		 at;		/* of its events */
	uint64_t	 len;
	uint64_t	 end;		/* in time */
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
	struct late *l = &late[s->index * BATCH + s->seq % BATCH];

	l->stream = s->index;
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
		    pk.len > (uint64_t)st.st_size - s->size - head)
			break;
		note_late(s, &pk, (off_t)(s->size + head));
		s->shared = pk.shared;
		s->size += head + pk.len;
		s->seq++;
		s->end = pk.end;
		s->discarded = pk.discarded;
		k->packets++;
	}
	if (s->size == 0 && n > 0 &&
	    !packet_begins(buf, (size_t)n, k->trace->uuid))
		return stream_foreign(k, s->index) == 0;
	k->bytes += s->size;
	return (uint64_t)st.st_size == s->size ||
	    ftruncate(fd, (off_t)s->size) == 0;
}

/*
 * Go on with the files of the channel, from stream 0 on, which are nobody's
 * now; false and errno if that cannot be.
 */
bool
sink_adopt(struct sink *k)
{
	struct stream *s;
	bool ok = true;
	int fd;

	while (ok && k->nstreams < k->maxstreams &&
	    (fd = stream_file(k, k->nstreams, O_RDWR)) != -1) {
		s = stream_new(k);
		s->source = UINT32_MAX;	/* nobody's */
		s->made = true;
		late = xrealloc(late, k->nstreams * BATCH * sizeof(*late));
		memset(late + s->index * BATCH, 0, BATCH * sizeof(*late));
		nlate = k->nstreams * BATCH;
		ok = scan_file(k, s, fd);
		close(fd);
	}
	if (!ok)
		k->nstreams--;
	return ok && (k->nstreams == k->maxstreams || k->trace->fd == -1 ||
	    errno == ENOENT);
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
		    (fd = stream_file(k, late[i].stream, O_RDWR)) == -1)
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
