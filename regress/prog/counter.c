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
 * Tells the counter of counter.h how to go on, in one instant:
 *
 *	counter jump MS		ahead, or back if that is negative
 *	counter rate N		so many in 1000 ns; 0: it stands still
 *	counter skew MS		further ahead on processors with odd numbers
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counter.h"

int
main(int argc, char *argv[])
{
	struct counter *c = counter_open();
	const unsigned int i = atomic_load(&c->current);
	struct counter_course now = c->course[i];
	const uint64_t ns = counter_ns();
	long long n;

	if (argc != 3)
		return 1;
	n = strtoll(argv[2], NULL, 10);
	now.skew = 0;
	now.cycles = counter_at(&now, ns);
	now.ns = ns;
	if (now.rate == 0 && c->course[i].cycles == 0)
		now.rate = 3000;
	if (strcmp(argv[1], "jump") == 0)
		now.cycles += (uint64_t)(n * 3000000);
	else if (strcmp(argv[1], "rate") == 0)
		now.rate = (uint64_t)n;
	else if (strcmp(argv[1], "skew") == 0)
		now.skew = (uint64_t)(n * 3000000);
	c->course[1 - i] = now;
	atomic_store(&c->current, 1 - i);
	return 0;
}
