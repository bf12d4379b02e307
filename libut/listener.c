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
 * The library's side of ut_msg(5): say hello to utd, do as told.
 *
 * The thread that starts the program registers it by itself, so that main()
 * is not entered before; then one thread for each utd takes over.  For those
 * that are not there one more thread sleeps: see find.c.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rundir.h"
#include "ut_priv.h"

#define SEND_TIMEOUT	3000		/* ms; then utd is given up */
#define BUSY_NAP	5		/* ms, until we try to connect again */
#define HIGH_FD		400		/* out of the program's way */

static bool started;
static pid_t listens;			/* the process whose conns these are */
static struct ut_msg in[UT_CONNS];	/* one each: may be half there */
static struct ut_msg out;
static sigset_t fork_signals;
static pthread_cond_t answered;
static int64_t hurry = -1;		/* no send takes longer; -1: none */

/*
 * Of which utd something was not had in time: nobody waits for it until it
 * has answered.  What a child finds out its parent and later children need
 * not find out again, so before the first fork this moves to memory that they
 * share.
 */
static _Atomic bool late_here[UT_CONNS];
static _Atomic bool *late = late_here;

static int
conn_index(const struct conn *c)
{
	return (int)(c - ut_conns);
}

static bool
is_late(const struct conn *c)
{
	return atomic_load_explicit(&late[conn_index(c)],
	    memory_order_relaxed);
}

static void
set_late(const struct conn *c, bool is)
{
	atomic_store_explicit(&late[conn_index(c)], is, memory_order_relaxed);
}

/* When what is sent now must have gone. */
static int64_t
send_deadline(void)
{
	int64_t deadline = ut_msg_now() + SEND_TIMEOUT;

	return hurry != -1 && hurry < deadline ? hurry : deadline;
}

/*
 * Programs close descriptors that are not theirs, and open others at the
 * same numbers.  Ask before every use.
 */
static bool
sock_ours(const struct conn *c)
{
	struct stat st;

	return c->sock != -1 && fstat(c->sock, &st) == 0 &&
	    st.st_dev == c->dev && st.st_ino == c->ino;
}

static void
conn_lost(struct conn *c)
{
	int i;

	if (sock_ours(c))
		close(c->sock);
	c->sock = -1;
	c->done = c->asked;
	c->news = c->unsent = false;
	pthread_cond_broadcast(&answered);
	for (i = 0; i < UT_CHANNELS; i++)
		if (ut_channels[i].gen != 0 &&
		    ut_channels[i].conn == conn_index(c))
			ut_region_detach((unsigned int)i);
}

static int
conn_send(struct conn *c, struct ut_msg *m)
{
	if (!sock_ours(c) || ut_msg_send(c->sock, m, send_deadline()) == -1)
		return -1;
	return 0;
}

static int
conn_answer(struct conn *c, int type, uint32_t channel, int error)
{
	ut_msg_init(&out, type, channel, (uint32_t)error);
	return conn_send(c, &out);
}

static int
do_welcome(struct conn *c, struct ut_msg *m)
{
	if (m->h.a != UT_MSG_VERSION) {
		c->given_up = true;	/* it will not learn */
		return -1;
	}
	c->owner = ut_msg_get_u64(m);
	return m->bad || c->owner == 0 ? -1 : 0;
}

static int
do_list(struct conn *c, struct ut_msg *m)
{
	if (!sock_ours(c))
		return -1;
	return ut_events_list(c->sock, m->h.a, m->h.b, send_deadline());
}

static int
do_describe(struct conn *c, struct ut_msg *m)
{
	if (!sock_ours(c))
		return -1;
	return ut_events_describe(c->sock, m, send_deadline());
}

static int
do_attach(struct conn *c, struct ut_msg *m)
{
	char bellname[32];
	int fd, bell, error;

	fd = ut_msg_get_fd(m);
	bell = m->h.nfds > 1 ? ut_msg_get_fd(m) : -1;
	ut_msg_get_str(m, bellname, sizeof(bellname));
	if (m->bad || ut_region_find(conn_index(c), m->h.a) != -1) {
		if (fd != -1)
			close(fd);
		if (bell != -1)
			close(bell);
		return -1;
	}
	error = ut_region_attach(conn_index(c), m->h.a, c->owner, fd, bell,
	    bellname);
	return error == 0 ? 0 : conn_answer(c, UT_MSG_FAILED, m->h.a, error);
}

static int
do_map(struct conn *c, struct ut_msg *m)
{
	uint32_t i, number, id;
	int channel, error = 0;

	if ((channel = ut_region_find(conn_index(c), m->h.a)) == -1)
		return conn_answer(c, UT_MSG_ACK, m->h.a, ENOENT);
	for (i = 0; i < m->h.b; i++) {
		number = ut_msg_get_u32(m);
		id = ut_msg_get_u32(m);
		if (m->bad)
			return -1;
		error = ut_event_map(number, (unsigned int)channel, id);
		if (error != 0)
			break;
	}
	return conn_answer(c, UT_MSG_ACK, m->h.a, error);
}

static int
do_detach(struct conn *c, struct ut_msg *m)
{
	int channel;

	if ((channel = ut_region_find(conn_index(c), m->h.a)) != -1)
		ut_region_detach((unsigned int)channel);
	return 0;
}

static int
send_new(struct conn *c)
{
	ut_msg_init(&out, UT_MSG_NEW, 0, 0);
	ut_events_summary(&out);
	return conn_send(c, &out);
}

static int
conn_send_new(struct conn *c)
{
	c->news = false;
	c->asked++;
	return send_new(c);
}

static int
do_done(struct conn *c)
{
	c->done++;
	pthread_cond_broadcast(&answered);
	if (c->done != c->asked)
		return 0;
	set_late(c, false);
	return c->news ? conn_send_new(c) : 0;
}

static int
obey(struct conn *c, struct ut_msg *m)
{
	switch (m->h.type) {
	case UT_MSG_WELCOME:
		return do_welcome(c, m);
	case UT_MSG_LIST:
		return do_list(c, m);
	case UT_MSG_DESCRIBE:
		return do_describe(c, m);
	case UT_MSG_ATTACH:
		return do_attach(c, m);
	case UT_MSG_MAP:
		return do_map(c, m);
	case UT_MSG_DETACH:
		return do_detach(c, m);
	case UT_MSG_DONE:
		return do_done(c);
	default:
		return -1;
	}
}

/* Out of the way of programs that expect the lowest numbers; and it waits. */
static int
high_fd(int s)
{
	int fd, flags;

	if ((flags = fcntl(s, F_GETFL)) != -1)
		(void)fcntl(s, F_SETFL, flags & ~O_NONBLOCK);
	if ((fd = fcntl(s, F_DUPFD_CLOEXEC, HIGH_FD)) == -1)
		return s;
	close(s);
	return fd;
}

static bool
peer_trusted(int s)
{
	uid_t uid;
	gid_t gid;
	pid_t pid;

	return ut_peer(s, &uid, &gid, &pid) == 0 &&
	    (uid == 0 || uid == geteuid());
}

/* Connected, if it is a utd that we trust. */
static int
conn_open(struct conn *c)
{
	struct stat st;
	int s;

	c->busy = false;
	if (ut_rundir_check(c->dir) == -1)
		return -1;
	if ((s = ut_msg_connect(c->dir, ut_msg_now())) == -1) {
		c->busy = errno == EAGAIN || errno == EWOULDBLOCK ||
		    errno == EINTR;
		return -1;
	}
	s = high_fd(s);
	if (!peer_trusted(s) || fstat(s, &st) == -1) {
		close(s);
		return -1;
	}
	c->sock = s;
	c->dev = st.st_dev;
	c->ino = st.st_ino;
	return 0;
}

/*
 * Connect and say hello, without waiting: 0, or -1 if there is no utd for us,
 * or it is busy.
 */
int
ut_conn_hello(struct conn *c)
{
	char name[64];

	if (conn_open(c) == -1)
		return -1;
	ut_msg_clear(&in[conn_index(c)]);
	ut_progname(name, sizeof(name));
	ut_msg_init(&out, UT_MSG_HELLO, UT_MSG_VERSION,
	    (uint32_t)(sizeof(void *) * CHAR_BIT));
	ut_msg_u32(&out, (uint32_t)getpid());
	ut_msg_str(&out, name);
	ut_msg_u64(&out, c->owner);
	ut_events_summary(&out);
	c->asked++;
	if (conn_send(c, &out) == 0)
		return 0;
	conn_lost(c);
	return -1;
}

/* Do what has come; false when the connection is gone. */
static bool
conn_obey(struct conn *c)
{
	struct ut_msg *m = &in[conn_index(c)];
	int r = -1;

	if (sock_ours(c) && (r = ut_msg_read(c->sock, m)) == 1) {
		r = obey(c, m);
		ut_msg_clear(m);
	}
	if (r == -1) {
		conn_lost(c);
		ut_msg_clear(m);
	}
	return r != -1;
}

/* The next step towards being registered; none is left when it is over. */
static void
register_step(struct conn *c, bool readable)
{
	if (c->sock == -1) {
		if (ut_conn_hello(c) == -1 && !c->busy)
			c->over = true;
	} else if (readable && !conn_obey(c)) {
		c->over = true;
	}
	if (c->sock != -1 && c->done == c->asked)
		c->over = true;
}

/* Until something comes, or a utd may have become less busy. */
static void
register_poll(struct pollfd *pfds, int64_t deadline)
{
	int64_t left = deadline == -1 ? -1 : deadline - ut_msg_now();
	int i;

	for (i = 0; i < ut_nconns; i++) {
		pfds[i].fd = ut_conns[i].over ? -1 : ut_conns[i].sock;
		pfds[i].events = POLLIN;
		pfds[i].revents = 0;
		if (ut_conns[i].over || ut_conns[i].sock != -1)
			continue;
		if (left == -1 || left > BUSY_NAP)
			left = BUSY_NAP;
	}
	if (left > 60000)
		left = 60000;
	if (left < -1)
		left = 0;
	(void)poll(pfds, (nfds_t)ut_nconns, (int)left);
}

/* Is there one to wait for that has always answered in time? */
static bool
register_waits(void)
{
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (!c->over && !is_late(c))
			return true;
	return false;
}

/*
 * Register with all at once, and be through with it by the deadline or let it
 * go on.  Who is late now is not waited for again.
 */
static void
register_all(int64_t deadline)
{
	struct pollfd pfds[UT_CONNS];
	int i;

	hurry = deadline;
	for (i = 0; i < ut_nconns; i++) {
		ut_conns[i].over = false;
		register_step(&ut_conns[i], false);
	}
	while (register_waits() &&
	    (deadline == -1 || ut_msg_now() < deadline)) {
		register_poll(pfds, deadline);
		for (i = 0; i < ut_nconns; i++)
			if (!ut_conns[i].over)
				register_step(&ut_conns[i],
				    pfds[i].revents != 0);
	}
	for (i = 0; i < ut_nconns; i++)
		if (!ut_conns[i].over)
			set_late(&ut_conns[i], true);
	hurry = -1;
}

/* Say what another thread has left to be said. */
static void
say_unsent(struct conn *c)
{
	if (!c->unsent)
		return;
	c->unsent = false;
	if (send_new(c) == -1)
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
	if ((there = conn_obey(c)))
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
		there = conn_obey(c);
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
	conn_lost(c);
	c->listened = false;
	return -1;
}

/* When main() must go on: UT_REGISTER_TIMEOUT from now. */
static int64_t
register_deadline(void)
{
	const char *s = ut_issetugid() ? NULL : getenv("UT_REGISTER_TIMEOUT");
	long ms = 3000;
	char *end;

	if (s != NULL && *s != '\0') {
		ms = strtol(s, &end, 10);
		if (*end != '\0' || ms < -1)
			ms = 3000;
	}
	return ms == -1 ? -1 : ut_msg_now() + ms;
}

static void
conn_reset(struct conn *c)
{
	c->sock = -1;
	c->asked = c->done = 0;
	c->news = c->unsent = false;
	c->apart = c->ready = false;
	c->owner = 0;
	c->listened = c->given_up = c->busy = false;
	c->finder = 0;
	c->place[0] = '\0';
	ut_msg_init(&in[conn_index(c)], 0, 0, 0);
}

static void
start_all(void)
{
	struct conn *c;

	listens = getpid();
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		conn_reset(c);
	register_all(register_deadline());
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (c->sock != -1 && ut_conn_listen(c) == -1)
			c->given_up = true;
	if (ut_find_later())
		(void)ut_thread_start(run, NULL);
}

static void
answered_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
}

static void
share_late(void)
{
	_Atomic bool *p;
	int i;

	if (late != late_here)
		return;
	p = mmap(NULL, sizeof(late_here), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	for (i = 0; i < UT_CONNS; i++)
		atomic_init(&p[i], late_here[i]);
	late = p;
}

static bool	tell_news(struct conn *);

/*
 * Children that are not waited for may never live to see an answer, so ask
 * for one ourselves: with it nobody is late any more.
 */
static void
ask_late(void)
{
	struct conn *c;

	hurry = ut_msg_now();
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (is_late(c) && c->done == c->asked)
			(void)tell_news(c);
	hurry = -1;
}

static void
before_fork(void)
{
	sigset_t old;

	ut_enter(&old);
	fork_signals = old;
	share_late();
	ask_late();
	ut_threads_before_fork();
}

static void
after_fork(void)
{
	sigset_t old = fork_signals;

	ut_threads_after_fork();
	ut_leave(&old);
}

/* The child is a program of its own. */
static void
child_of_fork(void)
{
	struct thread *self;
	sigset_t old = fork_signals;
	int i;

	ut_threads_forked();
	ut_region_forked();
	self = ut_mute();
	ut_events_forked();
	answered_init();	/* others may have waited there */
	for (i = 0; i < ut_nconns; i++) {
		if (sock_ours(&ut_conns[i]))
			close(ut_conns[i].sock);
		ut_msg_clear(&in[i]);
	}
	start_all();
	ut_unmute(self);
	ut_threads_after_fork();
	ut_leave(&old);
}

/* Once, with the first module, under ut_lock: true that time. */
bool
ut_listen(void)
{
	if (started)
		return false;
	started = true;
	ut_thread_init();
	answered_init();
	ut_find_init();
	pthread_atfork(before_fork, after_fork, child_of_fork);
	start_all();
	return true;
}

/*
 * Tell one: true if it is to be waited for.  One that is late and still owes
 * an answer is told when it has given it, so that what it does not read never
 * fills the socket.
 */
static bool
tell_news(struct conn *c)
{
	if (c->sock == -1)
		return false;
	if (is_late(c) && c->done != c->asked) {
		c->news = true;
		return false;
	}
	if (c->apart) {
		if (!c->unsent)
			c->asked++;
		c->unsent = true;
		if (c->ready)
			ut_nudge(c->thread);
		return !is_late(c);
	}
	if (conn_send_new(c) == 0)
		return !is_late(c);
	/* Its own thread finds it closed, and does the rest. */
	if (sock_ours(c))
		(void)shutdown(c->sock, SHUT_RDWR);
	return false;
}

/* Until all that it was asked is answered, or it is gone, or late. */
static void
await_answer(struct conn *c, int64_t deadline)
{
	struct timespec ts;
	int error = 0;

	ts.tv_sec = (time_t)(deadline / 1000);
	ts.tv_nsec = (long)(deadline % 1000) * 1000000;
	while (c->done != c->asked && !is_late(c) && error == 0) {
		if (deadline == -1)
			pthread_cond_wait(&answered, &ut_lock);
		else
			error = pthread_cond_timedwait(&answered, &ut_lock,
			    &ts);
	}
	if (c->done != c->asked)
		set_late(c, true);
}

/*
 * Tell of new events, and wait for what comes of it: under ut_lock.  In a
 * child that ran no atfork handler the sockets are its parent's, and so would
 * be the answers.
 */
void
ut_listen_new(void)
{
	int64_t deadline = register_deadline();
	bool wait[UT_CONNS];
	int i;

	if (getpid() != listens)
		return;
	hurry = deadline;
	for (i = 0; i < ut_nconns; i++)
		wait[i] = tell_news(&ut_conns[i]);
	hurry = -1;
	for (i = 0; i < ut_nconns; i++)
		if (wait[i])
			await_answer(&ut_conns[i], deadline);
}
