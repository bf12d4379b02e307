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
 * Regular files, to be read.
 */

#ifndef REGULAR_H
#define REGULAR_H

#include <sys/types.h>
#include <sys/stat.h>

/*
 * Open a file as openat(2) with O_NOFOLLOW or 0: a descriptor, or -1 with
 * errno, which is EINVAL if the file is no regular one.
 */
int	 regular_open(int, const char *, int, struct stat *);

/* A regular file that may be used so: see access(2). */
int	 path_is_file(const char *, int);
char	*path_find(const char *, int);	/* in PATH, as execvp(3); or NULL */

#endif /* REGULAR_H */
