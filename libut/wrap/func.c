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
 * libut-func.o, to be linked into the program, and libut-func.so, to be named
 * in LD_PRELOAD: events of every function that was compiled with
 * -finstrument-functions.  Entry comes before the function's first statement
 * and exit after its last, but longjmp(3) and exit(3) leave functions without
 * one.
 *
 * A program that is linked without libut-func.o has empty hooks from the C
 * library, if that has any: glibc does.  Those of libut-func.so take their
 * place if the program is linked dynamically.
 *
 * The hooks, and what they call here, are never themselves instrumented:
 * not even if this file, like the rest of the program, is compiled with that
 * option.
 */

#include <errno.h>
#include <stddef.h>

#define NOT_TRACED	__attribute__((no_instrument_function))

/* Before ut.h defines it. */
static inline unsigned char *ut_put(unsigned char *, const void *, size_t)
    NOT_TRACED;

#include "ut.h"
#include "ut_code.h"

/* The stack of an event begins where the function was called. */
#undef UT_FROM
#define UT_FROM()	((void *)(uintptr_t)call_site)

static void	ut_record_ut__func__entry(struct ut_event *,
		    const volatile void *, const volatile void *) NOT_TRACED;
static void	ut_record_ut__func__exit(struct ut_event *,
		    const volatile void *, const volatile void *) NOT_TRACED;

UT_EVENT(func, entry, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site));
/* The stack is that of the entry. */
#undef UT_STACKS
#define UT_STACKS	UT_STACKLESS
UT_EVENT(func, exit, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site));

void	__cyg_profile_func_enter(void *, void *) NOT_TRACED;
void	__cyg_profile_func_exit(void *, void *) NOT_TRACED;

#pragma GCC visibility push(default)

void
__cyg_profile_func_enter(void *addr, void *call_site)
{
	if (UT_ON(func, entry)) {
		const int saved = errno;

		ut_code(addr);
		UT(func, entry, addr, call_site);
		errno = saved;
	}
}

void
__cyg_profile_func_exit(void *addr, void *call_site)
{
	if (UT_ON(func, exit)) {
		const int saved = errno;

		ut_code(addr);
		UT(func, exit, addr, call_site);
		errno = saved;
	}
}

#pragma GCC visibility pop
