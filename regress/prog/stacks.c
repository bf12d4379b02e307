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
 * Handlers that trace in the middle of an event, on stacks of all kinds, above
 * and below the one that they interrupt: stacks how times.  An event reads
 * memory that is not there; the handler of SIGSEGV traces, makes it readable,
 * and returns into the event.  How is
 *
 *	inner	a disarmed alternate stack inside of the thread's, above
 *	outer	a disarmed one of another stack that lies above the thread's
 *	below	a disarmed one that lies below
 *	switch	the handler switches to a coroutine, which traces and switches
 *		back
 *	leave	the handler leaves the event, by siglongjmp, each time at
 *		another depth of the stack
 */

#include <sys/mman.h>

#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <ut.h>

/* musl declares these functions, and has none of them. */
#if defined(__linux__) && !defined(__GLIBC__)
#define getcontext(c)		(_exit(77), -1)
#define makecontext(c, f, n)	((void)(f))
#define swapcontext(from, to)	abort()
#endif

#ifndef SS_AUTODISARM
#define SS_AUTODISARM	(1u << 31)
#endif
#define SIZE	65536

UT_EVENT(stacks, bad, UT_INFO, UT_INT(n), UT_ARRAY(uint64_t, a, 8))
UT_EVENT(stacks, handler, UT_INFO, UT_INT(n), UT_STR(pad))
UT_EVENT(stacks, good, UT_INFO, UT_INT(n))

static const char *how;
static int times;
static volatile int n;
static uint64_t *page;
static sigjmp_buf env;
static ucontext_t interrupted, coroutine;
static unsigned char *stack;
static unsigned int flags;

static void
trace_here(void)
{
	UT(stacks, handler, n, "this is much longer than what it must not "
	    "overwrite, the event that the handler has interrupted");
	UT(stacks, handler, n, "again");
}

static void
coroutine_main(void)
{
	for (;;) {
		trace_here();
		swapcontext(&coroutine, &interrupted);
	}
}

static void
handler(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)si;
	(void)context;
	if (*how == 's')
		swapcontext(&interrupted, &coroutine);
	else
		trace_here();
	if (*how == 'l')
		siglongjmp(env, 1);
	if (mprotect(page, 4096, PROT_READ) == -1)
		_exit(2);
}

static void __attribute__((noinline))
bad(int depth)
{
	volatile unsigned char room[512];

	memset((unsigned char *)room, depth, sizeof(room));
	if (depth > 0)
		bad(depth - 1);
	else
		UT(stacks, bad, n, page);
	room[0] = room[1];
}

static void *
run(void *arg)
{
	stack_t ss;
	int i;

	memset(&ss, 0, sizeof(ss));
	ss.ss_sp = (void *)stack;
	ss.ss_size = SIZE;
	ss.ss_flags = (int)flags;
	if (flags != 0 && sigaltstack(&ss, NULL) == -1)
		_exit(77);
	for (n = 0; n < times; n++) {
		if (mprotect(page, 4096, PROT_NONE) == -1)
			err(1, "mprotect");
		if (sigsetjmp(env, 1) == 0)
			bad(*how == 'l' ? n * 7 % 40 : 0);
		for (i = 0; i < 10; i++)
			UT(stacks, good, n);
	}
	return arg;
}

int
main(int argc, char *argv[])
{
	unsigned char here[SIZE];
	struct sigaction sa;
	pthread_t thread;

	if (argc != 3)
		errx(1, "stacks how times");
	how = argv[1];
	times = atoi(argv[2]);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
	stack = *how == 'i' || *how == 'o' ? here : malloc(SIZE);
	if (page == MAP_FAILED || stack == NULL)
		err(1, NULL);
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = handler;
	/* Without SA_SIGINFO a frame of Linux/i386 tells of no stack. */
	sa.sa_flags = SA_NODEFER | SA_SIGINFO;
	if (*how == 'i' || *how == 'o' || *how == 'b') {
		flags = SS_AUTODISARM;
		sa.sa_flags |= SA_ONSTACK;
	}
	if (*how == 's') {
		if (getcontext(&coroutine) == -1)
			err(1, "getcontext");
		coroutine.uc_stack.ss_sp = (void *)stack;
		coroutine.uc_stack.ss_size = SIZE;
		makecontext(&coroutine, coroutine_main, 0);
	}
	if (sigaction(SIGSEGV, &sa, NULL) == -1 ||
	    sigaction(SIGBUS, &sa, NULL) == -1)
		err(1, "sigaction");
	/* The stack of the first thread is above all else. */
	if (*how != 'o' && strcmp(how, "switch") != 0)
		run(NULL);
	else if (pthread_create(&thread, NULL, run, NULL) != 0)
		errx(1, "pthread_create");
	else
		pthread_join(thread, NULL);
	return 0;
}
