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
 * A program whose threads wait for space: a command a line on stdin, an answer
 * a line on stdout.
 *
 *	hold n	so many threads begin an event that does not end: the callback
 *		of the context `hold' sleeps in it; how many there are that do
 *	idle n	so many threads have events, and do nothing then
 *	go	these events end, and all these threads
 *	try	a thread begins an event, and after it ends
 *	done	how many of these have gone on after their event
 *	signal	to the last of them, which traces in its handler, and to
 *		nobody; answers when that is over
 *	cancel	the last of them; answers when it has been asked
 *	join	the last of them: `cancelled' or `over'
 *	fork	a child that traces: its status
 *	fill n	so many events; the longest took so many milliseconds
 *	come n	so many threads, one after the other, that have 400 events
 *		each: how many milliseconds were waited for events
 *	on	is there a session for it?
 *	told	how often SIGTERM has come
 *	exit	exit(3)
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(blocked, event, UT_INFO, UT_INT(n))
UT_EVENT(blocked, nested, UT_INFO, UT_INT(n))

#define MAX	64

static pthread_t holders[MAX], last;
static int nholders;
static sem_t held, released, handled;
static __thread volatile int holds;
static _Atomic int holding, over;
static volatile sig_atomic_t told;

static uint64_t
hold(void)
{
	if (holds) {
		holds = 0;
		holding++;
		sem_post(&held);
		while (sem_wait(&released) == -1)
			continue;
	}
	return 1;
}

static void *
holder(void *arg)
{
	holds = 1;
	UT(blocked, event, 1);
	if (holds)			/* there was no room */
		sem_post(&held);
	return arg;
}

static void *
idle(void *arg)
{
	int i;

	for (i = 0; i < 1000; i++)
		UT(blocked, event, 5);
	sem_post(&held);
	while (sem_wait(&released) == -1)
		continue;
	return arg;
}

static void *
try(void *arg)
{
	UT(blocked, event, 2);
	over++;
	pthread_testcancel();
	return arg;
}

static void
handle(int sig)
{
	if (sig == SIGTERM) {
		told++;
		return;
	}
	UT(blocked, nested, 3);
	sem_post(&handled);
}

static const char *
join(void)
{
	void *r;

	if (pthread_join(last, &r) != 0)
		return "what?";
	return r == PTHREAD_CANCELED ? "cancelled" : "over";
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int
fill(int n)
{
	double before, took, most = 0;

	for (; n > 0; n--) {
		before = now();
		UT(blocked, event, n);
		if ((took = now() - before) > most)
			most = took;
	}
	return (int)most;
}

static void *
pass(void *arg)
{
	double *waited = arg, before, took;
	int i;

	for (i = 0; i < 400; i++) {
		before = now();
		UT(blocked, event, i);
		if ((took = now() - before) > 100)
			*waited += took;
	}
	return NULL;
}

static int
come(int n)
{
	double waited = 0;
	pthread_t id;

	for (; n > 0; n--)
		if (pthread_create(&id, NULL, pass, &waited) != 0 ||
		    pthread_join(id, NULL) != 0)
			exit(1);
	return (int)waited;
}

static int
child(void)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == 0) {
		UT(blocked, event, 4);
		_exit(7);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
start(void *(*run)(void *), int n)
{
	while (n-- > 0 && nholders < MAX) {
		if (pthread_create(&holders[nholders++], NULL, run, NULL) != 0)
			exit(1);
		while (sem_wait(&held) == -1)
			continue;
	}
	return nholders;
}

static int
obey(const char *word, int n)
{
	if (strcmp(word, "hold") == 0) {
		(void)start(holder, n);
		return holding;
	}
	if (strcmp(word, "idle") == 0)
		return start(idle, n);
	if (strcmp(word, "go") == 0) {
		for (n = nholders; n > 0; n--)
			sem_post(&released);
		while (nholders > 0)
			pthread_join(holders[--nholders], NULL);
		while (sem_trywait(&released) == 0)
			continue;
		holding = 0;
		return 0;
	}
	if (strcmp(word, "try") == 0)
		return pthread_create(&last, NULL, try, NULL);
	if (strcmp(word, "done") == 0)
		return over;
	if (strcmp(word, "signal") == 0) {
		pthread_kill(last, SIGUSR1);
		while (sem_wait(&handled) == -1)
			continue;
		return 0;
	}
	if (strcmp(word, "cancel") == 0)
		return pthread_cancel(last);
	if (strcmp(word, "fork") == 0)
		return child();
	if (strcmp(word, "fill") == 0)
		return fill(n);
	if (strcmp(word, "come") == 0)
		return come(n);
	if (strcmp(word, "told") == 0)
		return (int)told;
	if (strcmp(word, "on") == 0)
		return UT_ON(blocked, event);
	exit(3);
}

int
main(void)
{
	char word[32], line[80];
	int n;

	alarm(600);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sem_init(&held, 0, 0);
	sem_init(&released, 0, 0);
	sem_init(&handled, 0, 0);
	signal(SIGUSR1, handle);
	signal(SIGTERM, handle);
	if (ut_context("hold", hold) == -1)
		return 1;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		n = 0;
		if (sscanf(line, "%31s %d", word, &n) < 1)
			return 1;
		if (strcmp(word, "join") == 0)
			puts(join());
		else
			printf("%d\n", obey(word, n));
	}
	return 0;
}
