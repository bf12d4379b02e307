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
 * Samples of what a program's threads do with the CPU: cpu.c takes them, and
 * cpu_signal.c has the functions by which a program takes the signal itself.
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

/* cpu_signal.c: sigaction(2) of SIGPROF, sigtimedwait(2), not the wrappers. */
int	 cpu_sigaction(const struct sigaction *, struct sigaction *);
int	 cpu_sigtimedwait(const sigset_t *, siginfo_t *,
	    const struct timespec *);
/* The action of SIGPROF, as far as the program knows. */
extern struct sigaction cpu_action;

#endif /* CPU_H */
