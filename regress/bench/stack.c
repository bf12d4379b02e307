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
 * The time for a call stack of so many frames, in nanoseconds, and that of
 * backtrace(3): stack FRAMES.  Functions that call each other by a table, with
 * no frame pointers, so that return addresses differ as in a program.  The best
 * of rounds in which both take turns.
 */

#include <err.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../libut/unwind/unwind.h"

#define ROUNDS	15
#define MANY	20000
#define FEW	1000

#define NOINLINE	__attribute__((noinline))

static struct unwinder mine;
static uintptr_t frames[UNWIND_MAX];
static void *theirs[UNWIND_MAX];
static unsigned int seed;
static int ours, got;
static double took;

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void NOINLINE
bottom(void)
{
	const uintptr_t from = (uintptr_t)__builtin_return_address(0);
	struct unwound s = { frames, UNWIND_MAX, 0, 0, 0 };
	const int n = ours ? MANY : FEW;
	const double begun = now();
	int i;

	for (i = 0; i < n; i++) {
		if (ours)
			ut_unwind_here(&mine, from, &s);
		else
			got = backtrace(theirs, UNWIND_MAX);
	}
	if (ours)
		got = (int)s.n;
	took = (now() - begun) / n;
}

typedef int fn(int);
static fn *const fns[8];

#define F(n)								\
static int NOINLINE							\
f##n(int d)								\
{									\
	volatile char b[16 + n * 24];					\
									\
	b[n] = (char)d;							\
	if (d == 0)							\
		bottom();						\
	else								\
		b[n] = (char)fns[((unsigned int)d * 7 + seed + n) % 8](d - 1);\
	return b[n];							\
}

F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)

static fn *const fns[8] = { f0, f1, f2, f3, f4, f5, f6, f7 };

int
main(int argc, char *argv[])
{
	double best[2] = { 1e18, 1e18 };
	int depth, i;

	/* Below main are two of the C library's, and _start. */
	if (argc != 2 || (depth = atoi(argv[1]) - 5) < 1 ||
	    depth > UNWIND_MAX - 8)
		errx(1, "stack frames");
	ut_unwind_changed();
	for (i = 0; i < 2 * ROUNDS; i++) {
		ours = i % 2;
		seed = (unsigned int)i / 2;
		(void)fns[0](depth);
		if (took < best[ours])
			best[ours] = took;
		if (ours && got != depth + 5)
			errx(1, "%d frames, not %d", got, depth + 5);
	}
	printf("%.1f %.1f\n", best[1], best[0]);
	return 0;
}
