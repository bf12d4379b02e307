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
 * The threads: one listens to each utd that was found, and one more sleeps
 * for those that are not there; see find.c.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ut_conn.h"

#define NAP_MIN		100		/* ms */
#define NAP_MAX		10000
#define NTIDS		8		/* more than there ever are */
#define END_MAX		3000		/* ms, for all to end */

bool ut_alone;				/* there are to be none */
static bool alone_known;
static unsigned int running;
static uint32_t tids[NTIDS];		/* running or ending; 0: unused */
static pthread_cond_t ending;

/* Send the NEW that another thread has left to us. */
static void
say_unsent(struct conn *c)
{
	if (!c->unsent)
		return;
	c->unsent = false;
	if (ut_conn_say_new(c) == -1)
		(void)shutdown(c->sock, SHUT_RDWR);
}

/*
 * Wait for a message for some time, and obey it; the lock is held only while we
 * obey.  False when the connection is lost.
 *
 * The program may close the socket and put a descriptor of its own in its
 * place, after we have looked at it.  So no sleep is for ever: poll(2) takes
 * nothing from that descriptor, and if the program closes it, the other end
 * sees that no later than at the end of the sleep.  Programs do such things
 * when they start, or become daemons, so the sleeps are short at first.
 */
static bool
listen_once(struct conn *c, int *ms)
{
	struct pollfd pfd;
	bool there;

	pthread_mutex_lock(&ut_lock);
	pfd.fd = ut_conn_ours(c) ? c->sock : -1;
	ut_unlock();
	pfd.events = POLLIN;
	pfd.revents = 0;
	if (pfd.fd == -1 || ut_conn_poll(&pfd, 1, *ms) != 0)
		*ms = NAP_MIN;
	else if ((*ms *= 2) > NAP_MAX)
		*ms = NAP_MAX;
	pthread_mutex_lock(&ut_lock);
	if ((there = ut_conn_obey(c)))
		say_unsent(c);
	ut_unlock();
	return there;
}

/* Wake the thread that listens, which is ready. */
static void
conn_wake(struct conn *c)
{
	ut_nudge(c->thread);
	c->nudged = true;
}

/* Listen in a thread with descriptors of its own, which can be nudged. */
static bool
listen_apart(struct conn *c, const struct ut_nudge *nudge)
{
	struct pollfd pfds[2];
	bool there = true;

	pthread_mutex_lock(&ut_lock);
	pfds[0].fd = c->sock;
	pfds[1].fd = nudge->wakes;
	pfds[0].events = pfds[1].events = POLLIN;
	pfds[0].revents = pfds[1].revents = 0;
	ut_unlock();
	(void)ut_conn_poll(pfds, 2, -1);
	pthread_mutex_lock(&ut_lock);
	if (pfds[1].revents != 0) {
		ut_nudge_read(nudge, c->nudged);
		c->nudged = false;
		say_unsent(c);
	}
	if (ut_alone) {
		ut_conn_lost(c);
		there = false;
	} else if (pfds[0].revents != 0) {
		there = ut_conn_obey(c);
	}
	ut_unlock();
	return there;
}

/*
 * Take the socket along into a descriptor table of this thread, where the
 * program cannot close it, and we cannot mistake a descriptor of the program
 * for it.  The program's copy stays, for the program to close.
 */
static bool
come_apart(struct conn *c)
{
	bool there;

	pthread_mutex_lock(&ut_lock);
	if (!c->apart && ut_conn_ours(c) && !ut_debugs() &&
	    ut_own_fds(c->sock)) {
		c->apart = true;
		ut_conn_leave(c);
	}
	if (!(there = ut_conn_ours(c))) {
		/* The program replaced the socket just before: let it go. */
		if (c->apart)
			(void)ut_own_fds(-1);
		ut_conn_lost(c);
	}
	ut_unlock();
	return there;
}

/* Listen until the connection is lost. */
static void
listen_to(struct conn *c)
{
	struct ut_nudge nudge;
	int ms = NAP_MIN;

	if (!come_apart(c))
		return;
	if (!c->apart || ut_nudge_open(&nudge) == -1) {
		while (listen_once(c, &ms))
			continue;
		return;
	}
	pthread_mutex_lock(&ut_lock);
	c->thread = pthread_self();
	c->ready = true;
	c->nudged = false;
	say_unsent(c);
	ut_unlock();
	while (listen_apart(c, &nudge))
		continue;
	pthread_mutex_lock(&ut_lock);
	c->ready = false;
	ut_nudge_read(&nudge, c->nudged);
	ut_unlock();
	ut_nudge_close(&nudge);
}

static uint32_t *
run_begin(void)
{
	uint32_t *tid = tids;

	pthread_mutex_lock(&ut_lock);
	while (*tid != 0 && tid < tids + NTIDS - 1)
		tid++;
	*tid = ut_gettid();
	ut_unlock();
	return tid;
}

/* The thread ends; ut_threads_end waits until the system knows that, too. */
static void
run_end(uint32_t *tid)
{
	pthread_mutex_lock(&ut_lock);
	if (!ut_alone)
		*tid = 0;
	running--;
	ut_unlock();
}

/* A thread: listens to a connection, or looks for a utd that is not there. */
static void *
thread_main(void *arg)
{
	struct conn *c = arg;
	bool apart = c != NULL && c->apart;
	uint32_t *tid;

	(void)ut_mute();
	ut_name_thread("libut");
	tid = run_begin();
	do {
		if (c != NULL)
			listen_to(c);
		apart = apart || (!ut_debugs() && ut_own_fds(-1));
	} while ((c = ut_find(c, apart)) != NULL);
	run_end(tid);
	return NULL;
}

static int
run_start(struct conn *c)
{
	int error;

	if (ut_alone)
		return EPERM;
	if ((error = ut_thread_start(thread_main, c)) == 0)
		running++;
	return error;
}

/* Start a thread that listens; if that fails, close the connection. */
int
ut_conn_listen(struct conn *c)
{
	c->listened = true;
	c->since = ut_msg_now();
	if (run_start(c) == 0)
		return 0;
	ut_conn_lost(c);
	c->listened = false;
	return -1;
}

/*
 * Tell a utd of new events; true if its answer is to be waited for.  A utd that
 * is late and owes us an answer is told after that answer, so that messages
 * that it does not read never fill the socket.
 */
bool
ut_conn_tell(struct conn *c)
{
	if (c->sock == -1)
		return false;
	if (ut_conn_late(c) && c->done != c->asked) {
		c->news = true;
		return false;
	}
	if (c->apart) {
		if (!c->unsent)
			c->asked++;
		c->unsent = true;
		if (c->ready)
			conn_wake(c);
		return !ut_conn_late(c);
	}
	if (ut_conn_send_new(c) == 0)
		return !ut_conn_late(c);
	/* The connection's thread finds it closed, and does the rest. */
	if (ut_conn_ours(c))
		(void)shutdown(c->sock, SHUT_RDWR);
	return false;
}

/* Start a thread that looks for a utd that is not there. */
void
ut_find_start(void)
{
	(void)run_start(NULL);
}

/* At the start, and in the child of a fork: there are none. */
void
ut_threads_none(void)
{
	pthread_condattr_t attr;
	const char *s;

	if (!alone_known && !ut_issetugid() &&
	    (s = getenv("UT_THREADS")) != NULL)
		ut_alone = strcmp(s, "0") == 0;
	alone_known = true;
	running = 0;
	memset(tids, 0, sizeof(tids));
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ending, &attr);
	pthread_condattr_destroy(&attr);
}

/* A connection that nobody listens to belongs to no thread alone. */
void
ut_conns_here(void)
{
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		c->apart = c->apart && c->listened;
}

/* May there be more threads than ours and the one that calls? */
bool
ut_threads_others(void)
{
	const unsigned int n = ut_thread_count();

	return n == 0 || n > running + 1;
}

/* Wait without the lock, for so long or until the threads are to end. */
void
ut_threads_nap(int ms)
{
	struct timespec ts;
	int error = 0;

	ut_wait_until(&ts, ms);
	while (!ut_alone && error == 0)
		error = pthread_cond_timedwait(&ending, &ut_lock, &ts);
}

/* Wake the thread of a connection, wherever it sleeps; false if we may not. */
static bool
conn_nudge(struct conn *c)
{
	if (c->apart && c->ready)
		conn_wake(c);
	else if (!c->apart && ut_conn_ours(c))
		(void)shutdown(c->sock, SHUT_RDWR);
	return c->place[0] == '\0' || ut_find_poke(c->place) ||
	    errno != EACCES;
}

static bool
all_gone(void)
{
	int i;

	for (i = 0; i < NTIDS; i++) {
		if (tids[i] != 0 && !ut_thread_gone(tids[i]))
			return false;
		tids[i] = 0;
	}
	return running == 0;
}

/* Say whether there are to be threads, before any is started. */
void
ut_threads_want(bool want)
{
	ut_alone = !want;
	alone_known = true;
}

/* End all threads: 0, or EBUSY if one of them does not end. */
int
ut_threads_end(void)
{
	static const struct timespec nap = { 0, 1000000 };
	const int64_t deadline = ut_msg_now() + END_MAX;
	struct conn *c;

	pthread_cond_broadcast(&ending);
	while (!all_gone()) {
		if (ut_msg_now() >= deadline)
			return EBUSY;
		for (c = ut_conns; c < ut_conns + ut_nconns; c++)
			if (!conn_nudge(c))
				return EBUSY;
		ut_unlock();
		nanosleep(&nap, NULL);
		pthread_mutex_lock(&ut_lock);
	}
	return 0;
}
