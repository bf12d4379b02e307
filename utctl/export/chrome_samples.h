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
 * utctl export -F chrome: the samples of threads.
 */

#ifndef CHROME_SAMPLES_H
#define CHROME_SAMPLES_H

#include "../show/stacks.h"

/* The samples of a thread so far. */
struct samples {
	uint64_t	 id;		/* the profile's; 0: not begun */
	uint64_t	 nnodes;
	int64_t		 us;		/* the last one's */
};

/* Put the rest of an event: the profile's beginning, and a sample. */
char	*samples_begin(char *, struct samples *, uint64_t, int64_t);
char	*samples_add(char *, struct samples *, const struct site *, int64_t);
void	 samples_free(void);

#endif /* CHROME_SAMPLES_H */
