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
 * Functions by which a program uses SIGPROF itself: from the first one on, the
 * process is not sampled.  One that sets the default action, as programs do for
 * all signals in a row, or asks for it, gets that answer from here.
 */

/* The function of the program's time_t: that of others is below. */
#undef _TIME_BITS

#define _GNU_SOURCE 1

#include <sys/signalfd.h>

#include <signal.h>
#include <string.h>

#include "cpu.h"

/* A program may still use sigset(3). */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

typedef void	handler(int);

struct sigaction cpu_action;

/* The function behind ours. */
#define NEXT(f)	(__extension__ (__typeof__(&f))found(&next_##f, #f))
#define FIND(f)	static void *next_##f;

static void *
found(void **symbol, const char *name)
{
	if (__atomic_load_n(symbol, __ATOMIC_RELAXED) == NULL)
		__atomic_store_n(symbol, wrap_next(name), __ATOMIC_RELAXED);
	return *symbol;
}

FIND(sigaction)
FIND(sigtimedwait)

int
cpu_sigaction(const struct sigaction *sa, struct sigaction *old)
{
	return NEXT(sigaction)(SIGPROF, sa, old);
}

int
cpu_sigtimedwait(const sigset_t *set, siginfo_t *info,
    const struct timespec *time)
{
	return NEXT(sigtimedwait)(set, info, time);
}

#pragma GCC visibility push(default)

int
sigaction(int sig, const struct sigaction *restrict sa,
    struct sigaction *restrict old)
{
	struct sigaction was;

	if (sig != SIGPROF || !cpu_sampling())
		return NEXT(sigaction)(sig, sa, old);
	was = cpu_action;
	if (sa != NULL && sa->sa_handler != SIG_DFL) {
		cpu_give_up();
		if (NEXT(sigaction)(sig, sa, NULL) == -1)
			return -1;
	} else if (sa != NULL)
		cpu_action = *sa;
	if (old != NULL)
		*old = was;
	return 0;
}

/* A function that sets what a signal does, and returns what it did. */
#define SETS(f)								\
	handler	*f(int, handler *);					\
	FIND(f)								\
	handler *							\
	f(int sig, handler *h)						\
	{								\
		if (sig == SIGPROF && cpu_sampling()) {			\
			if (h == SIG_DFL)				\
				return SIG_DFL;				\
			cpu_give_up();					\
		}							\
		return NEXT(f)(sig, h);					\
	}

SETS(signal)
SETS(bsd_signal)
SETS(ssignal)
SETS(sysv_signal)
SETS(__sysv_signal)
SETS(sigset)

/* A function that waits for the signals of a set. */
#define WAITS(result, f, parameters, ...)				\
	result	f parameters;						\
	result								\
	f parameters							\
	{								\
		if (sigismember(set, SIGPROF) == 1)			\
			cpu_give_up();					\
		return NEXT(f)(__VA_ARGS__);				\
	}

FIND(sigwait)
FIND(sigwaitinfo)
FIND(signalfd)

WAITS(int, sigwait, (const sigset_t *restrict set, int *restrict sig), set, sig)
WAITS(int, sigwaitinfo, (const sigset_t *restrict set,
    siginfo_t *restrict info), set, info)
WAITS(int, sigtimedwait, (const sigset_t *restrict set,
    siginfo_t *restrict info, const struct timespec *restrict time), set, info,
    time)
#if defined(__GLIBC__) && UINTPTR_MAX == UINT32_MAX
FIND(__sigtimedwait64)
WAITS(int, __sigtimedwait64, (const sigset_t *set, siginfo_t *info,
    const void *time), set, info, time)
#endif
WAITS(int, signalfd, (int fd, const sigset_t *set, int flags), fd, set, flags)

#ifdef __GLIBC__
/* A program that was compiled with -pg calls this for gprof(1), at first. */
void	__monstartup(unsigned long, unsigned long);
FIND(__monstartup)

void
__monstartup(unsigned long low, unsigned long high)
{
	cpu_give_up();
	NEXT(__monstartup)(low, high);
}
#endif

#pragma GCC visibility pop
