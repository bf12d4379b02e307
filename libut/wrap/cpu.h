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
 * Samples of what a program's threads do with the CPU: cpu.c takes them,
 * cpu_thread.c has the threads and their timers, and cpu_signal.c the
 * functions by which a program takes the signal for itself.
 */

#ifndef CPU_H
#define CPU_H

#include <signal.h>
#include <stdbool.h>

#include "wrap.h"

/* cpu.c: does this process sample, so that SIGPROF is ours? */
bool	 cpu_sampling(void);
/* The program takes SIGPROF: this process is never sampled again. */
void	 cpu_give_up(void);
/* Begin, with the calling thread, unless that is done. */
void	 cpu_begin(void);
/* The threads' events are recorded, so each of them has a fast timer. */
bool	 cpu_wanted(void);
/* Record why something was not sampled.  Not in a signal handler. */
void	 cpu_unsampled(const char *);

/* cpu_thread.c: the nanoseconds of CPU time between two samples. */
void	 cpu_thread_init(uint64_t);
/* The calling thread gets a timer. */
void	 cpu_thread_begin(void);
/*
 * A timer of ours has expired so many times.  The CPU time in ns that a sample
 * stands for now, or 0: there is to be none.  Async-signal-safe.
 */
uint64_t cpu_thread_tick(const siginfo_t *);
/* Was the signal sent by a timer of ours? */
bool	 cpu_thread_sent(const siginfo_t *);
/* Delete all threads' timers. */
void	 cpu_threads_end(void);
/* In the child of a fork, only the calling thread is left, with no timer. */
void	 cpu_threads_forked(void);

/* cpu_signal.c: sigaction(2) of SIGPROF, sigtimedwait(2), not the wrappers. */
int	 cpu_sigaction(const struct sigaction *, struct sigaction *);
int	 cpu_sigtimedwait(const sigset_t *, siginfo_t *,
	    const struct timespec *);
/* The action of SIGPROF, as far as the program knows. */
extern struct sigaction cpu_action;

#endif /* CPU_H */
