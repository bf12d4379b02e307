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
 * The clocks that events can be timed with, as UT_CLOCK_ in ut_abi.h counts
 * them.
 *
 * The cycle counter is that which counts at one rate, whatever the processor
 * does, and which programs may read: one function for each architecture.
 * utd, not the program, decides whether the counter can be trusted: see
 * utd/parent/want/clock_trust.c.  The read is not ordered with other
 * instructions, so it may be some ten nanoseconds early; waiting for all that
 * came before would cost as much as the system's own clock.  Where the order of
 * two threads' events matters more than that, there is ut_cycles_order.
 */

#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "../ut_abi.h"
#include "compat.h"

#if defined(UT_CYCLES_H)
#include UT_CYCLES_H		/* one of the regress suite, that fails */
#elif defined(UT_POSIX)
#define UT_HAVE_CYCLES	0
#elif defined(__x86_64__) || defined(__i386__)
#define UT_HAVE_CYCLES	1
/* Names that systems have for the counter. */
#define UT_CYCLES_NAMES	"tsc", "TSC", "TSC-low"
/* Linux: clocks that a hypervisor makes of the counter. */
#define UT_CYCLES_MADE	"kvm-clock", "xen", "hyperv_clocksource_tsc_page"
static inline uint64_t
ut_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

/* Compilers for the first i686 know no SSE2, which comes before a good TSC. */
#if defined(__x86_64__) || defined(__SSE2__)
#define UT_CYCLES_ORDER()	__builtin_ia32_lfence()
#elif defined(__linux__)
#define UT_CYCLES_ORDER()						\
	do {								\
		if (__builtin_cpu_supports("sse2"))			\
			__asm__ __volatile__ ("lfence" : : : "memory");	\
	} while (0)
#endif

/* Does the processor say that it counts at one rate, in any state? */
static inline bool
ut_cycles_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 &&
	    (d & 1u << 8) != 0;
}
#elif defined(__aarch64__)
#define UT_HAVE_CYCLES	1
/* Linux, FreeBSD, NetBSD, OpenBSD. */
#define UT_CYCLES_NAMES	"arch_sys_counter", "ARM MPCore Timecounter", \
	"armgtmr0", "agtimer0", "agtimer"
#define UT_CYCLES_MADE	NULL
static inline uint64_t
ut_cycles(void)
{
	uint64_t v;

	__asm__ __volatile__ ("mrs %0, cntvct_el0" : "=r" (v));
	return v;
}

#define UT_CYCLES_ORDER()	__asm__ __volatile__ ("isb" : : : "memory")

/* The architecture says that it is. */
static inline bool
ut_cycles_invariant(void)
{
	return true;
}
#else
#define UT_HAVE_CYCLES	0
#endif

#if !UT_HAVE_CYCLES
#define UT_CYCLES_NAMES	NULL
#define UT_CYCLES_MADE	NULL
static inline uint64_t
ut_cycles(void)
{
	return 0;
}

static inline bool
ut_cycles_invariant(void)
{
	return false;
}
#endif

#if !defined(UT_CYCLES_ORDER)
#define UT_CYCLES_ORDER()	((void)0)
#endif

/*
 * The counter is read behind all that the thread has done.  Costs about as much
 * as the read, so only events whose cause is in another thread have it: what
 * was written before the other released a lock is the earlier event then.
 */
static inline void
ut_cycles_order(void)
{
	UT_CYCLES_ORDER();
}

/* Programs may have another that leads to the same time: see clock.c. */
#ifndef UT_GETTIME
#define UT_GETTIME	ut_clock_gettime
#endif

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t
ut_nanoseconds(void)
{
	struct timespec ts;

	UT_GETTIME(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The clock of a channel. */
static inline uint64_t
ut_read_clock(uint32_t clock)
{
	return clock == UT_CLOCK_MONOTONIC ? ut_nanoseconds() : ut_cycles();
}

#endif /* CLOCK_H */
