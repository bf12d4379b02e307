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
 * A viewer: a connection, and what of the session it was told.
 */

#ifndef VIEWER_H
#define VIEWER_H

#include <stddef.h>
#include <stdint.h>

#include "source.h"

#define VIEWER_IN	64		/* bytes: no request is longer */
#define VIEWER_ADDRESS	64
#define ROWS		16384		/* streams of a viewer, at most */

/* How far metadata were told. */
struct told {
	size_t		 n;		/* bytes */
	int		 more;		/* the viewer asks on */
};

/* A trace of the viewer's: metadata, and streams. */
struct trace {
	struct trace	*next;
	struct meta	*meta;
	uint64_t	 id;		/* also of the metadata's stream */
	struct told	 told;
	size_t		 nstreams;
};

/* A stream of the viewer's, which is a row of files: see ctf_row.c. */
struct vstream {
	struct trace	*trace;
	uint64_t	 id;
	uint64_t	 key;		/* which row: see vstream.c */
	uint64_t	 class;		/* the ID of the class */
	size_t		 file;		/* the index of the one that is read */
	int64_t		 begin;		/* date of its first packet, in ns */
	uint64_t	 skip;		/* bytes of it to pass over */
	struct ctf_stream *s;		/* NULL: not open yet, or over */
	int		 over;		/* nothing more is read */
	/* ms: when the file, in an archived chunk, had nothing new; or 0 */
	int64_t		 quiet;
	/* Date in ns: the viewer was told that no event comes before it. */
	int64_t		 told;
	int		 waits;		/* INDEX_INACTIVE was sent once */
	int64_t		 end;		/* date of the last packet's end */
	/* The packet that the viewer may read. */
	uint64_t	 at, len;	/* bytes; 0: none */
	uint64_t	 content;	/* bits */
	uint64_t	 from, to;	/* cycles */
	uint64_t	 discarded;
	size_t		 needs;		/* bytes of metadata */
};

struct viewer {
	int		 fd;
	char		 address[VIEWER_ADDRESS];
	int		 state;		/* see viewer.c */
	int		 obeys;		/* -l: the viewer may begin now */
	/* Files of a smaller index came before the viewer: -l omits them. */
	size_t		 before;
	int64_t		 heard;		/* ms: of the last request */
	uint8_t		 in[VIEWER_IN];
	size_t		 nin;
	uint8_t		*out;
	size_t		 nout, outcap, wrote;
	uint64_t	 ids;		/* the last trace's or stream's */
	struct trace	*traces;
	struct vstream	**streams;	/* sorted by ID */
	size_t		 nstreams, cap;
	struct map	 known;		/* by their keys, all there ever were */
	uint64_t	 seen;		/* source.state: all of it is known */
	int64_t		 upto;		/* see viewer.c */
	uint64_t	 searches;	/* the source's, when it came */
	uint64_t	 beat;		/* time in the beat's last packet */
	struct told	 beat_told;	/* in the beat's metadata */
	uint64_t	 late, bad;	/* packets that were left out */
	int		 unread;	/* so were streams: no descriptors */
	int		 full;		/* so were streams: more than ROWS */
};

/* viewer.c */
/* A socket; and may the viewer ask to see only what comes from now on? */
struct viewer *viewer_new(int, int);
void	 viewer_close(struct viewer *);	/* says what was left out */
int	 viewer_attached(const struct viewer *);
/* Read, answer and write what can be; 0: this viewer is over. */
int	 viewer_turn(struct viewer *);
int	 viewer_writes(const struct viewer *);	/* an answer waits */

/* vstream.c */
enum vstream_is {
	VSTREAM_LATER,			/* a packet may be there */
	VSTREAM_NOTHING,		/* yet */
	VSTREAM_PACKET,
	VSTREAM_OVER
};

/* The next that the viewer does not know; NULL: it knows all. */
struct vstream *vstream_new(struct viewer *);
struct vstream *vstream_find(const struct viewer *, uint64_t);	/* by its ID */
int	 vstream_unknown(struct viewer *);
enum vstream_is vstream_next(struct viewer *, struct vstream *);
/* Bytes of the packet, from there on; or -1. */
ssize_t	 vstream_read(struct vstream *, uint8_t *, size_t, uint64_t);
/* Forget a stream that is over, and its trace with the last one. */
void	 vstream_free(struct viewer *, struct vstream *);
/* The trace was read again; NULL: was removed. */
void	 vstreams_again(struct viewer *, const struct ctf_trace *,
	    const struct ctf_trace *);
void	 vstreams_free(struct viewer *);

#endif /* VIEWER_H */
