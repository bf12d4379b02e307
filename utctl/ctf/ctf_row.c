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
 * Streams whose files are cut: a row of files with one stream instance ID.  The
 * counts in packets go on from file to file, so what is lost at the beginning
 * of a file is told by the last packet of the file before.  If that one was
 * removed, nobody knows.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "reader.h"

/* A new stream of the file as it is now, to be read from its beginning. */
struct ctf_stream *
stream_anew(const struct ctf_stream *s)
{
	struct ctf_stream *c = calloc(1, sizeof(*c));
	struct stat st;

	if (c == NULL)
		die_errno("malloc");
	c->path = format("%s", s->path);
	c->trace = s->trace;
	c->size = lstat(s->path, &st) == 0 && st.st_ino == s->ino &&
	    st.st_dev == s->dev ? (uint64_t)st.st_size : s->size;
	c->growing = 1;
	c->fd = -1;
	c->kept = s->kept;
	c->basecap = READER_LITTLE;
	c->since = INT64_MIN;
	c->until = INT64_MAX;
	return c;
}

/*
 * Find the file's row, and its place there.  A file whose first packet is not
 * all there yet has neither: it is looked at again, before it is read.
 */
static void
find_row(struct ctf_stream *s)
{
	struct ctf_stream *c = stream_anew(s);

	s->placed = ctf_packet(c);
	s->nhead = c->nhead;
	memcpy(s->head, c->head, c->nhead);
	if (s->placed && c->hasend && c->hasinstance) {
		s->hasinstance = 1;
		s->instance = c->instance;
		s->row = c->class->id;
		s->begin = ctf_ns(c->class->clock, c->cycles);
	}
	stream_free(c);
}

static int
row_cmp(const struct ctf_stream *a, const struct ctf_stream *b)
{
	if (a->trace != b->trace)
		return (uintptr_t)a->trace < (uintptr_t)b->trace ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->instance < b->instance ? -1 : a->instance > b->instance;
}

static int
place_cmp(const void *va, const void *vb)
{
	const struct ctf_stream *a = *(struct ctf_stream *const *)va;
	const struct ctf_stream *b = *(struct ctf_stream *const *)vb;
	const int c = row_cmp(a, b);

	if (c != 0)
		return c;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* The file goes on where the file before it ends. */
static void
go_on(struct ctf_stream *s, const struct ctf_stream *before)
{
	struct ctf_stream *c = stream_anew(before);

	while (ctf_packet(c))
		continue;
	if (c->hasend && c->end <= s->begin) {
		s->discarded = c->discarded;
		s->hasseq = c->hasseq;
		s->seq = c->seq;
		s->hasend = 1;
		s->end = c->end;
	}
	stream_free(c);
}

/* Add the files of the list that are in rows; is any of these new? */
static size_t
add_rows(struct ctf_stream **rows, size_t n, struct ctf_stream **list,
    size_t nlist, int *any)
{
	size_t i;

	for (i = 0; i < nlist; i++) {
		list[i]->isnew = !list[i]->placed;
		if (list[i]->isnew)
			find_row(list[i]);
		if (!list[i]->hasinstance)
			continue;
		*any |= list[i]->isnew;
		rows[n++] = list[i];
	}
	return n;
}

/* Place new streams, before they are read. */
void
reader_rows(struct reader *r)
{
	struct ctf_stream **rows;
	size_t i, n;
	int any = 0;

	if (r->nstreams + r->nidle == 0)
		return;
	rows = calloc(r->nstreams + r->nidle, sizeof(*rows));
	if (rows == NULL)
		die_errno("malloc");
	ctf_damage_hush(1);
	n = add_rows(rows, 0, r->streams, r->nstreams, &any);
	n = add_rows(rows, n, r->idle, r->nidle, &any);
	if (any)
		qsort(rows, n, sizeof(*rows), place_cmp);
	for (i = 1; any && i < n; i++)
		if (rows[i]->isnew && row_cmp(rows[i - 1], rows[i]) == 0)
			go_on(rows[i], rows[i - 1]);
	ctf_damage_hush(0);
	free(rows);
}
