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
 * utctl report: what a page shows.  It is collected in bounded memory, on a
 * grid of time that grows coarser as the trace grows longer; single bars are
 * kept of what is longest.
 */

#ifndef PAGE_H
#define PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/reader.h"
#include "../held/locks.h"
#include "../map.h"
#include "../show/hist.h"
#include "../show/pair.h"
#include "../show/reread.h"
#include "../show/rows.h"

#define PAGE_SLOTS	512		/* in the grid */
#define PAGE_HEAT	128		/* slots of a heat map */
#define PAGE_ROWS	80		/* half octaves in a heat map */
#define PAGE_EVENTS	1024		/* with rows of their own; pairs, too */
#define PAGE_CHARTS	24		/* events, and pairs, with charts */
#define PAGE_TRACKS	128		/* threads with a row of their own */
#define PAGE_LISTED	2000		/* threads that have a name */
#define PAGE_BARS	40000		/* spans that are drawn one by one */
#define PAGE_LOCKS	15000		/* waits and holds, likewise */
#define PAGE_PINS	15000		/* longest spans of a slot, likewise */
#define PAGE_INSTANTS	10000		/* events of no pair, likewise */
#define PAGE_DEEP	256		/* frames of a stack of pairs */
#define PAGE_FIELDS	160		/* bytes of an event's fields */
#define PAGE_KEPT	(4 << 20)	/* bytes of them, of all open pairs */
#define PAGE_SLOWEST	20
#define PAGE_LOSSES	500
#define PAGE_NODES	4000		/* parts of a flame graph */
#define PAGE_TEXT	200		/* bytes of a name */
#define PAGE_TEXTS	1000000		/* bytes of all: others are short */
#define PAGE_SHORT	48
#define PAGE_FLAMED	250000		/* bytes of a flame graph, about */
#define PAGE_BYTES	3900000		/* a page has at most about so many */
#define PAGE_LEAST	1000		/* bars of a kind, even so */
#define PAGE_BAR	32		/* bytes of a bar, about */

/* A part of a flame graph. */
struct flame {
	struct flame	*next;		/* the next one in the same parent */
	struct flame	*child;
	const char	*name;		/* equal ones are one */
	uint64_t	 self, total;
};

/* A graph: the root has no name. */
struct flames {
	struct flame	 root;
	struct flame	*others;	/* programs, when there are too many */
	const char	*title, *unit;
	struct map	 parts;		/* by parent and name */
	struct map	 names;		/* numbers of those that were put */
	size_t		 before;	/* bytes of the page before it */
};

struct page_event {
	char		*name;
	uint64_t	 n, bits;	/* events, and how long they are */
	int64_t		 first, last;
	uint32_t	 number;
	int		 drawn;		/* a part of a pair, lock or heap */
	uint64_t	 undrawn;	/* events of threads that have no row */
	uint32_t	 slots[PAGE_SLOTS];
};

struct page_pair {
	char		*name;
	const char	*pair;		/* name of the pair of a function */
	struct hist	 hist;
	int64_t		 total, self;
	uint64_t	 unended, open;
	int		 keyed;		/* pairs may overlap in a thread */
	int		 drawn;		/* one of the greatest totals */
	uint32_t	*heat[PAGE_ROWS];	/* PAGE_HEAT slots each */
	uint32_t	 number;
};

/*
 * A span, a wait or a hold; or an instant, which instead of a length has less
 * than 0, and the less the more there are: so the rarest are kept.
 */
struct page_bar {
	int64_t		 took;		/* less than 0: see below */
	int64_t		 begin;
	uint32_t	 track, what;
	int32_t		 row;		/* depth; or one of these below */
	uint32_t	 by;		/* the holder's track + 1, or 0 */
};

#define PAGE_WAIT	-1
#define PAGE_HOLD	-2
#define PAGE_KEYED	-3		/* in a row that is free */

struct page_bars {
	struct page_bar	*v;		/* twice as many as are kept */
	size_t		 n, most;
	uint64_t	 all;
	int		 cut;		/* there were too many: */
	int64_t		 least;		/* only longer ones are kept */
};

/* A thread's events in each slot, and the longest span of each few. */
struct page_cells {
	uint32_t	 n[PAGE_SLOTS];
	struct page_bar	 longest[PAGE_HEAT];
};

/* A pair that is open in a thread. */
struct page_open {
	struct flame	*node;
	char		*fields;
};

struct page_track {
	uint32_t	 number;
	uint64_t	 process;	/* key of the process */
	char		*host;		/* NULL: there is but one */
	int64_t		 vpid, vtid;
	char		 name[64], thread[64];
	uint64_t	 n, lost;	/* events */
	int64_t		 last;		/* time of the last event */
	uint64_t	 busy;		/* ns in spans */
	uint64_t	 waited;	/* ns, for locks */
	struct page_cells *cells;	/* NULL: not drawn */
	struct page_open *open;
	size_t		 room;
};

struct page_slow {
	int64_t		 took;		/* first: see struct top */
	int64_t		 self, begin;
	const struct page_pair *pair;
	const struct page_track *track;
	struct event_place place;	/* the event that began it */
	int64_t		 at;		/* the time of that event */
	char		 fields[PAGE_FIELDS];	/* "": not known yet */
};

struct page_loss {
	int64_t		 from, to;
	uint64_t	 n, times;	/* this often: near ones may be one */
	int		 kind;
	int64_t		 track;		/* number, or LOSS_ANY */
};

#define LOSS_ANY	-1		/* several threads, or unknown ones */
enum { LOSS_EVENTS, LOSS_PACKETS, LOSS_GONE, LOSS_KINDS };

struct page_list {
	void		**v;
	size_t		 n, room;
	struct map	 map;
};

struct page {
	struct pairs	 pairs;
	int64_t		 begin, end;	/* INT64_MIN: no event yet */
	int		 shift;		/* a slot has so many bits of ns */
	struct page_list events, spans, tracks, names;
	struct map	 classes;	/* to events */
	const struct ctf_stream *stream;	/* the packet of track */
	uint64_t	 pkt;
	struct page_track *track;
	struct page_bars bars, lock_bars, instants;
	struct page_slow slow[PAGE_SLOWEST];
	struct top	 top;
	struct page_loss losses[PAGE_LOSSES];
	size_t		 nlosses;
	int64_t		 near;		/* ns: losses so near are one */
	struct flames	 flame;
	size_t		 kept;		/* bytes of fields of open pairs */
	size_t		 texts;		/* bytes put so far */
	int		 cut;		/* names are short, as they were many */
	int		 has_heap, has_locks, has_samples;
};

extern struct page page;

/* page_grid.c */
/* The slot of a time, of so many in the grid. */
size_t	 page_slot(int64_t, size_t);
/* An event of that time comes: the grid reaches so far. */
void	 page_reach(int64_t);
/* A call began then, of which its end alone tells. */
void	 page_reach_back(int64_t);
/*
 * The track of a thread of the process with that key; a new track has that host
 * and that process ID.
 */
struct page_track *page_track(uint64_t, int64_t, const char *, int64_t);
/* The track of that thread of the trace. */
struct page_track *page_track_whose(const struct ctf_stream *,
	    const struct ctf_who *);
/* The track of the event's thread. */
struct page_track *page_track_of(const struct ctf_stream *);
struct page_event *page_event_of(const struct ctf_stream *);
void	 page_bar(struct page_bars *, const struct page_bar *);
/* Only the longest are kept, in the order of time. */
void	 page_bars_sort(struct page_bars *);
/*
 * The element of that name in a list, of so many bytes if it is new.  If there
 * is no room for a new one, the element is that of the other name, unless this
 * is NULL.
 */
void	*page_named(struct page_list *, const char *, size_t, const char *);
void	 page_list_add(struct page_list *, uint64_t, void *);

/* page_pairs.c */
extern const struct pair_ops page_pair_ops;
/* An event of pairs: that is a frame, perhaps, or ends one. */
void	 page_pairs_event(const struct ctf_stream *, enum pair_fit);

/* Read the fields of the slowest pairs that were not kept. */
void	 page_pairs_fields(const struct reread *);

/* page_flame.c */
/* The one copy of a name. */
const char *flame_name(const char *);
/* The part of that name, of which there is one copy, in another part. */
struct flame *flame_child(struct flames *, struct flame *, const char *);
void	 flame_put(struct flames *);
void	 flame_free(struct flames *);
/* Add a value to a program's stack. */
void	 flame_site(struct flames *, const char *, const struct site *,
	    uint64_t);
/* Samples by stack. */
void	 page_samples(struct reader *, struct reader_dir *);
/* The functions that had the CPU, of samples that were read. */
void	 page_put_cpu(void);

/* page_heap.c: read the traces again, and put what is found. */
void	 page_heap(struct reader *, struct reader_dir *);

/* page_locks.c: read the traces again; put what was found. */
void	 page_locks(struct reader *, struct reader_dir *);
void	 page_put_locks(void);

/* page_put.c: the text of JSON, fit to be in HTML; ns after the beginning. */
void	 page_text(const char *, const char *);
void	 page_put_ns(const char *, int64_t);
/* The members that tell which process it is; the name of the first. */
void	 page_process(const char *, const struct process *);
void	 page_head(void);
void	 page_put(const struct reader *);
void	 page_put_bars(void);
void	 page_tail(void);
void	 page_list_free(struct page_list *);
void	 page_free(void);

/* page_bytes.c, which the Makefile makes. */
extern const unsigned char page_css[], page_js[];
extern const size_t page_css_len, page_js_len;

#endif /* PAGE_H */
