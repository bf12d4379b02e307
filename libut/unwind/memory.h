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
 * Memory that can be read.
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "rule.h"
#include "unwind.h"

/* A piece of memory that can be read, from the stack pointer up. */
struct piece {
	uintptr_t	 lo;
	uintptr_t	 hi;
	uintptr_t	 stack;		/* the end of what is the stack's */
	uintptr_t	*word;		/* where the thread keeps that part */
};

void	 ut_piece_find(struct piece *, struct unwinder *, uintptr_t,
	    struct budget *);
bool	 ut_piece_grow(struct piece *, uintptr_t, struct budget *);
void	 ut_piece_keep(struct piece *, uintptr_t);

#endif /* MEMORY_H */
