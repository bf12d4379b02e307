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
 * Handlers that leave events by siglongjmp: jump [-adft] times depth.  An event
 * reads memory that is not there; the handler of SIGSEGV traces, does the
 * same again until it is so deep, and jumps out of all of it.  After each
 * jump come 100 events.  With -a handlers run on a stack of their own, with
 * -t all of it is in a thread, whose stack is below main's, with -f in a child
 * that this thread forks.  With -d the event is deeper than those that follow,
 * sometimes more and sometimes less.
 */

#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(jump, bad, UT_INFO, UT_INT(n), UT_ARRAY(uint64_t, a, 8))
UT_EVENT(jump, handler, UT_INFO, UT_INT(n), UT_INT(depth))
UT_EVENT(jump, good, UT_INFO, UT_INT(n), UT_INT(i))

static sigjmp_buf env;
static int times, depth, forks, deep;
static volatile int jumped, level;
static stack_t own;
static const void *nothing;

static void
handler(int sig)
{
	(void)sig;
	UT(jump, handler, jumped, level);
	if (++level < depth)
		UT(jump, bad, jumped, nothing);
	siglongjmp(env, 1);
}

static void __attribute__((noinline))
left(int n)
{
	volatile char room[2000];

	room[0] = 1;
	if (n > 0)
		left(n - 1);
	else
		UT(jump, bad, jumped, nothing);
	room[sizeof(room) - 1] = 1;
}

static void
jumps(void)
{
	int i;

	if (own.ss_sp != NULL && sigaltstack(&own, NULL) == -1)
		err(1, "sigaltstack");
	while (jumped < times) {
		level = 0;
		if (sigsetjmp(env, 1) == 0) {
			if (deep)
				left(jumped % 7);
			else
				UT(jump, bad, jumped, nothing);
		}
		for (i = 0; i < 100; i++)
			UT(jump, good, jumped, i);
		jumped++;
	}
}

static void *
run(void *arg)
{
	int status = 0;
	pid_t pid = 0;

	if (forks && (pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0)
		jumps();
	if (pid == 0 && forks)
		_exit(0);
	if (pid != 0 && (waitpid(pid, &status, 0) == -1 || status != 0))
		errx(1, "the child's status is %d", status);
	return arg;
}

int
main(int argc, char *argv[])
{
	char stack[65536];
	struct sigaction sa;
	pthread_t thread;
	int c, threaded = 0;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_NODEFER;
	while ((c = getopt(argc, argv, "adft")) != -1) {
		if (c == 'a') {
			own.ss_sp = stack;
			own.ss_size = sizeof(stack);
			sa.sa_flags |= SA_ONSTACK;
		} else if (c == 't')
			threaded = 1;
		else if (c == 'd')
			deep = 1;
		else if (c == 'f')
			forks = 1;
		else
			return 1;
	}
	if (argc - optind != 2)
		errx(1, "jump [-adft] times depth");
	times = atoi(argv[optind]);
	depth = atoi(argv[optind + 1]);
	nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
	if (nothing == MAP_FAILED || sigaction(SIGSEGV, &sa, NULL) == -1 ||
	    sigaction(SIGBUS, &sa, NULL) == -1)
		err(1, NULL);
	if (!threaded)
		run(NULL);
	else if (pthread_create(&thread, NULL, run, NULL) != 0)
		errx(1, "pthread_create");
	else
		pthread_join(thread, NULL);
	return 0;
}
