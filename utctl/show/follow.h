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
 * Traces that are still written: utctl view -F, and record -F.
 */

#ifndef FOLLOW_H
#define FOLLOW_H

#include <stdint.h>

#include "../ctf/reader.h"

struct follow {
	const char	*dir;
	int64_t		 hold;		/* ns: how old is it in the files? */
	int		(*goes_on)(void *); /* does anybody write it still? */
	void		(*pause)(void *, int);	/* wait for so many ms */
	void		*arg;
};

/* Read what the directory gets until it goes on no more. */
void	 reader_follow(struct reader *, const struct follow *,
	    const struct reader_ops *, void *);

#endif /* FOLLOW_H */
