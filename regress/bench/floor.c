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
 * What this machine takes for things that no tracer can do without, in
 * nanoseconds: floor clock|cycles|copy|write.  It says nothing of what it
 * does not have.
 */

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cycles.h"

#define LOOPS	200000

static unsigned char from[256], to[256];
static int null;

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void
read_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	__asm__ volatile ("" : : "r" (&ts) : "memory");
}

#ifdef HAVE_CYCLES
static void
read_cycles(void)
{
	uint64_t v = cycles();

	__asm__ volatile ("" : : "r" (v) : "memory");
}
#endif

static void
copy(void)
{
	memcpy(to, from, sizeof(to));
	__asm__ volatile ("" : : "r" (to) : "memory");
}

static void
write_one(void)
{
	if (write(null, from, 1) != 1)
		err(1, "write");
}

static const struct {
	const char	*name;
	void		(*run)(void);
} things[] = {
	{ "clock", read_clock },
#ifdef HAVE_CYCLES
	{ "cycles", read_cycles },
#endif
	{ "copy", copy },
	{ "write", write_one }
};

int
main(int argc, char *argv[])
{
	double t;
	size_t i;
	long n;

	if (argc != 2)
		errx(1, "floor clock|cycles|copy|write");
	if ((null = open("/dev/null", O_WRONLY)) == -1)
		err(1, "/dev/null");
	for (i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (strcmp(things[i].name, argv[1]) != 0)
			continue;
		t = now();
		for (n = 0; n < LOOPS; n++)
			things[i].run();
		printf("%.2f\n", (now() - t) / LOOPS);
	}
	return 0;
}
