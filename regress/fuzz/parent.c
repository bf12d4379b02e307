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

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its list of consumers is to be emptied, which utd never does. */
#include "../../utd/parent/store/consumers.c"
#include "parent.h"

#define NPLAYED		64
#define ROUNDS_MAX	5000

/* A consumer as we play it. */
struct played {
	int		 fd;		/* -1: none */
	pid_t		 pid;
	bool		 rang;
	bool		 owes;		/* answers */
	struct ut_msg	 in;
};

static struct played played[NPLAYED];
static int spawning = -1;
static pid_t last_pid = 1000000;
static int answers;
static int64_t later;
static int idle, rounds;
int null_fd = -1;
static struct ut_msg reply;

pid_t	 __wrap_fork(void);
int	 __wrap_kill(pid_t, int);
pid_t	 __wrap_waitpid(pid_t, int *, int);
int	 __real_socketpair(int, int, int, int *);
int	 __wrap_socketpair(int, int, int, int *);
int	 __real_ready_wait(int);
int	 __wrap_ready_wait(int);
int64_t	 __real_ut_msg_now(void);
int64_t	 __wrap_ut_msg_now(void);
int	 __wrap_ut_dead(pid_t);
int	 __wrap_ut_peer_life(int);

/*
 * What the parent asks of the system.
 */
int
__wrap_socketpair(int domain, int type, int protocol, int *pair)
{
	int i;

	if (__real_socketpair(domain, type, protocol, pair) == -1)
		return -1;
	for (i = 0; i < NPLAYED && played[i].fd != -1; i++)
		continue;
	if (i == NPLAYED)
		return 0;		/* it is closed at once */
	if ((played[i].fd = dup(pair[1])) == -1 ||
	    ut_nonblock(played[i].fd) == -1)
		fuzz_die("dup");
	ut_msg_init(&played[i].in, 0, 0, 0);
	played[i].rang = played[i].owes = false;
	spawning = i;
	return 0;
}

pid_t
__wrap_fork(void)
{
	if (spawning != -1)
		played[spawning].pid = last_pid + 1;
	spawning = -1;
	return ++last_pid;
}

int
__wrap_kill(pid_t pid, int sig)
{
	(void)pid;
	(void)sig;
	return 0;
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int options)
{
	(void)options;
	if (status != NULL)
		*status = 0;
	return pid;
}

int64_t
__wrap_ut_msg_now(void)
{
	return __real_ut_msg_now() + later;
}

int
__wrap_ut_dead(pid_t pid)
{
	(void)pid;
	return 1;
}

int
__wrap_ut_peer_life(int s)
{
	(void)s;
	errno = ENOSYS;
	return -1;
}

void
consumer_main(int sock, int lock, uid_t uid, gid_t gid)
{
	(void)sock;
	(void)lock;
	(void)uid;
	(void)gid;
	abort();
}

/*
 * Consumers.
 */
static void
say(struct played *c)
{
	reply.have = 0;
	(void)ut_msg_write(c->fd, &reply);
}

static void
ring(struct played *c)
{
	if (c->rang)
		return;
	c->rang = true;
	ut_msg_init(&reply, UT_C_READY, 0, 0);
	ut_msg_fd(&reply, null_fd);
	ut_msg_str(&reply, "/ut-bell");
	say(c);
}

static void
answer_path(struct ut_msg *m)
{
	char path[PATH_MAX];

	ut_msg_get_str(m, path, sizeof(path));
	ut_msg_fd(&reply, null_fd);
	ut_msg_str(&reply, path);
	ut_msg_u64(&reply, 1);		/* device, */
	ut_msg_u64(&reply, 1);		/* inode */
}

static void
answer_region(struct ut_msg *m)
{
	char name[NAME_MAXLEN];
	int i;

	(void)ut_msg_get_u32(m);
	ut_msg_get_str(m, name, sizeof(name));
	for (i = 0; i < ATTRS; i++)
		(void)ut_msg_get_u32(m);
	ut_msg_u32(&reply, ut_msg_get_u32(m));
	ut_msg_fd(&reply, null_fd);
}

static void
answer_counts(void)
{
	int i;

	for (i = 0; i < 4; i++)
		ut_msg_u64(&reply, 1);
}

static void
answer(struct played *c, struct ut_msg *m)
{
	if (m->h.type < UT_C_SESSIONDIR || (m->h.type > UT_C_CLOSE &&
	    m->h.type < UT_C_BURY) || m->h.type == UT_C_METADATA ||
	    m->h.type == UT_C_HOLD || m->h.type == UT_C_PROGRAM)
		return;
	if (answers == ANSWER_NOT) {
		c->owes = true;
		return;
	}
	if (m->h.type == UT_C_DEAD) {
		ut_msg_init(&reply, UT_C_BURIED, 1, 0);
		say(c);
		return;
	}
	if (m->h.type == UT_C_REGION && answers == ANSWER_WELL)
		ring(c);
	ut_msg_init(&reply, UT_C_REPLY, ut_msg_get_u32(m),
	    answers == ANSWER_ERROR ? ENOSPC : 0);
	if (m->h.type == UT_C_SESSIONDIR || m->h.type == UT_C_UIDDIR)
		answer_path(m);
	else if (m->h.type == UT_C_REGION)
		answer_region(m);
	else if (m->h.type == UT_C_TRACE)
		ut_msg_u64(&reply, 0);
	else if (m->h.type == UT_C_ROTATE || m->h.type == UT_C_CHUNK)
		ut_msg_u32(&reply, m->h.type == UT_C_CHUNK);
	else if (m->h.type >= UT_C_ACTIVE)
		answer_counts();
	say(c);
}

static void
consumer_leave(struct played *c)
{
	if (c->fd == -1)
		return;
	close(c->fd);
	c->fd = -1;
	ut_msg_clear(&c->in);
}

static void
play(struct played *c)
{
	int r;

	if (answers == ANSWER_STUCK)
		return;
	while ((r = ut_msg_read(c->fd, &c->in)) == 1) {
		answer(c, &c->in);
		ut_msg_clear(&c->in);
	}
	if (r == -1)
		consumer_leave(c);
}

void
consumers_answer(int how)
{
	answers = how;
}

static struct played *
one_of(unsigned int n)
{
	struct played *c, *of[NPLAYED];
	unsigned int k = 0;

	for (c = played; c < played + NPLAYED; c++)
		if (c->fd != -1)
			of[k++] = c;
	return k > 0 ? of[n % k] : NULL;
}

void
consumer_say(unsigned int n, struct ut_msg *m)
{
	struct played *c = one_of(n);

	if (c == NULL)
		return;
	m->have = 0;
	(void)ut_msg_write(c->fd, m);
}

void
consumer_kill(unsigned int n)
{
	struct played *c = one_of(n);

	if (c != NULL)
		consumer_leave(c);
}

/*
 * The loop.  It ends when nobody has anything more to say, and what timers
 * made of that was said.
 */
int
__wrap_ready_wait(int ms)
{
	struct played *c;
	int r;

	(void)ms;
	for (c = played; c < played + NPLAYED; c++)
		if (c->fd != -1)
			play(c);
	peers_read();
	if ((r = __real_ready_wait(0)) > 0)
		idle = 0;
	else if (++idle == 3)
		loop_end();
	if (++rounds > ROUNDS_MAX)
		fuzz_die("utd does not come to rest");
	return r;
}

void
parent_run(void)
{
	idle = rounds = 0;
	loop_ending = false;
	loop_run(conn_reap, parent_stop);
	loop_ending = false;
}

void
parent_wait(int ms)
{
	later += ms;
	parent_run();
}

void
parent_begin(void)
{
	int i;

	if (null_fd != -1)
		return;
	for (i = 0; i < NPLAYED; i++)
		played[i].fd = -1;
	if ((null_fd = open("/dev/null", O_RDWR | O_CLOEXEC)) == -1 ||
	    chmod(fuzz_dir(), 0700) == -1)
		fuzz_die("set-up");
	signal(SIGPIPE, SIG_IGN);
	log_init(true, false);
	parent_open(fuzz_dir());
	parent_run();
}

/* Nobody needs them. */
static void
free_consumers(void)
{
	struct consumer *c;

	while ((c = consumers) != NULL) {
		consumers = c->next;
		state_del(&c->saved);
		if (c->conn != NULL)
			conn_drop(c->conn);
		requests_fail(c);
		if (c->bell != -1)
			close(c->bell);
		free(c);
	}
}

void
parent_reset(void)
{
	struct session *s;
	int i;

	for (i = 0; i < NPEERS; i++)
		peer_close((unsigned int)i);
	answers = ANSWER_WELL;
	for (i = 0; i < NPLAYED; i++)
		if (played[i].owes)
			consumer_leave(&played[i]);
	for (i = 0; i < 4; i++)
		parent_wait(11000);
	while ((s = sessions) != NULL) {
		command_forget(s);
		session_end(s);
	}
	parent_wait(1100);		/* until the dead are looked for */
	if (programs != NULL)
		fuzz_die("programs stay");
	loop_ending = true;		/* nobody mourns */
	free_consumers();
	conn_reap();
	for (i = 0; i < NPLAYED; i++)
		consumer_leave(&played[i]);
}
