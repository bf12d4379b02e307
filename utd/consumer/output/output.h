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
 * Traces: their directories and files, their metadata, what the clocks said,
 * and the heads of packets; and what the parent is told.
 */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <dirent.h>

#include "../../utd.h"

/* The file of points of a trace: see clockfile.c. */
struct clockfile {
	uint64_t	 next;		/* number of the first missing point */
	uint64_t	 size;		/* bytes */
	bool		 made;		/* made, or found as it should be */
	bool		 torn;		/* part of a packet may be behind */
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
	bool		 meta_torn;	/* part of a text is behind meta_size */
	uint64_t	 used;		/* bytes in its files */
	uint64_t	 limit;		/* bytes that there may be: bound.c */
	int64_t		 asked;		/* when more were asked for; or 0 */
	bool		 refused;	/* there are no more for now */
	struct clockfile  clock;
	struct trace	*next;
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

/* report.c: what the parent is told. */
#define PARENT_FD	3	/* the parent's socket */
struct reason {
	char	 why[512];		/* "": see errno */
};
struct ut_msg *report_begin(uint16_t, uint32_t, uint32_t);
void	 report_send(void);		/* send what was begun */
int	 report_why(const char *, const char *, ...)	/* -1 */
	    __attribute__((format(printf, 2, 3)));
int	 report_errno(const char *);		/* -1, with errno's text */
void	 report_try(void);
void	 report_swap(struct reason *);
const char *report_reason(int);		/* text of the last failure */
void	 report_failed(uint32_t, int);
void	 report_trouble(uint32_t, uint32_t, const char *, ...)
	    __attribute__((format(printf, 3, 4)));
void	 report_bytes(uint64_t);
void	 report_progress(uint64_t);
void	 report_made(const struct trace *);	/* under a new name */
void	 report_wrote(const struct trace *);	/* metadata */

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

#endif /* OUTPUT_H */
