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
 * A file of a stream that somebody has cut or removed, while its consumer
 * writes there: what was there is lost, is counted so, and told.
 *
 * No packet says how many events it has, so for each file there are marks: how
 * many events were written up to where.  The file is cut at the last mark that
 * is still in it, so that it goes on behind whole packets, and the count is
 * exact.  When there are too many marks every second one is dropped.
 */

#include <stdlib.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define MARKS_MIN	8
#define MARKS_MAX	256		/* MARKS_MIN times a power of 2 */

/* Note how much is in the file now, as a mark. */
void
stream_mark(struct stream *s)
{
	unsigned int i;

	if (s->unmarked++ % (1u << s->sparse) != 0)
		return;
	if (s->nmarks == MARKS_MAX) {
		s->nmarks /= 2;
		for (i = 0; i < s->nmarks; i++)
			s->marks[i] = s->marks[2 * i + 1];
		s->sparse++;
	}
	if (s->nmarks == s->room) {
		s->room = s->room == 0 ? MARKS_MIN : 2 * s->room;
		s->marks = xrealloc(s->marks, s->room * sizeof(*s->marks));
	}
	s->marks[s->nmarks].size = s->size;
	s->marks[s->nmarks++].events = s->events;
}

/* Another file begins. */
void
stream_unmark(struct stream *s)
{
	s->nmarks = s->sparse = s->unmarked = 0;
	s->events = s->adopted = 0;
}

/*
 * The file has so many bytes, or 0 if it is gone, and had more: go back to the
 * last mark in there.
 */
void
stream_shrunk(struct sink *k, struct stream *s, const char *name,
    uint64_t size)
{
	static const struct mark start;
	const struct mark *m;
	uint64_t lost;

	while (s->nmarks > 0 && s->marks[s->nmarks - 1].size > size)
		s->nmarks--;
	m = s->nmarks > 0 ? &s->marks[s->nmarks - 1] : &start;
	lost = s->events - m->events;
	if (!k->said_shrunk)
		report_trouble(k->region->id, UT_TROUBLE_LOST, "channel %s: %s "
		    "was cut or removed: %s%llu event%s that %s written there "
		    "%s lost", k->region->name, name, m->size < s->adopted ?
		    "at least " : "", (unsigned long long)lost,
		    lost == 1 ? "" : "s", lost == 1 ? "was" : "were",
		    lost == 1 ? "is" : "are");
	k->said_shrunk = true;
	k->shrunk += lost;
	k->bytes -= s->size - m->size < k->bytes ? s->size - m->size : k->bytes;
	s->size = m->size;
	s->events = m->events;
	if (s->adopted > s->size)
		s->adopted = s->size;
	s->emptied = s->size == 0;
}

/* Count as lost what cut files had: a packet will say so. */
void
region_shrunk(struct region *r)
{
	const uint64_t n = r->sink->shrunk;

	if (n == 0)
		return;
	r->sink->shrunk = 0;
	region_written(r, 0 - n);
	region_dropped(r, n);
}
