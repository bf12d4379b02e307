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
 * Calls of the allocator before they can be recorded.
 */

#ifndef EARLY_H
#define EARLY_H

#include <stdbool.h>
#include <stddef.h>

#define NFUNCTIONS	(PVALLOC + 1)

/* One call of the program's. */
struct call {
	enum function {
		NO_FUNCTION,
		MALLOC,
		CALLOC,
		REALLOC,
		REALLOCARRAY,
		FREE,
		POSIX_MEMALIGN,
		ALIGNED_ALLOC,
		MEMALIGN,
		VALLOC,
		PVALLOC
	}		 function;
	int		 result;	/* result of POSIX_MEMALIGN */
	const void	*old;		/* argument of realloc(3) */
	size_t		 count;		/* count, or the alignment */
	size_t		 size;
	const void	*ptr;		/* memory allocated or freed */
	const void	*caller;
};

extern bool early_over;		/* nothing is kept any more */

bool	early_keep(const struct call *);
void	early_end(void (*)(const struct call *),
	    void (*)(enum function, size_t));

#endif /* EARLY_H */
