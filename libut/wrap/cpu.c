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
 * libut-cpu.so: samples of what an unmodified program does with the CPU.
 *
 *	LD_PRELOAD=libut-cpu.so program
 *
 * Each thread has a timer of its CPU time (timer_create(2)), which sends it
 * SIGPROF; the handler records where it was.  Linux deletes such timers in
 * execve(2), and discards the signals that they have sent.  No other system is
 * known to do both, and a signal that is left ends the next program: see
 * PORTING.
 *
 * A program that takes SIGPROF for itself gets it (cpu_signal.c), and is not
 * sampled any more, which an event says.
 */

#include <sys/syscall.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "cpu.h"
#include "ut.h"

#define RATE		99	/* samples for a second of CPU time */
#define RATE_MAX	10000

UT_EVENT(cpu, sample, UT_DEBUG_FUNCTION, UT_PTR(pc), UT_U64(time));

/* In no section: it is added when there is something to tell. */
#undef UT_SECTION
#define UT_SECTION	__attribute__((unused))
UT_EVENT(cpu, unsampled, UT_DEBUG_FUNCTION, UT_STR(why));

static struct ut_module module = {
	UT_VERSION, (uint32_t)sizeof(struct ut_event), &ut__cpu__unsampled,
	&ut__cpu__unsampled + 1, NULL, 0
};

static _Atomic enum { IDLE, SAMPLING, ENDING, ENDED } state;
static pid_t process;		/* the one that samples, or its parent */

void
cpu_unsampled(const char *why)
{
	if (!module.added)
		ut_module_add(&module);
	UT(cpu, unsampled, why);
}

bool
cpu_wanted(void)
{
	return UT_ON(cpu, sample);
}

/* A child of vfork(2) has signals of its own, and its parent's memory. */
bool
cpu_sampling(void)
{
	return state == SAMPLING && getpid() == process;
}

/* Where the signal came, if this processor's context is known; or NULL. */
static const void *
interrupted(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (const void *)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (const void *)u->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return (const void *)(uintptr_t)u->uc_mcontext.pc;
#elif defined(__arm__)
	return (const void *)u->uc_mcontext.arm_pc;
#elif defined(__riscv)
	return (const void *)u->uc_mcontext.__gregs[REG_PC];
#elif defined(__s390x__)
	return (const void *)u->uc_mcontext.psw.addr;
#else
	(void)u;
	return NULL;
#endif
}

/* No timer of ours has sent it, so it does what it would do without us. */
static void
die(void)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	cpu_sigaction(&none, NULL);
	raise(SIGPROF);
}

static void
tick(int sig, siginfo_t *info, void *context)
{
	const int saved = errno;
	const void *const pc = interrupted(context);
	uint64_t time;

	(void)sig;
	if (!cpu_thread_sent(info))
		die();
	else if ((time = cpu_thread_tick(info)) != 0) {
		ut_code(pc);
		ut_code_context(context);
		UT(cpu, sample, pc, time);
		ut_code_context(NULL);
	}
	errno = saved;
}

/*
 * Discard what timers have sent, which no timer does any more.  To ignore a
 * signal discards it in all threads; one of the program's is sent again.
 */
static void
discard(void)
{
	static const struct timespec now;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	siginfo_t info, theirs;
	bool any = false;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	while (cpu_sigtimedwait(&set, &info, &now) == SIGPROF)
		if (!cpu_thread_sent(&info)) {
			theirs = info;
			any = true;
		}
	cpu_sigaction(&ignore, NULL);
	cpu_sigaction(&cpu_action, NULL);
	if (any)
		syscall(SYS_rt_sigqueueinfo, getpid(), SIGPROF, &theirs);
}

/* A second thread waits until the first one has done it. */
void
cpu_give_up(void)
{
	const int saved = errno;
	int sampling = SAMPLING;
	sigset_t signals;

	if (getpid() != process)
		return;
	wrap_block(&signals);
	if (atomic_compare_exchange_strong(&state, &sampling, ENDING)) {
		cpu_threads_end();
		discard();
		state = ENDED;
		cpu_unsampled("the program uses SIGPROF");
	}
	while (state == ENDING)
		sched_yield();
	wrap_unblock(&signals);
	errno = saved;
}

static void
fork_begins(void)
{
	while (state == ENDING)
		sched_yield();
}

static void
forked(void)
{
	process = getpid();
	if (state == SAMPLING)
		cpu_threads_forked();
}

static uint64_t
rate(void)
{
	const char *s = getenv("UT_CPU_RATE");
	const long n = s != NULL ? strtol(s, NULL, 10) : RATE;

	return n > 0 && n <= RATE_MAX ? (uint64_t)n : RATE;
}

/*
 * With other libraries' constructors, or before: then libut is told of our
 * event now.  UT_DISABLE keeps it from being added.
 */
void
cpu_begin(void)
{
	static bool begun;
	struct sigaction sa = { .sa_sigaction = tick,
	    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	if (begun)
		return;
	begun = true;
	ut_this_module_add();
	if (!ut_this_module.added)
		return;
	if (cpu_sigaction(NULL, &cpu_action) == -1 ||
	    cpu_action.sa_handler != SIG_DFL) {
		cpu_unsampled("SIGPROF was ignored or handled at the start");
		return;
	}
	process = getpid();
	sigfillset(&sa.sa_mask);
	cpu_thread_init(UINT64_C(1000000000) / rate());
	pthread_atfork(fork_begins, NULL, forked);
	cpu_sigaction(&sa, NULL);
	state = SAMPLING;
	cpu_thread_begin();
}

static void __attribute__((constructor(65001)))
begin(void)
{
	cpu_begin();
}

/* Not all calls that set a signal are seen: syscall(2) is not. */
static void __attribute__((destructor))
end(void)
{
	struct sigaction now;

	if (cpu_sampling() && cpu_sigaction(NULL, &now) == 0 &&
	    now.sa_sigaction != tick)
		cpu_unsampled("something else has taken SIGPROF");
}
