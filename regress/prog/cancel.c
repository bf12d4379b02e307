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
 * pthread_cancel(3) is pending while a thread calls into the library, in every
 * way there is: cancel [-a].  None of it is a cancellation point, and later
 * calls of other threads find all as it should be.  With -a cancellation is
 * asynchronous, and comes at any time.  Events of a library come and go as its
 * constructor and destructor have it, which dlopen and dlclose run.
 */

#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(cancel, step, UT_INFO, UT_INT(thread), UT_STR(before))

#define NTHREADS	3
#define TIMES		200		/* with -a */

static struct ut_event events[NTHREADS + 1] = {
	{ 0, UT_INFO, "cancel:lib0", ut_log_fields, NULL, NULL, { 0 }, 0,
	    0, NULL, NULL },
	{ 0, UT_INFO, "cancel:lib1", ut_log_fields, NULL, NULL, { 0 }, 0,
	    0, NULL, NULL },
	{ 0, UT_INFO, "cancel:lib2", ut_log_fields, NULL, NULL, { 0 }, 0,
	    0, NULL, NULL },
	{ 0, UT_INFO, "cancel:lib3", ut_log_fields, NULL, NULL, { 0 }, 0,
	    0, NULL, NULL },
};
static struct ut_module libs[NTHREADS + 1];
static const char *volatile at = "nothing";
static pthread_key_t key;
static _Atomic int ended, begun;

static void
too_long(int sig)
{
	(void)sig;
	dprintf(STDERR_FILENO, "it hangs, after %s\n", at);
	_exit(1);
}

static void
load(int i)
{
	libs[i].version = UT_VERSION;
	libs[i].size = (uint32_t)sizeof(struct ut_event);
	libs[i].begin = &events[i];
	libs[i].end = &events[i + 1];
	ut_module_add(&libs[i]);
}

static void
fork_one(int i)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		alarm(10);
		UT(cancel, step, i, "_exit");
		_exit(0);
	}
	/* A cancellation point: only when it is not enabled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			err(1, "the child");
	if (status != 0)
		errx(1, "the child: status %x", (unsigned int)status);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

/* Another thing to be done at the end of a thread. */
static void
destructor(void *arg)
{
	(void)arg;
	ended++;
}

static void *
run(void *arg)
{
	const int i = *(int *)arg;
	int state;

	pthread_setspecific(key, arg);
	pthread_cancel(pthread_self());
	at = "the cancellation";
	UT(cancel, step, i, "dlopen");
	UT_LOG(UT_INFO, "thread %d", i);
	load(i);
	at = "dlopen";
	UT(cancel, step, i, "fork");
	fork_one(i);
	at = "fork";
	UT(cancel, step, i, "dlclose");
	ut_module_remove(&libs[i]);
	at = "dlclose";
	UT(cancel, step, i, "the end");
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (state != PTHREAD_CANCEL_ENABLE)
		errx(1, "the state of cancellation is another");
	pthread_setcancelstate(state, NULL);
	pthread_testcancel();
	errx(1, "not cancelled");
}

/* Until it is cancelled, wherever that may be. */
static void *
run_async(void *arg)
{
	const int i = *(int *)arg;

	pthread_setspecific(key, arg);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;) {
		load(i);
		begun++;
		UT(cancel, step, i, "dlclose");
		ut_module_remove(&libs[i]);
	}
	return NULL;
}

static void
cancel_async(int i, pthread_t thread)
{
	const struct timespec nap = { 0, 1000 * (i % 100) };

	at = "an asynchronous cancellation";
	while (begun == 0)
		sched_yield();
	nanosleep(&nap, NULL);
	pthread_cancel(thread);
}

int
main(int argc, char *argv[])
{
	const bool async = argc > 1 && strcmp(argv[1], "-a") == 0;
	static int is[NTHREADS] = { 0, 1, 2 };
	pthread_t thread;
	void *result;
	int i, *p;

	signal(SIGALRM, too_long);
	alarm(50);
	if (pthread_key_create(&key, destructor) != 0)
		errx(1, "pthread_key_create");
	for (i = 0; i < (async ? TIMES : NTHREADS); i++) {
		p = &is[i % NTHREADS];
		begun = 0;
		if (pthread_create(&thread, NULL, async ? run_async : run,
		    p) != 0)
			errx(1, "pthread_create");
		if (async)
			cancel_async(i, thread);
		if (pthread_join(thread, &result) != 0 ||
		    result != PTHREAD_CANCELED || ended != i + 1)
			errx(1, "thread %d: %p", i, result);
		at = "the end of the thread";
		ut_module_remove(&libs[*p]);
	}
	load(NTHREADS);
	fork_one(NTHREADS);
	UT(cancel, step, NTHREADS, "exit");
	return 0;
}
