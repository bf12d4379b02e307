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
 * The wrappers of the allocator's functions in C and of the operators of C++
 * share these.
 */

#ifndef ALLOC_H
#define ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "early.h"
#include "wrap.h"

/*
 * The thread's call, of which only the outermost is recorded: its frame, or 0
 * without one; and how many calls there were within it.  Beside it, for they
 * are used together: how many bytes are left up to the next sample.
 */
struct alloc_call {
	uintptr_t	 frame;
	unsigned int	 within;
	uint64_t	 left;
};
extern PER_THREAD struct alloc_call alloc_call;

bool	 alloc_left(uintptr_t, const void *);

/* Begin a call: does the program make it? */
static inline bool
alloc_enter(const void *frame, const void *caller)
{
	if (UT_UNLIKELY(alloc_call.frame != 0) &&
	    !alloc_left((uintptr_t)frame, caller))
		return false;
	alloc_call.frame = (uintptr_t)frame;
	alloc_call.within = 0;
	return true;
}

#define ENTER()		alloc_enter(__builtin_frame_address(0), UT_CALLER())

/* End the call, with what alloc_enter said. */
static inline void
alloc_leave(bool outer)
{
	if (UT_LIKELY(outer))
		alloc_call.frame = 0;
}

/*
 * sample.c: samples of allocations.  A cell counts the sampled blocks of its
 * buckets, so that the other blocks are freed at the cost of one look.
 */
#define SAMPLE_CELLS	4096
#define SAMPLE_BUCKETS	4		/* buckets of a cell */

extern struct ut_module sample_events;
extern uint32_t	 sample_every;		/* bytes; 0: each call is recorded */
extern uint8_t	 sample_cells[SAMPLE_CELLS];

void		 sample_begin(void);
bool		 sample_due(void);
/* Count a call, and record it if it is a sample. */
void		 sample_call(const struct call *);
/* The mark of a block that is a sample; 0: it is none. */
uintptr_t	 sample_mark(const void *);
/* Record that a sample is freed, if it has that mark still; 0: any. */
void		 sample_free(const void *, uintptr_t, const void *);
/* So many calls could not be counted. */
void		 sample_missed(size_t);

static inline size_t
sample_hash(const void *ptr)
{
	return (size_t)((uintptr_t)ptr * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
	    (SAMPLE_CELLS * SAMPLE_BUCKETS);
}

/* May the block be a sample? */
static inline bool
sample_has(const void *ptr)
{
	return UT_UNLIKELY(sample_every != 0) &&
	    UT_UNLIKELY(__atomic_load_n(&sample_cells[sample_hash(ptr) /
	    SAMPLE_BUCKETS], __ATOMIC_RELAXED) != 0);
}

/* Count bytes: is a sample due? */
static inline bool
alloc_due(size_t size)
{
	if (UT_UNLIKELY(size > alloc_call.left))
		return sample_due();
	alloc_call.left -= size;
	return false;
}

/* malloc.c: the operators were looked up. */
void		 alloc_modules(void);
/* malloc.c: is it our malloc that the program calls? */
bool		 alloc_ours(void);
/* malloc.c: record an operator's call: alignment or 0, size, block, caller. */
void		 alloc_operator(enum function, size_t, size_t, const void *,
		    const void *);

/* operator.c: look up the operators behind ours. */
void		 operator_find(void);
/* Addresses in the libraries whose operators are recorded, or NULL. */
void		 operator_modules(const void *[2]);
/* One of our operators new, if it leads to that of the C++ library, or NULL. */
#define OPERATORS_NEW	8
void		*operator_cxx(size_t);

/* unseen.c: record whose calls do not come here. */
void		 unseen_begin(void);
void		 unseen_look(void);

#endif /* ALLOC_H */
