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
 * What the library adds to a program: says whether an event is listened to,
 * how many descriptors are open that were not before, and how many threads
 * there are, where /proc knows.  Compiled with -DWITHOUT it is the same
 * program without the library.
 */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#ifndef WITHOUT
#include <ut.h>

UT_EVENT(about, event, UT_INFO)
#else
#define UT(provider, event)	do { } while (0)
#define UT_ON(provider, event)	0
#endif

static int before;

#ifdef TLS
/* What every thread has; may come out of its stack. */
_Thread_local char local[TLS];
#endif

static int
descriptors(void)
{
	int i, n = 0;

	for (i = 0; i < 1024; i++)
		n += fcntl(i, F_GETFD) != -1;
	return n;
}

/* Before libut's own. */
static void __attribute__((constructor(101)))
begin(void)
{
	before = descriptors();
}

int
main(void)
{
	int threads = 0, fds = descriptors() - before;
	DIR *dir;

	UT(about, event);
	if ((dir = opendir("/proc/self/task")) != NULL) {
		while (readdir(dir) != NULL)
			threads++;
		threads -= 2;
		closedir(dir);
	}
	printf("%s, %d descriptors, %d threads\n", UT_ON(about, event) ?
	    "on" : "off", fds, threads);
	return 0;
}
