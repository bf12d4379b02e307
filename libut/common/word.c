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
 * A word to wait for: what compat.h says of it.
 */

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "compat.h"

#if defined(__linux__) && !defined(UT_POSIX)

/* As in <linux/futex.h>, which not every C library comes with. */
enum {
	FUTEX_WAIT = 0,
	FUTEX_WAKE = 1
};

/* What the call takes, which need not be the C library's struct timespec. */
struct wait_time {
#if defined(SYS_futex)
	long	 sec, nsec;
#else
#define SYS_futex	SYS_futex_time64
	int64_t	 sec, nsec;
#endif
};

void
ut_word_wait(_Atomic uint32_t *at, uint32_t was, int ms)
{
	const struct wait_time time = { ms / 1000, ms % 1000 * 1000000 };

	(void)syscall(SYS_futex, at, FUTEX_WAIT, was, &time, NULL, 0);
}

void
ut_word_wake(_Atomic uint32_t *at, uint32_t n)
{
	(void)syscall(SYS_futex, at, FUTEX_WAKE, n > INT_MAX ? INT_MAX : n,
	    NULL, NULL, 0);
}

#else

/* As in ut_unblock: who was cancelled asynchronously ends by the last call. */
void
ut_word_wait(_Atomic uint32_t *at, uint32_t was, int ms)
{
	int state, type;

	if (atomic_load_explicit(at, memory_order_acquire) != was)
		return;
	if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) != 0)
		state = PTHREAD_CANCEL_ENABLE;
	(void)poll(NULL, 0, ms);
	if (pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) != 0)
		type = PTHREAD_CANCEL_DEFERRED;
	(void)pthread_setcancelstate(state, NULL);
	(void)pthread_setcanceltype(type, NULL);
}

void
ut_word_wake(_Atomic uint32_t *at, uint32_t n)
{
	(void)at;
	(void)n;
}

#endif
