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
 * A timer's handler that jumps out of whatever there is, again and again, as a
 * scheduler's might: leaps jumps.  Beside it there are threads that have all
 * sub-buffers which one can have for itself, so that each event takes a slot,
 * and gives it back.  When all is over it says so, and stays until stdin ends.
 */

#include <sys/time.h>

#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

#define HELPERS	4
#define SECONDS	20		/* no more, where a jump takes long */

UT_EVENT(leaps, tick, UT_INFO, UT_INT(n))
UT_EVENT(leaps, help, UT_INFO, UT_INT(n))

static sigjmp_buf env;
static volatile sig_atomic_t jumps, most;

static void
handler(int sig)
{
	(void)sig;
	if (jumps >= most)
		return;
	jumps++;
	siglongjmp(env, 1);
}

static void *
help(void *arg)
{
	const struct timespec nap = { 0, 5000000 };
	int n;

	for (n = 0; jumps < most; n++) {
		UT(leaps, help, n);
		(void)nanosleep(&nap, NULL);
	}
	return arg;
}

static void
leap(void)
{
	static const struct itimerval often = { { 0, 113 }, { 0, 113 } }, never;
	const time_t end = time(NULL) + SECONDS;
	volatile int n = 0;

	if (sigsetjmp(env, 1) == 0 &&
	    setitimer(ITIMER_REAL, &often, NULL) == -1)
		err(1, "setitimer");
	while (jumps < most && time(NULL) < end)
		UT(leaps, tick, n++);
	most = jumps;
	(void)setitimer(ITIMER_REAL, &never, NULL);
}

int
main(int argc, char *argv[])
{
	pthread_t threads[HELPERS];
	struct sigaction sa;
	sigset_t set;
	char c;
	int i;

	if (argc != 2)
		errx(1, "leaps jumps");
	most = atoi(argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);	/* the others' stays so */
	for (i = 0; i < HELPERS; i++)
		if (pthread_create(&threads[i], NULL, help, NULL) != 0)
			errx(1, "pthread_create");
	sa.sa_handler = handler;
	sa.sa_flags = 0;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	leap();
	for (i = 0; i < HELPERS; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", (int)jumps);
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		continue;
	return 0;
}
