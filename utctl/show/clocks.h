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
 * The clocks of what is read.
 */

#ifndef CLOCKS_H
#define CLOCKS_H

#include "../ctf/reader.h"

struct clock_seen {
	char	*name;
	double	 error;			/* ns; 0: nothing is known */
	int	 points;		/* some dates are by points */
};

struct clocks {
	struct clock_seen	*seen;
	size_t			 n;
	const struct ctf_clock	*last;	/* of the event before */
};

void	 clocks_note(struct clocks *, const struct ctf_clock *);
void	 clocks_print(const struct clocks *, const struct reader *);
void	 clocks_free(struct clocks *);
/* Print the points: stat -c. */
void	 clocks_points(const struct reader *);

#endif /* CLOCKS_H */
