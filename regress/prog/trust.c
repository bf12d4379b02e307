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
 * clock_trusted() of utd on systems that are none:
 *
 *	trust SOURCE invariant | variable fast | slow
 *
 * where SOURCE is "-" if the system does not tell, and fast if the vDSO tells
 * the time without a system call.  Prints what it says, or "trusted".
 *
 *	trust real
 *
 * says how this system tells the time: fast, slow, or unknown.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libut/common/clock.h"

static uint64_t	 fake_cycles(void);
static bool	 fake_invariant(void);
static int	 fake_source(char *, size_t);
static ut_gettime_fn *fake_system(void);
static ut_gettime_fn *fake_kernel(void);

#define ut_cycles		fake_cycles
#define ut_cycles_invariant	fake_invariant
#define ut_clock_source		fake_source
#define ut_system_gettime	fake_system
#define ut_kernel_gettime	fake_kernel
#include "../../utd/parent/clock_trust.c"
#undef ut_cycles
#undef ut_system_gettime
#undef ut_kernel_gettime

static char **args;		/* NULL: all is real */
static uint64_t counter;

static uint64_t
fake_cycles(void)
{
	return args == NULL ? ut_cycles() : (counter += 10);
}

static bool
fake_invariant(void)
{
	return strcmp(args[2], "invariant") == 0;
}

static int
fake_source(char *name, size_t size)
{
	if (strcmp(args[1], "-") == 0)
		return -1;
	snprintf(name, size, "%s", args[1]);
	return 0;
}

/* As calls are on a machine with much to do: few are not disturbed. */
static int
take(uint64_t cycles)
{
	static unsigned int n;

	counter += n++ % 7 == 6 ? cycles : cycles + 5000;
	return 0;
}

static int
by_page(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	memset(ts, 0, sizeof(*ts));
	return take(60);
}

static int
by_call(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	memset(ts, 0, sizeof(*ts));
	return take(380);
}

/* The vDSO has looked at the page in vain. */
static int
by_call_after_all(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	memset(ts, 0, sizeof(*ts));
	return take(400);
}

static ut_gettime_fn *
fake_system(void)
{
	if (args == NULL)
		return ut_system_gettime();
	return strcmp(args[3], "fast") == 0 ? by_page : by_call_after_all;
}

static ut_gettime_fn *
fake_kernel(void)
{
	return args == NULL ? ut_kernel_gettime() : by_call;
}

int
main(int argc, char *argv[])
{
	char why[160];

	if (argc == 2 && strcmp(argv[1], "real") == 0) {
		puts(fake_kernel() == NULL ? "unknown" :
		    told_without_call() ? "fast" : "slow");
		return 0;
	}
	if (argc != 4)
		return 1;
	args = argv;
	puts(clock_trusted(why, sizeof(why)) ? "trusted" : why);
	return 0;
}
