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
 * fork in signal handlers that interrupt events: forksig events forks.  A
 * timer interrupts the events of writer 0 of seq:tick, and the handler forks.
 * The child, a writer of its own from 1 on, traces 5 times in the handler,
 * returns from it into the event that it interrupted, and traces 5 times
 * more.  With -s the handler comes after every single instruction of the
 * events, which takes a processor that can, and forks: after each, then in as
 * many events after every 11th, then every 17th, and so on, for the consumer
 * does what it does while we fork, and there is more that can be interrupted
 * if it does not.  Prints the pid and the number of children.
 */

#if defined(__linux__)
#include <sys/auxv.h>
#include <ucontext.h>
#endif
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

static uint64_t count, nevents;
static volatile uint32_t writer;	/* which one this process is */
static volatile sig_atomic_t nforks, maxforks;
static char pad[1500];

static void
tick(uint32_t w, uint64_t *n, uint64_t times)
{
	while (times-- > 0) {
		++*n;
		UT(seq, tick, w, *n, w == 0 ? pad : "", (*n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ w);
	}
}

/* True in the child. */
static int
fork_here(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	const int error = errno;
	int status;
	pid_t pid;

	if (writer != 0 || (maxforks != 0 && nforks == maxforks))
		return 0;
	nforks++;
	if ((pid = fork()) == 0) {
		setitimer(ITIMER_REAL, &never, NULL);
		writer = (uint32_t)nforks;
		count = 0;
		tick(writer, &count, 5);
		errno = error;
		return 1;
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1 || status != 0) {
		static const char msg[] = "a child failed\n";

		(void)!write(STDERR_FILENO, msg, sizeof(msg) - 1);
		_exit(1);
	}
	errno = error;
	return 0;
}

static void
on_timer(int sig)
{
	(void)sig;
	(void)fork_here();
}

/* A child ends here; its events in the handler came before. */
static void
end_child(void)
{
	if (writer != 0) {
		tick(writer, &count, 5);
		_exit(count == 10 ? 0 : 3);
	}
}

static void
handle(int sig, void (*handler)(int))
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_RESTART;
	if (sigaction(sig, &sa, NULL) == -1)
		err(1, "sigaction");
}

static void
timed(void)
{
	const struct itimerval every = { { 0, 500 }, { 0, 500 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	uint64_t n = 0;

	handle(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &every, NULL);
	while (n < nevents || nforks < maxforks) {
		tick(0, &n, 1);
		end_child();
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld %d\n", (long)getpid(), (int)nforks);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__))

#define TRAP	0x100		/* flag: a trap after each instruction */

#if defined(__x86_64__)
#define PC	REG_RIP
#else
#define PC	REG_EIP
#endif

static volatile sig_atomic_t steps, every;
static uintptr_t vdso;

static void
set_trap(int on)
{
	/* Below what the compiler may keep under the stack pointer. */
#if defined(__x86_64__)
	if (on)
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq;"
		    "orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
		    ::: "memory", "cc");
	else
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq;"
		    "andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
		    ::: "memory", "cc");
#else
	if (on)
		__asm__ volatile("pushfl; orl $0x100, (%%esp); popfl"
		    ::: "memory", "cc");
	else
		__asm__ volatile("pushfl; andl $~0x100, (%%esp); popfl"
		    ::: "memory", "cc");
#endif
}

static void
on_step(int sig, siginfo_t *info, void *arg)
{
	ucontext_t *uc = arg;

	(void)sig;
	(void)info;
	/* The system's clock begins anew if it is too slow. */
	if ((uintptr_t)uc->uc_mcontext.gregs[PC] - vdso < 0x4000)
		return;
	if (++steps % every == 0 && fork_here())
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP;
}

static void
stepped(void)
{
	struct sigaction sa;
	uint64_t n = 0, end;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_step;
	sa.sa_flags = SA_SIGINFO;
	if (sigaction(SIGTRAP, &sa, NULL) == -1)
		err(1, "sigaction");
	vdso = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	memset(pad, 'x', sizeof(pad) - 1);
	tick(0, &n, 1);
	every = 1;
	for (end = nevents; every < 60; end += nevents) {
		while (n < end) {
			set_trap(1);
			tick(0, &n, 1);
			set_trap(0);
			end_child();
		}
		every = every == 1 ? 11 : every + 6;
	}
	printf("%ld %d\n", (long)getpid(), (int)nforks);
}

#else

static void
stepped(void)
{
	exit(77);
}

#endif

int
main(int argc, char *argv[])
{
	const int step = argc > 1 && strcmp(argv[1], "-s") == 0;

	if (argc != 3)
		errx(1, "forksig events forks | -s events");
	nevents = strtoull(argv[step ? 2 : 1], NULL, 10);
	if (step) {
		stepped();
	} else {
		maxforks = atoi(argv[2]);
		timed();
	}
	return 0;
}
