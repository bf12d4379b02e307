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
 * Names of C++ functions, as they are written in the source, and strings of
 * which there is but one of each, so that their pointers can be compared.
 */

#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stddef.h>

/* Start the helper; call before the process is confined, not after. */
void	 demangle_ready(void);
void	 demangle_end(void);
/* Demangle into so many bytes, perhaps cut with dots; 0: no such name. */
int	 demangle(const char *, char *, size_t);
/* These strings are good until demangle_end(). */
const char *intern(const char *);
/* The name as it is shown; of more than 4096 bytes, it is cut. */
const char *intern_name(const char *);

#endif /* DEMANGLE_H */
