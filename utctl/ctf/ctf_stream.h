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
 * The files of a trace: packets and events, and where fields are in them.
 */

#ifndef CTF_STREAM_H
#define CTF_STREAM_H

#include "ctf.h"

#define CTF_MAGIC	0xc1fc1fc1u	/* first in each packet */
#define CTF_SWAPPED	0xc11ffcc1u	/* magic in the other byte order */
#define CTF_HEAD	128		/* bytes that tell files apart */

/* The values that a walk found in the fields that have a role. */
struct ctf_vals {
	uint32_t	 has;		/* 1 << role */
	uint32_t	 timebits;	/* ROLE_TIME has so many */
	uint64_t	 val[ROLE_MAX];
	const struct ctf_type *type[ROLE_MAX];
	const uint8_t	*at[ROLE_MAX];		/* where val was, ... */
	uint8_t		 bit[ROLE_MAX];		/* ... from which bit on */
	const uint8_t	*uuid;
	const uint8_t	*name, *thread;
	size_t		 namelen, threadlen;
};

/* Where we are in a packet's bytes. */
struct ctf_cur {
	const uint8_t	*p, *end;
	unsigned int	 bit;		/* where in *p, in its bit order */
	uint64_t	 empty;		/* elements of no bits so far */
	const struct ctf_stream *s;	/* the stream that p is in */
	struct ctf_vals	*found;		/* NULL: roles are not wanted */
};

struct stack_dict;

enum ctf_item {
	ITEM_EVENT,
	ITEM_DISCARDED,
	ITEM_LOST,
	ITEM_GONE
};

/* A stream file, and what comes next in it. */
struct ctf_stream {
	const struct ctf_trace	*trace;
	char			*path;
	size_t			 index;		/* breaks ties */
	int			 fd;		/* -1: not open now */
	int			 kept;		/* stays open; or -1 */
	uint64_t		 size;		/* at the last look */
	dev_t			 dev;		/* the file's, to know it by */
	ino_t			 ino;		/* 0: the file is gone */
	uint8_t			 head[CTF_HEAD];	/* how it begins */
	size_t			 nhead;		/* 0: not read yet */
	int			 growing;	/* more may come later */
	uint64_t		 hole;		/* offset of one told, + 1 */
	int			 away;		/* looks that missed it */

	uint8_t			*buf;		/* a window of the file */
	size_t			 cap, basecap;
	size_t			 fill, pos;
	unsigned int		 bit;		/* where in the byte at pos */
	size_t			 stop;		/* limit, or fill if nearer */
	uint64_t		 off;		/* offset of buf in the file */
	uint64_t		 limit;		/* content's end in file */
	uint64_t		 last;		/* the byte it ends in ... */
	unsigned int		 lastbit;	/* ... and before which bit */
	uint64_t		 empty;		/* ctf_cur's, in this packet */
	uint64_t		*vals;		/* see ctf_field's slot */
	size_t			 nvals;

	const struct ctf_sclass	*class;
	int			 inpacket;
	uint64_t		 pkt, nextpkt;	/* offsets in the file */
	uint64_t		 cycles;
	uint64_t		 seq;
	uint64_t		 discarded;
	int			 hasseq;
	int			 hasend;	/* a packet came before */
	int64_t			 end;		/* timestamp_end in ns */
	uint64_t		 endcycles;	/* timestamp_end of its clock */
	uint64_t		*twice;		/* packets that others have */
	size_t			 ntwice, attwice;
	int			 backwards;	/* time went back: told once */
	int			 leaps;		/* a count leapt: told once */
	int			 stranger;	/* another UUID: told once */
	int			 hasinstance;
	uint64_t		 instance;

	/* The file's place in its stream: ctf_row.c's. */
	int			 placed;	/* the row was looked for */
	int			 isnew;
	uint64_t		 row;		/* ID of the stream's class */
	int64_t			 begin;		/* time of the first packet */

	struct ctf_who		 who;
	int			 stays;	/* the packet before was of the same */

	/* Losses that were not told yet. */
	int			 discards;	/* some are, or may be */
	uint64_t		 ndiscarded;	/* 0: not known */
	int64_t			 from, to;
	uint64_t		 nlost;
	int64_t			 lostfrom, lost;
	/*
	 * Any events between these times are missing.  If the first packet is
	 * not the stream's first, or the chunks before it are gone, older ones
	 * were removed or overwritten, and gonefrom is INT64_MIN; or events
	 * were not recorded for a time.
	 */
	int			 gone;
	int64_t			 gonefrom, goneto;

	enum ctf_item		 item;
	int64_t			 ns;		/* item's time */
	const struct ctf_eclass	*event;
	uint64_t		 at;		/* event's offset in the file */
	unsigned int		 atbit;
	size_t			 body;		/* bytes behind its header */
	unsigned int		 bodybit;

	/* Events of other times are passed over, by packets if that can be. */
	int64_t			 since, until;

	struct stack_dict	*stacks;	/* ctf_stack.c's; or NULL */

	/* select.c's: is the packet at whopkt of a wanted program? */
	int			 whoknown, whofits;
	uint64_t		 whopkt;
	int			 wanted;	/* is the event wanted? */
	int			 refused;	/* by -f alone; see reader.h */

	/* print_text.c's: who, as it writes that in the packet there. */
	char			 prefix[512];
	size_t			 prefixlen;
	uint64_t		 prefixpkt;	/* there + 1; or 0 */
};

/* ctf_walk.c */
int	 ctf_walk(struct ctf_cur *, const struct ctf_type *,
	    struct ctf_vals *);
int	 ctf_walk_type(struct ctf_cur *, const struct ctf_type *);
int	 ctf_walk_field(struct ctf_cur *, const struct ctf_field *);
void	 ctf_note(const struct ctf_cur *, const struct ctf_field *);
int	 ctf_align(struct ctf_cur *, uint32_t);
uint64_t ctf_take_bits(struct ctf_cur *, const struct ctf_type *);
/* The bytes of a text, in UTF-8, and past it. */
const uint8_t *ctf_text(struct ctf_cur *, const struct ctf_type *, size_t *);
/* The elements of an array, or of a sequence at this event. */
uint64_t ctf_count(const struct ctf_cur *, const struct ctf_type *);
/* The option of a variant that is there; or NULL: none. */
const struct ctf_field *ctf_option(const struct ctf_cur *,
	    const struct ctf_type *);

/* ctf_cpu.c */
/* Before and after the event: it is a switch, from a thread to the next. */
void	 ctf_cpu_switch(const struct ctf_stream *, int);
/* Switches may be lost: the stream's item tells of them. */
void	 ctf_cpu_lose(const struct ctf_stream *);

/* ctf_packet.c */
void	 ctf_who(struct ctf_who *, const struct ctf_vals *);
/* Read a header or context at the stream's place, which may be none. */
int	 ctf_stream_struct(struct ctf_stream *, const struct ctf_type *,
	    struct ctf_vals *);
void	 ctf_stream_vals(struct ctf_stream *);
void	 ctf_time_check(struct ctf_stream *, uint64_t, int64_t, int64_t);
int	 ctf_packet_open(struct ctf_stream *);
int	 ctf_packet(struct ctf_stream *);

/* ctf_read.c */
int	 ctf_read(struct ctf_stream *);
/* Until when events were lost, or are gone, of which the item tells. */
int64_t	 ctf_lost_until(const struct ctf_stream *);
int	 ctf_again(struct ctf_stream *, const struct ctf_trace *, int);
/*
 * After ctf_read() found an event: pass over the events that are here as a
 * whole, or up to one that is before another, and count them.
 */
uint64_t ctf_skip(struct ctf_stream *);
uint64_t ctf_skip_timed(struct ctf_stream *);
int	 ctf_span(struct ctf_stream *, int64_t *, int64_t *);
void	 ctf_cur(struct ctf_cur *, const struct ctf_stream *);
const struct ctf_who *ctf_whose(const struct ctf_stream *, struct ctf_who *);
/* In a kernel's trace, if threads are known by CPU: the event's; or NULL. */
struct ctf_cpu *ctf_cpu(const struct ctf_stream *);

/* ctf_window.c */
void	 ctf_window_seek(struct ctf_stream *, uint64_t);
void	 ctf_window_limit(struct ctf_stream *, uint64_t);
int	 ctf_window_more(struct ctf_stream *);
int	 ctf_keep(const char *);
void	 ctf_unkeep(int);
void	 ctf_window_close(struct ctf_stream *);
void	 ctf_window_drop(struct ctf_stream *);
int	 ctf_window_is(const struct ctf_stream *, const char *);
int	 ctf_window_holes(const struct ctf_stream *);

/* After ctf_body(): to where the type begins. */
static inline void
ctf_to(struct ctf_cur *c, const struct ctf_type *t)
{
	if (t->align > 8 || c->bit != 0)
		(void)ctf_align(c, t->align);
}

/* After ctf_body(): a number, and past it. */
static inline uint64_t
ctf_take(struct ctf_cur *c, const struct ctf_type *t)
{
	uint64_t v;

	if (t->fixed == 0 || c->bit != 0)
		return ctf_take_bits(c, t);
	v = ctf_load(c->p, t);
	c->p += t->fixed;
	return v;
}

/* The counter's next value, of which the mask's bits are known. */
static inline void
ctf_clock_update(uint64_t *cycles, uint64_t low, uint64_t mask)
{
	low &= mask;
	if (low < (*cycles & mask))
		*cycles += mask + 1;
	*cycles = (*cycles & ~mask) | low;
}

/* How long the event is, with its header. */
static inline uint64_t
ctf_event_bits(const struct ctf_stream *s)
{
	return 8 * (s->off + s->pos - s->at) + s->bit - s->atbit;
}

/* At the stream's place. */
static inline void
ctf_cur_set(struct ctf_cur *c, const struct ctf_stream *s)
{
	c->s = s;
	c->empty = s->empty;
	c->p = s->buf + s->pos;
	c->bit = s->bit;
	c->end = s->buf + s->stop;
}

#endif /* CTF_STREAM_H */
