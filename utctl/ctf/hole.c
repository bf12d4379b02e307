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
 * Holes: parts of a file that were never written, and are read as zeros.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <unistd.h>

#include "hole.h"

#define BLOCK	512			/* bytes: systems count in these */

#if defined(SEEK_DATA) && !defined(UT_POSIX)
uint64_t
hole_at(int fd, uint64_t from)
{
	const off_t data = lseek(fd, (off_t)from, SEEK_DATA);
	struct stat st;

	if (data != -1)
		return (uint64_t)data > from ? (uint64_t)data - from : 0;
	return errno == ENXIO && fstat(fd, &st) == 0 &&
	    (uint64_t)st.st_size > from ? (uint64_t)st.st_size - from : 0;
}
#else
/* The system does not say where holes are: all of the file's may be there. */
uint64_t
hole_at(int fd, uint64_t from)
{
	struct stat st;
	uint64_t here, left;

	if (fstat(fd, &st) == -1 || (uint64_t)st.st_size <= from)
		return 0;
	here = (uint64_t)st.st_blocks * BLOCK;
	left = (uint64_t)st.st_size - from;
	if (here >= (uint64_t)st.st_size)
		return 0;
	return (uint64_t)st.st_size - here < left ?
	    (uint64_t)st.st_size - here : left;
}
#endif
