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
 * A consumer: a process of one user, which has the regions and the files.
 */

#ifndef CONSUMER_H
#define CONSUMER_H

#include <signal.h>

#include "../utd.h"

/* One file of a channel.  Its packets do not overlap in time. */
struct stream {
	uint32_t	 index;
	bool		 shared;	/* of the channel's second class */
	uint32_t	 source;	/* whose packets go here */
	bool		 made;		/* the file, by a consumer */
	int		 fd;		/* -1: closed to save descriptors */
	unsigned int	 at;		/* in the list of open ones */
	uint64_t	 used;		/* when last, to close the oldest */
	uint64_t	 size;		/* bytes of whole packets */
	uint64_t	 end;		/* time at which the last packet ends */
	uint64_t	 seq;		/* number of packets */
	uint64_t	 discarded;	/* events, as the next packet tells */
	uint64_t	 told;		/* as the last packet written tells */
};

/* What the parent calls a trace. */
struct outdir {
	uint32_t	 id;
	int		 fd;		/* -1: not made yet */
	int		 base;		/* the directory above, until made */
	char		*path;
	bool		 new;		/* to be made, and nobody else's */
	bool		 again;		/* another consumer had it before */
	bool		 behind;	/* older metadata may be yet to come */
	int		 lost;		/* errno if it is gone for good; or 0 */
	int		 meta;		/* the metadata file */
	unsigned char	 uuid[UUID_LEN];
	char		*pending;	/* metadata that is not written */
	size_t		 npending;
	size_t		 nwhole;	/* pending bytes that may be written */
	off_t		 meta_size;
	struct outdir	*next;
};

/* Memory that others can cut off: see fault.c. */
struct shared {
	void		*at;
	size_t		 size;
	volatile sig_atomic_t cut;	/* it was: private zeros replace it */
	struct shared	*next;
};

/*
 * The buffers of a channel.  The source of a packet decides into which stream
 * it goes.  A source is a slot, by its number, or a shared sub-buffer, by
 * nslots plus its number.
 */
struct region {
	uint32_t	 id;
	struct outdir	*dir;
	char		 name[NAME_MAXLEN];	/* of the channel */
	uint32_t	 stream;	/* stream_id */
	char		 shm[UT_SHM_NAME];
	int		 fd;
	size_t		 size;
	struct shared	 shared;
	struct ut_header *header;
	struct ut_slot	*slots;
	struct ut_subbuf *subs;
	unsigned char	*data;
	uint32_t	 nslots;
	uint32_t	 nsubs;
	uint32_t	 subsize;
	uint32_t	 clock;		/* UT_CLOCK_ */
	uint64_t	*done_seq;	/* by slot: the last one written */
	uint32_t	*stream_of;	/* by source: index + 1 of its stream */
	uint8_t		*waited;	/* by slot: passes without the next */
	uint64_t	*said;		/* by slot: its lost, as packets tell */
	uint64_t	 said_lost;	/* lost of the header, likewise */
	uint64_t	 dropped;	/* as in the header */
	uint64_t	*consumed;	/* by sub-buffer */
	uint64_t	*until;		/* by sub-buffer: time of consumed */
	uint64_t	*seen;		/* by sub-buffer: commit a second ago */
	int64_t		 revoked;	/* when we last looked for idle ones */
	bool		 damaged;	/* it is, and the parent was told */
	struct stream	*streams;
	uint32_t	 nstreams;
	uint32_t	 maxstreams;	/* more is nonsense */
	struct counts	 counts;
	uint64_t	 unsaid;	/* lost, but in no packet yet */
	uint32_t	 bell;		/* our copy: others can write there */
	uint32_t	 taken;		/* likewise */
	uint32_t	 toobig;	/* longest event that was reported */
	unsigned int	 ntoobig;	/* how many such reports */
	int		 trouble;	/* the errno last reported */
	int		 waits;		/* errno for which events wait; or 0 */
	uint64_t	 waited_lost;	/* events lost when that began */
	struct region	*next;
};

/* A program, as packets name it. */
struct owner {
	uint64_t	 number;
	uint32_t	 pid;
	char		 name[PROGRAM_NAME];
	bool		 dead;		/* and not buried everywhere */
	uint32_t	 serial;	/* of the request to bury it */
	struct owner	*next;
};

#define PARENT_FD	3	/* the parent's socket */

extern struct region *regions;
extern struct outdir *outdirs;
extern bool parent_gone;
extern bool ending;			/* in order */

/* sleep.c: the bell. */
int	 sleep_bell(char *);		/* open or make it: 0 or -1 */
void	 sleep_tick(bool);		/* each second */
bool	 sleep_ticked(void);
void	 sleep_signal(int);
void	 sleep_on_bell(void);
void	 sleep_on_socket(int);		/* some ms, or -1 */
void	 sleep_end(void);

/* orders.c: what the parent says. */
struct order {
	uint16_t	 type;		/* UT_C_; 0 and NULL are the end */
	void		(*act)(struct ut_msg *);
};

/* A message that has to wait for the end of a pass. */
struct later {
	struct later	*next;
	struct ut_msg	 msg;		/* only as long as it needs to be */
};

void	 orders_init(void);
void	 orders_take(void);		/* obey those that can be at once */
struct later *orders_next(void);	/* of the others */
bool	 order_obey(const struct order *, struct ut_msg *);
/* Returns the serial number. */
uint32_t orders_like(struct ut_msg *, struct region *);
/* Make a region, or take it over; NULL and errno. */
struct region *orders_region(struct region *, bool, int);

/* obey.c: what is done between two passes. */
void	 obey(void);
void	 obey_dead(void);		/* bury them where they can be */

/* report.c: what the parent is told. */
struct ut_msg *report_begin(uint16_t, uint32_t, uint32_t);
void	 report_send(void);		/* what was begun */
int	 report_why(const char *, const char *, ...)	/* -1 */
	    __attribute__((format(printf, 2, 3)));
void	 report_try(void);
const char *report_reason(int);		/* that of the last failure */
void	 report_failed(uint32_t, int);
void	 report_trouble(struct region *, uint32_t, const char *, ...)
	    __attribute__((format(printf, 3, 4)));
void	 report_progress(uint64_t);
void	 report_made(const struct outdir *);	/* under a new name */
void	 report_wrote(const struct outdir *);	/* metadata */

/* owners.c: programs. */
struct owner *owner_read(struct ut_msg *);
const struct owner *owner_find(uint64_t);
bool	 owner_dead(uint64_t);
bool	 owner_died(struct ut_msg *);
bool	 owners_dead(void);
void	 owners_forget(void);		/* who was dead */

/* region.c: the shared memory.  region_new returns NULL and errno. */
struct region *region_new(const struct region *, bool, int);
size_t	 region_size(const struct region *);	/* of shared memory */
void	 region_free(struct region *, bool);
void	 region_start(struct region *);
void	 region_stop(struct region *, bool);	/* true: its program is dead */
struct stream *stream_new(struct region *);
bool	 commit_valid(const struct region *, uint64_t, uint64_t);
uint32_t region_slots_used(const struct region *);
void	 region_slot_free(struct region *, uint32_t);
void	 region_sub_free(struct region *, uint32_t);
void	 region_written(struct region *, uint64_t);
void	 region_dropped(struct region *, uint64_t);
void	 region_sub_consumed(struct region *, uint32_t, uint64_t, uint64_t);
void	 region_advance(struct region *, uint32_t, uint64_t);
void	 region_look(struct region *);	/* note what was delivered */
void	 region_looked(struct region *);	/* and that it is dealt with */
uint64_t region_lost(const struct region *);	/* even if no packet told it */
bool	 region_sleep(struct region *, bool);

/* drain.c: from sub-buffers to packets. */
#define BATCH		64		/* packets in one writev */
#define DRAIN_FULL	0		/* sub-buffers that are full */
#define DRAIN_DEAD	1		/* also what dead programs committed */
#define DRAIN_ALL	2		/* also what everybody committed */
#define DRAIN_LAST	3		/* the same, for the last time */
bool	 region_drain(struct region *, int);	/* true: call again at once */
void	 region_finish(struct region *, bool);	/* stop and drain it */
bool	 region_bury(struct region *);	/* the dead; false: not yet */

/* fault.c: SIGBUS. */
void	 fault_init(void);
void	 fault_watch(struct shared *, void *, size_t);
void	 fault_forget(struct shared *);

/* adopt.c: what another consumer has left. */
bool	 region_adopt(struct region *);
void	 region_follow(struct region *);	/* the files only */

/* revoke.c: sub-buffers that idle threads hold. */
void	 region_revoke(struct region *);

/* packet.c: the head of a CTF packet. */
#define PACKET_HEAD_MAX	256
struct packet {
	const unsigned char *uuid;
	uint32_t	 stream;
	bool		 shared;	/* no pid, tid, name: the events have */
	uint64_t	 instance;
	uint64_t	 begin, end;
	uint64_t	 len;		/* bytes of events */
	uint64_t	 seq;
	uint64_t	 discarded;
	uint32_t	 pid, tid;
	const char	*name;
};
size_t	 packet_head(unsigned char *, const struct packet *);
size_t	 packet_read(const unsigned char *, size_t, struct packet *);
bool	 packet_begins(const unsigned char *, size_t, const unsigned char *);

/*
 * ours.c: directories and files.  A failure leaves its reason: see report_why.
 * A directory must exist (OPEN), is made if it does not (MAKE), or must be new
 * (NEW): then it may get a number, for which the path needs room.
 */
enum output_how { OUTPUT_OPEN, OUTPUT_MAKE, OUTPUT_NEW };
#define OUTPUT_NUMBER	16		/* bytes */
#define OUTPUT_NUMBERS	1000
int	 output_refuse(const char *, const char *);	/* -1, and the reason */
int	 output_session(const char *, bool);
int	 output_dir(int, char *, enum output_how, uid_t);
gid_t	 output_group(uid_t, gid_t);	/* the user's */
int	 output_give(int, const char *, uid_t, gid_t);
int	 output_file(const struct outdir *, const char *, int);

/* output.c: what is in them. */
struct iovec;
struct outdir *outdir_find(uint32_t);
struct outdir *output_trace(const struct outdir *, int, const char *, bool);
void	 output_close(struct outdir *);
int	 output_metadata(struct outdir *, const char *, bool);
void	 output_refine(struct outdir *, uint64_t, const char *);
bool	 output_removed(const struct outdir *);
int	 output_pending(struct outdir *);	/* try again: 0 or -1 */
int	 stream_write(struct region *, struct stream *, struct iovec *, int);
void	 stream_name(const struct region *, uint32_t, char *, size_t);
void	 stream_close(struct stream *);

#endif /* CONSUMER_H */
