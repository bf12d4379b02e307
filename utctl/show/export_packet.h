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
 * are made, and export_packet.c makes them.
 */

#ifndef EXPORT_PACKET_H
#define EXPORT_PACKET_H

#include <sys/types.h>

#include <stdint.h>
#include <stdio.h>

#include "../ctf/ctf_stream.h"

struct packet;

/* A stream, which may have several files: ctf_row.c. */
struct row {
	struct packet	*packet;	/* the last file's; or NULL */
	int		 any;		/* packets are written */
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

	/* The packet that is read. */
	int			 open;
	int			 big;		/* the order of bits */
	uint64_t		 size;		/* bytes */
	uint64_t		 headlen;	/* bits of the head */
	uint64_t		 limit;		/* where the content ends */
	struct ctf_vals		 vals;		/* header's and context's */
	uint64_t		 at[ROLE_MAX];	/* where these are */
	uint64_t		 ends;		/* cycles: when it ends */
	int			 told;		/* a loss, or gap, is told */
	int			 early, late;	/* reaches beyond -b, -u */

	/* The packet that is written. */
	int			 begun;		/* head is in the file */
	off_t			 start;		/* where, in the file */
	uint8_t			*head;
	size_t			 headcap;
	uint64_t		 begin, end;	/* cycles */
	int			 timed;		/* begin had to be another */
	uint64_t		 lost, discarded;	/* since the last one */
	uint64_t		 count;		/* events */
	uint64_t		 pos;		/* so far */
	uint8_t			 part;		/* the bits of the last byte */
	/* The rest of the packet that is read, not copied yet. */
	uint64_t		 from, to;
};

static inline int
packet_has(const struct packet *p, enum ctf_role role)
{
	return (p->vals.has & (uint32_t)1 << role) != 0;
}

void	 packet_read(struct packet *, const struct ctf_stream *);
/* The event in which the stream is, behind those that were put before. */
void	 packet_event(struct packet *, const struct ctf_stream *);
/* A packet of no events, which ends at that time, before the others. */
void	 packet_empty(struct packet *, int64_t);
/* No more comes of the packet that was read. */
void	 packet_done(struct packet *);

#endif /* EXPORT_PACKET_H */
