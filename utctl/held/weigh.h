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
 * Weights of call stacks, for the exports that have a number for each.
 */

#ifndef WEIGH_H
#define WEIGH_H

#include "../show/pair.h"
#include "../show/stacks.h"

#define WEIGH_VALUES	4

enum weight {
	WEIGH_EVENTS,		/* how many events; ns of samples */
	WEIGH_BLOCKS,		/* live at the end; bytes; calls; their bytes */
	WEIGH_BYTES,		/* has the values of WEIGH_BLOCKS */
	WEIGH_TIME,		/* how many samples, or pairs; their ns */
	WEIGH_WAIT		/* waits for locks; their ns */
};

/* The names, one by one; NULL: no more. */
const char *weight_name(size_t);
const char *weight_what(size_t);
/* The weight of that name; dies if there is none. */
enum weight weight_of(const char *);

/* Takes a program, a stack of it, and its values. */
typedef void weigh_fn(void *, const char *, const struct site *,
	    const uint64_t *);
/*
 * Read all of the directories, with the pairs of -D, and give all stacks; says
 * that there is nothing to weigh: 1.
 */
int	 weigh(enum weight, struct reader *, struct reader_dir *,
	    struct pairs *, weigh_fn *, void *);

/* Are there samples among what is given? */
int	 weigh_sampled(void);

/* Forget what was read, when all is said. */
void	 weigh_end(void);

#endif /* WEIGH_H */
