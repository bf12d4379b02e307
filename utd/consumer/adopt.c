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
 * A consumer takes over what another has left, in the region and in the
 * files, wherever it died.
 *
 * A file ends with the last packet that is whole; what is behind that was
 * being written, is cut off, and is written once more, for it still is in
 * the region.  The other way round, packets of the last writev(2) may be in
 * the file and not be marked as consumed.  So each sub-buffer has in
 * `writing' what consumed was about to become, and if one of the last packets
 * has just these bytes, it has become that.
 *
 * What was lost is counted by who lost it, and how much of that was told is
 * in the packets, so that nothing of it is told twice or never.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"

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

static uint64_t
load(ut_a64 *a)
{
	return atomic_load_explicit(a, memory_order_relaxed);
}

static int
stream_file(const struct region *r, uint32_t i)
{
	char name[NAME_MAXLEN + 16];

	stream_name(r, i, name, sizeof(name));
	return output_file(r->dir, name, O_RDWR);
}

/* Note a packet, in place of the one BATCH packets before it. */
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

/* The file is not of this trace: refuse it, and do not truncate it. */
static bool
foreign(const struct region *r, const struct stream *s)
{
	char name[NAME_MAXLEN + 16];

	stream_name(r, s->index, name, sizeof(name));
	output_refuse(name, "somebody else has written there");
	return false;
}

/* Read the whole packets, and cut off the rest; false if that fails. */
static bool
scan_file(struct region *r, struct stream *s, int fd)
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
		    memcmp(pk.uuid, r->dir->uuid, UUID_LEN) != 0 ||
		    pk.len > (uint64_t)st.st_size - s->size - head)
			break;
		note_late(s, &pk, (off_t)(s->size + head));
		s->shared = pk.shared;
		s->size += head + pk.len;
		s->seq++;
		s->end = pk.end;
		s->discarded = s->told = pk.discarded;
		r->counts.packets++;
	}
	if (s->size == 0 && n > 0 &&
	    !packet_begins(buf, (size_t)n, r->dir->uuid))
		return foreign(r, s);
	r->counts.bytes += s->size;
	return (uint64_t)st.st_size == s->size ||
	    ftruncate(fd, (off_t)s->size) == 0;
}

/* Read all files of the channel, from stream 0 on; they are nobody's now. */
static bool
scan_files(struct region *r)
{
	struct stream *s;
	bool ok = true;
	int fd;

	while (ok && r->nstreams < r->maxstreams &&
	    (fd = stream_file(r, r->nstreams)) != -1) {
		s = stream_new(r);
		s->source = r->nslots + r->nsubs;	/* nobody's */
		s->made = true;
		late = xrealloc(late, r->nstreams * BATCH * sizeof(*late));
		memset(late + s->index * BATCH, 0, BATCH * sizeof(*late));
		nlate = r->nstreams * BATCH;
		ok = scan_file(r, s, fd);
		close(fd);
	}
	if (!ok)
		r->nstreams--;
	return ok && (r->nstreams == r->maxstreams || r->dir->fd == -1 ||
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

/* Are these bytes of the sub-buffer in a file, and when does that end? */
static bool
was_written(struct region *r, uint32_t i, uint32_t from, uint32_t len,
    uint64_t *until)
{
	const unsigned char *data = r->data + (size_t)i * r->subsize + from;
	const uint32_t tid = atomic_load_explicit(&r->subs[i].tid,
	    memory_order_relaxed);
	bool is = false;
	size_t k;
	int fd;

	for (k = 0; k < nlate && !is; k++) {
		if (late[k].len != len || late[k].tid != tid ||
		    (fd = stream_file(r, late[k].stream)) == -1)
			continue;
		is = same_bytes(fd, late[k].at, data, len);
		*until = late[k].end;
		close(fd);
	}
	return is;
}

/* Find out how far the last consumer was with that sub-buffer. */
static void
adopt_sub(struct region *r, uint32_t i)
{
	struct ut_subbuf *sub = &r->subs[i];
	uint64_t word = atomic_load_explicit(&sub->state,
	    memory_order_acquire);
	uint64_t consumed = load(&sub->consumed), next = load(&sub->writing);
	uint64_t commit = atomic_load_explicit(&sub->commit,
	    memory_order_acquire), until;

	if (UT_STATE(word) == UT_FREE)
		return;
	if (UT_STATE(word) == UT_READING && commit == 0) {
		region_sub_free(r, i);
		return;
	}
	if (!commit_valid(r, commit, consumed))
		return;			/* damaged: let the drain say so */
	r->consumed[i] = consumed;
	r->until[i] = load(&sub->until);
	if (next == consumed || !commit_valid(r, next, consumed) ||
	    !commit_valid(r, commit, next) ||
	    !was_written(r, i, UT_COMMIT_LEN(consumed),
	    UT_COMMIT_LEN(next) - UT_COMMIT_LEN(consumed), &until))
		return;
	region_written(r, UT_COMMIT_COUNT(next) - UT_COMMIT_COUNT(consumed));
	region_sub_consumed(r, i, next, until);
}

/* Each slot's sub-buffers are written up to the first that is still there. */
static void
adopt_slots(struct region *r)
{
	uint32_t i, n = region_slots_used(r), slot;
	uint64_t word, seq;

	for (i = 0; i < n; i++) {
		r->done_seq[i] = load(&r->slots[i].seq);
		r->said[i] = load(&r->slots[i].lost);
	}
	for (i = 0; i < r->nsubs; i++) {
		word = load(&r->subs[i].state);
		slot = UT_STATE_SLOT(word);
		seq = load(&r->subs[i].seq);
		if (UT_STATE(word) != UT_FREE && !(word & UT_SHARED) &&
		    slot < n && seq > 0 && r->done_seq[slot] >= seq)
			r->done_seq[slot] = seq - 1;
	}
}

/*
 * How many events were lost when we read the counts.  Not how many are now: the
 * slots tell of later ones, which would be counted twice.
 */
static uint64_t
lost_then(const struct region *r)
{
	uint64_t lost = r->dropped + r->said_lost;
	uint32_t i;

	for (i = 0; i < r->nslots; i++)
		lost += r->said[i];
	return lost;
}

/* Take over a region; false and errno if nothing can be written there. */
bool
region_adopt(struct region *r)
{
	uint64_t told = 0, lost;
	uint32_t i;
	bool ok;

	r->counts.written = load(&r->header->written);
	r->dropped = load(&r->header->dropped);
	r->said_lost = load(&r->header->lost);
	/* What it has revoked, it may have revoked just now. */
	r->revoked = ut_msg_now();
	ok = r->dir->fd == -1 || scan_files(r);
	if (ok) {
		for (i = 0; i < r->nsubs; i++)
			adopt_sub(r, i);
		adopt_slots(r);
		for (i = 0; i < r->nstreams; i++)
			told += r->streams[i].discarded;
		if ((lost = lost_then(r)) > told)
			r->unsaid = lost - told;
	}
	free(late);
	late = NULL;
	nlate = 0;
	return ok;
}

/*
 * The region is new, but another consumer may have left files of the channel,
 * whose region is gone: number the new files after them.
 */
void
region_follow(struct region *r)
{
	if (r->dir->again && r->dir->fd != -1)
		(void)scan_files(r);
	free(late);
	late = NULL;
	nlate = 0;
}
