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
 * Threads that trace while signals interrupt them, whose handlers trace and
 * are interrupted in turn: signals threads events.  A thread at each depth of
 * handlers is a writer of seq:tick, for seqcheck.  Prints how many events
 * there are.
 */

#include <sys/time.h>

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define MAXTHREADS	16
#define DEPTHS		4		/* 0 is no handler */

static _Thread_local uint32_t self;
static _Thread_local volatile sig_atomic_t depth;
static _Thread_local volatile uint64_t count[DEPTHS];
static _Atomic uint64_t total[DEPTHS];
static atomic_int running;
static uint64_t nevents;
static pthread_t threads[MAXTHREADS];

static void
tick(void)
{
	const uint32_t writer = self * DEPTHS + (uint32_t)depth;
	const uint64_t n = ++count[depth];

	errno = 4711;
	UT(seq, tick, writer, n, depth > 0 ? "in a handler" : "",
	    (n * UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	if (errno != 4711)
		_exit(2);
}

static void
handler(int sig)
{
	const int error = errno;

	depth++;
	tick();
	/* Each signal is blocked in its own handler: never deeper. */
	if (sig == SIGUSR1)
		raise(SIGUSR2);
	depth--;
	errno = error;
}

static void *
run(void *arg)
{
	sigset_t all;
	int i;

	self = (uint32_t)(uintptr_t)arg;
	sigemptyset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (count[0] < nevents)
		tick();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (i = 0; i < DEPTHS; i++)
		total[i] += count[i];
	running--;
	return NULL;
}

static void
handle(int sig)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_RESTART;
	sigaction(sig, &sa, NULL);
}

int
main(int argc, char *argv[])
{
	const struct itimerval every = { { 0, 100 }, { 0, 100 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	sigset_t all, none;
	uint64_t sum = 0;
	int i, n;

	if (argc != 3 || (n = atoi(argv[1])) > MAXTHREADS)
		errx(1, "signals threads events");
	nevents = strtoull(argv[2], NULL, 10);
	handle(SIGALRM);
	handle(SIGUSR1);
	handle(SIGUSR2);
	running = n;
	/* Until they know who they are. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &none);
	for (i = 1; i <= n; i++)
		if (pthread_create(&threads[i - 1], NULL, run,
		    (void *)(uintptr_t)i) != 0)
			errx(1, "pthread_create");
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (running > 0)
		for (i = 0; i < n; i++)
			pthread_kill(threads[i], SIGUSR1);
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < DEPTHS; i++) {
		total[i] += count[i];	/* of main, which has handlers only */
		sum += total[i];
	}
	fprintf(stderr, "%" PRIu64 " plain, %" PRIu64 " in handlers, %" PRIu64
	    " in those in handlers, %" PRIu64 " deeper\n", total[0], total[1],
	    total[2], total[3]);
	printf("%" PRIu64 "\n", sum);
	return 0;
}
