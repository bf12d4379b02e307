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
 * Events that say when they are: clocks seconds, or clocks -p ms ... for as
 * many pauses.  The field is CLOCK_REALTIME in nanoseconds just before the
 * event.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ut.h>

UT_EVENT(clocks, now, UT_INFO, UT_INT(n), UT_U64(ns))

static void
event(int n)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	UT(clocks, now, n, (uint64_t)ts.tv_sec * 1000000000u +
	    (uint64_t)ts.tv_nsec);
}

static void
pause_for(int ms)
{
	struct timespec nap;

	nap.tv_sec = ms / 1000;
	nap.tv_nsec = ms % 1000 * 1000000L;
	nanosleep(&nap, NULL);
}

int
main(int argc, char *argv[])
{
	int i, n = argc > 1 ? atoi(argv[1]) * 500 : 500;

	if (argc > 1 && strcmp(argv[1], "-p") == 0) {
		event(0);
		for (i = 2; i < argc; i++) {
			pause_for(atoi(argv[i]));
			event(i - 1);
		}
		return 0;
	}
	for (i = 0; i < n; i++) {
		event(i);
		pause_for(1);
	}
	return 0;
}
