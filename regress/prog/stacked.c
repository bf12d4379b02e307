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
 * Events with what backtrace(3) says of their stacks: stacked [-fjs] threads
 * events.  -s: each thread waits between two, long enough to share sub-buffers.
 * -j: a signal handler records, too, and leaves every other event that it has
 * interrupted by siglongjmp.  -f: then a child does it all once more.
 */

#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAVE_BACKTRACE
#endif
#endif

#include <ut.h>

#define DEEPEST	200

UT_EVENT(stacked, at, UT_INFO, UT_INT(n), UT_SEQ(uint64_t, frames));

static int slow, jumps;
static long events;
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t inside;

static void __attribute__((noinline))
say(int n)
{
	uint64_t frames[DEEPEST];
	int i, count = 0;
#ifdef HAVE_BACKTRACE
	void *at[DEEPEST];

	count = backtrace(at, DEEPEST);
	for (i = 0; i < count; i++)
		frames[i] = (uint64_t)(uintptr_t)at[i];
#else
	(void)i;
#endif
	inside = 1;
	UT(stacked, at, n, frames, (size_t)count);
	inside = 0;
}

static void __attribute__((noinline)) odd(int, unsigned int);

static void __attribute__((noinline))
even(int n, unsigned int way)
{
	if (way < 2)
		say(n);
	else if (way & 1)
		odd(n, way >> 1);
	else
		even(n, way >> 1);
	__asm__ volatile("");
}

static void __attribute__((noinline))
odd(int n, unsigned int way)
{
	if (way < 2)
		say(n);
	else if (way & 1)
		even(n, way >> 1);
	else
		odd(n, way >> 1);
	__asm__ volatile("");
}

static void
handle(int sig)
{
	static volatile sig_atomic_t times;
	const sig_atomic_t was = inside;

	(void)sig;
	even(-1, 2);
	inside = was;
	if (inside && ++times % 2 == 0)
		siglongjmp(out, 1);
}

static void *
work(void *arg)
{
	const struct timespec nap = { 0, 50000000 };
	volatile long i;
	volatile unsigned int way = (unsigned int)(uintptr_t)arg;

	for (i = 0; i < events; i++) {
		way = way * 1103515245 + 12345;
		if (jumps && sigsetjmp(out, 1) != 0)
			continue;
		even((int)i, 1 + (way >> 16) % 512);
		if (slow)
			nanosleep(&nap, NULL);
	}
	return NULL;
}

static void
work_all(int threads)
{
	pthread_t ids[256];
	int i;

	for (i = 1; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work,
		    (void *)(uintptr_t)i) != 0)
			errx(1, "pthread_create");
	(void)work(NULL);
	for (i = 1; i < threads; i++)
		pthread_join(ids[i], NULL);
}

static void
timer_start(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handle;
	sa.sa_flags = SA_RESTART;
	if (sigaction(SIGALRM, &sa, NULL) == -1 ||
	    setitimer(ITIMER_REAL, &often, NULL) == -1)
		err(1, "timer");
}

int
main(int argc, char *argv[])
{
	int c, threads, forks = 0, status;
	pid_t pid;

	while ((c = getopt(argc, argv, "fjs")) != -1) {
		forks |= c == 'f';
		jumps |= c == 'j';
		slow |= c == 's';
	}
	threads = atoi(argv[optind]);
	events = atol(argv[optind + 1]);
	if (threads > 256)
		errx(1, "too many threads");
	say(-1);			/* what backtrace(3) has to load */
	if (jumps)
		timer_start();
	work_all(threads);
	if (!forks)
		return 0;
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		work_all(threads);
		return 0;
	}
	if (waitpid(pid, &status, 0) == -1)
		err(1, "waitpid");
	return status != 0;
}
