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
 * The four events that are measured, and one that is never enabled: libut's,
 * LTTng-UST's with -DLTTNG.  With -DPLAIN, the least that a tracer could do:
 * the time, from clock_gettime(2) or with -DCYCLES from the processor's
 * counter, and a copy of the bytes, to where the last ones were.
 */

#ifndef LOAD_H
#define LOAD_H

#include <stdint.h>

#include "burst.h"

#define NBYTES	256

#if defined(LTTNG)

#define TRACEPOINT_DEFINE
#define TRACEPOINT_CREATE_PROBES
#include "lttngload.h"

#define EV_NONE()		tracepoint(load, none)
#define EV_ONE(n)		tracepoint(load, one, n)
#define EV_MIX(a, b, s, d)	tracepoint(load, mix, a, b, s, d)
#define EV_BYTES(p)		tracepoint(load, bytes, p)
#define EV_OFF(n)		tracepoint(load, off, n)
#define EV_ONE_ON()		tracepoint_enabled(load, one)

#elif defined(PLAIN)

#include <string.h>
#include <time.h>

#include "cycles.h"

static unsigned char floor_to[NBYTES];
#define floor_end	(floor_to + sizeof(floor_to))

#ifdef CYCLES
#define FLOOR_TIME()	do {						\
		uint64_t floor_t = cycles();				\
		__asm__ volatile ("" : : "r" (floor_t) : "memory");	\
	} while (0)
#else
#define FLOOR_TIME()	do {						\
		struct timespec floor_t;				\
		clock_gettime(CLOCK_MONOTONIC, &floor_t);		\
		__asm__ volatile ("" : : "r" (&floor_t) : "memory");	\
	} while (0)
#endif
#define FLOOR_COPY(p, n)	do {					\
		FLOOR_TIME();						\
		memcpy(floor_end - (n), p, n);				\
		__asm__ volatile ("" : : "r" (floor_to) : "memory");	\
	} while (0)

#define EV_NONE()	FLOOR_TIME()
#define EV_ONE(n)	FLOOR_COPY(&(n), sizeof(n))
#define EV_MIX(va, vb, vs, vd)	do {					\
		const uint64_t floor_a = va;				\
		const uint32_t floor_b = vb;				\
		const double floor_d = vd;				\
		memcpy(floor_to, &floor_a, sizeof(floor_a));		\
		memcpy(floor_to + 8, &floor_b, sizeof(floor_b));	\
		memcpy(floor_to + 12, vs, sizeof(STRING));		\
		FLOOR_COPY(&floor_d, sizeof(floor_d));			\
	} while (0)
#define EV_BYTES(p)	FLOOR_COPY(p, NBYTES)
#define EV_OFF(n)	((void)(n))
#define EV_ONE_ON()	1

#else

#include <ut.h>

UT_EVENT(load, none, UT_INFO)
UT_EVENT(load, one, UT_INFO, UT_INT(n))
UT_EVENT(load, mix, UT_INFO, UT_U64(a), UT_U32(b), UT_STR(s), UT_F64(d))
UT_EVENT(load, bytes, UT_INFO, UT_ARRAY(uint8_t, p, NBYTES))
UT_EVENT(load, off, UT_INFO, UT_INT(n))

#define EV_NONE()		UT(load, none)
#define EV_ONE(n)		UT(load, one, n)
#define EV_MIX(a, b, s, d)	UT(load, mix, a, b, s, d)
#define EV_BYTES(p)		UT(load, bytes, p)
#define EV_OFF(n)		UT(load, off, n)
#define EV_ONE_ON()		UT_ON(load, one)

#endif

#endif
