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
 * The sink: where the packets of a region go.  It has the trace with its
 * metadata, the streams with their files, and the numbers that are in the heads
 * of packets; it knows what was written, and no sub-buffer.  piece.c hands it
 * packets, whose events are still in the region.  sink_write() returns when
 * they are in the file, or will never be, and then piece.c releases them.
 *
 * The trace of a session without output has no directory: its sinks count what
 * they would have written (sink_write), and the metadata is dropped likewise
 * (output_pending).
 *
 * A region has one sink at a time, and all others write files.  The next chunk
 * of a rotation is another struct sink, with streams and numbers of its own,
 * that takes the place of the last one between two passes: see chunk.c.  A
 * second kind of sink (a network) enters in stream_write() and
 * output_pending(), the only functions that write packets and metadata, and in
 * sink_adopt(), which finds out what the last consumer has written.
 */

#ifndef SINK_H
#define SINK_H

#include "output/output.h"

struct region;

/* How many events a file had at a size. */
struct mark {
	uint64_t	 size;
	uint64_t	 events;
};

/*
 * A stream of a channel, whose packets do not overlap in time.  It has one
 * file, or, in a channel whose files are cut, a row of them with numbers.
 */
struct stream {
	uint32_t	 index;
	uint32_t	 first, file;	/* numbers of its files */
	bool		 shared;	/* the channel's second class */
	uint32_t	 source;	/* the source whose packets go here */
	uint32_t	 pid, tid;	/* the thread's; not if shared */
	bool		 made;		/* a consumer has made the file */
	int		 fd;		/* -1: closed to save descriptors */
	unsigned int	 at;		/* in the list of open ones */
	uint64_t	 used;		/* when last, to close the oldest */
	uint64_t	 size;		/* bytes of whole packets in the file */
	uint64_t	 torn;		/* bytes behind these: half a packet */
	uint64_t	 adopted;	/* bytes that another consumer wrote */
	uint64_t	 events;	/* events behind the adopted bytes */
	struct mark	*marks;		/* by size, or NULL: see shrunk.c */
	unsigned int	 nmarks, room;
	unsigned int	 sparse;	/* a mark for 2^sparse writes */
	unsigned int	 unmarked;	/* writes since the last mark */
	bool		 emptied;	/* somebody has emptied the file */
	uint64_t	 unwritten;	/* events; no packet tells of these */
	bool		 untold;	/* next packet tells other streams' */
	uint64_t	 end;		/* time at which the last packet ends */
	uint64_t	 last_begin, last_end;	/* times of the last packet */
	uint64_t	 last_at;	/* offset of the last packet */
	uint32_t	 last_file;	/* number of the file of last_at */
	uint64_t	 seq;		/* the next packet's */
	uint64_t	 missing;	/* numbers without a packet */
	uint64_t	 discarded;	/* events, as the last packet tells */
};

/*
 * The source of a packet decides into which stream it goes.  A source is a
 * slot, by its number, or a shared sub-buffer, by nslots plus its number, or,
 * behind these, nobody, who has lost events.
 */
struct sink {
	const struct region *region;
	struct trace	*trace;
	struct stream	*streams;
	uint32_t	 nstreams;
	uint32_t	 maxstreams;	/* more is nonsense */
	uint32_t	*stream_of;	/* by source: index + 1 of its stream */
	uint64_t	 limit;		/* bytes of a file; 0: none is cut */
	uint32_t	 maxfiles;	/* per stream; 0: any number */
	uint64_t	 bytes;		/* in all files that exist, or would */
	uint64_t	 packets;
	uint64_t	 shrunk;	/* events that were in its files, until
					   region_shrunk counts them as lost */
	bool		 said_shrunk;
	int		 trouble;	/* the errno last reported */
	bool		 untold;	/* some streams may be untold */
};

/* sink.c: packets and their streams. */
#define BATCH		64		/* packets in one writev */
#define NO_STREAM	UINT32_MAX
struct sink *sink_new(const struct region *, struct trace *);
void	 sink_free(struct sink *);
uint32_t sink_stream(struct sink *, uint32_t, const struct packet *);
uint64_t sink_end(const struct sink *, uint32_t, const struct packet *);
bool	 sink_writes(const struct sink *, uint32_t);
/* Events that could not be written into the stream, and are not told. */
uint64_t *sink_unwritten(struct sink *, uint32_t);
void	 sink_all_told(struct sink *);
uint64_t sink_room(const struct sink *, uint32_t, uint64_t);
bool	 sink_cuts(const struct sink *, uint32_t, uint64_t);
bool	 sink_last(const struct sink *, uint32_t, uint64_t *, uint64_t *);
int	 sink_write(struct sink *, uint32_t, struct packet *, unsigned int);
void	 sink_failed(struct sink *, int);
struct stream *stream_new(struct sink *);
int	 stream_file(const struct sink *, uint32_t, uint32_t, int);
int	 stream_foreign(const struct sink *, uint32_t, uint32_t);	/* -1 */
void	 stream_prune(struct sink *, struct stream *);
void	 sink_look(struct sink *);	/* are all files what they were? */

/* shrunk.c: files that somebody has cut or removed. */
void	 stream_mark(struct stream *);
void	 stream_unmark(struct stream *);
void	 stream_shrunk(struct sink *, struct stream *, const char *, uint64_t);

/* amend.c: a last packet that tells of more. */
bool	 sink_amend(struct sink *, uint64_t, uint64_t);

/* adopt_files.c: the files that another consumer has left. */
bool	 sink_adopt(struct sink *);
void	 sink_adopted(void);
bool	 sink_has(const struct sink *, uint32_t, const unsigned char *, size_t,
	    uint64_t *);

/* chunk.c: a chunk that is complete; as above. */
/* How much may be there besides; UINT32_MAX and UINT64_MAX: any. */
struct aging {
	uint32_t	 n;
	uint64_t	 bytes;
	uint64_t	 most;		/* bytes that one of them can have */
};
int	 chunk_done(int, const char *, const char *, uint32_t,
	    const struct aging *, bool *);
int	 chunk_carry(int, const char *, const char *);
bool	 output_there(int, const char *);

/* remove.c: chunks and snapshots; nothing that consumers have not made. */
int	 output_remove(int, const char *);	/* ust/, or what has it */
int	 output_empty(int);		/* a directory that has ust/ */
void	 output_discard(int, const char *);	/* a trace below */
bool	 output_ours(int, const char *);	/* a directory of this user */
void	 output_age(int, const char *, const struct aging *);
void	 output_prune(int, const char *);	/* if without files */

#endif /* SINK_H */
