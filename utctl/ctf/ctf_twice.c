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
 * Packets that are there twice: snapshots of one session hold what earlier ones
 * held if that was still in memory.  The first of them is read.  Traces are of
 * one session if they say the same of when and where it was created.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "reader.h"

/* The traces of a session that have one UUID, and so one set of streams. */
static uint64_t
session_key(const struct ctf_trace *tr)
{
	return map_bytes(tr->origin, tr->uuid, sizeof(tr->uuid));
}

/* The sessions of traces: the value is a trace, or the map if several. */
static int
sessions_find(const struct reader *r, struct map *sessions)
{
	struct ctf_trace *tr;
	int any = 0;

	for (tr = r->traces; tr != NULL; tr = tr->next) {
		if (!tr->hasorigin)
			continue;
		if (map_get(sessions, session_key(tr)) == NULL)
			map_put(sessions, session_key(tr), tr);
		else {
			map_put(sessions, session_key(tr), sessions);
			any = 1;
		}
	}
	return any;
}

/* The key says which packet of the session the stream has entered. */
static uint64_t
packet_key(const struct ctf_stream *s)
{
	const char *name = strrchr(s->path, '/') + 1;
	const uint64_t what[] = { s->class->id, s->hasinstance ? s->instance :
	    map_bytes(0, name, strlen(name)), s->cycles, (uint64_t)s->end,
	    s->seq, s->limit - s->pkt };

	return map_bytes(session_key(s->trace), what, sizeof(what));
}

static void
twice_add(struct ctf_stream *s, uint64_t pkt)
{
	const size_t n = s->ntwice;

	if ((n & (n - 1)) == 0) {
		s->twice = realloc(s->twice, (n == 0 ? 1 : 2 * n) *
		    sizeof(*s->twice));
		if (s->twice == NULL)
			die_errno("malloc");
	}
	s->twice[s->ntwice++] = pkt;
}

/* Note the stream's packets, and which of them others have. */
static void
stream_look(struct ctf_stream *s, struct map *packets)
{
	struct ctf_stream *c = stream_copy(s);
	struct ctf_stream *have;
	uint64_t key;

	c->basecap = READER_LITTLE;
	while (ctf_packet(c)) {
		if (!c->inpacket || !c->hasseq)
			continue;
		c->inpacket = 0;
		key = packet_key(c);
		if ((have = map_get(packets, key)) == NULL)
			map_put(packets, key, s);
		else if (have != s)
			twice_add(s, c->pkt);
	}
	stream_free(c);
}

/* Before anything is read. */
void
reader_twice(struct reader *r)
{
	struct map sessions = { NULL, 0, 0 }, packets = { NULL, 0, 0 };
	const struct ctf_trace *tr;
	size_t i;

	ctf_damage_hush(1);
	if (sessions_find(r, &sessions))
		for (i = 0; i < r->nstreams; i++) {
			tr = r->streams[i]->trace;
			if (tr->hasorigin && map_get(&sessions,
			    session_key(tr)) == &sessions)
				stream_look(r->streams[i], &packets);
		}
	ctf_damage_hush(0);
	map_free(&sessions);
	map_free(&packets);
}
