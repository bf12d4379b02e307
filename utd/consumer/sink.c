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
 * Packets, on their way into the files of a channel: to which stream a packet
 * goes, what its head says, and how it is written.
 */

#include <sys/types.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define OPEN_MAX_STREAMS	128	/* files open at a time */
#define FILE_MAXLEN		(NAME_MAXLEN + 32)

/* The streams whose files are open. */
static struct {
	struct sink	*sink;
	uint32_t	 stream;	/* index */
} opened[OPEN_MAX_STREAMS];
static unsigned int nopen;
static uint64_t clock_used;

/* One writev(2) writes all of these: a batch. */
static unsigned char heads[BATCH][PACKET_HEAD_MAX];
static struct iovec iov[2 * BATCH];

struct sink *
sink_new(const struct region *r, struct trace *t)
{
	struct sink *k = xcalloc(1, sizeof(*k));

	k->stream_of = xcalloc((size_t)r->nslots + r->nsubs + 1,
	    sizeof(*k->stream_of));
	k->region = r;
	k->trace = t;
	k->maxstreams = 2 * (r->nslots + (r->overwrites ? r->nsubs :
	    ut_subs_shared(r->nsubs)) + 1);
	k->limit = r->attrs.v[ATTR_FILESIZE];
	k->maxfiles = r->attrs.v[ATTR_FILES];
	k->trouble = t->lost;		/* the parent knows that */
	return k;
}

static struct stream *
opened_stream(unsigned int i)
{
	return &opened[i].sink->streams[opened[i].stream];
}

/* Close the file.  The last in the list of open ones takes its place. */
static void
stream_close(struct stream *s)
{
	if (s->fd == -1)
		return;
	close(s->fd);
	s->fd = -1;
	opened[s->at] = opened[--nopen];
	opened_stream(s->at)->at = s->at;
}

void
sink_free(struct sink *k)
{
	uint32_t i;

	for (i = 0; i < k->nstreams; i++) {
		stream_close(&k->streams[i]);
		free(k->streams[i].marks);
	}
	free(k->streams);
	free(k->stream_of);
	free(k);
}

struct stream *
stream_new(struct sink *k)
{
	struct stream *s;

	k->streams = xrealloc(k->streams,
	    (k->nstreams + 1) * sizeof(*k->streams));
	s = &k->streams[k->nstreams];
	memset(s, 0, sizeof(*s));
	s->index = k->nstreams++;
	s->fd = -1;
	return s;
}

/*
 * Is stream a better for the thread than b?  The thread's own is, as another
 * consumer has left it, so that all that is removed of the thread's is older
 * than what is not; else the one that ended last.
 */
static bool
stream_better(const struct stream *a, const struct stream *b, uint32_t tid)
{
	if ((a->tid == tid) != (b->tid == tid))
		return a->tid == tid;
	return a->end > b->end;
}

/*
 * The stream of the source, else one whose source is over, else a new one, or
 * NO_STREAM if there are too many.  A source needs a second stream only if its
 * time goes back or another consumer took over, so there are never too many if
 * times are what they should be.
 */
static uint32_t
stream_for(struct sink *k, uint32_t source, const struct packet *pk)
{
	const struct stream *s;
	uint32_t i, best = NO_STREAM;

	i = k->stream_of[source];
	if (i != 0 && k->streams[i - 1].source == source &&
	    k->streams[i - 1].shared == pk->shared &&
	    k->streams[i - 1].end <= pk->begin)
		return i - 1;
	for (i = 0; i < k->nstreams; i++) {
		s = &k->streams[i];
		if (s->shared == pk->shared && s->end <= pk->begin &&
		    (best == NO_STREAM || stream_better(s, &k->streams[best],
		    pk->tid)) &&
		    region_over(k->region, s->source))
			best = i;
	}
	if (best == NO_STREAM && k->nstreams < k->maxstreams) {
		best = stream_new(k)->index;
		k->streams[best].shared = pk->shared;
	}
	return best;
}

/* Choose the stream for the next packet of a source, which must follow. */
uint32_t
sink_stream(struct sink *k, uint32_t source, const struct packet *pk)
{
	const uint32_t i = stream_for(k, source, pk);

	if (i != NO_STREAM) {
		k->streams[i].source = source;
		k->streams[i].end = pk->end;
		k->streams[i].pid = pk->pid;
		k->streams[i].tid = pk->tid;
		k->stream_of[source] = i + 1;
	}
	return i;
}

/* Has the source a stream? */
bool
sink_writes(const struct sink *k, uint32_t source)
{
	const uint32_t i = k->stream_of[source];

	return i != 0 && k->streams[i - 1].source == source;
}

/*
 * When does the last packet of the packet's thread end that another consumer
 * has left?  0: there is none, or the source has a stream already.
 */
uint64_t
sink_end(const struct sink *k, uint32_t source, const struct packet *pk)
{
	const struct stream *s;
	uint64_t end = 0;
	uint32_t i;

	if (k->stream_of[source] != 0 || pk->tid == 0)
		return 0;
	for (i = 0; i < k->nstreams; i++) {
		s = &k->streams[i];
		if (!s->shared && s->pid == pk->pid && s->tid == pk->tid &&
		    s->end > end)
			end = s->end;
	}
	return end;
}

static const char *
file_name(const struct sink *k, uint32_t i, uint32_t n, char *name)
{
	if (k->limit == 0)
		snprintf(name, FILE_MAXLEN, "%s_%u", k->region->name, i);
	else
		snprintf(name, FILE_MAXLEN, "%s_%u_%u", k->region->name, i, n);
	return name;
}

/* Open file n of stream i. */
int
stream_file(const struct sink *k, uint32_t i, uint32_t n, int flags)
{
	char name[FILE_MAXLEN];

	return output_file(k->trace, file_name(k, i, n, name), flags);
}

/* Refuse that file, for something in it is not ours: -1. */
int
stream_foreign(const struct sink *k, uint32_t i, uint32_t n)
{
	char name[FILE_MAXLEN];

	return output_refuse(file_name(k, i, n, name),
	    "somebody else has written there");
}

/* Remove the oldest files, if there are too many. */
void
stream_prune(struct sink *k, struct stream *s)
{
	char name[FILE_MAXLEN];
	struct stat st;
	uint64_t size;

	while (k->maxfiles != 0 && s->file - s->first >= k->maxfiles) {
		file_name(k, s->index, s->first++, name);
		if (fstatat(k->trace->fd, name, &st,
		    AT_SYMLINK_NOFOLLOW) == -1 ||
		    unlinkat(k->trace->fd, name, 0) == -1)
			continue;
		size = (uint64_t)st.st_size;
		k->bytes -= size < k->bytes ? size : k->bytes;
		k->trace->used -= size < k->trace->used ? size :
		    k->trace->used;
	}
}

/* Close the file that was not used for longest; it can be opened again. */
static void
close_oldest(void)
{
	struct stream *s, *oldest = opened_stream(0);
	unsigned int i;

	for (i = 1; i < nopen; i++)
		if ((s = opened_stream(i))->used < oldest->used)
			oldest = s;
	stream_close(oldest);
}

/* Open the file of the stream; the first time, make it. */
static int
stream_reopen(struct sink *k, struct stream *s)
{
	if (k->trace->lost != 0) {
		errno = k->trace->lost;
		return -1;
	}
	if (nopen == OPEN_MAX_STREAMS)
		close_oldest();
	s->fd = stream_file(k, s->index, s->file, O_WRONLY | O_APPEND |
	    (s->made ? 0 : O_CREAT));
	if (s->fd == -1)
		return -1;
	opened[nopen].sink = k;
	opened[nopen].stream = s->index;
	s->at = nopen++;
	s->made = true;
	return 0;
}

/* The file is gone, or has no more than that. */
static void
stream_lost(struct sink *k, struct stream *s, uint64_t size)
{
	char name[FILE_MAXLEN];

	s->torn = 0;
	stream_shrunk(k, s, file_name(k, s->index, s->file, name), size);
}

/* Cut off the half of a packet that could not be cut off before: 0, or -1. */
static int
stream_mend(struct stream *s)
{
	if (ftruncate(s->fd, (off_t)s->size) == -1)
		return -1;
	s->torn = 0;
	return 0;
}

/*
 * Somebody may have cut or removed the file: then what was there is lost, and
 * the stream goes on.  Refuses a file that has more than what we have written.
 */
static int
stream_look(struct sink *k, struct stream *s)
{
	struct stat st;

	if (fstat(s->fd, &st) == -1)
		return -1;
	if (st.st_nlink == 0) {
		stream_close(s);
		stream_lost(k, s, 0);
		s->made = false;
		return stream_reopen(k, s);
	}
	if ((uint64_t)st.st_size == s->size)
		return 0;
	if ((uint64_t)st.st_size < s->size) {
		stream_lost(k, s, (uint64_t)st.st_size);
		return ftruncate(s->fd, (off_t)s->size);
	}
	if (s->torn > 0 && (uint64_t)st.st_size == s->size + s->torn)
		return stream_mend(s);
	stream_close(s);
	return stream_foreign(k, s->index, s->file);
}

/* Have the file of the stream open, as we have left it. */
static int
stream_open(struct sink *k, struct stream *s)
{
	s->used = ++clock_used;
	if (s->fd == -1 && stream_reopen(k, s) == -1) {
		if (!s->made || errno != ENOENT)
			return -1;
		stream_lost(k, s, 0);
		s->made = false;
		if (stream_reopen(k, s) == -1)
			return -1;
	}
	return stream_look(k, s);
}

/* How many bytes of the file are there?  None if its name is gone. */
static uint64_t
file_size(const struct sink *k, const struct stream *s)
{
	char name[FILE_MAXLEN];
	struct stat st;

	if (s->fd != -1 ? fstat(s->fd, &st) == -1 :
	    fstatat(k->trace->fd, file_name(k, s->index, s->file, name), &st,
	    AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : s->size;
	return st.st_nlink == 0 ? 0 : (uint64_t)st.st_size;
}

/* Look at the last file of each stream, though nothing is to be written. */
void
sink_look(struct sink *k)
{
	uint32_t i;

	for (i = 0; i < k->nstreams && k->trace->fd != -1; i++)
		if (file_size(k, &k->streams[i]) < k->streams[i].size)
			(void)stream_open(k, &k->streams[i]);
}

/*
 * How many bytes of packets, the first of which has that many, may go into one
 * file: the last one, or the next.  What one writev(2) writes is in one file.
 */
uint64_t
sink_room(const struct sink *k, uint32_t stream, uint64_t first)
{
	const struct stream *s = &k->streams[stream];

	if (k->limit == 0)
		return UINT64_MAX;
	return s->size + first <= k->limit ? k->limit - s->size : k->limit;
}

/*
 * Does a packet, for which that many bytes are to be had, begin a file in which
 * its count does not begin with 0?
 */
bool
sink_cuts(const struct sink *k, uint32_t stream, uint64_t first)
{
	const struct stream *s = &k->streams[stream];

	return s->discarded > 0 && k->limit != 0 &&
	    (s->size == 0 || s->size + first > k->limit);
}

uint64_t *
sink_unwritten(struct sink *k, uint32_t stream)
{
	return &k->streams[stream].unwritten;
}

void
sink_all_told(struct sink *k)
{
	uint32_t i;

	for (i = 0; i < k->nstreams; i++)
		k->streams[i].unwritten = 0;
}

/* When the last packet in the file begins and ends.  False: there is none. */
bool
sink_last(const struct sink *k, uint32_t stream, uint64_t *begin, uint64_t *end)
{
	const struct stream *s = &k->streams[stream];

	*begin = s->last_begin;
	*end = s->last_end;
	return s->seq > 0 && !s->emptied;
}

/*
 * Go on with the next file, and remove the oldest if there are too many: that
 * one is empty until then, so there are never more bytes than there may be.  A
 * file that was made is the next one, though we may not get to write there now.
 */
static int
stream_cut(struct sink *k, struct stream *s)
{
	const uint64_t size = s->size, torn = s->torn;
	int error, r;

	stream_close(s);
	s->file++;
	s->made = false;
	s->size = s->torn = 0;
	r = stream_open(k, s);
	if (s->made) {
		error = errno;
		stream_unmark(s);
		stream_prune(k, s);
		errno = error;
		return r;
	}
	s->file--;
	s->made = true;
	s->size = size;
	s->torn = torn;
	return -1;
}

/* Forget n bytes from the front of the vector. */
static void
iov_skip(struct iovec **v, int *nv, size_t n)
{
	while (*nv > 0 && n >= (*v)->iov_len) {
		n -= (*v)->iov_len;
		++*v;
		--*nv;
	}
	if (*nv > 0) {
		(*v)->iov_base = (char *)(*v)->iov_base + n;
		(*v)->iov_len -= n;
	}
}

/* Append whole packets: all of them, or none, and -1 and errno. */
static int
stream_write(struct sink *k, struct stream *s, struct iovec *v, int nv,
    uint64_t all)
{
	const bool cut = k->limit != 0 && s->size > 0 &&
	    s->size + all > k->limit;
	uint64_t done = 0;
	ssize_t n;
	int error;

	report_try();
	if (!bound_room(k->trace, all))
		return bound_refuse();
	if ((stream_open(k, s) == -1 && !cut) ||
	    (cut && stream_cut(k, s) == -1))
		return -1;
	for (iov_skip(&v, &nv, 0); nv > 0; iov_skip(&v, &nv, (size_t)n)) {
		n = writev(s->fd, v, nv);
		if (n == -1 && errno == EINTR) {
			n = 0;
			continue;
		}
		if (n <= 0) {
			error = n == 0 ? EIO : errno;
			if (ftruncate(s->fd, (off_t)s->size) == -1)
				s->torn = done;
			errno = error;
			return -1;
		}
		done += (uint64_t)n;
	}
	k->trace->used += all;
	return 0;
}

/* Report that events are lost, once for each reason in a row. */
void
sink_failed(struct sink *k, int error)
{
	if (error == k->trouble)
		return;
	k->trouble = error;
	report_trouble(k->region->id, UT_TROUBLE_LOST, "channel %s: events are "
	    "lost: %s", k->region->name, report_reason(error));
}

/* Make the packet the nth of those that are to be written. */
static void
add_packet(const struct sink *k, const struct stream *s, struct packet *pk,
    uint64_t seq, unsigned int n)
{
	pk->uuid = k->trace->uuid;
	pk->stream = k->region->stream;
	pk->instance = s->index;
	pk->seq = seq;
	iov[2 * n].iov_base = heads[n];
	iov[2 * n].iov_len = packet_head(heads[n], pk);
	iov[2 * n + 1].iov_base = (void *)(uintptr_t)pk->data;
	iov[2 * n + 1].iov_len = (size_t)pk->len;
}

/*
 * Write packets, at most BATCH: all of them, or none, and -1; then the stream
 * is as it was.
 */
int
sink_write(struct sink *k, uint32_t stream, struct packet *pk, unsigned int n)
{
	struct stream *s = &k->streams[stream];
	uint64_t discarded = s->discarded, seq = s->seq, missing = 0;
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		count_add(&discarded, pk[i].lost);
		pk[i].discarded = discarded;
		seq += pk[i].gap;
		missing += pk[i].gap;
		add_packet(k, s, &pk[i], seq++, i);
	}
	for (i = 0; i < 2 * n; i++)
		bytes += iov[i].iov_len;
	if (!k->trace->nowhere &&
	    stream_write(k, s, iov, (int)n * 2, bytes) == -1) {
		sink_failed(k, errno);
		s->seq += missing;	/* a later packet tells of these */
		s->missing += missing;
		s->untold |= missing > 0;
		k->untold |= s->untold;
		if (s->end == pk[n - 1].end)	/* no later one is to come */
			s->end = s->last_end;
		return -1;
	}
	s->seq = seq;
	s->missing += missing;
	s->untold = false;
	s->discarded = discarded;
	s->last_begin = pk[n - 1].begin;
	s->last_end = pk[n - 1].end;
	if (s->end < s->last_end)
		s->end = s->last_end;
	s->size += bytes;
	s->last_at = s->size - iov[2 * n - 2].iov_len - pk[n - 1].len;
	s->last_file = s->file;
	s->emptied = false;
	for (i = 0; i < n; i++)
		s->events += pk[i].events;
	if (!k->trace->nowhere)
		stream_mark(s);
	k->bytes += bytes;
	report_bytes(bytes);
	k->packets += n;
	/* No file tells the next consumer how many there were. */
	if (k->trace->nowhere)
		region_counts(k->region, k->bytes, k->packets);
	return 0;
}
