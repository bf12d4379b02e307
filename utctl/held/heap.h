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
 * utctl heap: what is kept of the memory that processes allocate.
 */

#ifndef HEAP_H
#define HEAP_H

#include <stdint.h>

#include "../show/group.h"
#include "../show/intervals.h"
#include "../show/stacks.h"
#include "../sym/process.h"

#define HEAP_TOP	10		/* blocks that are listed */
#define HEAP_AGAIN	64		/* addresses that are remembered */
#define BLOCK_FREED	UINT64_MAX	/* no block has such a size */
#define HEAP_SITE	0x80000000u	/* in a caller that is a site */

/*
 * Squares of the standard errors of sums, if they are estimated from samples:
 * of bytes and blocks that are live, and of all bytes that were allocated.
 */
struct heap_error {
	double		 bytes, blocks, allocated;
};

/* A block that is allocated, or one that was freed lately. */
struct block {
	uint64_t	 address;	/* 0: the entry is not used */
	uint64_t	 size;		/* BLOCK_FREED: freed */
	int64_t		 ns;		/* when it was allocated, or freed */
	uint32_t	 caller;	/* see heap_use */
	int32_t		 thread;	/* the thread that did it */
};

struct blocks {
	struct block	*v;		/* a hash table */
	size_t		 cap;
	size_t		 used, live;
};

/* Blocks that a caller has allocated, or a site: a whole call stack. */
struct heap_use {
	uint32_t	 caller;
	uint64_t	 blocks, bytes;		/* live */
	uint64_t	 largest;		/* live block at the end */
	uint64_t	 calls, allocated;	/* live or not */
	uint64_t	 unknown;		/* freed, not allocated here */
	uint64_t	 temporary;	/* freed by the thread's next call */
	uint64_t	 peak;		/* bytes at the process's peak */
	uint64_t	 peaks;		/* the heap's when peak was noted */
	struct heap_error error;
};

struct heap_uses {
	struct heap_use	*v;			/* by the caller's number */
	size_t		 n;
};

/* The last call of a thread. */
struct heap_thread {
	uint64_t	 n;		/* number; 0: none yet */
	uint64_t	 address;	/* block of the call; or 0 */
};

/* A block that was allocated though it was live: see heap_track.c. */
struct heap_again {
	uint64_t	 address;		/* 0: none */
	uint64_t	 n;			/* the event's number */
};

struct heap {
	struct process	 process;
	const struct heap_run *run;
	struct blocks	 blocks;
	struct heap_uses callers;		/* without a call stack */
	struct heap_uses by_site;
	struct sites	 sites;
	uint64_t	 nblocks, bytes;	/* live */
	uint64_t	 calls, allocated, frees, failed;
	uint64_t	 unknown, twice, unseen;
	uint64_t	 unsure_twice;		/* twice, or events were lost */
	uint64_t	 unsure_blocks;	/* live, or their free was lost */
	uint64_t	 unsure_bytes;		/* bytes of these blocks */
	uint64_t	 temporary;
	uint64_t	 peak;			/* the most bytes at a time */
	uint64_t	 peaks;			/* times that it grew */
	int64_t		 peak_ns;		/* when the peak came */
	uint64_t	 every;		/* bytes of one sample; 0: none */
	struct heap_error error;
	double		 peak_error;		/* error.bytes at the peak */
	struct heap_again again[HEAP_AGAIN];
	size_t		 nagain;
	struct map	 threads;		/* struct heap_thread */
	struct heap_thread *thread;		/* the event's */
	uint64_t	 last;		/* block of the thread's call before */
	struct heap_span *spans;		/* heap_spans.c's, for -i */
	size_t		 nspans;
};

/* A block that is listed. */
struct heap_note {
	int64_t		 rank;			/* the block's size */
	const struct heap *heap;
	struct block	 block;			/* a copy */
	int		 unsure;		/* a free of it may be lost */
	int64_t		 ns;			/* the second free's time */
	uint32_t	 caller;		/* the second free's caller */
	int32_t		 thread;		/* the second free's thread */
};

struct heap_run {
	struct processes processes;
	int		 all;			/* also what is not live */
	int		 graphs;		/* -g: who calls the callers */
	int		 functions;		/* lines do not matter */
	struct intervals intervals;		/* -i */
	struct heap_note ever[HEAP_TOP], live[HEAP_TOP], twice[HEAP_TOP];
	struct top	 top_ever, top_live;
	size_t		 ntwice;
	char		*paths[HEAP_TOP];	/* modules with unseen calls */
	size_t		 npaths;
};

/* heap_track.c */
extern const struct call_kind heap_calls[];
void	 heap_init(struct heap_run *, const struct process_ops *);
void	 heap_release(struct process *);
void	 heap_free(struct heap_run *);
/* Before the numbers of a caller change, and after all. */
void	 heap_use_peak(const struct heap *, struct heap_use *);
void	 heap_call(struct processes *, struct ctf_stream *);
/* The process has ended: what is live now is live at the end. */
void	 heap_end(struct heap_run *, struct heap *);

/* heap_spans.c */
/*
 * The margin of an estimate, given the square of its standard error: the true
 * sum lies so near to it in 19 of 20 cases.
 */
uint64_t heap_margin(double);
/* The numbers of the process have changed at that time. */
void	 heap_note_span(const struct heap_run *, struct heap *, int64_t);
void	 heap_put_spans(const struct heap *);

/* heap_tree.c */
/* The callers that are shown, those with the most bytes first: how many. */
size_t	 heap_rows(struct heap *, struct heap_use **);
/* The caller of a row, or of a block, for the terminal; members of JSON. */
const char *heap_caller_text(const struct heap *, uint32_t, char *);
void	 heap_caller_json(const struct heap *, uint32_t);
/* Add what each caller, or with -g each stack, has to a run of -C. */
void	 heap_compare(struct heap *, struct groups *);
/* The call stacks of a row: a tree below it, or an array of JSON. */
void	 heap_put_stacks(struct heap *, const struct heap_use *);

#endif /* HEAP_H */
