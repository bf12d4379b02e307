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
 * A piece of a sub-buffer: what is committed there and not written.
 */

#ifndef PIECE_H
#define PIECE_H

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define NO_SUB	UINT32_MAX	/* an empty packet */

struct piece {
	uint32_t	 sub;
	uint32_t	 slot;
	uint64_t	 seq;
	uint64_t	 commit;
	uint64_t	 begin, end;	/* times of the packet */
	uint64_t	 gap;		/* packets missing before it */
	bool		 full;
	bool		 shared;
	bool		 retells;	/* tells of what was not written */
	/* Called when the packet, which tells of so many, was written. */
	void		(*done)(struct region *, const struct piece *,
			    uint64_t, bool);
};

/* piece.c: from pieces to packets. */
void	 piece_over(struct region *, const struct piece *);
void	 piece_done(struct region *, const struct piece *, uint64_t, bool);
void	 piece_write(struct region *, struct piece *);

/* names.c: whose a packet is that has no events. */
void	 names_packet(struct packet *, const struct region *, uint32_t);

/* batch.c: packets on their way to the sink. */
bool	 batch_add(struct region *, uint32_t, const struct piece *,
	    struct packet *);
void	 batch_ready(struct region *, uint32_t, const struct packet *);
void	 batch_flush(struct region *);

/* loss.c: which packets tell of lost events. */
void	 loss_before(struct region *, const struct piece *,
	    const struct packet *);
void	 loss_unwritten(struct region *, uint32_t, const struct packet *);
void	 loss_none(struct region *, uint32_t, uint64_t);
void	 loss_rest(struct region *, int);
void	 loss_dropped(struct region *, uint64_t);

#endif /* PIECE_H */
