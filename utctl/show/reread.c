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
 * Events that are read once more, from copies of their streams.
 */

#include <stdlib.h>

#include "../say.h"
#include "reread.h"

void
reread_begin(struct reread *r, const struct reader *rd)
{
	size_t i;

	r->nstreams = rd->nstreams;
	r->streams = xcalloc(r->nstreams + 1, sizeof(*r->streams));
	for (i = 0; i < r->nstreams; i++)
		r->streams[i] = stream_copy(rd->streams[i]);
}

struct ctf_stream *
reread_event(const struct reread *r, struct event_place place, int64_t ns)
{
	struct ctf_stream *s;
	size_t i = 0;

	while (r->streams[i]->index != place.stream)
		i++;
	s = stream_copy(r->streams[i]);
	s->basecap = READER_LITTLE;
	s->since = s->until = ns;
	ctf_damage_hush(1);
	while (ctf_read(s))
		if (s->item != ITEM_EVENT)
			reader_drop(s);
		else if (event_place(s).bit >= place.bit)
			break;
	ctf_damage_hush(0);
	if (s->inpacket && s->ns == ns && event_place(s).bit == place.bit)
		return s;
	stream_free(s);
	return NULL;
}

void
reread_end(struct reread *r)
{
	while (r->nstreams > 0)
		stream_free(r->streams[--r->nstreams]);
	free(r->streams);
	r->streams = NULL;
}
