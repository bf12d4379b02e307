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
 * The last packet of a stream tells of more lost events.
 *
 * When there is no room for one more packet, two words in the head of the last
 * one are written anew in place, which needs no room: the time at which it ends
 * and its count of discarded events.  A file system that never writes in place
 * may refuse; then the head stays as it was.
 *
 * A file is valid wherever the consumer is killed.  Of the two words each is
 * valid without the other, and both only grow.  The system writes what is in
 * one page as a whole.  A word that lies in two pages is written in two parts,
 * of which the one with the larger digits comes first: then a reader may meet a
 * larger word, but never one that is smaller than in the packet before.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region.h"
#include "sink.h"

#define PAGE	4096		/* each system's pages are multiples of it */

static bool
put_part(int fd, uint64_t at, const unsigned char *p, size_t n)
{
	return n == 0 || pwrite(fd, p, n, (off_t)at) == (ssize_t)n;
}

/* Write a word that is larger than the one that is there. */
static bool
put_word(int fd, uint64_t at, uint64_t word)
{
	static const uint64_t one = 1;
	const size_t room = PAGE - at % PAGE;
	const size_t n = room < sizeof(word) ? room : sizeof(word);
	unsigned char bytes[sizeof(word)];

	memcpy(bytes, &word, sizeof(word));
	if (*(const unsigned char *)&one == 1)	/* the larger digits are last */
		return put_part(fd, at + n, bytes + n, sizeof(word) - n) &&
		    put_part(fd, at, bytes, n);
	return put_part(fd, at, bytes, n) &&
	    put_part(fd, at + n, bytes + n, sizeof(word) - n);
}

/* Is the last packet in the file the one that we have written there? */
static bool
is_last(const struct sink *k, const struct stream *s, int fd)
{
	unsigned char buf[PACKET_HEAD_MAX];
	struct packet pk;
	struct stat st;
	ssize_t n;
	size_t head;

	if (fstat(fd, &st) == -1 ||
	    (n = pread(fd, buf, sizeof(buf), (off_t)s->last_at)) <= 0)
		return false;
	head = packet_read(buf, (size_t)n, &pk);
	return head != 0 && memcmp(pk.uuid, k->trace->uuid, UUID_LEN) == 0 &&
	    pk.instance == s->index && pk.end == s->last_end &&
	    pk.discarded == s->discarded &&
	    pk.len <= k->region->subsize &&
	    (uint64_t)st.st_size == s->last_at + head + pk.len;
}

/* True if its last packet tells of so many more, up to that time. */
static bool
stream_amend(const struct sink *k, struct stream *s, uint64_t lost,
    uint64_t end)
{
	uint64_t discarded = s->discarded;
	bool done = false;
	int fd;

	count_add(&discarded, lost);
	/* The stream's own descriptor only appends: open another. */
	if ((fd = stream_file(k, s->index, s->last_file, O_RDWR)) == -1)
		return false;
	if (is_last(k, s, fd) && (end <= s->last_end ||
	    put_word(fd, s->last_at + packet_end_at, end)) &&
	    put_word(fd, s->last_at + packet_discarded_at, discarded)) {
		s->discarded = discarded;
		if (s->last_end < end)
			s->end = s->last_end = end;
		done = true;
	}
	close(fd);
	return done;
}

/*
 * Choose, among the streams that have not been tried, the one whose readers say
 * best what is missing.  For a stream with one packet they can only say that
 * something may be.  Among the others, the one whose last packet is the oldest
 * goes back furthest.
 */
static struct stream *
choose(const struct sink *k, const bool *tried)
{
	struct stream *s, *best = NULL;
	bool one, best_one = false;
	uint32_t i;

	for (i = 0; i < k->nstreams; i++) {
		s = &k->streams[i];
		if (tried[i] || s->emptied || s->seq == s->missing)
			continue;
		one = s->seq - s->missing == 1;
		if (best == NULL || (one != best_one ? best_one :
		    s->last_end < best->last_end)) {
			best = s;
			best_one = one;
		}
	}
	return best;
}

/*
 * Have the last packet of any stream tell of so many more events, which were
 * lost until that time; false if that cannot be.
 */
bool
sink_amend(struct sink *k, uint64_t lost, uint64_t end)
{
	bool *tried, done = false;
	struct stream *s;

	if (k->trace->nowhere || k->trace->fd == -1 || k->trace->lost != 0)
		return false;
	tried = xcalloc((size_t)k->nstreams + 1, sizeof(*tried));
	while (!done && (s = choose(k, tried)) != NULL) {
		tried[s->index] = true;
		done = stream_amend(k, s, lost, end);
	}
	free(tried);
	return done;
}

/*
 * Marks: how many events were lost without a slot, at some times, so that a
 * snapshot tells of those that were lost since about its first event.
 */

/* The events that programs have lost without a slot. */
static uint64_t
nobodys(struct region *r)
{
	return region_count(r, &r->losses[r->nslots].lost,
	    load(&r->header->lost));
}

/*
 * Note how many are lost without a slot, and when that was still so.  If there
 * are too many notes, every other one is forgotten: then a snapshot tells of
 * more that may have been lost before its first event.
 */
void
loss_mark(struct region *r)
{
	const uint64_t now = region_now(r), lost = nobodys(r);
	unsigned int i;

	/* A first and a last one have the same count: the last one moves. */
	if (r->nmarks > 1 && r->marks[r->nmarks - 1].lost == lost &&
	    r->marks[r->nmarks - 2].lost == lost) {
		r->marks[r->nmarks - 1].time = now;
		return;
	}
	if (r->nmarks == LOSS_MARKS) {
		for (i = 0; i < LOSS_MARKS / 2; i++)
			r->marks[i] = r->marks[2 * i];
		r->nmarks = LOSS_MARKS / 2;
	}
	r->marks[r->nmarks].time = now;
	r->marks[r->nmarks++].lost = lost;
}

/* A copy tells of those that were lost since about its first event. */
void
loss_copy(struct region *r, struct region *c, uint64_t first)
{
	struct loss *l = &c->losses[c->nslots];
	uint32_t i;

	if (r->nmarks == 0 || first == UINT64_MAX)
		return;
	for (i = r->nmarks - 1; i > 0 && r->marks[i].time > first; i--)
		continue;
	l->lost = nobodys(r);
	store(&c->header->lost, l->lost);
	l->told = l->telling = r->marks[i].lost;
	l->since = r->marks[i].time;
}
