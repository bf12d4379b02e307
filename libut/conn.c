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
 * The connection to a utd: say hello, do as told.  All under ut_lock.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/rundir.h"
#include "ut_conn.h"
#include "ut_event.h"
#include "ut_loaded.h"

#define SEND_MIN	100		/* ms, the least time-out */
#define SEND_MAX	3000		/* ms, the longest */

extern char **environ;

struct conn ut_conns[UT_CONNS];
int ut_nconns;
int64_t ut_hurry = -1;

static struct ut_msg in[UT_CONNS];	/* one each: may be half there */
static struct ut_msg out;
static pthread_cond_t answered;
static char program[NAME_MAX_LEN];	/* the name at the start */

/*
 * The deadline for a message that is sent now.  Threads of the program may wait
 * for the lock meanwhile, and they should not wait for longer than the program
 * waits for utd at its start.
 */
static int64_t
send_deadline(void)
{
	int64_t deadline = ut_msg_now() + SEND_MAX;

	if (ut_patience >= 0 && ut_patience < SEND_MAX)
		deadline += (ut_patience > SEND_MIN ? ut_patience : SEND_MIN) -
		    SEND_MAX;
	return ut_hurry != -1 && ut_hurry < deadline ? ut_hurry : deadline;
}

/*
 * Is the socket still ours?  Programs close descriptors that are not theirs,
 * and open others at the same numbers, so ask before every use.
 */
bool
ut_conn_ours(const struct conn *c)
{
	return ut_fd_is(c->sock, c->dev, c->ino);
}

/*
 * The connection is lost.  Its regions stay attached: a consumer will drain
 * them, or they fill up.  When there is a connection again, utd says which of
 * them stay.
 */
void
ut_conn_lost(struct conn *c)
{
	if (c->sock != -1)
		ut_debug("%s: the connection is closed", c->dir);
	if (ut_conn_ours(c)) {
		/* The program may still have it, too. */
		(void)shutdown(c->sock, SHUT_RDWR);
		close(c->sock);
	}
	c->sock = -1;
	c->lost = true;
	c->done = c->asked;
	c->news = c->unsent = false;
	pthread_cond_broadcast(&answered);
	ut_regions_keep(c->known.conn);
}

/* No utd will ever be there. */
void
ut_conn_give_up(struct conn *c)
{
	c->given_up = true;
}

static int
conn_send(struct conn *c, struct ut_msg *m)
{
	if (!ut_conn_ours(c) || ut_msg_send(c->sock, m, send_deadline()) == -1)
		return -1;
	return 0;
}

static int
conn_answer(struct conn *c, int type, uint32_t region, int error)
{
	ut_msg_init(&out, type, region, (uint32_t)error);
	return conn_send(c, &out);
}

static int
do_welcome(struct conn *c, struct ut_msg *m)
{
	const uint64_t before = c->known.owner;

	if (m->h.a != UT_MSG_VERSION) {
		c->given_up = true;	/* a retry cannot help */
		ut_debug("%s: utd speaks version %lu of the protocol, not %d",
		    c->dir, (unsigned long)m->h.a, UT_MSG_VERSION);
		ut_regions_drop(c->known.conn, 0);
		return -1;
	}
	c->known.owner = ut_msg_get_u64(m);
	c->known.ahead = ut_msg_more(m) ? (int64_t)ut_msg_get_u64(m) : 0;
	if (c->known.owner != before)
		ut_regions_drop(c->known.conn, 0);
	return m->bad || c->known.owner == 0 ? -1 : 0;
}

static int
do_list(struct conn *c, struct ut_msg *m)
{
	if (!ut_conn_ours(c))
		return -1;
	return ut_events_list(c->sock, m->h.a, m->h.b, send_deadline());
}

static int
do_describe(struct conn *c, struct ut_msg *m)
{
	if (!ut_conn_ours(c))
		return -1;
	return ut_events_describe(c->sock, m, send_deadline());
}

/* Tell of the session and the channel, whose names end the message. */
static void
debug_attached(struct ut_msg *m, int error)
{
	char session[NAME_MAX_LEN + 1], channel[NAME_MAX_LEN + 1];

	ut_msg_get_str(m, session, sizeof(session));
	ut_msg_get_str(m, channel, sizeof(channel));
	ut_debug("session %s, channel %s: %s%s", session, channel,
	    error == 0 ? "attached" : "not attached", ut_debug_error(error));
}

static int
do_attach(struct conn *c, struct ut_msg *m)
{
	static struct contexts contexts;
	char bellname[UT_BELL_NAME];
	bool mute = false;
	int fd, bell, error;
	bool valid;

	fd = ut_msg_get_fd(m);
	bell = m->h.nfds > 1 ? ut_msg_get_fd(m) : -1;
	ut_msg_get_str(m, bellname, sizeof(bellname));
	valid = contexts_get(m, &contexts) && !m->bad;
	if (valid && fd != -1 && ut_region_again(c->known.conn, m->h.a,
	    fd)) {
		close(fd);
		if (bell != -1)
			close(bell);
		return 0;
	}
	if (!valid || c->known.owner == 0 ||
	    ut_region_find(c->known.conn, m->h.a) != -1) {
		/* Say why; then we come again, perhaps with more room. */
		if (m->nofds && c->known.owner != 0)
			(void)conn_answer(c, UT_MSG_FAILED, m->h.a, EBADF);
		if (fd != -1)
			close(fd);
		if (bell != -1)
			close(bell);
		return -1;
	}
	error = ut_region_attach(&c->known, m->h.a, fd, bell, bellname,
	    &contexts, &mute);
	debug_attached(m, error);
	if (error != 0)
		return conn_answer(c, UT_MSG_FAILED, m->h.a, error);
	return mute ? conn_answer(c, UT_MSG_MUTE, m->h.a, 0) : 0;
}

/* One event of a MAP: its ID in the region, and perhaps a filter. */
static int
map_event(struct ut_msg *m, uint32_t number, unsigned int region)
{
	static struct ut_msg code;
	struct filter *f = NULL;
	uint32_t id = ut_msg_get_u32(m);

	if ((id & UT_MAP_FILTER) != 0) {
		id &= ~UT_MAP_FILTER;
		ut_msg_get_bytes(m, &code);
		if (!m->bad && (f = ut_filter_new(code.body, code.h.len -
		    sizeof(code.h))) == NULL)
			return errno;
	}
	return m->bad ? EPROTO : ut_event_map(number, region, id, f);
}

/*
 * Modules are told whenever utd maps their event, and at once: before the
 * events of which they are to explain the addresses, which come later in the
 * message.
 */
static int
do_map(struct conn *c, struct ut_msg *m)
{
	uint64_t begun;
	uint32_t i, number;
	int region, error = 0;

	if ((region = ut_region_find(c->known.conn, m->h.a)) == -1)
		return conn_answer(c, UT_MSG_ACK, m->h.a, ENOENT);
	begun = ut_read_clock(ut_regions[region].clock);
	ut_filters_reap();
	for (i = 0; i < m->h.b && error == 0; i++) {
		number = ut_msg_get_u32(m);
		error = map_event(m, number, (unsigned int)region);
		if (number == UT_LOADED_EVENT &&
		    ut_loaded_wanted((unsigned int)region))
			ut_loaded_tell((unsigned int)region);
	}
	if (m->bad)
		return -1;
	ut_debug("events that are recorded or not from now on: %lu%s",
	    (unsigned long)m->h.b, ut_debug_error(error));
	ut_msg_init(&out, UT_MSG_ACK, m->h.a, (uint32_t)error);
	ut_msg_u64(&out, begun);
	return conn_send(c, &out);
}

/* A region, or if there is none with that handle, kept ones. */
static int
do_detach(struct conn *c, struct ut_msg *m)
{
	int region;

	if ((region = ut_region_find(c->known.conn, m->h.a)) != -1)
		ut_region_detach((unsigned int)region);
	else
		ut_regions_drop(c->known.conn, m->h.a);
	return 0;
}

/* Send NEW, without counting it as asked. */
int
ut_conn_say_new(struct conn *c)
{
	ut_msg_init(&out, UT_MSG_NEW, 0, 0);
	ut_events_summary(&out);
	return conn_send(c, &out);
}

/* Send NEW, and count it. */
int
ut_conn_send_new(struct conn *c)
{
	c->news = false;
	c->asked++;
	return ut_conn_say_new(c);
}

/* utd names all regions before, unless it says that more is to come. */
static int
do_done(struct conn *c, struct ut_msg *m)
{
	if (c->done == c->asked)
		return -1;		/* nothing was asked */
	c->done++;
	pthread_cond_broadcast(&answered);
	if (c->done != c->asked)
		return 0;
	ut_conn_set_late(c, false);
	if (m->h.a == 0)
		ut_regions_drop(c->known.conn, 0);
	return c->news ? ut_conn_send_new(c) : 0;
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
		return do_done(c, m);
	default:
		return -1;
	}
}

static bool
peer_trusted(int s)
{
	uid_t uid;
	gid_t gid;
	pid_t pid;

	return ut_peer(s, &uid, &gid, &pid) == 0 &&
	    (uid == 0 || uid == ut_geteuid());
}

/* Says errno that the system could not look, not that there is no utd? */
static bool
could_not_look(void)
{
	return errno == EIO || errno == ENOMEM || errno == ENOBUFS ||
	    errno == EMFILE || errno == ENFILE;
}

/* Connect: 0, or -1 if there is no utd that we trust. */
static int
conn_open(struct conn *c)
{
	struct stat st;
	int s;

	c->busy = c->lost = false;
	if (ut_rundir_check(c->dir) == -1 ||
	    (s = ut_msg_connect(c->dir, ut_msg_now())) == -1) {
		c->busy = errno == EAGAIN || errno == EWOULDBLOCK ||
		    errno == EINTR;
		c->lost = could_not_look();
		return -1;
	}
	/* The socket stays nonblocking: NetBSD's send has no MSG_DONTWAIT. */
	s = ut_high_fd(s);
	if (!peer_trusted(s) || fstat(s, &st) == -1) {
		close(s);
		c->lost = true;
		errno = EPERM;
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
	if (conn_open(c) == -1) {
		if (errno != c->told)
			ut_debug("%s: no utd for this program%s", c->dir,
			    ut_debug_error(errno));
		c->told = errno;
		return -1;
	}
	ut_debug("%s: connected to utd", c->dir);
	ut_msg_clear(&in[c->known.conn]);
	memcpy(c->known.name, program, sizeof(c->known.name));
	ut_msg_init(&out, UT_MSG_HELLO, UT_MSG_VERSION,
	    (uint32_t)(sizeof(void *) * CHAR_BIT));
	ut_msg_u32(&out, (uint32_t)getpid());
	ut_msg_str(&out, c->known.name);
	ut_msg_u64(&out, c->known.owner);
	ut_events_summary(&out);
	/* All libuts in the process say the same, until an exec. */
	ut_msg_u64(&out, (uint64_t)(uintptr_t)&environ);
	c->asked++;
	if (conn_send(c, &out) == 0)
		return 0;
	ut_conn_lost(c);
	return -1;
}

/*
 * Like poll(2).  Where the program may not call that any more, a short sleep
 * takes its place, after which each descriptor is to be looked at.
 */
int
ut_conn_poll(struct pollfd *pfds, nfds_t n, int ms)
{
	static const struct timespec nap = { 0, 10000000 };
	const int ready = poll(pfds, n, ms);

	if (ready == -1 && errno != EINTR) {
		nanosleep(&nap, NULL);
		for (; n > 0; n--)
			pfds[n - 1].revents = POLLIN;
	}
	return ready;
}

/* Obey a message, if one has come; false when the connection is lost. */
bool
ut_conn_obey(struct conn *c)
{
	struct ut_msg *m = &in[c->known.conn];
	int r = -1;

	if (ut_conn_ours(c) && (r = ut_msg_read(c->sock, m)) == 1) {
		r = obey(c, m);
		ut_msg_clear(m);
	}
	if (r == -1) {
		ut_conn_lost(c);
		ut_msg_clear(m);
	}
	return r != -1;
}

/* Wait until everything is answered, the connection is lost, or it is late. */
void
ut_conn_await(struct conn *c, int64_t deadline)
{
	struct timespec ts;
	int error = 0;

	if (deadline != -1)
		ut_wait_until(&ts, deadline - ut_msg_now());
	while (c->done != c->asked && !ut_conn_late(c) && error == 0) {
		if (deadline == -1)
			pthread_cond_wait(&answered, &ut_lock);
		else
			error = pthread_cond_timedwait(&answered, &ut_lock,
			    &ts);
	}
	if (c->done != c->asked)
		ut_conn_set_late(c, true);
}

/* At the start, and in the child of a fork, whose parent may have waiters. */
void
ut_conn_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
	if (program[0] == '\0')
		ut_progname(program, sizeof(program));
}

void
ut_conn_reset(struct conn *c)
{
	c->sock = c->left = -1;
	c->asked = c->done = 0;
	c->news = c->unsent = false;
	c->apart = c->ready = false;
	c->known.owner = 0;
	c->listened = c->given_up = c->busy = c->lost = false;
	c->marked = false;
	c->finder = 0;
	c->place[0] = '\0';
	ut_msg_init(&in[c->known.conn], 0, 0, 0);
}

/* A thread has taken the socket along; the program has a copy, for a while. */
void
ut_conn_leave(struct conn *c)
{
	c->left = c->sock;
	c->left_dev = c->dev;
	c->left_ino = c->ino;
}

/* Close that copy, in a thread of the program, unless the program has. */
static void
close_left(struct conn *c)
{
	if (ut_fd_is(c->left, c->left_dev, c->left_ino))
		close(c->left);
	c->left = -1;
}

/* No thread listens any more. */
void
ut_conns_let_go(void)
{
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		close_left(c);
}

/* In the child of a fork: close our copies of the parent's sockets. */
void
ut_conn_forked(struct conn *c)
{
	if (ut_conn_ours(c))
		close(c->sock);
	close_left(c);
	ut_msg_clear(&in[c->known.conn]);
}
