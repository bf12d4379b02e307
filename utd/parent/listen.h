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

/* The run directory: what others find there. */

#ifndef LISTEN_H
#define LISTEN_H

#include "conn.h"

/*
 * listen.c: the run directory.  The first message of a connection says who
 * takes it.
 */
struct hello {
	uint16_t	 type;
	void		(*take)(struct conn *, struct ut_msg *);
};

void	 listen_open(const char *, const struct hello *);
void	 listen_full(void);	/* say that programs have to wait, and errno */
void	 listen_close(void);
pid_t	 listen_before(void);

/* wake.c: the FIFOs that programs sleep on. */
void	 wake_open(const char *);
void	 wake_reap(void);	/* a process has ended */
void	 wake_close(void);

#endif /* LISTEN_H */
