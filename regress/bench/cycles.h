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

/* The processor's counter, which costs less than a clock. */

#ifndef CYCLES_H
#define CYCLES_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#define HAVE_CYCLES
static inline uint64_t __attribute__((unused))
cycles(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
#define HAVE_CYCLES
static inline uint64_t __attribute__((unused))
cycles(void)
{
	uint64_t v;

	__asm__ volatile ("mrs %0, cntvct_el0" : "=r" (v));
	return v;
}
#endif

#endif
