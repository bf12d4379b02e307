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
 * stopped processes seconds: processes of one thread that trace in bursts, as
 * seq does, and stop themselves, from a timer's handler, mostly in the midst
 * of an event.  Their parent lets each go on after a while, shorter or longer
 * than it takes to revoke a sub-buffer.  Prints how many events there were.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif
#define MAXPROCS	400
#define MAXTHREADS	1024		/* as in seq */
#define BURST		3000		/* events at most */
#define SHORT_MS	1000		/* a stop; or */
#define LONG_MS		3000		/* as revocation takes, and more */

static struct shared {
	_Atomic int		over;
	_Atomic uint64_t	calls[MAXPROCS];	/* that returned */
} *shared;

static volatile sig_atomic_t fired;

static void
on_timer(int sig)
{
	(void)sig;
	fired = 1;
	if (!shared->over)
		kill(getpid(), SIGSTOP);
}

static void
nap_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void
burst(uint32_t writer, uint64_t *n)
{
	struct itimerval it;
	int i;

	memset(&it, 0, sizeof(it));
	it.it_value.tv_usec = 20 + random() % 200;
	fired = 0;
	setitimer(ITIMER_REAL, &it, NULL);
	for (i = 0; i < BURST && !fired; i++) {
		++*n;
		UT(seq, tick, writer, *n, *n % 3 ? "" : "0123456789",
		    (*n * UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	}
	while (!fired)
		nap_ms(10);
}

/* SEED in the environment, or another number each time. */
static unsigned long
a_seed(void)
{
	const char *s = getenv("SEED");

	return s != NULL ? strtoul(s, NULL, 10) : (unsigned long)time(NULL);
}

static void
child(int i, unsigned long seed)
{
	uint64_t n = 0;

	signal(SIGALRM, on_timer);
	srandom((unsigned int)(seed + (unsigned long)i * 7919));
	while (!shared->over) {
		burst((uint32_t)i * MAXTHREADS, &n);
		shared->calls[i] = n;
		nap_ms(random() % 50);
	}
	exit(0);
}

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int
main(int argc, char *argv[])
{
	static pid_t pids[MAXPROCS];
	static int64_t until[MAXPROCS];
	uint64_t calls = 0;
	unsigned long stops = 0;
	int64_t end;
	pid_t pid;
	int i, n, alive, status, failed = 0;
	const unsigned long seed = a_seed();

	if (argc != 3 || (n = atoi(argv[1])) < 1 || n > MAXPROCS)
		errx(1, "stopped processes seconds");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < n; i++) {
		if ((pids[i] = fork()) == -1)
			err(1, "fork");
		if (pids[i] == 0)
			child(i, seed);
	}
	srandom((unsigned int)seed);
	end = now_ms() + atol(argv[2]) * 1000;
	for (alive = n; alive > 0; nap_ms(5)) {
		while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
			for (i = 0; i < n && pids[i] != pid; i++)
				continue;
			if (i == n)
				continue;
			if (!WIFSTOPPED(status)) {
				failed |= status != 0;
				alive--;
				pids[i] = -1;
				until[i] = 0;
				continue;
			}
			until[i] = now_ms() + random() % SHORT_MS +
			    (random() % 3 == 0 ? 0 : LONG_MS);
			stops++;
		}
		if (now_ms() > end || failed)
			shared->over = 1;
		for (i = 0; i < n; i++)
			if (until[i] != 0 &&
			    (until[i] < now_ms() || shared->over)) {
				until[i] = 0;
				kill(pids[i], SIGCONT);
			}
	}
	for (i = 0; i < n; i++)
		calls += shared->calls[i];
	printf("%" PRIu64 " %lu\n", calls, stops);
	return failed;
}
