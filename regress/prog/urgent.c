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
 * A program that has its own use for SIGURG, which it blocks:
 *	urgent fd|wait|handler|reset|pending|back n
 * A child sends it the signal n times, one after the other, and it takes each:
 * from a signalfd(2), with sigtimedwait(2), in a handler when it no longer
 * blocks it, or with sigtimedwait(2) after it has set the signal's action.
 * Before each it has a new event, urgent:e0 and so on, and traces that.  It
 * says how many signals came.  `pending' leaves one pending for n ms, in which
 * it gets another signal each ms, and says how many ms of a processor that took.
 * `back' is about what libut's thread does when its own signal is gone and the
 * program's is there.
 */

#include <sys/time.h>
#include <sys/resource.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <sys/signalfd.h>
#endif

#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

#include "../../libut/common/compat.h"

#define PATIENCE	3000		/* ms */

static const struct ut_field none[] = { { NULL, NULL, 0, 0, 0, 0, 0 } };
static volatile sig_atomic_t handled;

static void
handler(int sig)
{
	(void)sig;
	handled++;
}

static void
on(int sig, void (*f)(int))
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = f;
	if (sigaction(sig, &sa, NULL) == -1)
		err(1, "sigaction");
}

/* As if it loaded a library: the thread that listens to utd is woken. */
static void
event_new(int i)
{
	struct ut_module *m = calloc(1, sizeof(*m));
	struct ut_event *ev;
	struct ut_record r;
	unsigned char *p;
	char *name = malloc(32);
	void *room;

	if (m == NULL || name == NULL ||
	    posix_memalign(&room, 64, sizeof(*ev)) != 0)
		errx(1, "no memory");
	ev = room;
	memset(ev, 0, sizeof(*ev));
	snprintf(name, 32, "urgent:e%d", i);
	ev->name = name;
	ev->level = UT_INFO;
	ev->fields = none;
	m->version = UT_VERSION;
	m->size = sizeof(*ev);
	m->begin = ev;
	m->end = ev + 1;
	ut_module_add(m);
	if (UT_LISTENS(*ev))
		for (p = ut_begin(&r, ev, 0); p != NULL; p = ut_commit(&r))
			continue;
}

/* The other end of a pipe, where a child sends SIGURG for each byte. */
static int
sender(pid_t *child)
{
	const pid_t parent = getpid();
	int fds[2];
	char c;

	if (pipe(fds) == -1 || (*child = fork()) == -1)
		err(1, "sender");
	if (*child == 0) {
		close(fds[1]);
		while (read(fds[0], &c, 1) == 1)
			if (kill(parent, SIGURG) == -1)
				err(1, "kill");
		_exit(0);
	}
	close(fds[0]);
	return fds[1];
}

static int
from_fd(const sigset_t *set)
{
#if defined(__linux__)
	static int fd = -1;
	struct signalfd_siginfo si;
	struct pollfd p = { .events = POLLIN };

	if (fd == -1 && (fd = signalfd(-1, set, SFD_NONBLOCK)) == -1)
		err(1, "signalfd");
	p.fd = fd;
	return poll(&p, 1, PATIENCE) == 1 && read(fd, &si, sizeof(si)) > 0;
#else
	(void)set;
	exit(77);
#endif
}

static int
waited(const sigset_t *set)
{
	const struct timespec ts = { PATIENCE / 1000, 0 };

	return sigtimedwait(set, NULL, &ts) == SIGURG;
}

static int
is_handled(const sigset_t *set)
{
	const struct timespec nap = { 0, 100000 };
	int i, had = handled;

	nanosleep(&nap, NULL);		/* it is pending meanwhile */
	sigprocmask(SIG_UNBLOCK, set, NULL);
	for (i = 0; handled == had && i < PATIENCE * 10; i++)
		nanosleep(&nap, NULL);
	sigprocmask(SIG_BLOCK, set, NULL);
	return handled == had + 1;
}

static int
takes(const char *how, const sigset_t *set)
{
	return strcmp(how, "fd") == 0 ? from_fd(set) :
	    strcmp(how, "handler") == 0 ? is_handled(set) : waited(set);
}

static void
pending(const sigset_t *set, int ms)
{
	const struct itimerval each = { { 0, 1000 }, { 0, 1000 } };
	const struct itimerval no = { { 0, 0 }, { 0, 0 } };
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };
	struct rusage ru;
	long used;

	on(SIGALRM, handler);
	event_new(0);
	kill(getpid(), SIGURG);
	setitimer(ITIMER_REAL, &each, NULL);
	while (nanosleep(&ts, &ts) == -1)
		continue;
	setitimer(ITIMER_REAL, &no, NULL);
	event_new(1);
	if (!waited(set))
		errx(1, "nothing is pending");
	if (getrusage(RUSAGE_SELF, &ru) == -1)
		err(1, "getrusage");
	used = (long)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000 +
	    (long)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000;
	printf("%ld\n", used);
}

/* As libut's thread, whose signal was thrown away; n times. */
static void
back(const sigset_t *set, int n)
{
	const struct timespec none_left = { 0, 0 };
	struct ut_nudge nudge;
	int i;

	if (ut_nudge_open(&nudge) == -1)
		exit(77);
	for (i = 0; i < n; i++) {
		kill(getpid(), SIGURG);
		ut_nudge_read(&nudge, true);
		if (!waited(set))
			errx(1, "the program's signal is gone");
		kill(getpid(), SIGURG);
		ut_nudge(pthread_self());
		ut_nudge_read(&nudge, true);
		if (!waited(set) ||
		    sigtimedwait(set, NULL, &none_left) == SIGURG)
			errx(1, "another signal was taken");
	}
	ut_nudge_close(&nudge);
	printf("%d\n", n);
}

int
main(int argc, char *argv[])
{
	sigset_t set;
	pid_t child;
	int i, n, to, got = 0;

	if (argc != 3)
		errx(1, "urgent fd|wait|handler|reset|pending|back n");
	n = atoi(argv[2]);
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	on(SIGURG, handler);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (strcmp(argv[1], "pending") == 0) {
		pending(&set, n);
		return 0;
	}
	if (strcmp(argv[1], "back") == 0) {
		back(&set, n);
		return 0;
	}
	to = sender(&child);
	for (i = 0; i < n && got == i; i++) {
		event_new(i);
		if (strcmp(argv[1], "reset") == 0) {
			on(SIGURG, SIG_IGN);
			on(SIGURG, handler);
		}
		if (write(to, "", 1) != 1)
			err(1, "write");
		got += takes(argv[1], &set);
	}
	printf("%d\n", got);
	close(to);
	waitpid(child, NULL, 0);
	return got == n ? 0 : 1;
}
