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
 * The packets of a smaller trace, one at a time: export_ctf.c says of what they
 * are made, export_packet.c makes them, and export_bits.c moves their bits.
 */

#ifndef EXPORT_PACKET_H
#define EXPORT_PACKET_H

#include <sys/types.h>

#include <stdint.h>
#include <stdio.h>

#include "../ctf/ctf_stream.h"

#define BITS_BLOCK	65536	/* bytes that are copied at a time */
#define BITS_PARTS	4	/* an event has so many */

struct packet;

/* A stream, which may have several files: ctf_row.c. */
struct row {
	struct packet	*packet;	/* the last file's; or NULL */
	/* The trace of the last packet that is written; NULL: none is. */
	const struct ctf_trace *trace;
	uint64_t	 seq;		/* the last one's, or the first's */
	uint64_t	 discarded;	/* the last one's */
	uint64_t	 read;		/* discarded, as it was read */
	int64_t		 end;		/* ns: when the last one ends */
};

/* Places are in bits from the packet's beginning. */
struct packet {
	/* The file that is read, and the one that is written, if it is. */
	struct ctf_stream	*in;		/* NULL: none */
	FILE			*out;		/* NULL: not yet */
	char			*path;
	struct row		*row;
	uint64_t		 cycles;	/* the time, for who reads it */
	uint64_t		 endcycles;	/* the last packet's */
	uint64_t		 carried;	/* packets, see carry() */

	/* The packet that is read. */
	int			 open;
	int			 big;		/* the order of bits */
	uint64_t		 size;		/* bytes */
	uint64_t		 headlen;	/* bits of the head, ... */
	uint64_t		 outlen;	/* ... and of the one written */
	uint64_t		 limit;		/* where the content ends */
	struct ctf_vals		 vals;		/* header's and context's */
	uint64_t		 at[ROLE_MAX];	/* where these are written */
	uint64_t		 ends;		/* cycles: when it ends */
	int			 told;		/* a loss, or gap, is told */
	int			 soon;		/* the first part tells of it */
	int			 early, late;	/* reaches beyond -b, -u */

	/* The packet that is written. */
	int			 begun;		/* head is in the file */
	off_t			 start;		/* where, in the file */
	uint8_t			*head;
	uint64_t		 begin, end;	/* cycles */
	int			 whole;		/* the one that is read */
	uint64_t		 lost, discarded;	/* since the last one */
	uint64_t		 count;		/* events */
	uint64_t		 pos;		/* so far */
	uint8_t			 part;		/* the bits of the last byte */
	/* Bits of the one that is read, not copied yet; does it go on? */
	uint64_t		 from, to;
	int			 run;
};

static inline int
packet_has(const struct packet *p, enum ctf_role role)
{
	return (p->vals.has & (uint32_t)1 << role) != 0;
}

/* export_bits.c */
/* So many bytes of the packet that is read, from that one on. */
const uint8_t *bits_in(struct packet *, uint64_t, size_t);
/* A cursor from one bit of that packet to another. */
void	 bits_cur(struct packet *, struct ctf_cur *, uint64_t, uint64_t);
/* How bits are counted in a class of streams: no byte has both orders. */
int	 bits_order(const struct ctf_trace *, const struct ctf_sclass *);
/* Write a number of that type there; or 0: it does not fit. */
int	 bits_number(uint8_t *, uint64_t, const struct ctf_type *, uint64_t);
/* Append bytes, or what the packet that is read has from there to there. */
void	 bits_put_bytes(struct packet *, const void *, size_t);
void	 bits_copy(struct packet *, uint64_t, uint64_t);
/* The next place of that alignment, and as many bits that are 0. */
uint64_t bits_aligned(uint64_t, uint64_t);
void	 bits_align(struct packet *, uint64_t);
/* Append the value at the cursor, at the next place that suits it. */
void	 bits_move(struct packet *, struct ctf_cur *, const struct ctf_type *);

/* export_packet.c */
void	 packet_read(struct packet *, const struct ctf_stream *);
/* The event in which the stream is, behind those that were put before. */
void	 packet_event(struct packet *, const struct ctf_stream *);
/* A packet of no events, which ends at that time, before the others. */
void	 packet_empty(struct packet *, int64_t);
/* No more comes of the packet that was read. */
void	 packet_done(struct packet *);

#endif /* EXPORT_PACKET_H */
