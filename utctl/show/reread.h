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
 * Events that are read once more when all is read: so little need be kept of
 * those that may turn out to be wanted.
 */

#ifndef REREAD_H
#define REREAD_H

#include "../ctf/reader.h"
#include "pair.h"

struct reread {
	struct ctf_stream **streams;	/* not read yet */
	size_t		 nstreams;
};

/* Before the streams are read. */
void	 reread_begin(struct reread *, const struct reader *);
/*
 * The event at that place and time, to be freed with its stream; NULL: it is
 * gone, because its file has changed.
 */
struct ctf_stream *reread_event(const struct reread *, struct event_place,
	    int64_t);
void	 reread_end(struct reread *);

#endif /* REREAD_H */
