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
 * Whether the cycle counter is a clock.
 *
 * A counter that changes its rate, stands still in idle processors or differs
 * between them is none.  The processor says whether it may do the first two.
 * The system watches for all three, and takes another time source for its own
 * clock if the counter fails.  So the counter is trusted if the processor says
 * that it is invariant, and the system uses it.
 *
 * In a virtual machine the system may use a clock that the hypervisor makes of
 * the counter: the time is the counter times a factor, and both the factor and
 * whether this holds for all processors are in a page that the hypervisor
 * writes (PVCLOCK_TSC_STABLE_BIT of KVM and Xen; a sequence number other than 0
 * of Hyper-V).  Programs cannot read that page, but the vDSO does: if the
 * promise does not hold, its clock_gettime() leaves the answer to the kernel.
 * So the counter is trusted if the time is told without a system call, which
 * shows in how long that takes.  The processor is not asked: hypervisors hide
 * that it is invariant, because the machine may move to another one, and Linux
 * prefers the counter itself where they do not.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../libut/common/clock.h"
#include "session.h"

#define TIMED	256		/* calls, of which the fastest counts */

static bool
is_one_of(const char *source, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (names[i] != NULL && strcmp(source, names[i]) == 0)
			return true;
	return false;
}

/* The time of the fastest of many calls: nothing makes one too fast. */
static uint64_t
fastest(ut_gettime_fn *gettime)
{
	struct timespec ts;
	uint64_t begin, took, least = UINT64_MAX;
	int i;

	for (i = 0; i < TIMED; i++) {
		begin = ut_cycles();
		gettime(CLOCK_MONOTONIC, &ts);
		took = ut_cycles() - begin;
		if (took < least)
			least = took;
	}
	return least;
}

/*
 * Is the time told without a system call?  With one it takes longer than the
 * call alone, without one a third of that or less.
 */
static bool
told_without_call(void)
{
	ut_gettime_fn *const kernel = ut_kernel_gettime();

	return kernel != NULL &&
	    fastest(ut_system_gettime()) < fastest(kernel) / 4 * 3;
}

/* True, or why not. */
bool
clock_trusted(char *why, size_t n)
{
	static const char *const names[] = { UT_CYCLES_NAMES };
	static const char *const made[] = { UT_CYCLES_MADE };
	char source[64];

	if (!UT_HAVE_CYCLES)
		snprintf(why, n, "there is no cycle counter that we know");
	else if (ut_clock_source(source, sizeof(source)) == -1)
		snprintf(why, n, "the system does not say whether it trusts "
		    "the cycle counter");
	else if (is_one_of(source, names, sizeof(names) / sizeof(*names))) {
		if (ut_cycles_invariant())
			return true;
		snprintf(why, n, "the processor does not say that its cycle "
		    "counter has one rate");
	} else if (is_one_of(source, made, sizeof(made) / sizeof(*made))) {
		if (told_without_call())
			return true;
		snprintf(why, n, "the system does not trust the cycle counter: "
		    "it reads its clock, %s, by a system call", source);
	} else
		snprintf(why, n, "the system does not trust the cycle counter: "
		    "its clock is %s", source);
	return false;
}
