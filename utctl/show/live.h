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
 * A session that records now, and its utd: for utctl view -F, top and serve.
 */

#ifndef LIVE_H
#define LIVE_H

#include <stdint.h>

#include "follow.h"

struct live {
	const char	*dir;		/* NULL: any session */
	struct client	*client;	/* NULL: no utd */
	struct row	*rows;
	char		*where;		/* the run directory of utd */
	int		 own;		/* record's utd, which goes with it */
	int		 known;		/* the session was there before */
	int64_t		 gone;		/* ms: since when utd is not; or 0 */
};

enum live_is {
	LIVE_HERE,
	LIVE_AWAY,			/* no utd runs, or has known it yet */
	LIVE_DESTROYED,
	LIVE_RECORDED			/* by record, which has ended */
};

/* Ask for the session: its row is there until the next question, if it is. */
enum live_is live_ask(struct live *, const struct row **);
void	 live_close(struct live *);

#endif /* LIVE_H */
