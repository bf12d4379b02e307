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
 * A line of offsets between two clocks, of which one drifts.
 */

#ifndef SKEW_H
#define SKEW_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf.h"

/* A bound, by one message. */
struct skew_point {
	int64_t	 date;			/* the second clock's, not moved */
	int64_t	 offset;		/* a bound of the clock's, then */
	int	 most;			/* an upper bound, or a lower one */
};

struct skew_line {
	struct ctf_move	 move;
	int64_t		 error;		/* ns: its dates are off by at most */
	double		 least, most;	/* rates that fit */
};

/* 0; or -1: there is none, or nothing bounds the rate. */
int	 skew_line(struct skew_line *, const struct skew_point *, size_t);

#endif /* SKEW_H */
