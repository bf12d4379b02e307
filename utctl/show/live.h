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
 * The session that writes a trace.
 */

#ifndef LIVE_H
#define LIVE_H

#include <stdint.h>

#include "../client.h"
#include "follow.h"

struct live {
	struct follow	 follow;
	const char	*dir;
	struct client	*client;
	struct row	*rows;
	int64_t		 next;		/* ms: when utd is asked again */
	int64_t		 ended;		/* ms: when all is written; or 0 */
	int		 failed;
};

void	 live_open(struct live *, const char *);
void	 live_close(struct live *);

#endif /* LIVE_H */
