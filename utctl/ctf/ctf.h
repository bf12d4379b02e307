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
#include "meta/ctf_type.h"

#define CTF_ALLNODES	(32 << 20)	/* in all events */
#define CTF_STEPS	(1 << 26)	/* fields, labels compared */
#define CTF_NAMES	4096		/* types; clocks and streams */
#define CTF_CLOCKS	64
#define CTF_TEXT	4096		/* bytes of a name, or a string */
#define CTF_METAMAX	(64 << 20)	/* bytes of metadata */
#define CTF_MEMORY	2048		/* MB for the metadata of all traces */
#define CTF_NOPEN	64		/* files open at a time */
#define CTF_TIMELEN	128		/* bytes of a time as text */
#define CTF_RATE	INT64_C(1000000000000000)
#define CTF_RATE_MAX	(CTF_RATE / 10)	/* no clock drifts so much */
#define CTF_PARTS	3		/* contexts of stream, event; fields */
#define CTF_PIECES	8		/* see struct ctf_eclass */
#define CTF_CPUS	4096		/* events of others are nobody's */
#define CTF_NOBODY	INT32_MIN	/* the ID of no process, or thread */
#define CTF_AGE		INT64_C(9000000000)	/* seconds from 1970 */

struct ctf_move;

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
	const struct ctf_move	*drift;		/* NULL: base has it all */
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

/* How dates are moved: by ns, and the rate times the time since a date. */
struct ctf_move {
	int64_t		 ns;
	int64_t		 rate;		/* 1 / CTF_RATE */
	int64_t		 from;		/* not moved; 0 if the rate is 0 */
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
struct stack_at;

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
	/*
	 * All after the header, if that is bytes of a fixed number and strings
	 * between them: so many bytes before each string, and at the end.
	 */
	size_t			 npieces;	/* 0: it is not so */
	uint64_t		 pieces[CTF_PIECES];
	/* select.c's */
	int			 unwanted;
	int			 unfit;		/* for the filter alone */
	struct ctf_filter	*filter;	/* NULL: none */
	struct pair_role	*pairs;		/* pair_role.c's; or NULL */
	struct ctf_field_at	*cpu;		/* columns.c's; NULL: none */
	struct call		*call;		/* call.c's; NULL: none */
	struct module_at	*module;	/* symbols.c's; NULL: none */
	int			 exact;		/* ip is not behind a call */
	struct stack_at		*stack;		/* ctf_stack.c's; NULL: none */
	int			 noted;		/* the reader does, in turn */
	struct ctf_switch	*sched;		/* ctf_cpu.c's; NULL: none */
	unsigned long		 line;
};

/* An integer so far into a header, as it is in the eight bytes there. */
struct ctf_bits {
	size_t			 off;
	uint32_t		 shift;
	uint64_t		 mask;		/* 0: there is none */
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
	int			 headbig;	/* unless headlen is 0 */
	struct ctf_bits		 headid;
	struct ctf_bits		 headtime;
	uint64_t		 longid;	/* from this on it is longer */
	struct ctf_eclass	**events;	/* sorted by ID */
	size_t			 nevents;
	unsigned long		 line;
};

struct ctf_alias {
	struct ctf_alias	*next;		/* older, of the same key */
	struct ctf_alias	*older;		/* any name's */
	unsigned int		 depth;		/* scopes around it */
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
	struct map		 env;		/* numbers, by their names */
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
	int			 stacks;	/* events define some */
	int			 kernel;
	struct ctf_cpu		*cpus;		/* ctf_cpu.c's; or NULL */
	struct ctf_who		 who;		/* from env */
	const char		*host;		/* from env; NULL: not known */
	const char		*boot_id;	/* from env, too */
	const char		*session_name;	/* from env, too */
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
	int			 kept, kept_points;	/* stay open; or -1 */
	int			 headless;	/* chunks before are gone */
	struct ctf_point	*points;	/* sorted by boottime */
	size_t			 npoints;
	uid_t			 owner;		/* the owner of that file */
	struct ctf_move		 moved;
	size_t			 dir;		/* see struct reader */
	/* print_text.c's: members of JSON that tell where it is from. */
	const char		*source;
	size_t			 sourcelen;
};

/* ctf_damage.c */
void	 ctf_damage(const char *, const char *, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
void	 ctf_warn(const char *, const char *, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
/* By errno: damage, or what was there is gone; how often was that? */
void	 ctf_missed(const char *);
unsigned long ctf_nmissed(void);
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
struct ctf_clock *ctf_clock_find(const struct ctf_trace *, const char *);

/* ctf_open.c */
struct ctf_trace *ctf_open(char *, const struct ctf_move *);
void	 ctf_close(struct ctf_trace *);

/* ctf_meta.c */
/* A number that tells processes apart, as far as their traces do. */
uint64_t ctf_process(const struct ctf_trace *, const struct ctf_who *);

/* ctf_lex.c */
void	*ctf_alloc(struct ctf_trace *, size_t);
void	 ctf_alloc_free(struct ctf_trace *);
char	*ctf_strdup(struct ctf_trace *, const char *, size_t);

/* ctf_cpu.c */
void	 ctf_cpu_trace(struct ctf_trace *);
void	 ctf_cpu_clear(const struct ctf_trace *);

/* ctf_label.c */
void	 ctf_label_sort(struct ctf_trace *, struct ctf_type *);

/* ctf_clock.c */
int64_t	 ctf_clock_ns(const struct ctf_clock *, uint64_t);
void	 ctf_clock_dates(const struct ctf_trace *);
/* Add the drift to a date that was moved by ns. */
int64_t	 ctf_drift(const struct ctf_move *, int64_t);

/* ctf_points.c */
int	 ctf_points_here(const struct ctf_trace *, const char *);
void	 ctf_points_read(struct ctf_trace *, const char *);

/* ctf_find.c: the name, with the host in front of it, if it is given. */
char	*host_name(const char *, const char *);

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
char	*ctf_print_seconds(int64_t, char *);	/* with their sign; the text */
void	 ctf_print_time(int64_t, char *);	/* CTF_TIMELEN bytes */
char	*ctf_print_move(const struct ctf_move *, char *);	/* the text */

static inline int
ctf_moves(const struct ctf_move *m)
{
	return m->ns != 0 || m->rate != 0;
}

/* The class of streams with that ID; or NULL. */
static inline struct ctf_sclass *
ctf_sclass(const struct ctf_trace *tr, uint64_t id)
{
	return map_get(&tr->byid, id);
}

/* The ID of that role, or CTF_NOBODY: it is not known. */
static inline int64_t
ctf_who_id(const struct ctf_who *who, enum ctf_role role)
{
	if ((who->has & 1 << role) == 0)
		return CTF_NOBODY;
	return role == ROLE_VPID ? who->vpid : who->vtid;
}

/* The date of an event, in ns. */
static inline int64_t
ctf_ns(const struct ctf_clock *cl, uint64_t cycles)
{
	if (cl != NULL && cycles < cl->fast)
		return cl->base + (int64_t)(cycles + cl->rest);
	return ctf_clock_ns(cl, cycles);
}

#endif /* CTF_H */
