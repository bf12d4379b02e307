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
 * The parent's side of the consumers: one process for each UID.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers.h"
#include "../want/session.h"

#define DEATHS_MS	10000	/* given up if DEATHS happen in less */
#define REQUESTS_MAX	16384	/* then its user must wait */
#define IDLE_MS		1000	/* with nothing to do, once or twice */
#define WATCH_MS	1000

struct consumer *consumers;

static const struct consumer_ops *ops;
static struct timer idle_timer, watch_timer;

static void	consumer_message(struct conn *, struct ut_msg *);
static void	consumer_closed(struct conn *);
static void	consumer_sent(struct conn *);

static const struct conn_ops consumer_ops = {
	consumer_message, consumer_closed, consumer_sent
};

void
consumer_warn(const struct consumer *c, const char *what)
{
	log_peer("consumer %d of uid %lu %s", (int)c->pid,
	    (unsigned long)c->uid, what);
}

/*
 * A socket pair for the consumer, if its user may have one more descriptor.  A
 * consumer that takes over needs no permission: the one before had it.
 */
static bool
make_pair(const struct consumer *c, int *pair)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		return false;
	if (c->ndeaths > 0 || loop_round == 0 || user_spares(c->uid, pair[0]))
		return true;
	close(pair[0]);
	close(pair[1]);
	errno = EMFILE;
	return false;
}

static void
send_bell(struct consumer *c)
{
	static struct ut_msg m;

	ut_msg_init(&m, UT_C_BELL, 0, 0);
	ut_msg_str(&m, c->bellname);
	if (c->conn != NULL)
		conn_send(c->conn, &m);
}

/* Start the process; false, and c->error, if that fails. */
static bool
consumer_spawn(struct consumer *c)
{
	char why[160];
	int pair[2];

	if (!make_pair(c, pair)) {
		c->error = errno;
		log_peer("consumer of uid %lu: %s", (unsigned long)c->uid,
		    strerror(c->error));
		return false;
	}
	if ((c->pid = fork()) == -1) {
		c->error = errno;
		log_warn("consumer of uid %lu: fork", (unsigned long)c->uid);
		close(pair[0]);
		close(pair[1]);
		return false;
	}
	c->heard = ut_msg_now();
	if (c->pid == 0) {
		close(pair[0]);
		instant_counter = clock_trusted(why, sizeof(why));
		consumer_main(pair[1], consumer_lock(c->uid), c->uid, c->gid);
	}
	close(pair[1]);
	if (ut_nonblock(pair[0]) == -1)
		fatal("fcntl");
	if ((c->conn = conn_new(pair[0], &consumer_ops, c)) == NULL) {
		c->error = errno;
		log_warn("consumer %d of uid %lu", (int)c->pid,
		    (unsigned long)c->uid);
		close(pair[0]);		/* makes the process end */
		return false;
	}
	log_debug("consumer %d for uid %lu", (int)c->pid,
	    (unsigned long)c->uid);
	send_bell(c);
	return true;
}

/* One with that bell, which may be that of another utd. */
static struct consumer *
consumer_new(uid_t uid, gid_t gid, const char *bellname)
{
	struct consumer *c = xcalloc(1, sizeof(*c));

	c->uid = uid;
	c->gid = gid;
	c->bell = -1;
	c->next = consumers;
	consumers = c;
	state_add(&c->saved, SAVED_CONSUMER, (uint32_t)uid, c);
	consumers_look();
	snprintf(c->bellname, sizeof(c->bellname), "%s", bellname);
	if (!consumer_spawn(c))
		c->state = CONSUMER_GIVEN_UP;
	return c;
}

struct consumer *
consumer_find(uid_t uid)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (c->uid == uid && (c->state == CONSUMER_BUSY ||
		    c->state == CONSUMER_IDLE))
			return c;
	return NULL;
}

/* The consumer of that UID, started if necessary. */
struct consumer *
consumer_get(uid_t uid, gid_t gid)
{
	struct consumer *c = consumer_find(uid);
	char bellname[UT_BELL_NAME];

	if (c == NULL) {
		ut_shm_name(bellname);
		return consumer_new(uid, gid, bellname);
	}
	c->state = CONSUMER_BUSY;
	return c;
}

/* Count its death; has it died so often that the next one would, too? */
static bool
too_often(struct consumer *c)
{
	int64_t *when = &c->deaths[c->ndeaths++ % DEATHS];
	int64_t now = ut_msg_now(), before = *when;

	*when = now;
	return before != 0 && now - before < DEATHS_MS;
}

/*
 * Is the process gone?  Kills it, because a process that let its queue fill up
 * may have been stopped by its user.  A process that sleeps in a file system
 * that does not answer cannot be killed: nobody waits for its end, and
 * consumers_reap is called when it comes.
 */
static bool
reaped(struct consumer *c)
{
	pid_t pid;

	if (c->pid <= 0)
		return true;
	kill(c->pid, SIGKILL);
	pid = waitpid(c->pid, NULL, WNOHANG);
	if (pid == 0 || (pid == -1 && errno == EINTR))
		return false;
	c->pid = 0;
	return true;
}

/* Free a consumer that has ended and is not needed any more. */
static void
consumer_free(struct consumer *c)
{
	struct consumer *other;

	LIST_DEL(struct consumer, &consumers, c, next);
	for (other = consumers; other != NULL; other = other->next)
		if (other->uid == c->uid)
			break;
	if (other == NULL)
		consumer_unlock(c->uid);
	ops->died(c);
	consumer_remove(c, c->bellname, true);
	if (c->bell != -1)
		close(c->bell);
	state_del(&c->saved);
	free(c);
}

static void
give_up(struct consumer *c)
{
	c->state = CONSUMER_GIVEN_UP;
	c->slow = false;
	state_changed(&c->saved);
	ops->died(c);
	consumer_remove(c, c->bellname, true);
	c->bellname[0] = '\0';
}

/*
 * Consumers died, or could not be started: another process takes over, or those
 * who wait for them get an answer.
 */
static void
mourn(void *arg)
{
	struct consumer *c, *next;

	(void)arg;
	for (c = consumers; c != NULL; c = next) {
		next = c->next;
		if (c->conn != NULL || loop_ending)
			continue;
		if (c->state == CONSUMER_LEAVING) {
			if (reaped(c))
				consumer_free(c);
			continue;
		}
		if (c->state == CONSUMER_GIVEN_UP) {
			(void)reaped(c);
			if (c->nrequests > 0)
				give_up(c);
			continue;
		}
		if (!reaped(c))
			continue;
		if (!too_often(c) && consumer_spawn(c)) {
			consumer_warn(c, "takes over");
			ops->adopted(c);
			continue;
		}
		log_warnx("consumer of uid %lu is given up",
		    (unsigned long)c->uid);
		give_up(c);
	}
}

/*
 * A consumer may have ended: mourn at the end of this round of the loop.  Not
 * at once: when requests fail, regions are freed, and others may be walking
 * over them.
 */
void
consumers_reap(void)
{
	static struct timer timer;

	if (timer.when == 0)
		timer_set(&timer, 0, mourn, NULL);
}

/*
 * Have a consumer end that has nothing to do.  If its user is traced again,
 * another one is started.
 */
static void
consumer_dismiss(struct consumer *c)
{
	log_debug("consumer %d for uid %lu has nothing to do", (int)c->pid,
	    (unsigned long)c->uid);
	c->state = CONSUMER_LEAVING;
	state_changed(&c->saved);
	consumer_tell(c, UT_C_END, 0, 0);
}

/*
 * End the consumers that have been idle twice in a row, and kill those that
 * were told to end the last time: their user may have stopped them.
 */
static void
end_idle(void *arg)
{
	struct consumer *c;
	bool again = false;

	(void)arg;
	for (c = consumers; c != NULL; c = c->next) {
		again |= c->traces == NULL || c->state == CONSUMER_LEAVING;
		if (c->state == CONSUMER_LEAVING) {
			if (c->conn != NULL)
				kill(c->pid, SIGKILL);
		} else if (c->nrequests > 0 || c->ndead > 0 ||
		    c->traces != NULL) {
			if (c->state == CONSUMER_IDLE)
				c->state = CONSUMER_BUSY;
		} else if (c->state == CONSUMER_BUSY) {
			c->state = CONSUMER_IDLE;
		} else {
			consumer_dismiss(c);
		}
	}
	if (again)
		consumers_look();
}

/* A consumer may have nothing to do from now on: see whether that lasts. */
void
consumers_look(void)
{
	if (idle_timer.when == 0)
		timer_set(&idle_timer, IDLE_MS, end_idle, NULL);
}

/* Count the bytes that its process has written: a new one begins with 0. */
void
consumer_wrote(struct consumer *c, uint64_t written)
{
	if (written > c->written)
		c->work += written - c->written;
	c->written = written;
}

/* Has it to answer, or to end? */
static bool
is_watched(const struct consumer *c)
{
	return !c->late && c->state != CONSUMER_GIVEN_UP &&
	    (c->nrequests > 0 || (c->conn == NULL && c->pid > 0));
}

/*
 * A consumer that has said nothing for long, or does not end, is late.  Nobody
 * waits for it any more; the events that it has yet to write stay in the
 * buffers.  For one that is slow only its own user waits.
 */
static void
consumers_watch(void *arg)
{
	const int64_t now = ut_msg_now();
	struct consumer *c;
	bool more = false;

	(void)arg;
	for (c = consumers; c != NULL; c = c->next) {
		if (!is_watched(c))
			continue;
		if (now - c->heard < LATE_MS) {
			more = true;
			ops->watch(c);
			continue;
		}
		c->late = true;
		consumer_warn(c, c->conn != NULL ? "does not answer" :
		    CONSUMER_STUCK);
		ops->late(c);
	}
	if (more)
		timer_set(&watch_timer, WATCH_MS, consumers_watch, NULL);
}

/* The consumer has something to answer from now on: watch it. */
void
consumer_watch(struct consumer *c)
{
	c->heard = ut_msg_now();
	if (watch_timer.when == 0)
		timer_set(&watch_timer, WATCH_MS, consumers_watch, NULL);
}

/* A consumer has answered all.  If no other is watched, utd may sleep. */
void
consumers_unwatch(void)
{
	const struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (is_watched(c))
			return;
	timer_clear(&watch_timer);
}

static void
consumer_heard(struct consumer *c)
{
	c->heard = ut_msg_now();
	if (!c->late)
		return;
	c->late = false;
	consumer_warn(c, "answers again");
	ops->late(c);
	consumer_watch(c);
}

bool
consumers_late(uid_t uid)
{
	const struct consumer *c = consumer_find(uid);

	return c != NULL && c->late;
}

bool
consumer_skipped(const struct consumer *c, uid_t uid)
{
	return c->late || (c->slow && uid != c->uid);
}

const char *
consumer_fault(const struct consumer *c)
{
	return c->late ? "does not answer" : "takes too long";
}

bool
consumers_full(uid_t uid)
{
	const struct consumer *c = consumer_find(uid);

	return c != NULL && c->nrequests + c->ndead >= REQUESTS_MAX;
}

static void
wake_them(void *arg)
{
	struct consumer *c;

	(void)arg;
	for (c = consumers; c != NULL; c = c->next) {
		if (c->wake && c->conn != NULL)
			kill(c->pid, SIGUSR1);
		c->wake = false;
	}
}

/* One signal for all messages, at the end of this round of the loop. */
static void
wake_later(struct consumer *c)
{
	static struct timer timer;

	c->wake = true;
	if (timer.when == 0)
		timer_set(&timer, 0, wake_them, NULL);
}

/* Send a message, and a signal that makes the consumer look at its socket. */
void
consumer_send(struct consumer *c, struct ut_msg *m)
{
	if (c->conn != NULL)
		conn_send(c->conn, m);
	if (c->conn != NULL)
		wake_later(c);
	else
		consumers_reap();
}

/* A message that has nothing behind its header. */
void
consumer_tell(struct consumer *c, uint16_t type, uint32_t a, uint32_t b)
{
	static struct ut_msg m;

	ut_msg_init(&m, type, a, b);
	consumer_send(c, &m);
}

/* Why a consumer was given up. */
const char *
consumer_trouble(const struct consumer *c)
{
	return c->error != 0 && c->error != EPIPE ? strerror(c->error) :
	    "the consumer has ended too often";
}

/* The reason that a reply gives for an error. */
const char *
consumer_why(struct ut_msg *m, int error)
{
	static char why[512];

	ut_msg_get_str(m, why, sizeof(why));
	if (!m->bad && why[0] != '\0')
		return why;
	return error == EPIPE ? "the consumer has ended too often" :
	    strerror(error);
}

static void
got_bell(struct consumer *c, struct ut_msg *m)
{
	if (c->bell != -1)
		close(c->bell);
	c->bell = m->h.nfds > 0 ? ut_msg_get_fd(m) : -1;
	ut_msg_get_str(m, c->bellname, sizeof(c->bellname));
	state_changed(&c->saved);
}

static void
consumer_message(struct conn *conn, struct ut_msg *m)
{
	struct consumer *c = conn->arg;

	consumer_heard(c);
	if (m->h.type == UT_C_READY) {
		got_bell(c, m);
	} else if (!ops->message(c, m)) {
		log_peer("consumer %d of uid %lu: bad message %u",
		    (int)c->pid, (unsigned long)c->uid, m->h.type);
		conn_reject(conn);
	}
}

/*
 * The process is killed before the rest is read, so that it says no more.  At
 * our end it may be about to end in order.
 */
static void
consumer_closed(struct conn *conn)
{
	struct consumer *c = conn->arg;

	c->conn = NULL;
	if (!loop_ending && c->state != CONSUMER_LEAVING)
		consumer_warn(c, "ended");
	if (!loop_ending && c->pid > 0)
		kill(c->pid, SIGKILL);
	conn_rest(conn);
	consumer_watch(c);
	consumers_reap();
}

/*
 * More of the queue was sent: signal the consumer, so that it makes room for
 * the rest.  When all is sent, programs that were held go on.
 */
static void
consumer_sent(struct conn *conn)
{
	struct consumer *c = conn->arg;

	kill(c->pid, SIGUSR1);
	if (!conn_behind(conn))
		ops->drained(c);
}

void
consumers_begin(const char *dir, const struct consumer_ops *o)
{
	ops = o;
	remains_begin(dir);
}

/*
 * A consumer of another utd, with the bell that programs still ring.  The
 * journal may tell of the bell more than once; the last one counts.
 */
void
consumer_restore(uid_t uid, gid_t gid, const char *bellname)
{
	struct consumer *c = consumer_find(uid);

	if (c != NULL) {
		snprintf(c->bellname, sizeof(c->bellname), "%s", bellname);
		send_bell(c);
	} else {
		(void)consumer_new(uid, gid, bellname);
	}
}
