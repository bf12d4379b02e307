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
 * Events that say when they are: clocks seconds.  The field is CLOCK_REALTIME
 * in nanoseconds just before the event.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ut.h>

UT_EVENT(clocks, now, UT_INFO, UT_INT(n), UT_U64(ns))

int
main(int argc, char *argv[])
{
	const struct timespec nap = { 0, 1000000 };
	struct timespec ts;
	int i, n = argc > 1 ? atoi(argv[1]) * 500 : 500;

	for (i = 0; i < n; i++) {
		clock_gettime(CLOCK_REALTIME, &ts);
		UT(clocks, now, i, (uint64_t)ts.tv_sec * 1000000000u +
		    (uint64_t)ts.tv_nsec);
		nanosleep(&nap, NULL);
	}
	return 0;
}
