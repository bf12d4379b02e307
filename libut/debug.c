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
 * UT_DEBUG: what the library does, for somebody who wonders why a program is
 * not traced.  A line each time that a connection or a session comes or goes.
 */

#include <sys/stat.h>

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ut_priv.h"

/* The standard error at the start. */
static struct stat begun;

bool
ut_debugs(void)
{
	enum { UNKNOWN, NO, YES };
	static _Atomic int known = UNKNOWN;
	const char *s;

	if (known == UNKNOWN) {
		s = ut_issetugid() ? NULL : getenv("UT_DEBUG");
		known = s != NULL && *s != '\0' && strcmp(s, "0") != 0 &&
		    fstat(2, &begun) == 0 ? YES : NO;
	}
	return known == YES;
}

/*
 * The end of a line about an error, or about success.  strerror(3) may take a
 * lock that nobody gives back in the child of a fork.  Under ut_lock.
 */
const char *
ut_debug_error(int error)
{
	static char number[32];

	switch (error) {
	case 0:
		return "";
	case ENOENT:
		return ": there is none";
	case ECONNREFUSED:
		return ": it has ended";
	case EPERM:
		return ": a directory or utd of another user than root and "
		    "this one, or others can write to the directory";
	case EACCES:
		return ": permission denied";
	case ENOTDIR:
		return ": not a directory";
	case EMFILE:
		return ": too many descriptors or channels";
	case ENOMEM:
		return ": no memory";
	}
	(void)snprintf(number, sizeof(number), ": errno %d", error);
	return number;
}

/*
 * The program may have put another file where its standard error was: nothing
 * is written there, nor where nobody reads.
 */
void
ut_debug(const char *fmt, ...)
{
	const int error = errno;
	struct pollfd pfd = { 2, POLLOUT, 0 };
	char line[512];
	size_t n;
	va_list ap;

	if (!ut_debugs())
		return;
	if (!ut_fd_is(2, begun.st_dev, begun.st_ino) ||
	    poll(&pfd, 1, 0) != 1 || pfd.revents != POLLOUT) {
		errno = error;
		return;
	}
	(void)snprintf(line, sizeof(line), "libut: %ld: ", (long)getpid());
	n = strlen(line);
	va_start(ap, fmt);
	(void)vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	n = strlen(line);
	line[n++] = '\n';
	(void)!write(2, line, n);
	errno = error;
}
