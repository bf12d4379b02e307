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
 * The reader of CTF 1.8 and CTF 2, for `utctl view' and others.
 *
 * The metadata is parsed into types (ctf_type.c, ctf_fclass.c) and the classes
 * of streams and events made of them (ctf_meta.c, ctf_fragment.c).  A struct's
 * fields are one flat array that is walked beside the bytes (ctf_walk.c), once
 * to check that they are all there (ctf_read.c) and once to print them
 * (print_field.c): printing therefore need not check anything.  All input is
 * hostile.
 */

#ifndef CTF_H
#define CTF_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "../map.h"

#define CTF_MAGIC	0xc1fc1fc1u	/* first in each packet */
#define CTF_SWAPPED	0xc11ffcc1u	/* magic in the other byte order */
#define CTF_DEPTH	16		/* nested structs and arrays */
#define CTF_NODES	65536		/* per type */
#define CTF_ALLNODES	(32 << 20)	/* in all events */
#define CTF_EMPTY	256		/* per type, that may have no bits */
#define CTF_STEPS	(1 << 26)	/* fields, labels compared */
#define CTF_EMPTIES	65536		/* elements of no bits, and 64 a byte */
#define CTF_LABELS	65536		/* per enum */
#define CTF_NAMES	4096		/* types; clocks and streams */
#define CTF_CLOCKS	64
#define CTF_TEXT	4096		/* bytes of a name, or a string */
#define CTF_METAMAX	(64 << 20)	/* bytes of metadata */
#define CTF_MEMORY	2048		/* MB for the metadata of all traces */
#define CTF_EVENTMAX	(32 << 20)	/* bytes of an event, or a header */
#define CTF_NOPEN	64		/* files open at a time */
#define CTF_HEAD	128		/* bytes that tell files apart */
#define CTF_TIMELEN	128		/* bytes of a time as text */
#define CTF_PARTS	3		/* contexts of stream, event; fields */
#define CTF_CPUS	4096		/* events of others are nobody's */

enum ctf_kind {
	CTF_INT,
	CTF_ENUM,
	CTF_FLOAT,
	CTF_STRING,
	CTF_ARRAY,
	CTF_SEQ,
	CTF_STRUCT,
	CTF_VARIANT			/* CTF 2's optional, too */
};

/* The fields that mean something to the reader. */
enum ctf_role {
	ROLE_NONE,
	ROLE_MAGIC,			/* packet.header */
	ROLE_UUID,
	ROLE_STREAM,
	ROLE_INSTANCE,
	ROLE_BEGIN,			/* packet.context */
	ROLE_END,
	ROLE_CONTENT,
	ROLE_PACKET,
	ROLE_SEQ,
	ROLE_DISCARDED,
	ROLE_ID,			/* event.header */
	ROLE_TIME,
	ROLE_VPID,			/* any context */
	ROLE_VTID,
	ROLE_PROCNAME,
	ROLE_THREAD,			/* packet.context: a name */
	ROLE_CPU,
	ROLE_MAX
};

/* A field whose value is shown as a name, if there is one: symbols.c. */
enum ctf_address {
	ADDRESS_NONE,
	ADDRESS_EXACT,
	ADDRESS_RETURN,			/* behind a call */
	ADDRESS_DATA			/* a variable */
};

enum ctf_order {
	ORDER_NATIVE,			/* the trace's */
	ORDER_LE,
	ORDER_BE
};

struct ctf_clock {
	struct ctf_clock	*next;
	const char		*name;
	uint64_t		 freq;
	uint64_t		 precision;	/* cycles; 0: not told */
	int64_t			 offset_s;
	int64_t			 offset;	/* cycles, added to offset_s */
	int64_t			 base;		/* both, in ns */
	uint64_t		 rest;		/* cycles that base lacks */
	uint64_t		 fast;		/* below: see ctf_ns() */
	struct ctf_dates	*dates;		/* ctf_clock.c's; or NULL */
	double			 error;		/* ns; 0: not known */
};

/*
 * A reading of all clocks of a machine at one instant.  All but cycles,
 * frequency and state is in ns.
 */
struct ctf_point {
	int64_t		 monotonic;
	uint64_t	 cycles;	/* 0: not known */
	int64_t		 boottime;	/* goes on while the machine sleeps */
	int64_t		 realtime;
	int64_t		 ntp_offset;
	int64_t		 ntp_frequency;	/* ppm, times 65536 */
	uint64_t	 ntp_maximum;	/* the largest error */
	uint64_t	 ntp_error;	/* the estimated one */
	int64_t		 ntp_state;	/* -1: not known */
	int64_t		 date;		/* ctf_dates.c: when that was */
};

struct ctf_label {
	const char	*name;
	const char	*text;		/* for print_text.c */
	uint64_t	 lo, hi;	/* signed if the enum is */
	size_t		 option;	/* VARIANT: the index in fields */
};

/* The values of a label that no earlier label has. */
struct ctf_range {
	uint64_t		 lo, hi;	/* in the order of the enum */
	const struct ctf_label	*label;
};

struct ctf_field {
	struct ctf_type	*type;
	const char	*name;		/* without TSDL's leading _ */
	const char	*raw;		/* the metadata have this */
	const char	*key;		/* for print_text.c */
	size_t		 keylen;
	enum ctf_role	 role;
	/*
	 * The value is the length of a sequence, or the tag of a variant, of
	 * the same struct (slot) or elsewhere (outer), and the reader notes it
	 * there in ctf_cur's vals.  0: no.
	 */
	uint32_t	 slot, outer;
	int		 hidden;	/* a length that is named so */
	enum ctf_address address;	/* symbols.c's */
	int		 special;	/* print_text.c's: noted, or address */
	/*
	 * From here on, so many fields take so many bytes whatever they
	 * hold, and hold nothing that the reader wants.
	 */
	uint32_t	 run;
	uint64_t	 runlen;
};

struct ctf_type {
	struct ctf_type		*next;		/* all, newest first */
	enum ctf_kind		 kind;
	uint32_t		 align;		/* bits */
	uint32_t		 most;		/* the largest inside */
	uint32_t		 bits;		/* INT, ENUM, FLOAT */
	uint32_t		 nbytes;	/* theirs, unless isbits */
	uint32_t		 shift;		/* 64 less their bits */
	int			 isbits;	/* not whole bytes at a byte */
	int			 leb;		/* isbits: LEB128, CTF 2's */
	int			 turned;	/* isbits: the bits' order is */
	enum ctf_order		 order;
	int			 big;		/* order, when all is known */
	int			 sign;
	int			 base;
	int			 text;		/* a character, or some */
	int			 wide;		/* UTF-16 or -32: bytes */
	int			 isbool;	/* INT: 1 or 0; isbits */
	int			 ismap;		/* ENUM: labels are of bits */
	const char		*map;		/* the clock's name */
	struct ctf_clock	*clock;
	struct ctf_type		*elem;		/* ARRAY, SEQ; VARIANT: tag */
	uint64_t		 count;		/* ARRAY */
	uint32_t		 slot;		/* SEQ, VARIANT; ctf_field's */
	const char		*path;		/* slot's, if it is absolute */
	int			 optional;	/* VARIANT: or nothing */
	int			 owned;		/* all of it is of one place */
	struct ctf_field	*fields;	/* STRUCT, VARIANT */
	size_t			 nfields;
	struct ctf_label	*labels;	/* ENUM, VARIANT (its tag's) */
	size_t			 nlabels;
	struct ctf_range	*ranges;	/* the labels': ctf_label.c */
	size_t			 nranges;
	/*
	 * Bytes, if it begins at any byte and always has as many; or 0: they
	 * vary, or there are none.
	 */
	uint64_t		 fixed;
	uint64_t		 min;		/* bits, at least */
	uint32_t		 depth;
	uint32_t		 nodes;
	uint32_t		 empty;		/* nodes, perhaps of no bits */
	unsigned long		 line;
};

/* The process and the thread of an event. */
struct ctf_who {
	int	 has;			/* 1 << ROLE_VPID and so on */
	int64_t	 vpid;
	int64_t	 vtid;
	uint64_t cpu;
	char	 name[64];
	char	 thread[64];
};

/* The thread on a CPU of a kernel's trace: ctf_cpu.c's. */
struct ctf_cpu {
	int		 known;
	int64_t		 ns;		/* the last switch's */
	int64_t		 lossy;		/* switches may be lost until then */
	int64_t		 tid;
	char		 name[sizeof(((struct ctf_who *)0)->name)];
};

struct call;
struct ctf_field_at;
struct ctf_filter;
struct ctf_switch;
struct module_at;
struct pair_role;

struct ctf_eclass {
	struct ctf_eclass	*next;
	uint64_t		 id;
	uint64_t		 stream;
	int			 hasstream;	/* stream was told */
	const char		*name;
	const char		*text;		/* for print_text.c */
	size_t			 textlen;
	int			 haslevel;
	int64_t			 level;
	const char		*uri;		/* LTTng's model.emf.uri */
	struct ctf_type		*context;	/* may be NULL, like fields */
	struct ctf_type		*fields;
	int			 isfixed;	/* all after the header is */
	size_t			 fixed;		/* bytes after the header */
	/* select.c's */
	int			 unwanted;
	int			 unfit;		/* for the filter alone */
	struct ctf_filter	*filter;	/* NULL: none */
	struct pair_role	*pairs;		/* pair_role.c's; or NULL */
	struct ctf_field_at	*cpu;		/* columns.c's; NULL: none */
	struct call		*call;		/* call.c's; NULL: none */
	struct module_at	*module;	/* symbols.c's; NULL: none */
	int			 exact;		/* ip is not behind a call */
	struct ctf_switch	*sched;		/* ctf_cpu.c's; NULL: none */
	unsigned long		 line;
};

/* An integer so far into a struct; or type is NULL: there is none. */
struct ctf_place {
	const struct ctf_type	*type;
	size_t			 off;
};

struct ctf_sclass {
	struct ctf_sclass	*next;
	uint64_t		 id;
	struct ctf_type		*header;	/* event.header */
	struct ctf_type		*packet;	/* packet.context */
	struct ctf_type		*context;	/* event.context */
	struct ctf_clock	*clock;		/* may be NULL */
	struct ctf_clock	*endclock;	/* timestamp_end's */
	uint32_t		 beginbits;	/* timestamp_begin */
	uint32_t		 endbits;
	int			 who;		/* roles in both, as bits */
	int			 eventwho;	/* see ctf_whose() */
	int			 bycpu;		/* the CPU tells whose */
	int			 needed;	/* by others, as modules are */
	size_t			 headlen;	/* bytes, 0 if they vary */
	struct ctf_place	 headid;	/* unless headlen is 0 */
	struct ctf_place	 headtime;
	/*
	 * LTTng's headers: ID and time are in one little-endian integer of
	 * shortlen bytes; an ID of at least longid says that more follows.
	 */
	size_t			 shortlen;	/* 0: no such header */
	uint32_t		 idbits, timebits;
	uint64_t		 longid;
	struct ctf_eclass	**events;	/* sorted by ID */
	size_t			 nevents;
	unsigned long		 line;
};

struct ctf_alias {
	struct ctf_alias	*next;		/* older, of the same key */
	struct ctf_alias	*older;		/* any name's */
	int			 gone;		/* the scope was left */
	const char		*name;
	struct ctf_type		*type;
};

struct ctf_chunk {
	struct ctf_chunk	*next;
	size_t			 used, size;
	max_align_t		 data[];
};

struct ctf_trace {
	struct ctf_trace	*next;
	char			*file;		/* the metadata's path */
	const char		*unit;		/* line, or fragment */
	dev_t			 dev;		/* the metadata file's */
	ino_t			 ino;
	int			 away;		/* looks that missed it */
	time_t			 mtime;		/* at the last look */
	off_t			 size;
	struct ctf_chunk	*chunks;
	struct ctf_type		*types;
	struct map		 aliases;	/* by their names */
	struct ctf_alias	*newest;
	struct ctf_clock	*clocks;
	size_t			 nclocks;
	struct ctf_sclass	*sclasses;
	struct map		 byid;		/* sclasses by their IDs */
	struct ctf_eclass	*events;
	size_t			 nnames;
	uint32_t		 nslots;	/* the last slot of a field */
	int			 haspaths;	/* some types have: see path */
	uint64_t		 steps;		/* searches for slots took */
	int			 hastrace;	/* a trace block was seen */
	int			 roles;		/* metadata tells them: CTF 2 */
	int			 big;
	struct ctf_type		*header;	/* packet.header */
	int			 hasuuid;
	uint8_t			 uuid[16];
	int			 ours;		/* libut's, by env */
	int			 lttng;		/* LTTng-UST's */
	int			 kernel;
	struct ctf_cpu		*cpus;		/* ctf_cpu.c's; or NULL */
	struct ctf_who		 who;		/* from env */
	const char		*host;		/* from env; NULL: not known */
	const char		*label;		/* host, or NULL: ctf_find.c */
	/*
	 * A hash of all of env: with the time when the session was created in
	 * it, the same for all chunks of a trace, and for no others.  If env
	 * lacks that time, the hash is also of the UUID, or else of the path.
	 */
	uint64_t		 origin;
	int			 hasorigin;
	/* A hash of host, name and time of creation: see ctf_dates.c. */
	uint64_t		 session;
	char			*points_file;	/* NULL: none */
	struct ctf_point	*points;	/* sorted by boottime */
	size_t			 npoints;
	uid_t			 owner;		/* the owner of that file */
};

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

struct ctf_stream;

/* Where we are in a packet's bytes. */
struct ctf_cur {
	const uint8_t	*p, *end;
	unsigned int	 bit;		/* where in *p, in its bit order */
	uint64_t	 empty;		/* elements of no bits so far */
	const struct ctf_stream *s;	/* the stream that p is in */
	struct ctf_vals	*found;		/* NULL: roles are not wanted */
};

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

	/* Losses that were not told yet. */
	int			 discards;	/* some are, or may be */
	uint64_t		 ndiscarded;	/* 0: not known */
	int64_t			 from, to;
	uint64_t		 nlost;
	int64_t			 lostfrom, lost;
	/*
	 * Any events between these times are missing.  If the first packet is
	 * not the stream's first, older ones were removed or overwritten, and
	 * gonefrom is INT64_MIN; or events were not recorded for a time.
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

	/* select.c's: is the packet at whopkt of a wanted program? */
	int			 whoknown, whofits;
	uint64_t		 whopkt;
	int			 wanted;	/* is the event wanted? */
	int			 refused;	/* by -f alone; see reader.h */

	/* print_text.c's: who, as it writes that in the packet there. */
	char			 prefix[512];
	size_t			 prefixlen;	/* 0: not yet */
	uint64_t		 prefixpkt;
};

/* ctf_damage.c */
void	 ctf_damage(const char *, const char *, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
void	 ctf_warn(const char *, const char *, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
unsigned long ctf_damaged(void);	/* how often so far */
void	 ctf_damage_hush(int);
/* A function for lines: number, and is it damage, or a warning? */
typedef void	 ctf_damage_fn(uint64_t, int, const char *);
void	 ctf_damage_to(ctf_damage_fn *);
void	 ctf_damage_once(uint64_t);
void	 ctf_damage_line(int, const char *);
unsigned long ctf_damage_lines(void);
void	 ctf_damage_forget(unsigned long);
void	 ctf_damage_say(void);

/* ctf_class.c */
int	 ctf_finish(struct ctf_trace *);

/* ctf_open.c */
struct ctf_trace *ctf_open(char *);
void	 ctf_close(struct ctf_trace *);

/* ctf_meta.c */
/* A number that tells processes apart, as far as their traces do. */
uint64_t ctf_process(const struct ctf_trace *, const struct ctf_who *);

/* ctf_lex.c */
void	*ctf_alloc(struct ctf_trace *, size_t);
void	 ctf_alloc_free(struct ctf_trace *);
char	*ctf_strdup(struct ctf_trace *, const char *, size_t);

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
double	 ctf_real(const struct ctf_type *, uint64_t);

/* ctf_cpu.c */
void	 ctf_cpu_trace(struct ctf_trace *);
void	 ctf_cpu_clear(const struct ctf_trace *);
/* Before and after the event: it is a switch, from a thread to the next. */
void	 ctf_cpu_switch(const struct ctf_stream *, int);
/* Switches may be lost: the stream's item tells of them. */
void	 ctf_cpu_lose(const struct ctf_stream *);

/* ctf_text.c */
int	 ctf_istext(const struct ctf_type *);
/* A character as UTF-8, of up to 4 bytes; returns the place behind. */
uint8_t	*ctf_put_char(uint8_t *, uint32_t);
uint32_t ctf_unit(const uint8_t *, const struct ctf_type *);
const uint8_t *ctf_narrow(const uint8_t *, const uint8_t *,
	    const struct ctf_type *, size_t *);

/* ctf_label.c */
void	 ctf_label_sort(struct ctf_trace *, struct ctf_type *);
const struct ctf_label *ctf_label(const struct ctf_type *, uint64_t);

/* ctf_clock.c */
int64_t	 ctf_clock_ns(const struct ctf_clock *, uint64_t);
void	 ctf_clock_dates(const struct ctf_trace *);

/* ctf_points.c */
int	 ctf_points_here(const struct ctf_trace *, const char *);
void	 ctf_points_read(struct ctf_trace *, const char *);

/* ctf_find.c: the name, with the host in front of it, if it is given. */
char	*host_name(const char *, const char *);

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
int	 ctf_peek(struct ctf_stream *);
/* Until when events were lost, or are gone, of which the item tells. */
int64_t	 ctf_lost_until(const struct ctf_stream *);
int	 ctf_again(struct ctf_stream *, const struct ctf_trace *, int);
int	 ctf_body(struct ctf_stream *);
uint64_t ctf_skip(struct ctf_stream *);
int	 ctf_span(struct ctf_stream *, int64_t *, int64_t *);
void	 ctf_cur(struct ctf_cur *, const struct ctf_stream *);
const struct ctf_who *ctf_whose(const struct ctf_stream *, struct ctf_who *);
/* In a kernel's trace, if threads are known by CPU: the event's; or NULL. */
struct ctf_cpu *ctf_cpu(const struct ctf_stream *);

/* ctf_window.c */
void	 ctf_window_seek(struct ctf_stream *, uint64_t);
void	 ctf_window_limit(struct ctf_stream *, uint64_t);
int	 ctf_window_more(struct ctf_stream *);
void	 ctf_window_close(struct ctf_stream *);
void	 ctf_window_drop(struct ctf_stream *);
int	 ctf_window_is(const struct ctf_stream *, const char *);
int	 ctf_window_holes(const struct ctf_stream *);

/* ctf_num.c */
char	*ctf_put_digits(char *, uint64_t, size_t);
char	*ctf_put_u64(char *, uint64_t);
char	*ctf_put_i64(char *, int64_t);
char	*ctf_put_real(char *, double, int);

/* ctf_time.c */
extern int	 ctf_time_iso;		/* a date has a T in it */
char	*put_time(char *, int64_t);
char	*put_zone(char *);
char	*put_utc(char *, int64_t);
char	*put_seconds(char *, int64_t);
char	*put_us(char *, int64_t);
void	 ctf_print_time(int64_t, char *);	/* CTF_TIMELEN bytes */

/* The class of streams with that ID; or NULL. */
static inline struct ctf_sclass *
ctf_sclass(const struct ctf_trace *tr, uint64_t id)
{
	return map_get(&tr->byid, id);
}

/* The date of an event, in ns. */
static inline int64_t
ctf_ns(const struct ctf_clock *cl, uint64_t cycles)
{
	if (cl != NULL && cycles < cl->fast)
		return cl->base + (int64_t)(cycles + cl->rest);
	return ctf_clock_ns(cl, cycles);
}

/*
 * Eight bytes, of which the integer is the first: whoever fills a buffer
 * leaves eight bytes of room behind it, one more for what begins in a bit.
 */
static inline uint64_t
ctf_load(const uint8_t *p, const struct ctf_type *t)
{
	uint64_t v;

	if (t->big) {
		v = (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
		    (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
		    (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
		    (uint64_t)p[6] << 8 | (uint64_t)p[7];
		v >>= t->shift;
	} else {
		v = (uint64_t)p[7] << 56 | (uint64_t)p[6] << 48 |
		    (uint64_t)p[5] << 40 | (uint64_t)p[4] << 32 |
		    (uint64_t)p[3] << 24 | (uint64_t)p[2] << 16 |
		    (uint64_t)p[1] << 8 | (uint64_t)p[0];
		v = v << t->shift >> t->shift;
	}
	if (t->sign && v >> (63 - t->shift) != 0)
		v |= ~(UINT64_MAX >> t->shift);
	return v;
}

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

/* The counter's next value, of which these are the low bits. */
static inline void
ctf_clock_update(uint64_t *cycles, uint64_t low, uint32_t bits)
{
	uint64_t mask = UINT64_MAX >> (64 - bits);

	low &= mask;
	if (bits < 64 && low < (*cycles & mask))
		*cycles += mask + 1;
	*cycles = (*cycles & ~mask) | low;
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

#endif /* CTF_H */
