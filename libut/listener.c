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
 * The library's side of ut_msg(5): find utd, say hello, do as told.
 *
 * The thread that starts the program registers it by itself, so that main()
 * is not entered before; then one thread for each utd takes over.  Without a
 * utd that thread sleeps in open(2) of a FIFO which utd, once there, holds
 * open for writing.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rundir.h"
#include "ut_priv.h"

#define NCONNS		2		/* the system's utd and the user's */
#define SEND_TIMEOUT	3000		/* ms; then utd is given up */
#define HIGH_FD		400		/* out of the program's way */
#define STACK		(128 * 1024)

struct conn {
	char		 dir[108];	/* more does not fit a socket */
	int		 sock;		/* -1: none */
	dev_t		 dev;		/* of the socket, to know it by */
	ino_t		 ino;
	uint64_t	 owner;		/* our number there */
	unsigned int	 asked;		/* HELLO and NEW sent */
	unsigned int	 done;		/* and answered */
	bool		 given_up;	/* no utd will ever be there */
};

static struct conn conns[NCONNS];
static int nconns;
static bool started;
static struct ut_msg in[NCONNS];	/* one each: may be half there */
static struct ut_msg out;
static sigset_t fork_signals;
static pthread_cond_t answered;

static int
conn_index(const struct conn *c)
{
	return (int)(c - conns);
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
	pthread_cond_broadcast(&answered);
	for (i = 0; i < UT_CHANNELS; i++)
		if (ut_channels[i].gen != 0 &&
		    ut_channels[i].conn == conn_index(c))
			ut_region_detach((unsigned int)i);
}

static int
conn_send(struct conn *c, struct ut_msg *m)
{
	int64_t deadline = ut_msg_now() + SEND_TIMEOUT;

	if (!sock_ours(c) || ut_msg_send(c->sock, m, deadline) == -1)
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
	return ut_events_list(c->sock, m->h.a, m->h.b,
	    ut_msg_now() + SEND_TIMEOUT);
}

static int
do_describe(struct conn *c, struct ut_msg *m)
{
	if (!sock_ours(c))
		return -1;
	return ut_events_describe(c->sock, m, ut_msg_now() + SEND_TIMEOUT);
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
do_done(struct conn *c)
{
	c->done++;
	pthread_cond_broadcast(&answered);
	return 0;
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

/* Connect and say hello: 0, or -1 if there is no utd for us. */
static int
conn_hello(struct conn *c, int64_t deadline)
{
	struct stat st;
	char name[64];
	int s;

	if (ut_rundir_check(c->dir) == -1 ||
	    (s = ut_msg_connect(c->dir, deadline)) == -1)
		return -1;
	s = high_fd(s);
	if (!peer_trusted(s) || fstat(s, &st) == -1) {
		close(s);
		return -1;
	}
	c->sock = s;
	c->dev = st.st_dev;
	c->ino = st.st_ino;
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

/* Register, and be through with it by the deadline or let it go on. */
static void
conn_register(struct conn *c, int64_t deadline)
{
	struct ut_msg *m = &in[conn_index(c)];

	ut_msg_init(m, 0, 0, 0);
	if (conn_hello(c, deadline) == -1)
		return;
	while (c->sock != -1 && c->done != c->asked) {
		if (ut_msg_recv(c->sock, m, deadline) == -1) {
			if (errno == ETIMEDOUT)
				return;
			conn_lost(c);
		} else if (obey(c, m) == -1) {
			conn_lost(c);
		}
		ut_msg_clear(m);
	}
}

/*
 * Sleep until utd is there: it holds the FIFO open.  False when there never
 * was one, or someone else put the FIFO there.
 */
static bool
wait_for_utd(struct conn *c)
{
	char path[sizeof(c->dir) + sizeof(UT_FIFO) + 1];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", c->dir, UT_FIFO);
	if (lstat(path, &st) == -1 || !S_ISFIFO(st.st_mode) ||
	    (st.st_uid != 0 && st.st_uid != geteuid()))
		return false;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	while (fd == -1 && errno == EINTR);
	if (fd == -1)
		return false;
	close(fd);
	return true;
}

/* Be connected; false when there is nothing to wait for. */
static bool
conn_find(struct conn *c)
{
	static const struct timespec nap = { 0, 100000000 };
	bool settled;
	int found, tries;

	do {
		/* Under a new number only when nothing uses the old. */
		tries = 0;
		do {
			nanosleep(&nap, NULL);
			pthread_mutex_lock(&ut_lock);
			settled = ut_region_settle(20);
			pthread_mutex_unlock(&ut_lock);
		} while (!settled && ++tries < 10);
		if (c->given_up || !wait_for_utd(c))
			return false;
		pthread_mutex_lock(&ut_lock);
		found = conn_hello(c, ut_msg_now() + SEND_TIMEOUT);
		pthread_mutex_unlock(&ut_lock);
	} while (found == -1);
	return true;
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
	struct ut_msg *m = &in[conn_index(c)];
	int s, r = 0;
	char byte;

	pthread_mutex_lock(&ut_lock);
	s = c->sock;
	pthread_mutex_unlock(&ut_lock);
	if (s == -1)
		return false;
	if (recv(s, &byte, 1, MSG_PEEK) == -1 && errno == EINTR)
		return true;
	pthread_mutex_lock(&ut_lock);
	if (!sock_ours(c)) {
		r = -1;
	} else if ((r = ut_msg_read(c->sock, m)) == 1) {
		r = obey(c, m);
		ut_msg_clear(m);
	}
	if (r == -1) {
		conn_lost(c);
		ut_msg_clear(m);
	}
	pthread_mutex_unlock(&ut_lock);
	return r != -1;
}

static void *
listen_on(void *arg)
{
	struct conn *c = arg;

	(void)ut_mute();
	ut_name_thread("libut");
	do {
		while (listen_once(c))
			continue;
	} while (conn_find(c));
	return NULL;
}

/* Can there be a utd at all? */
static bool
worth_waiting(struct conn *c)
{
	char path[sizeof(c->dir) + sizeof(UT_FIFO) + 1];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", c->dir, UT_FIFO);
	return c->sock != -1 || lstat(path, &st) == 0;
}

static void
conn_start(struct conn *c, int64_t deadline)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int error;

	c->sock = -1;
	c->asked = c->done = 0;
	c->owner = 0;
	c->given_up = false;
	conn_register(c, deadline);
	if (!worth_waiting(c)) {
		c->given_up = true;
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK);
	error = pthread_create(&thread, &attr, listen_on, c);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error != 0) {
		conn_lost(c);
		c->given_up = true;
	}
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
add_conn(const char *dir)
{
	if (strlen(dir) < sizeof(conns[0].dir))
		strcpy(conns[nconns++].dir, dir);
}

static void
find_rundirs(void)
{
	const char *dir = ut_issetugid() ? NULL : getenv("UT_RUNDIR");
	char user[sizeof(conns[0].dir)];

	if (dir != NULL && *dir != '\0') {
		add_conn(dir);
		return;
	}
	add_conn(UT_RUNDIR_SYSTEM);
	if (!ut_issetugid() && geteuid() != 0 &&
	    ut_rundir_user(user, sizeof(user)) == 0)
		add_conn(user);
}

static void
start_all(void)
{
	int64_t deadline = register_deadline();
	int i;

	for (i = 0; i < nconns; i++)
		conn_start(&conns[i], deadline);
}

static void
before_fork(void)
{
	sigset_t old;

	ut_enter(&old);
	fork_signals = old;
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
	for (i = 0; i < nconns; i++)
		if (sock_ours(&conns[i]))
			close(conns[i].sock);
	start_all();
	ut_unmute(self);
	ut_threads_after_fork();
	ut_leave(&old);
}

/* Once, with the first module, under ut_lock: true that time. */
bool
ut_listen(void)
{
	const char *s = ut_issetugid() ? NULL : getenv("UT_DISABLE");
	pthread_condattr_t attr;

	if (started)
		return false;
	started = true;
	if (s != NULL && *s != '\0' && strcmp(s, "0") != 0)
		return true;
	ut_thread_init();
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
	find_rundirs();
	pthread_atfork(before_fork, after_fork, child_of_fork);
	start_all();
	return true;
}

/* Tell of new events, and wait for what comes of it: under ut_lock. */
void
ut_listen_new(void)
{
	int64_t deadline = register_deadline();
	struct timespec ts;
	struct conn *c;

	ts.tv_sec = (time_t)(deadline / 1000);
	ts.tv_nsec = (long)(deadline % 1000) * 1000000;
	for (c = conns; c < conns + nconns; c++) {
		if (c->sock == -1)
			continue;
		ut_msg_init(&out, UT_MSG_NEW, 0, 0);
		ut_events_summary(&out);
		c->asked++;
		if (conn_send(c, &out) == -1) {
			/* Its own thread finds it closed, and does the rest. */
			if (sock_ours(c))
				(void)shutdown(c->sock, SHUT_RDWR);
			continue;
		}
		while (c->done != c->asked && c->sock != -1) {
			if (deadline == -1)
				pthread_cond_wait(&answered, &ut_lock);
			else if (pthread_cond_timedwait(&answered, &ut_lock,
			    &ts) != 0)
				break;
		}
	}
}
