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
 * The memory of stacks, of which a thread remembers eight pieces that can be
 * read: one for each of eight stacks, or parts of a large one.  A piece begins
 * in a page that the stack pointer was in, and grows upwards, by one question
 * to the system for each page.
 *
 * Memory that can be read is not always the stack's: code that changes the
 * stack pointer by itself may have a rule that leads beyond the end of a stack,
 * where the program has something else, and may free it.  So a walk remembers
 * only what it has seen to be the stack's: up to where there is an address to
 * which a call returns.
 *
 * A piece is one word, the address of its first page and the number of pages:
 * a handler that walks while its thread walks finds a piece or none, and leaves
 * one that is true for the walk that it has interrupted, too.  Each walk has a
 * copy of the piece in use, which stays true whatever becomes of the word.
 */

#include "memory.h"

#if UNWIND_CPU

#include "../common/compat.h"

#define PAGE	((uintptr_t)4096)	/* the smallest that there is */
#define REACH	(256 * PAGE)		/* a larger step up is none */
#define BELOW	(16 * PAGE)		/* how far a piece grows down */

/* All below that address is the stack's, of what can be read. */
void
ut_piece_keep(struct piece *p, uintptr_t end)
{
	uintptr_t n;

	end = (end + PAGE - 1) & ~(PAGE - 1);
	if (end > p->hi)
		end = p->hi;
	if (end <= p->stack)
		return;
	p->stack = end;
	n = (end - p->lo) / PAGE;
	if (n >= PAGE)
		n = PAGE - 1;
	__atomic_store_n(p->word, p->lo | n, __ATOMIC_RELAXED);
}

/* Make known to this walk that all up to that address can be read. */
bool
ut_piece_grow(struct piece *p, uintptr_t at, struct budget *left)
{
	if (at < p->lo || (at >= p->hi && at - p->hi >= REACH))
		return false;
	while (p->hi <= at) {
		if (left->pages == 0 || !ut_readable((const void *)p->hi))
			return false;
		left->pages--;
		p->hi += PAGE;
	}
	return true;
}

/* The piece that the stack pointer is in, of which nothing may be known. */
void
ut_piece_find(struct piece *p, struct unwinder *u, uintptr_t sp,
    struct budget *left)
{
	uintptr_t lo, hi, v;

	p->word = &u->pieces[sp >> 16 & (UNWIND_PIECES - 1)];
	v = __atomic_load_n(p->word, __ATOMIC_RELAXED);
	lo = v & ~(PAGE - 1);
	hi = lo + (v & (PAGE - 1)) * PAGE;
	p->lo = p->hi = p->stack = sp & ~(PAGE - 1);
	if (sp >= lo && sp < hi) {
		p->lo = lo;
		p->hi = p->stack = hi;
	} else if (sp < lo && lo - sp < BELOW &&
	    ut_piece_grow(p, lo - 1, left)) {
		p->hi = hi;
		ut_piece_keep(p, hi);
	}
}

#endif
