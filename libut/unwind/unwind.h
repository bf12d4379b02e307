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
 * Call stacks, from the tables that compilers make for exceptions (.eh_frame):
 * who has called, without frame pointers.
 *
 * Nothing here allocates, locks or, once warm, calls the system, except for
 * ut_unwind_changed: a stack can be taken in a signal handler, in the child of
 * a fork, and while another thread loads libraries.  A handler may interrupt a
 * walk and walk itself with the same struct unwinder: see memory.c.
 *
 * Linux on x86-64, i386 and aarch64, and NetBSD on x86-64.  Elsewhere a stack
 * is the caller alone, and cut.
 */

#ifndef UNWIND_H
#define UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/context.h"

#define UNWIND_MAX	CONTEXT_DEEPEST
#define UNWIND_PIECES	8

/*
 * A thread's knowledge of its memory; all zeros to begin with, as after
 * ut_unwind_forget, which has to be called for a struct that another thread
 * gets.
 */
struct unwinder {
	uintptr_t	 pieces[UNWIND_PIECES];
};

/* A stack: return addresses, innermost first. */
struct unwound {
	uintptr_t	*frames;	/* the caller's: room for max */
	uint32_t	 max;		/* 1 to UNWIND_MAX */
	uint32_t	 n;
	uint32_t	 end;		/* UNWIND_ */
	uint64_t	 hash;		/* made of frames and end; never 0 */
};

/*
 * The stack of the calling function.  The frames inside of the call that
 * returns to `from' are left out; if there is no such call, from is the only
 * frame.  If from is 0, those of libut.so are left out.
 */
void	 ut_unwind_here(struct unwinder *, uintptr_t from, struct unwound *);
/*
 * The stack of the place that a signal has interrupted, by the third argument
 * of its handler.  The first frame is the place itself.
 */
void	 ut_unwind_context(struct unwinder *, const void *, struct unwound *);
/*
 * Forget what is known of memory, at each sub-buffer claimed: stacks of
 * coroutines come and go.  So do libraries, and perhaps nobody has told of it:
 * rules of those that the linker does not have any more are forgotten, too.
 */
void	 ut_unwind_forget(struct unwinder *);
/*
 * Read the list of modules anew: before the first stack, and when modules have
 * come or gone.  Under ut_lock, not in handlers: it takes the linker's lock.
 */
void	 ut_unwind_changed(void);
/* Was that ever called? */
bool	 ut_unwind_used(void);
/* A module has gone, and the list is not read: what is known of code is old. */
void	 ut_unwind_gone(void);

#endif /* UNWIND_H */
