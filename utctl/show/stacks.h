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
 * Call stacks for whoever shows them: the frames by name (stacks.c).
 */

#ifndef STACKS_H
#define STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf_stack.h"

/* A function of a stack: strings as those of struct place. */
struct frame {
	uint64_t	 address;
	const char	*function;	/* NULL: no name is known, or wanted */
	const char	*file;		/* NULL: not known */
	const char	*module;	/* NULL: not known, or in the name */
	unsigned int	 line;
	int		 inlined;	/* is it part of the next frame? */
};

/*
 * The functions of a stack of the event, the innermost first, as its process
 * has them now; none if the stack is NULL.  Good until the next call.
 */
size_t	 stack_frames(const struct ctf_stream *, const struct stack *,
	    const struct frame **);

#endif /* STACKS_H */
