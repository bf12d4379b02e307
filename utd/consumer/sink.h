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

#include <dirent.h>

#include "../utd.h"

struct region;

/* The file of points of a trace: see clockfile.c. */
struct clockfile {
	uint64_t	 next;		/* number of the first missing point */
	uint64_t	 size;		/* bytes */
	bool		 made;		/* made, or found as it should be */
	bool		 refused;	/* the file there is not ours */
};

/* A trace, as CTF has it: a directory with metadata and streams. */
struct trace {
	uint32_t	 id;
	int		 fd;		/* -1: not made yet */
	int		 base;		/* the directory above, until made */
	char		*path;
	bool		 new;		/* to be made, and nobody else's */
	bool		 lazy;		/* to be made when it is needed */
	bool		 adopted;	/* another consumer had it before */
	bool		 behind;	/* older metadata may be yet to come */
	bool		 nowhere;	/* no directory: all is dropped */
	int		 lost;		/* errno if it is gone for good; or 0 */
	int		 meta;		/* the metadata file */
	unsigned char	 uuid[UUID_LEN];
	char		*pending;	/* metadata that is not written */
	size_t		 npending;
	size_t		 nwhole;	/* pending bytes that may be written */
	off_t		 meta_size;
	uint64_t	 used;		/* bytes in its files */
	uint64_t	 limit;		/* bytes that there may be: bound.c */
	int64_t		 asked;		/* when more were asked for; or 0 */
	bool		 refused;	/* there are no more for now */
	struct clockfile  clock;
	struct trace	*next;
};

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

/* The first part is piece.c's, the second the sink's. */
struct packet {
	bool		 shared;	/* nobody's, as the events tell whose */
	uint32_t	 pid, tid;
	const char	*name;
	char		 thread[UT_THREAD_NAME];	/* a string, or all */
	uint64_t	 begin, end;
	const unsigned char *data;
	uint64_t	 len;		/* bytes of events */
	uint64_t	 events;
	uint64_t	 lost;		/* events, in the time of the packet */
	uint64_t	 gap;		/* packets that were overwritten */

	const unsigned char *uuid;
	uint32_t	 stream;
	uint64_t	 instance;
	uint64_t	 seq;
	uint64_t	 discarded;
};

extern struct trace *traces;

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

/* packet.c: the head of a CTF packet. */
#define CTF_MAGIC	0xc1fc1fc1u
#define PACKET_HEAD_MAX	256
size_t	 packet_head(unsigned char *, const struct packet *);
size_t	 packet_read(const unsigned char *, size_t, struct packet *);
extern const size_t packet_end_at, packet_discarded_at;	/* in the head */
bool	 packet_begins(const unsigned char *, size_t, const unsigned char *);

/* output.c: directories of the trace, and their metadata. */
struct trace *trace_find(uint32_t);
struct trace *output_trace(const struct trace *, int, const char *, bool);
void	 output_close(struct trace *);
int	 output_metadata(struct trace *, const char *, bool);
void	 output_refine(struct trace *, uint64_t, const char *);
const char *output_spoiled(const struct trace *);
int	 output_pending(struct trace *);	/* try again: 0 or -1 */
void	 output_points(void);

/* bound.c: the bytes that a trace may have. */
#define NO_LIMIT	UINT64_MAX
bool	 bound_room(struct trace *, uint64_t);
int	 bound_refuse(void);			/* -1 */
void	 bound_adopt(struct trace *);

/* clockfile.c: what the clocks said at some instants, in each trace. */
bool	 clockfile_look(void);
int64_t	 clockfile_next(void);
void	 clockfile_mark(void);
void	 clockfile_begin(struct trace *);
void	 clockfile_since(struct trace *, uint64_t, bool);
void	 clockfile_write(struct trace *);
void	 clockfile_end(struct trace *);

/*
 * files.c: directories and files.  A failure leaves its reason: see report_why.
 * A directory must exist (OPEN), is made if it does not (MAKE), or must be new
 * (NEW): then it may get a number, for which the path needs room.
 */
#define TOP		"ust"		/* in a session, and in its chunks */
enum output_how { OUTPUT_OPEN, OUTPUT_MAKE, OUTPUT_NEW };
#define OUTPUT_NUMBER	16		/* bytes */
#define OUTPUT_NUMBERS	1000
int	 close_failed(int);		/* -1; errno stays */
int	 output_refuse(const char *, const char *);	/* -1, and the reason */
int	 output_session(const char *, bool);
int	 output_where(int, char *, size_t);	/* the path that it has */
int	 output_above(const char *);	/* the one above it */
int	 output_dir(int, char *, enum output_how, uid_t);
int	 output_open(int, const char *);	/* one that is there already */
int	 output_give(int, const char *, uid_t, gid_t);
int	 output_file(const struct trace *, const char *, int);
int	 output_bare(int, const char *);	/* except a name: 0 or -1 */
DIR	*output_list(int);		/* NULL and errno; the fd stays open */
const char *output_next(DIR *);		/* name, but neither . nor .. */

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
