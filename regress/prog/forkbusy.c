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
 * fork in a handler that interrupts an event, while other threads are in the
 * middle of theirs: forkbusy.  All of these events read memory that is not
 * there.  The child has threads of its own, as many, each of which traces once
 * for each line that is read, and says so.  It ends with the input.
 */

#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(forkbusy, bad, UT_INFO, UT_ARRAY(uint64_t, a, 8))
UT_EVENT(forkbusy, good, UT_INFO, UT_INT(thread))

#define NTHREADS	4

static uint64_t *page;
static pthread_t first;
static int busy[2];			/* a pipe: a byte for each thread */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, traced;

static void *
trace(void *arg)
{
	int mine = 0;

	pthread_mutex_lock(&lock);
	for (;;) {
		while (turn == mine)
			pthread_cond_wait(&changed, &lock);
		mine = turn;
		UT(forkbusy, good, *(int *)arg);
		traced++;
		pthread_cond_broadcast(&changed);
	}
	return NULL;
}

static void
child(void)
{
	static int is[NTHREADS] = { 0, 1, 2, 3 };
	pthread_t thread;
	char line[80];
	int i;

	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&thread, NULL, trace, &is[i]) != 0)
			errx(1, "pthread_create");
	printf("ready %ld\n", (long)getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		pthread_mutex_lock(&lock);
		turn++;
		traced = 0;
		pthread_cond_broadcast(&changed);
		while (traced < NTHREADS)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
		printf("traced\n");
		fflush(stdout);
	}
}

static pid_t pid = -1;

static void
handler(int sig)
{
	char c;
	int i;

	(void)sig;
	if (!pthread_equal(pthread_self(), first)) {
		if (write(busy[1], "x", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	for (i = 0; i < NTHREADS; i++)
		if (read(busy[0], &c, 1) != 1)
			_exit(2);
	pid = fork();
	if (mprotect(page, 4096, PROT_READ) == -1)
		_exit(2);
}

static void *
read_bad(void *arg)
{
	UT(forkbusy, bad, page);
	return arg;
}

int
main(void)
{
	struct sigaction sa;
	pthread_t thread;
	int i, status;

	first = pthread_self();
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	if (page == MAP_FAILED || pipe(busy) == -1 ||
	    sigaction(SIGSEGV, &sa, NULL) == -1 ||
	    sigaction(SIGBUS, &sa, NULL) == -1)
		err(1, NULL);
	UT(forkbusy, good, -1);
	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&thread, NULL, read_bad, NULL) != 0)
			errx(1, "pthread_create");
	read_bad(NULL);
	if (pid == -1)
		errx(1, "fork, or nobody listens");
	if (pid == 0) {
		child();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) == -1 || status != 0)
		errx(1, "the child: status %x", (unsigned int)status);
	return 0;
}
