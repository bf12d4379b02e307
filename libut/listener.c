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
#include <unistd.h>

#include "ut_priv.h"

/* Say what another thread has left to be said. */
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
 * One message; the lock is held while it is obeyed, not while it comes.
 * False when the connection is gone.
 *
 * It waits by looking at the first byte: recv(2) keeps to the socket that it
 * began with, where poll(2) would go on with whatever the program has opened
 * at the number since, and even if that is a socket, nothing is taken.
 */
static bool
listen_once(struct conn *c)
{
	bool there;
	char byte;
	int s;

	pthread_mutex_lock(&ut_lock);
	s = c->sock;
	pthread_mutex_unlock(&ut_lock);
	if (s == -1)
		return false;
	if (recv(s, &byte, 1, MSG_PEEK) == -1 && errno == EINTR)
		return true;
	pthread_mutex_lock(&ut_lock);
	if ((there = ut_conn_obey(c)))
		say_unsent(c);
	pthread_mutex_unlock(&ut_lock);
	return there;
}

/* The same with descriptors of our own, and with a nudge. */
static bool
listen_apart(struct conn *c, int nudge)
{
	struct pollfd pfds[2];
	bool there = true;

	pthread_mutex_lock(&ut_lock);
	pfds[0].fd = c->sock;
	pfds[1].fd = nudge;
	pfds[0].events = pfds[1].events = POLLIN;
	pfds[0].revents = pfds[1].revents = 0;
	pthread_mutex_unlock(&ut_lock);
	if (poll(pfds, 2, -1) == -1)
		return true;
	pthread_mutex_lock(&ut_lock);
	if (pfds[1].revents != 0) {
		ut_nudge_read(nudge);
		say_unsent(c);
	}
	if (pfds[0].revents != 0)
		there = ut_conn_obey(c);
	pthread_mutex_unlock(&ut_lock);
	return there;
}

/* Until it is lost. */
static void
listen_to(struct conn *c)
{
	int nudge;

	if (!c->apart || (nudge = ut_nudge_open()) == -1) {
		while (listen_once(c))
			continue;
		return;
	}
	pthread_mutex_lock(&ut_lock);
	c->thread = pthread_self();
	c->ready = true;
	say_unsent(c);
	pthread_mutex_unlock(&ut_lock);
	while (listen_apart(c, nudge))
		continue;
	pthread_mutex_lock(&ut_lock);
	c->ready = false;
	pthread_mutex_unlock(&ut_lock);
	close(nudge);
}

/* Listens to a connection or looks for those that are not there. */
static void *
run(void *arg)
{
	struct conn *c = arg;
	bool apart = c != NULL && c->apart;

	(void)ut_mute();
	ut_name_thread("libut");
	do {
		if (c != NULL)
			listen_to(c);
		apart = apart || ut_own_fds();
	} while ((c = ut_find(c, apart)) != NULL);
	return NULL;
}

/* Have a thread listen to it, or hang up. */
int
ut_conn_listen(struct conn *c)
{
	c->listened = true;
	c->since = ut_msg_now();
	if (ut_thread_start(run, c) == 0)
		return 0;
	ut_conn_lost(c);
	c->listened = false;
	return -1;
}

/*
 * Tell one: true if it is to be waited for.  One that is late and still owes
 * an answer is told when it has given it, so that what it does not read never
 * fills the socket.
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
			ut_nudge(c->thread);
		return !ut_conn_late(c);
	}
	if (ut_conn_send_new(c) == 0)
		return !ut_conn_late(c);
	/* Its own thread finds it closed, and does the rest. */
	if (ut_conn_ours(c))
		(void)shutdown(c->sock, SHUT_RDWR);
	return false;
}

/* Have one look for what is not there. */
void
ut_find_start(void)
{
	(void)ut_thread_start(run, NULL);
}
