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
 * Traces and regions, as the parent sees them.
 */

#ifndef TRACE_H
#define TRACE_H

#include "consumers.h"
#include "../want/event.h"
#include "../want/session.h"

struct program;

/* The buffers of a channel, one UID and one ABI, or one program. */
struct region {
	uint32_t	 id;
	struct saved	 saved;
	struct trace	*trace;
	struct channel	*channel;
	struct registry	 registry;
#define REGION_NEW	0	/* until its directory is asked for */
#define REGION_ASKED	1	/* until the consumer has made or adopted it */
#define REGION_READY	2
#define REGION_FAILED	3	/* until it is tried again */
#define REGION_CLOSING	4	/* until the consumer has told the counts */
	unsigned int	 state;
	char		*why;		/* why it failed or waits; or NULL */
	const char	*cause;		/* the part of why after the names */
	uint32_t	 serial;	/* newest request for it */
	bool		 wanted;	/* asked for when its trace is made */
	bool		 moved;		/* from the trace before */
	uint64_t	 told;		/* lost events that packets of older
					   traces tell of */
	uint64_t	 carried;	/* bytes in counts that were carried
					   into the current chunk: they do not
					   make it end */
	char		 shm[UT_SHM_NAME];
	unsigned int	 taken;		/* how often in a row another object
					   had the name */
	bool		 left;		/* by another utd, to be adopted */
	bool		 over;		/* all but its name: see region_over */
	bool		 buried;	/* buried, or soon: see region_bury */
	int		 fd;
	bool		 described;	/* in the metadata */
	bool		 watched;	/* the consumer tells when it grows */
	uint64_t	 since;		/* by the channel's clock: earliest
					   pause not told; 0: none */
	unsigned int	 pausing;	/* UT_C_PAUSE requests without an
					   answer */
	bool		 counting;	/* asked for counts, for a trigger */
	struct counts	 counts;
	uint64_t	 matched;	/* matches of the trigger in counts */
	uint64_t	 base;		/* matched when the session started */
	uint32_t	 used;		/* sub-buffers in use at the last
					   count */
	struct region	*next;		/* next region of the channel */
	struct region	*beside;	/* the next one of the trace */
};

/* May its shared memory exist? */
static inline bool
region_left(const struct region *r)
{
	return r->fd != -1 || r->left;
}

/* Is there no memory, and was there none when it was last asked for? */
static inline bool
region_none(const struct region *r)
{
	return r->state == REGION_FAILED && !region_left(r);
}

struct text {
	char		*s;
	size_t		 len, size;
	size_t		 sent;		/* bytes sent to the consumer */
};

/*
 * A trace, as CTF has it: a directory of the session, with metadata and
 * streams, for one UID and ABI or for one program.
 */
struct trace {
	uint32_t	 id;
	struct saved	 saved;
	struct session	*session;
	uid_t		 uid;
	gid_t		 gid;
	struct user	*user;		/* owner of the programs */
	uint32_t	 bits;
	uint64_t	 owner;		/* the program; 0: all of them */
	pid_t		 pid, vpid;	/* the program's */
	char		 name[PROGRAM_NAME];
	struct consumer	*consumer;
#define TRACE_NEW	0	/* waits until the consumer has read its
				   messages */
#define TRACE_ASKED	1	/* waits for the directory above it */
#define TRACE_READY	2	/* made, or the consumer is asked to */
#define TRACE_FAILED	3	/* tried again later */
#define TRACE_OVER	4	/* gone for good: made anew, if at all */
	unsigned int	 state;
#define TAKE_NONE	0	/* no other consumer had it */
#define TAKE_SIZE	1	/* the new one has yet to say how much metadata
				   it found */
#define TAKE_TEXT	2	/* the new one has yet to be sent the rest */
#define TAKE_DONE	3	/* the new one has all, or has failed */
	unsigned int	 take;
	uint32_t	 chunk;		/* number of its chunk */
	struct trace	*before;	/* same in the chunk before, until the
					   consumer has closed that */
	struct trace	*after;		/* same in the next chunk, which took
					   over the regions */
	bool		 prepared;	/* the metadata have begun */
	bool		 asking;	/* for a directory in the next chunk */
	bool		 carrying;	/* for path to be moved there */
	char		*path;		/* below the session's directory */
	bool		 made;		/* path is the final one */
	unsigned char	 uuid[UUID_LEN];
	char		 uuidstr[UUID_TEXT];
	struct text	 text;		/* metadata perhaps not in the file */
	uint64_t	 past;		/* bytes of metadata before text */
	uint64_t	 limit;		/* bytes of its files: see bound.c */
	uint64_t	 clock_at;	/* where the counter's clock is, or 0 */
	uint32_t	 line;		/* line of the course: see clock.c */
	struct region	*regions;
	struct trace	*next;		/* next trace of the session */
	struct trace	*chain;		/* next in the bucket of owners */
	struct trace	*beside;	/* the next one of the consumer */
};

/* Could the trace not be made or opened? */
static inline bool
trace_out(const struct trace *t)
{
	return t->state == TRACE_FAILED || t->state == TRACE_OVER;
}

/* Has its consumer yet to take it over? */
static inline bool
trace_held(const struct trace *t)
{
	return t->take == TAKE_SIZE || t->take == TAKE_TEXT;
}

/* trace.c: traces, as the parent sees them. */
struct trace *trace_of(const struct session *, uid_t, uint32_t, uint64_t);
struct trace *trace_new(struct session *, uint32_t, uid_t, gid_t, uint64_t);
bool	 trace_own(const struct trace *);	/* user owns the session */
bool	 trace_called(struct trace *, const char *);
void	 trace_made(const struct consumer *, uint32_t, const char *);
void	 trace_channel(struct trace *, const struct channel *);
void	 trace_hold(struct trace *);
void	 trace_go_on(struct trace *);
bool	 trace_flush(struct trace *);
void	 trace_wrote(const struct consumer *, uint32_t, uint64_t);
void	 trace_refine(struct trace *);
void	 trace_move(struct trace *);
bool	 trace_late(const struct trace *);
void	 traces_late(const struct consumer *);
void	 traces_slow(const struct consumer *);
void	 trace_close(struct trace *);
void	 trace_drop(struct trace *);

/* bound.c: what the traces of a session may have. */
#define BOUND_PARTS	8
uint64_t bound_chunk(const struct session *);
uint64_t bound_archives(const struct session *);
bool	 bound_near(const struct session *);
void	 bound_end(struct session *);
void	 bound_carry(const struct trace *);
void	 bound_place(struct session *, bool);
struct session *trace_full(const struct consumer *, uint32_t, uint64_t);

/*
 * region.c: regions, as the parent sees them.  When one is READY, has FAILED or
 * is about to be buried, a function is called, with true if the region is READY
 * and had failed before.
 */
typedef void region_changed(struct region *, bool);
extern region_changed *regions_changed;
struct region *region_make(struct channel *, struct trace *);
void	 region_again(struct region *);
void	 region_failed(struct region *, const char *);
void	 region_drop(struct region *);
struct region *region_add(struct channel *, struct trace *, uint32_t);
void	 region_had(struct region *, const char *);
void	 region_name_event(struct region *, uint32_t);
void	 regions_ask(struct trace *);
void	 regions_renew(struct trace *);
void	 regions_synced(const struct trace *);
void	 regions_failed(struct trace *, const char *);
void	 region_trouble(struct region *, const char *);	/* "": over */
void	 regions_remove(const struct trace *);
void	 channel_activate(struct channel *, struct waiter *);
void	 channel_count(struct channel *, struct waiter *);
void	 channel_recount(struct channel *, struct waiter *);
void	 channel_watch(struct channel *);
void	 region_watch(struct region *);
void	 region_grown(struct region *, uint64_t);
void	 regions_move(struct trace *, struct trace *);
bool	 channel_failed(const struct channel *);	/* a region of it */
/* For region_close.c. */
void	 region_put(struct ut_msg *, const struct channel *);
void	 region_tell(const struct region *, uint16_t, uint32_t, consumer_cb *,
	    struct waiter *);
void	 region_forget(struct region *);
void	 region_remove(const struct region *);

/* region_close.c: the end of regions. */
void	 regions_bury_lost(struct trace *);
bool	 regions_buried(const struct trace *);
/* Bury the regions of a dead program. */
void	 regions_bury(uid_t, uint32_t, uint64_t);
bool	 regions_hold(uid_t, uint64_t);	/* may it have any mapped? */
void	 regions_close(struct channel *);
void	 regions_free(struct channel *);
bool	 regions_kept(const struct trace *);	/* when utd ends */
bool	 regions_end(const struct session *);
void	 regions_restored(void);
void	 regions_last(const struct trace *);	/* when it is opened */

/* channel.c: what consumers have counted. */
void	 counts_add(struct counts *, const struct counts *);
void	 region_counted(struct region *, struct ut_msg *);
void	 channel_counts(const struct channel *, struct counts *);
uint64_t channel_chunk(const struct channel *);	/* bytes in the chunk */
void	 session_counts(const struct session *, struct counts *);

/* trace_open.c: how their directories are made and opened. */
void	 session_open(struct session *, struct waiter *);
void	 session_wait(struct session *);	/* then retry its directory */
const struct consumer *session_late(const struct session *, uid_t);
void	 trace_retry(struct trace *);
void	 trace_ask(struct trace *);
void	 trace_begin(struct trace *);
void	 trace_go(struct trace *, int, const char *);
const char *trace_below(const struct trace *);
void	 trace_ask_dir(const struct trace *, const char *, bool, consumer_cb *);
void	 traces_drained(const struct consumer *);
void	 traces_orphaned(const struct consumer *);
void	 traces_again(struct consumer *);
struct region *region_find(const struct channel *, const struct program *);
struct region *region_get(struct channel *, const struct program *);
void	 region_retry(struct region *);

/* rotate_trace.c: the regions of the trace before go on in this one. */
void	 trace_moving(struct trace *);	/* tell the consumer */
void	 traces_moved(const struct consumer *);	/* consumer was given up */

/*
 * rotate_carry.c: parts of a chunk go with the next one; and where the
 * directory of a session is, if that is open.
 */
void	 trace_in_chunk(const struct trace *, char *, size_t);	/* the path */
bool	 trace_overdue(const struct trace *);	/* nobody waits for it */
void	 traces_carry(struct session *);
#define WHERE_ASTRAY	": not there any more: moved or removed"
void	 session_where(struct session *, struct waiter *);
void	 session_where_cheap(struct session *, struct waiter *);

/* rotate.c: chunks. */
void	 rotation_look(void *);		/* how far it is, of that ID */
void	 rotation_begin(struct session *, uint32_t);
bool	 rotation_refused(const struct session *, uint32_t, char *, size_t);
void	 rotation_set(struct session *);	/* ms or bytes changed */
void	 rotation_grew(struct session *);	/* the chunk has more bytes */
void	 rotation_last(struct session *, struct waiter *);

/* metadata.c: TSDL. */
#define METADATA_EVENT	"\nevent {\n"	/* how the description of one begins */
void	 text_free(struct text *);
void	 text_cut(struct text *, size_t);	/* from the front */
void	 text_add(struct text *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
void	 metadata_head(struct text *, const struct trace *, const char *);
void	 metadata_channel(struct text *, const struct channel *);
bool	 metadata_cycles(struct text *, const struct session *, uint32_t);
bool	 metadata_clock(struct text *, const struct channel *);
void	 metadata_event(struct text *, const struct channel *,
	    const struct event *, uint32_t);
void	 metadata_events(struct text *, const struct channel *,
	    const struct registry *);

#endif /* TRACE_H */
