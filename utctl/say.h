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
 * Messages of utctl: as warnx(3), warn(3), errx(3) and err(3) with status 1,
 * but nothing in the message reaches the terminal that it might obey.
 */

#ifndef SAY_H
#define SAY_H

#include <stdint.h>

void	 say(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 say_errno(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 die(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));
void	 die_errno(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));
void	 say_to(void (*)(const char *));
void	 say_place(const char *, unsigned int);
int	 say_placed(void);
char	*format(const char *, ...) __attribute__((format(printf, 1, 2)));
/* Allocate zeros, or more of them; die if there is no memory. */
void	*xcalloc(size_t, size_t);
void	*xrealloc(void *, size_t);
/* Make room for the element of that number; all new ones are zeros. */
void	*xgrow(void *, size_t, size_t *, size_t);
char	*clean(const char *);
/*
 * Copy a text into so many bytes.  A text that is too long ends with CUT_MARK
 * bytes: dots and a hash of all of it, which tells it from others that begin
 * alike.
 */
#define CUT_MARK	12
void	 cut_mark(char *, const void *, size_t);
void	 cut_text(char *, size_t, const char *);
/* The ending of a noun behind a number: "s", or nothing. */
const char *many(uint64_t);
void	 put_json(const char *);

#endif /* SAY_H */
