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
 * When utd is told of the program (register.c), and when the child of a fork
 * may start threads (forked.c).
 */

#ifndef UT_REGISTER_H
#define UT_REGISTER_H

#include <stdbool.h>

/* register.c */
bool		 ut_listen(void);
void		 ut_listen_new(void);

/* forked.c */
enum fork_threads {
	/* The child of a fork may start threads in the handler */
	FORK_NOW,
	/* once the function is called that ut_fork_init was given */
	FORK_OVER,
	/* later, but nobody will say when */
	FORK_UNSEEN
};
enum fork_threads ut_fork_threads(void);
void		 ut_fork_init(void (*)(void));
void		 ut_fork_hold(void);
void		 ut_fork_release(void);

#endif /* UT_REGISTER_H */
